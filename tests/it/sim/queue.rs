//! The queue: visibility timeouts, receive counts, duplicates, any order, and the dead letters.

use std::collections::BTreeMap;
use std::sync::Arc;

use lease_ingest::dead_letter::{DeadLetter, attribute};
use lease_ingest::event::{EventPolicy, Origin, Record, parse};
use lease_ingest::identity::ObjectVersion;
use lease_ingest::ports::queue::{Queue, QueueError, VISIBILITY_MAX_S};
use serde_json::{Value, json};

use super::mutants::Mutant;
use super::objects::BUCKET;
use super::world::{Line, State, Store, Verdict};

/// How long a received message is hidden, in milliseconds: six times the function's timeout.
pub const VISIBILITY_TIMEOUT_MS: u64 = 6 * 60 * 1000;

/// The longest it takes until a message is hidden, in milliseconds.
const LATE_HIDE_MAX_MS: u64 = 30_000;

/// What a record of a message is about, in truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// This upload, by its place.
    Upload(usize),
    /// A removal under this key, and its place in the order of all events.
    Removal { key: String, order: Option<u64> },
    /// The reconciler asks for this version.
    Ingest(ObjectVersion),
    /// The reconciler asks to look at this key.
    Look(String),
    /// A completed restore.
    Restored,
    /// Nothing to do.
    Benign,
    /// Not to be read by anybody.
    Garbage,
}

/// A record that the store tells of.
#[derive(Debug, Clone)]
pub struct Told {
    pub record: String,
    pub about: About,
}

/// What is sent: a body, and what it is about.
#[derive(Debug, Clone)]
pub struct Letter {
    pub body: Arc<str>,
    pub about: Arc<[About]>,
    pub attributes: BTreeMap<String, String>,
    /// Message group of a FIFO queue.
    pub group: Option<String>,
}

impl Letter {
    pub fn new(body: String, about: Vec<About>) -> Self {
        Self { body: body.into(), about: about.into(), attributes: BTreeMap::new(), group: None }
    }

    /// One notification that carries these records.
    pub fn of(told: Vec<Told>) -> Self {
        let records: Vec<&str> = told.iter().map(|told| told.record.as_str()).collect();
        let body = format!(r#"{{"Records":[{}]}}"#, records.join(","));
        Self::new(body, told.into_iter().map(|told| told.about).collect())
    }

    /// The claim that a dead letter with context names: its hash, its cycle and its generation.
    pub fn claim(&self) -> Option<[String; 3]> {
        let value = |name: &str| self.attributes.get(name).cloned();
        Some([value(attribute::CLAIM)?, value(attribute::CYCLE)?, value(attribute::GENERATION)?])
    }
}

/// A message in the queue.
#[derive(Debug, Clone)]
pub struct Message {
    pub id: u32,
    pub letter: Letter,
    pub visible_at_ms: u64,
    pub receives: u32,
    pub handle: u64,
}

/// The queue and its dead letters.
#[derive(Debug, Clone, Default)]
pub struct SimQueue {
    pub messages: Vec<Message>,
    pub dead: Vec<Letter>,
    pub max_receive_count: u32,
    /// Whether the messages of a key are one group, received in order.
    pub is_fifo: bool,
    next_id: u32,
    next_handle: u64,
    /// What is out, by body: the function sends a dead letter's body and nothing else.
    abouts: BTreeMap<Arc<str>, Arc<[About]>>,
}

impl SimQueue {
    pub fn new(max_receive_count: u32, is_fifo: bool) -> Self {
        Self { max_receive_count, is_fifo, ..Self::default() }
    }
}

impl State {
    pub fn send(&mut self, mut letter: Letter, delay_ms: u64) {
        if self.queue.is_fifo {
            letter.group = Some(self.group_of(&letter));
        }
        let delay_ms = if self.queue.is_fifo { 0 } else { delay_ms };
        self.queue.next_id += 1;
        let id = self.queue.next_id;
        self.queue.abouts.insert(Arc::clone(&letter.body), Arc::clone(&letter.about));
        let visible_at_ms = self.now_ms + delay_ms;
        self.queue.messages.push(Message { id, letter, visible_at_ms, receives: 0, handle: 0 });
    }

    fn group_of(&self, letter: &Letter) -> String {
        match letter.about.first() {
            Some(About::Upload(place)) => self.bucket.uploads[*place].version.key.clone(),
            Some(About::Removal { key, .. } | About::Look(key)) => key.clone(),
            Some(About::Ingest(version)) => version.key.clone(),
            _ => "others".to_owned(),
        }
    }

    /// What could be received now, oldest first. A group is closed while one of its messages is out.
    fn receivable(&self) -> Vec<(u32, Option<String>)> {
        let messages = &self.queue.messages;
        let is_out = |message: &Message| message.visible_at_ms > self.now_ms;
        let is_closed = |group: &Option<String>| {
            group.is_some()
                && messages.iter().any(|message| message.letter.group == *group && is_out(message))
        };
        let visible = messages.iter().filter(|message| !is_out(message) && !is_closed(&message.letter.group));
        visible.map(|message| (message.id, message.letter.group.clone())).collect()
    }

    /// Whether something could be received now.
    pub fn has_visible(&self) -> bool {
        !self.receivable().is_empty()
    }

    /// Receives some of what is visible. One that was received too often becomes a dead letter without context.
    pub fn receive(&mut self, most: usize, duplicates_permille: u64) -> Vec<Message> {
        let mut received = Vec::new();
        let now_ms = self.now_ms;
        let mut receivable = self.receivable();
        while received.len() < most && !receivable.is_empty() {
            let (_, group) = &receivable[self.dice.place(receivable.len())];
            // Of a group the oldest comes first; without one, all are alike.
            let first = receivable.iter().position(|(_, of)| group.is_some() && of == group);
            let place = first.unwrap_or_else(|| self.dice.place(receivable.len()));
            let (id, _) = receivable.remove(place);
            let at = self.queue.messages.iter().position(|message| message.id == id).unwrap();
            if self.queue.messages[at].receives >= self.queue.max_receive_count {
                let message = self.queue.messages.remove(at);
                self.note(|| format!("queue: m{id} was received too often"));
                self.coverage.count("queue", "received too often");
                if !self.is(Mutant::BackstopDrops) {
                    self.queue.dead.push(message.letter);
                }
                continue;
            }
            // A standard queue hands a message out twice now and then.
            let duplicated = self.dice.befalls(duplicates_permille);
            self.queue.next_handle += 1;
            let message = &mut self.queue.messages[at];
            message.receives += 1;
            message.handle = self.queue.next_handle;
            message.visible_at_ms = if duplicated { now_ms } else { now_ms + VISIBILITY_TIMEOUT_MS };
            received.push(message.clone());
            if duplicated {
                self.coverage.count("queue", "delivered twice");
            }
        }
        received
    }

    /// Deletes a received message. An outdated handle may leave it.
    pub fn delete(&mut self, id: u32, handle: u64) {
        let outdated = self.queue.messages.iter().any(|message| message.id == id && message.handle != handle);
        if outdated && self.dice.roll(2) == 0 {
            self.coverage.count("queue", "outdated handle");
            return;
        }
        self.queue.messages.retain(|message| message.id != id);
    }

    /// An operator sends a dead letter again: body and attributes, then deletes it.
    pub fn redrive(&mut self, place: usize) {
        let mut letter = self.queue.dead.remove(place);
        self.note(|| format!("operator: redrives {:?} {:?}", letter.about, letter.claim()));
        if self.is(Mutant::RedriveForgetsAttributes) {
            letter.attributes.clear();
        }
        self.coverage.count("queue", "redriven");
        self.send(letter, 0);
    }

    /// Moves the visibility of a message that is out.
    pub fn hide(&mut self, handle: u64, delay_s: u32) -> Result<(), QueueError> {
        if self.is(Mutant::NothingIsHidden) {
            return Err(QueueError { kind: "AccessDenied".to_owned() });
        }
        let visible_at_ms = self.now_ms + u64::from(delay_s.min(VISIBILITY_MAX_S)) * 1000;
        let now_ms = self.now_ms;
        let held = self.queue.messages.iter_mut().find(|message| message.handle == handle);
        match held {
            Some(message) if message.visible_at_ms > now_ms => {
                message.visible_at_ms = visible_at_ms;
                Ok(())
            }
            _ => Err(QueueError { kind: "MessageNotInflight".to_owned() }),
        }
    }

    fn bury(&mut self, letter: &DeadLetter) {
        let sent = self.queue.abouts.get(letter.body.as_str()).cloned();
        let Some(about) = sent.or_else(|| asked_for(&letter.body)) else {
            return self.fail(|| "a dead letter has a body that was never sent".to_owned());
        };
        let attributes = letter.attributes().into_iter().map(|(name, value)| (name.to_owned(), value));
        let body = Arc::from(letter.body.as_str());
        let attributes = attributes.collect();
        self.queue.dead.push(Letter { body, about, attributes, group: letter.message_group_id.clone() });
    }
}

/// What a letter is about that the function wrote itself: the version that a removal uncovered.
fn asked_for(body: &str) -> Option<Arc<[About]>> {
    let policy = EventPolicy { buckets: vec![BUCKET.to_owned()], extra_sources: Vec::new() };
    match parse(body, &policy).ok()?.pop()? {
        Ok(Record::Work(event)) if event.origin == Origin::Reconciler => {
            Some(Arc::from([About::Ingest(event.version)]))
        }
        _ => None,
    }
}

/// The event that a function is invoked with.
pub fn lambda_event(messages: &[Message]) -> Value {
    let records: Vec<Value> = messages
        .iter()
        .map(|message| {
            let attributes =
                message.letter.attributes.iter().map(|(name, value)| {
                    (name.clone(), json!({ "stringValue": value, "dataType": "String" }))
                });
            let mut record = json!({
                "messageId": format!("m{}", message.id),
                "receiptHandle": message.handle.to_string(),
                "eventSource": "aws:sqs",
                "body": &*message.letter.body,
                "attributes": { "ApproximateReceiveCount": message.receives.to_string() },
            });
            if !message.letter.attributes.is_empty() {
                record["messageAttributes"] = Value::Object(attributes.collect());
            }
            if let Some(group) = &message.letter.group {
                record["attributes"]["MessageGroupId"] = json!(group);
                record["eventSourceARN"] = json!("arn:aws:sqs:us-east-1:000000000000:leases.fifo");
            }
            record
        })
        .collect();
    json!({ "Records": records })
}

/// The queue as an invocation reaches it.
pub struct SimSender(pub Line);

impl SimSender {
    async fn told(
        &self,
        name: &'static str,
        tell: impl FnOnce(&mut State) -> Result<(), QueueError>,
    ) -> Result<(), QueueError> {
        let verdict = self.0.gate(Store::Queue, name).await;
        let mut state = self.0.sim.lock();
        let lost = || Err(QueueError { kind: verdict.name().to_owned() });
        let answer = match verdict {
            Verdict::Answered | Verdict::Doubled | Verdict::DiesAfter => tell(&mut state),
            Verdict::ReplyLost => {
                let _ = tell(&mut state);
                lost()
            }
            _ => lost(),
        };
        state.note(|| format!("#{} {name}: {} -> {answer:?}", self.0.invocation, verdict.name()));
        answer
    }
}

impl Queue for SimSender {
    async fn change_visibility(&self, receipt_handle: &str, delay_s: u32) -> Result<(), QueueError> {
        let handle = receipt_handle.parse().unwrap_or_default();
        self.told("change visibility", |state| {
            if state.dice.befalls(state.late_hides_permille) {
                // The queue has taken it, and has not come to it yet.
                let due_ms = state.now_ms + 1 + state.dice.roll(LATE_HIDE_MAX_MS);
                state.late_hides.push((due_ms, handle, delay_s));
                state.coverage.count("queue", "hidden late");
                return Ok(());
            }
            state.hide(handle, delay_s)
        })
        .await
    }

    async fn dead_letter(&self, letter: &DeadLetter) -> Result<(), QueueError> {
        self.told("dead letter", |state| {
            if !state.is(Mutant::DeadLetterIsLost) {
                state.bury(letter);
            }
            Ok(())
        })
        .await
    }
}
