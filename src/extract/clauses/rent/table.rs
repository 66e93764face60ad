//! Rows of rent tables.

use crate::extract::clauses::{Candidate, Reading, rules};
use crate::extract::dates;
use crate::extract::money::{self, FoundAmount, WordsBeside};
use crate::lease::{
    BaseRent, Currency, DocumentKind, NAME_MAX_CHARS, RENT_STEPS_MAX_COUNT, RentPeriod, bounded,
};
use crate::posting::Confidence;
use jiff::civil::Date;
use regex::Regex;
use rust_decimal::Decimal;
use std::ops::Range;
use std::sync::LazyLock;

use super::words::{
    ANNUAL_BEHIND, BASE_RENT, MONTHLY_BEHIND, NEVER_PAID, OTHER_TABLE, PERIOD_LABEL, RENT, expression,
    is_other_section, without_granted_term,
};
use super::{
    Figures, OTHER_CHARGE_LIMIT, PARTLY_ABATED_LIMIT, RENT_MIN_UNITS, ROW_MAX_BYTES, twelve_apart, yearly,
};

/// How far before a table its heading may stand, in bytes.
const HEADING_REACH_BYTES: usize = 700;

/// Most lines between two rows of one table.
const ROW_GAP_LINES: usize = 3;

/// Most areas of the document against which rates are checked.
const AREAS_MAX_COUNT: usize = 200;

/// The most for a table that stands under words of rent, but not of base rent.
const SOME_RENT_LIMIT: Confidence = Confidence::percent(86);

/// The most for a table under no word of rent.
const NO_RENT_LIMIT: Confidence = Confidence::percent(50);

/// The most for rows some of which name no period of time: they are parts of the premises.
const NO_PERIOD_LIMIT: Confidence = Confidence::percent(60);

/// How far before a table its column headings may stand, in bytes.
const COLUMNS_REACH_BYTES: usize = 260;

/// Most amounts in a row of a table.
const ROW_AMOUNTS_MAX_COUNT: usize = 6;

/// Months of a first year that may be free: a step that begins behind it is not the first.
const MONTHS_IN_FIRST_YEAR: u32 = 12;

/// Longest label of a row with one figure, in characters.
const ROW_LABEL_MAX_CHARS: usize = 60;

/// How far behind a row its total may stand, in bytes.
const TOTAL_REACH_BYTES: usize = 300;

/// A row with the total of those above it.
static TOTAL_BELOW: LazyLock<Regex> = LazyLock::new(|| expression(r"(?im)^\s*(?:grand\s+)?total\b[^\n]*\d"));

/// Month ranges in two columns: "1 | 12 | 20,175 | ...".
static MONTH_COLUMNS: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^\s*\d{1,3}[\s\t]+\d{1,3}\b|^\s*\d{1,2}(?:\s*(?:,|,?\s*and|&)\s*\d{1,2})*\s*$")
});

/// A row that is of a part of the premises, whatever number stands behind it.
pub(in crate::extract) static SPACE_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:suites?|units?|floors?|buildings?|spaces?|stores?|shops?|premises|rooms?|lots?|bays?|parcels?|phases?|\d(?:st|nd|rd|th)\s+floor|(?:ground|upper|lower|first|second|third)\s+floor)\b",
    )
});

/// A range of months without the word, as a column of months has them: "13 - 24".
static MONTH_RANGE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^(?P<first>\d{1,3})\s*(?:-|\u{2013}|to|through)\s*\d{1,3}$"));

/// The number of the month or year with which a step begins: "Months 13-24", "Lease Year 2".
static STEP_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?P<unit>months?|years?)\s*(?:no\.?\s*|#\s*)?(?P<number>\d{1,3})\b"));

/// A rate for a month, in the headings of a table.
static RATE_OF_A_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:foot|feet|ft|sf|rsf|psf|met(?:er|re)s?|m2)\b\.?\s*(?:per|/|a)\s*(?:calendar\s+)?mo|\bmonthly\s+(?:[a-z]+\s+){0,2}rate\b|\bper\s+month\s+per\s+(?:square|rentable|sq)",
    )
});

/// Areas that the document states.
static AREA: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?P<size>\d{1,3}(?:,\d{3})+|\d{3,6})\s+(?:[a-z]+\s+){0,3}(?:square\s+f(?:ee|oo)t|sq\.?\s*ft|rsf\b|sf\b)",
    )
});

/// A row of a table that states a rent.
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) range: Range<usize>,
    pub(super) label: String,
    pub(super) rent: BaseRent,
    pub(super) rule: rules::Rule,
    pub(super) first_day: Option<Date>,
    pub(super) last_day: Option<Date>,
    /// Whether its own words make it another charge.
    pub(super) is_other: bool,
    /// First day of a step without rent that stands directly before it.
    pub(super) free_from: Option<Date>,
    /// Whether a row whose figures cannot be read stands directly before it.
    pub(super) follows_a_broken_one: bool,
}

impl Row {
    fn names_a_period(&self) -> bool {
        if SPACE_LABEL.is_match(&self.label) {
            return false;
        }
        self.first_day.is_some() || PERIOD_LABEL.is_match(&self.label) || MONTH_COLUMNS.is_match(&self.label)
    }
}

/// Rows that state a rent, gathered into tables.
pub(super) fn tables(reading: &Reading<'_>, amounts: &[FoundAmount]) -> Vec<Vec<Row>> {
    let lined = reading.text.lined().get(..reading.scope.end).unwrap_or_default();
    let areas = areas(reading.flow());
    let mut tables: Vec<Vec<Row>> = Vec::new();
    let mut start = 0;
    let mut next = 0;
    let mut free_from: Option<(usize, Date)> = None;
    let mut broken: Option<usize> = None;
    for (line, content) in lined.split('\n').enumerate() {
        let range = start..start + content.len();
        start = range.end + 1;
        while amounts.get(next).is_some_and(|amount| amount.range.start < range.start) {
            next += 1;
        }
        let in_line: Vec<&FoundAmount> =
            amounts[next..].iter().take_while(|amount| amount.range.end <= range.end).collect();
        if let Some(first_day) = free_row(reading, &range, content, &in_line) {
            free_from = Some((line, first_day));
            continue;
        }
        let Some(mut row) = row(reading, &areas, line, &range, content, &in_line) else {
            if PERIOD_LABEL.is_match(content)
                && in_line.iter().any(|amount| amount.words == WordsBeside::Differ)
            {
                broken = Some(line);
            }
            continue;
        };
        row.follows_a_broken_one = broken.is_some_and(|broken| line - broken <= ROW_GAP_LINES);
        row.free_from = free_from
            .filter(|(free, first_day)| line - free <= ROW_GAP_LINES && row.first_day > Some(*first_day))
            .map(|(_, first_day)| first_day);
        match tables.last_mut() {
            Some(table)
                if table.last().is_some_and(|last| {
                    line - last.line <= ROW_GAP_LINES && last.is_other == row.is_other
                }) =>
            {
                table.push(row)
            }
            _ => tables.push(vec![row]),
        }
    }
    tables
}

/// The first day of a row whose figures are all zero.
fn free_row(
    reading: &Reading<'_>,
    range: &Range<usize>,
    content: &str,
    in_line: &[&FoundAmount],
) -> Option<Date> {
    let first = in_line.first()?;
    let label = content.get(..first.range.start.saturating_sub(range.start))?;
    let days = dates::find(label, reading.date_order);
    let day = days.first().filter(|day| !day.ambiguous)?;
    in_line.iter().all(|amount| amount.amount.is_zero()).then_some(day.date)
}

/// A line with a monthly and an annual figure that are twelve apart, a figure that is its rate times an area, or one
/// figure under a heading that says its period.
fn row(
    reading: &Reading<'_>,
    areas: &[Decimal],
    line: usize,
    range: &Range<usize>,
    content: &str,
    in_line: &[&FoundAmount],
) -> Option<Row> {
    let amounts: Vec<&&FoundAmount> =
        in_line.iter().filter(|amount| !amount.is_rate && amount.words != WordsBeside::Differ).collect();
    if amounts.is_empty() || amounts.len() > ROW_AMOUNTS_MAX_COUNT || content.len() > ROW_MAX_BYTES {
        return None;
    }
    let first_amount = in_line.first()?.range.start;
    let label = content.get(..first_amount.saturating_sub(range.start)).unwrap_or_default();
    if label.trim_start().to_lowercase().starts_with("total") {
        return None;
    }
    let days = dates::find(label, reading.date_order);
    let unambiguous: Vec<Date> = days.iter().filter(|day| !day.ambiguous).map(|day| day.date).collect();
    let (first_day, last_day) = match unambiguous[..] {
        [first, last] if first < last => (Some(first), Some(last)),
        [first] => (Some(first), None),
        _ => (None, None),
    };
    let of = |rent: BaseRent, rule: rules::Rule| Row {
        line,
        range: range.clone(),
        label: bounded(label.trim().trim_end_matches(['\t', ':', '-', '\u{2013}']), NAME_MAX_CHARS.min(64)),
        rent,
        rule,
        first_day,
        last_day,
        is_other: OTHER_TABLE.is_match(label),
        free_from: None,
        follows_a_broken_one: false,
    };
    for (index, one) in amounts.iter().enumerate() {
        for other in &amounts[index + 1..] {
            if let Some(rent) = twelve_apart(one, other) {
                return Some(of(rent, rules::TABLE_TWELVE_APART));
            }
        }
    }
    // The arithmetic below takes a rate for one of a year.
    let headings = reading.text.before(range.start, COLUMNS_REACH_BYTES);
    if let [rate, amount] = in_line
        && label.chars().count() <= ROW_LABEL_MAX_CHARS
        && !RATE_OF_A_MONTH.is_match(headings)
        && let Some(rent) = rate_times_area(areas, rate, amount)
    {
        return Some(of(rent, rules::TABLE_RATE_TIMES_AREA));
    }
    let named = of(
        BaseRent { amount: Decimal::ONE, period: RentPeriod::Monthly, currency: Currency::USD },
        rules::TABLE_WITH_PERIOD,
    );
    let [amount] = amounts[..] else { return None };
    // A line of running text names many things; a row begins with its period.
    let trimmed = label.trim_end();
    if in_line.len() > 2
        || label.chars().count() > ROW_LABEL_MAX_CHARS
        || (trimmed.len() < label.len()
            && label.ends_with(' ')
            && trimmed.ends_with(|c: char| c.is_lowercase()))
    {
        return None;
    }
    let rent = named.names_a_period().then(|| rent_of_column(reading, range, content, amount))??;
    Some(of(rent, rules::TABLE_WITH_PERIOD))
}

/// The rent, when the one figure of a row has its period behind it or in the headings of the columns.
fn rent_of_column(
    reading: &Reading<'_>,
    range: &Range<usize>,
    content: &str,
    amount: &FoundAmount,
) -> Option<BaseRent> {
    // A rate's period is not the figure's.
    static RATE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:annual\w*|monthly)\s+(?:[a-z]+\s+){0,2}rate\b|(?:per|/)\s*(?:rsf|sf|sq\w*\.?\s*f\w*\.?|rentable\s+square\s+foot)(?:\s+per\s+(?:annum|year|month))?",
        )
    });
    static MONTH_COLUMN: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:monthly|per\s+(?:calendar\s+)?month|each\s+month)\b|/\s?mo(?:nth)?\b")
    });
    static YEAR_COLUMN: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:annual|yearly|annually|per\s+(?:annum|year))\b"));
    let currency = amount.currency?;
    let behind = reading.text.slice(&(amount.range.end..range.end));
    let period = if MONTHLY_BEHIND.is_match(behind) {
        RentPeriod::Monthly
    } else if ANNUAL_BEHIND.is_match(behind) {
        RentPeriod::Annual
    } else {
        if content.len() > 120 || behind.trim().chars().any(char::is_alphanumeric) {
            return None;
        }
        // The headings of the columns are the last lines without a figure.
        let before = reading.text.before(range.start, COLUMNS_REACH_BYTES);
        let first_figure = money::find(before, reading.dollar.currency())
            .first()
            .map_or(before.len(), |figure| figure.range.start);
        let columns = RATE.replace_all(&before[..first_figure], " ");
        let columns = columns.rsplit(['.', ':']).next().unwrap_or_default();
        match (MONTH_COLUMN.is_match(columns), YEAR_COLUMN.is_match(columns)) {
            (true, false) => RentPeriod::Monthly,
            (false, true) => RentPeriod::Annual,
            _ => return None,
        }
    };
    let minimum = if period == RentPeriod::Monthly { RENT_MIN_UNITS } else { 12 * RENT_MIN_UNITS };
    (amount.amount >= Decimal::from(minimum)).then_some(BaseRent { amount: amount.amount, period, currency })
}

/// The rent, when it is a rate for a year times an area that the document states, or a twelfth of that.
fn rate_times_area(areas: &[Decimal], rate: &FoundAmount, amount: &FoundAmount) -> Option<BaseRent> {
    let currency = amount.currency?;
    let is_plain = amount.words != WordsBeside::Differ && !amount.is_rate && rate.currency == Some(currency);
    if !is_plain
        || rate.amount >= Decimal::from(RENT_MIN_UNITS)
        || amount.amount < Decimal::from(RENT_MIN_UNITS)
    {
        return None;
    }
    let mut periods = areas.iter().filter_map(|area| {
        let annual = area.checked_mul(rate.amount)?;
        let monthly = annual.checked_div(Decimal::from(12))?;
        if (annual - amount.amount).abs() <= Decimal::ONE {
            Some(RentPeriod::Annual)
        } else if (monthly - amount.amount).abs() <= Decimal::ONE {
            Some(RentPeriod::Monthly)
        } else {
            None
        }
    });
    let period = periods.next()?;
    periods.all(|other| other == period).then_some(BaseRent { amount: amount.amount, period, currency })
}

/// The areas that the document states.
fn areas(flow: &str) -> Vec<Decimal> {
    let mut areas: Vec<Decimal> = AREA
        .captures_iter(flow)
        .filter_map(|captures| money::figures(captures.name("size")?.as_str()))
        .take(AREAS_MAX_COUNT)
        .collect();
    areas.sort();
    areas.dedup();
    areas
}

pub(super) fn from_table(
    reading: &Reading<'_>,
    table: &[Row],
    kind: DocumentKind,
) -> Option<Candidate<Figures>> {
    let first = table.first()?;
    let text = reading.text;
    let heading = text.before(first.range.start, HEADING_REACH_BYTES);
    let row_text = text.slice(&first.range);
    // The nearest words about rent say which rent the table is of.
    let anchor = BASE_RENT.find_iter(heading).last();
    let in_row = BASE_RENT.is_match(row_text);
    let rule = table.iter().map(|row| row.rule).min_by_key(|rule| rule.percent).unwrap_or(first.rule);
    let limit = match (&anchor, in_row) {
        (Some(_), _) | (_, true) => Confidence::ONE,
        (None, false) if RENT.is_match(heading) || RENT.is_match(&first.label) => SOME_RENT_LIMIT,
        _ => NO_RENT_LIMIT,
    };
    let mut confidence = rule.confidence().min(limit);
    let near = anchor.map_or(heading, |anchor| {
        let floor = crate::extract::text::floor_boundary(heading, anchor.start().saturating_sub(120));
        let at = first.range.start.saturating_sub(heading.len());
        let lines = text.lined().get(at + floor..at + anchor.start()).unwrap_or_default();
        &heading[floor + end_of_last_field(lines)..]
    });
    let elsewhere = is_other_section(reading.heading_at(first.range.start));
    if elsewhere
        || OTHER_TABLE.is_match(&without_granted_term(near, kind))
        || OTHER_TABLE.is_match(row_text)
        || NEVER_PAID.is_match(row_text)
    {
        confidence = confidence.min(OTHER_CHARGE_LIMIT);
    }
    let below = text.lined().get(first.range.end..).unwrap_or_default();
    let below = &below[..crate::extract::text::floor_boundary(below, TOTAL_REACH_BYTES)];
    // Rows without a period of time are parts of the premises, not steps of the rent; so is a row above a total.
    let is_part = !first.names_a_period() && TOTAL_BELOW.is_match(below);
    if is_part || table.len() > 1 && !table.iter().all(Row::names_a_period) {
        confidence = confidence.min(NO_PERIOD_LIMIT);
    }
    if begins_with_a_later_step(table) {
        confidence = confidence.min(NO_PERIOD_LIMIT);
    }
    if let Some(second) = table.get(1)
        && first.rent.amount * Decimal::from(3) < second.rent.amount * Decimal::from(2)
    {
        confidence = confidence.min(PARTLY_ABATED_LIMIT);
    }
    let mut figures = Figures::of(first.rent);
    figures.first_day = first.first_day;
    figures.free_from = first.free_from;
    figures.last_day = table.last().and_then(|last| last.last_day);
    figures.later_yearly =
        table.iter().skip(1).take(RENT_STEPS_MAX_COUNT).map(|row| yearly(&row.rent)).collect();
    Some(Candidate { value: figures, confidence, range: first.range.clone(), rule: rule.name })
}

/// The end of the last line that is a field with its value: it speaks of itself, and not of what stands below it.
fn end_of_last_field(lines: &str) -> usize {
    static FIELD: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?m)^[^\n\t:.]{2,40}(?:\t|:[ \t]+)[^\n\t]*[^\s:][ \t]*\n"));
    FIELD.find_iter(lines).last().map_or(0, |field| field.end())
}

/// Whether the first row of a table is not that of the first step: an earlier one stands below it, or was not read.
fn begins_with_a_later_step(table: &[Row]) -> bool {
    let number = |row: &Row| -> Option<(u32, bool)> {
        if let Ok(bare) = row.label.trim().parse() {
            return Some((bare, true));
        }
        // "49-60" counts months, as its column says.
        if let Some(found) = MONTH_RANGE.captures(row.label.trim()) {
            return Some((found["first"].parse().ok()?, false));
        }
        let found = STEP_NUMBER.captures(&row.label)?;
        Some((found["number"].parse().ok()?, found["unit"].to_lowercase().starts_with('y')))
    };
    let Some(first) = table.first() else { return false };
    if first.follows_a_broken_one {
        return true;
    }
    let by_day =
        table.iter().any(|row| row.first_day.zip(first.first_day).is_some_and(|(row, first)| row < first));
    let by_number = number(first).is_some_and(|(first, is_year)| {
        let is_missing = if is_year { first > 1 } else { first > MONTHS_IN_FIRST_YEAR };
        is_missing || table.iter().filter_map(number).any(|(row, _)| row < first)
    });
    by_day || by_number
}
