//! Inputs that people in the field stumbled over, one a line, and what must become of each.
//!
//! The recorded cases lie beside the repository and may be absent; then the repository's own, one for each kind,
//! are run alone. A case is either run or listed in [`NOT_COVERED`] with the reason. What S3 and DynamoDB answer is
//! beside the message in a case that depends on it, in own cases under `answers`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use aws_lambda_events::sqs::SqsBatchResponse;
use lease_ingest::batch::messages;
use lease_ingest::event::{EventPolicy, ObjectEvent, Record, Request, Unreadable, parse};
use lease_ingest::identity::{ClaimKey, Sequencer};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::queue_rules::{Fault, judge, kept};

/// Names a file of cases elsewhere.
const CASES_VARIABLE: &str = "LEASE_INGEST_TEST_CASES";

/// One case.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub kind: String,
    pub input: Value,
    pub expected: Value,
}

/// What running a case came to.
#[derive(Debug)]
enum CaseOutcome {
    Passed,
    Failed(String),
    NotCovered(&'static str),
}

/// What a line of [`NOT_COVERED`] is about.
#[derive(Debug, Clone, Copy)]
enum Which {
    Kind(&'static str),
    Id(&'static str),
}

impl Which {
    fn names(self, case: &Case) -> bool {
        match self {
            Self::Kind(kind) => case.kind == kind,
            Self::Id(id) => case.id == id,
        }
    }
}

/// Cases that reading alone does not decide, with what does.
const NOT_COVERED: &[(Which, &str)] = &[
    (Which::Kind("s3-error"), "the answer of S3 decides, which is played to the pipeline"),
    (Which::Kind("dynamodb"), "the answer of DynamoDB decides, which is played to the pipeline"),
    (Which::Kind("ordering"), "what S3 says is current decides"),
    (Which::Kind("reconcile"), "it begins with a listing and not with a message"),
    (Which::Kind("fifo"), "order within a group is kept by the handler"),
    (Which::Kind("size"), "the size limit is the pipeline's"),
    (Which::Id("body-multi-record-partial"), "the second record fails when its object is fetched"),
    (Which::Id("batch-panic-isolated"), "the panic is in the work on a record"),
    (Which::Id("dup-ack-not-fail"), "the commit that is there already decides"),
    (Which::Id("etag-quoted-vs-bare"), "the ETag in the answer of S3 decides"),
    (Which::Id("versionid-null-overwrite"), "what S3 serves under one name decides"),
    (Which::Id("versionid-absent-overwrite"), "what S3 serves under one name decides"),
];

/// Runs one case.
fn run(case: &Case) -> CaseOutcome {
    if let Some((_, reason)) = NOT_COVERED.iter().find(|(which, _)| which.names(case)) {
        return CaseOutcome::NotCovered(reason);
    }
    let input = &case.input;
    let checked = if let Some(pair) = input.get("compare") {
        check_order(pair, &case.expected)
    } else if let Some(config) = input.get("config") {
        check_config(config, &case.expected)
    } else if input.get("handler_response").is_some() {
        check_answer(input, &case.expected)
    } else if let Some(payload) = input.get("lambda_event") {
        check_reading(payload, &case.expected)
    } else if let Some(generate) = input.get("generate") {
        check_generated(generate)
    } else {
        Err("no check knows this input".to_owned())
    };
    match checked {
        Ok(()) => CaseOutcome::Passed,
        Err(difference) => CaseOutcome::Failed(difference),
    }
}

pub fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

// ---- Sequencers -------------------------------------------------------------------------------------------------

fn check_order(pair: &Value, expected: &Value) -> Result<(), String> {
    let sequencer = |name: &str| pair[name].as_str().and_then(Sequencer::new);
    let later = match (sequencer("a"), sequencer("b")) {
        (Some(a), Some(b)) if a > b => "a",
        (Some(a), Some(b)) if a < b => "b",
        (Some(_), Some(_)) => "equal",
        _ => "incomparable",
    };
    equal("later", &json!(later), &expected["later"])
}

// ---- Settings of the queue --------------------------------------------------------------------------------------

fn check_config(config: &Value, expected: &Value) -> Result<(), String> {
    let verdict = expected["verdict"].as_str().unwrap_or_default();
    let (as_expected, found) = match judge(config) {
        Ok(()) => (verdict.starts_with("accept"), "accepted".to_owned()),
        Err(fault) => {
            let as_expected = match fault {
                Fault::VisibilityBelowTimeout => verdict.contains("refuse"),
                Fault::VisibilityTooShort { needed_s } => verdict.ends_with(&format!("={needed_s}")),
                Fault::FilterDropsMessages => verdict.starts_with("reject"),
                Fault::MessagesTooSmall { needed_bytes } => verdict.ends_with(&needed_bytes.to_string()),
            };
            (as_expected, format!("{fault:?}"))
        }
    };
    if as_expected { Ok(()) } else { Err(format!("found {found}, expected {verdict:?}")) }
}

// ---- Answers to Lambda ------------------------------------------------------------------------------------------

pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The outcomes are prose about two messages, so the few sentences that occur are spelled out here.
fn check_answer(input: &Value, expected: &Value) -> Result<(), String> {
    let delivered = texts(&input["delivered"]);
    let kept = kept(&input["handler_response"], &delivered, &texts(&input["function_response_types"]));
    let outcome = expected["esm_outcome"].as_str().unwrap_or_default();
    let as_expected = if outcome.starts_with("delete 1, keep 2") {
        kept == delivered[1..]
    } else if outcome.contains("not retried as intended") {
        kept != delivered[1..]
    } else if outcome.starts_with("complete failure") {
        kept == delivered
    } else if outcome.starts_with("complete success") || outcome.starts_with("both deleted") {
        kept.is_empty()
    } else {
        false
    };
    if as_expected { Ok(()) } else { Err(format!("kept {kept:?}, expected {outcome:?}")) }
}

// ---- Messages ---------------------------------------------------------------------------------------------------

fn policy() -> EventPolicy {
    EventPolicy { buckets: vec!["leases-in".to_owned()], extra_sources: vec![] }
}

/// What reading a payload comes to.
#[derive(Debug, Default)]
struct Reading {
    /// Ids of messages that cannot be read, or a record of which cannot.
    failures: BTreeSet<String>,
    /// Versions to be read, in order.
    created: Vec<ObjectEvent>,
}

fn read(payload: &Value) -> Result<Reading, String> {
    let mut reading = Reading::default();
    for message in messages(payload).map_err(|error| error.to_string())? {
        let records: Vec<Result<Record, Unreadable>> = match (message.problem, &message.body) {
            (Some(problem), _) => vec![Err(problem)],
            (None, None) => return Err("a message without a body and without a problem".to_owned()),
            (None, Some(body)) => parse(body, &policy()).unwrap_or_else(|unreadable| vec![Err(unreadable)]),
        };
        for record in records {
            match record {
                Ok(Record::Work(event)) if event.request == Request::Created => reading.created.push(event),
                Ok(_) => {}
                Err(unreadable) => {
                    let id = message.message_id.clone();
                    reading.failures.insert(id.ok_or_else(|| format!("{unreadable}, and no message id"))?);
                }
            }
        }
    }
    Ok(reading)
}

fn check_reading(payload: &Value, expected: &Value) -> Result<(), String> {
    let reading = match read(payload) {
        Ok(reading) => reading,
        Err(error) => {
            // Something other than the queue invoked the function: that is an error of the invocation, and where
            // more than one answer is defensible it is ours.
            let ours =
                expected["invocation_error"] == json!(true) || expected["policy_dependent"] == json!(true);
            return if ours { Ok(()) } else { Err(error) };
        }
    };
    if expected["invocation_error"] == json!(true) {
        return Err("the invocation should have failed".to_owned());
    }
    if let Some(failures) = expected.get("batchItemFailures") {
        equal("failures", &reading.failures, &texts(failures).into_iter().collect())?;
    }
    if let Some(objects) = expected.get("objects").and_then(Value::as_array) {
        // A case names the version only where it is about the version.
        let mut found: Vec<_> = reading.created.iter().map(|event| &event.version).collect();
        found.dedup();
        equal("number of objects", &found.len(), &objects.len())?;
        for (version, object) in found.into_iter().zip(objects) {
            equal("bucket", &json!(version.bucket), &object["bucket"])?;
            equal("key", &json!(version.key), &object["key"])?;
            if let Some(version_id) = object.get("versionId") {
                equal("version id", &json!(version.version_id.as_str()), version_id)?;
            }
        }
    }
    if let Some(commits) = expected.get("commits").and_then(Value::as_u64) {
        let claims: BTreeSet<_> = reading
            .created
            .iter()
            .map(|event| ClaimKey::of(&event.version))
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        equal("claims", &(claims.len() as u64), &commits)?;
    }
    Ok(())
}

/// A message and how many of it, numbered.
pub fn generated(generate: &Value) -> Result<Vec<Value>, String> {
    let template = generate["template"].as_str().unwrap_or_default();
    let count = template.split(' ').next().unwrap_or_default().replace(',', "");
    let count: usize = count.parse().map_err(|_| format!("no count in {template:?}"))?;
    let mut messages = Vec::with_capacity(count);
    for number in 0..count {
        let mut message = generate["message"].clone();
        let body = message["body"].as_str().unwrap_or_default().replace("n-00000", &format!("n-{number:05}"));
        message["body"] = json!(body);
        message["messageId"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
        messages.push(message);
    }
    Ok(messages)
}

fn check_generated(generate: &Value) -> Result<(), String> {
    let messages = generated(generate)?;
    let count = messages.len();
    let reading = read(&json!({ "Records": messages }))?;
    equal("failures", &reading.failures.len(), &0)?;
    let keys: BTreeSet<_> = reading.created.iter().map(|event| &event.version.key).collect();
    equal("keys", &keys.len(), &count)
}

// ---- The runs ---------------------------------------------------------------------------------------------------

fn load(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}, line {}: {error}", path.display(), index + 1))
        })
        .collect()
}

/// The recorded cases, when they are there.
pub fn recorded() -> Option<Vec<Case>> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/cases.jsonl");
    let path = std::env::var_os(CASES_VARIABLE).map_or_else(beside, PathBuf::from);
    if path.exists() {
        return Some(load(&path));
    }
    eprintln!(
        "{} is absent ({CASES_VARIABLE} can name another file): only own cases are run",
        path.display()
    );
    None
}

pub fn own() -> Vec<Case> {
    load(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/own-cases.jsonl"))
}

/// Runs all, tells what was not covered, and fails with every case that came out differently.
fn run_all(cases: &[Case]) {
    let mut passed = 0;
    let mut failed = Vec::new();
    let mut not_covered: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in cases {
        match run(case) {
            CaseOutcome::Passed => passed += 1,
            CaseOutcome::Failed(difference) => {
                failed.push(format!("{} ({}): {difference}", case.id, case.kind))
            }
            CaseOutcome::NotCovered(reason) => not_covered.entry(reason).or_default().push(&case.id),
        }
    }
    println!("{passed} of {} cases passed", cases.len());
    for (reason, ids) in &not_covered {
        println!("not covered here, since {reason}: {}", ids.join(", "));
    }
    assert!(failed.is_empty(), "{} cases came out differently:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn recorded_cases_come_out_as_expected() {
    if let Some(cases) = recorded() {
        run_all(&cases);
    }
}

#[test]
fn own_cases_come_out_as_expected() {
    run_all(&own());
}

#[test]
fn what_is_listed_as_not_covered_exists() {
    let Some(cases) = recorded() else { return };
    for (which, _) in NOT_COVERED {
        assert!(cases.iter().any(|case| which.names(case)), "{which:?}");
    }
}

#[test]
fn own_cases_show_every_kind_once() {
    let own = own();
    let ids: BTreeSet<_> = own.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), own.len(), "ids are unique");
    let kinds = |cases: &[Case]| cases.iter().map(|case| case.kind.clone()).collect::<BTreeSet<_>>();
    if let Some(recorded) = recorded() {
        let missing: Vec<_> = kinds(&recorded).difference(&kinds(&own)).cloned().collect();
        assert!(missing.is_empty(), "no own case of {missing:?}");
    }
}

#[test]
fn the_answer_is_written_as_lambda_reads_it() {
    let delivered = ["first".to_owned(), "second".to_owned()];
    let types = ["ReportBatchItemFailures".to_owned()];
    let mut answer = SqsBatchResponse::default();
    assert_eq!(serde_json::to_value(&answer).expect("JSON"), json!({ "batchItemFailures": [] }));
    assert!(kept(&serde_json::to_value(&answer).expect("JSON"), &delivered, &types).is_empty());
    answer.add_failure("second");
    let written = serde_json::to_value(&answer).expect("JSON");
    assert_eq!(written, json!({ "batchItemFailures": [{ "itemIdentifier": "second" }] }));
    assert_eq!(kept(&written, &delivered, &types), ["second"]);
}
