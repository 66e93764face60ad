//! Amounts of rent in running text.

use crate::extract::clauses::{Candidate, Reading, rules};
use crate::extract::dates;
use crate::extract::money::{FoundAmount, WordsBeside};
use crate::lease::{BaseRent, DocumentKind, RENT_STEPS_MAX_COUNT, RentPeriod};
use crate::posting::Confidence;
use regex::Regex;
use rust_decimal::Decimal;
use std::ops::Range;
use std::sync::LazyLock;

use super::words::{
    ANNUAL_BEFORE, ANNUAL_BEHIND, ANOTHER_TIME_BEFORE, BASE_RENT, BEGINS_WITH_IF, FOR_A_SPACE, IN_PARTS,
    LATER_STEP, MONTHLY_BEFORE, MONTHLY_BEHIND, MONTHLY_PART_OF, NAMED_BASE_RENT, NEVER_PAID, NOT_PAID,
    OF_A_YEAR, ON_A_BASIS, OTHER_CHARGE, OTHER_PERIOD, OTHER_TABLE, PAID_EACH_MONTH, PER_PIECE, PERIOD_LABEL,
    QUALIFIED_BEFORE, QUALIFIED_BEHIND, QUARTERLY_BEHIND, RENEWAL, RENT, RENT_OF_A_SPACE, UNSURE_BEHIND,
    UNSURE_LABEL, UNTIL, expression, is_of_ended_time, is_other_section, is_per_unit, without_granted_term,
};
use super::{Figures, OTHER_CHARGE_LIMIT, PARTLY_ABATED_LIMIT, RENT_MIN_UNITS, ROW_MAX_BYTES, twelve_apart};

/// "..., monthly, in equal installments": how often is paid, and not what the figure is for.
static PAID_MONTHLY: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)^\)?\s*,\s*monthly\b[^.;$]{0,60}\b(?:install?ments?|payments?|parts)\b")
});

/// How far before an amount in running text the words that make it rent may stand, in bytes.
const ANCHOR_REACH_BYTES: usize = 260;

/// How far behind a figure the step that it belongs to is named, in bytes.
const LATER_STEP_REACH_BYTES: usize = 60;

/// How far apart the steps of a rent in running text may stand, in bytes.
const STEP_REACH_BYTES: usize = 700;

/// The same for figures of running text.
const SOME_RENT_TEXT_LIMIT: Confidence = Confidence::percent(86);

/// The most for two figures side by side that should be a year's and a month's and are not.
const CONTRADICTED_LIMIT: Confidence = Confidence::percent(50);

/// How far before its figure the passage of a rent begins at the most, in bytes.
const PASSAGE_REACH_BYTES: usize = 150;

/// How far before the words of rent those of another period may stand, in bytes.
const OTHER_PERIOD_REACH_BYTES: usize = 25;

/// Quarters in a year.
const QUARTERS: i64 = 4;

/// Amounts with their period beside them.
pub(super) fn from_running_text(
    reading: &Reading<'_>,
    amounts: &[FoundAmount],
    kind: DocumentKind,
) -> Vec<Candidate<Figures>> {
    let mut candidates: Vec<Candidate<Figures>> = Vec::new();
    let mut last_at: Option<usize> = None;
    // Where a document has a word for its base rent, another rent is not it.
    let has_base_rent = NAMED_BASE_RENT.is_match(reading.flow());
    for (index, amount) in amounts.iter().enumerate() {
        let Some(candidate) = in_running_text(reading, amounts, index, has_base_rent, kind) else { continue };
        // The monthly figure of a pair that has already been read.
        if let Some(last) = candidates.last()
            && last_at.is_some_and(|at| amount.range.start.saturating_sub(at) <= STEP_REACH_BYTES)
            && (last.value.is_same_rent(&candidate.value.rent)
                || last.value.later_yearly.last().is_some_and(|step| is_near(*step, candidate.value.yearly)))
        {
            last_at = Some(amount.range.end);
            continue;
        }
        // Steps in one passage: the first is the base rent, the others rise from it.
        if let Some(at) = last_at
            && let Some(first) = candidates.last_mut()
            && amount.range.start.saturating_sub(at) <= STEP_REACH_BYTES
            && (first.confidence >= candidate.confidence || is_told_as_later(reading, at, amount))
            && is_next_step(reading, at, amount.range.end)
            && first.value.rent.currency == candidate.value.rent.currency
        {
            if first.value.yearly * Decimal::from(3) < candidate.value.yearly * Decimal::from(2) {
                first.confidence = first.confidence.min(PARTLY_ABATED_LIMIT);
            }
            if first.value.later_yearly.len() < RENT_STEPS_MAX_COUNT {
                first.value.later_yearly.push(candidate.value.yearly);
            }
        } else {
            candidates.push(candidate);
        }
        last_at = Some(amount.range.end);
    }
    candidates
}

/// Whether two amounts for a year are one, to a unit for the rounding of twelfths.
fn is_near(one: Decimal, other: Decimal) -> bool {
    (one - other).abs() <= Decimal::ONE
}

/// Whether the words between the end of one figure and another begin a time for it: however well the second is proved,
/// the first is the first step.
fn is_told_as_later(reading: &Reading<'_>, from: usize, amount: &FoundAmount) -> bool {
    static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:thereafter|(?:beginning|commencing|starting|effective|from)\s+(?:with|on|in|as\s+of|and\s+after)?\s*[^.;]{0,40}\b(?:19|20)\d{2}\b)",
        )
    });
    let words = reading.text.slice(&(from..amount.range.start));
    BEGINS.is_match(words) || ANOTHER_TIME_BEFORE.is_match(words)
}

/// Whether an amount behind another one is its next step: in the same section, with words of time between.
fn is_next_step(reading: &Reading<'_>, from: usize, to: usize) -> bool {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:thereafter|then|lease\s+years?|years?\s*\d+|months?\s*\d+|from|through|commencing|beginning|period|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|remaining|anniversary|followed|balance)\b|\d{1,2}/\d{1,2}/\d{2}|\b(?:19|20)\d{2}\b",
        )
    });
    // On which day of a month a rent is due says nothing of another rent.
    static DUE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:first|second|third|fourth|fifth|tenth|fifteenth|\d{1,2}(?:st|nd|rd|th))\s*(?:\(\d{1,2}(?:st|nd|rd|th)?\)\s+)?(?:(?:business|calendar|working)\s+)?(?:days?\s+)?(?:of|in)\s+(?:each|every|the|any|a)\b(?:\s+and\s+every)?(?:\s+\w+)?",
        )
    });
    reading.heading_at(from) == reading.heading_at(to)
        && STEP.is_match(&DUE.replace_all(reading.text.slice(&(from..to)), " "))
}

fn in_running_text(
    reading: &Reading<'_>,
    amounts: &[FoundAmount],
    index: usize,
    has_base_rent: bool,
    kind: DocumentKind,
) -> Option<Candidate<Figures>> {
    let text = reading.text;
    let amount = amounts.get(index)?;
    let currency = amount.currency?;
    if amount.is_rate || amount.words == WordsBeside::Differ || amount.amount.is_zero() {
        return None;
    }
    let sentence = text.sentence_around(&amount.range, ANCHOR_REACH_BYTES);
    // The other figure of the pair, in the same sentence.
    let partner = amounts[index + 1..]
        .iter()
        .find(|other| !other.is_rate)
        .filter(|other| other.range.start < sentence.end)
        .and_then(|other| twelve_apart(amount, other).map(|pair| (pair, other.range.end)));
    // The arithmetic of a pair says that it is a rent, so that what names it may stand in a sentence before.
    let before = if partner.is_some() {
        text.before(amount.range.start, ANCHOR_REACH_BYTES)
    } else {
        text.slice(&(sentence.start..amount.range.start))
    };
    // In a field of a table only its own label speaks of it.
    let line = text.line_at(amount.range.start);
    let label = text.lined().get(line.start..amount.range.start).unwrap_or_default();
    let is_labelled =
        label.contains('\t') && label.chars().any(char::is_alphabetic) && !PERIOD_LABEL.is_match(label);
    let before = if is_labelled && partner.is_none() {
        text.slice(&(line.start.max(sentence.start)..amount.range.start))
    } else {
        before
    };
    // Of several clauses with marks of their own, in one sentence, only the last before the figure speaks of it.
    let before = if partner.is_some() { before } else { own_clause(before) };
    let behind = text.after(amount.range.end, 170);
    let lead = lead_of_line(text.lined().get(line.start..sentence.start).unwrap_or_default());
    let base = BASE_RENT.find_iter(before).last();
    let defined_behind =
        text.slice(&(amount.range.end..sentence.end)).to_lowercase().contains("\"base rent\"");
    let anchored = base.is_some() || defined_behind;
    if !anchored && !RENT.is_match(before) && !lead.is_some_and(|lead| RENT.is_match(lead)) {
        return None;
    }
    let (period, stated) = if let Some((pair, _)) = partner.as_ref().filter(|_| line.len() > ROW_MAX_BYTES) {
        // The arithmetic of a pair says which of the two is a month's; a pair on a line of its own is a table's row.
        (pair.period, true)
    } else if MONTHLY_BEHIND.is_match(behind) && !PAID_MONTHLY.is_match(behind) {
        (RentPeriod::Monthly, true)
    } else if ANNUAL_BEHIND.is_match(behind) {
        (RentPeriod::Annual, true)
    } else if MONTHLY_PART_OF.is_match(before) {
        (RentPeriod::Monthly, true)
    } else if IN_PARTS.is_match(before) && partner.is_none() {
        // A year's rent and its parts are named, and the figure is one of them: which one, nothing proves.
        return None;
    } else if MONTHLY_BEFORE.is_match(before) {
        (RentPeriod::Monthly, true)
    } else if ANNUAL_BEFORE.is_match(before) {
        (RentPeriod::Annual, true)
    } else if let Some(basis) = ON_A_BASIS.captures(before) {
        let monthly = basis.name("month").is_some();
        (if monthly { RentPeriod::Monthly } else { RentPeriod::Annual }, true)
    } else if QUARTERLY_BEHIND.is_match(behind) && !amount.is_rate {
        let yearly = amount.amount.checked_mul(Decimal::from(QUARTERS))?;
        let rent = BaseRent { amount: yearly, period: RentPeriod::Annual, currency };
        let range = amount.range.start - before.len().min(60)..amount.range.end + 12;
        let candidate = rules::RENT_EACH_QUARTER.says(Figures::of(rent), range);
        let is_other =
            !anchored || OTHER_CHARGE.is_match(before) || amount.amount < Decimal::from(RENT_MIN_UNITS);
        return (!is_other).then_some(candidate);
    } else if PAID_EACH_MONTH.is_match(behind) && !OF_A_YEAR.is_match(before) && !OF_A_YEAR.is_match(behind) {
        (RentPeriod::Monthly, amount.words == WordsBeside::Agree || anchored)
    } else {
        return None;
    };
    let minimum = if period == RentPeriod::Monthly { RENT_MIN_UNITS } else { 12 * RENT_MIN_UNITS };
    if partner.is_none() && amount.amount < Decimal::from(minimum) {
        return None;
    }
    let rent = BaseRent { amount: amount.amount, period, currency };
    let mut rule = match (stated, anchored) {
        (true, true) => rules::RENT_WITH_PERIOD,
        (true, false) if !has_base_rent => rules::PLAIN_RENT_WITH_PERIOD,
        (true, false) => rules::SOME_RENT_WITH_PERIOD,
        _ => rules::RENT_PAID_MONTHLY,
    };
    let mut confidence = rule.confidence();
    let mut value = rent;
    let mut end = (amount.range.end + 40).min(sentence.end.max(amount.range.end));
    if let Some((pair, pair_end)) = partner {
        value = pair;
        end = pair_end;
        rule = rules::TWELVE_APART;
        confidence = rule.confidence().min(if anchored { Confidence::ONE } else { SOME_RENT_TEXT_LIMIT });
    } else if is_contradicted_by_neighbour(amounts, index, &sentence) {
        confidence = confidence.min(CONTRADICTED_LIMIT);
    }
    let from_anchor = base.map_or(before, |anchor| {
        &before[crate::extract::text::floor_boundary(before, anchor.start().saturating_sub(60))..]
    });
    let elsewhere = is_other_section(reading.heading_at(amount.range.start))
        || lead.is_some_and(|lead| is_other_section(&lead.to_lowercase()));
    let near_anchor = base.map_or(before, |anchor| {
        &before[crate::extract::text::floor_boundary(
            before,
            anchor.start().saturating_sub(OTHER_PERIOD_REACH_BYTES),
        )..]
    });
    let until_it = text.slice(&(sentence.start..amount.range.start));
    let renews = kind != DocumentKind::Amendment
        && RENEWAL.is_match(if is_labelled && partner.is_none() { before } else { until_it });
    let is_of_another_time = ANOTHER_TIME_BEFORE.is_match(before)
        || BEGINS_WITH_IF.is_match(until_it)
        || is_of_ended_time(text.slice(&sentence))
        || RENT_OF_A_SPACE.is_match(before);
    let is_qualified = partner.is_none()
        && (QUALIFIED_BEFORE.is_match(before)
            || NOT_PAID.is_match(before)
            || QUALIFIED_BEHIND.is_match(behind)
            || is_per_unit(behind));
    let has_another = |other: Option<&FoundAmount>| {
        other.is_some_and(|other| {
            !other.is_rate && (sentence.start..sentence.end + STEP_REACH_BYTES).contains(&other.range.start)
        })
    };
    let before_it = index.checked_sub(1).and_then(|index| amounts.get(index));
    let more_in_sentence = has_another(amounts.get(index + 1)) || has_another(before_it);
    let next_at = amounts.get(index + 1).map_or(usize::MAX, |next| next.range.start);
    // What stands on the next line may be the next step's own label.
    let beside_end = [next_at, amount.range.end + LATER_STEP_REACH_BYTES, sentence.end, line.end]
        .into_iter()
        .min()
        .unwrap_or(amount.range.end);
    let beside = text.slice(&(amount.range.end..beside_end.max(amount.range.end)));
    let is_later_step = partner.is_none() && LATER_STEP.is_match(beside);
    // An amendment that gives the rent of a space by its name says nothing of the others.
    let is_of_a_space = FOR_A_SPACE.is_match(behind) && (more_in_sentence || kind == DocumentKind::Amendment);
    if renews
        || is_of_another_time
        || is_qualified
        || is_of_a_space
        || is_later_step
        || OTHER_PERIOD.is_match(near_anchor)
        || (partner.is_none() && UNSURE_LABEL.is_match(before))
        || NEVER_PAID.is_match(before)
        || UNSURE_BEHIND.is_match(text.lined().get(amount.range.end..line.end).unwrap_or_default())
        || PER_PIECE.is_match(behind)
    {
        confidence = confidence.min(OTHER_CHARGE_LIMIT);
    }
    let other = if partner.is_some() { &OTHER_TABLE } else { &OTHER_CHARGE };
    if elsewhere
        || other.is_match(&without_granted_term(from_anchor, kind))
        || speaks_of_charge_behind(within_field(reading, amount, behind))
    {
        confidence = confidence.min(OTHER_CHARGE_LIMIT);
    }
    let mut figures = Figures::of(value);
    // "From May 1, 2020 through April 30, 2021 Base Rent is ...": which step it is, the verifier must know.
    let days = dates::find(before, reading.date_order);
    if let [.., first, last] = &days[..]
        && first.date < last.date
        && UNTIL.is_match(&before[first.range.end..last.range.start])
    {
        figures.first_day = Some(first.date);
        figures.last_day = Some(last.date);
    }
    // The passage ends with its figure and is short enough to be kept whole.
    let start = amount.range.start - from_anchor.len().min(PASSAGE_REACH_BYTES).min(amount.range.start);
    Some(Candidate { value: figures, confidence, range: start..end, rule: rule.name })
}

/// The last of the clauses of a sentence that are marked one by one: "(a) ...; (b) ...".
fn own_clause(before: &str) -> &str {
    static MARK: LazyLock<Regex> = LazyLock::new(|| expression(r";\s*(?:and\s+|or\s+)?\([a-z]{1,4}\)\s"));
    MARK.find_iter(before).last().map_or(before, |mark| &before[mark.end()..])
}

/// The words with which a line begins as with a heading of its own: "4. Rent." before the sentences of the clause.
fn lead_of_line(line: &str) -> Option<&str> {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"^[\s*#]*(?:[\w.()]{1,6}\s+)?(?P<name>[A-Z][A-Za-z'-]*(?:\s+[A-Za-z'-]+){0,4})\.\s")
    });
    LEAD.captures(line).and_then(|found| found.name("name")).map(|name| name.as_str())
}

/// Two figures side by side that are a year's and a month's by their size, and yet not twelve apart, are
/// misread or misprinted: neither counts.
fn is_contradicted_by_neighbour(amounts: &[FoundAmount], index: usize, sentence: &Range<usize>) -> bool {
    let Some(amount) = amounts.get(index) else { return false };
    let before = index.checked_sub(1).and_then(|before| amounts.get(before));
    let behind = amounts.get(index + 1);
    before.into_iter().chain(behind).any(|other| {
        let gap = other.range.start.max(amount.range.start) - other.range.end.min(amount.range.end);
        let ratio = amount.amount.max(other.amount).checked_div(amount.amount.min(other.amount));
        // Steps of a rent differ by some percent; another period differs by a factor of about twelve.
        let other_period = ratio.is_some_and(|ratio| ratio > Decimal::from(9) && ratio < Decimal::from(16));
        let in_sentence = other.range.start >= sentence.start && other.range.end <= sentence.end;
        in_sentence && gap < 90 && !other.is_rate && other_period
    })
}

/// What stands behind an amount; of a field on a line of its own, only the rest of that line.
fn within_field<'a>(reading: &Reading<'_>, amount: &FoundAmount, behind: &'a str) -> &'a str {
    let line = reading.text.line_at(amount.range.start);
    let content = reading.text.lined().get(line.clone()).unwrap_or_default();
    let is_field = content.contains('\t') || (content.len() < 100 && content.contains(':'));
    let rest = line.end.saturating_sub(amount.range.end);
    if is_field { behind.get(..rest).unwrap_or(behind) } else { behind }
}

fn speaks_of_charge_behind(behind: &str) -> bool {
    static CHARGE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^[^.;]{0,60}\b(?:of\s+which|inclusive\s+of|includ(?:es|ing))\b|^[^;$]{0,60}\bsubject\s+to\s+(?:adjust\w*|re-?measure\w*|final|verif\w*|change|reconcil\w*|confirm\w*)|^[^.;$]{0,80}\b(?:as\s+additional\s+rent|for\s+(?:parking|storage|utilities|taxes|insurance|operating)|security\s+deposit)\b",
        )
    });
    CHARGE.is_match(behind)
}
