//! A second kind of document on the same protocol: certificates of insurance. What is posted is a type and an
//! extractor; everything else is used as it is, on the embedded engine: `cargo run --example certificates`.

use std::collections::BTreeMap;
use std::sync::Arc;

use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::config::IngestSettings;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::Versioning;
use lease_ingest::embedded::queue::{QueueSettings, lambda_event, notification};
use lease_ingest::handler::handle;
use lease_ingest::pipeline::{Parts, Pipeline};
use lease_ingest::ports::clock::{Clock, SystemClock};
use lease_ingest::ports::extractor::{ExtractRequest, Extraction, Extractor};
use lease_ingest::posting::{Confidence, Fault, Indexed, Posted, Reason};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Certificate {
    policy: String,
    expires: String,
    #[serde(with = "rust_decimal::serde::arbitrary_precision")]
    limit: Decimal,
}

impl Posted for Certificate {
    const KIND: &'static str = "insurance_certificate";
    const SCHEMA_VERSION: u32 = 1;

    fn faults(&self) -> Vec<Fault> {
        let wrong = self.limit <= Decimal::ZERO;
        wrong
            .then(|| Fault { field: "limit".into(), problem: "must be above zero".into() })
            .into_iter()
            .collect()
    }
    fn confidence(&self) -> Confidence {
        Confidence::ONE
    }
    fn filed_under(&self) -> &str {
        &self.policy
    }
    fn filing_order(&self) -> String {
        self.expires.clone()
    }
    fn indexed(&self) -> Vec<(&'static str, Indexed)> {
        vec![("coverage_limit", Indexed::Number(self.limit))]
    }
}

struct JsonCertificates;

impl Extractor for JsonCertificates {
    type Document = Certificate;

    fn name_and_version(&self) -> String {
        "json-certificates 1".into()
    }
    async fn extract(&self, request: ExtractRequest) -> Extraction<Certificate> {
        match serde_json::from_slice(&request.bytes) {
            Ok(certificate) => Extraction::Complete(certificate),
            Err(_) => {
                Extraction::Unusable(Reason::new("no_certificate", "The bytes are no certificate in JSON."))
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let embedded = Embedded::memory().await?;
    let (objects, queue) = (embedded.objects(), embedded.queue(QueueSettings::default())?);
    objects.create_bucket("certificates", Versioning::On).await?;
    let parts = Parts {
        ledger: DynamoLedger::<Certificate>::new(
            embedded.dynamodb().clone(),
            embedded.tables().clone(),
            None,
        ),
        objects: objects.clone(),
        extractor: JsonCertificates,
        queue: queue.clone(),
        clock: SystemClock,
    };
    let pipeline = Arc::new(Pipeline::new(parts, IngestSettings::for_buckets(&["certificates"])));

    let certificate = r#"{ "policy": "GL-2209", "expires": "2027-01-31", "limit": 2000000.00 }"#;
    let put = objects.put("certificates", "acme.json", certificate, BTreeMap::new()).await?;
    for delivery in ["first", "second"] {
        queue.send(notification(&put));
        let received = queue.receive(10)?;
        let answer = handle(&pipeline, &lambda_event(&received), SystemClock.now().plus_ms(60_000)).await?;
        println!("{delivery} delivery: {}", answer.messages[0].records[0].outcome.metric());
        queue.delete(&received[0].receipt_handle);
    }
    Ok(())
}
