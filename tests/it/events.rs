//! The sample events say what their table says.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use lease_ingest::batch::{Message, messages};
use lease_ingest::event::{EventPolicy, ObjectEvent, Record, parse};
use lease_ingest::identity::ClaimKey;
use serde_json::Value;

/// The folder of sample events.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("events")
}

fn payload(name: &str) -> Value {
    let path = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn policy() -> EventPolicy {
    EventPolicy { buckets: vec!["leases-in".to_owned()], extra_sources: vec![] }
}

/// What becomes of a message, short enough for a table: one word a record.
fn verdict(message: &Message) -> String {
    if let Some(problem) = &message.problem {
        return format!("!{}", problem.kind);
    }
    match parse(message.body.as_deref().unwrap_or_default(), &policy()) {
        Err(unreadable) => format!("!{}", unreadable.kind),
        Ok(records) => records
            .iter()
            .map(|record| match record {
                Ok(Record::Work(event)) => format!("{:?}", event.request),
                Ok(Record::Benign(benign)) => format!("{benign:?}"),
                Err(unreadable) => format!("!{}", unreadable.kind),
            })
            .collect::<Vec<_>>()
            .join("+"),
    }
}

fn work(name: &str) -> Vec<ObjectEvent> {
    let messages = messages(&payload(name)).expect("an SQS event");
    messages
        .iter()
        .filter_map(|message| message.body.as_deref())
        .filter_map(|body| parse(body, &policy()).ok())
        .flatten()
        .filter_map(|record| match record {
            Ok(Record::Work(event)) => Some(event),
            _ => None,
        })
        .collect()
}

/// File, and a verdict a message; `!` marks what makes a message fail.
const FILES: &[(&str, &[&str])] = &[
    ("s3-put", &["Created"]),
    ("s3-put-sns", &["Created"]),
    ("s3-put-sns-raw", &["Created"]),
    ("s3-put-sns-twice", &["Created"]),
    ("s3-put-eventbridge", &["Created"]),
    ("s3-put-byte-order-mark", &["Created"]),
    ("s3-copy-prefixed-name", &["Created"]),
    ("s3-later-minor-version", &["Created"]),
    ("s3-sparse", &["Created"]),
    ("s3-multi-record", &["Created+Created"]),
    ("s3-unversioned", &["Created"]),
    ("s3-multipart-etag", &["Created"]),
    ("s3-key-encoded", &["Created"]),
    ("s3-key-eventbridge-verbatim", &["Created"]),
    ("s3-key-not-utf8", &["!key"]),
    ("s3-folder-marker", &["FolderMarker"]),
    ("s3-test-event", &["TestEvent"]),
    ("s3-test-event-sns", &["TestEvent"]),
    ("s3-no-records", &["NoRecords"]),
    ("s3-removed-delete", &["Removed"]),
    ("s3-removed-delete-marker", &["Removed"]),
    ("s3-removed-eventbridge", &["Removed"]),
    ("s3-lifecycle-expired", &["Removed"]),
    ("s3-restore-completed", &["Restored"]),
    ("s3-restore-completed-eventbridge", &["Restored"]),
    ("s3-acl-put", &[r#"OtherEvent("ObjectAcl:Put")"#]),
    ("s3-lost-object", &["LostObject"]),
    ("s3-foreign-bucket", &["!foreign_bucket"]),
    ("s3-foreign-source", &["!foreign_source"]),
    ("s3-major-version-3", &["!event_version"]),
    ("sns-subscription-confirmation", &["SubscriptionConfirmation"]),
    ("sns-plain-text", &["!not_json"]),
    ("eventbridge-foreign-source", &["!foreign_source"]),
    ("eventbridge-no-detail-type", &["!event_name"]),
    ("unreadable-not-json", &["!not_json"]),
    ("unreadable-no-records", &["!unknown_envelope"]),
    ("unreadable-no-body", &["!no_body", "!no_body", "!no_body"]),
    ("batch-duplicate-and-new", &["Created", "Created", "Created"]),
    ("batch-good-and-bad", &["Created", "!not_json", "TestEvent"]),
    ("batch-fifo", &["Created", "!not_json", "Created", "Created"]),
    ("batch-empty", &[]),
    ("message-without-id", &["Created"]),
    ("message-received-often", &["Created"]),
    ("message-redriven", &["Created"]),
    ("synthetic-ingest", &["Created"]),
    ("synthetic-look", &["Removed"]),
    ("synthetic-foreign-bucket", &["!foreign_bucket"]),
];

/// Payloads that fail the invocation.
const NOT_SQS: &[&str] = &["not-sqs-direct-s3", "not-sqs-scheduled", "not-sqs-warm-up"];

#[test]
fn each_file_is_read_as_its_table_says() {
    for (name, expected) in FILES {
        let messages = messages(&payload(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let verdicts: Vec<_> = messages.iter().map(verdict).collect();
        assert_eq!(verdicts, *expected, "{name}");
    }
}

#[test]
fn what_is_no_sqs_event_fails_the_invocation() {
    for name in NOT_SQS {
        assert!(messages(&payload(name)).is_err(), "{name}");
    }
}

#[test]
fn every_file_is_tested_and_described() {
    let files: BTreeSet<String> = fs::read_dir(folder())
        .expect("the folder of sample events")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    let tested: BTreeSet<String> =
        FILES.iter().map(|(name, _)| *name).chain(NOT_SQS.iter().copied()).map(str::to_owned).collect();
    assert_eq!(files, tested);
    let readme = fs::read_to_string(folder().join("README.md")).expect("events/README.md");
    let described: BTreeSet<String> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once(".json`"))
        .map(|(name, _)| name.to_owned())
        .collect();
    assert_eq!(files, described);
}

#[test]
fn every_envelope_of_one_upload_has_one_claim_key() {
    let claim_key = |name: &str| ClaimKey::of(&work(name)[0].version).expect("a claim key");
    let expected = claim_key("s3-put");
    for name in [
        "s3-put-sns",
        "s3-put-sns-raw",
        "s3-put-sns-twice",
        "s3-put-eventbridge",
        "s3-put-byte-order-mark",
        "s3-copy-prefixed-name",
        "s3-later-minor-version",
        "synthetic-ingest",
        "s3-restore-completed",
        "s3-restore-completed-eventbridge",
    ] {
        assert_eq!(claim_key(name), expected, "{name}");
    }
    let verbatim = &work("s3-key-eventbridge-verbatim")[0].version;
    assert_eq!(&work("s3-key-encoded")[0].version, verbatim);
    assert_eq!(verbatim.key, "inbox/Harbor Point + rider (100% signed)/harbor-point-suite-210.txt");
}

#[test]
fn the_messages_members_are_read() {
    let redriven = messages(&payload("message-redriven")).expect("an SQS event").remove(0).redriven;
    let claim = ClaimKey::of(&work("message-redriven")[0].version).expect("a claim key");
    let redriven = redriven.expect("marked as redriven");
    assert_eq!((redriven.claim_hash, redriven.cycle), (claim.short_hash(), 0));

    let often = messages(&payload("message-received-often")).expect("an SQS event").remove(0);
    assert_eq!(often.receive_count, 7);

    let nameless = messages(&payload("message-without-id")).expect("an SQS event").remove(0);
    assert_eq!((nameless.message_id, nameless.problem), (None, None));

    let groups: Vec<_> = messages(&payload("batch-fifo"))
        .expect("an SQS event")
        .into_iter()
        .map(|message| message.message_group_id.expect("a group"))
        .collect();
    assert_eq!(groups, ["leases-in", "leases-in", "leases-in", "backfill"]);
}

#[test]
fn duplicates_in_a_batch_share_a_claim_key() {
    let versions: Vec<_> = work("batch-duplicate-and-new").into_iter().map(|event| event.version).collect();
    assert_eq!(versions[0], versions[1]);
    assert_ne!(versions[0], versions[2]);
}
