//! Calendar dates as leases write them. General date parsers trip over "1st day of April, 1995", so the
//! grammar is our own; the calendar is `jiff`'s.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use regex::Regex;

use super::expression;

/// Earliest year that a lease's date is read in.
const YEAR_MIN: i16 = 1900;
/// Latest year: ground leases run for a century.
const YEAR_MAX: i16 = 2199;

/// How far from a date words of the term may stand that make it a proof of the order, in bytes.
const TERM_REACH_BYTES: usize = 200;
/// How far before a day the word before a lone digit may begin, in bytes.
const LONE_REACH_BYTES: usize = 40;

/// How a numeric date is to be read, as far as the document itself proves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// Month first.
    MonthFirst,
    /// Day first.
    DayFirst,
    /// Nothing in the document tells.
    Unproven,
}

/// A date and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDate {
    /// The date.
    pub date: Date,
    /// Where.
    pub range: Range<usize>,
    /// Whether a numeric date could also be read the other way round.
    pub ambiguous: bool,
}

/// Names of months.
pub const MONTH: &str = "(?:January|February|March|April|May|June|July|August|September|October|November|December|\
     Jan\\.?|Feb\\.?|Mar\\.?|Apr\\.?|Jun\\.?|Jul\\.?|Aug\\.?|Sept?\\.?|Oct\\.?|Nov\\.?|Dec\\.?)";

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    let ordinal = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|\
        fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|\
        twenty[\\s-]+(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|\
        thirtieth|thirty[\\s-]+first|last";
    let pattern = format!(
        r"(?ix)
        \b(?P<m1>{MONTH})\s*[-,]?\s*(?P<d1>\d{{1,2}})(?:\s?(?:st|nd|rd|th))?\s*,?\s+(?P<y1>\d{{4}})\b
        |\b(?P<d2>\d{{1,2}})\s?(?:st|nd|rd|th)?\s+(?:\(\d{{1,2}}(?:st|nd|rd|th)?\)\s+)?(?:(?:day\s+)?of\s+)?(?P<m2>{MONTH})\s*,?\s+(?P<y2>\d{{4}})\b
        |\b(?P<d3>{ordinal})\s+(?:\(\d{{1,2}}(?:st|nd|rd|th)?\)\s+)?day\s+of\s+(?P<m3>{MONTH})\s*,?\s+(?P<y3>\d{{4}})\b
        |\b(?P<y4>\d{{4}})-(?P<m4>\d{{2}})-(?P<d4>\d{{2}})\b
        |\b(?P<n1>\d{{1,2}})/(?P<n2>\d{{1,2}})/(?P<ny>\d{{4}}|\d{{2}})\b
        |\b(?P<e1>\d{{1,2}})\.(?P<e2>\d{{1,2}})\.(?P<ey>\d{{4}})\b
        |\b(?P<h1>\d{{1,2}})-(?P<h2>\d{{1,2}})-(?P<hy>\d{{4}})\b"
    );
    expression(&pattern)
});

/// Finds every date of a text.
pub fn find(text: &str, order: DateOrder) -> Vec<FoundDate> {
    DATE.captures_iter(text)
        .filter_map(|captures| {
            let range = captures.get(0)?.range();
            let group = |name: &str| captures.name(name).map(|found| found.as_str());
            let number = |name: &str| group(name).and_then(|digits| digits.parse::<i16>().ok());
            let (date, ambiguous) = if let (Some(month), Some(day), Some(year)) =
                (group("m1"), number("d1"), number("y1"))
            {
                (civil(year, month_number(month)?, day)?, false)
            } else if let (Some(month), Some(day), Some(year)) = (group("m2"), number("d2"), number("y2")) {
                if day < 10 && ends_in_a_lone_digit(&text[..range.start]) {
                    return None;
                }
                (civil(year, month_number(month)?, day)?, false)
            } else if let (Some(month), Some(day), Some(year)) = (group("m3"), group("d3"), number("y3")) {
                let month = month_number(month)?;
                match ordinal_number(day) {
                    Some(day) => (civil(year, month, day)?, false),
                    None => (civil(year, month, 1)?.last_of_month(), false),
                }
            } else if let (Some(month), Some(day), Some(year)) = (number("m4"), number("d4"), number("y4")) {
                (civil(year, month, day)?, false)
            } else if let (Some(day), Some(month), Some(year)) = (number("e1"), number("e2"), number("ey")) {
                // With full stops the day comes first in most places where they are in use, and in some it does not.
                match numeric(day, month, year, order) {
                    Some((_, true)) => (civil(year, month, day)?, true),
                    read => read?,
                }
            } else if let (Some(first), Some(second), Some(year)) = (number("h1"), number("h2"), number("hy"))
            {
                numeric(first, second, year, order)?
            } else {
                let (first, second) = (number("n1")?, number("n2")?);
                let year = number("ny").map(|year| if year < 100 { century(year) } else { year })?;
                numeric(first, second, year, order)?
            };
            Some(FoundDate { date, range, ambiguous })
        })
        .collect()
}

/// Whether a digit stands by itself before a day of one digit: "on 1 5 June" has lost how its digits belong together.
/// The number of a year, of a step or of a floor does not belong to the day behind it.
fn ends_in_a_lone_digit(before: &str) -> bool {
    static LONE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\b(?P<word>[a-z]+)\s[0-3]\s$"));
    static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^(?:years?|months?|periods?|steps?|phase|stage|suites?|units?|floor|level|item|row|nos?)$",
        )
    });
    let floor = super::text::floor_boundary(before, before.len().saturating_sub(LONE_REACH_BYTES));
    LONE.captures(&before[floor..])
        .and_then(|captures| captures.name("word"))
        .is_some_and(|word| !COUNTED.is_match(word.as_str()))
}

/// Two digits of a year as leases mean them: computers wrote these, so none is before 1970.
fn century(year: i16) -> i16 {
    if year >= 70 { 1900 + year } else { 2000 + year }
}

fn numeric(first: i16, second: i16, year: i16, order: DateOrder) -> Option<(Date, bool)> {
    let month_first = civil(year, first, second);
    let day_first = civil(year, second, first);
    match (month_first, day_first) {
        (Some(date), Some(other)) if date == other => Some((date, false)),
        (Some(month_first), Some(day_first)) => Some(match order {
            DateOrder::MonthFirst => (month_first, false),
            DateOrder::DayFirst => (day_first, false),
            DateOrder::Unproven => (month_first, true),
        }),
        (Some(date), None) if order != DateOrder::DayFirst => Some((date, false)),
        (None, Some(date)) if order != DateOrder::MonthFirst => Some((date, false)),
        _ => None,
    }
}

/// How the document writes numeric dates, by those that can be read one way only. One such date proves it where it
/// bounds a range or stands near words of the term; else it takes two, for one may be the stamp of another country's
/// machine.
pub fn order_of(text: &str) -> DateOrder {
    let (mut month_first, mut day_first) = (Proofs::default(), Proofs::default());
    let dates: Vec<_> = DATE
        .captures_iter(text)
        .filter_map(|captures| {
            let number =
                |name: &str| captures.name(name).and_then(|digits| digits.as_str().parse::<i16>().ok());
            let first = number("n1").or(number("h1")).or(number("e1"))?;
            let second = number("n2").or(number("h2")).or(number("e2"))?;
            Some((captures.get(0)?.range(), first, second))
        })
        .collect();
    for (index, (range, first, second)) in dates.iter().enumerate() {
        let proofs = if *first <= 12 && (13..=31).contains(second) {
            &mut month_first
        } else if *second <= 12 && (13..=31).contains(first) {
            &mut day_first
        } else {
            continue;
        };
        let neighbour = |at: Option<usize>| at.and_then(|at| dates.get(at)).map(|(range, _, _)| range);
        let bounds = neighbour(index.checked_sub(1)).is_some_and(|before| is_range(text, before, range))
            || neighbour(index.checked_add(1)).is_some_and(|behind| is_range(text, range, behind));
        proofs.take(&text[range.clone()], bounds || is_of_the_term(text, range));
    }
    match (month_first.any(), day_first.any()) {
        (true, false) if month_first.suffice() => DateOrder::MonthFirst,
        (false, true) if day_first.suffice() => DateOrder::DayFirst,
        _ => DateOrder::Unproven,
    }
}

/// The dates that prove one order.
#[derive(Default)]
struct Proofs<'t> {
    first: Option<&'t str>,
    suffice: bool,
}

impl<'t> Proofs<'t> {
    /// Takes one more. The same date again, as at the head of each page, proves no more than once.
    fn take(&mut self, date: &'t str, alone_suffices: bool) {
        let first = *self.first.get_or_insert(date);
        self.suffice |= alone_suffices || first != date;
    }

    fn any(&self) -> bool {
        self.first.is_some()
    }

    fn suffice(&self) -> bool {
        self.suffice
    }
}

/// Whether two dates bound a range.
fn is_range(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    static TO: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\s*,?\s*(?:to|through|thru|until|till|-|\u{2013}|\u{2014})(?:\s+and\s+including)?\s*$",
        )
    });
    text.get(first.end..second.start).is_some_and(|between| TO.is_match(between))
}

/// Whether a date stands near words of the term, and not as the stamp of a machine.
fn is_of_the_term(text: &str, date: &Range<usize>) -> bool {
    static TERM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:terms?|commenc\w*|expir\w*|begin\w*|starts?|starting|ends?|ending|terminat\w*|tenancy|letting|duration|lease\s+(?:year|period))\b",
        )
    });
    static STAMP_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:printed|received|faxed|fax|sent|scanned|filed|recorded|stamped|saved|downloaded|generated|created|page\s+\d+)\s*(?:at|on|by)?\s*:?\s*$",
        )
    });
    static STAMP_BEHIND: LazyLock<Regex> = LazyLock::new(|| expression(r"^,?\s+(?:at\s+)?\d{1,2}:\d{2}"));
    let start = super::text::floor_boundary(text, date.start.saturating_sub(TERM_REACH_BYTES));
    let end = super::text::floor_boundary(text, (date.end + TERM_REACH_BYTES).min(text.len()));
    let (before, behind) = (&text[start..date.start], &text[date.end..end]);
    (TERM.is_match(before) || TERM.is_match(behind))
        && !STAMP_BEFORE.is_match(before)
        && !STAMP_BEHIND.is_match(behind)
}

fn civil(year: i16, month: i16, day: i16) -> Option<Date> {
    if !(YEAR_MIN..=YEAR_MAX).contains(&year) {
        return None;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn month_number(name: &str) -> Option<i16> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start: String = name.to_lowercase().chars().take(3).collect();
    MONTHS.iter().position(|month| *month == start).and_then(|index| i16::try_from(index + 1).ok())
}

/// The number of an ordinal word; `None` for "last".
fn ordinal_number(word: &str) -> Option<i16> {
    const UNITS: [&str; 20] = [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
        "twentieth",
    ];
    let parts: Vec<&str> =
        word.split(|c: char| c.is_whitespace() || c == '-').filter(|part| !part.is_empty()).collect();
    let word = parts.join("-").to_lowercase();
    let unit = |word: &str| {
        UNITS.iter().position(|unit| *unit == word).and_then(|index| i16::try_from(index + 1).ok())
    };
    match word.as_str() {
        "thirtieth" => Some(30),
        "thirty-first" => Some(31),
        _ => match word.strip_prefix("twenty-") {
            Some(rest) => unit(rest).map(|number| 20 + number),
            None => unit(&word),
        },
    }
}

/// The last day of a term of `months` whole months that starts on `start`.
pub fn term_end(start: Date, months: u32) -> Option<Date> {
    // Counted from the first day of the next term: adding to the start and stepping back a day keeps a term that
    // starts on the 1st ending on the last of a month.
    start.checked_add(Span::new().try_months(months).ok()?).ok()?.checked_sub(1.day()).ok()
}

/// The first day of a term of `months` whole months that ends on `end`.
pub fn term_start(end: Date, months: u32) -> Option<Date> {
    end.checked_add(1.day()).ok()?.checked_sub(Span::new().try_months(months).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn dates_are_read_as_leases_write_them() {
        let rows = [
            ("April 1, 1995", Some(date(1995, 4, 1))),
            ("APRIL 1 1995", Some(date(1995, 4, 1))),
            ("the 1st day of April, 1995", Some(date(1995, 4, 1))),
            ("the first day of April, 1995", Some(date(1995, 4, 1))),
            ("the twenty-third day of May 2001", Some(date(2001, 5, 23))),
            ("the thirty-first day of May 2001", Some(date(2001, 5, 31))),
            ("the twenty first day of June, 2020", Some(date(2020, 6, 21))),
            ("the Twenty- Ninth day of June, 2020", Some(date(2020, 6, 29))),
            ("the thirty first day of May, 2025", Some(date(2025, 5, 31))),
            ("begins on 1 5 June 2020", None),
            ("ends on 3 1 May 2025", None),
            ("Lease Year 1 1 June 2020", Some(date(2020, 6, 1))),
            ("06.15.2020", Some(date(2020, 6, 15))),
            ("the last day of February, 2016", Some(date(2016, 2, 29))),
            ("September 15th, 1998", Some(date(1998, 9, 15))),
            ("Sept. 15, 1998", Some(date(1998, 9, 15))),
            ("1 September 2020", Some(date(2020, 9, 1))),
            ("2020-09-01", Some(date(2020, 9, 1))),
            ("12/31/2021", Some(date(2021, 12, 31))),
            ("31/12/2021", Some(date(2021, 12, 31))),
            ("04/01/26", Some(date(2026, 4, 1))),
            ("5/5/1999", Some(date(1999, 5, 5))),
            ("01.04.2020", Some(date(2020, 4, 1))),
            ("31-12-2021", Some(date(2021, 12, 31))),
            ("12-31-2021", Some(date(2021, 12, 31))),
            ("1st of April 2020", Some(date(2020, 4, 1))),
            ("Section 1.2.20", None),
            ("February 30, 2020", None),
            ("13/32/2020", None),
            ("April __, 2020", None),
            ("April 2020", None),
            ("Section 4, 2020", None),
            ("Mayor 1, 2020", None),
            ("April 1, 1066", None),
        ];
        for (text, expected) in rows {
            assert_eq!(find(text, DateOrder::Unproven).first().map(|found| found.date), expected, "{text}");
        }
    }

    #[test]
    fn a_numeric_date_is_ambiguous_until_the_document_proves_an_order() {
        let rows = [
            ("4/1/2020", DateOrder::Unproven, Some((date(2020, 4, 1), true))),
            ("4/1/2020 to 3/31/2021", DateOrder::MonthFirst, Some((date(2020, 4, 1), false))),
            ("4/1/2020 to 31/3/2021", DateOrder::DayFirst, Some((date(2020, 1, 4), false))),
            ("4/1/2020, 31/3/2021, 3/31/2021", DateOrder::Unproven, Some((date(2020, 4, 1), true))),
            ("6.1.2020 to 1.5.2025", DateOrder::Unproven, Some((date(2020, 1, 6), true))),
            ("6.6.2020", DateOrder::Unproven, Some((date(2020, 6, 6), false))),
            ("1.6.2020 to 31.5.2025", DateOrder::DayFirst, Some((date(2020, 6, 1), false))),
            ("6.1.2020 to 5.31.2025", DateOrder::MonthFirst, Some((date(2020, 6, 1), false))),
            ("Term: 4/1/2020, or 31/3/2021", DateOrder::DayFirst, Some((date(2020, 1, 4), false))),
            ("4/1/2020. Seen 3/31/2020", DateOrder::Unproven, Some((date(2020, 4, 1), true))),
            ("4/1/2020. Seen 3/31/2020, 3/31/2020", DateOrder::Unproven, Some((date(2020, 4, 1), true))),
            ("4/1/2020. Seen 3/31/2020, 3/30/2020", DateOrder::MonthFirst, Some((date(2020, 4, 1), false))),
            ("Term: 4/1/2020. Printed 25/03/2020", DateOrder::Unproven, Some((date(2020, 4, 1), true))),
            ("Term: 4/1/2020. 25/03/2020 16:15", DateOrder::Unproven, Some((date(2020, 4, 1), true))),
        ];
        for (text, order, expected) in rows {
            assert_eq!(order_of(text), order, "{text}");
            let found = find(text, order);
            assert_eq!(found.first().map(|found| (found.date, found.ambiguous)), expected, "{text}");
        }
    }

    #[test]
    fn terms_are_counted_by_the_calendar() {
        let rows = [
            (date(2008, 8, 1), 91, date(2016, 2, 29)),
            (date(2024, 3, 1), 60, date(2029, 2, 28)),
            (date(2024, 1, 15), 12, date(2025, 1, 14)),
            (date(2023, 12, 1), 3, date(2024, 2, 29)),
        ];
        for (start, months, end) in rows {
            assert_eq!(term_end(start, months), Some(end), "{start} + {months}");
            assert_eq!(term_start(end, months), Some(start), "{end} - {months}");
        }
        assert_eq!(term_end(date(2024, 1, 1), u32::MAX), None);
    }
}
