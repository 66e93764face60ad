//! What an amendment changes: the term, the space, the rent, or something else.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::lease::{AmendmentScope, DocumentKind};

use super::{Candidate, Reading, rules};
use crate::extract::expression;

/// How far a sentence about a change is followed, in bytes.
const SENTENCE_REACH_BYTES: usize = 400;

/// Words by which an amendment lengthens the term.
static EXTENDS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:term|lease)\b[^.;]{0,80}?\b(?:is|are|shall\s+be|will\s+be)\s+(?:hereby\s+)?(?:extended|renewed)\b|\b(?:agrees?|desire|elects?)\s+to\s+(?:renew\s+and\s+)?(?:extend|renew)\b|\b(?:hereby\s+)?(?:extends?|renews?)\s+the\s+(?:\w+\s+){0,2}(?:term|lease)\b|\bextension\s+of\s+(?:the\s+)?(?:lease\s+)?term\b|\bexpir(?:ation|y)\s+(?:date\s+)?(?:\w+\s+){0,4}?(?:is|shall\s+be)\s+(?:hereby\s+)?(?:changed|extended|amended)\b",
    )
});

/// Words by which it adds space.
static EXPANDS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)"(?:the\s+)?(?:\w+\s+)?(?:expansion|additional)\s+(?:space|premises|area)"|\bpremises\b[^.;]{0,60}?\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:expanded|enlarged|increased)\b|\b(?:land|space|premises|area)\s+added\b|\badd(?:s|ed|ing)?\b[^.;]{0,60}?\bto\s+the\s+premises\b"#,
    )
});

/// Words by which it changes the rent.
static CHANGES_RENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:base|basic|minimum|monthly|annual|fixed)\s+(?:\w+\s+)?rent(?:al)?\b[^.;]{0,80}?\b(?:is|are|shall\s+be|will\s+be)\b",
    )
});

/// What makes such words a right, a refusal or a tale.
static NOT_DONE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:option|may|right\s+to|if|no|not|unless|previously|heretofore)\b"));

/// What the operative part of an amendment does; nothing for another kind of document.
pub fn propose(reading: &Reading<'_>, kind: DocumentKind) -> Vec<Candidate<AmendmentScope>> {
    if kind != DocumentKind::Amendment {
        return Vec::new();
    }
    let (extends, expands) = (done(reading, &EXTENDS), done(reading, &EXPANDS));
    let (scope, range) = match (extends, expands) {
        (Some(range), Some(_)) => (AmendmentScope::ExtensionAndExpansion, range),
        (Some(range), None) => (AmendmentScope::Extension, range),
        (None, Some(range)) => (AmendmentScope::Expansion, range),
        (None, None) => match done(reading, &CHANGES_RENT) {
            Some(range) => (AmendmentScope::RentChange, range),
            // That nothing of the kind is said has no passage but the title.
            None => return vec![rules::SCOPE_BY_ABSENCE.says(AmendmentScope::Other, 0..title_end(reading))],
        },
    };
    vec![rules::SCOPE_BY_WORDS.says(scope, range)]
}

fn title_end(reading: &Reading<'_>) -> usize {
    reading.text.line_at(0).end.min(SENTENCE_REACH_BYTES)
}

/// The first sentence outside the recitals by which something is done.
fn done(reading: &Reading<'_>, words: &Regex) -> Option<Range<usize>> {
    words.find_iter(reading.flow()).map(|found| found.range()).find(|range| {
        let sentence = reading.text.sentence_around(range, SENTENCE_REACH_BYTES);
        !reading.is_in_recitals(range.start)
            && !NOT_DONE.is_match(reading.text.slice(&(sentence.start..range.end)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::reading_of;

    #[test]
    fn an_amendment_says_what_it_changes() {
        use AmendmentScope::{Expansion, Extension, ExtensionAndExpansion, Other, RentChange};
        let rows = [
            ("1. The Term is hereby extended through April 30, 2025.", Extension),
            ("1. Landlord and Tenant agree to extend the Lease term for 60 months.", Extension),
            ("1. The Lease Expiration Date is changed from May 1, 2020 to May 1, 2025.", Extension),
            ("1. Landlord leases to Tenant Suite 5 (the \"Expansion Space\").", Expansion),
            ("1. Land added. The strip is let as well.", Expansion),
            (
                "1. The Term is extended. 2. The Premises are hereby expanded by Suite 5.",
                ExtensionAndExpansion,
            ),
            ("1. Base Rent shall be $5,000.00 per month.", RentChange),
            ("1. Tenant may paint the door.", Other),
            ("1. Tenant has an option by which the Term is extended. 2. Keys are handed over.", Other),
            ("WHEREAS the Term was long. NOW, THEREFORE 1. Base Rent is $5,000.00.", RentChange),
        ];
        for (text, expected) in rows {
            let text = format!("FIRST AMENDMENT TO LEASE\n{text}");
            let found = reading_of(&text, |reading| propose(reading, DocumentKind::Amendment));
            assert_eq!(found.first().map(|found| found.value), Some(expected), "{text}");
            assert!(reading_of(&text, |reading| propose(reading, DocumentKind::Lease)).is_empty());
        }
    }
}
