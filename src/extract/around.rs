//! What stands around a value that was settled on and may make it another: words that halve or double a rent, an
//! amount in words that nobody wrote in figures, a second figure for the same period, a term that runs on by another
//! sentence. The rules read a value from its own sentence; this room reads the rest of its section.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use rust_decimal::Decimal;

use super::clauses::rent::{Figures, RENT_MIN_UNITS, SPACE_LABEL};
use super::clauses::{Candidate, Reading};
use super::money::{self, FoundAmount};
use crate::extract::expression;

/// How far around its value a section is looked through, in bytes: a clause of rent is a page at the most.
const SECTION_REACH_BYTES: usize = 1_500;
/// How far around a figure its sentence reaches, in bytes.
const SENTENCE_REACH_BYTES: usize = 400;
/// How far before a figure the words that name its period may stand, in bytes.
const PERIOD_REACH_BYTES: usize = 70;
/// How far around its line the table of a figure is looked through, in bytes.
const TABLE_REACH_BYTES: usize = 500;
/// Longest line that is a table's, in bytes.
pub(super) const TABLE_LINE_MAX_BYTES: usize = 160;
/// Longest time by which a term may begin before the lease is made, in days: a lease that is signed late.
const BEGUN_BEFORE_MAX_DAYS: i32 = 730;
/// Longest time by which a term may begin after the lease is made, in days: premises that are yet to be built.
const BEGINS_AFTER_MAX_DAYS: i32 = 1_830;

/// Words by which the rent is another than the figure before or behind them.
static CHANGES_A_RENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?ix)
        \b(?:(?:only|just|takes?|pays?|but)\s+(?:a\s+|one[\s-])?(?:half|third|quarter)|(?:one|two|three|four|nine)[\s-](?:half|thirds?|quarters?|fourths?|fifths?|tenths?))\s+of\s+(?:it|that|this|the\s+(?:same|sum|amount|figure|above|foregoing))\b
        |\b(?:due|paid|payable|owed|falls?\s+due)\s+(?:twice|double|doubly|three\s+times)\b|\btwice\s+(?:it|that|this|the\s+(?:sum|amount|figure))\b
        |\b(?:is|are|be|has\s+been|have\s+been)\s+(?:doubled|halved|cut\s+in\s+half)\b
        |\bin\s+(?:19|20)\d{2}\s+(?:dollars|pounds|euros|money|prices)\b
        |\b(?:thirteen|13)\s+(?:\(13\)\s+)?(?:months|periods|payments|install?ments|times|in\s+(?:the|a|each|every)\s+year)\b|\bevery\s+four\s+weeks\b|\bfour\s+weeks\s*,|\blunar\s+month
        |\b(?:agreed?|fix(?:ed)?|settled?|set)\s+by\s+(?:separate\s+)?letter\b|\b(?:rent|sum|amount|figure)\b[^.;]{0,40}\bas\s+the\s+parties\s+(?:shall\s+|may\s+|will\s+|have\s+|may\s+yet\s+)?(?:agree|fix|settle)\b
        |\b(?:over\s+and\s+above|on\s+top\s+of)\s+the\s+(?:sum|rent|amount)
        |\bbecomes?\s+(?:[A-Z]{2,3})?[$€£]|\bfor\s+a\s+further\s+(?:[A-Z]{2,3})?[$€£]
        |\b(?:mis-?print|slip\s+of\s+the\s+pen|typographical|corrected|erratum)\b|[\[(]\s*deleted\b
        |\bwould\s+(?:be|have\s+been)\s+the\s+(?:market|full|usual|list|ordinary)\b|\b(?:agreed|settled)\s+(?:up)?on\s+(?:\w+\s+){1,2}(?:of\s+it|less)\b",
    )
});

/// A part by which a figure is lowered, but for the bound of "not less than ...".
static LESS_A_SHARE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)(?P<bound>\b(?:not|no|nor|or)\s+)?\bless\s+(?:[a-z-]+\s+|\d[\d.]*\s?){1,2}(?:\(\d[\d.]*\s?%\)\s*)?(?:per\s?cent|%)",
    )
});

/// Words that name a payment and its period before a figure.
static NAMED_PAYMENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?P<period>monthly|quarterly|annual|yearly)\s+(?:(?:base|basic|minimum|fixed|equal)\s+)?(?:install?ments?|payments?|sums?|amounts?|rent(?:al)?)\b[^$€£;.\d\t]{0,50}$",
    )
});

/// Words that make a payment another charge, or the rent of another time.
static OTHER_PAYMENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:additional|percentage|estimated|operating|tax(?:es)?|insurance|deposit|late|parking|storage|utilit\w+|option\w*|renew\w*|extension|extended|thereafter|increas\w*|escalat\w*|adjust\w*|holdover|holding|years?\s+(?:two|three|four|five|\d)|(?:second|third|fourth|fifth|following|next|each|subsequent|succeeding|remaining)\s+(?:\w+\s+)?(?:year|month|period)|months?\s+\d|commencing|beginning|from\s+and\s+after|through|abat\w*|prorat\w*|partial|first\s+(?:full\s+)?(?:calendar\s+)?month|improvement\w*|amorti[sz]\w*)\b",
    )
});

/// Whether the rest of its section makes a rent another, or may.
pub fn changes_rent(reading: &Reading<'_>, rent: &Candidate<Figures>) -> bool {
    let section = section_around(reading, &rent.range);
    // With the breaks of lines and cells: what a heading names is not named by the words before a figure.
    let words = reading.text.lined().get(section).unwrap_or_default();
    if CHANGES_A_RENT.is_match(words)
        || LESS_A_SHARE.captures_iter(words).any(|found| found.name("bound").is_none())
    {
        return true;
    }
    let amounts = money::find(words, reading.dollar.currency());
    if is_in_brackets(words, &amounts, &rent.value) {
        return true;
    }
    let is_in_figures = |spelled: Decimal| {
        amounts.iter().any(|amount| amount.amount.trunc() == spelled) || holds_digits(words, spelled)
    };
    if money::spelled(words)
        .into_iter()
        .any(|spelled| spelled >= Decimal::from(RENT_MIN_UNITS) && !is_in_figures(spelled))
    {
        return true;
    }
    is_a_part(reading, rent) || amounts.iter().any(|amount| is_another_payment(words, amount, &rent.value))
}

/// A line that sums those above it.
static TOTAL_LINE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^\W*(?:grand\s+|combined\s+)?total\b"));

/// A part of premises by its use or its floor.
static PART_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:main|office|warehouse|retail|patio|mezzanine|basement|yard|outparcel|annex|kitchen|\d(?:st|nd|rd|th))\b",
    )
});

/// Two spaces in the heading of a table.
static SPACE_COLUMNS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:suite|unit|floor|building|space|store|shop)\s+\w{1,6}\b[^\n]*(?:\s{2,}|\t)[^\n]*\b(?:suite|unit|floor|building|space|store|shop)\s+\w{1,6}\b",
    )
});

/// Whether the figure stands for a part of the premises or of the term: its table tells the last step first, or other
/// lines of it are other spaces, sum the figure with another one, or stand under the names of two.
fn is_a_part(reading: &Reading<'_>, rent: &Candidate<Figures>) -> bool {
    let lined = reading.text.lined();
    let own = line_of(reading, rent);
    let from = reading.text.before(own.start, TABLE_REACH_BYTES).len();
    let to = reading.text.after(own.end, TABLE_REACH_BYTES).len();
    let table = lined.get(own.start - from..own.end + to).unwrap_or_default();
    let own_line = lined.get(own).unwrap_or_default();
    let figure = rent.value.rent.amount;
    let lines: Vec<(&str, Vec<FoundAmount>)> = table
        .lines()
        .filter(|line| line.len() <= TABLE_LINE_MAX_BYTES)
        .map(|line| (line, money::find(line, reading.dollar.currency())))
        .filter(|(_, amounts)| amounts.iter().any(|amount| !amount.is_rate))
        .collect();
    let others = || lines.iter().filter(|(line, _)| *line != own_line);
    let is_known = |amount: &FoundAmount| {
        amount.amount == figure || (amount.amount - rent.value.yearly).abs() <= Decimal::from(12)
    };
    let is_space = |line: &str| SPACE_LABEL.is_match(line) || PART_LABEL.is_match(line);
    let other_space = is_space(own_line) && others().any(|(line, _)| is_space(line));
    let totalled = rent.value.later_yearly.is_empty()
        && others().any(|(line, amounts)| TOTAL_LINE.is_match(line) && !amounts.iter().any(is_known));
    let under_columns = table.lines().any(|line| SPACE_COLUMNS.is_match(line))
        && lines.iter().any(|(line, amounts)| *line == own_line && amounts.len() > 1);
    // A later line that is the sum of this figure and of another line's. A later step is none, though it may be the sum
    // of the first and of some other charge.
    let is_a_step = |amount: Decimal| {
        rent.value.later_yearly.iter().any(|later| {
            let near = |other: Decimal| (other - *later).abs() <= Decimal::from(12);
            near(amount) || amount.checked_mul(Decimal::from(12)).is_some_and(near)
        })
    };
    let amounts: Vec<Decimal> = others()
        .flat_map(|(_, amounts)| amounts)
        .filter(|amount| !amount.is_rate && !is_a_step(amount.amount))
        .map(|amount| amount.amount)
        .collect();
    let summed = [figure, rent.value.yearly].into_iter().any(|part| {
        amounts
            .iter()
            .any(|other| *other != part && *other > Decimal::ZERO && amounts.contains(&(part + *other)))
    });
    other_space || totalled || under_columns || summed || steps_run_backwards(table)
}

/// The line of a rent's figure. The passage may begin with the words of a line before; the table's line is that of the
/// figure.
pub fn line_of(reading: &Reading<'_>, rent: &Candidate<Figures>) -> Range<usize> {
    let in_passage = money::find(reading.text.slice(&rent.range), reading.dollar.currency());
    let figure_at = in_passage
        .iter()
        .find(|amount| amount.amount == rent.value.rent.amount)
        .map_or(rent.range.start, |amount| rent.range.start + amount.range.start);
    reading.text.line_at(figure_at)
}

/// Whether the steps around a figure are told the last first, so that the first that is read is not the first.
fn steps_run_backwards(words: &str) -> bool {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:(?P<year>years?)|(?P<month>months?))\s*\)?\s*(?P<number>\d{1,3})\b")
    });
    let numbers = |unit: &str| -> Vec<u32> {
        STEP.captures_iter(words)
            .filter(|found| found.name(unit).is_some())
            .filter_map(|found| found["number"].parse().ok())
            .collect()
    };
    // Bare numbers of years before their figures, in lines, or in the heading of the columns.
    static BARE_ROW: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?m)^[ \t]*(?P<number>\d{1,2})[ \t]+(?:[A-Z]{2,3})?[$€£]"));
    static BARE_COLUMNS: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\byears?[ \t]+(?P<first>\d{1,2})[ \t]+(?P<second>\d{1,2})\b"));
    let rows: Vec<u32> =
        BARE_ROW.captures_iter(words).filter_map(|found| found["number"].parse().ok()).collect();
    let number = |found: &regex::Captures<'_>, name: &str| found[name].parse::<u32>().unwrap_or_default();
    let columns = BARE_COLUMNS
        .captures(words)
        .map(|found| vec![number(&found, "first"), number(&found, "second")])
        .unwrap_or_default();
    [numbers("year"), numbers("month"), rows, columns]
        .iter()
        .any(|steps| matches!(steps[..], [first, second, ..] if second < first))
}

/// Whether a figure is named as a payment of the rent's, and is another than it.
fn is_another_payment(words: &str, amount: &FoundAmount, rent: &Figures) -> bool {
    if amount.is_rate || amount.amount < Decimal::from(RENT_MIN_UNITS) {
        return false;
    }
    let floor = super::text::floor_boundary(words, amount.range.start.saturating_sub(PERIOD_REACH_BYTES));
    let before = &words[floor..amount.range.start];
    let Some(named) = NAMED_PAYMENT.captures(before) else { return false };
    let periods = match &named["period"].to_lowercase()[..] {
        "monthly" => 12,
        "quarterly" => 4,
        _ => 1,
    };
    let Some(yearly) = amount.amount.checked_mul(Decimal::from(periods)) else { return true };
    let near = |other: Decimal| (other - yearly).abs() <= Decimal::from(periods);
    // Either figure of a pair may stand under the name of the other: "annual rent of ..., in monthly payments of ...".
    let is_known = near(rent.yearly)
        || rent.later_yearly.iter().copied().any(near)
        || (amount.amount - rent.yearly).abs() <= Decimal::ONE
        || (amount.amount - rent.rent.amount).abs() <= Decimal::ONE;
    let ceiling = super::text::floor_boundary(words, amount.range.end + PERIOD_REACH_BYTES);
    let sentence_start = words[..amount.range.start].rfind(". ").map_or(0, |at| at + 1);
    let around = words[sentence_start..ceiling].split(". ").next().unwrap_or_default();
    !is_known && !OTHER_PAYMENT.is_match(around)
}

/// Whether the rent's figure stands in square brackets, as a proposal or as a deletion does.
fn is_in_brackets(words: &str, amounts: &[FoundAmount], rent: &Figures) -> bool {
    amounts.iter().filter(|amount| amount.amount == rent.rent.amount).any(|amount| {
        let opened = words[..amount.range.start].rfind('[');
        let closed = words[..amount.range.start].rfind(']');
        let closes = words[amount.range.end..].find(']');
        let opens = words[amount.range.end..].find('[');
        opened > closed && closes.is_some_and(|at| opens.is_none_or(|open| at < open))
    })
}

fn holds_digits(words: &str, number: Decimal) -> bool {
    words
        .split(|character: char| !character.is_ascii_digit() && character != ',')
        .any(|digits| money::figures(digits.trim_matches(',')) == Some(number))
}

/// Words by which a term runs on, or has another end, by a sentence beside the one that names its dates.
static RUNS_ON: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bso\s+that\s+the\s+(?:lease\s+)?term\s+(?:then\s+|now\s+)?(?:ends?|expires?|begins?|starts?|commences?|runs?)\b|\b(?:ends?|expires?|begins?|starts?|commences?)\s+(?:[a-z]+|\d{1,2})\s+(?:\(\d{1,2}\)\s+)?(?:years?|months?|weeks?|days?)\s+(?:later|earlier|sooner)\b|\b(?:mis-?print|slip\s+of\s+the\s+pen|typographical|erratum)\b|\binclusive\s+of\s+the\s+(?:option|renewal|extension)|,\s+extended\s+by\b|\bplus\s+(?:such|a|the)\s+number\s+of\s+(?:months|days)\b|\bfirst\s+of\s+(?:two|three|four|several)\b|\bnot\s+(?:itself\s+)?(?:a\s+)?part\s+of\s+the\s+term\b|\bexclusive\s+of\s+(?:that|such|the\s+last)\s+day\b",
    )
});

/// Words by which the whole lease waits for an event.
static NOT_YET: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:this|the)\s+(?:lease|sublease|agreement|tenancy|term)\s+(?:does|do|shall|will)\s+not\s+(?:take\s+effect|come\s+into\s+(?:force|effect|operation)|(?:begin|start|commence)\s+to\s+run)\b[^.;]{0,120}\b(?:until|unless|before)\b",
    )
});

/// A lease that binds when it is signed, as all do.
static ONCE_SIGNED: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:execut\w*|sign(?:s|ed|ing|ature\w*)?|deliver\w*)\b"));

/// Whether the rest of its section makes a date of the term another.
pub fn changes_term(reading: &Reading<'_>, date: &Candidate<Date>) -> bool {
    RUNS_ON.is_match(reading.text.slice(&section_around(reading, &date.range)))
}

/// Whether the whole lease waits for an event.
pub fn lease_waits(reading: &Reading<'_>) -> bool {
    NOT_YET.find_iter(reading.flow()).any(|found| {
        let sentence = reading.text.sentence_around(&found.range(), SENTENCE_REACH_BYTES);
        !ONCE_SIGNED.is_match(reading.text.slice(&sentence))
    })
}

/// Whether a term that begins on a day is one that a lease of another day can grant.
pub fn fits_execution(start: Date, executed: Date) -> bool {
    let days = (start - executed).get_days();
    (-BEGUN_BEFORE_MAX_DAYS..=BEGINS_AFTER_MAX_DAYS).contains(&days)
}

/// The section that holds a passage, as far as it is looked through.
fn section_around(reading: &Reading<'_>, range: &Range<usize>) -> Range<usize> {
    let section = reading.section_at(range.start);
    let start = section.start.max(range.start.saturating_sub(SECTION_REACH_BYTES));
    let end = section.end.max(range.end).min(range.end + SECTION_REACH_BYTES);
    let lined = reading.text.lined();
    super::text::floor_boundary(lined, start)..super::text::floor_boundary(lined, end)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::extract::tests::reading_of;
    use crate::lease::{BaseRent, Currency, RentPeriod};

    /// The rent of the tables below, as a rule would propose it from its sentence.
    const STATED: &str = "3. Base Rent. Tenant shall pay base rent of $5,250.00 per month.";

    fn proposed(text: &str) -> Candidate<Figures> {
        let rent =
            BaseRent { amount: Decimal::from(5_250), period: RentPeriod::Monthly, currency: Currency::USD };
        let at = text.find("$5,250.00").expect("the test's own rent");
        Candidate {
            value: Figures::of(rent),
            confidence: crate::posting::Confidence::percent(90),
            range: at..at + "$5,250.00 per month".len(),
            rule: "test",
        }
    }

    #[test]
    fn the_rest_of_its_section_may_make_a_rent_another() {
        let rows = [
            ("", false),
            (" Rent for a partial month is prorated on a thirty-day basis.", false),
            (" It is paid in advance, not less than five percent of which is for taxes.", false),
            (" Late rent bears a charge of five hundred dollars ($500.00).", false),
            (" Five thousand two hundred fifty dollars are due on signing.", false),
            (" The annual rent is $63,000.00.", false),
            (" Quarterly payments of $15,750.00 are welcome.", false),
            (" The monthly installment for parking is $120.00.", false),
            (" The monthly installment thereafter is $5,500.00.", false),
            (" The monthly installment is $5,520.00.", true),
            (" The annual rent is $66,240.00.", true),
            (" Since Tenant takes both halves, this sum is due twice.", true),
            (" Landlord takes only half of it.", true),
            (" In the first year it is two thirds of that.", true),
            (" It is doubled in May.", true),
            (" This sum is doubled.", true),
            (" A month is four weeks, thirteen in the year.", true),
            (" The figure is in 2010 dollars.", true),
            (" It is reduced, less five percent for the elevator.", true),
            (" The sum is five thousand nine hundred fifty dollars.", true),
            (" The rent is as the parties agree.", true),
            (" It is paid at such place as the parties may agree.", false),
            (" It becomes $5,900.00 today.", true),
            (" It is due over and above the sum now paid.", true),
            (
                "\n4. Parking. Tenant pays half of that for a second car. The monthly payment is $90.00.",
                false,
            ),
            ("\n* Corrected by hand to five thousand nine hundred dollars.", true),
        ];
        for (behind, expected) in rows {
            let text = format!("{STATED}{behind}");
            let found = reading_of(&text, |reading| changes_rent(reading, &proposed(&text)));
            assert_eq!(found, expected, "{behind}");
        }
        let rows = [
            ("3. Rent. Tenant pays [$5,250.00 per month].", true),
            ("3. Rent. Tenant pays [deleted: $5,250.00 per month] as is.", true),
            ("3. Rent [see exhibit]. Tenant pays $5,250.00 per month [in advance].", false),
            ("3. Rent. Tenant pays (say $5,250.00 per month) six thousand dollars.", true),
            ("Base Rent\nSuite 200\t$5,250.00 per month\nSuite 210\t$1,500.00 per month", true),
            ("Base Rent\tYear 5\tYear 1\nBase Rent\t$5,250.00 per month\t$4,500.00", true),
            ("Months 13-60: $5,250.00 per month\nMonths 1-12: $4,500.00 per month", true),
            ("Lease Year\tMonthly Base Rent\n5\t$5,250.00 per month\n4\t$4,950.00", true),
            ("Lease Year\t3\t2\t1\nMonthly Base Rent\t$5,250.00 per month\t$4,650.00\t$4,500.00", true),
            ("Months 1-12: $5,250.00 per month\nMonths 13-60: $5,500.00 per month", false),
            ("Rent\nOffice (1,800 sf)\t$5,250.00 per month\nWarehouse\t$2,500.00", true),
            ("Base Rent\nA\t$5,250.00 per month\nB\t$3,000.00\nTotal\t$8,250.00", true),
            ("Base Rent\nSuite 200\tSuite 210\n$5,250.00 per month\t$1,500.00", true),
            ("Office\t$5,250.00 per month\nYard\t$1,000.00\nBasic Rent\t$6,250.00", true),
            ("Base Rent\nSuite 200\t$5,250.00 per month\nSecurity deposit\t$1,500.00", false),
            ("Base Rent\t$5,250.00 per month\nTotal for the year\t$63,000.00", false),
        ];
        for (text, expected) in rows {
            assert_eq!(
                reading_of(text, |reading| changes_rent(reading, &proposed(text))),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn the_rest_of_its_section_may_make_a_date_another() {
        let stated = "2. Term. The term commences on June 1, 2020 and ends on May 31, 2025.";
        let rows = [
            ("", false),
            (" Tenant may extend it for five years.", false),
            (" Tenant extends it by signing here, so that the term ends five years later.", true),
            (" It ends three months later.", true),
            (" \"2025\" is a slip of the pen.", true),
            ("\n8. Permit. This Lease does not take effect until the city permits the use.", true),
            ("\n8. Effect. This Lease shall not take effect until it is signed by both parties.", false),
        ];
        for (behind, expected) in rows {
            let text = format!("{stated}{behind}");
            let at = text.find("June").expect("the test's own date");
            let day = Candidate {
                value: date(2020, 6, 1),
                confidence: crate::posting::Confidence::percent(90),
                range: at..at + "June 1, 2020".len(),
                rule: "test",
            };
            let found = reading_of(&text, |reading| changes_term(reading, &day) || lease_waits(reading));
            assert_eq!(found, expected, "{behind}");
        }
    }

    #[test]
    fn a_term_begins_near_the_day_on_which_the_lease_is_made() {
        let rows = [
            (date(2020, 6, 1), true),
            (date(2019, 6, 1), true),
            (date(2002, 6, 1), false),
            (date(2024, 6, 1), true),
            (date(2029, 6, 1), false),
        ];
        for (start, expected) in rows {
            assert_eq!(fits_execution(start, date(2020, 5, 1)), expected, "{start}");
        }
    }
}
