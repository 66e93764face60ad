//! What customers hold dear (keys, parties, properties, amounts, addresses) stands in no log line, no metric and no
//! answer of the function, whatever happens to a batch and however much is logged.

use serde_json::{Value, json};

use crate::rig::place::{Document, Place};
use crate::rig::proxy::{Deed, Planned, When};
use crate::rig::{Setup, Worker, sqs_record, turn};

/// What an invocation is given, in milliseconds.
const ALLOWED_MS: u64 = 60_000;
/// Invocations of a row: the first meets the fault, the second finds what it left, the third repeats it all.
const INVOCATIONS: usize = 3;

/// Marks that no line may hold, in lower case. Each stands in what is uploaded or said below, as a word or a figure of
/// its own, so that no other text can hold it by chance.
const MARKS: [&str; 9] =
    ["zqkey", "zqtenant", "zqlandlord", "zqprop", "zqstreet", "zqbody", "zqbucket", "7,431.19", "7431.19"];

/// A lease in which everything is marked.
fn lease(term: &str) -> String {
    format!(
        "OFFICE LEASE\nProperty ID: ZQPROP-77\nThis Lease is made as of May 1, 2020 between Zqlandlord Hall LLC \
         (\"Landlord\") and Zqtenant Tools Inc. (\"Tenant\").\n1. Premises. Landlord leases to Tenant Suite 4 at 9 Zqstreet \
         Row, Austin, Texas.\n2. Term. {term}\n3. Base Rent. Tenant shall pay base rent of $7,431.19 per month.\nIN WITNESS \
         WHEREOF the parties have signed.\nLANDLORD: Zqlandlord Hall LLC\nTENANT: Zqtenant Tools Inc.\n"
    )
}

/// What is uploaded: the last part of its key, and its bytes.
fn uploads() -> Vec<(&'static str, Vec<u8>)> {
    let plain = lease("The term commences on June 1, 2020 and ends on May 31, 2025.");
    let conditional = lease("The term commences when Zqtenant Tools Inc. opens for business.");
    let abstraction = |amount: &str| {
        json!({
            "property_id": "ZQPROP-78", "tenant_name": "Zqtenant Tools Inc.", "lease_start": "2020-06-01",
            "lease_end": "2025-05-31", "extraction_confidence": 0.99,
            "base_rent": { "amount": amount, "period": "monthly", "currency": "USD" },
        })
        .to_string()
    };
    vec![
        ("plain.txt", plain.clone().into_bytes()),
        ("the same bytes.txt", plain.clone().into_bytes()),
        ("page.html", format!("<html><pre>{plain}</pre><b hidden>7,431.19</b></html>").into_bytes()),
        ("conditional.txt", conditional.into_bytes()),
        ("made elsewhere.json", abstraction("7431.19").into_bytes()),
        ("made badly.json", abstraction("7431.19 Zqtenant").into_bytes()),
        ("cut.json", abstraction("7431.19").as_bytes()[..90].to_vec()),
        ("damaged.pdf", [b"%PDF-1.7\n", plain.as_bytes()].concat()),
        ("damaged.docx", [b"PK\x03\x04", plain.as_bytes()].concat()),
        ("damaged.png", [b"\x89PNG\r\n\x1a\n", plain.as_bytes()].concat()),
        ("binary.bin", [b"\0\x01\x02", plain.as_bytes()].concat()),
        ("empty.txt", Vec::new()),
    ]
}

/// Messages that are no notification of our bucket, or of none that can be read.
fn other_messages(own_bucket: &str) -> Vec<String> {
    let of = |bucket: &str, key: &str| {
        json!({ "Records": [{
            "eventVersion": "2.1", "eventSource": "aws:s3", "eventName": "ObjectCreated:Put",
            "eventTime": "2026-01-01T00:00:00.000Z",
            "s3": {
                "bucket": { "name": bucket },
                "object": { "key": key, "size": 5, "eTag": "zqbody", "sequencer": "ZQBODY" },
            },
        }] })
        .to_string()
    };
    vec![
        "zqbody: Zqtenant Tools Inc. pays 7,431.19".to_owned(),
        "{\"Records\": [{\"s3\": \"zqbody\"}]}".to_owned(),
        json!({ "zqbody": "7431.19" }).to_string(),
        of("zqbucket-of-others", "zqkey.txt"),
        of(own_bucket, "zqkey%ZZ%.txt"),
        of(own_bucket, "zqkey/that/is/not/there.txt"),
        json!({ "Type": "Notification", "Message": "zqbody" }).to_string(),
    ]
}

/// One invocation with every document and message.
fn batch(documents: &[Document], others: &[String], delivery: usize) -> Value {
    let bodies = documents.iter().map(|document| {
        let event = document.event();
        event["Records"][0]["body"].as_str().expect("the test's own event").to_owned()
    });
    let records: Vec<Value> = bodies
        .chain(others.iter().cloned())
        .enumerate()
        .map(|(at, body)| {
            sqs_record(&format!("message-{at}"), "receipt", u32::try_from(delivery).unwrap(), &body)
        })
        .collect();
    json!({ "Records": records })
}

/// Which mark a text holds, whatever its case and however it is written for an address.
fn mark_in(text: &str) -> Option<&'static str> {
    let plain = percent_encoding::percent_decode_str(text).decode_utf8_lossy().to_lowercase();
    MARKS.into_iter().find(|mark| plain.contains(mark))
}

/// What happens, settings, what is planned, and an outcome that shows that it did.
type Row = (&'static str, Vec<(&'static str, String)>, Vec<Planned>, &'static str);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_customer_data_is_logged_whatever_happens() {
    let limit = |attempts: &str| vec![("LEASE_INGEST_ATTEMPT_LIMIT", attempts.to_owned())];
    let every = |operation, deed| vec![Planned::every(operation, When::Before, deed)];
    let rows: Vec<Row> = vec![
        ("nothing", vec![], vec![], "Committed"),
        (
            "no object can be fetched",
            limit("1"),
            every("get object", Deed::Answer(403, "AccessDenied")),
            "DeadLettered",
        ),
        (
            "a fetch breaks off",
            vec![],
            vec![Planned::first("get object", When::Midway, Deed::Cut)],
            "Committed",
        ),
        (
            "claims are throttled",
            vec![],
            every("put claim", Deed::Answer(400, "ThrottlingException")),
            "Transient",
        ),
        (
            "commits are refused as invalid",
            vec![],
            every("commit", Deed::Answer(400, "ValidationException")),
            "Transient",
        ),
        (
            "a commit's answer is lost",
            vec![],
            vec![Planned::first("commit", When::After, Deed::Cut)],
            "Committed",
        ),
    ];
    for (case, settings, planned, shows) in rows {
        let _turn = turn().await;
        let place = Place::embedded().await;
        let settings = [settings, vec![("LOG_LEVEL", "trace".to_owned())]].concat();
        let mut worker = Worker::start(&place, &Setup { settings, planned, ..Setup::default() }).await;
        let mut documents = Vec::new();
        for (name, bytes) in uploads() {
            documents.push(place.put(&format!("zqkey höfe/ZQPROP-77/{name}"), bytes).await);
        }
        documents.push(place.remove(&documents[0]).await);
        let others = other_messages(&documents[0].version.bucket);
        let mut said = Vec::new();
        for delivery in 1..=INVOCATIONS {
            let answer = worker.answer(&batch(&documents, &others, delivery), ALLOWED_MS).await;
            said.push(answer.map_or_else(|error| error, |answer| answer.to_string()));
        }
        let outcomes = worker.outcomes(INVOCATIONS).await;
        assert!(outcomes.iter().any(|outcome| outcome == shows), "{case}: {outcomes:?}");
        let lines = worker.lines();
        assert!(lines.len() > INVOCATIONS * documents.len(), "{case}: a line a record at least");
        for line in lines.iter().chain(&said) {
            assert_eq!(mark_in(line), None, "{case}: {line}");
        }
    }
}

#[test]
fn a_mark_is_found_however_it_is_written() {
    let rows = [
        ("{\"key\":\"zqkey/a\"}", true),
        ("GET /leases/Zqkey%20h%C3%B6fe", true),
        ("%5A%51tenant", true),
        ("amount 7,431.19", true),
        ("claim 7f3a committed", false),
    ];
    for (text, expected) in rows {
        assert_eq!(mark_in(text).is_some(), expected, "{text}");
    }
}
