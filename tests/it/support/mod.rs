//! A world for tests: the real handler, pipeline and ledger adapter over the embedded engine, with a wire that
//! loses requests and replies, objects that fail on demand, and a clock that the test moves.

pub mod dice;
pub mod ministack;
pub mod slip;
pub mod textract;
pub mod scripted_s3;
pub mod wire;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lease_ingest::aws::clients::ClientTimeouts;
use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::config::IngestSettings;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::{FolderObjects, PutReceipt, Versioning};
use lease_ingest::embedded::queue::{MemoryQueue, QueueSettings, Received, lambda_event, notification};
use lease_ingest::fetch::Current;
use lease_ingest::fetch::{ByteBudget, FetchError, FetchedObject};
use lease_ingest::handler::{BatchAnswer, handle};
use lease_ingest::identity::{EpochMs, ObjectVersion};
use lease_ingest::pipeline::{Parts, Pipeline};
use lease_ingest::ports::clock::Clock;
use lease_ingest::ports::objects::Objects;
use serde_json::Value;
use tokio::sync::Semaphore;

use slip::{Slip, SlipExtractor};
use wire::Wire;

/// The bytes of a sample.
pub fn sample(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

/// Every file below a folder, sorted by its path.
pub fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Which of the numbered things a test tries: those that a variable names, as one number or as `0..1000`, or as many
/// as a plain run does.
pub fn numbers_to_try(variable: &str, plainly: u64) -> std::ops::Range<u64> {
    let which = std::env::var(variable).unwrap_or_else(|_| format!("0..{plainly}"));
    range_of(&which).unwrap_or_else(|| {
        panic!("{variable} is `{which}`, it must be one number such as 12, or a range such as 0..1000")
    })
}

/// One number, or a range of at least one.
fn range_of(which: &str) -> Option<std::ops::Range<u64>> {
    let (first, end) = match which.split_once("..") {
        Some((first, end)) => (first.parse().ok()?, end.parse().ok()?),
        None => {
            let only: u64 = which.parse().ok()?;
            (only, only.checked_add(1)?)
        }
    };
    (first < end).then_some(first..end)
}

#[test]
fn numbers_to_try_are_one_or_a_range() {
    let table = [
        ("12", Some(12..13)),
        ("0..1000", Some(0..1000)),
        ("abc", None),
        ("", None),
        ("5..5", None),
        ("7..3", None),
        ("1..2..3", None),
        ("..9", None),
        ("18446744073709551615", None),
    ];
    for (which, expected) in table {
        assert_eq!(range_of(which), expected, "{which}");
    }
}

/// The bucket of the tests; it keeps versions.
pub const BUCKET: &str = "leases-in";
/// A bucket that keeps none.
pub const UNVERSIONED: &str = "leases-unversioned";
/// How long an invocation may take, in milliseconds.
pub const FUNCTION_TIMEOUT_MS: u64 = 60_000;
/// How long past its deadline a claim is protected, in milliseconds.
pub const LEASE_MARGIN_MS: u64 = 30_000;

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct TestClock {
    now_ms: AtomicU64,
    ids: AtomicU64,
}

impl TestClock {
    /// A clock that stands at some moment.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { now_ms: AtomicU64::new(1_780_000_000_000), ids: AtomicU64::new(0) })
    }

    /// Lets time pass.
    pub fn advance_ms(&self, duration_ms: u64) {
        self.now_ms.fetch_add(duration_ms, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> EpochMs {
        EpochMs(self.now_ms.load(Ordering::SeqCst))
    }

    #[expect(clippy::disallowed_methods, reason = "waiting in a test is waiting")]
    async fn sleep_ms(&self, duration_ms: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(duration_ms)).await;
    }

    fn fresh_id(&self) -> String {
        format!("id-{}", self.ids.fetch_add(1, Ordering::SeqCst))
    }

    fn random_up_to(&self, most: u64) -> u64 {
        most / 2
    }
}

/// Objects in a folder that fail on demand and are counted.
#[derive(Debug)]
pub struct TestObjects {
    /// The store behind.
    pub folder: FolderObjects<TestClock>,
    faults: Mutex<VecDeque<FetchError>>,
    requests: AtomicU64,
    gate: Semaphore,
    waiting: Semaphore,
    gated: std::sync::atomic::AtomicBool,
}

impl TestObjects {
    /// The next fetches fail like this, one after the other.
    pub fn fail_next(&self, faults: impl IntoIterator<Item = FetchError>) {
        self.faults.lock().unwrap().extend(faults);
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// The next fetch waits at the gate.
    pub fn close_gate(&self) {
        self.gated.store(true, Ordering::SeqCst);
    }

    /// Waits until a fetch stands at the gate.
    pub async fn somebody_waits(&self) {
        self.waiting.acquire().await.unwrap().forget();
    }

    /// Lets the fetch that waits go on.
    pub fn open_gate(&self) {
        self.gate.add_permits(1);
    }
}

impl Objects for TestObjects {
    async fn fetch<'budget>(
        &self,
        version: &ObjectVersion,
        budget: &'budget ByteBudget,
    ) -> Result<FetchedObject<'budget>, FetchError> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        if self.gated.swap(false, Ordering::SeqCst) {
            self.waiting.add_permits(1);
            self.gate.acquire().await.unwrap().forget();
        }
        let fault = self.faults.lock().unwrap().pop_front();
        if let Some(fault) = fault {
            return Err(fault);
        }
        self.folder.fetch(version, budget).await
    }

    async fn current(&self, bucket: &str, key: &str) -> Result<Current, FetchError> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        self.folder.current(bucket, key).await
    }
}

/// The pipeline of the tests.
pub type TestPipeline = Pipeline<
    Parts<DynamoLedger<Slip>, Arc<TestObjects>, SlipExtractor, MemoryQueue<TestClock>, Arc<TestClock>>,
>;

/// Everything a test touches.
pub struct TestWorld {
    /// The engine.
    pub embedded: Embedded,
    /// Between the adapter and the engine.
    pub wire: Wire,
    /// The objects.
    pub objects: Arc<TestObjects>,
    /// The queue.
    pub queue: MemoryQueue<TestClock>,
    /// The clock.
    pub clock: Arc<TestClock>,
    /// The pipeline.
    pub pipeline: Arc<TestPipeline>,
}

impl TestWorld {
    /// A world with default settings.
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A world with other settings.
    pub async fn with(change: impl FnOnce(&mut IngestSettings)) -> Self {
        let embedded = Embedded::memory().await.unwrap();
        let clock = TestClock::new();
        let objects = Arc::new(TestObjects {
            folder: FolderObjects::with_clock(embedded.objects_folder(), Arc::clone(&clock)),
            faults: Mutex::default(),
            requests: AtomicU64::new(0),
            gate: Semaphore::new(0),
            waiting: Semaphore::new(0),
            gated: std::sync::atomic::AtomicBool::new(false),
        });
        objects.folder.create_bucket(BUCKET, Versioning::On).await.unwrap();
        objects.folder.create_bucket(UNVERSIONED, Versioning::Off).await.unwrap();
        let mut settings = IngestSettings::for_buckets(&[BUCKET, UNVERSIONED]);
        settings.lease_margin_ms = LEASE_MARGIN_MS;
        change(&mut settings);
        let queue = MemoryQueue::new(
            QueueSettings { max_receive_count: settings.max_receive_count, ..QueueSettings::default() },
            Arc::clone(&clock),
        );
        let wire = Wire::new();
        let timeouts = ClientTimeouts {
            connect_ms: 500,
            read_ms: 2_000,
            attempt_ms: 2_500,
            operation_ms: 6_000,
            max_attempts: 2,
        };
        let pipeline = pipeline_over(&embedded, &wire, timeouts, &objects, &queue, &clock, settings);
        Self { embedded, wire, objects, queue, clock, pipeline }
    }

    /// A second worker: the same stores and clock, a wire and settings of its own.
    pub fn worker(&self, wire: &Wire, change: impl FnOnce(&mut IngestSettings)) -> Arc<TestPipeline> {
        let mut settings = self.pipeline.settings().clone();
        change(&mut settings);
        pipeline_over(
            &self.embedded,
            wire,
            ClientTimeouts::default(),
            &self.objects,
            &self.queue,
            &self.clock,
            settings,
        )
    }

    /// Puts an object and answers its receipt.
    pub async fn put(&self, bucket: &str, key: &str, content: &str) -> PutReceipt {
        self.clock.advance_ms(10);
        self.objects.folder.put(bucket, key, content.to_owned(), BTreeMap::new()).await.unwrap()
    }

    /// Puts an object and sends its notification.
    pub async fn upload(&self, bucket: &str, key: &str, content: &str) -> PutReceipt {
        let receipt = self.put(bucket, key, content).await;
        self.queue.send(notification(&receipt));
        receipt
    }

    /// Receives one batch and handles it; what is not returned is deleted.
    pub async fn poll(&self) -> Option<BatchAnswer> {
        let received = self.queue.receive(10).unwrap();
        if received.is_empty() {
            return None;
        }
        Some(self.deliver(&received).await)
    }

    /// Handles these messages as the event source mapping would.
    pub async fn deliver(&self, received: &[Received]) -> BatchAnswer {
        let answer = self.invoke(&lambda_event(received)).await;
        for message in received {
            let returned = answer
                .response
                .batch_item_failures
                .iter()
                .any(|failure| failure.item_identifier == message.message_id);
            if !returned {
                self.queue.delete(&message.receipt_handle);
            }
        }
        answer
    }

    /// Handles a payload.
    pub async fn invoke(&self, payload: &Value) -> BatchAnswer {
        handle(&self.pipeline, payload, self.deadline()).await.unwrap()
    }

    /// When an invocation that begins now ends.
    pub fn deadline(&self) -> EpochMs {
        self.clock.now().plus_ms(FUNCTION_TIMEOUT_MS)
    }

    /// Lets time pass and handles what is visible until the queue is empty; panics after too many rounds.
    pub async fn drain(&self) -> Vec<&'static str> {
        let mut outcomes = Vec::new();
        for _ in 0..200 {
            if let Some(answer) = self.poll().await {
                outcomes.extend(metrics(&answer));
            } else if let Some(at) = self.queue.next_visible_at() {
                self.clock.advance_ms(self.clock.now().until_ms(at).max(1));
            } else {
                return outcomes;
            }
        }
        panic!("the queue does not drain: {outcomes:?}");
    }

    /// Every item of a table, each as sorted text, sorted.
    pub async fn rows(&self, table: &str) -> Vec<BTreeMap<String, String>> {
        scan(self.embedded.dynamodb(), table).await
    }

    /// Rows of the four tables: claims, commits, documents, effects.
    pub async fn tables(&self) -> [Vec<BTreeMap<String, String>>; 4] {
        let names = self.embedded.tables();
        [
            self.rows(&names.claims).await,
            self.rows(&names.commits).await,
            self.rows(&names.documents).await,
            self.rows(&names.effects).await,
        ]
    }

    /// The value of an attribute in each row of a table.
    pub async fn column(&self, table: &str, attribute: &str) -> Vec<String> {
        let rows = self.rows(table).await;
        rows.into_iter().map(|row| row.get(attribute).cloned().unwrap_or_default()).collect()
    }
}

fn pipeline_over(
    embedded: &Embedded,
    wire: &Wire,
    timeouts: ClientTimeouts,
    objects: &Arc<TestObjects>,
    queue: &MemoryQueue<TestClock>,
    clock: &Arc<TestClock>,
    settings: IngestSettings,
) -> Arc<TestPipeline> {
    let client = wire.client(embedded.endpoint(), timeouts);
    let parts = Parts {
        ledger: DynamoLedger::new(client, embedded.tables().clone(), None),
        objects: Arc::clone(objects),
        extractor: SlipExtractor,
        queue: queue.clone(),
        clock: Arc::clone(clock),
    };
    Arc::new(Pipeline::new(parts, settings))
}

/// Names of the outcomes of a batch, in the order of its messages and records.
pub fn metrics(answer: &BatchAnswer) -> Vec<&'static str> {
    answer
        .messages
        .iter()
        .flat_map(|message| &message.records)
        .map(|record| record.outcome.metric())
        .collect()
}

/// Ids that a batch returns.
pub fn returned(answer: &BatchAnswer) -> Vec<String> {
    answer.response.batch_item_failures.iter().map(|failure| failure.item_identifier.clone()).collect()
}

/// Every item of a table, each as sorted text, sorted.
pub async fn scan(client: &aws_sdk_dynamodb::Client, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut rows = Vec::new();
    let mut pages = client.scan().table_name(table).into_paginator().items().send();
    while let Some(item) = pages.next().await {
        let item = item.unwrap();
        let texts = item.iter().map(|(name, value)| {
            let text = match value {
                aws_sdk_dynamodb::types::AttributeValue::S(text) => text.clone(),
                other => lease_ingest::aws::item::canonical_text(other),
            };
            (name.clone(), text)
        });
        rows.push(texts.collect::<BTreeMap<_, _>>());
    }
    rows.sort();
    rows
}
