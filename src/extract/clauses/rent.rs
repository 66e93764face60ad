//! Base rent: rows of rent tables, and amounts with a period in running text.
//!
//! The best single check is arithmetic: an annual figure that is twelve times a monthly one beside it
//! proves both and their periods. Without it a figure counts only with its own period next to it.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use rust_decimal::Decimal;

use crate::extract::dates;
use crate::extract::money::{self, FoundAmount, WordsBeside};
use crate::lease::{
    BaseRent, Currency, DocumentKind, NAME_MAX_CHARS, RENT_STEPS_MAX_COUNT, RentPeriod, RentStep, bounded,
};
use crate::posting::Confidence;

use super::{CANDIDATES_MAX_COUNT, Candidate, Reading, rules};

/// Smallest monthly figure that counts as a rent, in units of the currency: rates for an area are smaller, and
/// they too are twelve times each other.
const RENT_MIN_UNITS: i64 = 100;
/// How far before a table its heading may stand, in bytes.
const HEADING_REACH_BYTES: usize = 700;
/// Most lines between two rows of one table.
const ROW_GAP_LINES: usize = 3;
/// How far before an amount in running text the words that make it rent may stand, in bytes.
const ANCHOR_REACH_BYTES: usize = 260;
/// How far apart the steps of a rent in running text may stand, in bytes.
const STEP_REACH_BYTES: usize = 700;
/// The most for a first step far below the next: a rent that is partly abated, and not the first full one.
const PARTLY_ABATED_LIMIT: Confidence = Confidence::percent(75);
/// Most areas of the document against which rates are checked.
const AREAS_MAX_COUNT: usize = 200;
/// The most for a table that stands under words of rent, but not of base rent.
const SOME_RENT_LIMIT: Confidence = Confidence::percent(86);
/// The same for figures of running text.
const SOME_RENT_TEXT_LIMIT: Confidence = Confidence::percent(86);
/// The most for a table under no word of rent.
const NO_RENT_LIMIT: Confidence = Confidence::percent(50);
/// The most for rows some of which name no period of time: they are parts of the premises.
const NO_PERIOD_LIMIT: Confidence = Confidence::percent(60);
/// The most for two figures side by side that should be a year's and a month's and are not.
const CONTRADICTED_LIMIT: Confidence = Confidence::percent(50);
/// How far before a table its column headings may stand, in bytes.
const COLUMNS_REACH_BYTES: usize = 260;
/// How far before its figure the passage of a rent begins at the most, in bytes.
const PASSAGE_REACH_BYTES: usize = 150;
/// Longest row of a table, in bytes; longer lines are running text.
const ROW_MAX_BYTES: usize = 400;
/// Most amounts in a row of a table.
const ROW_AMOUNTS_MAX_COUNT: usize = 6;
/// Longest label of a row with one figure, in characters.
const ROW_LABEL_MAX_CHARS: usize = 60;
/// How far before the words of rent those of another period may stand, in bytes.
const OTHER_PERIOD_REACH_BYTES: usize = 25;
/// Quarters in a year.
const QUARTERS: i64 = 4;
/// The most for a figure whose surroundings speak of another charge.
const OTHER_CHARGE_LIMIT: Confidence = Confidence::percent(45);

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a rule of the rent is a valid expression")
}

/// Words that make a passage one about the base rent.
static BASE_RENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:annual|monthly|yearly)\s+)?(?:base|basic|minimum|fixed|guaranteed|net|contractual)\s+(?:annual\s+|monthly\s+|yearly\s+)?rent(?:al)?s?\b|\b(?:annual|monthly|yearly)\s+(?:installments?\s+of\s+)?(?:base\s+|basic\s+|minimum\s+|fixed\s+)?rent(?:al)?s?\b",
    )
});

/// Words that make a figure in running text rent of some kind.
static RENT: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\brent(?:al)?s?\b"));

/// Words near a figure that make it another charge, or the rent of another time or space.
static OTHER_CHARGE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:abat\w*|additional\s+rent|estimated|estimate|options?|renewal|extension\s+(?:option|term)|holdover|holding\s+over|percentage|(?:greater|lesser|higher|lower)\s+of|gross\s+sales|late\s+(?:charge|fee)|deposit|parking|storage|signage|antenna|credit\w*|allowance|increas\w*|reduc\w*|tax(?:es)?|insurance|operating|maintenance|cam\b|common\s+area|default|liquidated|utilit\w+|janitor\w*|management\s+fee|fair\s+market|exceed\w*|example|administrative|temporary|amorti[sz]\w*|reimburs\w*|broker\w*|commission|improvement\w*|(?:master|prime|over|head|ground|existing|original)\s?-?lease|under\s+the\s+(?:\w+\s+)?lease|currently|presently|is\s+now|heretofore|previous\w*|prior|(?:may|right\s+to|elects?\s+to|privilege\s+of)\s+(?:extend|renew)|renewing)\b",
    )
});

/// Words near a table that make it another charge, or the rent of another time. An abatement is no such word:
/// many tables follow one.
static OTHER_TABLE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:additional\s+rent|estimated|options?|renewal|extension\s+(?:option|term)|holdover|holding\s+over|percentage\s+rent|deposit|parking|storage|signage|operating|common\s+area|utilit\w+|fair\s+market|example|temporary|amorti[sz]\w*|(?:master|existing|original|superior)\s+lease|under\s+the\s+(?:\w+\s+)?lease|currently|presently|is\s+now|previous\w*|renewing)\b",
    )
});

/// Headings of sections that speak of the rent of another time or space.
static OTHER_TIME_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:options?|renewal|holdover|holding over|right of first|rights? to (?:extend|renew)|expansion|sublet\w*|assignment)\b",
    )
});
/// Headings of sections that speak of another charge, unless they name the base rent too.
static OTHER_CHARGE_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:parking|storage|additional rent|operating|insurance|taxes|utilities|default|remedies|deposit|late|signs?|signage)\b",
    )
});

/// Words of the term that an amendment grants; in a lease they are those of an option.
static GRANTED_TERM: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:first|second|third|fourth)\s+)?(?:(?:extension|extended|renewal|renewed)\s+(?:term|period)|renewal|in\s+place\s+of\s+any\s+other\s+amount\s+in\s+the\s+existing\s+lease)\b",
    )
});

/// A passage without the words that name the granted term of an amendment.
fn without_granted_term(passage: &str, kind: DocumentKind) -> std::borrow::Cow<'_, str> {
    if kind == DocumentKind::Amendment { GRANTED_TERM.replace_all(passage, " ") } else { passage.into() }
}

fn is_other_section(heading: &str) -> bool {
    OTHER_TIME_SECTION.is_match(heading)
        || (OTHER_CHARGE_SECTION.is_match(heading) && !BASE_RENT.is_match(heading))
}

/// Month ranges in two columns: "1 | 12 | 20,175 | ...".
static MONTH_COLUMNS: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^\s*\d{1,3}[\s\t]+\d{1,3}\b|^\s*\d{1,2}(?:\s*(?:,|,?\s*and|&)\s*\d{1,2})*\s*$")
});

/// Areas that the document states.
static AREA: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?P<size>\d{1,3}(?:,\d{3})+|\d{3,6})\s+(?:[a-z]+\s+){0,3}(?:square\s+f(?:ee|oo)t|sq\.?\s*ft|rsf\b|sf\b)",
    )
});

/// Another period than a month or a year, which "annual" in "semi-annual" would hide.
static OTHER_PERIOD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:semi-?\s?annual\w*|bi-?\s?annual\w*|half-?\s?year\w*|quarter(?:ly|s)?|per\s+quarter|weekly|bi-?\s?monthly|semi-?\s?monthly|bi-?\s?weekly|per\s+week|daily|per\s+(?:day|diem)|six\s+months|three\s+months)\b",
    )
});
/// A rate for something other than the whole premises: "$50.00 per month per space".
static PER_PIECE: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)^[^.;$]{0,40}?\b(?:month|year|annum)\s+(?:per|for\s+each|for\s+every|each)\s+")
});
/// Words that make an amount paid each month a part of a yearly one.
static OF_A_YEAR: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:install?ments?|annual\w*|years?|yearly|total|aggregate|rent\s+for\s+the\s+(?:entire\s+|whole\s+|initial\s+)?term)\b",
    )
});

static MONTHLY_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:\([^)]{0,80}\)\s*)?(?:USD|EUR|dollars)?\s*,?\s*(?:per\s+(?:calendar\s+)?month|/\s?(?:month|mo\b)|a\s+month|monthly|each\s+(?:calendar\s+)?month|p\.?m\.?\b|for\s+each\s+(?:calendar\s+)?month)",
    )
});
static ANNUAL_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:\([^)]{0,80}\)\s*)?(?:USD|EUR|dollars)?\s*,?\s*(?:per\s+(?:annum|year|lease\s+year)|/\s?(?:year|yr|annum)|a\s+year|annually|each\s+(?:lease\s+)?year|p\.?a\.?\b)",
    )
});
static MONTHLY_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:monthly\s+(?:base\s+|basic\s+|minimum\s+|fixed\s+|net\s+)?(?:rent(?:al)?|install?ments?|payments?)|(?:base|basic|minimum|fixed)\s+monthly\s+rent(?:al)?)\b[^$€£;.]{0,110}$",
    )
});
static ANNUAL_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:annual|yearly)\s+(?:base\s+|basic\s+|minimum\s+|fixed\s+|net\s+)?rent(?:al)?|(?:base|basic|minimum|fixed)\s+annual\s+rent(?:al)?)\b[^$€£;.]{0,110}$",
    )
});
/// "The rent, on a yearly basis, is ...": the period stands apart from the figure.
static ON_A_BASIS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bon\s+an?\s+(?:(?P<month>monthly)|annual|yearly)\s+basis\s*,?\s*(?:is|amounts?\s+to|of|equal\s+to|shall\s+be)?[^$€£;.]{0,30}$",
    )
});
static QUARTERLY_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:\([^)]{0,80}\)\s*)?(?:per\s+(?:calendar\s+)?quarter|/\s?quarter|a\s+quarter|quarterly|each\s+(?:calendar\s+)?quarter)\b",
    )
});
/// What stands between the days of a step.
static UNTIL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\s*,?\s*(?:-|\u{2013}|\u{2014}|to|through|thru|until|till|and\s+(?:ending|continuing)(?:\s+\w+)?)(?:\s+and\s+including)?\s*$",
    )
});
/// Words of a term that may never be: its rent is not that of the lease.
static RENEWAL: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\b(?:renew(?:s|al|ing|ed)?|option\s+(?:to|term|period)|extension\s+term|may\s+extend)\b")
});
/// A document's own word for the rent that is meant here.
static NAMED_BASE_RENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:base|basic|minimum|fixed|guaranteed)\s+(?:annual\s+|monthly\s+)?rent(?:al)?s?\b|\bnet\s+rent(?:al)?\b",
    )
});

/// "... ($5,000.00), in advance, on or before the first day of each month" says that the amount is a month's.
static PAID_EACH_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?[^$€£;]{0,140}?\b(?:(?:of|for)\s+each\s+(?:and\s+every\s+)?(?:calendar\s+)?month|first\s+(?:day\s+)?of\s+each\s+month)\b",
    )
});

/// What a row of a rent table begins with: a period of time.
static PERIOD_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:months?|years?|lease\s+year|period|commencement|thereafter|through)\b|\d{1,2}/\d{1,2}/\d{2,4}|\b\d{1,3}\s*(?:-|\u{2013}|\u{2014}|to)\s*\d{1,3}\b|\b(?:19|20)\d{2}\b",
    )
});

/// The rent as found.
#[derive(Debug, Default)]
pub struct Rent {
    /// Rent of the first fully paid period.
    pub base: Vec<Candidate<Figures>>,
    /// The steps of the table from which the best of them comes.
    pub schedule: Vec<RentStep>,
}

/// Monthly and annual rent are one fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The rent as it is to be posted.
    pub rent: BaseRent,
    /// The same for twelve months, for comparing.
    pub yearly: Decimal,
    /// First day of the first step, where a table gives one.
    pub first_day: Option<Date>,
    /// First day of a step before it for which nothing is paid.
    pub free_from: Option<Date>,
    /// Last day of the last step, where a table gives one.
    pub last_day: Option<Date>,
    /// Amounts of the later steps, for twelve months: a figure elsewhere that equals one of them does not contradict.
    pub later_yearly: Vec<Decimal>,
}

impl Figures {
    /// Figures of a rent without a table around it.
    pub fn of(rent: BaseRent) -> Self {
        let yearly = yearly(&rent);
        Self { rent, yearly, first_day: None, free_from: None, last_day: None, later_yearly: Vec::new() }
    }

    /// Whether this is the same rent, to a unit for the rounding of twelfths.
    pub fn is_same_rent(&self, rent: &BaseRent) -> bool {
        self.rent.currency == rent.currency && (self.yearly - yearly(rent)).abs() <= Decimal::ONE
    }

    /// Whether two figures state the same rent, to a unit for the rounding of twelfths.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let near = |a: Decimal, b: Decimal| (a - b).abs() <= Decimal::ONE;
        self.rent.currency == other.rent.currency
            && (near(self.yearly, other.yearly)
                || self.later_yearly.iter().any(|later| near(*later, other.yearly))
                || other.later_yearly.iter().any(|later| near(*later, self.yearly)))
    }
}

fn yearly(rent: &BaseRent) -> Decimal {
    match rent.period {
        RentPeriod::Annual => rent.amount,
        RentPeriod::Monthly => rent.amount.checked_mul(Decimal::from(12)).unwrap_or(Decimal::MAX),
    }
}

/// A row of a table that states a rent.
struct Row {
    line: usize,
    range: Range<usize>,
    label: String,
    rent: BaseRent,
    rule: rules::Rule,
    first_day: Option<Date>,
    last_day: Option<Date>,
    /// Whether its own words make it another charge.
    is_other: bool,
    /// First day of a step without rent that stands directly before it.
    free_from: Option<Date>,
}

impl Row {
    fn names_a_period(&self) -> bool {
        self.first_day.is_some() || PERIOD_LABEL.is_match(&self.label) || MONTH_COLUMNS.is_match(&self.label)
    }
}

/// Proposes rents.
pub fn propose(reading: &Reading<'_>, kind: DocumentKind) -> Rent {
    let amounts = money::find(reading.flow(), reading.dollar);
    let mut rent = Rent::default();
    let tables = tables(reading, &amounts);
    let mut best = Confidence::ZERO;
    for table in &tables {
        let Some(candidate) = from_table(reading, table, kind) else { continue };
        if candidate.confidence > best {
            best = candidate.confidence;
            rent.schedule = table
                .iter()
                .map(|row| RentStep {
                    start: row.first_day,
                    end: row.last_day,
                    label: row.label.clone(),
                    rent: row.rent,
                })
                .collect();
        }
        rent.base.push(candidate);
    }
    rent.base.extend(from_running_text(reading, &amounts, kind));
    rent.base.truncate(CANDIDATES_MAX_COUNT);
    for candidate in &mut rent.base {
        let tells = matches!(kind, DocumentKind::Amendment | DocumentKind::Other);
        if tells && reading.is_in_recitals(candidate.range.start) {
            candidate.confidence = candidate.confidence.min(OTHER_CHARGE_LIMIT);
        }
    }
    rent
}

/// Rows that state a rent, gathered into tables.
fn tables(reading: &Reading<'_>, amounts: &[FoundAmount]) -> Vec<Vec<Row>> {
    let lined = reading.text.lined().get(..reading.scope.end).unwrap_or_default();
    let areas = areas(reading.flow());
    let mut tables: Vec<Vec<Row>> = Vec::new();
    let mut start = 0;
    let mut next = 0;
    let mut free_from: Option<(usize, Date)> = None;
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
        let Some(mut row) = row(reading, &areas, line, &range, content, &in_line) else { continue };
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
    };
    for (index, one) in amounts.iter().enumerate() {
        for other in &amounts[index + 1..] {
            if let Some(rent) = twelve_apart(one, other) {
                return Some(of(rent, rules::TABLE_TWELVE_APART));
            }
        }
    }
    if let [rate, amount] = in_line
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
        let first_figure =
            money::find(before, reading.dollar).first().map_or(before.len(), |figure| figure.range.start);
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

/// The monthly rent, when one amount is twelve times the other to a unit.
fn twelve_apart(one: &FoundAmount, other: &FoundAmount) -> Option<BaseRent> {
    let currency = one.currency?;
    let (monthly, annual) = (one.amount.min(other.amount), one.amount.max(other.amount));
    let twelve = monthly.checked_mul(Decimal::from(12))?;
    let agree = other.currency == Some(currency)
        && monthly >= Decimal::from(RENT_MIN_UNITS)
        && (annual - twelve).abs() <= Decimal::ONE;
    agree.then_some(BaseRent { amount: monthly, period: RentPeriod::Monthly, currency })
}

fn from_table(reading: &Reading<'_>, table: &[Row], kind: DocumentKind) -> Option<Candidate<Figures>> {
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
        (None, false) if RENT.is_match(heading) => SOME_RENT_LIMIT,
        _ => NO_RENT_LIMIT,
    };
    let mut confidence = rule.confidence().min(limit);
    let near = anchor.map_or(heading, |anchor| {
        let floor = crate::extract::text::floor_boundary(heading, anchor.start().saturating_sub(120));
        &heading[floor..]
    });
    let elsewhere = is_other_section(reading.heading_at(first.range.start));
    if elsewhere || OTHER_TABLE.is_match(&without_granted_term(near, kind)) || OTHER_TABLE.is_match(row_text)
    {
        confidence = confidence.min(OTHER_CHARGE_LIMIT);
    }
    // Rows without a period of time are parts of the premises, not steps of the rent.
    if table.len() > 1 && !table.iter().all(Row::names_a_period) {
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

/// Amounts with their period beside them.
fn from_running_text(
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
            && last_at.is_some_and(|at| amount.range.start - at <= STEP_REACH_BYTES)
            && last.value.is_same_rent(&candidate.value.rent)
        {
            last_at = Some(amount.range.end);
            continue;
        }
        // Steps in one passage: the first is the base rent, the others rise from it.
        if let Some(at) = last_at
            && let Some(first) = candidates.last_mut()
            && amount.range.start - at <= STEP_REACH_BYTES
            && first.confidence >= candidate.confidence
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

/// Whether an amount behind another one is its next step: in the same section, with words of time between.
fn is_next_step(reading: &Reading<'_>, from: usize, to: usize) -> bool {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:thereafter|then|lease\s+years?|years?\s*\d+|months?\s*\d+|from|through|commencing|beginning|period|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|remaining|anniversary|followed|balance)\b|\d{1,2}/\d{1,2}/\d{2}|\b(?:19|20)\d{2}\b",
        )
    });
    reading.heading_at(from) == reading.heading_at(to) && STEP.is_match(reading.text.slice(&(from..to)))
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
    let behind = text.after(amount.range.end, 170);
    let base = BASE_RENT.find_iter(before).last();
    let defined_behind =
        text.slice(&(amount.range.end..sentence.end)).to_lowercase().contains("\"base rent\"");
    let anchored = base.is_some() || defined_behind;
    if !anchored && !RENT.is_match(before) {
        return None;
    }
    let (period, stated) = if let Some((pair, _)) = partner.as_ref().filter(|_| line.len() > ROW_MAX_BYTES) {
        // The arithmetic of a pair says which of the two is a month's; a pair on a line of its own is a table's row.
        (pair.period, true)
    } else if MONTHLY_BEHIND.is_match(behind) {
        (RentPeriod::Monthly, true)
    } else if ANNUAL_BEHIND.is_match(behind) {
        (RentPeriod::Annual, true)
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
    let elsewhere = is_other_section(reading.heading_at(amount.range.start));
    let near_anchor = base.map_or(before, |anchor| {
        &before[crate::extract::text::floor_boundary(
            before,
            anchor.start().saturating_sub(OTHER_PERIOD_REACH_BYTES),
        )..]
    });
    let renews = kind != DocumentKind::Amendment
        && RENEWAL.is_match(text.slice(&(sentence.start..amount.range.start)));
    if renews || OTHER_PERIOD.is_match(near_anchor) || PER_PIECE.is_match(behind) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::reading_of;

    fn sure(text: &str) -> Option<(String, String)> {
        let rent = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
        rent.base
            .iter()
            .filter(|candidate| candidate.confidence >= Confidence::percent(85))
            .max_by_key(|candidate| candidate.confidence)
            .map(|candidate| {
                let rent = candidate.value.rent;
                (format!("{} {}", rent.amount, rent.currency), rent.period.to_string())
            })
    }

    #[test]
    fn rent_is_read_with_its_period() {
        let rows = [
            ("Base Rent: $5,000.00 per month", Some(("5000.00 USD", "monthly"))),
            (
                "Tenant shall pay annual Base Rent of $60,000.00, in equal monthly installments of $5,000.00",
                Some(("5000.00 USD", "monthly")),
            ),
            ("Annual Base Rent: $60,000.00", Some(("60000.00 USD", "annual"))),
            (
                "monthly base rent in the amount of Five Thousand Dollars ($5,000.00)",
                Some(("5000.00 USD", "monthly")),
            ),
            ("Base Rent of EUR 60.000,00 per annum", Some(("60000.00 EUR", "annual"))),
            (
                "Base Rent\nMonths 1-12\t$60,000.00\t$5,000.00\nMonths 13-24\t$61,200.00\t$5,100.00",
                Some(("5000.00 USD", "monthly")),
            ),
            (
                "Annual Base Rent and Monthly Installment\n04/01/26 - 03/31/27\t$10.00\t$60,000.00\t$5,000.00",
                Some(("5000.00 USD", "monthly")),
            ),
            (
                "rent in the amount of Five Thousand and 00/100 Dollars ($5,000.00), in advance, on the first of each month (\"Base Rent\")",
                Some(("5000.00 USD", "monthly")),
            ),
            ("Base Rent of $12.00 per square foot per year", None),
            ("Base Rent of $5,000.00", None),
            ("monthly Base Rent of Four Thousand Dollars ($5,000.00)", None),
            ("Additional Rent is estimated at $5,000.00 per month", None),
            ("the monthly rent for parking is $500.00 per month", None),
            ("During the renewal term Base Rent is $7,000.00 per month", None),
            ("Annual Base Rent of $60,000.00 in monthly installments of $4,500.00", None),
            (
                "Premises of 4,800 rentable square feet\nBase Rent\n1-60\t$12.50\t$5,000.00\n61-120\t$14.00\t$5,600.00",
                Some(("5000.00 USD", "monthly")),
            ),
            (
                "Premises of 4,800 rentable square feet\nBase Rent\n1-60\t$12.50\t$60,000.00",
                Some(("60000.00 USD", "annual")),
            ),
            ("Premises of 4,900 rentable square feet\nBase Rent\n1-60\t$12.50\t$5,000.00", None),
            (
                "Base Rent is abated for four months, then\nMonths 5-16\t$60,000.00\t$5,000.00",
                Some(("5000.00 USD", "monthly")),
            ),
            (
                "Base Rent\n1\t12\t20,000\t$60,000.00\t$5,000.00\n13\t24\t20,000\t$61,200.00\t$5,100.00",
                Some(("5000.00 USD", "monthly")),
            ),
            ("Operating expenses\nMonths 1-12\t$60,000.00\t$5,000.00", None),
            ("Base Rent\nSuite A\t$60,000.00\t$5,000.00\nSuite B\t$12,000.00\t$1,000.00", None),
            ("Base Rent: $____ per month", None),
            (
                "Base Rent:\t$6,000.00 per month\nSecurity Deposit:\t$5,000.00",
                Some(("6000.00 USD", "monthly")),
            ),
            ("monthly rent of $6,420.00, of which $6,000.00 is base rent", None),
            ("Base Rent of the greater of $6,000.00 per month and 5% of sales", None),
            ("Base Rent of $6,000.00 per month, subject to adjustment upon remeasurement", None),
            ("Base Rent of $72,000.00 per year. The deposit is $6,000.00.", Some(("72000.00 USD", "annual"))),
            ("The rent is $2,000.00 each month. Base Rent is defined below.", None),
            ("a quarterly rent, which is $15,000.00 per quarter", None),
            (
                "Additional Rent (estimate)\t$4.00 per foot\t$19,200.00\t$1,600.00\nFrom the start the tenant pays to the landlord, in advance and without demand, on the first day of every calendar month of the term, Net Rent as follows:\n1 and 2\t$12.50\t$60,000.00\t$5,000.00\n3\t$13.00\t$62,400.00\t$5,200.00",
                Some(("5000.00 USD", "monthly")),
            ),
            (
                "Base Rent is payable as follows\nPeriod\tMonthly Base Rent\nMonths 1-12\t$5,000.00\nMonths 13-24\t$5,100.00",
                Some(("5000.00 USD", "monthly")),
            ),
            ("Base Rent\nPeriod\tRent\nMonths 1-12\t$5,000.00\nMonths 13-24\t$5,100.00", None),
            (
                "Base Rent\nYear 1\t$60,000.00 per annum\nYear 2\t$61,000.00 per annum",
                Some(("60000.00 USD", "annual")),
            ),
            (
                "the lessee has the privilege of renewing this lease for one term of five years from the first day of May, upon notice in writing and at a yearly rent of $42,000.00",
                None,
            ),
            (
                "Notice period: six months\nExtension period: two years\nAnnual rent: $60,000.00",
                Some(("60000.00 USD", "annual")),
            ),
            ("semi-annual rent of $30,000.00", None),
            ("quarterly payments of annual Base Rent of $15,000.00", None),
            ("Base Rent of $50.00 per month per desk", None),
            ("monthly rent of $5,000.00 per month per suite", None),
            (
                "Base Rent for the first year of Sixty Thousand Dollars ($60,000.00), due in installments on the first day of each month",
                None,
            ),
            ("Base Rent for the term is $300,000.00, payable in part on the first day of each month", None),
            ("The Base Rent under the Prime Lease is $9,000.00 per month", None),
            ("6. Option. Tenant may extend. Base Rent is then $6,000.00 per month.", None),
            ("5. Holding Over. The monthly Base Rent is then $6,000.00 per month.", None),
        ];
        for (text, expected) in rows {
            let expected = expected.map(|(amount, period)| (amount.to_owned(), period.to_owned()));
            assert_eq!(sure(text), expected, "{text}");
        }
    }

    #[test]
    fn what_has_few_witnesses_is_shown_and_not_posted() {
        let rows = [
            ("The rent is $2,000.00 each month.", "2000.00", "plain_rent_with_period"),
            (
                "6\tRent\t$5,000.00 per month\n7\tService charge\t$900.00 per month",
                "5000.00",
                "plain_rent_with_period",
            ),
            ("a base rent, in each year, of $15,000.00 per quarter", "60000.00", "rent_each_quarter"),
            (
                "The initial rent, on a yearly basis, is EUR 60,000.00, exclusive of VAT.",
                "60000.00",
                "plain_rent_with_period",
            ),
        ];
        for (text, amount, rule) in rows {
            let base = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).base;
            let best = base.iter().max_by_key(|candidate| candidate.confidence);
            let best = best.map(|best| (best.value.rent.amount.to_string(), best.rule));
            assert_eq!(best, Some((amount.to_owned(), rule)), "{text}");
            assert_eq!(sure(text), None, "{text}");
        }
    }

    #[test]
    fn a_table_on_one_long_line_is_read_by_its_arithmetic() {
        let filler = "The building stands on its land. ".repeat(20);
        let text = format!(
            "{filler}BASE RENT FOR BUILDING PERIOD RENT/FOOT MONTHLY RENT ANNUAL RENT ----- Years1-10 $ 5.00 $ 5,000.00 $ 60,000.00 \
             Years11-20 $ 6.00 $ 6,000.00 $ 72,000.00"
        );
        assert_eq!(sure(&text), Some(("5000.00 USD".to_owned(), "monthly".to_owned())));
    }

    #[test]
    fn steps_in_running_text_do_not_contradict_the_first() {
        let text = "Base Rent: Months 1 - 4: Zero Dollars ($0.00) (Base Rent is abated). \
            Months 5 - 16: $60,000.00 per annum payable monthly, in equal monthly\ninstallments of $5,000.00. \
            Months 17 - 28: $61,200.00 per annum payable monthly, in equal monthly\ninstallments of $5,100.00.";
        let base = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).base;
        let best = base.iter().max_by_key(|candidate| candidate.confidence).expect("there is a rent");
        assert_eq!(best.value.rent.amount.to_string(), "5000.00");
        for candidate in &base {
            assert!(best.value.agrees_with(&candidate.value), "{:?}", candidate.value.rent);
        }
    }

    #[test]
    fn an_amendment_tells_of_the_old_rent_in_its_recitals() {
        let text = "A. Tenant pays Base Rent of $5,000.00 per month.\nNOW, THEREFORE\n1. Base Rent is $6,000.00 per month.";
        let sure = |kind| {
            let base = reading_of(text, |reading| propose(reading, kind)).base;
            base.iter()
                .filter(|candidate| candidate.confidence >= Confidence::percent(85))
                .map(|candidate| candidate.value.rent.amount.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(sure(DocumentKind::Amendment), ["6000.00"]);
        assert_eq!(sure(DocumentKind::Lease), ["5000.00", "6000.00"]);
    }

    #[test]
    fn a_table_gives_its_steps() {
        let text = "Base Rent\nMonths 1-12\t$60,000.00\t$5,000.00\nMonths 13-24\t$61,200.00\t$5,100.00\nTotal\t$121,200.00\t$10,100.00";
        let schedule = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).schedule;
        let steps: Vec<(String, String)> =
            schedule.iter().map(|step| (step.label.clone(), step.rent.amount.to_string())).collect();
        assert_eq!(
            steps,
            [
                ("Months 1-12".to_owned(), "5000.00".to_owned()),
                ("Months 13-24".to_owned(), "5100.00".to_owned())
            ]
        );
    }
}
