//! What was recognised on a picture counts only as far as it is printed, or follows, a second time.
//!
//! A recogniser that takes one figure for another is sure of it: "14.2" was read for "11.2" with 965 of 1000. Its own
//! confidence does not catch that, but a second witness does: an amount in words or for twelve months beside one for a
//! month, a date that start and length lead to, a name in the preamble and under the signatures. A witness must speak of
//! the same field, since a deposit may well be as high as a rent that was misread. What stands in one place alone is
//! shown to a person and never posted, whatever the threshold.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::clauses::{Candidate, rules};
use super::money::WordsBeside;
use super::recognised::{RecognisedText, mean_confidence};
use super::verify::Settled;
use super::{Findings, dates, money};
use crate::lease::field;
use crate::ports::ocr::RecognisedPage;
use crate::posting::Confidence;

/// The most that is said of a value that is recognised in one place alone.
const ONE_WITNESS_LIMIT: Confidence = Confidence::percent(80);
/// The most for a value that is recognised in two.
const TWO_WITNESSES_LIMIT: Confidence = Confidence::percent(92);
/// Mean confidence of a page below which nothing of the document is posted: on it a condition or an amendment may
/// stand that was not made out. Clean scans reach 950, poor ones that a person still reads with ease 850.
const PAGE_READABLE_MIN: Confidence = Confidence::percent(75);
/// Rules that read a rent from figures which prove each other, and so hold both witnesses.
const PROVEN_BY_ARITHMETIC: &[&str] =
    &[rules::TABLE_TWELVE_APART.name, rules::TWELVE_APART.name, rules::TABLE_RATE_TIMES_AREA.name];

/// Which fields another passage of the document gives as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seconded {
    pub(super) property_id: bool,
    pub(super) tenant: bool,
    pub(super) landlord: bool,
    pub(super) start: bool,
    pub(super) end: bool,
    pub(super) rent: bool,
    pub(super) deposit: bool,
}

impl Findings<'_> {
    /// Holds what was recognised to a second witness: a required field without one is named as the reason for review,
    /// any other is left out.
    pub(super) fn hold_to_two_witnesses(&mut self, recognised: &RecognisedText, pages: &[RecognisedPage]) {
        self.has_unreadable_page = pages.iter().any(|page| {
            !page.lines.is_empty() && mean_confidence(std::slice::from_ref(page)) < PAGE_READABLE_MIN
        });
        let stated = |settled: &Settled<Date>| {
            settled
                .found()
                .filter(|found| found.rule != rules::START_PLUS_LENGTH.name)
                .map(|found| found.value)
        };
        let length = self.term.months.found().map(|found| found.value);
        let fits = match (stated(&self.term.start), stated(&self.term.end), length) {
            (Some(start), Some(end), Some(months)) => dates::term_end(start, months) == Some(end),
            _ => false,
        };
        let rent_proven = self.rent.found().is_some_and(|found| {
            PROVEN_BY_ARITHMETIC.contains(&found.rule) && is_one_sentence(recognised, found)
                || has_words(recognised, found, found.value.rent.amount)
        });
        let deposit_proven =
            self.deposit.found().is_some_and(|found| has_words(recognised, found, found.value.amount));
        let second = self.seconded;

        let mut alone = Vec::new();
        let mut required = |name: &'static str, is_alone: bool| alone.extend(is_alone.then_some(name));
        required(field::PROPERTY_ID, weigh(&mut self.property_id, recognised, second.property_id));
        required(field::TENANT_NAME, weigh(&mut self.tenant, recognised, second.tenant));
        required(field::BASE_RENT, weigh(&mut self.rent, recognised, second.rent || rent_proven));
        required(field::LEASE_START, weigh(&mut self.term.start, recognised, second.start || fits));
        required(field::LEASE_END, weigh(&mut self.term.end, recognised, second.end || fits));
        self.unwitnessed = alone;

        weigh(&mut self.landlord, recognised, second.landlord);
        weigh(&mut self.deposit, recognised, second.deposit || deposit_proven);
        weigh(&mut self.term.months, recognised, fits);
        weigh(&mut self.term.rent_commencement, recognised, false);
        weigh(&mut self.execution_date, recognised, false);
        weigh(&mut self.area, recognised, false);
        for clause in [&mut self.premises, &mut self.renewal, &mut self.escalation] {
            weigh(clause, recognised, false);
        }
        // Its steps stand once, each of them.
        if self.rent.found().is_some_and(|found| recognised.is_recognised(&found.range)) {
            self.schedule.clear();
        }
    }
}

/// Bounds a value by its witnesses, and answers whether it is recognised and stands alone. What has text of its own
/// beside scanned pages is sure of itself.
fn weigh<T: Clone>(settled: &mut Settled<T>, recognised: &RecognisedText, has_second: bool) -> bool {
    let Settled::Found(found) = settled else { return false };
    if !recognised.is_recognised(&found.range) {
        return false;
    }
    let limit = if has_second {
        TWO_WITNESSES_LIMIT
    } else {
        ONE_WITNESS_LIMIT.min(recognised.confidence_at(&found.range))
    };
    found.confidence = found.confidence.min(limit);
    !has_second
}

/// Whether all amounts of a passage stand in one sentence or row: one of the next may be another charge.
fn is_one_sentence<T>(recognised: &RecognisedText, found: &Candidate<T>) -> bool {
    let passage = recognised.text.slice(&found.range);
    let amounts = money::find(passage, None);
    let (Some(first), Some(last)) = (amounts.first(), amounts.last()) else { return true };
    passage.get(first.range.end..last.range.start).is_none_or(|between| !between.contains(". "))
}

/// Whether an amount stands in its passage with words that say the same.
fn has_words<T>(recognised: &RecognisedText, found: &Candidate<T>, amount: Decimal) -> bool {
    money::find(recognised.text.flow(), None).iter().any(|other| {
        other.amount == amount
            && other.words == WordsBeside::Agree
            && found.range.start <= other.range.start
            && other.range.end <= found.range.end
    })
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
                is_handwritten: false,
            });
            RecognisedLine { words: words.collect() }
        });
        let page = RecognisedPage { number: 1, lines: lines.collect() };
        Scan { pages: vec![page], in_pdf: false, unread_pages: Vec::new() }
    }

    /// A lease in which every value that is posted stands twice.
    const TWICE: &[&str] = &[
        "OFFICE LEASE",
        "This Lease is made as of May 1, 2020 between Alder Hall LLC (\"Landlord\") and Birch Tools Inc. (\"Tenant\").",
        "1. Premises. Landlord leases to Tenant Suite 4 of the building at 9 Elm Row, Austin, Texas.",
        "2. Term. The term is sixty (60) months, commencing on June 1, 2020 and ending on May 31, 2025.",
        "3. Rent. Tenant shall pay base rent of $5,250.00 per month ($63,000.00 per year).",
        "IN WITNESS WHEREOF the parties have signed.",
        "LANDLORD: Alder Hall LLC",
        "TENANT: Birch Tools Inc.",
    ];

    fn told(scan: &Scan, filed_under: Option<&str>) -> String {
        match LeaseExtractor::default().read_recognised(&[], scan, filed_under) {
            Extraction::Complete(lease) if lease.extraction_confidence <= TWO_WITNESSES_LIMIT => {
                "posted".to_owned()
            }
            Extraction::Incomplete(incomplete) if incomplete.reason.code == "one_witness" => {
                let named = incomplete.reason.detail.split(" can be read").next().unwrap_or_default();
                format!("one_witness {}", named.trim_start_matches("On the scan "))
            }
            Extraction::Incomplete(incomplete) => incomplete.reason.code,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_is_recognised_once_is_not_posted() {
        type Changes = &'static [(&'static str, &'static str)];
        // Case, what stands otherwise, how sure the recogniser is, what comes of it.
        let table: &[(&str, Changes, u16, &str)] = &[
            ("all twice", &[], 960, "posted"),
            ("a page that is hardly readable", &[], 700, "pages_not_readable"),
            ("no annual figure", &[(" ($63,000.00 per year)", "")], 960, "one_witness base_rent"),
            ("a rent that was misread", &[("$5,250", "$8,250")], 960, "base_rent_values_of_equal_weight"),
            (
                "a deposit as high as the misread rent",
                &[(" ($63,000.00 per year)", ". The security deposit is $5,250.00")],
                960,
                "one_witness base_rent",
            ),
            (
                "an allowance that is twelve times the rent",
                &[(" ($63,000.00 per year)", ". Landlord grants an improvement allowance of $63,000.00")],
                960,
                "one_witness base_rent",
            ),
            (
                "words beside the figure",
                &[(
                    "$5,250.00 per month ($63,000.00 per year)",
                    "Five Thousand Two Hundred Fifty and No/100 Dollars ($5,250.00) per month",
                )],
                960,
                "posted",
            ),
            (
                "no length",
                &[("is sixty (60) months, commencing", "commences")],
                960,
                "one_witness lease_start, lease_end",
            ),
            (
                "the start as the lease's own date",
                &[("is sixty (60) months, commencing", "commences"), ("May 1, 2020", "June 1, 2020")],
                960,
                "one_witness lease_start, lease_end",
            ),
            (
                "the tenant under no signature",
                &[("TENANT: Birch Tools Inc.", "")],
                960,
                "one_witness tenant_name",
            ),
            (
                "the tenant in a notice",
                &[("TENANT: Birch Tools Inc.", "Notices to Tenant go to Birch Tools Inc. at the premises.")],
                960,
                "posted",
            ),
            (
                "a longer name in a notice",
                &[(
                    "TENANT: Birch Tools Inc.",
                    "Notices to Tenant go to Old Birch Tools Inc. at the premises.",
                )],
                960,
                "one_witness tenant_name",
            ),
        ];
        for (case, changes, permille, expected) in table {
            let changed = |line: &&str| {
                changes.iter().fold((*line).to_owned(), |line, (from, to)| line.replace(from, to))
            };
            let lines: Vec<String> = TWICE.iter().map(changed).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_eq!(told(&scan(&lines, *permille), Some("P-1")), *expected, "{case}");
        }
    }

    #[test]
    fn a_property_that_is_recognised_once_is_asked_about() {
        for (case, more, expected) in [
            ("once", &["Property ID: B-25"] as &[&str], "one_witness property_id"),
            ("within other figures", &["Property ID: 5"], "one_witness property_id"),
            ("twice", &["Property ID: B-25", "Property ID: B-25"], "posted"),
        ] {
            let lines = [TWICE, more].concat();
            assert_eq!(told(&scan(&lines, 960), None), expected, "{case}");
            assert_eq!(told(&scan(&lines, 960), Some("P-1")), "posted", "{case}, filed by its key");
        }
    }

    #[test]
    fn a_page_that_was_not_made_out_sends_the_document_to_a_person() {
        let whole = scan(TWICE, 960);
        let unread = Scan { unread_pages: vec![2], ..whole };
        assert_eq!(told(&unread, Some("P-1")), "pages_without_text");
    }
}
