//! One batch: messages in, the batch response out. It knows nothing of the runtime that calls it.
//!
//! Every failure belongs to the record it befell. The response names the messages that must come again; whatever
//! cannot be named fails the invocation, which returns the whole batch and loses nothing.

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_lambda_events::sqs::SqsBatchResponse;
use futures_util::{FutureExt, StreamExt};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::batch::{Delivery, NotSqs, Slot, Unit, messages, units};
use crate::event::Record;
use crate::identity::EpochMs;
use crate::outcome::{Disposition, RecordOutcome};
use crate::pipeline::{Job, Pipeline, RecordReport, World};
use crate::ports::clock::Clock;
use crate::ports::queue::{Queue, VISIBILITY_MAX_S};

/// How many messages are hidden at once after a batch.
const HIDE_CONCURRENCY: usize = 8;

/// Why an invocation fails as a whole. The queue then delivers all of its messages again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// The payload is no SQS event.
    #[error(transparent)]
    NotSqs(#[from] NotSqs),
    /// A message must come again but has no id by which the response could name it.
    #[error("{count} messages must come again and have no message id")]
    Unnameable {
        /// How many.
        count: usize,
    },
}

/// A batch that was handled.
#[derive(Debug)]
pub struct BatchAnswer {
    /// What the Lambda service is told.
    pub response: SqsBatchResponse,
    /// What became of each message.
    pub messages: Vec<MessageReport>,
}

/// What became of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageReport {
    /// Its id.
    pub message_id: Option<String>,
    /// What became of its records, in order.
    pub records: Vec<RecordReport>,
    /// Whether it comes again.
    pub returned: bool,
}

/// The figures of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BatchFigures {
    /// Messages received.
    pub messages: u64,
    /// Records in them.
    pub records: u64,
    /// Messages returned, but for those that only wait for work elsewhere: they come back as they should.
    pub failures: u64,
    /// Records by the name of their outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Claims taken over.
    pub takeovers: u64,
}

impl MessageReport {
    /// Whether all that holds it back is work elsewhere.
    fn only_waits(&self) -> bool {
        self.records.iter().all(|record| {
            matches!(record.outcome, RecordOutcome::Waiting { .. })
                || record.outcome.disposition() == Disposition::Acknowledge
        })
    }
}

impl BatchAnswer {
    /// Counts the batch.
    pub fn figures(&self) -> BatchFigures {
        let mut figures = BatchFigures {
            messages: self.messages.len() as u64,
            failures: self.messages.iter().filter(|message| message.returned && !message.only_waits()).count()
                as u64,
            ..BatchFigures::default()
        };
        for record in self.messages.iter().flat_map(|message| &message.records) {
            figures.records += 1;
            figures.takeovers += u64::from(record.took_over);
            *figures.outcomes.entry(record.outcome.metric()).or_default() += 1;
        }
        figures
    }
}

/// Handles one payload of the Lambda service. `deadline` is when the invocation ends.
pub async fn handle<W: World>(
    pipeline: &Arc<Pipeline<W>>,
    payload: &Value,
    deadline: EpochMs,
) -> Result<BatchAnswer, HandleError> {
    let policy = &pipeline.settings().policy;
    let deliveries: Arc<[Delivery]> =
        messages(payload)?.into_iter().map(|message| Delivery::read(message, policy)).collect();
    let mut reports = run_units(pipeline, &deliveries, deadline).await;

    let mut answered = Vec::with_capacity(deliveries.len());
    let mut hide = Vec::new();
    for (message, delivery) in deliveries.iter().enumerate() {
        let records: Vec<_> = (0..delivery.records.len())
            .map(|record| {
                let slot = Slot { message, record };
                reports.remove(&slot).unwrap_or_else(|| RecordReport::of(without_work(delivery, record)))
            })
            .collect();
        let dispositions = records.iter().map(|record| record.outcome.disposition());
        let returns: Vec<_> = dispositions
            .filter_map(|disposition| match disposition {
                Disposition::Acknowledge => None,
                Disposition::Return { hide_ms } => Some(hide_ms),
            })
            .collect();
        // Hidden until all that hold it back say it makes sense to try again.
        let hide_ms = returns.iter().copied().max().flatten();
        if let (Some(hide_ms), Some(handle)) = (hide_ms, &delivery.message.receipt_handle) {
            hide.push((handle.clone(), hide_ms));
        }
        answered.push(MessageReport {
            message_id: delivery.message.message_id.clone(),
            returned: !returns.is_empty(),
            records,
        });
    }
    hide_messages(pipeline, hide, deadline).await;
    Ok(BatchAnswer { response: response(&answered)?, messages: answered })
}

/// Names each message that must come again, once. An empty id would return the whole batch, so a message without
/// one fails the invocation instead, which says the same honestly.
fn response(messages: &[MessageReport]) -> Result<SqsBatchResponse, HandleError> {
    let mut response = SqsBatchResponse::default();
    let mut named = std::collections::HashSet::new();
    let mut unnameable = 0;
    for message in messages.iter().filter(|message| message.returned) {
        match &message.message_id {
            Some(id) if named.insert(id) => response.add_failure(id.clone()),
            Some(_) => {}
            None => unnameable += 1,
        }
    }
    if unnameable > 0 { Err(HandleError::Unnameable { count: unnameable }) } else { Ok(response) }
}

/// The outcome of a record that is in no unit.
fn without_work(delivery: &Delivery, record: usize) -> RecordOutcome {
    match &delivery.records[record] {
        Ok(Record::Benign(benign)) => RecordOutcome::Ignored(benign.clone()),
        Err(problem) => RecordOutcome::Unreadable { kind: problem.kind },
        Ok(Record::Work(_)) => RecordOutcome::NotStarted,
    }
}

/// What the tasks of one batch share.
struct Batch<W> {
    pipeline: Arc<Pipeline<W>>,
    deliveries: Arc<[Delivery]>,
    deadline: EpochMs,
    slots: Semaphore,
    store_down: AtomicBool,
    reports: Mutex<HashMap<Slot, RecordReport>>,
}

async fn run_units<W: World>(
    pipeline: &Arc<Pipeline<W>>,
    deliveries: &Arc<[Delivery]>,
    deadline: EpochMs,
) -> HashMap<Slot, RecordReport> {
    let batch = Arc::new(Batch {
        pipeline: Arc::clone(pipeline),
        deliveries: Arc::clone(deliveries),
        deadline,
        slots: Semaphore::new(pipeline.settings().concurrency),
        store_down: AtomicBool::new(false),
        reports: Mutex::default(),
    });
    let mut tasks = JoinSet::new();
    let mut expected = Vec::new();
    for unit in units(deliveries) {
        expected.extend(slots_of(&unit, deliveries));
        tasks.spawn(Arc::clone(&batch).run(unit));
    }

    let clock = pipeline.world().clock();
    let left_ms = clock.now().until_ms(deadline).saturating_sub(pipeline.settings().response_margin_ms);
    let unreported = tokio::select! {
        // Work that is done is taken before the time is looked at, so that no outcome is thrown away.
        biased;
        () = async { while tasks.join_next().await.is_some() {} } => "panic",
        () = clock.sleep_ms(left_ms) => "deadline",
    };
    // What still runs is cut off wherever it is; every write of it is conditional, so it is found again as it is.
    tasks.abort_all();
    let mut reports = std::mem::take(&mut *batch.reports());
    for slot in expected {
        reports.entry(slot).or_insert_with(|| RecordReport::of(cut_off(unreported)));
    }
    reports
}

/// The outcome of a record whose work ended without one; the claim it held ends with its lease.
fn cut_off(kind: &str) -> RecordOutcome {
    RecordOutcome::Transient { kind: kind.to_owned(), retry_after_ms: None }
}

fn slots_of(unit: &Unit, deliveries: &[Delivery]) -> Vec<Slot> {
    match unit {
        Unit::Shared { slots, .. } => slots.clone(),
        Unit::Group(messages) => messages
            .iter()
            .flat_map(|&message| {
                (0..deliveries[message].records.len()).map(move |record| Slot { message, record })
            })
            .collect(),
    }
}

impl<W: World> Batch<W> {
    fn reports(&self) -> MutexGuard<'_, HashMap<Slot, RecordReport>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(self: Arc<Self>, unit: Unit) {
        let permit = self.slots.acquire().await;
        match unit {
            Unit::Shared { represented_by, slots } => {
                let report = self.run_slot(represented_by).await;
                self.reports().extend(slots.into_iter().map(|slot| (slot, report.clone())));
            }
            Unit::Group(messages) => self.run_group(&messages).await,
        }
        drop(permit);
    }

    async fn run_group(&self, messages: &[usize]) {
        let mut stopped = false;
        for &message in messages {
            let mut returned = false;
            for record in 0..self.deliveries[message].records.len() {
                let slot = Slot { message, record };
                let report = if stopped {
                    RecordReport::of(RecordOutcome::NotStarted)
                } else {
                    self.run_slot(slot).await
                };
                returned |= report.outcome.disposition() != Disposition::Acknowledge;
                self.reports().insert(slot, report);
            }
            stopped |= returned;
        }
    }

    async fn run_slot(&self, slot: Slot) -> RecordReport {
        let delivery = &self.deliveries[slot.message];
        let Ok(Record::Work(event)) = &delivery.records[slot.record] else {
            return RecordReport::of(without_work(delivery, slot.record));
        };
        if self.store_down.load(Ordering::Relaxed) {
            return RecordReport::of(RecordOutcome::NotStarted);
        }
        let left_ms = self.pipeline.world().clock().now().until_ms(self.deadline);
        if left_ms < self.pipeline.settings().start_margin_ms {
            return RecordReport::of(RecordOutcome::NotStarted);
        }
        let job = Job {
            event: event.clone(),
            body: Arc::clone(&delivery.body),
            message_group_id: delivery.message.message_group_id.clone(),
            receive_count: delivery.message.receive_count,
            redriven: delivery.message.redriven.clone(),
            deadline: self.deadline,
        };
        // A panic costs its record and nothing else.
        let ran = AssertUnwindSafe(self.pipeline.run(&job)).catch_unwind().await;
        let report = ran.unwrap_or_else(|_panic| RecordReport::of(cut_off("panic")));
        if matches!(report.outcome, RecordOutcome::StoreUnavailable { .. }) {
            self.store_down.store(true, Ordering::Relaxed);
        }
        report
    }
}

/// Hides the messages that are to come again later than at once. A message that could not be hidden comes again
/// when its visibility timeout ends, so a failure here costs time and nothing else.
async fn hide_messages<W: World>(pipeline: &Arc<Pipeline<W>>, hide: Vec<(String, u64)>, deadline: EpochMs) {
    if hide.is_empty() {
        return;
    }
    let clock = pipeline.world().clock();
    let all = futures_util::stream::iter(hide).for_each_concurrent(
        HIDE_CONCURRENCY,
        |(handle, hide_ms)| async move {
            let delay_s =
                u32::try_from(hide_ms.div_ceil(1000)).unwrap_or(VISIBILITY_MAX_S).min(VISIBILITY_MAX_S);
            if let Err(error) = pipeline.world().queue().change_visibility(&handle, delay_s).await {
                tracing::warn!(kind = error.kind, "a message's visibility was not moved");
            }
        },
    );
    // Half of the margin that was kept for the response; the other half is for sending it.
    let left_ms = clock.now().until_ms(deadline).saturating_sub(pipeline.settings().response_margin_ms / 2);
    tokio::select! {
        // What was told is told before the time is looked at; the order is fixed, so that a simulation repeats itself.
        biased;
        () = all => {}
        () = clock.sleep_ms(left_ms) => {}
    }
}
