//! The protocol on the embedded engine, through the real handler and the real ledger adapter. Everything is
//! delivered at least twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use lease_ingest::dead_letter::attribute;
use lease_ingest::embedded::objects::PutReceipt;
use lease_ingest::embedded::queue::{Outgoing, lambda_event, notification};
use lease_ingest::event::{Ask, synthetic_body};
use lease_ingest::fetch::FetchError;
use lease_ingest::handler::{HandleError, handle};
use lease_ingest::identity::{ContentHash, Generation};
use lease_ingest::pipeline::World;
use lease_ingest::pointer::{Filing, Named, decide_asked};
use lease_ingest::ports::clock::Clock;
use lease_ingest::ports::extractor::ExtractRequest;
use lease_ingest::ports::ledger::{Ledger, Written};
use lease_ingest::ports::objects::Objects;
use serde_json::json;

use crate::support::slip::{ASK_AGAIN_MS, slip, slow_slip};
use crate::support::wire::{Loss, Wire};
use crate::support::{
    BUCKET, FUNCTION_TIMEOUT_MS, LEASE_MARGIN_MS, TestWorld, UNVERSIONED, metrics, returned,
};

fn multi_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
}

#[tokio::test]
async fn a_document_delivered_twice_is_posted_once_and_the_second_delivery_costs_one_request() {
    let world = TestWorld::new().await;
    let receipt = world.upload(BUCKET, "a.json", &slip(100)).await;

    let first = world.poll().await.unwrap();
    assert_eq!(metrics(&first), ["Committed"]);
    assert_eq!((world.wire.total(), world.objects.requests()), (3, 1), "{:?}", world.wire.counts());
    let before = world.tables().await;

    world.queue.send(notification(&receipt));
    let second = world.poll().await.unwrap();
    assert_eq!(metrics(&second), ["DuplicateEvent"]);
    assert_eq!((world.wire.total(), world.objects.requests()), (4, 1), "{:?}", world.wire.counts());
    assert_eq!(world.tables().await, before);

    let [claims, commits, documents, effects] = before;
    assert_eq!((claims.len(), commits.len(), documents.len(), effects.len()), (1, 1, 1, 1));
    assert_eq!(claims[0]["status"], "committed");
    assert_eq!(commits[0]["amount"], "100");
    assert_eq!(documents[0]["content_hash"], commits[0]["content_hash"]);
    assert_eq!(documents[0]["sequencer"], receipt.sequencer.trim_end_matches('0'));
    assert_eq!(effects[0]["state"], "pending");
    assert!(world.queue.is_empty());
}

#[tokio::test]
async fn identical_content_costs_four_requests_and_posts_nothing() {
    let world = TestWorld::new().await;
    world.upload(BUCKET, "a.json", &slip(100)).await;
    world.drain().await;
    let (ddb, s3) = (world.wire.total(), world.objects.requests());

    world.upload(BUCKET, "copy.json", &slip(100)).await;
    assert_eq!(world.drain().await, ["DuplicateContent"]);
    assert_eq!((world.wire.total() - ddb, world.objects.requests() - s3), (3, 1));
    let [claims, commits, documents, effects] = world.tables().await;
    assert_eq!((claims.len(), commits.len(), documents.len(), effects.len()), (2, 1, 2, 1));
}

#[tokio::test]
async fn versions_in_any_order_leave_the_pointer_at_the_highest_sequencer() {
    for reversed in [false, true] {
        let world = TestWorld::new().await;
        let mut receipts = Vec::new();
        for amount in 1..=4 {
            receipts.push(world.put(BUCKET, "a.json", &slip(amount)).await);
        }
        let last = receipts[3].clone();
        if reversed {
            receipts.reverse();
        }
        for _ in 0..2 {
            for receipt in &receipts {
                world.queue.send(notification(receipt));
                world.drain().await;
            }
        }
        let [claims, commits, documents, effects] = world.tables().await;
        assert_eq!((claims.len(), commits.len(), documents.len(), effects.len()), (4, 4, 1, 4));
        assert!(claims.iter().all(|claim| claim["status"] == "committed"));
        assert_eq!(documents[0]["version_id"], last.version.version_id.as_str(), "reversed: {reversed}");
        // In order the pointer moves four times, in reverse once.
        assert_eq!(documents[0]["revision"], if reversed { "1" } else { "4" });
    }
}

#[test]
fn one_event_delivered_to_thirty_two_workers_at_once_is_posted_once() {
    multi_thread().block_on(async {
        let world = Arc::new(TestWorld::new().await);
        let receipt = world.put(BUCKET, "a.json", &slip(7)).await;
        let mut deliveries = tokio::task::JoinSet::new();
        for number in 0..32 {
            let world = Arc::clone(&world);
            let body = notification(&receipt);
            deliveries.spawn(async move {
                let payload = json!({"Records": [{"messageId": format!("m{number}"), "eventSource": "aws:sqs", "body": body}]});
                let answer = world.invoke(&payload).await;
                (metrics(&answer)[0], returned(&answer).len())
            });
        }
        let answers = deliveries.join_all().await;
        let count = |name| answers.iter().filter(|(metric, _)| *metric == name).count();
        assert_eq!(count("Committed"), 1, "{answers:?}");
        assert_eq!(count("Committed") + count("DuplicateEvent") + count("InFlight"), 32, "{answers:?}");
        // Acknowledged are only those that saw a finished marker.
        assert!(answers.iter().all(|(metric, returned)| (*metric == "InFlight") == (*returned == 1)));
        let [claims, commits, documents, effects] = world.tables().await;
        assert_eq!((claims.len(), commits.len(), documents.len(), effects.len()), (1, 1, 1, 1));
        assert_eq!(claims[0]["attempts"], "1");
    });
}

#[tokio::test]
async fn one_batch_with_duplicates_of_one_version_works_once_and_shares_the_outcome() {
    let world = TestWorld::new().await;
    let receipt = world.put(BUCKET, "a.json", &slip(7)).await;
    for _ in 0..5 {
        world.queue.send(notification(&receipt));
    }
    let answer = world.poll().await.unwrap();
    assert_eq!(metrics(&answer), ["Committed"; 5]);
    assert_eq!(world.wire.total(), 3);
}

#[tokio::test]
async fn a_claim_held_by_another_is_not_acknowledged_and_hidden_until_its_lease_ends() {
    let world = Arc::new(TestWorld::new().await);
    let receipt = world.put(BUCKET, "a.json", &slip(7)).await;
    world.objects.close_gate();
    let holder = tokio::spawn({
        let world = Arc::clone(&world);
        let body = notification(&receipt);
        async move {
            let payload =
                json!({"Records": [{"messageId": "holder", "eventSource": "aws:sqs", "body": body}]});
            metrics(&world.invoke(&payload).await)
        }
    });
    world.objects.somebody_waits().await;

    world.queue.send(notification(&receipt));
    let begun = world.clock.now();
    let answer = world.poll().await.unwrap();
    assert_eq!(metrics(&answer), ["InFlight"]);
    assert_eq!(returned(&answer).len(), 1);
    let hidden_ms = begun.until_ms(world.queue.next_visible_at().unwrap());
    assert!(hidden_ms >= FUNCTION_TIMEOUT_MS + LEASE_MARGIN_MS, "{hidden_ms}");

    world.objects.open_gate();
    assert_eq!(holder.await.unwrap(), ["Committed"]);
    assert_eq!(world.drain().await, ["DuplicateEvent"]);
    assert_eq!(world.tables().await[1].len(), 1);
}

#[tokio::test]
async fn a_holder_that_lost_its_lease_writes_nothing() {
    let world = Arc::new(TestWorld::new().await);
    let receipt = world.put(BUCKET, "a.json", &slip(7)).await;
    world.objects.close_gate();
    let holder = tokio::spawn({
        let world = Arc::clone(&world);
        let body = notification(&receipt);
        async move {
            // A paused process does not know how late it is: its deadline lies far ahead.
            let payload =
                json!({"Records": [{"messageId": "holder", "eventSource": "aws:sqs", "body": body}]});
            let answer = handle(&world.pipeline, &payload, world.deadline()).await.unwrap();
            (metrics(&answer), returned(&answer))
        }
    });
    world.objects.somebody_waits().await;
    world.clock.advance_ms(FUNCTION_TIMEOUT_MS + LEASE_MARGIN_MS + 1);

    // Another takes over and fails, so that the claim is in progress under another token.
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    world.queue.send(notification(&receipt));
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Transient"]);
    let before = world.tables().await;
    assert_eq!(before[0][0]["attempts"], "2");

    world.objects.open_gate();
    assert_eq!(holder.await.unwrap(), (vec!["Fenced"], vec!["holder".to_owned()]));
    assert_eq!(world.tables().await, before, "a stale holder wrote");
    assert_eq!(world.drain().await, ["Committed"]);
    assert_eq!(world.tables().await[1].len(), 1);
}

#[tokio::test]
async fn a_claim_whose_holder_died_is_taken_over_at_the_cost_of_one_request() {
    let world = TestWorld::new().await;
    let receipt = world.put(BUCKET, "a.json", &slip(7)).await;
    // The holder dies after its claim: nothing of it is ever heard again.
    world.wire.lose("GetItem", 1, Loss::DownFromHere);
    world.queue.send(notification(&receipt));
    assert_eq!(metrics(&world.poll().await.unwrap()), ["StoreUnavailable"]);

    let wire = Wire::new();
    let worker = world.worker(&wire, |_| {});
    world.clock.advance_ms(FUNCTION_TIMEOUT_MS + LEASE_MARGIN_MS + 1);
    let payload =
        json!({"Records": [{"messageId": "m", "eventSource": "aws:sqs", "body": notification(&receipt)}]});
    let answer = handle(&worker, &payload, world.deadline()).await.unwrap();
    assert_eq!(metrics(&answer), ["Committed"]);
    assert!(answer.messages[0].records[0].took_over);
    assert_eq!(wire.total(), 4, "{:?}", wire.counts());
    assert_eq!(world.tables().await[0][0]["attempts"], "2");
}

#[tokio::test]
async fn a_lost_reply_anywhere_posts_once() {
    // Operation, loss, what the first delivery may answer.
    let table = [
        ("PutItem", Loss::Request, "Committed"),
        ("PutItem", Loss::Reply, "Committed"),
        ("GetItem", Loss::Request, "Committed"),
        ("GetItem", Loss::Reply, "Committed"),
        ("TransactWriteItems", Loss::Request, "Committed"),
        ("TransactWriteItems", Loss::Reply, "Committed"),
        ("TransactWriteItems", Loss::Refused("TransactionInProgressException"), "Committed"),
        ("TransactWriteItems", Loss::Refused("ThrottlingException"), "Committed"),
        ("PutItem", Loss::Refused("ProvisionedThroughputExceededException"), "Committed"),
        ("PutItem", Loss::Refused("AccessDeniedException"), "StoreUnavailable"),
    ];
    for (operation, loss, expected) in table {
        let world = TestWorld::new().await;
        let receipt = world.upload(BUCKET, "a.json", &slip(7)).await;
        world.wire.lose(operation, 1, loss);
        let first = world.poll().await.unwrap();
        assert_eq!(metrics(&first), [expected], "{operation} {loss:?}");
        assert!(world.wire.all_lost(), "{operation} {loss:?}");
        world.queue.send(notification(&receipt));
        world.drain().await;
        let [claims, commits, documents, effects] = world.tables().await;
        let counts = (claims.len(), commits.len(), documents.len(), effects.len());
        assert_eq!(counts, (1, 1, 1, 1), "{operation} {loss:?}");
        assert_eq!(documents[0]["revision"], "1", "{operation} {loss:?}");
    }
}

#[tokio::test]
async fn a_claim_whose_every_reply_is_lost_is_returned_and_found_again() {
    for loss in [Loss::Request, Loss::Reply] {
        let world = TestWorld::new().await;
        world.upload(BUCKET, "a.json", &slip(7)).await;
        world.wire.lose("PutItem", 1, loss);
        world.wire.lose("PutItem", 2, loss);
        let first = world.poll().await.unwrap();
        assert_eq!(metrics(&first), ["StoreUnavailable"], "{loss:?}");
        assert_eq!(returned(&first).len(), 1);
        world.drain().await;
        let [claims, commits, _, effects] = world.tables().await;
        assert_eq!((claims.len(), commits.len(), effects.len()), (1, 1, 1), "{loss:?}");
        assert_eq!(claims[0]["status"], "committed");
    }
}

#[tokio::test]
async fn a_commit_whose_every_reply_is_lost_is_settled_by_reading_the_claim() {
    let world = TestWorld::new().await;
    world.upload(BUCKET, "a.json", &slip(7)).await;
    world.wire.lose("TransactWriteItems", 1, Loss::Reply);
    world.wire.lose("TransactWriteItems", 2, Loss::Reply);
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Committed"]);
    // Put, known content, two tries of the transaction, and the read that settles it.
    assert_eq!(world.wire.counts()["GetItem"], 2);
    assert_eq!(world.tables().await[1].len(), 1);
}

#[tokio::test]
async fn an_end_whose_reply_is_lost_is_written_once() {
    for (content, expected, operation) in
        [("unusable", "Rejected", "UpdateItem"), ("incomplete", "Review", "TransactWriteItems")]
    {
        let world = TestWorld::new().await;
        world.upload(BUCKET, "a.json", content).await;
        world.wire.lose(operation, 1, Loss::Reply);
        world.wire.lose(operation, 2, Loss::Reply);
        assert_eq!(metrics(&world.poll().await.unwrap()), [expected]);
        let [claims, commits, documents, effects] = world.tables().await;
        assert_eq!((claims.len(), commits.len(), documents.len()), (1, 0, 0));
        assert_eq!(effects.len(), usize::from(expected == "Review"));
    }
}

#[tokio::test]
async fn an_engine_that_stops_within_a_batch_commits_nothing_more_and_acknowledges_nothing_unfinished() {
    let world = TestWorld::with(|settings| settings.concurrency = 1).await;
    for number in 0..6 {
        world.upload(BUCKET, &format!("{number}.json"), &slip(number + 1)).await;
    }
    world.wire.lose("TransactWriteItems", 3, Loss::DownFromHere);
    let answer = world.poll().await.unwrap();
    let outcomes = metrics(&answer);
    assert_eq!(outcomes[..2], ["Committed", "Committed"]);
    assert_eq!(outcomes[2], "StoreUnavailable");
    // The batch stops early: the rest is not even tried.
    assert_eq!(outcomes[3..], ["NotStarted", "NotStarted", "NotStarted"]);
    assert_eq!(returned(&answer).len(), 4);
    assert_eq!(world.tables().await[1].len(), 2);

    // With the engine really gone, nothing is acknowledged at all.
    world.embedded.stop().await;
    let wire = Wire::new();
    let worker = world.worker(&wire, |_| {});
    world.queue.send("{\"Records\":[]}");
    let received = world.queue.receive(10).unwrap();
    let answer = handle(&worker, &lambda_event(&received), world.deadline()).await.unwrap();
    assert_eq!(metrics(&answer), ["Ignored"]);
    let receipt = world.put(BUCKET, "late.json", &slip(9)).await;
    let payload =
        json!({"Records": [{"messageId": "m", "eventSource": "aws:sqs", "body": notification(&receipt)}]});
    let answer = handle(&worker, &payload, world.deadline()).await.unwrap();
    assert_eq!((metrics(&answer), returned(&answer)), (vec!["StoreUnavailable"], vec!["m".to_owned()]));
    assert_eq!(world.objects.requests(), 3, "nothing is fetched without a claim");
}

#[tokio::test]
async fn an_object_store_that_is_down_costs_an_attempt_and_in_the_end_a_dead_letter_with_context() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 3).await;
    let receipt = world.upload(BUCKET, "a.json", &slip(7)).await;
    let body = notification(&receipt);
    world.objects.fail_next(std::iter::repeat_n(FetchError::transient("s3_503_SlowDown"), 3));
    let first = world.poll().await.unwrap();
    assert_eq!(metrics(&first), ["Transient"]);
    assert_eq!(returned(&first).len(), 1);
    // Claim and release, and one fetch.
    assert_eq!((world.wire.total(), world.objects.requests()), (2, 1));
    assert!(world.queue.receive(10).unwrap().is_empty(), "it is hidden for a while");

    assert_eq!(world.drain().await, ["Transient", "DeadLettered"]);
    let letters = world.queue.dead_letters().unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].body, body);
    let context = &letters[0].attributes;
    assert_eq!(context[attribute::ERROR_KIND], "s3_503_SlowDown");
    assert_eq!((context[attribute::ATTEMPTS].as_str(), context[attribute::CYCLE].as_str()), ("3", "0"));
    let [claims, commits, _, effects] = world.tables().await;
    assert_eq!((claims[0]["status"].as_str(), commits.len(), effects.len()), ("dead_lettered", 0, 1));
    assert_eq!(claims[0]["open_kind"], "dead_lettered");

    // An ordinary redelivery is a duplicate; the operator's redrive opens the claim again, once.
    let again = Outgoing { body: body.clone(), ..Outgoing::default() };
    world.queue.send(again);
    assert_eq!(world.drain().await, ["DuplicateEvent"]);
    let redriven = Outgoing { body, attributes: context.clone(), group_id: None };
    world.queue.send(redriven.clone());
    world.queue.send(redriven);
    assert_eq!(
        world.drain().await,
        ["Committed", "Committed"],
        "two copies in one batch are one piece of work"
    );
    let [claims, commits, ..] = world.tables().await;
    assert_eq!((claims[0]["status"].as_str(), claims[0]["cycle"].as_str()), ("committed", "1"));
    assert!(!claims[0].contains_key("open_kind"));
    assert_eq!(commits.len(), 1);
}

#[tokio::test]
async fn a_second_dead_lettering_is_told_again_and_a_repeat_of_the_first_is_not() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 1).await;
    world.upload(BUCKET, "a.json", "fail").await;
    assert_eq!(world.drain().await, ["DeadLettered"]);
    let letter = world.queue.dead_letters().unwrap().remove(0);
    let redriven = Outgoing { body: letter.body, attributes: letter.attributes, group_id: None };
    world.queue.send(redriven.clone());
    assert_eq!(world.drain().await, ["DeadLettered"]);
    world.queue.send(redriven);
    assert_eq!(world.drain().await, ["DuplicateEvent"], "a message of an older cycle");
    assert_eq!(world.tables().await[3].len(), 2);
    assert_eq!(world.queue.dead_letters().unwrap().len(), 2);
}

#[tokio::test]
async fn a_dead_letter_that_is_not_taken_keeps_the_document_where_it_is() {
    use lease_ingest::embedded::queue::Fault;
    // Fault of the queue, letters in the end.
    for (fault, letters) in [(Fault::Before, 1), (Fault::After, 2)] {
        let world = TestWorld::with(|settings| settings.attempt_limit = 1).await;
        world.upload(BUCKET, "a.json", "fail").await;
        world.queue.set_fault(fault);
        let first = world.poll().await.unwrap();
        assert_eq!((metrics(&first), returned(&first).len()), (vec!["Transient"], 1), "{fault:?}");
        assert_eq!(world.tables().await[0][0]["status"], "in_progress");
        world.queue.set_fault(Fault::None);
        assert_eq!(world.drain().await, ["DeadLettered"], "{fault:?}");
        // Twice in the queue is recoverable and nowhere is not.
        assert_eq!(world.queue.dead_letters().unwrap().len(), letters, "{fault:?}");
    }
}

#[tokio::test]
async fn an_end_that_meets_a_conflict_is_tried_again() {
    let world = TestWorld::new().await;
    world.upload(BUCKET, "a.json", "incomplete").await;
    world.wire.lose("TransactWriteItems", 1, Loss::Cancelled(&["TransactionConflict", "None"]));
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Review"]);
    assert_eq!(world.tables().await[0][0]["attempts"], "1");
}

#[tokio::test]
async fn a_property_id_that_is_too_long_to_file_under_is_a_question_for_a_person() {
    let world = TestWorld::new().await;
    let metadata = BTreeMap::from([("property-id".to_owned(), "P".repeat(513))]);
    let receipt = world.objects.folder.put(BUCKET, "a.json", slip(1), metadata).await.unwrap();
    world.queue.send(notification(&receipt));
    assert_eq!(world.drain().await, ["Review"]);
    assert_eq!(world.tables().await[0][0]["reason"], "property_id_too_long");
}

#[tokio::test]
async fn a_document_that_a_service_works_on_is_waited_for_without_an_attempt() {
    let world = TestWorld::new().await;
    let receipt = world.upload(BUCKET, "a.json", &slow_slip(7, 3)).await;
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Waiting"]);
    let waiting = world.tables().await[0][0].clone();
    let until = world.clock.now().plus_ms(ASK_AGAIN_MS).0.to_string();
    assert_eq!((waiting["status"].as_str(), waiting["attempts"].as_str()), ("in_progress", "0"));
    assert_eq!((waiting["lease_expires_at"].as_str(), waiting["waits"].as_str()), (until.as_str(), "1"));
    // A copy of the event that comes meanwhile asks nobody.
    world.queue.send(notification(&receipt));
    assert_eq!(metrics(&world.poll().await.unwrap()), ["InFlight"]);

    // From then on both come in one batch, where they are one record.
    let both = |metric| [metric, metric];
    let outcomes = world.drain().await;
    assert_eq!(outcomes, [both("Waiting"), both("Waiting"), both("Committed")].concat());
    let [claims, commits, _, effects] = world.tables().await;
    assert_eq!((claims[0]["status"].as_str(), claims[0]["attempts"].as_str()), ("committed", "1"));
    let job_id = format!(
        "{}/3",
        ExtractRequest::work_token(ContentHash::of(slow_slip(7, 3).as_bytes()), Generation::FIRST)
    );
    assert_eq!((claims[0]["waits"].as_str(), claims[0]["job_id"].as_str()), ("3", job_id.as_str()));
    assert_eq!((commits.len(), effects.len()), (1, 1));
}

#[tokio::test]
async fn a_service_that_is_never_done_reaches_people_in_the_end() {
    let world = TestWorld::with(|settings| {
        settings.wait_limit = 2;
        settings.attempt_limit = 2;
    })
    .await;
    world.upload(BUCKET, "a.json", &slow_slip(7, 99)).await;
    assert_eq!(world.drain().await, ["Waiting", "Waiting", "Transient", "DeadLettered"]);
    let letters = world.queue.dead_letters().unwrap();
    assert_eq!(letters[0].attributes[attribute::ERROR_KIND], "recognition_overdue");
    assert_eq!(letters[0].attributes[attribute::ATTEMPTS], "2");
    assert_eq!(world.tables().await[1].len(), 0);
}

#[tokio::test]
async fn without_waits_a_job_is_asked_for_by_the_next_attempt() {
    let world = TestWorld::with(|settings| settings.wait_limit = 0).await;
    world.upload(BUCKET, "a.json", &slow_slip(7, 1)).await;
    assert_eq!(world.drain().await, ["Transient", "Committed"]);
    let claim = &world.tables().await[0][0];
    assert_eq!((claim["attempts"].as_str(), claim.contains_key("waits")), ("2", false));
}

#[tokio::test]
async fn what_was_not_begun_for_lack_of_room_uses_no_attempt() {
    let world = TestWorld::with(|settings| {
        settings.attempt_limit = 1;
        settings.max_receive_count = 4;
    })
    .await;
    world.upload(BUCKET, "a.json", "no room").await;
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Transient"]);
    assert_eq!(world.tables().await[0][0]["attempts"], "0");
    // The queue itself would give up: before that, it is a letter with context.
    assert_eq!(world.drain().await, ["Transient", "Transient", "DeadLettered"]);
    let letters = world.queue.dead_letters().unwrap();
    assert_eq!(letters[0].attributes[attribute::ERROR_KIND], "no_room_for_scan");
}

#[tokio::test]
async fn a_wait_that_is_lost_on_the_way_loses_nothing() {
    for (case, loss) in [("request", Loss::Request), ("reply", Loss::Reply)] {
        let world = TestWorld::new().await;
        world.upload(BUCKET, "a.json", &slow_slip(7, 1)).await;
        // Every try of the client, so that the pipeline sees it.
        world.wire.lose("UpdateItem", 1, loss);
        world.wire.lose("UpdateItem", 2, loss);
        let outcomes = world.drain().await;
        assert_eq!(outcomes.last(), Some(&"Committed"), "{case}: {outcomes:?}");
        assert_eq!(world.tables().await[1].len(), 1, "{case}");
    }
}

#[tokio::test]
async fn a_crash_on_every_attempt_ends_in_a_dead_letter() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 2).await;
    world.upload(BUCKET, "a.json", "panic").await;
    world.upload(BUCKET, "b.json", &slip(3)).await;
    let first = world.poll().await.unwrap();
    assert_eq!(metrics(&first), ["Transient", "Committed"], "a panic costs its record only");
    assert_eq!(returned(&first).len(), 1);
    let rest = world.drain().await;
    assert_eq!(rest.iter().filter(|outcome| **outcome == "DeadLettered").count(), 1, "{rest:?}");
    let letters = world.queue.dead_letters().unwrap();
    assert_eq!(letters[0].attributes[attribute::ATTEMPTS], "2");
    assert_eq!(world.tables().await[0].iter().filter(|claim| claim["status"] == "dead_lettered").count(), 1);
}

#[tokio::test]
async fn a_version_that_is_not_there_is_missing_only_after_a_while_and_reopened_when_listed() {
    let world = TestWorld::new().await;
    let receipt = world.upload(BUCKET, "a.json", &slip(7)).await;
    world.objects.fail_next([FetchError::NotFound, FetchError::NotFound]);
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Transient"]);
    // A second delivery within the quarter of an hour is told to wait too.
    world.queue.send(notification(&receipt));
    assert_eq!(metrics(&world.poll().await.unwrap()), ["Transient"]);
    world.objects.fail_next([FetchError::NotFound]);
    assert_eq!(world.drain().await, ["Missing", "Missing"]);
    assert_eq!(world.column(&world.embedded.tables().claims, "status").await, ["missing"]);

    world.queue.send(synthetic_body(&receipt.version, Ask::Ingest, Some(receipt.size_bytes)));
    assert_eq!(world.drain().await, ["Committed"]);
    let [claims, commits, documents, _] = world.tables().await;
    assert_eq!((claims[0]["cycle"].as_str(), commits.len()), ("1", 1));
    assert!(!claims[0].contains_key("not_found_since"));
    assert_eq!(documents[0]["version_id"], receipt.version.version_id.as_str());
}

#[tokio::test]
async fn an_unversioned_key_overwritten_between_events_keeps_both_contents() {
    let world = TestWorld::new().await;
    let first = world.put(UNVERSIONED, "a.json", &slip(1)).await;
    world.queue.send(notification(&first));
    assert_eq!(world.drain().await, ["Committed"]);
    let second = world.put(UNVERSIONED, "a.json", &slip(2)).await;
    // The first event again, after the overwrite: its claim is finished, nothing is read.
    world.queue.send(notification(&first));
    world.queue.send(notification(&second));
    assert_eq!(world.drain().await, ["DuplicateEvent", "Committed"]);

    // Back to the older bytes: the same claim key, told apart by the sequencer; the pointer follows.
    let third = world.put(UNVERSIONED, "a.json", &slip(1)).await;
    world.queue.send(notification(&third));
    world.queue.send(notification(&third));
    assert_eq!(world.drain().await, ["DuplicateContent", "DuplicateContent"]);
    let [claims, commits, documents, effects] = world.tables().await;
    assert_eq!((claims.len(), commits.len(), documents.len(), effects.len()), (2, 2, 1, 2));
    assert_eq!(documents[0]["etag"], third.version.etag.as_str());

    // An event whose bytes are gone before they were read is superseded: the next event carries the newer ones.
    let fourth = world.put(UNVERSIONED, "a.json", &slip(4)).await;
    world.put(UNVERSIONED, "a.json", &slip(5)).await;
    world.queue.send(notification(&fourth));
    assert_eq!(world.drain().await, ["Superseded"]);
}

#[tokio::test]
async fn a_removal_asks_what_is_current_and_a_late_create_revives_nothing() {
    let world = TestWorld::new().await;
    let first = world.upload(BUCKET, "a.json", &slip(1)).await;
    world.drain().await;
    let late = world.put(BUCKET, "a.json", &slip(2)).await;
    let marker = world.objects.folder.delete(BUCKET, "a.json").await.unwrap().unwrap();
    world.queue.send(notification(&marker));
    assert_eq!(world.drain().await, ["Removed"]);
    let documents = world.embedded.tables().documents.clone();
    assert_eq!(world.column(&documents, "state").await, ["removed"]);
    assert_eq!(world.column(&documents, "filed_under").await, [""], "it has left the index");

    world.queue.send(notification(&late));
    assert_eq!(world.drain().await, ["Committed"]);
    assert_eq!(world.column(&documents, "state").await, ["removed"], "a late create revived it");
    let before = world.tables().await;
    world.queue.send(notification(&marker));
    world.queue.send(notification(&first));
    world.drain().await;
    assert_eq!(world.tables().await, before, "a replay changed something");

    // Taking the marker away makes the late one current: the removal of a marker is a removal too.
    let undone = world
        .objects
        .folder
        .delete_version(BUCKET, "a.json", &marker.version.version_id)
        .await
        .unwrap()
        .unwrap();
    world.queue.send(notification(&undone));
    assert_eq!(world.drain().await, ["PointerRepaired"]);
    let [_, commits, documents, _] = world.tables().await;
    assert_eq!((documents[0]["state"].as_str(), commits.len()), ("active", 2));
    assert_eq!(documents[0]["version_id"], late.version.version_id.as_str());
    assert_eq!(documents[0]["filed_under"], "P-1");
}

#[tokio::test]
async fn a_removal_that_uncovers_a_version_nobody_ingested_ingests_it() {
    let world = TestWorld::new().await;
    let lost = world.put(BUCKET, "a.json", &slip(1)).await;
    world.upload(BUCKET, "a.json", &slip(2)).await;
    world.drain().await;
    let second = world.tables().await[2][0]["version_id"].clone();
    let id = lease_ingest::identity::VersionId::from_optional(Some(&second));
    let gone = world.objects.folder.delete_version(BUCKET, "a.json", &id).await.unwrap().unwrap();
    world.queue.send(notification(&gone));
    assert_eq!(world.drain().await, ["Committed"]);
    let [_, commits, documents, _] = world.tables().await;
    assert_eq!(commits.len(), 2);
    assert_eq!(documents[0]["version_id"], lost.version.version_id.as_str());
    assert_eq!(documents[0]["order"], "listed");
}

#[tokio::test]
async fn a_letter_about_what_a_removal_uncovered_brings_that_version_back_whatever_is_current_then() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 1).await;
    let first = world.put(BUCKET, "a.json", &slip(1)).await;
    let second = world.upload(BUCKET, "a.json", &slip(2)).await;
    assert_eq!(world.drain().await, ["Committed"]);
    let folder = &world.objects.folder;
    let removed = folder.delete_version(BUCKET, "a.json", &second.version.version_id).await.unwrap().unwrap();
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    world.queue.send(notification(&removed));
    assert_eq!(world.drain().await, ["DeadLettered"]);

    // A third version becomes current before the operator sends the letter back.
    world.upload(BUCKET, "a.json", &slip(3)).await;
    assert_eq!(world.drain().await, ["Committed"]);
    let letter = world.queue.dead_letters().unwrap().remove(0);
    assert_eq!(letter.body, synthetic_body(&first.version, Ask::Ingest, Some(first.size_bytes)));
    world.queue.redrive(&letter.id).unwrap();
    assert_eq!(world.drain().await, ["Committed"]);
    let [claims, commits, documents, _] = world.tables().await;
    assert!(claims.iter().all(|claim| claim["status"] == "committed"), "{claims:?}");
    assert_eq!((commits.len(), documents[0]["revision"].as_str()), (3, "3"));
}

#[tokio::test]
async fn whoever_asked_the_store_before_a_repeated_upload_or_a_removal_must_ask_again() {
    let world = TestWorld::new().await;
    let ledger = world.pipeline.world().ledger();
    let asked = async |receipt: &PutReceipt| {
        let key = receipt.version.document_key();
        let pointer = ledger.read_pointer(&key).await.unwrap();
        let current = world.objects.current(UNVERSIONED, &receipt.version.key).await.unwrap();
        let names = Named {
            version_id: receipt.version.version_id.clone(),
            etag: receipt.version.etag.clone(),
            content_hash: ContentHash::of(b"what was read"),
            generation: Generation::FIRST,
            filing: Filing { under: "P-1".into(), order: "2026-01-01".into() },
        };
        (key, decide_asked(pointer.as_ref(), names, None, &current).unwrap())
    };

    // The pointer names the first bytes, without an order. Others replace them; before their record is written, the
    // first are put again, which finds them named already.
    let first = world.put(UNVERSIONED, "a.json", &slip(1)).await;
    world.queue.send(synthetic_body(&first.version, Ask::Ingest, None));
    assert_eq!(world.drain().await, ["Committed"]);
    let (key, write) = asked(&world.put(UNVERSIONED, "a.json", &slip(2)).await).await;
    world.upload(UNVERSIONED, "a.json", &slip(1)).await;
    assert_eq!(world.drain().await, ["DuplicateContent"]);
    assert_eq!(ledger.write_pointer(&key, &write).await, Ok(Written::Refused(())));

    // A key that no pointer is of is emptied, and told of without an order.
    let gone = world.put(UNVERSIONED, "b.json", &slip(3)).await;
    let (key, write) = asked(&gone).await;
    world.objects.folder.delete(UNVERSIONED, "b.json").await.unwrap();
    world.queue.send(synthetic_body(&gone.version, Ask::Look, None));
    assert_eq!(world.drain().await, ["Removed"]);
    assert_eq!(ledger.write_pointer(&key, &write).await, Ok(Written::Refused(())));
}

#[tokio::test]
async fn a_letter_of_a_later_generation_waits_for_a_worker_of_it() {
    let world = TestWorld::with(|settings| settings.attempt_limit = 1).await;
    let wire = Wire::new();
    let later = world.worker(&wire, |settings| settings.generation = Generation::new(2).unwrap());
    let receipt = world.upload(BUCKET, "a.json", &slip(1)).await;
    assert_eq!(world.drain().await, ["Committed"]);
    world.objects.fail_next([FetchError::transient("s3_503_SlowDown")]);
    let payload =
        json!({"Records": [{"messageId": "m", "eventSource": "aws:sqs", "body": notification(&receipt)}]});
    let answer = handle(&later, &payload, world.deadline()).await.unwrap();
    assert_eq!(metrics(&answer), ["DeadLettered"]);

    let letter = world.queue.dead_letters().unwrap().remove(0);
    world.queue.redrive(&letter.id).unwrap();
    let received = world.queue.receive(1).unwrap();
    // A worker of the first generation has finished this version, and acknowledges nothing of the second.
    let answer = world.invoke(&lambda_event(&received)).await;
    assert_eq!((metrics(&answer), returned(&answer).len()), (vec!["Transient"], 1));
    let answer = handle(&later, &lambda_event(&received), world.deadline()).await.unwrap();
    assert_eq!(metrics(&answer), ["Committed"]);
}

#[tokio::test]
async fn reviews_rejections_and_their_notices() {
    let long = format!(r#"{{"under":"P-1","amount":1,"pad":"{}"}}"#, "x".repeat(2_000));
    // Content, outcome, reason, notices.
    let table = [
        ("incomplete", "Review", "incomplete", 1),
        (r#"{"under":"P-1","amount":0}"#, "Review", "invalid_document", 1),
        (r#"{"under":"","amount":1}"#, "Review", "invalid_document", 1),
        (r#"{"under":"P-1","amount":1,"confidence":0.849}"#, "Review", "low_confidence", 1),
        (r#"{"under":"P-1","amount":1,"confidence":0.85}"#, "Committed", "", 1),
        ("unusable", "Rejected", "unsupported_type", 0),
        ("", "Rejected", "empty", 0),
        (long.as_str(), "Review", "too_large", 1),
    ];
    for (content, outcome, reason, notices) in table {
        let world = TestWorld::with(|settings| settings.max_object_bytes = 1_000).await;
        let receipt = world.upload(BUCKET, "a.json", content).await;
        assert_eq!(world.drain().await, [outcome], "{reason}");
        world.queue.send(notification(&receipt));
        assert_eq!(world.drain().await, ["DuplicateEvent"], "{reason}");
        let [claims, _, _, effects] = world.tables().await;
        assert_eq!(claims[0].get("reason").map_or("", String::as_str), reason);
        assert_eq!(effects.len(), notices, "{reason}");
        assert_eq!(claims[0].contains_key("open_kind"), outcome == "Review");
        assert_eq!(claims[0].contains_key("envelope"), outcome == "Review");
    }
}

#[tokio::test]
async fn the_same_bytes_filed_elsewhere_are_not_silently_one() {
    let world = TestWorld::new().await;
    world.upload(BUCKET, "a.json", &slip(1)).await;
    world.drain().await;
    let metadata = BTreeMap::from([("property-id".to_owned(), "P-2".to_owned())]);
    let receipt = world.objects.folder.put(BUCKET, "b.json", slip(1), metadata).await.unwrap();
    world.queue.send(notification(&receipt));
    assert_eq!(world.drain().await, ["Review"]);
    let [claims, commits, documents, _] = world.tables().await;
    assert_eq!((commits.len(), documents.len()), (1, 1));
    assert_eq!(claims[1]["reason"], "filed_elsewhere");
}

#[tokio::test]
async fn what_a_document_is_filed_under_comes_from_metadata_then_key_then_text() {
    let pattern = |settings: &mut lease_ingest::config::IngestSettings| {
        settings.property_key_pattern = Some(regex::Regex::new("^(?<property>[^/]+)/").unwrap());
    };
    let world = TestWorld::with(pattern).await;
    let metadata = BTreeMap::from([("property-id".to_owned(), "FROM-METADATA".to_owned())]);
    let by_metadata = world.objects.folder.put(BUCKET, "FROM-KEY/a.json", slip(1), metadata).await.unwrap();
    world.queue.send(notification(&by_metadata));
    world.upload(BUCKET, "FROM-KEY/b.json", &slip(2)).await;
    world.upload(BUCKET, "c.json", &slip(3)).await;
    assert_eq!(world.drain().await, ["Committed"; 3]);
    let mut filed = world.column(&world.embedded.tables().commits, "filed_under").await;
    filed.sort();
    assert_eq!(filed, ["FROM-KEY", "FROM-METADATA", "P-1"]);
}

#[tokio::test]
async fn wiping_the_claims_and_replaying_everything_adds_no_commit_and_no_effect() {
    let world = TestWorld::new().await;
    let mut receipts = Vec::new();
    for (key, amount) in [("a.json", 1), ("b.json", 2), ("a.json", 3), ("c.json", 1)] {
        receipts.push(world.upload(BUCKET, key, &slip(amount)).await);
        world.drain().await;
    }
    let before = world.tables().await;
    let client = world.embedded.dynamodb();
    for claim in &before[0] {
        let key = lease_ingest::identity::ClaimKey::parse(&claim["claim_key"]).unwrap().0;
        let key = lease_ingest::aws::item::claim_key(&key, world.pipeline.settings().generation);
        client
            .delete_item()
            .table_name(&world.embedded.tables().claims)
            .set_key(Some(key))
            .send()
            .await
            .unwrap();
    }
    for receipt in receipts.iter().rev() {
        world.queue.send(notification(receipt));
    }
    let outcomes = world.drain().await;
    assert_eq!(outcomes, ["DuplicateContent"; 4]);
    let after = world.tables().await;
    assert_eq!(after[1..], before[1..]);
}

#[tokio::test]
async fn a_raised_generation_reads_again_and_the_pointer_follows_but_never_back() {
    let world = TestWorld::new().await;
    let receipt = world.upload(BUCKET, "a.json", &slip(1)).await;
    world.drain().await;
    let wire = Wire::new();
    let second = lease_ingest::identity::Generation::new(2).unwrap();
    let newer = world.worker(&wire, |settings| settings.generation = second);
    let payload =
        json!({"Records": [{"messageId": "m", "eventSource": "aws:sqs", "body": notification(&receipt)}]});
    for expected in ["Committed", "DuplicateEvent"] {
        let answer = handle(&newer, &payload, world.deadline()).await.unwrap();
        assert_eq!(metrics(&answer), [expected]);
    }
    // An old worker with a wiped claim finds its content posted and leaves the pointer where it is.
    let claims = world.embedded.tables().claims.clone();
    let key = lease_ingest::identity::ClaimKey::of(&receipt.version).unwrap();
    let key = lease_ingest::aws::item::claim_key(&key, world.pipeline.settings().generation);
    world.embedded.dynamodb().delete_item().table_name(claims).set_key(Some(key)).send().await.unwrap();
    let answer = world.invoke(&payload).await;
    assert_eq!(metrics(&answer), ["DuplicateContent"]);
    let [_, commits, documents, effects] = world.tables().await;
    assert_eq!((commits.len(), effects.len()), (2, 2));
    assert_eq!(documents[0]["generation"], "2");
}

#[tokio::test]
async fn a_fifo_group_stops_at_its_first_failure_and_other_groups_go_on() {
    let world = TestWorld::new().await;
    let mut records = Vec::new();
    for (number, (group, content)) in
        [("g1", slip(1)), ("g1", "fail".to_owned()), ("g1", slip(3)), ("g2", slip(4))].into_iter().enumerate()
    {
        let receipt = world.put(BUCKET, &format!("{number}.json"), &content).await;
        records.push(json!({
            "messageId": format!("m{number}"),
            "eventSource": "aws:sqs",
            "body": notification(&receipt),
            "attributes": { "MessageGroupId": group },
        }));
    }
    let answer = world.invoke(&json!({ "Records": records })).await;
    assert_eq!(metrics(&answer), ["Committed", "Transient", "NotStarted", "Committed"]);
    assert_eq!(returned(&answer), ["m1", "m2"]);
}

#[tokio::test]
async fn nothing_is_begun_that_cannot_end_and_unbegun_messages_are_returned() {
    let world = TestWorld::new().await;
    let receipt = world.put(BUCKET, "a.json", &slip(1)).await;
    let payload =
        json!({"Records": [{"messageId": "m", "eventSource": "aws:sqs", "body": notification(&receipt)}]});
    let soon = world.clock.now().plus_ms(world.pipeline.settings().start_margin_ms - 1);
    let answer = handle(&world.pipeline, &payload, soon).await.unwrap();
    assert_eq!((metrics(&answer), returned(&answer)), (vec!["NotStarted"], vec!["m".to_owned()]));
    assert_eq!(world.wire.total(), 0);
}

#[tokio::test]
async fn what_still_runs_when_the_time_is_up_is_returned() {
    let world = TestWorld::with(|settings| {
        settings.start_margin_ms = 0;
        settings.response_margin_ms = 0;
    })
    .await;
    let receipt = world.put(BUCKET, "a.json", &slip(1)).await;
    let other = world.put(BUCKET, "b.json", "unusable").await;
    world.objects.close_gate();
    let records: Vec<_> = [("slow", &receipt), ("quick", &other)]
        .iter()
        .map(|(id, receipt)| json!({"messageId": id, "eventSource": "aws:sqs", "body": notification(*receipt)}))
        .collect();
    let soon = world.clock.now().plus_ms(1_500);
    let answer = handle(&world.pipeline, &json!({ "Records": records }), soon).await.unwrap();
    // Whichever fetch came to the gate first is cut off; the other ended in time.
    assert_eq!(returned(&answer).len(), 1);
    assert_eq!(answer.figures().outcomes["Transient"], 1);
}

#[tokio::test]
async fn a_message_that_cannot_be_named_fails_the_invocation_only_when_it_must_come_again() {
    let world = TestWorld::new().await;
    let receipt = world.put(BUCKET, "a.json", &slip(1)).await;
    let good = json!({"Records": [{"eventSource": "aws:sqs", "body": notification(&receipt)}]});
    assert_eq!(metrics(&world.invoke(&good).await), ["Committed"]);
    let bad = json!({"Records": [{"messageId": "", "eventSource": "aws:sqs", "body": "no JSON"}]});
    let error = handle(&world.pipeline, &bad, world.deadline()).await.unwrap_err();
    assert_eq!(error, HandleError::Unnameable { count: 1 });
}

#[tokio::test]
async fn one_repeated_id_is_named_once() {
    let world = TestWorld::new().await;
    let record = json!({"messageId": "m", "eventSource": "aws:sqs", "body": "no JSON"});
    let answer = world.invoke(&json!({ "Records": [record, record] })).await;
    assert_eq!(returned(&answer), ["m"]);
    let text = serde_json::to_string(&answer.response).unwrap();
    assert_eq!(text, r#"{"batchItemFailures":[{"itemIdentifier":"m"}]}"#);
}

#[tokio::test]
async fn a_batch_of_ten_thousand_messages_is_answered_whole() {
    let world = TestWorld::new().await;
    let receipt = world.put(BUCKET, "a.json", &slip(1)).await;
    let body = notification(&receipt);
    let records: Vec<_> = (0..10_000)
        .map(|number| {
            // Every fourth body is broken.
            let body = if number % 4 == 0 { "broken" } else { body.as_str() };
            json!({"messageId": format!("m{number}"), "eventSource": "aws:sqs", "body": body})
        })
        .collect();
    let answer = world.invoke(&json!({ "Records": records })).await;
    assert_eq!(returned(&answer).len(), 2_500);
    assert_eq!(answer.figures().outcomes["Committed"], 7_500);
    assert_eq!(world.wire.total(), 3);
}
