//! The queue of the local default: what a consumer, a test and the command line need of Amazon SQS, in memory and
//! on the [`Clock`] port. Also what AWS puts into it (notifications of the object store) and makes of it (the
//! event a function is invoked with).
//!
//! Dead letters can be kept in a folder, so that they outlive the process and several processes see them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::objects::{PutReceipt, RemovalKind, RemovalReceipt};
use super::write_atomically;
use crate::dead_letter::DeadLetter;
use crate::identity::{EpochMs, ObjectVersion, VersionId};
use crate::ports::clock::{Clock, SystemClock};
use crate::ports::queue::{Queue, QueueError, VISIBILITY_MAX_S};

/// The most messages of one receive, which is also the largest batch of a FIFO queue's event source mapping.
/// Source: `ReceiveMessage`, Amazon SQS API reference.
pub const RECEIVE_MAX_MESSAGES: usize = 10;

/// Name and account that the events of the local queue carry.
const QUEUE_ARN: &str = "arn:aws:sqs:us-east-1:000000000000:lease-ingest";
/// Region that the events carry.
const REGION: &str = "us-east-1";
/// Who the events say did it.
const PRINCIPAL: &str = "EMBEDDED";
const DEAD_LETTER_EXTENSION: &str = "json";

/// How the queue treats its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSettings {
    /// How long a received message is hidden, in seconds.
    pub visibility_timeout_s: u32,
    /// After this many receives a message is moved to the dead letters instead of being received again.
    pub max_receive_count: u32,
    /// Whether messages of one group are received in order, and none while one of the group is out.
    pub fifo: bool,
    /// The longest a consumer can hide a message, in seconds. A queue that serves one run of a tool on one
    /// machine has nobody else to wait for, and would rather ask again soon.
    pub hide_max_s: u32,
}

impl Default for QueueSettings {
    /// Six times the function's timeout of a minute; the template adds its longest batching window.
    fn default() -> Self {
        Self { visibility_timeout_s: 360, max_receive_count: 25, fifo: false, hide_max_s: VISIBILITY_MAX_S }
    }
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outgoing {
    /// Its body.
    pub body: String,
    /// Message attributes, all of them text.
    pub attributes: BTreeMap<String, String>,
    /// Message group of a FIFO queue.
    pub group_id: Option<String>,
}

impl From<String> for Outgoing {
    fn from(body: String) -> Self {
        Self { body, ..Self::default() }
    }
}

impl From<&str> for Outgoing {
    fn from(body: &str) -> Self {
        Self::from(body.to_owned())
    }
}

/// A message as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its id: the same at each receive, another one after a redrive.
    pub message_id: String,
    /// This receive's handle.
    pub receipt_handle: String,
    /// Its body.
    pub body: String,
    /// Message attributes.
    pub attributes: BTreeMap<String, String>,
    /// Message group.
    pub group_id: Option<String>,
    /// How often it was received, this time included.
    pub receive_count: u32,
    /// When it was sent.
    pub sent_at: EpochMs,
    /// When it was first received.
    pub first_received_at: EpochMs,
}

/// A message in the dead letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredDeadLetter {
    /// Its id among the dead letters.
    pub id: String,
    /// The body as it was received.
    pub body: String,
    /// The context; empty when the queue itself moved it, after too many receives.
    pub attributes: BTreeMap<String, String>,
    /// Message group.
    pub group_id: Option<String>,
    /// When it came here.
    pub at: EpochMs,
}

/// How the queue fails, on request of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// It does not.
    #[default]
    None,
    /// Calls of the port fail and change nothing.
    Before,
    /// Calls of the port take effect, and their answer is lost.
    After,
}

#[derive(Debug, Clone)]
struct Message {
    id: String,
    outgoing: Outgoing,
    sent_at: EpochMs,
    first_received_at: Option<EpochMs>,
    received_at: EpochMs,
    receive_count: u32,
    visible_at: EpochMs,
    receipt_handle: Option<String>,
}

#[derive(Debug)]
enum DeadLetters {
    Memory(Vec<StoredDeadLetter>),
    Folder(PathBuf),
}

#[derive(Debug)]
struct State {
    messages: VecDeque<Message>,
    dead: DeadLetters,
    fault: Fault,
}

/// The queue. Clones share it.
#[derive(Debug)]
pub struct MemoryQueue<C = SystemClock> {
    settings: QueueSettings,
    clock: Arc<C>,
    state: Arc<Mutex<State>>,
}

impl<C> Clone for MemoryQueue<C> {
    fn clone(&self) -> Self {
        Self { settings: self.settings, clock: Arc::clone(&self.clock), state: Arc::clone(&self.state) }
    }
}

impl<C: Clock> MemoryQueue<C> {
    /// An empty queue with dead letters in memory.
    pub fn new(settings: QueueSettings, clock: Arc<C>) -> Self {
        Self::with_dead_letters(settings, clock, DeadLetters::Memory(Vec::new()))
    }

    /// An empty queue that keeps its dead letters in a folder, one file each, and finds those that lie there.
    pub fn keeping_dead_letters(
        settings: QueueSettings,
        clock: Arc<C>,
        folder: impl AsRef<Path>,
    ) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let folder = DeadLetters::Folder(folder.as_ref().to_owned());
        Ok(Self::with_dead_letters(settings, clock, folder))
    }

    fn with_dead_letters(settings: QueueSettings, clock: Arc<C>, dead: DeadLetters) -> Self {
        let state = State { messages: VecDeque::new(), dead, fault: Fault::None };
        Self { settings, clock, state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message and answers its id.
    pub fn send(&self, message: impl Into<Outgoing>) -> String {
        let now = self.clock.now();
        let id = self.clock.fresh_id();
        let message = Message {
            id: id.clone(),
            outgoing: message.into(),
            sent_at: now,
            first_received_at: None,
            received_at: now,
            receive_count: 0,
            visible_at: now,
            receipt_handle: None,
        };
        self.state().messages.push_back(message);
        id
    }

    /// Receives up to `most` visible messages (at most [`RECEIVE_MAX_MESSAGES`]), oldest first, and hides them.
    /// One that was received too often goes to the dead letters instead.
    ///
    /// # Errors
    /// When a dead letter's file could not be written; the message then stays.
    pub fn receive(&self, most: usize) -> io::Result<Vec<Received>> {
        let now = self.clock.now();
        let mut state = self.state();
        let State { messages, dead, .. } = &mut *state;
        // A group is closed while one of its messages is out.
        let mut closed: BTreeSet<String> = BTreeSet::new();
        if self.settings.fifo {
            let out = messages.iter().filter(|message| message.visible_at > now);
            closed.extend(out.filter_map(|message| message.outgoing.group_id.clone()));
        }
        let mut received = Vec::new();
        let mut at = 0;
        while at < messages.len() && received.len() < most.min(RECEIVE_MAX_MESSAGES) {
            let message = &mut messages[at];
            let group_closed = message.outgoing.group_id.as_ref().is_some_and(|group| closed.contains(group));
            if message.visible_at > now || group_closed {
                at += 1;
                continue;
            }
            if message.receive_count >= self.settings.max_receive_count {
                dead.add(StoredDeadLetter {
                    id: message.id.clone(),
                    body: message.outgoing.body.clone(),
                    attributes: message.outgoing.attributes.clone(),
                    group_id: message.outgoing.group_id.clone(),
                    at: now,
                })?;
                messages.remove(at);
                continue;
            }
            received.push(message.receive(now, self.settings.visibility_timeout_s, self.clock.fresh_id()));
            at += 1;
        }
        Ok(received)
    }

    /// Deletes a received message. As in SQS an outdated handle is no error, and may leave the message: here it
    /// always does. Says whether it was deleted.
    pub fn delete(&self, receipt_handle: &str) -> bool {
        let mut state = self.state();
        let before = state.messages.len();
        state.messages.retain(|message| message.receipt_handle.as_deref() != Some(receipt_handle));
        state.messages.len() < before
    }

    /// Lets a message that is out be received once more at once, as a standard queue does now and then. The first
    /// receiver keeps working, with a handle that no longer counts after that. Says whether it was out.
    pub fn duplicate(&self, message_id: &str) -> bool {
        let now = self.clock.now();
        let mut state = self.state();
        let out =
            state.messages.iter_mut().find(|message| message.id == message_id && message.visible_at > now);
        out.map(|message| message.visible_at = now).is_some()
    }

    /// Messages that are neither deleted nor dead, visible or not.
    pub fn len(&self) -> usize {
        self.state().messages.len()
    }

    /// Whether nothing is left to do, now or later.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When the next message becomes visible; a time in the past when one is now. `None` on an empty queue.
    pub fn next_visible_at(&self) -> Option<EpochMs> {
        self.state().messages.iter().map(|message| message.visible_at).min()
    }

    /// The dead letters, oldest first.
    ///
    /// # Errors
    /// When a file of them cannot be read.
    pub fn dead_letters(&self) -> io::Result<Vec<StoredDeadLetter>> {
        self.state().dead.all()
    }

    /// Sends a dead letter again, body and attributes as they are, then removes it: in this order, since twice is
    /// recoverable and nowhere is not. Answers the new message's id, `None` when there is no such dead letter.
    ///
    /// # Errors
    /// When its file cannot be read or removed.
    pub fn redrive(&self, id: &str) -> io::Result<Option<String>> {
        let Some(letter) = self.state().dead.get(id)? else {
            return Ok(None);
        };
        let again = Outgoing { body: letter.body, attributes: letter.attributes, group_id: letter.group_id };
        let sent = self.send(again);
        self.state().dead.remove(id)?;
        Ok(Some(sent))
    }

    /// Makes calls of the port fail from now on.
    pub fn set_fault(&self, fault: Fault) {
        self.state().fault = fault;
    }

    fn change_visibility_now(&self, receipt_handle: &str, delay_s: u32) -> Result<(), QueueError> {
        let now = self.clock.now();
        let delay_s = delay_s.min(self.settings.hide_max_s);
        let mut state = self.state();
        let held = state
            .messages
            .iter_mut()
            .find(|message| message.receipt_handle.as_deref() == Some(receipt_handle))
            .ok_or_else(|| error("ReceiptHandleIsInvalid"))?;
        if held.visible_at <= now {
            return Err(error("MessageNotInflight"));
        }
        let visible_at = now.plus_ms(u64::from(delay_s) * 1000);
        // The limit counts from the receive, however often the time is moved.
        if held.received_at.until_ms(visible_at) > u64::from(VISIBILITY_MAX_S) * 1000 {
            return Err(error("InvalidParameterValue"));
        }
        held.visible_at = visible_at;
        Ok(())
    }

    fn dead_letter_now(&self, letter: &DeadLetter) -> Result<(), QueueError> {
        let attributes = letter.attributes().into_iter().map(|(name, value)| (name.to_owned(), value));
        let stored = StoredDeadLetter {
            id: self.clock.fresh_id(),
            body: letter.body.clone(),
            attributes: attributes.collect(),
            group_id: letter.message_group_id.clone(),
            at: self.clock.now(),
        };
        self.state().dead.add(stored).map_err(|_error| error("dead_letter_not_written"))
    }

    fn faulty(&self, work: impl FnOnce() -> Result<(), QueueError>) -> Result<(), QueueError> {
        let fault = self.state().fault;
        match fault {
            Fault::None => work(),
            Fault::Before => Err(error("injected_before")),
            Fault::After => work().and_then(|()| Err(error("injected_after"))),
        }
    }
}

impl<C: Clock> Queue for MemoryQueue<C> {
    async fn change_visibility(&self, receipt_handle: &str, delay_s: u32) -> Result<(), QueueError> {
        self.faulty(|| self.change_visibility_now(receipt_handle, delay_s))
    }

    async fn dead_letter(&self, letter: &DeadLetter) -> Result<(), QueueError> {
        self.faulty(|| self.dead_letter_now(letter))
    }
}

fn error(kind: &str) -> QueueError {
    QueueError { kind: kind.to_owned() }
}

impl Message {
    fn receive(&mut self, now: EpochMs, visibility_timeout_s: u32, receipt_handle: String) -> Received {
        self.receive_count += 1;
        self.received_at = now;
        self.visible_at = now.plus_ms(u64::from(visibility_timeout_s) * 1000);
        self.receipt_handle = Some(receipt_handle.clone());
        Received {
            message_id: self.id.clone(),
            receipt_handle,
            body: self.outgoing.body.clone(),
            attributes: self.outgoing.attributes.clone(),
            group_id: self.outgoing.group_id.clone(),
            receive_count: self.receive_count,
            sent_at: self.sent_at,
            first_received_at: *self.first_received_at.get_or_insert(now),
        }
    }
}

impl DeadLetters {
    fn add(&mut self, letter: StoredDeadLetter) -> io::Result<()> {
        match self {
            Self::Memory(letters) => {
                letters.push(letter);
                Ok(())
            }
            Self::Folder(folder) => {
                let bytes = serde_json::to_vec_pretty(&letter).map_err(io::Error::other)?;
                write_atomically(&file_of(folder, &letter.id), &bytes)
            }
        }
    }

    fn all(&self) -> io::Result<Vec<StoredDeadLetter>> {
        let mut letters = match self {
            Self::Memory(letters) => letters.clone(),
            Self::Folder(folder) => {
                let mut letters = Vec::new();
                for entry in fs::read_dir(folder)? {
                    let path = entry?.path();
                    if path.extension().is_some_and(|extension| extension == DEAD_LETTER_EXTENSION) {
                        // Another process may have sent it again since the folder was listed.
                        letters.extend(read_letter(&path)?);
                    }
                }
                letters
            }
        };
        letters.sort_by(|left, right| (left.at, &left.id).cmp(&(right.at, &right.id)));
        Ok(letters)
    }

    fn get(&self, id: &str) -> io::Result<Option<StoredDeadLetter>> {
        match self {
            Self::Memory(letters) => Ok(letters.iter().find(|letter| letter.id == id).cloned()),
            Self::Folder(folder) => read_letter(&file_of(folder, id)),
        }
    }

    fn remove(&mut self, id: &str) -> io::Result<()> {
        match self {
            Self::Memory(letters) => {
                letters.retain(|letter| letter.id != id);
                Ok(())
            }
            Self::Folder(folder) => match fs::remove_file(file_of(folder, id)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                other => other,
            },
        }
    }
}

/// Where a dead letter lies. An id can come from a command line, so it is hashed and never joined onto a path.
fn file_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(crate::identity::short_hash(id)).with_extension(DEAD_LETTER_EXTENSION)
}

fn read_letter(path: &Path) -> io::Result<Option<StoredDeadLetter>> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The event a function is invoked with for these messages.
/// Source: "Using Lambda with Amazon SQS", AWS Lambda developer guide. The digests of body and attributes are left
/// out: nothing here computes MD5, and no consumer of the event needs them.
pub fn lambda_event(messages: &[Received]) -> Value {
    json!({ "Records": messages.iter().map(lambda_record).collect::<Vec<_>>() })
}

fn lambda_record(message: &Received) -> Value {
    let mut attributes = json!({
        "ApproximateReceiveCount": message.receive_count.to_string(),
        "SentTimestamp": message.sent_at.0.to_string(),
        "SenderId": PRINCIPAL,
        "ApproximateFirstReceiveTimestamp": message.first_received_at.0.to_string(),
    });
    if let Some(group) = &message.group_id {
        attributes["MessageGroupId"] = json!(group);
    }
    let message_attributes: BTreeMap<_, _> = message
        .attributes
        .iter()
        .map(|(name, value)| {
            let attribute = json!({
                "stringValue": value,
                "stringListValues": [],
                "binaryListValues": [],
                "dataType": "String",
            });
            (name, attribute)
        })
        .collect();
    json!({
        "messageId": message.message_id,
        "receiptHandle": message.receipt_handle,
        "body": message.body,
        "attributes": attributes,
        "messageAttributes": message_attributes,
        "eventSource": "aws:sqs",
        // Only a FIFO queue of this kind has groups.
        "eventSourceARN": format!("{QUEUE_ARN}{}", if message.group_id.is_some() { ".fifo" } else { "" }),
        "awsRegion": REGION,
    })
}

/// What the object store tells the queue about.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// A version was made.
    Put(&'a PutReceipt),
    /// A version was removed, or hidden.
    Removed(&'a RemovalReceipt),
}

impl<'a> From<&'a PutReceipt> for Change<'a> {
    fn from(receipt: &'a PutReceipt) -> Self {
        Self::Put(receipt)
    }
}

impl<'a> From<&'a RemovalReceipt> for Change<'a> {
    fn from(receipt: &'a RemovalReceipt) -> Self {
        Self::Removed(receipt)
    }
}

/// What is not escaped in a key of a notification: the rules of HTML forms, and `/`.
const FORM_KEY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_').remove(b'/').remove(b' ');

/// The body of the notification that S3 would send for a change.
/// Source: "Event message structure", Amazon S3 user guide.
pub fn notification<'a>(change: impl Into<Change<'a>>) -> String {
    let (version, sequencer, at, event_name, size_bytes, with_etag) = match change.into() {
        Change::Put(put) => {
            let name = if put.version.etag.is_multipart() { "CompleteMultipartUpload" } else { "Put" };
            let name = format!("ObjectCreated:{name}");
            (&put.version, &put.sequencer, put.at, name, Some(put.size_bytes), true)
        }
        Change::Removed(removed) => {
            let marker = removed.kind == RemovalKind::MarkerCreated;
            let name = if marker { "ObjectRemoved:DeleteMarkerCreated" } else { "ObjectRemoved:Delete" };
            (&removed.version, &removed.sequencer, removed.at, name.to_owned(), None, marker)
        }
    };
    let mut object = json!({ "key": form_encoded(&version.key), "sequencer": sequencer });
    if let Some(size_bytes) = size_bytes {
        object["size"] = json!(size_bytes);
    }
    if with_etag {
        object["eTag"] = json!(version.etag.as_str());
    }
    if let VersionId::Id(id) = &version.version_id {
        object["versionId"] = json!(id);
    }
    let record = json!({
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": REGION,
        "eventTime": event_time(at),
        "eventName": event_name,
        "userIdentity": { "principalId": PRINCIPAL },
        "requestParameters": { "sourceIPAddress": "127.0.0.1" },
        "responseElements": {},
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": "lease-ingest",
            "bucket": bucket_member(version),
            "object": object,
        },
    });
    json!({ "Records": [record] }).to_string()
}

fn bucket_member(version: &ObjectVersion) -> Value {
    json!({
        "name": version.bucket,
        "ownerIdentity": { "principalId": PRINCIPAL },
        "arn": format!("arn:aws:s3:::{}", version.bucket),
    })
}

/// As an HTML form encodes it: a space becomes `+`, a plus `%2B`.
fn form_encoded(key: &str) -> String {
    percent_encode(key.as_bytes(), FORM_KEY).to_string().replace(' ', "+")
}

/// ISO 8601 with milliseconds, as S3 writes times.
fn event_time(at: EpochMs) -> String {
    let time = i64::try_from(at.0).ok().and_then(|at_ms| Timestamp::from_millisecond(at_ms).ok());
    format!("{:.3}", time.unwrap_or(Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
mod tests {
    use aws_lambda_events::event::sqs::SqsEvent;

    use super::*;
    use crate::embedded::hand_clock::HandClock;
    use crate::identity::{ETag, Generation};

    const SETTINGS: QueueSettings = QueueSettings {
        visibility_timeout_s: 60,
        max_receive_count: 3,
        fifo: false,
        hide_max_s: VISIBILITY_MAX_S,
    };

    fn queue(settings: QueueSettings) -> (Arc<HandClock>, MemoryQueue<HandClock>) {
        let clock = Arc::new(HandClock::at(1_760_000_000_123));
        (Arc::clone(&clock), MemoryQueue::new(settings, clock))
    }

    fn bodies(received: &[Received]) -> Vec<&str> {
        received.iter().map(|message| message.body.as_str()).collect()
    }

    fn letter() -> DeadLetter {
        DeadLetter {
            body: "{}".to_owned(),
            message_group_id: None,
            error_kind: "s3_403_AccessDenied".to_owned(),
            attempts: 5,
            cycle: 2,
            claim_hash: "0123456789abcdef".to_owned(),
            generation: Generation::FIRST,
            content_hash: None,
            first_attempt: EpochMs(1),
            last_attempt: EpochMs(2),
        }
    }

    #[test]
    fn a_received_message_is_hidden_until_its_time_is_over_and_counted() {
        let (clock, queue) = queue(SETTINGS);
        queue.send("one");
        queue.send("two");
        assert_eq!(bodies(&queue.receive(1).unwrap()), ["one"]);
        assert_eq!(bodies(&queue.receive(10).unwrap()), ["two"]);
        assert!(queue.receive(10).unwrap().is_empty());
        assert_eq!(queue.next_visible_at(), Some(clock.now().plus_ms(60_000)));
        clock.pass_s(59);
        assert!(queue.receive(10).unwrap().is_empty());
        clock.pass_s(1);
        let again = queue.receive(10).unwrap();
        assert_eq!(bodies(&again), ["one", "two"]);
        assert_eq!(again[0].receive_count, 2);
        assert_eq!(again[0].first_received_at, EpochMs(1_760_000_000_123));
        assert!(queue.delete(&again[0].receipt_handle) && queue.delete(&again[1].receipt_handle));
        assert!(queue.is_empty());
        assert_eq!(queue.next_visible_at(), None);
    }

    #[test]
    fn one_receive_is_bounded() {
        let (_clock, queue) = queue(SETTINGS);
        for _ in 0..RECEIVE_MAX_MESSAGES + 1 {
            queue.send("x");
        }
        assert_eq!(queue.receive(usize::MAX).unwrap().len(), RECEIVE_MAX_MESSAGES);
    }

    #[test]
    fn a_handle_counts_until_the_next_receive() {
        let (clock, queue) = queue(SETTINGS);
        queue.send("one");
        let first = queue.receive(1).unwrap().remove(0);
        clock.pass_s(60);
        let second = queue.receive(1).unwrap().remove(0);
        assert_eq!(first.message_id, second.message_id);
        assert!(!queue.delete(&first.receipt_handle));
        assert!(queue.delete(&second.receipt_handle));
    }

    #[test]
    fn a_duplicate_is_received_while_the_first_is_out() {
        let (_clock, queue) = queue(SETTINGS);
        let id = queue.send("one");
        assert!(!queue.duplicate(&id));
        queue.receive(1).unwrap();
        assert!(queue.duplicate(&id));
        let copy = queue.receive(1).unwrap().remove(0);
        assert_eq!((copy.message_id, copy.receive_count), (id, 2));
    }

    #[tokio::test]
    async fn visibility_moves_within_the_limits_of_sqs() {
        let (clock, queue) = queue(SETTINGS);
        queue.send("one");
        let out = queue.receive(1).unwrap().remove(0);
        let handle = out.receipt_handle.as_str();
        let kind = |result: Result<(), QueueError>| result.err().map(|error| error.kind);
        assert_eq!(
            kind(queue.change_visibility("another", 1).await).as_deref(),
            Some("ReceiptHandleIsInvalid")
        );
        assert_eq!(kind(queue.change_visibility(handle, u32::MAX).await), None);
        assert_eq!(queue.next_visible_at(), Some(clock.now().plus_ms(u64::from(VISIBILITY_MAX_S) * 1000)));
        clock.pass_s(10);
        let beyond = queue.change_visibility(handle, VISIBILITY_MAX_S).await;
        assert_eq!(kind(beyond).as_deref(), Some("InvalidParameterValue"));
        assert_eq!(kind(queue.change_visibility(handle, 0).await), None);
        assert_eq!(kind(queue.change_visibility(handle, 5).await).as_deref(), Some("MessageNotInflight"));
        assert_eq!(queue.receive(1).unwrap().len(), 1);
    }

    #[test]
    fn too_many_receives_move_a_message_to_the_dead_letters() {
        let (clock, queue) = queue(SETTINGS);
        queue.send("poison");
        for _ in 0..3 {
            assert_eq!(queue.receive(1).unwrap().len(), 1);
            clock.pass_s(60);
        }
        assert!(queue.receive(1).unwrap().is_empty() && queue.is_empty());
        let dead = queue.dead_letters().unwrap();
        assert_eq!((dead.len(), dead[0].body.as_str()), (1, "poison"));
        assert!(dead[0].attributes.is_empty());
    }

    #[tokio::test]
    async fn a_dead_letter_keeps_its_context_through_a_redrive() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::at(5_000));
        let in_memory = MemoryQueue::new(SETTINGS, Arc::clone(&clock));
        let in_folder =
            MemoryQueue::keeping_dead_letters(SETTINGS, Arc::clone(&clock), folder.path()).unwrap();
        let reopened = MemoryQueue::keeping_dead_letters(SETTINGS, clock, folder.path()).unwrap();
        for (name, writer, reader) in [
            ("memory", &in_memory, &in_memory),
            ("folder", &in_folder, &in_folder),
            ("reopened", &in_folder, &reopened),
        ] {
            writer.dead_letter(&letter()).await.unwrap();
            let dead = reader.dead_letters().unwrap();
            assert_eq!(dead.len(), 1, "{name}");
            assert_eq!(reader.redrive("../../unknown").unwrap(), None, "{name}");
            let id = reader.redrive(&dead[0].id).unwrap().unwrap();
            assert_ne!(id, dead[0].id, "{name}");
            assert!(writer.dead_letters().unwrap().is_empty(), "{name}");
            let again = reader.receive(1).unwrap().remove(0);
            assert_eq!((again.message_id.as_str(), again.receive_count), (id.as_str(), 1), "{name}");
            let expected: BTreeMap<_, _> =
                letter().attributes().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            assert_eq!(again.attributes, expected, "{name}");
            assert_eq!(again.body, letter().body, "{name}");
        }
    }

    #[tokio::test]
    async fn faults_are_before_or_after_the_effect() {
        for (fault, kind, letters) in [
            (Fault::None, None, 1),
            (Fault::Before, Some("injected_before"), 0),
            (Fault::After, Some("injected_after"), 1),
        ] {
            let (_clock, queue) = queue(SETTINGS);
            queue.set_fault(fault);
            let answer = queue.dead_letter(&letter()).await.err().map(|error| error.kind);
            assert_eq!(answer.as_deref(), kind);
            assert_eq!(queue.dead_letters().unwrap().len(), letters, "{fault:?}");
        }
    }

    #[test]
    fn a_group_of_a_fifo_queue_waits_for_its_first_message() {
        let (clock, queue) = queue(QueueSettings { fifo: true, ..SETTINGS });
        for (body, group) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("a3", "a")] {
            queue.send(Outgoing { group_id: Some(group.to_owned()), ..Outgoing::from(body) });
        }
        assert_eq!(bodies(&queue.receive(2).unwrap()), ["a1", "a2"]);
        assert_eq!(bodies(&queue.receive(10).unwrap()), ["b1"]);
        clock.pass_s(60);
        assert_eq!(bodies(&queue.receive(10).unwrap()), ["a1", "a2", "b1", "a3"]);
    }

    #[test]
    fn the_lambda_event_is_read_by_the_types_of_the_events_crate() {
        let (_clock, queue) = queue(SETTINGS);
        let attributes = BTreeMap::from([("Name".to_owned(), "value".to_owned())]);
        queue.send(Outgoing { body: "body".to_owned(), attributes, group_id: Some("group".to_owned()) });
        let received = queue.receive(1).unwrap();
        let event: SqsEvent = serde_json::from_value(lambda_event(&received)).unwrap();
        let record = &event.records[0];
        assert_eq!(record.message_id.as_deref(), Some(received[0].message_id.as_str()));
        assert_eq!(record.receipt_handle.as_deref(), Some(received[0].receipt_handle.as_str()));
        assert_eq!(record.body.as_deref(), Some("body"));
        assert_eq!(record.attributes["ApproximateReceiveCount"], "1");
        assert_eq!(record.attributes["SentTimestamp"], "1760000000123");
        assert_eq!(record.attributes["MessageGroupId"], "group");
        assert_eq!(record.message_attributes["Name"].string_value.as_deref(), Some("value"));
        assert_eq!(record.event_source.as_deref(), Some("aws:sqs"));
    }

    fn version(key: &str, version_id: VersionId, etag: &str) -> ObjectVersion {
        ObjectVersion {
            bucket: "lease-inbox".to_owned(),
            key: key.to_owned(),
            version_id,
            etag: ETag::new(etag),
        }
    }

    #[test]
    fn a_notification_says_what_s3_would_say() {
        let put = |version| PutReceipt {
            version,
            sequencer: "0055AED6DCD90281E5".to_owned(),
            size_bytes: 1024,
            at: EpochMs(1_760_000_000_123),
        };
        let removal = |kind, version| RemovalReceipt {
            version,
            kind,
            sequencer: "0055AED6DCD90281E6".to_owned(),
            at: EpochMs(0),
        };
        let id = || VersionId::Id("v1".to_owned());
        let single = put(version("a b/ü+c.pdf", id(), "\"abc\""));
        let null = put(version("k", VersionId::Null, "abc"));
        let parts = put(version("k", id(), "abc-2"));
        let marker = removal(RemovalKind::MarkerCreated, version("k", id(), EMPTY));
        let deleted = removal(RemovalKind::Deleted, version("k", VersionId::Null, "abc"));
        const EMPTY: &str = "d41d8cd98f00b204e9800998ecf8427e";
        let table: [(&str, Change<'_>, &str, Value); 5] = [
            ("single", (&single).into(), "ObjectCreated:Put", {
                json!({ "key": "a+b/%C3%BC%2Bc.pdf", "size": 1024, "eTag": "abc", "versionId": "v1",
                        "sequencer": "0055AED6DCD90281E5" })
            }),
            ("unversioned", (&null).into(), "ObjectCreated:Put", {
                json!({ "key": "k", "size": 1024, "eTag": "abc", "sequencer": "0055AED6DCD90281E5" })
            }),
            ("in parts", (&parts).into(), "ObjectCreated:CompleteMultipartUpload", {
                json!({ "key": "k", "size": 1024, "eTag": "abc-2", "versionId": "v1",
                        "sequencer": "0055AED6DCD90281E5" })
            }),
            ("marker", (&marker).into(), "ObjectRemoved:DeleteMarkerCreated", {
                json!({ "key": "k", "eTag": EMPTY, "versionId": "v1", "sequencer": "0055AED6DCD90281E6" })
            }),
            ("deleted", (&deleted).into(), "ObjectRemoved:Delete", {
                json!({ "key": "k", "sequencer": "0055AED6DCD90281E6" })
            }),
        ];
        for (name, change, event_name, object) in table {
            let body: Value = serde_json::from_str(&notification(change)).unwrap();
            let record = &body["Records"][0];
            assert_eq!(record["eventName"], event_name, "{name}");
            assert_eq!(record["s3"]["object"], object, "{name}");
            assert_eq!(record["s3"]["bucket"]["name"], "lease-inbox", "{name}");
            assert_eq!(record["eventSource"], "aws:s3", "{name}");
            assert_eq!(record["eventVersion"], "2.1", "{name}");
        }
        let body: Value = serde_json::from_str(&notification(&single)).unwrap();
        assert_eq!(body["Records"][0]["eventTime"], "2025-10-09T08:53:20.123Z");
    }
}
