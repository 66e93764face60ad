//! The real binary as Lambda runs it: behind a Runtime API, fed by a queue that the store notifies, on two engines.

use std::collections::BTreeMap;

use aws_sdk_s3::types::{
    BucketVersioningStatus, Event, NotificationConfiguration, QueueConfiguration, VersioningConfiguration,
};
use aws_sdk_sqs::types::{MessageSystemAttributeName, QueueAttributeName};
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::Versioning;
use lease_ingest::embedded::queue::notification;
use lease_ingest::embedded::world::LOCAL_BUCKET;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::rig::place::Place;
use crate::rig::proxy::{Proxy, Upstreams};
use crate::rig::runtime::RuntimeApi;
use crate::rig::scenario::{Scenario, deliver};
use crate::rig::{Setup, Worker, sqs_record, turn};
use crate::support::ministack::Ministack;
use crate::support::sample;
use crate::support::scan;

/// What an invocation is given, in milliseconds.
const ALLOWED_MS: u64 = 60_000;
/// A bucket that notifies a queue.
const NOTIFYING_BUCKET: &str = "leases-notifying";
/// How long an empty queue is waited at, in seconds.
const WAIT_S: i32 = 1;
/// Messages of a batch.
const BATCH_MAX: i32 = 10;
/// Rounds after which a queue must be empty.
const ROUNDS_MAX: u32 = 60;

/// What is uploaded: the key, the sample, and what becomes of it.
const UPLOADS: [(&str, &str, &str); 8] = [
    ("suite 210/lease.txt", "harbor-point-suite-210.txt", "committed"),
    ("unit-5.html", "juniper-court-unit-5.html", "committed"),
    ("building-7.pdf", "ironbridge-building-7.pdf", "committed"),
    ("unit-14.docx", "mill-race-unit-14.docx", "committed"),
    ("straße/12.txt", "kanaalkade-12.txt", "committed"),
    ("floor-3.json", "linden-hall-floor-3.json", "committed"),
    ("clinic.txt", "quarry-road-clinic.txt", "review"),
    ("damaged.pdf", "damaged-scan.pdf", "rejected"),
];

/// The key of a copy.
const COPY_KEY: &str = "copy of unit-5.html";

/// Polls as Lambda does until the queue is empty; answers the bodies that were acknowledged.
async fn drain(place: &Place, worker: &mut Worker) -> Vec<String> {
    let (_, sqs, queue_url, _) = place.queues().unwrap();
    let mut acknowledged = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let receive = sqs
            .receive_message()
            .queue_url(queue_url)
            .max_number_of_messages(BATCH_MAX)
            .wait_time_seconds(WAIT_S)
            .message_system_attribute_names(MessageSystemAttributeName::All);
        let messages = receive.send().await.unwrap().messages.unwrap_or_default();
        if messages.is_empty() {
            let left =
                sqs.get_queue_attributes().queue_url(queue_url).attribute_names(QueueAttributeName::All);
            let left = left.send().await.unwrap().attributes.unwrap();
            if left[&QueueAttributeName::ApproximateNumberOfMessagesNotVisible] == "0" {
                return acknowledged;
            }
            continue;
        }
        let records: Vec<_> = messages
            .iter()
            .map(|message| {
                let system = message.attributes().unwrap();
                let count = &system[&MessageSystemAttributeName::ApproximateReceiveCount];
                let (id, handle) = (message.message_id().unwrap(), message.receipt_handle().unwrap());
                sqs_record(id, handle, count.parse().unwrap(), message.body().unwrap())
            })
            .collect();
        let response = worker.answer(&json!({ "Records": records }), ALLOWED_MS).await.unwrap();
        let failures = response["batchItemFailures"].as_array().unwrap();
        for message in &messages {
            if failures.iter().any(|failure| failure["itemIdentifier"] == message.message_id().unwrap()) {
                continue;
            }
            let done = sqs.delete_message().queue_url(queue_url);
            done.receipt_handle(message.receipt_handle().unwrap()).send().await.unwrap();
            acknowledged.push(message.body().unwrap().to_owned());
        }
    }
    panic!("the queue does not drain: {:#?}", worker.lines());
}

/// A versioned bucket that tells the queue of what is put into it and removed from it.
async fn notify_the_queue(place: &Place) {
    let (s3, sqs, queue_url, _) = place.queues().unwrap();
    s3.create_bucket().bucket(NOTIFYING_BUCKET).send().await.unwrap();
    let versioned = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
    let versioning = s3.put_bucket_versioning().bucket(NOTIFYING_BUCKET).versioning_configuration(versioned);
    versioning.send().await.unwrap();
    let attributes =
        sqs.get_queue_attributes().queue_url(queue_url).attribute_names(QueueAttributeName::QueueArn);
    let arn = attributes.send().await.unwrap().attributes.unwrap()[&QueueAttributeName::QueueArn].clone();
    let queue = QueueConfiguration::builder()
        .queue_arn(arn)
        .events(Event::from("s3:ObjectCreated:*"))
        .events(Event::from("s3:ObjectRemoved:*"))
        .build()
        .unwrap();
    let all = NotificationConfiguration::builder().queue_configurations(queue).build();
    let notifying =
        s3.put_bucket_notification_configuration().bucket(NOTIFYING_BUCKET).notification_configuration(all);
    notifying.send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_notifies_a_queue_fills_the_books_once() {
    let Some(ministack) = Ministack::running().await else { return };
    let place = Place::ministack(&ministack, "notified").await;
    notify_the_queue(&place).await;
    let (s3, sqs, queue_url, dead_letter_url) = place.queues().unwrap();
    let settings = vec![("LEASE_INGEST_BUCKETS", NOTIFYING_BUCKET.to_owned())];
    let _turn = turn().await;
    let mut worker = Worker::start(&place, &Setup { settings, ..Setup::default() }).await;

    let put = async |key: &str, bytes: Vec<u8>| {
        let put = s3.put_object().bucket(NOTIFYING_BUCKET).key(key).body(bytes.into());
        put.send().await.unwrap().version_id.unwrap()
    };
    for (key, name, _) in UPLOADS {
        put(key, sample(name)).await;
    }
    let mut told = drain(&place, &mut worker).await;
    // The bytes of the second under another name.
    put(COPY_KEY, sample(UPLOADS[1].1)).await;
    // A newer version of the first, which is the current one from then on.
    let amended = "harbor-point-suite-210.txt.versions";
    let amendment = std::fs::read_dir(format!("{}/samples/{amended}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let amendment = std::fs::read(amendment.last().unwrap().unwrap().path()).unwrap();
    let newest = put(UPLOADS[0].0, amendment).await;
    told.extend(drain(&place, &mut worker).await);

    let [claims, commits, documents, effects] = place.tables_as_they_are().await;
    let claim_of = |key: &str| {
        let prefix = format!("{NOTIFYING_BUCKET}/{key}@");
        claims.iter().filter(|claim| claim["claim_key"].starts_with(&prefix)).collect::<Vec<_>>()
    };
    for (key, _, status) in UPLOADS.into_iter().chain([(COPY_KEY, "", "duplicate_content")]) {
        let statuses: Vec<_> = claim_of(key).iter().map(|claim| claim["status"].as_str()).collect();
        assert!(!statuses.is_empty() && statuses.iter().all(|found| *found == status), "{key}: {statuses:?}");
    }
    assert_eq!((claims.len(), commits.len(), documents.len()), (10, 7, 7));
    let told_of = |operation: &str| effects.iter().filter(|effect| effect["operation"] == operation).count();
    assert_eq!((told_of("posted"), told_of("review_asked")), (14, 2));
    let current = documents.iter().find(|pointer| pointer["document_key"].ends_with(UPLOADS[0].0)).unwrap();
    assert_eq!(current["version_id"], newest);

    // Everything is told again, in the reverse order, and the books stay as they are.
    let before = place.tables_as_they_are().await;
    for body in told.iter().rev() {
        sqs.send_message().queue_url(queue_url).message_body(body).send().await.unwrap();
    }
    assert_eq!(drain(&place, &mut worker).await.len(), told.len());
    assert_eq!(place.tables_as_they_are().await, before);

    s3.delete_object().bucket(NOTIFYING_BUCKET).key(UPLOADS[1].0).send().await.unwrap();
    drain(&place, &mut worker).await;
    let pointers = scan(place.dynamodb(), &place.tables().documents).await;
    let removed: Vec<_> = pointers.iter().filter(|pointer| pointer["state"] == "removed").collect();
    assert_eq!(removed.len(), 1);
    assert!(removed[0]["document_key"].ends_with(UPLOADS[1].0), "{removed:?}");
    let letters = sqs.receive_message().queue_url(dead_letter_url).send().await.unwrap();
    assert!(letters.messages().is_empty());
}

/// The event of one message.
fn event_of(body: &str) -> Value {
    json!({ "Records": [sqs_record("message", "receipt", 1, body)] })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_binary_serves_the_embedded_stores_and_is_killed_between_invocations() {
    let folder = tempfile::tempdir().unwrap();
    let embedded = Embedded::open(folder.path()).await.unwrap();
    let objects = embedded.objects();
    objects.create_bucket(LOCAL_BUCKET, Versioning::On).await.unwrap();
    let nowhere = "127.0.0.1:1".parse().unwrap();
    let _turn = turn().await;
    let mut before = None;
    let bytes = sample("harbor-point-suite-210.txt");
    let put = objects.put(LOCAL_BUCKET, "lease.txt", bytes, BTreeMap::new()).await.unwrap();
    for _ in 0..3 {
        let proxy = Proxy::start(
            Upstreams { dynamodb: nowhere, s3: nowhere, sqs: nowhere, textract: nowhere },
            Vec::new(),
        )
        .await;
        let settings = vec![("LEASE_INGEST_EMBEDDED_DIR", folder.path().to_str().unwrap().to_owned())];
        let mut worker = Worker::launch(proxy, RuntimeApi::start(None).await, settings);
        let response = worker.answer(&event_of(&notification(&put)), ALLOWED_MS).await.unwrap();
        assert_eq!(response, json!({ "batchItemFailures": [] }));
        worker.signal(Signal::KILL);
        let names = embedded.tables();
        let mut tables = Vec::new();
        for table in [&names.claims, &names.commits, &names.documents, &names.effects] {
            tables.push(scan(embedded.dynamodb(), table).await);
        }
        assert_eq!(tables.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 1]);
        assert_eq!(*before.get_or_insert_with(|| tables.clone()), tables);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_service_can_have_an_endpoint_of_its_own_and_by_name() {
    let place = Place::embedded().await;
    let document = Scenario::New.document(&place, "own endpoints").await.unwrap();
    let _turn = turn().await;
    let proxy = Proxy::start(place.upstreams(), Vec::new()).await;
    let endpoint = format!("http://localhost:{}", proxy.address.port());
    let variables = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SQS"];
    let endpoints = variables.map(|variable| (variable, endpoint.clone())).to_vec();
    let settings = [endpoints, place.settings()].concat();
    let mut worker = Worker::launch(proxy, RuntimeApi::start(None).await, settings);
    deliver(&mut worker, &document).await.unwrap();
    assert_eq!(worker.outcomes(1).await, ["Committed"]);
    Scenario::New.is_over(&place, &mut worker, &document).await.unwrap();
}
