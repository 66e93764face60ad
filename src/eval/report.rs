//! The measurement of a set of documents.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::posting::Confidence;

use super::by_rule::{RuleLine, left_one_out, rule_lines};
use super::counts::{Counts, Ratio};
use super::labels::Field;
use super::reading::{DocumentReading, FieldReading, Verdict, View};

/// Thresholds of the confidence curve, in percent.
const CURVE_PERCENT: [u16; 11] = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 99];

/// A field's counts with its ratios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldLine {
    /// The field's name; `all` for the sum.
    pub field: &'static str,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// Right of what was given.
    pub precision: Ratio,
    /// Right of what could be given.
    pub coverage: Ratio,
}

/// Counts of whole documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DocumentCounts {
    /// All that were read.
    pub documents: usize,
    /// Posted, and every labelled field that was posted is right.
    pub posted_right: usize,
    /// Posted with every required field right and another one wrong.
    pub posted_with_wrong_optional: usize,
    /// Posted with a required field that is wrong, or that should have been asked about.
    pub posted_with_wrong_required: usize,
    /// For a person, though each required field is plainly there.
    pub reviewed_though_plain: usize,
    /// For a person, rightly.
    pub reviewed_rightly: usize,
    /// Of those that were sent to a person, the ones of which nothing could be read.
    pub rejected: usize,
}

/// A point of the confidence curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CurvePoint {
    /// The threshold.
    pub threshold: Confidence,
    /// Values at or above it, posted or shown, and how many of them are right.
    pub fields: Ratio,
    /// Documents that it would post, and how many of them are right in all that was posted.
    pub documents: Ratio,
}

/// A value or a gap to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The document.
    pub file: String,
    /// The field.
    pub field: &'static str,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether the value was posted; else it is what a reviewer is shown.
    pub is_posted: bool,
    /// Whether the labels warned of this value.
    pub is_tempting: bool,
    /// What would be right; empty where no value is.
    pub expected: Vec<String>,
    /// What was given, also where it was not sure enough.
    pub given: Option<String>,
    /// How sure the extractor was of it.
    pub confidence: Option<Confidence>,
    /// The rule that gave it.
    pub rule: Option<String>,
    /// The passage it was read from, or why there is none.
    pub passage: Option<String>,
}

/// What came of each document, for a line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentLine {
    /// The document.
    pub file: String,
    /// What came of it: `posted_right`, `posted_with_wrong_optional`, `posted_with_wrong_required`,
    /// `reviewed_though_plain` or `reviewed_rightly`.
    pub fate: &'static str,
    /// Why it was not posted.
    pub reason: Option<String>,
}

/// The measurement of a set of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The threshold at which values count as given.
    pub threshold: Confidence,
    /// Fields as they are posted.
    pub posted: Vec<FieldLine>,
    /// Fields as a reviewer is shown them.
    pub in_review: Vec<FieldLine>,
    /// Both.
    pub together: Vec<FieldLine>,
    /// Whole documents.
    pub documents: DocumentCounts,
    /// Each rule of each field.
    pub rules: Vec<RuleLine>,
    /// All fields, if each value were only as sure as its rule was right in the other documents.
    pub left_one_out: FieldLine,
    /// Each document.
    pub document_lines: Vec<DocumentLine>,
    /// How right the values are from each confidence on.
    pub curve: Vec<CurvePoint>,
    /// Each miss and each wrong value.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Counts.
    pub fn of(readings: &[DocumentReading], threshold: Confidence) -> Self {
        let document_lines: Vec<DocumentLine> = readings
            .iter()
            .map(|document| DocumentLine {
                file: document.file.clone(),
                fate: fate(document, threshold),
                reason: document.reason.clone().or_else(|| {
                    let low = document.postable_at.filter(|confidence| *confidence < threshold)?;
                    Some(format!("low_confidence ({low})"))
                }),
            })
            .collect();
        let with = |sought: &str| document_lines.iter().filter(|line| line.fate == sought).count();
        Self {
            threshold,
            posted: field_lines(readings, threshold, View::Posted),
            in_review: field_lines(readings, threshold, View::InReview),
            together: field_lines(readings, threshold, View::Together),
            documents: DocumentCounts {
                documents: readings.len(),
                posted_right: with(POSTED_RIGHT),
                posted_with_wrong_optional: with(POSTED_WITH_WRONG_OPTIONAL),
                posted_with_wrong_required: with(POSTED_WITH_WRONG_REQUIRED),
                reviewed_though_plain: with(REVIEWED_THOUGH_PLAIN),
                reviewed_rightly: with(REVIEWED_RIGHTLY),
                rejected: readings.iter().filter(|document| document.is_rejected).count(),
            },
            rules: rule_lines(readings, threshold),
            left_one_out: line("all", left_one_out(readings, threshold)),
            curve: CURVE_PERCENT
                .iter()
                .map(|percent| curve_point(readings, Confidence::percent(*percent)))
                .collect(),
            findings: readings.iter().flat_map(|document| findings(document, threshold)).collect(),
            document_lines,
        }
    }
}

pub(super) const POSTED_RIGHT: &str = "posted_right";
pub(super) const POSTED_WITH_WRONG_OPTIONAL: &str = "posted_with_wrong_optional";
pub(super) const POSTED_WITH_WRONG_REQUIRED: &str = "posted_with_wrong_required";
pub(super) const REVIEWED_THOUGH_PLAIN: &str = "reviewed_though_plain";
pub(super) const REVIEWED_RIGHTLY: &str = "reviewed_rightly";

fn fate(document: &DocumentReading, threshold: Confidence) -> &'static str {
    if !document.is_posted_at(threshold) {
        return if document.is_plain() { REVIEWED_THOUGH_PLAIN } else { REVIEWED_RIGHTLY };
    }
    let is_wrong = |reading: &FieldReading| {
        matches!(reading.verdict(threshold, View::Posted, true), Verdict::Wrong | Verdict::GivenAgainst)
    };
    if document.required().any(is_wrong) {
        POSTED_WITH_WRONG_REQUIRED
    } else if document.fields.iter().any(is_wrong) {
        POSTED_WITH_WRONG_OPTIONAL
    } else {
        POSTED_RIGHT
    }
}

fn field_lines(readings: &[DocumentReading], threshold: Confidence, view: View) -> Vec<FieldLine> {
    let mut by_field: BTreeMap<Field, Counts> =
        Field::ALL.into_iter().map(|field| (field, Counts::default())).collect();
    let mut all = Counts::default();
    for document in readings {
        let is_posted = document.is_posted_at(threshold);
        if view == View::InReview && is_posted {
            continue;
        }
        for reading in &document.fields {
            let verdict = reading.verdict(threshold, view, is_posted);
            all.add(reading, verdict);
            by_field.entry(reading.field).or_default().add(reading, verdict);
        }
    }
    let mut lines: Vec<FieldLine> = Field::ALL
        .iter()
        .map(|field| line(field.name(), by_field.get(field).copied().unwrap_or_default()))
        .collect();
    lines.push(line("all", all));
    lines
}

fn line(field: &'static str, counts: Counts) -> FieldLine {
    FieldLine { field, counts, precision: counts.precision(), coverage: counts.coverage() }
}

fn curve_point(readings: &[DocumentReading], threshold: Confidence) -> CurvePoint {
    let (mut fields, mut documents) = (Ratio::default(), Ratio::default());
    for document in readings {
        for reading in &document.fields {
            if let Some(answer) = reading.accepted(threshold, View::Together, false) {
                fields.of += 1;
                fields.count += usize::from(answer.is_right);
            }
        }
        if document.is_posted_at(threshold) {
            documents.of += 1;
            documents.count += usize::from(fate(document, threshold) == POSTED_RIGHT);
        }
    }
    CurvePoint { threshold, fields, documents }
}

fn findings(document: &DocumentReading, threshold: Confidence) -> impl Iterator<Item = Finding> {
    let is_posted = document.is_posted_at(threshold);
    document.fields.iter().filter_map(move |reading| {
        let verdict = reading.verdict(threshold, View::Together, is_posted);
        if !matches!(verdict, Verdict::Wrong | Verdict::GivenAgainst | Verdict::Missed) {
            return None;
        }
        let answer = reading.answer.as_ref();
        Some(Finding {
            file: document.file.clone(),
            field: reading.field.name(),
            verdict,
            is_posted: is_posted && answer.is_some(),
            is_tempting: answer.is_some_and(|answer| answer.is_tempting),
            expected: reading.expected.right.iter().map(ToString::to_string).collect(),
            given: answer.map(|answer| answer.value.to_string()),
            confidence: answer.map(|answer| answer.confidence),
            rule: answer.map(|answer| answer.rule.clone()),
            passage: answer.map(|answer| answer.passage.clone()).or_else(|| reading.remark.clone()),
        })
    })
}
