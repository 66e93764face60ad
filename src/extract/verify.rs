//! The verifier: of what the rules propose it decides what counts. It can lower a confidence or abstain,
//! and never raises one.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use rust_decimal::Decimal;

use super::clauses::names::folded;
use super::clauses::rent::Figures;
use super::clauses::term::Term;
use super::clauses::{Candidate, Reading, rules};
use super::{around, currency, dates, expression, money};
use crate::lease::PASSAGE_MAX_CHARS;
use crate::posting::Confidence;

/// Two values whose confidences are nearer than this, in thousandths, are of equal weight.
const EQUAL_WEIGHT_PERMILLE: u16 = 50;
/// Below this a value is a guess, and is shown to a person without being proposed for posting.
const FOUND_MIN: Confidence = Confidence::percent(50);
/// A differing value of at least this confidence casts doubt on a better one.
const DOUBT_MIN: Confidence = Confidence::percent(78);
/// The most for a value on which such doubt is cast.
pub(super) const DOUBT_LIMIT: Confidence = Confidence::percent(80);
/// The most for values that do not fit each other.
const MISFIT_LIMIT: Confidence = Confidence::percent(70);
/// How far a stated end may lie from start and length, in days: terms are often counted from the first full month.
const TERM_SLACK_DAYS: i32 = 31;
/// The same for a term that starts on the first of a month, in days: its first month is full, and only whether its last
/// day counts may be told in two ways.
const FULL_MONTHS_SLACK_DAYS: i32 = 1;
/// The most for an end computed from a start within a month, so that a partial month may be added to the term.
const DERIVED_END_MID_MONTH: Confidence = Confidence::percent(75);

/// What became of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled<T> {
    /// One value stands out.
    Found(Candidate<T>),
    /// There are values, and none may be chosen; the code says why.
    Abstained {
        /// Why.
        why: &'static str,
        /// The values, best first.
        candidates: Vec<Candidate<T>>,
    },
    /// No rule proposes anything.
    Absent,
}

impl<T: Clone> Settled<T> {
    /// The value that was found.
    pub fn found(&self) -> Option<&Candidate<T>> {
        match self {
            Self::Found(candidate) => Some(candidate),
            _ => None,
        }
    }

    /// Found, but not certain of more than `limit`.
    pub(super) fn cap(&mut self, limit: Confidence) {
        if let Self::Found(candidate) = self {
            candidate.confidence = candidate.confidence.min(limit);
        }
    }

    /// Gives the value up.
    fn abstain(&mut self, because: &'static str) {
        *self = match std::mem::replace(self, Self::Absent) {
            Self::Found(candidate) => Self::Abstained { why: because, candidates: vec![candidate] },
            Self::Abstained { candidates, .. } => Self::Abstained { why: because, candidates },
            Self::Absent => Self::Abstained { why: because, candidates: Vec::new() },
        };
    }
}

/// Chooses among candidates. `same` says whether two values state one fact.
pub fn settle<T: Clone>(
    reading: &Reading<'_>,
    mut candidates: Vec<Candidate<T>>,
    same: impl Fn(&T, &T) -> bool,
) -> Settled<T> {
    candidates.retain(|candidate| is_in_text(reading, candidate));
    // Of equally sure candidates the earlier one speaks: definitions stand in front.
    candidates.sort_by(|a, b| b.confidence.cmp(&a.confidence).then(a.range.start.cmp(&b.range.start)));
    let Some(best) = candidates.first().cloned() else { return Settled::Absent };
    if best.confidence < FOUND_MIN {
        return Settled::Abstained { why: "no_certain_value", candidates };
    }
    let rival = candidates
        .iter()
        .filter(|candidate| !same(&candidate.value, &best.value))
        .map(|candidate| candidate.confidence)
        .max();
    match rival {
        Some(rival) if rival.as_permille() + EQUAL_WEIGHT_PERMILLE >= best.confidence.as_permille() => {
            Settled::Abstained { why: "values_of_equal_weight", candidates }
        }
        Some(rival) if rival >= DOUBT_MIN => Settled::Found(best.capped(DOUBT_LIMIT)),
        _ => Settled::Found(best),
    }
}

/// Whether another passage gives the value that was settled on for the same field.
pub fn is_seconded<T: Clone>(
    settled: &Settled<T>,
    candidates: &[Candidate<T>],
    same: impl Fn(&T, &T) -> bool,
) -> bool {
    settled.found().is_some_and(|found| {
        candidates.iter().any(|other| {
            let apart = other.range.end <= found.range.start || found.range.end <= other.range.start;
            apart && same(&other.value, &found.value)
        })
    })
}

/// Whether a candidate points at text that is there.
fn is_in_text<T>(reading: &Reading<'_>, candidate: &Candidate<T>) -> bool {
    let passage = reading.text.passage(&candidate.range);
    !passage.is_empty()
        && passage.chars().count() <= PASSAGE_MAX_CHARS
        && candidate.range.end <= reading.scope.end.max(reading.text.flow().len())
}

/// Blanks of a form where a value should stand: underscores, brackets to be filled in, redactions, "TBD".
const BLANK: &str =
    r"(?:_{2,}|\[[^\]$\d]{0,40}\]|\[?\*{3,}\]?|\.{5,}|(?i:tbd|to\s+be\s+(?:determined|agreed|inserted))\b)";

/// Whether a label of a field has a blank behind it, so that what stands elsewhere may be of another paper.
fn has_blank_behind(reading: &Reading<'_>, label: &LazyLock<Regex>) -> bool {
    label.find_iter(reading.flow()).any(|found| {
        // Dots lead from a label to the value behind them.
        let rest = reading.text.lined().get(found.end()..).unwrap_or_default();
        let is_filled = found.as_str().ends_with('.')
            && rest
                .trim_start_matches([' ', '\t'])
                .starts_with(|next: char| next.is_alphanumeric() || matches!(next, '$' | '€' | '£'));
        !is_filled
    })
}

fn blank_behind(label: &str) -> Regex {
    expression(&format!(
        r#"(?:{label})\s*["')]*\s*(?:(?i:shall\s+be|will\s+be|means|is|of|on|in\s+the\s+amount\s+of)\s*){{0,3}}[:\s]*(?:[A-Z]{{0,3}}[$\x{{a3}}\x{{20ac}}]\s*)?(?:(?i:the)\s+)?{BLANK}"#
    ))
}

static BLANK_START: LazyLock<Regex> = LazyLock::new(|| {
    blank_behind(
        r"(?i:(?:commencement|start|beginning)\s+date|first\s+day\s+of\s+(?:the\s+)?term|commenc(?:es?|ing)\s+on|begin(?:s|ning)\s+on)",
    )
});
static BLANK_END: LazyLock<Regex> = LazyLock::new(|| {
    blank_behind(
        r"(?i:(?:expiration|expiry|termination|end)\s+date|last\s+day\s+of\s+(?:the\s+)?term|(?:ending|expiring)\s+on|(?:ends|expires)\s+on)",
    )
});
static BLANK_RENT: LazyLock<Regex> =
    LazyLock::new(|| blank_behind(r"(?i:(?:base|basic|minimum|fixed|monthly|annual|yearly)\s+rent(?:al)?)"));

/// Keeps the candidates whose passage holds what they claim.
fn retain_supported<T>(
    reading: &Reading<'_>,
    candidates: &mut Vec<Candidate<T>>,
    supports: impl Fn(&str, &T) -> bool,
) {
    candidates.retain(|candidate| supports(&reading.text.passage(&candidate.range), &candidate.value));
}

/// Whether a passage holds a date.
fn holds_date(reading: &Reading<'_>, passage: &str, date: Date) -> bool {
    dates::find(passage, reading.date_order).iter().any(|found| found.date == date)
}

/// Whether a passage holds the figure of a rent, or one of which it is the year's.
fn holds_rent(reading: &Reading<'_>, passage: &str, figures: &Figures) -> bool {
    const PERIODS_IN_A_YEAR: [i64; 3] = [1, 4, 12];
    money::find(passage, reading.dollar.currency()).iter().any(|found| {
        found.amount == figures.rent.amount
            || PERIODS_IN_A_YEAR
                .iter()
                .any(|periods| found.amount.checked_mul(Decimal::from(*periods)) == Some(figures.yearly))
    })
}

/// Chooses among names; spellings of one name are one, whatever the case and the legal form's dots.
pub fn settle_name(reading: &Reading<'_>, mut candidates: Vec<Candidate<String>>) -> Settled<String> {
    retain_supported(reading, &mut candidates, |passage, name| folded(passage).contains(&folded(name)));
    settle(reading, candidates, |a, b| {
        let (a, b) = (folded(a), folded(b));
        let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
        // One place gives the legal form and another leaves it away.
        const FORMS: &[&str] = &[
            "",
            "inc",
            "llc",
            "lp",
            "llp",
            "ltd",
            "limited",
            "corp",
            "corporation",
            "co",
            "company",
            "plc",
            "nv",
            "bv",
            "na",
            "pc",
            "gmbh",
        ];
        long.strip_prefix(short.as_str()).is_some_and(|rest| FORMS.contains(&rest))
    })
}

/// The term's dates after all checks.
#[derive(Debug)]
pub struct SettledTerm {
    /// First day.
    pub start: Settled<Date>,
    /// Last day.
    pub end: Settled<Date>,
    /// First day for which rent is due.
    pub rent_commencement: Settled<Date>,
    /// Length in months.
    pub months: Settled<u32>,
}

/// Settles the term: conditions force abstention, what is derived needs both of its parts, and start, end
/// and length must fit each other.
pub fn settle_term(reading: &Reading<'_>, mut term: Term) -> SettledTerm {
    for dates in [&mut term.start, &mut term.end, &mut term.rent_commencement] {
        retain_supported(reading, dates, |passage, date| holds_date(reading, passage, *date));
    }
    let same_date = |a: &Date, b: &Date| a == b;
    let mut start = settle(reading, term.start, same_date);
    let mut end = settle(reading, term.end, same_date);
    let rent_commencement = settle(reading, term.rent_commencement, same_date);
    let months = settle(reading, term.months, |a: &u32, b: &u32| a == b);
    if term.conditional_start.is_some() {
        start.abstain("conditional");
    }
    if term.conditional_end.is_some() {
        end.abstain("conditional");
    }
    if has_blank_behind(reading, &BLANK_START) {
        start.cap(DOUBT_LIMIT);
    }
    if has_blank_behind(reading, &BLANK_END) {
        end.cap(DOUBT_LIMIT);
        if matches!(end, Settled::Absent) {
            end.abstain("blank");
        }
    }
    let waits = around::lease_waits(reading);
    for dates in [&mut start, &mut end] {
        if dates.found().is_some_and(|found| waits || around::changes_term(reading, found)) {
            dates.cap(DOUBT_LIMIT);
        }
    }
    derive_end(&start, &mut end, &months);
    derive_start(&mut start, &end, &months);
    if let (Some(first), Some(last)) = (start.found(), end.found()) {
        if last.value <= first.value {
            start.abstain("end_not_after_start");
            end.abstain("end_not_after_start");
        } else if let Some(length) = months.found() {
            let counted = dates::term_end(first.value, length.value);
            let apart = counted.and_then(|counted| (last.value - counted).get_days().checked_abs());
            let slack = if first.value.day() == 1 { FULL_MONTHS_SLACK_DAYS } else { TERM_SLACK_DAYS };
            if apart.is_none_or(|days| days > slack) {
                start.cap(MISFIT_LIMIT);
                end.cap(MISFIT_LIMIT);
            }
        }
    }
    SettledTerm { start, end, rent_commencement, months }
}

fn derive_end(start: &Settled<Date>, end: &mut Settled<Date>, months: &Settled<u32>) {
    let (Settled::Absent, Some(first), Some(length)) = (&*end, start.found(), months.found()) else { return };
    let Some(value) = dates::term_end(first.value, length.value) else { return };
    let limit =
        if first.value.day() == 1 { rules::START_PLUS_LENGTH.confidence() } else { DERIVED_END_MID_MONTH };
    *end = Settled::Found(Candidate {
        value,
        confidence: limit.min(first.confidence).min(length.confidence),
        range: length.range.clone(),
        rule: rules::START_PLUS_LENGTH.name,
    });
}

fn derive_start(start: &mut Settled<Date>, end: &Settled<Date>, months: &Settled<u32>) {
    let (Settled::Absent, Some(last), Some(length)) = (&*start, end.found(), months.found()) else { return };
    let Some(value) = dates::term_start(last.value, length.value) else { return };
    *start = Settled::Found(Candidate {
        value,
        confidence: rules::END_MINUS_LENGTH.confidence().min(last.confidence).min(length.confidence),
        range: length.range.clone(),
        rule: rules::END_MINUS_LENGTH.name,
    });
}

/// Settles the rent, and holds the first step's date against the term.
pub fn settle_rent(
    reading: &Reading<'_>,
    mut candidates: Vec<Candidate<Figures>>,
    term: &SettledTerm,
) -> Settled<Figures> {
    retain_supported(reading, &mut candidates, |passage, figures| holds_rent(reading, passage, figures));
    let mut rent = settle(reading, candidates, Figures::agrees_with);
    if has_blank_behind(reading, &BLANK_RENT)
        || rent.found().is_some_and(|found| {
            reading.dollar.assumes(found.value.rent.currency)
                || currency::is_of_another_country(reading.flow(), found.value.rent.currency)
                || around::changes_rent(reading, found)
        })
    {
        rent.cap(DOUBT_LIMIT);
    }
    let expected: Vec<Date> = [&term.start, &term.rent_commencement]
        .iter()
        .filter_map(|date| date.found())
        .map(|date| date.value)
        .collect();
    let first_days = rent.found().map(|found| [found.value.free_from, found.value.first_day]);
    let mut first_days = first_days.into_iter().flatten().flatten().peekable();
    // A first step for which nothing is paid begins with the term as well.
    if first_days.peek().is_some() && !expected.is_empty() && !first_days.any(|day| expected.contains(&day)) {
        rent.cap(MISFIT_LIMIT);
    }
    // Steps that go on behind the term are those of another one.
    let last_day = rent.found().and_then(|found| found.value.last_day);
    if let (Some(last_day), Some(end)) = (last_day, term.end.found())
        && last_day > end.value
    {
        rent.cap(MISFIT_LIMIT);
    }
    rent
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::extract::tests::reading_of;
    use crate::lease::{BaseRent, Currency, RentPeriod};

    /// A text that holds every date and name of these tests.
    const TEXT: &str = "FERN, L.L.C. Fern, Inc. Fern LLC Moss LLC Fernwood May 1, 2020 April 30, 2025 May 4, 2020 May 31, 2025";

    fn candidate_in<T>(value: T, percent: u16) -> Candidate<T> {
        Candidate { range: 0..TEXT.len(), ..candidate(value, percent) }
    }

    fn candidate<T>(value: T, percent: u16) -> Candidate<T> {
        Candidate { value, confidence: Confidence::percent(percent), range: 0..4, rule: "test" }
    }

    #[test]
    fn equal_weights_abstain_and_doubt_lowers() {
        type Row = (&'static str, &'static [(u32, u16)], Option<(u32, u16)>);
        let rows: &[Row] = &[
            ("nothing", &[], None),
            ("one", &[(1, 90)], Some((1, 90))),
            ("agreement raises nothing", &[(1, 90), (1, 88)], Some((1, 90))),
            ("equal weight", &[(1, 90), (2, 90)], None),
            ("nearly equal weight", &[(1, 90), (2, 86)], None),
            ("doubt", &[(1, 95), (2, 80)], Some((1, 80))),
            ("a weak rival", &[(1, 95), (2, 45)], Some((1, 95))),
            ("a guess", &[(1, 40)], None),
        ];
        for (case, proposed, expected) in rows {
            let found = reading_of("text of a lease", |reading| {
                let candidates =
                    proposed.iter().map(|(value, percent)| candidate(*value, *percent)).collect();
                settle(reading, candidates, |a, b| a == b)
                    .found()
                    .map(|found| (found.value, found.confidence.as_permille() / 10))
            });
            assert_eq!(found, *expected, "{case}");
        }
    }

    #[test]
    fn evidence_that_is_not_in_the_text_does_not_count() {
        let settled = reading_of("", |reading| settle(reading, vec![candidate(1, 99)], |a, b| a == b));
        assert_eq!(settled, Settled::Absent);
    }

    #[test]
    fn spellings_of_one_name_are_one() {
        let rows = [
            ("FERN, L.L.C.", "Fern LLC", true),
            ("Fern", "Fern, Inc.", true),
            ("Fern LLC", "Moss LLC", false),
            ("Fern", "Fernwood", false),
        ];
        for (one, other, same) in rows {
            let settled = reading_of(TEXT, |reading| {
                let names = vec![candidate_in(one.to_owned(), 90), candidate_in(other.to_owned(), 90)];
                settle_name(reading, names)
            });
            assert_eq!(settled.found().is_some(), same, "{one} and {other}");
        }
    }

    #[test]
    fn the_term_is_checked_as_a_whole() {
        type Weighed = Option<(Date, u16)>;
        struct Row {
            case: &'static str,
            start: Option<(Date, u16)>,
            end: Option<(Date, u16)>,
            months: Option<u32>,
            conditional: bool,
            expected: (Weighed, Weighed),
        }
        let may = date(2020, 5, 1);
        let april = date(2025, 4, 30);
        let rows = [
            Row {
                case: "both stated",
                start: Some((may, 93)),
                end: Some((april, 93)),
                months: Some(60),
                conditional: false,
                expected: (Some((may, 93)), Some((april, 93))),
            },
            Row {
                case: "a month too long from the first of a month",
                start: Some((may, 93)),
                end: Some((date(2025, 5, 31), 93)),
                months: Some(60),
                conditional: false,
                expected: (Some((may, 70)), Some((date(2025, 5, 31), 70))),
            },
            Row {
                case: "a partial month before the first full one",
                start: Some((date(2020, 5, 4), 93)),
                end: Some((date(2025, 5, 31), 93)),
                months: Some(60),
                conditional: false,
                expected: (Some((date(2020, 5, 4), 93)), Some((date(2025, 5, 31), 93))),
            },
            Row {
                case: "end derived",
                start: Some((may, 93)),
                end: None,
                months: Some(60),
                conditional: false,
                expected: (Some((may, 93)), Some((april, 80))),
            },
            Row {
                case: "derived mid month",
                start: Some((date(2020, 5, 4), 93)),
                end: None,
                months: Some(60),
                conditional: false,
                expected: (Some((date(2020, 5, 4), 93)), Some((date(2025, 5, 3), 75))),
            },
            Row {
                case: "start derived",
                start: None,
                end: Some((april, 93)),
                months: Some(60),
                conditional: false,
                expected: (Some((may, 78)), Some((april, 93))),
            },
            Row {
                case: "length only",
                start: None,
                end: None,
                months: Some(60),
                conditional: false,
                expected: (None, None),
            },
            Row {
                case: "misfit",
                start: Some((may, 93)),
                end: Some((april, 93)),
                months: Some(36),
                conditional: false,
                expected: (Some((may, 70)), Some((april, 70))),
            },
            Row {
                case: "reversed",
                start: Some((april, 93)),
                end: Some((may, 93)),
                months: None,
                conditional: false,
                expected: (None, None),
            },
            Row {
                case: "conditional",
                start: Some((may, 93)),
                end: None,
                months: Some(60),
                conditional: true,
                expected: (None, None),
            },
        ];
        for row in rows {
            let term = Term {
                start: row.start.map(|(value, percent)| candidate_in(value, percent)).into_iter().collect(),
                end: row.end.map(|(value, percent)| candidate_in(value, percent)).into_iter().collect(),
                rent_commencement: Vec::new(),
                months: row.months.map(|value| candidate(value, 88)).into_iter().collect(),
                conditional_start: row.conditional.then_some(0..4),
                conditional_end: None,
            };
            let settled = reading_of(TEXT, |reading| settle_term(reading, term));
            let of = |settled: &Settled<Date>| {
                settled.found().map(|found| (found.value, found.confidence.as_permille() / 10))
            };
            assert_eq!((of(&settled.start), of(&settled.end)), row.expected, "{}", row.case);
        }
    }

    #[test]
    fn a_value_that_its_passage_does_not_hold_is_dropped() {
        let text = "Base Rent is $5,000.00 per month from May 1, 2020 for Fern LLC";
        let whole = 0..text.len();
        let name = |name: &str| vec![Candidate { range: whole.clone(), ..candidate(name.to_owned(), 90) }];
        let kept =
            |name_of: &str| reading_of(text, |reading| settle_name(reading, name(name_of)).found().is_some());
        assert!(kept("Fern LLC"));
        assert!(!kept("Moss LLC"));
        let days = [(date(2020, 5, 1), true), (date(2020, 5, 2), false)];
        for (day, expected) in days {
            let held = reading_of(text, |reading| holds_date(reading, text, day));
            assert_eq!(held, expected, "{day}");
        }
        let rents = [("5000.00", true), ("5000.01", false), ("500.00", false)];
        for (amount, expected) in rents {
            let rent = BaseRent {
                amount: Decimal::from_str_exact(amount).expect("the test's own number"),
                period: RentPeriod::Monthly,
                currency: Currency::USD,
            };
            let held = reading_of(text, |reading| holds_rent(reading, text, &Figures::of(rent)));
            assert_eq!(held, expected, "{amount}");
        }
    }

    #[test]
    fn a_blank_behind_a_label_is_noticed() {
        let rows: &[(&LazyLock<Regex>, &str, bool)] = &[
            (&BLANK_START, "Commencement Date: ______", true),
            (&BLANK_START, "the \"Commencement Date\" shall be [insert date]", true),
            (&BLANK_START, "commencing on the ____ day of May", true),
            (&BLANK_START, "Commencement Date: May 1, 2020", false),
            (&BLANK_END, "LAST DAY OF TERM\t______________", true),
            (&BLANK_END, "Expiration Date: TBD", true),
            (&BLANK_END, "and ending on April 30, 2025", false),
            (&BLANK_RENT, "Base Rent: $______ per month", true),
            (&BLANK_RENT, "Monthly Rent: [***]", true),
            (&BLANK_RENT, "Monthly Rent of $[***]", true),
            (&BLANK_RENT, "Monthly Rent: $5,000.00", false),
            (&BLANK_RENT, "Monthly Rent ..........", true),
            (&BLANK_RENT, "Monthly Rent .......... $5,000.00", false),
        ];
        for (label, text, expected) in rows {
            assert_eq!(reading_of(text, |reading| has_blank_behind(reading, label)), *expected, "{text}");
        }
    }
}
