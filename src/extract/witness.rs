//! What was recognised on a picture counts only as far as it is printed, or follows, a second time.
//!
//! A recogniser that takes one figure for another is sure of it: "14.2" was read for "11.2" with 965 of 1000. Its own
//! confidence does not catch that, but a second place does: an amount in words or for twelve months beside one for a
//! month, a date that start and length lead to, a name in the preamble and under the signatures. What stands in one
//! place alone is shown to a person and never posted.

use std::ops::Range;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::clauses::names::folded;
use super::clauses::{Candidate, Reading};
use super::money::WordsBeside;
use super::recognised::{RecognisedText, mean_confidence};
use super::verify::Settled;
use super::{Findings, dates, money};
use crate::ports::ocr::RecognisedPage;
use crate::posting::Confidence;

/// The most for a value that is recognised in one place alone: under every threshold that posts without a person.
const ONE_WITNESS_LIMIT: Confidence = Confidence::percent(80);
/// The most for a value that is recognised in two.
const TWO_WITNESSES_LIMIT: Confidence = Confidence::percent(92);
/// Mean confidence of a page below which nothing of the document is posted: on it a condition or an amendment may
/// stand that was not made out. Clean scans reach 950, poor ones that a person still reads with ease 850.
const PAGE_READABLE_MIN: Confidence = Confidence::percent(75);
/// Months in a year.
const YEAR_MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

impl Findings<'_> {
    /// Lowers what was recognised and has no second witness.
    pub(super) fn hold_to_two_witnesses(&mut self, recognised: &RecognisedText, pages: &[RecognisedPage]) {
        let readable = pages.iter().all(|page| {
            page.lines.is_empty() || mean_confidence(std::slice::from_ref(page)) >= PAGE_READABLE_MIN
        });
        let witnesses = Witnesses::of(&self.reading, recognised, readable);

        let term = &mut self.term;
        let stated = |settled: &Settled<Date>| {
            settled.found().filter(|found| found.rule != "start_plus_length").map(|found| found.value)
        };
        let length = term.months.found().map(|found| found.value);
        let fits = match (stated(&term.start), stated(&term.end), length) {
            (Some(start), Some(end), Some(months)) => dates::term_end(start, months) == Some(end),
            _ => false,
        };
        for date in [&mut term.start, &mut term.end] {
            witnesses.weigh(date, |value| fits || witnesses.has_date(*value));
        }
        for date in [&mut term.rent_commencement, &mut self.execution_date] {
            witnesses.weigh(date, |value| witnesses.has_date(*value));
        }
        witnesses.weigh(&mut self.term.months, |_| fits);
        witnesses.weigh(&mut self.rent, |figures| witnesses.has_amount(figures.rent.amount));
        witnesses.weigh(&mut self.deposit, |deposit| witnesses.has_amount(deposit.amount));
        for name in [&mut self.tenant, &mut self.landlord, &mut self.property_id] {
            witnesses.weigh(name, |value| witnesses.has_name(value));
        }
        witnesses.weigh(&mut self.area, |_| false);
        for clause in [&mut self.premises, &mut self.renewal, &mut self.escalation] {
            witnesses.weigh(clause, |_| false);
        }
    }
}

/// What the whole text says, for looking a value up a second time.
struct Witnesses<'a> {
    recognised: &'a RecognisedText,
    readable: bool,
    amounts: Vec<money::FoundAmount>,
    dates: Vec<Date>,
    folded: String,
}

impl<'a> Witnesses<'a> {
    fn of(reading: &Reading<'_>, recognised: &'a RecognisedText, readable: bool) -> Self {
        let flow = recognised.text.flow();
        Self {
            recognised,
            readable,
            amounts: money::find(flow, reading.dollar),
            dates: dates::find(flow, reading.date_order).into_iter().map(|found| found.date).collect(),
            folded: folded(flow),
        }
    }

    /// Bounds a value by how often it is witnessed. What has text of its own beside scanned pages is sure of itself.
    fn weigh<T: Clone>(&self, settled: &mut Settled<T>, has_second: impl Fn(&T) -> bool) {
        let bounded = |candidate: &mut Candidate<T>| {
            let limit = self.limit(&candidate.range, has_second(&candidate.value));
            candidate.confidence = candidate.confidence.min(limit);
        };
        match settled {
            Settled::Found(candidate) => bounded(candidate),
            Settled::Abstained { candidates, .. } => candidates.iter_mut().for_each(bounded),
            Settled::Absent => {}
        }
    }

    fn limit(&self, range: &Range<usize>, has_second: bool) -> Confidence {
        match (self.recognised.is_recognised(range), has_second && self.readable) {
            (false, _) if self.readable => Confidence::ONE,
            (false, _) => ONE_WITNESS_LIMIT,
            (true, true) => TWO_WITNESSES_LIMIT,
            (true, false) => ONE_WITNESS_LIMIT.min(self.recognised.confidence_at(range)),
        }
    }

    /// Whether an amount stands in two places, with words that agree, or with its twelfth or its twelvefold.
    fn has_amount(&self, amount: Decimal) -> bool {
        let near = |a: Option<Decimal>, b: Decimal| a.is_some_and(|a| (a - b).abs() <= Decimal::ONE);
        let same: Vec<_> = self.amounts.iter().filter(|found| found.amount == amount).collect();
        same.len() >= 2
            || same.iter().any(|found| found.words == WordsBeside::Agree)
            || self.amounts.iter().any(|found| {
                !found.is_rate
                    && (near(amount.checked_mul(YEAR_MONTHS), found.amount)
                        || near(found.amount.checked_mul(YEAR_MONTHS), amount))
            })
    }

    fn has_date(&self, date: Date) -> bool {
        self.dates.iter().filter(|found| **found == date).count() >= 2
    }

    fn has_name(&self, name: &str) -> bool {
        let name = folded(name);
        !name.is_empty() && self.folded.matches(name.as_str()).count() >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::recognised::Scan;
    use crate::extract::{Extraction, LeaseExtractor};
    use crate::ports::ocr::{RecognisedLine, RecognisedWord};

    /// A scan of lines, every word as sure as the next.
    fn scan(lines: &[&str], confidence_permille: u16) -> Scan {
        let lines = lines.iter().zip(0u32..).map(|(line, row)| {
            let words = line.split_whitespace().zip(0u32..).map(|(text, column)| RecognisedWord {
                text: text.to_owned(),
                left_px: 100 + column * 110,
                top_px: 100 + row * 40,
                width_px: 100,
                height_px: 20,
                confidence_permille,
            });
            RecognisedLine { words: words.collect() }
        });
        let page = RecognisedPage { number: 1, lines: lines.collect() };
        Scan { pages: vec![page], beside_text: false, unread_pages: Vec::new() }
    }

    /// A lease in which every value that is posted stands twice.
    const TWICE: &[&str] = &[
        "OFFICE LEASE",
        "This Lease is made as of May 1, 2020 between Alder Hall LLC (\"Landlord\") and Birch Tools Inc. (\"Tenant\").",
        "1. Premises. Landlord leases to Tenant Suite 4 of the building at 9 Elm Row.",
        "2. Term. The term is sixty (60) months, commencing on June 1, 2020 and ending on May 31, 2025.",
        "3. Rent. Tenant shall pay base rent of $5,250.00 per month ($63,000.00 per year).",
        "IN WITNESS WHEREOF the parties have signed.",
        "LANDLORD: Alder Hall LLC",
        "TENANT: Birch Tools Inc.",
    ];

    fn told(scan: &Scan) -> String {
        match LeaseExtractor::default().read_recognised(&[], scan, Some("P-1")) {
            Extraction::Complete(lease) => lease.extraction_confidence.to_string(),
            Extraction::Incomplete(incomplete) => incomplete.reason.code,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_is_recognised_once_is_not_posted() {
        let changed = |from: &str, to: &str| -> Vec<String> {
            TWICE.iter().map(|line| line.replace(from, to)).collect()
        };
        let once = ONE_WITNESS_LIMIT.to_string();
        let table = [
            ("all twice", changed("", ""), 960, TWO_WITNESSES_LIMIT.to_string()),
            ("a page that is hardly readable", changed("", ""), 700, "0.7".to_owned()),
            ("no annual figure", changed(" ($63,000.00 per year)", ""), 960, once.clone()),
            ("a figure misread", changed("$5,250", "$8,250"), 960, once.clone()),
            ("a length misread", changed("sixty (60)", "(66)"), 960, once.clone()),
            ("the tenant misread once", changed("TENANT: Birch", "TENANT: Bireh"), 960, once.clone()),
        ];
        for (case, lines, permille, expected) in table {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let told = told(&scan(&lines, permille));
            let at_most = |told: &str| {
                let (told, most) = (told.parse::<Decimal>(), expected.parse::<Decimal>());
                told.is_ok_and(|told| most.is_ok_and(|most| told <= most))
            };
            // A misread figure may also make the rules abstain, which is as good.
            assert!(at_most(&told) || told.parse::<Decimal>().is_err(), "{case}: {told}");
            assert_eq!(
                case == "all twice",
                told == TWO_WITNESSES_LIMIT.to_string() || told > once && told.starts_with("0."),
                "{case}: {told}"
            );
        }
    }

    #[test]
    fn a_page_that_was_not_made_out_sends_the_document_to_a_person() {
        let whole = scan(TWICE, 960);
        let unread = Scan { unread_pages: vec![2], ..whole };
        assert_eq!(told(&unread), "pages_without_text");
    }
}
