//! Counts of each rule, and what its confidence would be by the other documents alone.
//!
//! A rule that was made from a document says nothing about itself by being right there. So each document is left
//! out in turn: of a rule it is then known how often it was right and wrong in all the others, and what is to be
//! expected of it by that is held against what it says of itself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::posting::Confidence;

use super::counts::{Counts, Ratio};
use super::labels::Field;
use super::reading::{Answer, DocumentReading, View};

/// Thousandths in a whole.
const WHOLE_PERMILLE: usize = 1_000;

/// What became of the values that one rule gave for one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleLine {
    /// The field's name.
    pub field: &'static str,
    /// The rule's name.
    pub rule: String,
    /// Values at or above the threshold, and how many of them are right.
    pub accepted: Ratio,
    /// All values that were given, and how many of them are right.
    pub given: Ratio,
    /// The highest confidence that it claimed.
    pub claims: Confidence,
    /// What is to be expected of it by the documents other than one, the least over all of them: a right value
    /// more and a value more than were counted, after Laplace, and never more than it claims.
    pub expected_by_others: Confidence,
}

/// What is to be expected after so many right of so many, by Laplace's rule: none of none is even.
fn expected_after(right: usize, of: usize) -> Confidence {
    let permille = (right + 1) * WHOLE_PERMILLE / (of + 2);
    Confidence::permille(u16::try_from(permille).unwrap_or(u16::MAX))
}

#[derive(Default)]
struct Tally {
    accepted: Ratio,
    /// Right values and all values, document by document.
    given: BTreeMap<String, Ratio>,
    claims: Confidence,
}

impl Tally {
    fn given_but_in(&self, left_out: Option<&str>) -> Ratio {
        self.given.iter().filter(|(file, _)| Some(file.as_str()) != left_out).fold(
            Ratio::default(),
            |sum, (_, ratio)| Ratio { count: sum.count + ratio.count, of: sum.of + ratio.of },
        )
    }

    /// The rule's confidence by every document but one.
    fn expected_without(&self, file: &str) -> Confidence {
        let others = self.given_but_in(Some(file));
        self.claims.min(expected_after(others.count, others.of))
    }
}

fn tallies(readings: &[DocumentReading], threshold: Confidence) -> BTreeMap<(Field, String), Tally> {
    let mut tallies: BTreeMap<(Field, String), Tally> = BTreeMap::new();
    for document in readings {
        for reading in &document.fields {
            let Some(answer) = &reading.answer else { continue };
            let tally = tallies.entry((reading.field, answer.rule.clone())).or_default();
            tally.claims = tally.claims.max(answer.confidence);
            let right = usize::from(answer.is_right);
            let given = tally.given.entry(document.file.clone()).or_default();
            *given = Ratio { count: given.count + right, of: given.of + 1 };
            if reading.accepted(threshold, View::Together, document.is_posted_at(threshold)).is_some() {
                tally.accepted = Ratio { count: tally.accepted.count + right, of: tally.accepted.of + 1 };
            }
        }
    }
    tallies
}

/// A line for each rule of each field.
pub(super) fn rule_lines(readings: &[DocumentReading], threshold: Confidence) -> Vec<RuleLine> {
    tallies(readings, threshold)
        .into_iter()
        .map(|((field, rule), tally)| RuleLine {
            field: field.name(),
            rule,
            accepted: tally.accepted,
            given: tally.given_but_in(None),
            claims: tally.claims,
            expected_by_others: tally
                .given
                .keys()
                .map(|file| tally.expected_without(file))
                .min()
                .unwrap_or_default(),
        })
        .collect()
}

/// Counts over all fields if each value were as sure as the other documents make its rule, and no surer than it is.
pub(super) fn left_one_out(readings: &[DocumentReading], threshold: Confidence) -> Counts {
    let tallies = tallies(readings, threshold);
    let lowered = |file: &str, field: Field, answer: &Answer| {
        let expected = tallies.get(&(field, answer.rule.clone())).map(|tally| tally.expected_without(file));
        let confidence = answer.confidence.min(expected.unwrap_or_default());
        Answer { confidence, ..answer.clone() }
    };
    let mut counts = Counts::default();
    for document in readings {
        for reading in &document.fields {
            let mut reading = reading.clone();
            reading.answer =
                reading.answer.as_ref().map(|answer| lowered(&document.file, reading.field, answer));
            let verdict = reading.verdict(threshold, View::InReview, false);
            counts.add(&reading, verdict);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_witnesses_promise_little() {
        let rows = [(0, 0, 500), (1, 1, 666), (5, 5, 857), (13, 13, 933), (8, 10, 750), (0, 3, 200)];
        for (right, of, permille) in rows {
            assert_eq!(expected_after(right, of).as_permille(), permille, "{right} of {of}");
        }
    }

    #[test]
    fn a_document_says_nothing_of_a_rule_by_itself() {
        let ratio = |count, of| Ratio { count, of };
        let tally = Tally {
            accepted: ratio(3, 4),
            given: [("a", ratio(1, 1)), ("b", ratio(0, 1)), ("c", ratio(2, 2))]
                .into_iter()
                .map(|(file, ratio)| (file.to_owned(), ratio))
                .collect(),
            claims: Confidence::percent(70),
        };
        // Without the document where it is wrong it would be expected to be right more often than it claims.
        let rows = [("a", 600), ("b", 700), ("c", 500)];
        for (file, permille) in rows {
            assert_eq!(tally.expected_without(file).as_permille(), permille, "{file}");
        }
    }
}
