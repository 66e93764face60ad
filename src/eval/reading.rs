//! What the extractor gave of a document, held against its labels.

use serde::Serialize;
use serde_json::{Value, json};

use crate::lease::{LeaseAbstraction, field};
use crate::ports::extractor::{Extraction, Incomplete};
use crate::posting::{Confidence, Posted};

use super::labels::{Expected, Field, FieldValue, LabelledDocument};

/// A value that the extractor gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The value.
    pub value: FieldValue,
    /// How sure the extractor is.
    pub confidence: Confidence,
    /// The passage it was read from.
    pub passage: String,
    /// The rule that read it.
    pub rule: String,
    /// Whether it is right.
    pub is_right: bool,
    /// Whether it is one of those that tempt.
    pub is_tempting: bool,
}

/// A field of a document, with what is right and what was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldReading {
    /// The field.
    pub field: Field,
    /// What is right.
    pub expected: Expected,
    /// What was given, if anything.
    pub answer: Option<Answer>,
    /// Why nothing was given, and the best passage that a reviewer would be shown.
    pub remark: Option<String>,
}

/// A document, with what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentReading {
    /// Its path.
    pub file: String,
    /// How sure the extractor is of the whole, where it is complete and sound; else it cannot be posted.
    pub postable_at: Option<Confidence>,
    /// Why it is not complete.
    pub reason: Option<String>,
    /// Whether it could not be read at all, so that no person would find anything of it in review.
    pub is_rejected: bool,
    /// The fields that have a label.
    pub fields: Vec<FieldReading>,
}

impl DocumentReading {
    /// Compares an extraction with the labels.
    pub fn of(document: &LabelledDocument, extraction: &Extraction<LeaseAbstraction>) -> Self {
        let (found, postable_at, reason) = match extraction {
            Extraction::Complete(lease) => {
                let found = serde_json::to_value(lease).unwrap_or_default();
                let faults = lease.faults();
                let reason = faults.first().map(|fault| format!("invalid_document ({fault})"));
                (found, faults.is_empty().then_some(lease.extraction_confidence), reason)
            }
            Extraction::Incomplete(Incomplete { reason, found }) => {
                (found.clone(), None, Some(reason.code.clone()))
            }
            Extraction::Unusable(reason) | Extraction::Failed(reason) => {
                (json!({}), None, Some(reason.code.clone()))
            }
            Extraction::Waiting { .. } | Extraction::NotBegun => {
                (json!({}), None, Some("recognition_not_awaited".to_owned()))
            }
        };
        let fields = document.expected.iter().map(|(field, expected)| {
            let answer = answer_of(*field, &found, expected);
            let remark = if answer.is_none() { remark_of(*field, &found) } else { None };
            FieldReading { field: *field, expected: expected.clone(), answer, remark }
        });
        Self {
            file: document.file.clone(),
            postable_at,
            reason,
            is_rejected: matches!(
                extraction,
                Extraction::Unusable(_)
                    | Extraction::Failed(_)
                    | Extraction::Waiting { .. }
                    | Extraction::NotBegun
            ),
            fields: fields.collect(),
        }
    }

    pub(super) fn is_posted_at(&self, threshold: Confidence) -> bool {
        self.postable_at.is_some_and(|confidence| confidence >= threshold)
    }

    /// Whether a careful person would post it: every required field is there and none is one to ask about.
    pub(super) fn is_plain(&self) -> bool {
        self.required().all(|reading| reading.expected.is_answerable && !reading.expected.may_be_asked)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &FieldReading> {
        self.fields.iter().filter(|reading| reading.field.is_required())
    }
}

/// What was given for a field, in an abstraction or among what was found for review.
fn answer_of(field: Field, found: &Value, expected: &Expected) -> Option<Answer> {
    let entry = found.get(field.name())?;
    let is_shown = entry.get("value").is_some();
    let evidence = if is_shown {
        Some(entry)
    } else {
        found["evidence"].as_array().into_iter().flatten().find(|evidence| evidence["field"] == field.name())
    };
    let raw = if is_shown { entry["value"].clone() } else { entry.clone() };
    let value = match field {
        Field::TenantName | Field::LandlordName => FieldValue::Name(raw.as_str()?.to_owned()),
        Field::BaseRent => FieldValue::Rent(serde_json::from_value(raw).ok()?),
        Field::SecurityDeposit => FieldValue::Money(serde_json::from_value(raw).ok()?),
        Field::LeaseStart | Field::LeaseEnd => FieldValue::Day(serde_json::from_value(raw).ok()?),
    };
    let text =
        |key: &str| evidence.and_then(|evidence| evidence[key].as_str()).unwrap_or_default().to_owned();
    // An abstraction made elsewhere may hold no evidence; it is as sure of a field as of the whole.
    let confidence =
        evidence.map_or(&found[field::EXTRACTION_CONFIDENCE], |evidence| &evidence["confidence"]);
    let is_right = expected.right.iter().any(|right| right.is_same(&value));
    Some(Answer {
        confidence: serde_json::from_value(confidence.clone()).unwrap_or_default(),
        passage: text("passage"),
        rule: text("rule"),
        is_right,
        is_tempting: !is_right && expected.tempting.iter().any(|tempting| value.is_tempted_by(tempting)),
        value,
    })
}

/// Why a field has no value: the verifier's word, and the best of the values between which it did not choose.
fn remark_of(field: Field, found: &Value) -> Option<String> {
    let entry = found.get(field.name())?;
    let why = entry["abstained"].as_str()?;
    let candidate = &entry["candidates"][0];
    Some(match candidate["passage"].as_str() {
        Some(passage) => {
            let others: String = entry["candidates"]
                .as_array()
                .into_iter()
                .flatten()
                .skip(1)
                .filter(|other| other["value"] != candidate["value"])
                .map(|other| {
                    format!(
                        ", {} at {} by {}",
                        short(&other["value"]),
                        other["confidence"],
                        short(&other["rule"])
                    )
                })
                .collect();
            format!(
                "{why}; {} at {}{others} in: {passage}",
                short(&candidate["value"]),
                candidate["confidence"]
            )
        }
        None => why.to_owned(),
    })
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(rent) => rent.values().map(short).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Which values are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Those that are posted; what went to review gives none.
    Posted,
    /// Those that a reviewer is shown, in the documents that are not posted.
    InReview,
    /// Both.
    Together,
}

/// What became of a field at a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A right value was given.
    Right,
    /// A wrong value was given where there is a right one.
    Wrong,
    /// A value was given where the right answer is to give none.
    GivenAgainst,
    /// No value was given though there is one.
    Missed,
    /// No value was given, and the label says that this is as good.
    LeftOut,
    /// No value was given, rightly.
    Abstained,
}

impl FieldReading {
    pub(super) fn accepted(&self, threshold: Confidence, view: View, is_posted: bool) -> Option<&Answer> {
        let answer = self.answer.as_ref()?;
        let counts = match view {
            View::Posted => is_posted,
            View::InReview => !is_posted && answer.confidence >= threshold,
            View::Together => is_posted || answer.confidence >= threshold,
        };
        counts.then_some(answer)
    }

    pub(super) fn verdict(&self, threshold: Confidence, view: View, is_posted: bool) -> Verdict {
        match self.accepted(threshold, view, is_posted) {
            Some(answer) if answer.is_right => Verdict::Right,
            Some(_) if self.expected.is_answerable => Verdict::Wrong,
            Some(_) => Verdict::GivenAgainst,
            None if !self.expected.is_answerable => Verdict::Abstained,
            None if self.expected.may_be_left_out => Verdict::LeftOut,
            None => Verdict::Missed,
        }
    }
}
