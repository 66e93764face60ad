//! Calendar dates as leases write them. General date parsers trip over "1st day of April, 1995", so the
//! grammar is our own; the calendar is `jiff`'s.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use regex::Regex;

/// Earliest year that a lease's date is read in.
const YEAR_MIN: i16 = 1900;
/// Latest year: ground leases run for a century.
const YEAR_MAX: i16 = 2199;

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
        fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first|twenty-second|\
        twenty-third|twenty-fourth|twenty-fifth|twenty-sixth|twenty-seventh|twenty-eighth|twenty-ninth|\
        thirtieth|thirty-first|last";
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
    Regex::new(&pattern).expect("the date grammar is a valid expression")
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
                // With full stops the day comes first wherever they are in use.
                (civil(year, month, day)?, false)
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

/// How the document writes numeric dates, by those that can be read one way only.
pub fn order_of(text: &str) -> DateOrder {
    let (mut month_first, mut day_first) = (0usize, 0usize);
    for captures in DATE.captures_iter(text) {
        let number = |name: &str| captures.name(name).and_then(|digits| digits.as_str().parse::<i16>().ok());
        let (first, second) = (number("n1").or(number("h1")), number("n2").or(number("h2")));
        if let (Some(first), Some(second)) = (first, second) {
            if first <= 12 && (13..=31).contains(&second) {
                month_first += 1;
            } else if second <= 12 && (13..=31).contains(&first) {
                day_first += 1;
            }
        }
    }
    match (month_first, day_first) {
        (1.., 0) => DateOrder::MonthFirst,
        (0, 1..) => DateOrder::DayFirst,
        _ => DateOrder::Unproven,
    }
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
    let word = word.to_lowercase();
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
