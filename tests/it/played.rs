//! The recorded cases played to the whole handler: the real S3 adapter over scripted answers, the real ledger
//! adapter over the embedded engine, and a wire that loses what a case says is lost. Everything is delivered twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lease_ingest::aws::clients::ClientTimeouts;
use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::aws::objects::{BodyTimeouts, S3Objects};
use lease_ingest::embedded::queue::MemoryQueue;
use lease_ingest::handler::handle;
use lease_ingest::pipeline::{Parts, Pipeline};
use serde_json::{Value, json};

use crate::cases::{Case, equal, own, recorded, texts};
use crate::support::scripted_s3::ScriptedS3;
use crate::support::slip::{Slip, SlipExtractor};
use crate::support::wire::{Loss, Wire};
use crate::support::{FUNCTION_TIMEOUT_MS, LEASE_MARGIN_MS, TestClock, TestWorld, metrics, returned};

/// Kinds and cases that are not played here, with the reason.
const NOT_PLAYED: &[(&str, &str)] = &[
    ("reconcile", "it begins with a listing, and the reconciler is not part of this version"),
    ("sequencer", "two tokens are compared, nothing is delivered"),
    ("queue-config", "settings of the queue are checked, nothing is delivered"),
    ("batch-response", "answers of other handlers are judged, nothing is delivered"),
];

/// Cases whose story needs two workers at chosen moments, and the test that tells it.
const TOLD_ELSEWHERE: &[(&str, &str)] = &[
    ("ddb-takeover-slow-owner", "a_holder_that_lost_its_lease_writes_nothing"),
    ("ddb-takeover-effect-done", "a_claim_whose_holder_died_is_taken_over_at_the_cost_of_one_request"),
    ("ddb-expired-claim", "a_claim_whose_holder_died_is_taken_over_at_the_cost_of_one_request"),
    ("ddb-ttl-not-yet-deleted", "a_claim_whose_holder_died_is_taken_over_at_the_cost_of_one_request"),
];

/// Most messages of a generated batch that are played: each is a document of its own. That a batch of ten thousand
/// messages is answered is told in `protocol.rs`.
const PLAYED_MESSAGES_MAX: usize = 500;

type PlayedPipeline =
    Pipeline<Parts<DynamoLedger<Slip>, S3Objects, SlipExtractor, MemoryQueue<TestClock>, Arc<TestClock>>>;

/// A world whose objects are scripted.
struct Stage {
    world: TestWorld,
    wire: Wire,
    s3: ScriptedS3,
    pipeline: Arc<PlayedPipeline>,
}

impl Stage {
    async fn new(answers: &Value) -> Self {
        let world = TestWorld::new().await;
        let (wire, s3) = (Wire::new(), ScriptedS3::scripted(answers));
        let timeouts = ClientTimeouts { max_attempts: 2, ..ClientTimeouts::default() };
        let client = wire.client(world.embedded.endpoint(), timeouts);
        let parts = Parts {
            ledger: DynamoLedger::new(client, world.embedded.tables().clone(), None),
            objects: S3Objects::new(s3.client(), BodyTimeouts::default()),
            extractor: SlipExtractor,
            queue: world.queue.clone(),
            clock: Arc::clone(&world.clock),
        };
        let pipeline = Arc::new(Pipeline::new(parts, world.pipeline.settings().clone()));
        Self { world, wire, s3, pipeline }
    }

    /// Delivers, and answers the outcomes and the ids that come again.
    async fn deliver(&self, payload: &Value) -> Result<(Vec<&'static str>, BTreeSet<String>), String> {
        let answer = handle(&self.pipeline, payload, self.world.deadline())
            .await
            .map_err(|error| error.to_string())?;
        Ok((metrics(&answer), returned(&answer).into_iter().collect()))
    }

    /// Delivers again when every lease is over.
    async fn deliver_later(&self, payload: &Value) -> Result<(Vec<&'static str>, BTreeSet<String>), String> {
        self.world.clock.advance_ms(FUNCTION_TIMEOUT_MS + LEASE_MARGIN_MS + 1);
        self.deliver(payload).await
    }

    async fn commits(&self) -> u64 {
        self.world.tables().await[1].len() as u64
    }
}

/// What the prose of a case about DynamoDB says is lost; in the order of the transaction's actions: row, claim,
/// pointer, intent.
fn losses(id: &str) -> Option<Vec<(&'static str, u64, Loss)>> {
    const TRANSACT: &str = "TransactWriteItems";
    let throttled = |operation, times: u64| {
        (1..=times).map(move |nth| (operation, nth, Loss::Refused("ThrottlingException")))
    };
    Some(match id {
        "ddb-ambiguous-claim" => vec![("PutItem", 1, Loss::Reply)],
        "ddb-ambiguous-not-applied" => vec![("PutItem", 1, Loss::Request)],
        "ddb-ambiguous-all-attempts" => vec![("PutItem", 1, Loss::Reply), ("PutItem", 2, Loss::Reply)],
        "ddb-tx-conflict" => {
            vec![(TRANSACT, 1, Loss::Cancelled(&["TransactionConflict", "None", "None", "None"]))]
        }
        "ddb-tx-throttle-read-as-absent" => (1..=20)
            .map(|nth| {
                (TRANSACT, nth, Loss::Cancelled(&["None", "ProvisionedThroughputExceeded", "None", "None"]))
            })
            .collect(),
        "ddb-tx-ccf-reason-first-item" => {
            vec![(TRANSACT, 1, Loss::Cancelled(&["None", "ConditionalCheckFailed", "None", "None"]))]
        }
        "ddb-tx-in-progress" => {
            vec![(TRANSACT, 1, Loss::Request), (TRANSACT, 2, Loss::Refused("TransactionInProgressException"))]
        }
        "own-table-throttled" => throttled("PutItem", 10).collect(),
        "ddb-throttle-after-effect" => throttled(TRANSACT, 40).collect(),
        "ddb-access-denied" => vec![("PutItem", 1, Loss::Refused("AccessDeniedException"))],
        _ => return None,
    })
}

async fn play(case: &Case) -> Result<(), String> {
    let payload = match case.input.get("generate") {
        Some(generate) => {
            let mut messages = crate::cases::generated(generate)?;
            messages.truncate(PLAYED_MESSAGES_MAX);
            json!({ "Records": messages })
        }
        None => case.input["lambda_event"].clone(),
    };
    let answers = case.input.get("stubs").or(case.input.get("answers"));
    let stage = Stage::new(answers.map_or(&Value::Null, |answers| &answers["s3"])).await;
    if let Some(losses) = losses(&case.id) {
        for (operation, nth, loss) in losses {
            stage.wire.lose(operation, nth, loss);
        }
        return play_losses(case, &stage, &payload).await;
    }
    match case.id.as_str() {
        // The commit is there before the event comes.
        "dup-ack-not-fail" => return play_known(&stage, &payload, true).await,
        "ddb-tx-ccf-reason-commit" => return play_known(&stage, &payload, false).await,
        // What stands under one name is served until its own message is done.
        "versionid-null-overwrite" | "versionid-absent-overwrite" => {
            return play_one_by_one(case, &stage, &payload).await;
        }
        "s3-overwritten-between" => return play_overwritten(&stage, &payload).await,
        _ => {}
    }

    let first = stage.deliver(&payload).await;
    let expected = &case.expected;
    let (outcomes, failures) = match first {
        Err(error) => {
            let ours =
                expected["invocation_error"] == json!(true) || expected["policy_dependent"] == json!(true);
            return if ours && stage.wire.total() == 0 { Ok(()) } else { Err(error) };
        }
        Ok(answer) => answer,
    };
    if expected["invocation_error"] == json!(true) {
        return Err("the invocation should have failed".to_owned());
    }
    // An object over the limit goes to review rather than back to the queue: the settled answer to a case that leaves it open.
    let settled = case.id == "size-lies";
    if let Some(wanted) = expected.get("batchItemFailures").filter(|_| !settled) {
        equal("failures", &failures, &texts(wanted).into_iter().collect())?;
    }
    if settled {
        equal("outcomes", &outcomes, &vec!["Review"])?;
    }
    for object in expected["objects"].as_array().into_iter().flatten() {
        let key = object["key"].as_str().unwrap_or_default();
        let version = object["versionId"].as_str();
        let is_this = |fetched: &&(String, String)| {
            fetched.0 == key && version.is_none_or(|wanted| wanted == fetched.1)
        };
        if !stage.s3.fetched().iter().any(|fetched| is_this(&fetched)) {
            return Err(format!("{key:?} was not fetched: {:?}", stage.s3.fetched()));
        }
    }
    if expected["objects"] == json!([]) && !stage.s3.fetched().is_empty() {
        return Err(format!("nothing should have been fetched: {:?}", stage.s3.fetched()));
    }
    // Twice is once: what was finished stays as it is, and what was returned has its second chance. A slow store
    // answers in the end.
    let mut deliveries = 1;
    let last = loop {
        let (_, failures) = stage.deliver_later(&payload).await?;
        deliveries += 1;
        let retried = case.id == "s3-503-slowdown" && !failures.is_empty();
        if !retried || deliveries > 9 {
            break failures;
        }
    };
    if case.input.get("then").is_some() {
        equal("failures of the redelivery", &last, &BTreeSet::new())?;
    }
    if let Some(commits) = expected["commits"].as_u64() {
        equal("commits", &stage.commits().await, &commits)?;
    }
    if case.input.get("generate").is_some() {
        let messages = payload["Records"].as_array().map_or(0, Vec::len) as u64;
        equal("commits", &stage.commits().await, &messages)?;
    }
    Ok(())
}

async fn play_losses(case: &Case, stage: &Stage, payload: &Value) -> Result<(), String> {
    let (outcomes, failures) = stage.deliver(payload).await?;
    if let Some(wanted) = case.expected.get("batchItemFailures") {
        equal("failures", &failures, &texts(wanted).into_iter().collect())?;
    }
    if let Some(commits) = case.expected["commits"].as_u64() {
        equal("commits", &stage.commits().await, &commits)?;
    }
    match case.id.as_str() {
        "ddb-tx-ccf-reason-first-item" => equal("outcome", &outcomes, &vec!["Fenced"])?,
        "ddb-tx-in-progress" => {
            let tokens: BTreeSet<_> = stage.wire.request_tokens().into_iter().collect();
            equal("request tokens", &tokens.len(), &1)?;
        }
        _ => {}
    }
    // Once the store behaves, one more delivery ends it, with one commit in all.
    stage.wire.forget_planned();
    let (outcomes, failures) = stage.deliver_later(payload).await?;
    equal("failures in the end", &failures, &BTreeSet::new())?;
    equal(&format!("commits in the end, {outcomes:?}"), &stage.commits().await, &1)
}

/// The content is posted already: by an earlier delivery whose claim is gone, or within the same moment.
async fn play_known(stage: &Stage, payload: &Value, before: bool) -> Result<(), String> {
    let names = stage.world.embedded.tables();
    stage.deliver(payload).await?;
    equal("commits before", &stage.commits().await, &1)?;
    for row in stage.world.rows(&names.claims).await {
        let (key, _) = lease_ingest::identity::ClaimKey::parse(&row["claim_key"]).unwrap();
        let key = lease_ingest::aws::item::claim_key(&key, stage.pipeline.settings().generation);
        stage
            .world
            .embedded
            .dynamodb()
            .delete_item()
            .table_name(&names.claims)
            .set_key(Some(key))
            .send()
            .await
            .unwrap();
    }
    if !before {
        // The look before the extraction does not see it yet; the condition of the commit does.
        stage.wire.lose("GetItem", 1, Loss::Empty);
    }
    let (outcomes, failures) = stage.deliver(payload).await?;
    equal("outcomes", &outcomes, &vec!["DuplicateContent"])?;
    equal("failures", &failures, &BTreeSet::new())?;
    equal("commits", &stage.commits().await, &1)
}

async fn play_one_by_one(case: &Case, stage: &Stage, payload: &Value) -> Result<(), String> {
    for _ in 0..2 {
        for record in payload["Records"].as_array().unwrap() {
            let (_, failures) = stage.deliver(&json!({ "Records": [record] })).await?;
            equal("failures", &failures, &BTreeSet::new())?;
        }
    }
    equal("commits", &stage.commits().await, &case.expected["commits"].as_u64().unwrap_or_default())
}

/// The event says A, the store answers with B; B's own event follows.
async fn play_overwritten(stage: &Stage, payload: &Value) -> Result<(), String> {
    let (outcomes, _) = stage.deliver(payload).await?;
    equal("outcomes", &outcomes, &vec!["Superseded"])?;
    let text = payload.to_string();
    let of_b = text.replace("9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0");
    let of_b: Value =
        serde_json::from_str(&of_b.replace("0066A1B2C3D4E5F607", "0066A1B2C3D4E5F608")).unwrap();
    for expected in ["Committed", "DuplicateEvent"] {
        let (outcomes, _) = stage.deliver(&of_b).await?;
        equal("outcomes", &outcomes, &vec![expected])?;
    }
    equal("commits", &stage.commits().await, &1)
}

async fn play_all(cases: Vec<Case>) {
    let (mut passed, mut failed) = (0, Vec::new());
    let mut not_played: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let total = cases.len();
    for case in cases {
        let elsewhere = TOLD_ELSEWHERE.iter().find(|(id, _)| *id == case.id);
        let left_out = NOT_PLAYED.iter().find(|(kind, _)| *kind == case.kind).or(elsewhere);
        match left_out {
            Some((_, reason)) => not_played.entry(reason).or_default().push(case.id),
            None => match play(&case).await {
                Ok(()) => passed += 1,
                Err(difference) => failed.push(format!("{} ({}): {difference}", case.id, case.kind)),
            },
        }
    }
    println!("{passed} of {total} cases played");
    for (reason, ids) in &not_played {
        println!("not played, {reason}: {}", ids.join(", "));
    }
    assert!(failed.is_empty(), "{} cases came out differently:\n{}", failed.len(), failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_cases_play_out_as_expected() {
    if let Some(cases) = recorded() {
        play_all(cases).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_cases_play_out_as_expected() {
    play_all(own()).await;
}

#[test]
fn what_is_told_elsewhere_is_told() {
    let told = include_str!("protocol.rs");
    for (id, test) in TOLD_ELSEWHERE {
        assert!(told.contains(&format!("fn {test}()")), "{id}: there is no test {test}");
    }
}
