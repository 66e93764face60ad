//! Fields that are kept where they are plain and left out where they are not: the date of the document, the
//! area, the premises, options to renew, the way the rent rises.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use crate::extract::{dates, money};
use crate::lease::{Area, AreaUnit, CLAUSE_MAX_CHARS, DocumentKind, bounded};
use crate::posting::Confidence;

use super::{Candidate, Reading};
use crate::extract::expression;

/// How far from the start the document's date and area are stated, in bytes.
const HEAD_MAX_BYTES: usize = 25_000;
/// How far before a date the words that make it the document's may stand, in bytes.
const CUE_REACH_BYTES: usize = 110;
/// How far before an area the words that make it that of the premises may stand, in bytes.
const AREA_REACH_BYTES: usize = 160;
/// How far a clause is followed, in bytes.
const CLAUSE_REACH_BYTES: usize = 500;

static MADE_ON: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bthis\b[^.;]{0,90}?\b(?:is|are|was)?\s*(?:hereby\s+)?(?:made|dated|entered|executed)\b(?:\s+(?:and|entered|into|executed|made|effective|dated|as|of|on|this|the|by|in\s+duplicate))*\s*$",
    )
});

static TO_ANOTHER_PAPER: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:amendment|addendum|modification)\b[^.;]{0,20}\bto\b[^.;]{0,70}\b(?:lease|agreement)\s+dated\b|\bcertain\b",
    )
});

/// The document's own date: "This Lease is made as of April 2, 2020".
pub fn execution_date(reading: &Reading<'_>) -> Vec<Candidate<Date>> {
    let head = reading.text.slice(&(0..reading.scope.end.min(HEAD_MAX_BYTES)));
    dates::find(head, reading.date_order)
        .into_iter()
        .filter(|found| !found.ambiguous)
        .filter_map(|found| {
            let before = reading.text.before(found.range.start, CUE_REACH_BYTES);
            let cue = MADE_ON.find(before)?;
            // "This Amendment to Lease dated ..." gives the date of the lease, not its own.
            if TO_ANOTHER_PAPER.is_match(cue.as_str()) {
                return None;
            }
            let start = found.range.start - (before.len() - cue.start());
            let confidence = Confidence::percent(90);
            Some(Candidate { value: found.date, confidence, range: start..found.range.end, rule: "made_on" })
        })
        // A document is made once; a later mention in the head is of another paper.
        .take(1)
        .collect()
}

static AREA: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?P<size>\d{1,3}(?:,\d{3})+|\d{2,7})(?:\.\d+)?\s+(?:(?:rentable|usable|gross|net|leasable|total|approximate)\s+){0,2}(?P<unit>square\s+f(?:ee|oo)t|sq\.?\s*ft\.?|rsf\b|square\s+met(?:re|er)s?|sqm\b|m2\b|acres?\b)",
    )
});
static OF_THE_PREMISES: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:premises|leased|demises?|lets|suite|unit|area)\b"));
static OF_ANOTHER_SPACE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:expansion|existing|surrender|storage|additional|remaining|common|parking|total\s+area\s+of\s+the\s+building|project|land|lot|parcel|right\s+of\s+first|if|per)\b",
    )
});

/// The area of the premises.
pub fn area(reading: &Reading<'_>) -> Vec<Candidate<Area>> {
    let head = reading.text.slice(&(0..reading.scope.end.min(HEAD_MAX_BYTES)));
    AREA.captures_iter(head)
        .filter_map(|captures| {
            let range = captures.get(0)?.range();
            let size = money::figures(captures.name("size")?.as_str())?;
            let unit = captures.name("unit")?.as_str().to_lowercase();
            let unit = match unit {
                unit if unit.contains("met") || unit == "sqm" || unit == "m2" => AreaUnit::SquareMetres,
                unit if unit.starts_with("acre") => AreaUnit::Acres,
                _ => AreaUnit::SquareFeet,
            };
            let sentence = reading.text.sentence_around(&range, AREA_REACH_BYTES);
            let before = reading.text.slice(&(sentence.start..range.start));
            let plain = OF_THE_PREMISES.is_match(before) && !OF_ANOTHER_SPACE.is_match(before);
            let confidence = if plain { Confidence::percent(87) } else { Confidence::percent(60) };
            let start = sentence.start.max(range.start.saturating_sub(100));
            Some(Candidate {
                value: Area { size, unit },
                confidence,
                range: start..range.end,
                rule: "area_of_premises",
            })
        })
        .collect()
}

static PREMISES_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?im)(?:^|\t)\s*(?:\(?[a-z0-9]{1,3}[.)]\s*)?(?:leased\s+|demised\s+|subleased\s+)?premises(?:\s+address)?\s*:\s*\t?(?P<text>[^\t\n]{8,300})",
    )
});

/// The premises, where a labelled field gives them.
pub fn premises(reading: &Reading<'_>) -> Vec<Candidate<String>> {
    let head = reading
        .text
        .lined()
        .get(..super::floor_boundary(reading.text.lined(), reading.scope.end.min(HEAD_MAX_BYTES)));
    PREMISES_LABEL
        .captures_iter(head.unwrap_or_default())
        .filter_map(|captures| {
            let text = captures.name("text")?;
            Some(Candidate {
                value: bounded(text.as_str(), CLAUSE_MAX_CHARS),
                confidence: Confidence::percent(86),
                range: text.range(),
                rule: "labelled_premises",
            })
        })
        .take(1)
        .collect()
}

static RENEWS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:tenant|lessee|sub-?tenant|sub-?lessee)\s+(?:may\s+(?:renew|extend)|(?:shall\s+have|has|is\s+granted|is\s+hereby\s+granted)\s+(?:the\s+|an?\s+|one\s+|two\s+|\(?\d\)?\s+)*(?:option|right)s?\b[^.;]{0,60}?\bto\s+(?:renew|extend))\b",
    )
});
static NO_OPTION: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:no|not|without|waives?|deleted|void)\b"));

/// An option to renew or extend, in the document's words.
pub fn renewal(reading: &Reading<'_>, kind: DocumentKind) -> Vec<Candidate<String>> {
    if kind == DocumentKind::Amendment {
        return Vec::new();
    }
    clause(reading, &RENEWS, "option_to_renew", |passage| !NO_OPTION.is_match(passage))
}

static RISES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:base|basic|minimum|annual|monthly)\s+)+rent(?:al)?\b[^.;$]{0,90}?\b(?:increas|escalat|adjust|index)\w*\b[^.;$]{0,120}?(?:\d\s?%|percent|consumer\s+price|\bcpi\b|health\s+index)",
    )
});

/// How the rent rises, in the document's words.
pub fn escalation(reading: &Reading<'_>) -> Vec<Candidate<String>> {
    static OTHER: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:renewal|option|extension\s+term|holdover|holding\s+over)\b"));
    clause(reading, &RISES, "rent_rises", |passage| !OTHER.is_match(passage))
}

fn clause(
    reading: &Reading<'_>,
    pattern: &Regex,
    rule: &'static str,
    holds: impl Fn(&str) -> bool,
) -> Vec<Candidate<String>> {
    pattern
        .find_iter(reading.flow())
        .map(|found| reading.text.sentence_around(&found.range(), CLAUSE_REACH_BYTES))
        .filter(|sentence: &Range<usize>| holds(reading.text.slice(sentence)))
        .map(|sentence| Candidate {
            value: bounded(reading.text.slice(&sentence), CLAUSE_MAX_CHARS),
            confidence: Confidence::percent(86),
            range: sentence,
            rule,
        })
        .take(1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::reading_of;

    #[test]
    fn the_document_has_its_own_date() {
        let rows = [
            ("THIS LEASE is made as of April 2, 2020, between", Some("2020-04-02")),
            ("This Lease made and entered into this 2nd day of April, 2020", Some("2020-04-02")),
            (
                "THIS SECOND AMENDMENT TO LEASE DATED MAY 1, 2019 is made effective the 2nd day of April, 2020",
                None,
            ),
            ("the lease was signed long before April 2, 2020", None),
            ("The term commences on April 2, 2020", None),
        ];
        for (text, expected) in rows {
            let found = reading_of(text, execution_date).first().map(|found| found.value.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_area_is_that_of_the_premises() {
        let rows = [
            ("Premises: 4,800 rentable square feet", Some("4800"), true),
            ("the Premises, of 640 square metres", Some("640"), true),
            ("The expansion space contains 900 square feet", Some("900"), false),
            ("rent of $5 per foot", None, false),
            ("the demised premises, having a floor area of 1,250 sq. ft.", Some("1250"), true),
            ("Leased area: 12,000 RSF on floor 3", Some("12000"), true),
            ("the Premises of about 13 acres", Some("13"), true),
            ("a project of 250,000 square feet", Some("250000"), false),
            ("Tenant leases additional space of 900 square feet", Some("900"), false),
            ("the building contains 48,000 square feet", Some("48000"), false),
        ];
        for (text, size, sure) in rows {
            let found = reading_of(text, area);
            let first = found.first();
            assert_eq!(first.map(|found| found.value.size.to_string()).as_deref(), size, "{text}");
            assert_eq!(
                first.is_some_and(|found| found.confidence >= Confidence::percent(85)),
                sure,
                "{text}"
            );
        }
    }

    #[test]
    fn a_renewal_needs_an_option() {
        let rows = [
            ("Tenant shall have the option to renew this Lease for five years.", true),
            ("Tenant may extend the term once.", true),
            ("Tenant shall have no option to renew.", false),
            ("Tenant has the right to extend, which is deleted.", false),
            ("Renewal: none", false),
            ("Lessee is hereby granted the option to extend the term for two years.", true),
            ("Tenant waives the right to renew.", false),
            ("The lease renews the paint of the door.", false),
        ];
        for (text, expected) in rows {
            let found = reading_of(text, |reading| renewal(reading, DocumentKind::Lease));
            assert_eq!(!found.is_empty(), expected, "{text}");
        }
    }

    #[test]
    fn an_escalation_says_by_how_much() {
        let rows = [
            ("Base Rent shall increase by 3% on each anniversary.", true),
            ("The annual rent is adjusted by the Consumer Price Index.", true),
            ("Base Rent may increase.", false),
            ("The monthly rent shall escalate annually by four percent.", true),
            ("Taxes shall increase by 3%.", false),
            ("In the renewal term Base Rent shall increase by 3%.", false),
        ];
        for (text, expected) in rows {
            assert_eq!(!reading_of(text, escalation).is_empty(), expected, "{text}");
        }
    }
}
