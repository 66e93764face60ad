//! A second kind of document, as small as one can be: the protocol's tests need no lease.

use lease_ingest::ports::extractor::{ExtractRequest, Extraction, Extractor, Incomplete};
use lease_ingest::posting::Reason;
use lease_ingest::posting::{Confidence, Fault, Indexed, Posted};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A slip of paper with an amount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// What it is filed under.
    pub under: String,
    /// The amount.
    #[serde(with = "rust_decimal::serde::arbitrary_precision")]
    pub amount: Decimal,
    /// How sure one is.
    #[serde(default = "certain")]
    pub confidence: Confidence,
}

fn certain() -> Confidence {
    Confidence::ONE
}

impl Posted for Slip {
    const KIND: &'static str = "slip";
    const SCHEMA_VERSION: u32 = 1;

    fn faults(&self) -> Vec<Fault> {
        let wrong = self.amount <= Decimal::ZERO;
        wrong
            .then(|| Fault { field: "amount".into(), problem: "must be more than 0".into() })
            .into_iter()
            .collect()
    }

    fn confidence(&self) -> Confidence {
        self.confidence
    }

    fn filed_under(&self) -> &str {
        &self.under
    }

    fn filing_order(&self) -> String {
        "2026-01-01".into()
    }

    fn indexed(&self) -> Vec<(&'static str, Indexed)> {
        vec![("amount", Indexed::Number(self.amount))]
    }
}

/// Reads slips: JSON, or one of a few words that name what should happen.
#[derive(Debug, Clone, Copy)]
pub struct SlipExtractor;

impl Extractor for SlipExtractor {
    type Document = Slip;

    fn name_and_version(&self) -> String {
        "slip 1".into()
    }

    async fn extract(&self, request: ExtractRequest) -> Extraction<Slip> {
        match &*request.bytes {
            b"panic" => panic!("a slip that panics"),
            b"fail" => return Extraction::Failed(Reason::new("extractor_failed", "it failed")),
            b"unusable" => return Extraction::Unusable(Reason::new("unsupported_type", "no slip")),
            b"incomplete" => {
                let found = serde_json::json!({ "amount": 1 });
                return Extraction::Incomplete(Incomplete {
                    reason: Reason::new("incomplete", "a part"),
                    found,
                });
            }
            _ => {}
        }
        match serde_json::from_slice::<Slip>(&request.bytes) {
            Ok(slip) => {
                Extraction::Complete(Slip { under: request.filed_under.unwrap_or(slip.under), ..slip })
            }
            Err(_) => Extraction::Unusable(Reason::new("unsupported_type", "no slip")),
        }
    }
}

/// The text of a slip.
pub fn slip(amount: u32) -> String {
    format!(r#"{{"under":"P-1","amount":{amount}}}"#)
}

/// A slip whose amount stands for a text: equal texts have equal bytes, other texts other bytes.
pub fn slip_of(text: &str) -> String {
    let digits = lease_ingest::identity::short_hash(text);
    slip(u32::from_str_radix(&digits[..7], 16).unwrap() + 1)
}
