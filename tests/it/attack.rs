//! Attempts to break the protocol at its edges. Each test is a story that ended badly once.

use lease_ingest::embedded::objects::PutOptions;
use lease_ingest::embedded::queue::{Outgoing, notification};
use lease_ingest::fetch::FetchError;
use lease_ingest::handler::handle;
use lease_ingest::identity::Generation;
use lease_ingest::ports::clock::Clock;
use serde_json::{Value, json};

use crate::support::slip::slip;
use crate::support::wire::{Loss, Wire};
use crate::support::{BUCKET, TestWorld, UNVERSIONED, metrics, returned};

/// Set in the process that panics on purpose.
const PANICS: &str = "LEASE_INGEST_TEST_PANICS";

/// One SQS record.
fn record(id: &str, body: &str) -> Value {
    json!({ "messageId": id, "eventSource": "aws:sqs", "body": body })
}

#[tokio::test]
async fn an_operators_redrive_is_not_swallowed_by_an_ordinary_copy_in_the_same_batch() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 1).await;
    let receipt = world.upload(BUCKET, "a.json", &slip(7)).await;
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    assert_eq!(world.drain().await, ["DeadLettered"]);
    let letter = world.queue.dead_letters().unwrap().remove(0);

    // S3 delivers its event once more, and it is the first of the batch.
    world.queue.send(notification(&receipt));
    world.queue.redrive(&letter.id).unwrap().unwrap();
    let outcomes = world.drain().await;
    assert_eq!(world.tables().await[1].len(), 1, "{outcomes:?}");
}

#[tokio::test]
async fn a_letter_of_an_older_cycle_does_not_swallow_the_redrive_of_the_present_one() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 1).await;
    world.upload(BUCKET, "a.json", &slip(7)).await;
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    world.drain().await;
    let first = world.queue.dead_letters().unwrap().remove(0);
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    world.queue.redrive(&first.id).unwrap();
    world.drain().await;
    let second = world.queue.dead_letters().unwrap().remove(0);
    // The first was sent twice, and its copy comes with the second.
    world.queue.send(Outgoing { body: first.body, attributes: first.attributes, group_id: None });
    world.queue.redrive(&second.id).unwrap();
    let outcomes = world.drain().await;
    assert_eq!(world.tables().await[1].len(), 1, "{outcomes:?}");
}

#[tokio::test]
async fn waiting_for_a_version_that_lags_is_no_failed_attempt() {
    for (attempt_limit, waits) in [(1, 1), (3, 4)] {
        let world = TestWorld::with(|settings| settings.attempt_limit = attempt_limit).await;
        let receipt = world.put(BUCKET, "a.json", &slip(7)).await;
        // Each delivery within the first quarter of an hour finds nothing.
        world.objects.fail_next(std::iter::repeat_n(FetchError::NotFound, waits));
        for _ in 0..waits {
            world.queue.send(notification(&receipt));
            assert_eq!(metrics(&world.poll().await.unwrap()), ["Transient"], "{attempt_limit}");
        }
        let outcomes = world.drain().await;
        assert_eq!(world.tables().await[1].len(), 1, "{attempt_limit}: {outcomes:?}");
        assert!(world.queue.dead_letters().unwrap().is_empty());
    }
}

#[tokio::test]
async fn an_ambiguous_overwrite_is_asked_about_even_if_a_reply_is_lost_or_the_worker_dies() {
    // What goes wrong while the claim is taken over or ended, with every try of the client.
    let table: [&[(&str, u64, Loss)]; 4] = [
        &[],
        &[("UpdateItem", 1, Loss::Reply)],
        &[("UpdateItem", 1, Loss::Reply), ("UpdateItem", 2, Loss::Reply)],
        &[("TransactWriteItems", 1, Loss::Request), ("TransactWriteItems", 2, Loss::Request)],
    ];
    for losses in table {
        let world = TestWorld::new().await;
        let options = || PutOptions { parts: Some(2), ..PutOptions::default() };
        world.clock.advance_ms(10);
        let put = |amount| world.objects.folder.put_with(UNVERSIONED, "a.json", slip(amount), options());
        let first = put(1).await.unwrap();
        world.queue.send(notification(&first));
        assert_eq!(world.drain().await, ["Committed"]);
        world.clock.advance_ms(10);
        // The same tag again, as an upload in parts may have whatever its bytes are.
        let second = put(1).await.unwrap();
        assert_eq!(first.version, second.version);
        for (operation, nth, loss) in losses {
            world.wire.lose(operation, *nth, *loss);
        }
        world.queue.send(notification(&second));
        let outcomes = world.drain().await;
        assert_eq!(outcomes.last(), Some(&"Review"), "{losses:?}: {outcomes:?}");
        assert_eq!(world.column(&world.embedded.tables().claims, "reason").await, ["ambiguous_overwrite"]);
    }
}

#[tokio::test]
async fn a_commit_that_is_denied_stops_the_batch_and_uses_no_attempt_up() {
    for code in ["AccessDeniedException", "ResourceNotFoundException"] {
        let world = TestWorld::with(|settings| settings.concurrency = 1).await;
        for number in 0..3 {
            world.upload(BUCKET, &format!("{number}.json"), &slip(number + 1)).await;
        }
        for nth in 1..=60 {
            world.wire.lose("TransactWriteItems", nth, Loss::Refused(code));
        }
        let answer = world.poll().await.unwrap();
        assert_eq!(metrics(&answer), ["StoreUnavailable", "NotStarted", "NotStarted"], "{code}");
        assert_eq!(world.wire.counts()["TransactWriteItems"], 1, "{code}");
    }
}

#[tokio::test]
async fn a_commit_that_is_refused_for_good_says_why() {
    let world = TestWorld::new().await;
    world.upload(BUCKET, "a.json", &slip(7)).await;
    for nth in 1..=60 {
        world.wire.lose("TransactWriteItems", nth, Loss::Refused("ValidationException"));
    }
    let answer = world.poll().await.unwrap();
    let detail = answer.messages[0].records[0].outcome.detail();
    assert_eq!((metrics(&answer), detail), (vec!["Transient"], Some("ValidationException")));
    assert_eq!(world.wire.counts()["TransactWriteItems"], 1);
}

#[tokio::test]
async fn a_receiver_that_is_named_twice_is_told_once() {
    let world = TestWorld::with(|settings| {
        let given = ("LEASE_INGEST_EFFECT_RECEIVERS".to_owned(), "events, webhook,events".to_owned());
        let read = lease_ingest::config::IngestSettings::read([given], &[BUCKET]).unwrap();
        settings.effect_receivers = read.effect_receivers;
    })
    .await;
    world.upload(BUCKET, "a.json", &slip(7)).await;
    assert_eq!(world.drain().await, ["Committed"]);
    assert_eq!(world.tables().await[3].len(), 2);
}

#[tokio::test]
async fn a_raised_generation_moves_a_pointer_whose_floor_a_removal_has_raised() {
    let world = TestWorld::new().await;
    let old = world.upload(BUCKET, "a.json", &slip(1)).await;
    let kept = world.upload(BUCKET, "a.json", &slip(2)).await;
    world.drain().await;
    // An old version is deleted for good: what is current stays, and the removal's sequencer is the floor.
    let gone = world.objects.folder.delete_version(BUCKET, "a.json", &old.version.version_id).await;
    world.queue.send(notification(&gone.unwrap().unwrap()));
    assert_eq!(world.drain().await, ["Removed"]);

    let wire = Wire::new();
    let newer = world.worker(&wire, |settings| settings.generation = Generation::new(2).unwrap());
    let payload = json!({ "Records": [record("m", &notification(&kept))] });
    let answer = handle(&newer, &payload, world.deadline()).await.unwrap();
    assert_eq!(metrics(&answer), ["Committed"]);
    let documents = world.rows(&world.embedded.tables().documents).await;
    assert_eq!(documents[0]["version_id"], kept.version.version_id.as_str());
    assert_eq!(documents[0]["generation"], "2", "{documents:?}");
}

#[tokio::test]
async fn a_dead_letter_names_the_failure_of_its_own_last_attempt() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 2).await;
    let receipt = world.put(BUCKET, "a.json", "panic").await;
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    world.queue.send(notification(&receipt));
    // The first attempt meets a store that is slow, the second crashes.
    world.drain().await;
    let letters = world.queue.dead_letters().unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].attributes["LeaseIngestErrorKind"], "attempts_exhausted");
}

#[tokio::test]
async fn a_removal_that_is_delivered_again_changes_nothing() {
    let world = TestWorld::new().await;
    // The older version waits for a person, so no pointer will ever name it.
    world.upload(BUCKET, "a.json", "incomplete").await;
    let newer = world.upload(BUCKET, "a.json", &slip(2)).await;
    world.drain().await;
    let gone = world.objects.folder.delete_version(BUCKET, "a.json", &newer.version.version_id).await;
    let gone = gone.unwrap().unwrap();
    world.queue.send(notification(&gone));
    world.drain().await;
    let before = world.tables().await;
    world.queue.send(notification(&gone));
    world.drain().await;
    assert_eq!(world.tables().await, before);
}

#[test]
fn a_number_is_stored_exactly_or_as_text() {
    use lease_ingest::aws::item::{from_json, to_json};
    for digits in [
        "0.1234567890123456789012345678",
        "0.12345678901234567890123456789012",
        "12345678901234567890.1234567890123",
        "0.00000000000000000000000000001",
        "79228162514264337593543950335",
        "79228162514264337593543950336",
        "1e3",
        "1.5e-3",
        "1e-40",
        "1e400",
    ] {
        let value: serde_json::Value = serde_json::from_str(digits).unwrap();
        let back = to_json(&from_json(&value)).unwrap();
        let exact = |text: &str| -> String {
            // A number as sign, digits without outer zeros, and a power of ten.
            let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
            let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let all = format!("{whole}{part}");
            let exponent = exponent.parse::<i64>().unwrap() - i64::try_from(part.len()).unwrap();
            let stripped = all.trim_end_matches('0');
            let exponent = exponent + i64::try_from(all.len() - stripped.len()).unwrap();
            format!("{}e{exponent}", stripped.trim_start_matches('0'))
        };
        let text = back.as_str().map_or_else(|| back.to_string(), str::to_owned);
        assert_eq!(exact(&text), exact(digits), "{digits} became {back}");
    }
}

#[tokio::test]
async fn a_panic_within_a_group_costs_its_record_and_what_comes_after_it() {
    let world = TestWorld::new().await;
    let mut records = Vec::new();
    for (number, content) in [slip(1), "panic".to_owned(), slip(3)].into_iter().enumerate() {
        let receipt = world.put(BUCKET, &format!("{number}.json"), &content).await;
        let mut record = record(&format!("m{number}"), &notification(&receipt));
        record["attributes"] = json!({ "MessageGroupId": "g" });
        records.push(record);
    }
    let answer = world.invoke(&json!({ "Records": records })).await;
    assert_eq!(metrics(&answer), ["Committed", "Transient", "NotStarted"]);
    assert_eq!(returned(&answer), ["m1", "m2"]);
}

#[tokio::test]
async fn what_a_group_has_done_when_the_time_is_up_is_acknowledged() {
    let world = TestWorld::with(|settings| {
        settings.start_margin_ms = 0;
        settings.response_margin_ms = 0;
    })
    .await;
    let mut records = Vec::new();
    // The second record's fetch stands at a gate that nobody opens: the first has no bytes to fetch.
    for (number, content) in ["", "slow"].into_iter().enumerate() {
        let receipt = world.put(BUCKET, &format!("{number}.json"), content).await;
        let mut record = record(&format!("m{number}"), &notification(&receipt));
        record["attributes"] = json!({ "MessageGroupId": "g" });
        records.push(record);
    }
    let first = json!({ "Records": [records[0].clone()] });
    assert_eq!(metrics(&world.invoke(&first).await), ["Rejected"]);
    world.objects.close_gate();
    let soon = world.clock.now().plus_ms(1_500);
    let answer = handle(&world.pipeline, &json!({ "Records": records }), soon).await.unwrap();
    assert_eq!(metrics(&answer), ["DuplicateEvent", "Transient"]);
    assert_eq!(returned(&answer), ["m1"]);
}

#[tokio::test]
async fn a_message_group_on_a_standard_queue_orders_nothing() {
    let world = TestWorld::new().await;
    let mut records = Vec::new();
    for (number, content) in ["fail".to_owned(), slip(2), slip(3)].into_iter().enumerate() {
        let receipt = world.put(BUCKET, &format!("{number}.json"), &content).await;
        let mut record = record(&format!("m{number}"), &notification(&receipt));
        // Fair queues: standard queues take a group as the name of a tenant.
        record["attributes"] = json!({ "MessageGroupId": "tenant" });
        record["eventSourceARN"] = json!("arn:aws:sqs:eu-central-1:000000000000:ingest");
        records.push(record);
    }
    let answer = world.invoke(&json!({ "Records": records })).await;
    assert_eq!(metrics(&answer), ["Transient", "Committed", "Committed"]);
}

#[test]
fn a_panic_is_logged_without_its_text() {
    let name = "attack::a_panic_is_logged_without_its_text";
    if std::env::var_os(PANICS).is_some() {
        lease_ingest::telemetry::start_logging("info");
        let caught = std::panic::catch_unwind(|| {
            let text = std::hint::black_box("Müller, 12 Harbour Street");
            text[..2].len()
        });
        assert!(caught.is_err());
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", name])
        .env(PANICS, "1")
        .output()
        .unwrap();
    assert!(output.status.success());
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("a panic") && said.contains("attack.rs"), "{said}");
    assert!(!said.contains("Harbour"), "{said}");
}
