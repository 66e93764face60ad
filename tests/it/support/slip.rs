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
    /// How often a service elsewhere says that it is not done; no part of what is posted.
    #[serde(default, skip_serializing)]
    pub waits: u32,
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
            b"no room" => return Extraction::NotBegun,
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
            Ok(slip) if jobs_asked(request.job_id.as_deref()) < slip.waits => Extraction::Waiting {
                job_id: format!("{}/{}", request.work_token, jobs_asked(request.job_id.as_deref()) + 1),
                ask_again_ms: ASK_AGAIN_MS,
            },
            Ok(slip) => {
                Extraction::Complete(Slip { under: request.filed_under.unwrap_or(slip.under), ..slip })
            }
            Err(_) => Extraction::Unusable(Reason::new("unsupported_type", "no slip")),
        }
    }
}

/// When a slip's service is to be asked again for the first time, in milliseconds.
pub const ASK_AGAIN_MS: u64 = 20_000;

/// A job of these tests counts in its name how often it was asked for.
fn jobs_asked(job_id: Option<&str>) -> u32 {
    job_id.and_then(|id| id.rsplit('/').next()?.parse().ok()).unwrap_or(0)
}

/// The text of a slip that a service elsewhere works on until it was asked so often.
pub fn slow_slip(amount: u32, waits: u32) -> String {
    format!(r#"{{"under":"P-1","amount":{amount},"waits":{waits}}}"#)
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
