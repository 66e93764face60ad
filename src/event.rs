//! A message body becomes object events: three envelopes, one meaning.
//!
//! Each message is parsed on its own. Only the members that decide are read, everything else is ignored, and
//! nothing is refused for lack of a member that decides nothing.

use percent_encoding::percent_decode;
use serde_json::{Map, Value, json};

use crate::identity::{ClaimKey, ETag, ObjectVersion, Sequencer, VersionId};

/// The largest body that is read, in bytes: what Amazon SQS lets a message be.
/// Source: "Amazon SQS message quotas", Amazon SQS developer guide.
pub const BODY_MAX_BYTES: usize = 1024 * 1024;

/// How many SNS envelopes may lie around the event. One is usual, a second comes from a topic that forwards to another.
pub const SNS_WRAPPERS_MAX: usize = 3;

/// The largest envelope that is kept with a claim, in bytes: an item may hold 400 KB, a message 1 MiB.
pub const ENVELOPE_MAX_BYTES: usize = 8 * 1024;

/// The longest sequencer that is believed, in bytes. S3 sends 16 to 18 digits; a longer text than this is no
/// sequencer, and a record without one is ordered by asking S3.
pub const SEQUENCER_MAX_BYTES: usize = 128;

/// The longest event time that is kept, in bytes; an ISO 8601 time needs less than half of it.
pub const EVENT_TIME_MAX_BYTES: usize = 64;

/// The major version of S3's message structure that this reader knows. Minor versions only add members.
/// Source: "Event message structure", Amazon S3 user guide.
const EVENT_VERSION_MAJOR: u32 = 2;

/// The member by which the reconciler's own messages are recognised. S3 sends no such member.
const SYNTHETIC_MEMBER: &str = "leaseIngest";

/// The version of the reconciler's envelope.
const SYNTHETIC_VERSION: u64 = 1;

/// The event source of Amazon S3 in a notification.
const S3_SOURCE: &str = "aws:s3";

/// The event source of Amazon S3 on EventBridge.
const EVENTBRIDGE_S3_SOURCE: &str = "aws.s3";

/// Event names that S3 documents and that ask for nothing here. A name outside this list is counted as [`OTHER_EVENT`].
/// Source: "Supported event types for SQS, SNS, and Lambda", Amazon S3 user guide.
const QUIET_S3_EVENTS: [&str; 13] = [
    "IntelligentTiering",
    "LifecycleTransition",
    "ObjectAcl:Put",
    "ObjectAnnotation:Delete",
    "ObjectAnnotation:Put",
    "ObjectRestore:Delete",
    "ObjectRestore:Post",
    "ObjectTagging:Delete",
    "ObjectTagging:Put",
    "Replication:OperationFailedReplication",
    "Replication:OperationMissedThreshold",
    "Replication:OperationNotTracked",
    "Replication:OperationReplicatedAfterThreshold",
];

/// The same for the detail types of EventBridge.
/// Source: "Amazon Simple Storage Service events", EventBridge events reference.
const QUIET_DETAIL_TYPES: [&str; 8] = [
    "Async Copy Completion",
    "Object ACL Updated",
    "Object Access Tier Changed",
    "Object Restore Expired",
    "Object Restore Initiated",
    "Object Storage Class Changed",
    "Object Tags Added",
    "Object Tags Deleted",
];

/// The name under which an event kind that AWS does not document is counted.
pub const OTHER_EVENT: &str = "Other";

/// Codes of what is wrong with an unreadable message or record.
pub mod unreadable {
    /// The message has no body, or one that is not text.
    pub const NO_BODY: &str = "no_body";
    /// The record is not one that Amazon SQS delivers.
    pub const NOT_A_MESSAGE: &str = "not_a_message";
    /// The body is larger than a message can be.
    pub const TOO_LARGE: &str = "too_large";
    /// The body is not JSON (or nested too deeply to be read safely).
    pub const NOT_JSON: &str = "not_json";
    /// JSON, and none of the envelopes.
    pub const UNKNOWN_ENVELOPE: &str = "unknown_envelope";
    /// An SNS envelope whose content is not text.
    pub const SNS_MESSAGE: &str = "sns_message";
    /// More SNS envelopes around each other than are opened.
    pub const TOO_MANY_WRAPPERS: &str = "too_many_wrappers";
    /// A record that is not an object.
    pub const RECORD_SHAPE: &str = "record_shape";
    /// The event comes from a service that is not expected here.
    pub const FOREIGN_SOURCE: &str = "foreign_source";
    /// The event is about a bucket that is not on the list.
    pub const FOREIGN_BUCKET: &str = "foreign_bucket";
    /// A message structure of another major version.
    pub const EVENT_VERSION: &str = "event_version";
    /// Nothing says what happened.
    pub const EVENT_NAME: &str = "event_name";
    /// No bucket name.
    pub const BUCKET: &str = "bucket";
    /// No key, an empty one, or one that cannot be decoded.
    pub const KEY: &str = "key";
    /// A version id that is not text.
    pub const VERSION_ID: &str = "version_id";
    /// An ETag that is not text.
    pub const ETAG: &str = "etag";
    /// The object version cannot be named by a claim key.
    pub const CLAIM_KEY: &str = "claim_key";
    /// A message of the reconciler that this version does not understand.
    pub const SYNTHETIC: &str = "synthetic";
}

/// What the configuration allows to arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPolicy {
    /// Buckets whose events are work. Bucket names are global, so a queue policy that is too wide would let a stranger's in.
    pub buckets: Vec<String>,
    /// Event sources accepted beside `aws:s3`, for S3-compatible stores (such as `minio:s3`).
    pub extra_sources: Vec<String>,
}

/// What an event asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Request {
    /// A version was created: ingest it.
    Created,
    /// Something was removed; what is current now is to be asked.
    Removed,
    /// An archived version was restored: re-open the claim that was parked for it.
    Restored,
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The store's notification.
    Event,
    /// The reconciler, which saw the object listed (or the key empty); such a record has no sequencer.
    Reconciler,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEvent {
    /// What it is about. For a removal only bucket and key mean anything.
    pub version: ObjectVersion,
    /// What is asked for.
    pub request: Request,
    /// Who asks.
    pub origin: Origin,
    /// The event's place in the key's order.
    pub sequencer: Option<Sequencer>,
    /// The event's own time as it was written, for people; no decision rests on it.
    pub event_time: Option<String>,
    /// The object's size in bytes as the event says, which may be stale.
    pub size_bytes: Option<u64>,
    /// This record's JSON as received, at most [`ENVELOPE_MAX_BYTES`]; longer ones are replaced by a note of their length.
    pub envelope: String,
}

/// One record of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Something to do.
    Work(ObjectEvent),
    /// Nothing to do, and no marker needed.
    Benign(Benign),
}

/// The kinds of message or record that are acknowledged without a marker. This list is closed: everything else
/// is work or a failure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Benign {
    /// `s3:TestEvent`, sent when notifications are configured.
    TestEvent,
    /// `Records: []`.
    NoRecords,
    /// A key that ends in `/`.
    FolderMarker,
    /// SNS asks for a confirmation; no URL of a message is ever visited.
    SubscriptionConfirmation,
    /// An event kind that was not asked for, by its name (reduced to what AWS documents, so that no free text reaches a metric).
    OtherEvent(String),
    /// `ReducedRedundancyLostObject`: the store lost the object; counted and alarmed.
    LostObject,
}

impl Benign {
    /// The code it is logged under.
    pub fn code(&self) -> &str {
        match self {
            Self::TestEvent => "test_event",
            Self::NoRecords => "no_records",
            Self::FolderMarker => "folder_marker",
            Self::SubscriptionConfirmation => "subscription_confirmation",
            Self::OtherEvent(name) => name,
            Self::LostObject => "lost_object",
        }
    }
}

/// Why a message (or one of its records) cannot be read. It is returned, so that it ends in the dead-letter queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Unreadable {
    /// Code for counting, without customer data.
    pub kind: &'static str,
    /// What is wrong, without customer data.
    pub detail: String,
}

impl Unreadable {
    /// Names what is wrong. `detail` is written here or made of numbers, never of what was received.
    pub fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// What the reconciler asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ask {
    /// Ingest this version, which is listed.
    Ingest,
    /// Look at this key, which has nothing current.
    Look,
}

impl Ask {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Look => "look",
        }
    }
}

/// Builds the body of a message from the reconciler. The key is written verbatim, and there is no sequencer: a
/// listing does not know one.
pub fn synthetic_body(version: &ObjectVersion, ask: Ask, size_bytes: Option<u64>) -> String {
    json!({
        SYNTHETIC_MEMBER: {
            "version": SYNTHETIC_VERSION,
            "ask": ask.as_str(),
            "bucket": version.bucket,
            "key": version.key,
            "versionId": version.version_id.as_str(),
            "eTag": version.etag.as_str(),
            "size": size_bytes,
        }
    })
    .to_string()
}

/// Reads a message body. The outer error means the whole message is unreadable; an inner one means one record
/// is, and the others are still worked on.
pub fn parse(body: &str, policy: &EventPolicy) -> Result<Vec<Result<Record, Unreadable>>, Unreadable> {
    if body.len() > BODY_MAX_BYTES {
        return Err(Unreadable::new(unreadable::TOO_LARGE, format!("the body is {} bytes", body.len())));
    }
    let mut text = strip_byte_order_mark(body).to_owned();
    for wrappers in 0..=SNS_WRAPPERS_MAX {
        // serde_json refuses more than 128 levels of nesting, so neither reading nor dropping the value can exhaust the stack.
        let value: Value = serde_json::from_str(&text).map_err(|error| not_json(&error))?;
        match open(&value, wrappers, policy)? {
            Opened::Records(records) => return Ok(records),
            Opened::Wrapped(inner) => inner.clone_into(&mut text),
        }
    }
    Err(Unreadable::new(unreadable::TOO_MANY_WRAPPERS, format!("more than {SNS_WRAPPERS_MAX} SNS envelopes")))
}

/// Writers on some platforms put a byte-order mark first, and a JSON reader may ignore it (RFC 8259, section 8.1).
fn strip_byte_order_mark(body: &str) -> &str {
    body.strip_prefix('\u{feff}').unwrap_or(body)
}

/// The parser's own message may quote what it found, so only the place is told.
fn not_json(error: &serde_json::Error) -> Unreadable {
    Unreadable::new(
        unreadable::NOT_JSON,
        format!("the text is not JSON at line {}, column {}", error.line(), error.column()),
    )
}

/// What an envelope held.
enum Opened<'a> {
    Records(Vec<Result<Record, Unreadable>>),
    Wrapped(&'a str),
}

/// Recognises the envelope. `Records` is asked for before `Type`, so that a stray `Message` beside it is not taken for a wrapper.
fn open<'a>(value: &'a Value, wrappers: usize, policy: &EventPolicy) -> Result<Opened<'a>, Unreadable> {
    let Value::Object(members) = value else {
        return Err(Unreadable::new(unreadable::UNKNOWN_ENVELOPE, "the JSON is not an object"));
    };
    let one = |record| Ok(Opened::Records(vec![record]));
    // The reconciler writes to the queue itself. What a topic forwards is not its word.
    if let Some(ask) = members.get(SYNTHETIC_MEMBER)
        && wrappers == 0
    {
        return one(synthetic_record(ask, value, policy));
    }
    match members.get("Records") {
        None | Some(Value::Null) => {}
        Some(Value::Array(records)) if records.is_empty() => {
            return one(Ok(Record::Benign(Benign::NoRecords)));
        }
        Some(Value::Array(records)) => {
            return Ok(Opened::Records(records.iter().map(|record| s3_record(record, policy)).collect()));
        }
        Some(_) => return Err(Unreadable::new(unreadable::UNKNOWN_ENVELOPE, "Records is not a list")),
    }
    if text(members.get("Event")) == Some("s3:TestEvent") {
        return one(Ok(Record::Benign(Benign::TestEvent)));
    }
    match text(members.get("Type")) {
        Some("Notification") => {
            return text(members.get("Message"))
                .map(Opened::Wrapped)
                .ok_or_else(|| Unreadable::new(unreadable::SNS_MESSAGE, "the SNS Message is not a string"));
        }
        Some("SubscriptionConfirmation" | "UnsubscribeConfirmation") => {
            return one(Ok(Record::Benign(Benign::SubscriptionConfirmation)));
        }
        _ => {}
    }
    if members.contains_key("detail-type")
        || (members.contains_key("source") && members.contains_key("detail"))
    {
        return one(eventbridge_record(members, value, policy));
    }
    Err(Unreadable::new(unreadable::UNKNOWN_ENVELOPE, "no envelope of S3, SNS or EventBridge"))
}

/// What an event name asks for.
enum Meaning {
    Work(Request),
    Quiet(Benign),
}

/// Families are matched by their prefix: S3 may add members to a family without a new version.
fn meaning_of_s3_event(name: &str) -> Meaning {
    let family = name.split_once(':').map_or(name, |(family, _)| family);
    match (family, name) {
        ("ObjectCreated", _) => Meaning::Work(Request::Created),
        ("ObjectRemoved" | "LifecycleExpiration", _) => Meaning::Work(Request::Removed),
        (_, "ObjectRestore:Completed") => Meaning::Work(Request::Restored),
        (_, "TestEvent") => Meaning::Quiet(Benign::TestEvent),
        (_, "ReducedRedundancyLostObject") => Meaning::Quiet(Benign::LostObject),
        _ => Meaning::Quiet(other_event(name, &QUIET_S3_EVENTS)),
    }
}

fn meaning_of_detail_type(name: &str) -> Meaning {
    match name {
        "Object Created" => Meaning::Work(Request::Created),
        "Object Deleted" => Meaning::Work(Request::Removed),
        "Object Restore Completed" => Meaning::Work(Request::Restored),
        _ => Meaning::Quiet(other_event(name, &QUIET_DETAIL_TYPES)),
    }
}

/// Reduces a name to a documented one: itself, or the family that it is a new member of.
fn other_event(name: &str, documented: &[&'static str]) -> Benign {
    let family = name.split_once(':').map_or(name, |(family, _)| family);
    let known = documented.iter().find(|known| **known == name || **known == family);
    Benign::OtherEvent(known.copied().unwrap_or(OTHER_EVENT).to_owned())
}

/// One record of S3's own notification.
fn s3_record(record: &Value, policy: &EventPolicy) -> Result<Record, Unreadable> {
    let Value::Object(members) = record else {
        return Err(Unreadable::new(unreadable::RECORD_SHAPE, "the record is not an object"));
    };
    match text(members.get("eventSource")) {
        Some(source) if source == S3_SOURCE || policy.extra_sources.iter().any(|extra| extra == source) => {}
        _ => return Err(Unreadable::new(unreadable::FOREIGN_SOURCE, "the event source is not on the list")),
    }
    check_event_version(members.get("eventVersion"))?;
    let name = text(members.get("eventName"))
        .map(|name| name.strip_prefix("s3:").unwrap_or(name))
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Unreadable::new(unreadable::EVENT_NAME, "the record has no event name"))?;
    let s3 = members.get("s3");
    Facts {
        meaning: meaning_of_s3_event(name),
        origin: Origin::Event,
        bucket: s3.and_then(|s3| s3.get("bucket")).and_then(|bucket| bucket.get("name")),
        object: s3.and_then(|s3| s3.get("object")).and_then(Value::as_object),
        spelling: &S3_SPELLING,
        event_time: members.get("eventTime"),
        source: record,
    }
    .judge(policy)
}

/// An absent version decides nothing: the members that are needed are checked one by one.
fn check_event_version(version: Option<&Value>) -> Result<(), Unreadable> {
    let written = match version {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let major = written.split_once('.').map_or(written.as_str(), |(major, _)| major);
    match major.parse() {
        Ok(EVENT_VERSION_MAJOR) => Ok(()),
        Ok(other) => Err(Unreadable::new(unreadable::EVENT_VERSION, format!("major event version {other}"))),
        Err(_) => Err(Unreadable::new(unreadable::EVENT_VERSION, "the event version is not a number")),
    }
}

/// S3's event as EventBridge delivers it.
fn eventbridge_record(
    members: &Map<String, Value>,
    event: &Value,
    policy: &EventPolicy,
) -> Result<Record, Unreadable> {
    if text(members.get("source")) != Some(EVENTBRIDGE_S3_SOURCE) {
        return Err(Unreadable::new(unreadable::FOREIGN_SOURCE, "the EventBridge source is not S3"));
    }
    let name = text(members.get("detail-type"))
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Unreadable::new(unreadable::EVENT_NAME, "the EventBridge event has no detail-type"))?;
    // A rule that is too wide also matches API calls that CloudTrail recorded. One of them may be the only word of an
    // upload, in a shape that is not read here, so it is not acknowledged as a kind that was not asked for.
    if name.ends_with("via CloudTrail") {
        return Err(Unreadable::new(
            unreadable::FOREIGN_SOURCE,
            "an API call recorded by CloudTrail is no S3 event",
        ));
    }
    let detail = members.get("detail");
    Facts {
        meaning: meaning_of_detail_type(name),
        origin: Origin::Event,
        bucket: detail.and_then(|detail| detail.get("bucket")).and_then(|bucket| bucket.get("name")),
        object: detail.and_then(|detail| detail.get("object")).and_then(Value::as_object),
        spelling: &EVENTBRIDGE_SPELLING,
        event_time: members.get("time"),
        source: event,
    }
    .judge(policy)
}

/// The reconciler's own message.
fn synthetic_record(ask: &Value, body: &Value, policy: &EventPolicy) -> Result<Record, Unreadable> {
    if ask.get("version").and_then(Value::as_u64) != Some(SYNTHETIC_VERSION) {
        return Err(Unreadable::new(unreadable::SYNTHETIC, "another version of the reconciler's envelope"));
    }
    let request = match text(ask.get("ask")) {
        Some("ingest") => Request::Created,
        Some("look") => Request::Removed,
        _ => return Err(Unreadable::new(unreadable::SYNTHETIC, "the reconciler asks for something unknown")),
    };
    Facts {
        meaning: Meaning::Work(request),
        origin: Origin::Reconciler,
        bucket: ask.get("bucket"),
        object: ask.as_object(),
        spelling: &SYNTHETIC_SPELLING,
        event_time: None,
        source: body,
    }
    .judge(policy)
}

/// How an envelope spells what they all say.
struct Spelling {
    version_id: &'static str,
    etag: &'static str,
    key_is_encoded: bool,
}

const S3_SPELLING: Spelling = Spelling { version_id: "versionId", etag: "eTag", key_is_encoded: true };
const EVENTBRIDGE_SPELLING: Spelling =
    Spelling { version_id: "version-id", etag: "etag", key_is_encoded: false };
const SYNTHETIC_SPELLING: Spelling =
    Spelling { version_id: "versionId", etag: "eTag", key_is_encoded: false };

/// The members of a record that decide, found but not yet judged.
struct Facts<'a> {
    meaning: Meaning,
    origin: Origin,
    bucket: Option<&'a Value>,
    object: Option<&'a Map<String, Value>>,
    spelling: &'static Spelling,
    event_time: Option<&'a Value>,
    source: &'a Value,
}

impl Facts<'_> {
    fn judge(self, policy: &EventPolicy) -> Result<Record, Unreadable> {
        let bucket = text(self.bucket).filter(|bucket| !bucket.is_empty());
        if bucket.is_some_and(|bucket| !policy.buckets.iter().any(|allowed| allowed == bucket)) {
            return Err(Unreadable::new(unreadable::FOREIGN_BUCKET, "the bucket is not on the list"));
        }
        let request = match self.meaning {
            Meaning::Quiet(benign) => return Ok(Record::Benign(benign)),
            Meaning::Work(request) => request,
        };
        let bucket =
            bucket.ok_or_else(|| Unreadable::new(unreadable::BUCKET, "the record has no bucket name"))?;
        let object =
            self.object.ok_or_else(|| Unreadable::new(unreadable::KEY, "the record has no object"))?;
        let key = text(object.get("key"))
            .ok_or_else(|| Unreadable::new(unreadable::KEY, "the object has no key"))?;
        let key = if self.spelling.key_is_encoded { decode_key(key)? } else { key.to_owned() };
        if key.is_empty() {
            return Err(Unreadable::new(unreadable::KEY, "the key is empty"));
        }
        // No request for S3 can carry a NUL. Other control characters are odd, and legal.
        if key.contains('\0') {
            return Err(Unreadable::new(unreadable::KEY, "the key holds a NUL character"));
        }
        // Another type than text is not read as "absent": that would fetch or claim another version than was meant.
        let version_id = optional_text(object.get(self.spelling.version_id))
            .ok_or_else(|| Unreadable::new(unreadable::VERSION_ID, "the version id is not text"))?;
        let etag = optional_text(object.get(self.spelling.etag))
            .ok_or_else(|| Unreadable::new(unreadable::ETAG, "the ETag is not text"))?;
        let version = ObjectVersion {
            bucket: bucket.to_owned(),
            key,
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(etag),
        };
        // No key of this kind is ever ingested, so neither its removal nor its restore can concern anything.
        if version.is_folder_marker() {
            return Ok(Record::Benign(Benign::FolderMarker));
        }
        ClaimKey::of(&version).map_err(|error| Unreadable::new(unreadable::CLAIM_KEY, error.to_string()))?;
        // S3 promises sequencers for puts and deletes only, and a listing has none.
        let sequencer = match (self.origin, request) {
            (Origin::Event, Request::Created | Request::Removed) => text(object.get("sequencer"))
                .filter(|sequencer| sequencer.len() <= SEQUENCER_MAX_BYTES)
                .and_then(Sequencer::new),
            (Origin::Reconciler, _) | (_, Request::Restored) => None,
        };
        Ok(Record::Work(ObjectEvent {
            version,
            request,
            origin: self.origin,
            sequencer,
            event_time: text(self.event_time)
                .filter(|time| !time.is_empty() && time.len() <= EVENT_TIME_MAX_BYTES)
                .map(str::to_owned),
            // With serde_json's `arbitrary_precision` a number is kept as its digits, and this reads them.
            size_bytes: object.get("size").and_then(Value::as_u64),
            envelope: envelope(self.source),
        }))
    }
}

/// Decodes a key as S3 encodes it for notifications: as a form value, once. `%` that begins no escape stays as it
/// is, and bytes that are not UTF-8 are refused, since a replacement character would name another object.
fn decode_key(encoded: &str) -> Result<String, Unreadable> {
    // A literal plus arrives as `%2B`, so every `+` left is a space; this comes before the escapes are decoded.
    let spaced = encoded.replace('+', " ");
    percent_decode(spaced.as_bytes())
        .decode_utf8()
        .map(|key| key.into_owned())
        .map_err(|_| Unreadable::new(unreadable::KEY, "the decoded key is not UTF-8"))
}

/// The record as it is kept with a claim.
fn envelope(source: &Value) -> String {
    let written = source.to_string();
    if written.len() <= ENVELOPE_MAX_BYTES {
        return written;
    }
    json!({ "omitted": format!("{} bytes, more than the {ENVELOPE_MAX_BYTES} that are kept", written.len()) })
        .to_string()
}

fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}

/// Text, or nothing (absent or `null`) as the empty text; `None` for another type.
fn optional_text(value: Option<&Value>) -> Option<&str> {
    match value {
        None | Some(Value::Null) => Some(""),
        Some(value) => value.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    use super::*;

    fn policy() -> EventPolicy {
        EventPolicy { buckets: vec!["leases-in".to_owned()], extra_sources: vec![] }
    }

    fn compatible_store() -> EventPolicy {
        EventPolicy { extra_sources: vec!["minio:s3".to_owned()], ..policy() }
    }

    /// A record of S3's own notification, with members replaced or (by `null`) taken away.
    fn record(changes: Value) -> Value {
        let mut record = json!({
            "eventVersion": "2.1",
            "eventSource": "aws:s3",
            "awsRegion": "eu-central-1",
            "eventTime": "2026-02-03T04:05:06.789Z",
            "eventName": "ObjectCreated:Put",
            "s3": {
                "bucket": { "name": "leases-in", "arn": "arn:aws:s3:::leases-in" },
                "object": {
                    "key": "inbox/lease.txt",
                    "size": 1200,
                    "eTag": "5d41402abc4b2a76b9719d911017c592",
                    "versionId": "v.1",
                    "sequencer": "0067A0C2D4E6F80A12"
                }
            }
        });
        merge(&mut record, changes);
        record
    }

    fn eventbridge(changes: Value) -> Value {
        let mut event = json!({
            "version": "0",
            "id": "6a7e8feb-b491-4cf7-a9f1-bf3703467718",
            "detail-type": "Object Created",
            "source": "aws.s3",
            "time": "2026-02-03T04:05:06Z",
            "detail": {
                "bucket": { "name": "leases-in" },
                "object": {
                    "key": "inbox/lease.txt",
                    "size": 1200,
                    "etag": "5d41402abc4b2a76b9719d911017c592",
                    "version-id": "v.1",
                    "sequencer": "67a0c2d4e6f80a12"
                },
                "reason": "PutObject"
            }
        });
        merge(&mut event, changes);
        event
    }

    fn merge(into: &mut Value, changes: Value) {
        match (into, changes) {
            (Value::Object(into), Value::Object(changes)) => {
                for (name, change) in changes {
                    if change.is_null() {
                        into.remove(&name);
                    } else {
                        merge(into.entry(name).or_insert(Value::Null), change);
                    }
                }
            }
            (into, change) => *into = change,
        }
    }

    fn object(changes: Value) -> Value {
        record(json!({ "s3": { "object": changes } }))
    }

    fn notification(records: &[Value]) -> String {
        json!({ "Records": records }).to_string()
    }

    fn sns(message: &str) -> String {
        json!({ "Type": "Notification", "TopicArn": "arn:aws:sns:eu-central-1:111122223333:leases", "Message": message })
            .to_string()
    }

    fn events(body: &str) -> Vec<Result<Record, Unreadable>> {
        parse(body, &policy()).expect("the message is readable")
    }

    fn only(body: &str) -> Result<Record, Unreadable> {
        let mut records = parse(body, &policy())?;
        assert_eq!(records.len(), 1, "one record in {body}");
        records.remove(0)
    }

    fn work(body: &str) -> ObjectEvent {
        match only(body) {
            Ok(Record::Work(event)) => event,
            other => panic!("expected work, got {other:?}"),
        }
    }

    fn kind(body: &str) -> &'static str {
        only(body).expect_err("unreadable").kind
    }

    /// What a record comes to, short enough for a table.
    fn verdict(body: &str, policy: &EventPolicy) -> String {
        let short = |record: Result<Record, Unreadable>| match record {
            Ok(Record::Work(event)) => format!("{:?}", event.request),
            Ok(Record::Benign(benign)) => format!("{benign:?}"),
            Err(unreadable) => unreadable.kind.to_owned(),
        };
        match parse(body, policy) {
            Ok(records) => records.into_iter().map(short).collect::<Vec<_>>().join(" "),
            Err(unreadable) => format!("message: {}", unreadable.kind),
        }
    }

    #[test]
    fn a_notification_says_which_version_of_what() {
        let event = work(&notification(&[record(json!({}))]));
        assert_eq!(
            event.version,
            ObjectVersion {
                bucket: "leases-in".to_owned(),
                key: "inbox/lease.txt".to_owned(),
                version_id: VersionId::Id("v.1".to_owned()),
                etag: ETag::new("5d41402abc4b2a76b9719d911017c592"),
            }
        );
        assert_eq!((event.request, event.origin), (Request::Created, Origin::Event));
        assert_eq!(event.sequencer, Sequencer::new("0067A0C2D4E6F80A12"));
        assert_eq!(event.event_time.as_deref(), Some("2026-02-03T04:05:06.789Z"));
        assert_eq!(event.size_bytes, Some(1200));
        let kept: Value = serde_json::from_str(&event.envelope).expect("JSON");
        assert_eq!(kept, record(json!({})));
    }

    #[test]
    fn every_envelope_comes_to_the_same_claim_key() {
        let direct = notification(&[record(json!({}))]);
        let claim_key = |body: &str| ClaimKey::of(&work(body).version).expect("a claim key");
        let expected = claim_key(&direct);
        for body in [
            sns(&direct),
            sns(&sns(&direct)),
            sns(&sns(&sns(&direct))),
            eventbridge(json!({})).to_string(),
            sns(&eventbridge(json!({})).to_string()),
            format!("\u{feff}{direct}"),
            synthetic_body(&work(&direct).version, Ask::Ingest, None),
        ] {
            assert_eq!(claim_key(&body), expected, "{body}");
        }
    }

    #[test]
    fn envelopes() {
        let direct = notification(&[record(json!({}))]);
        let stray =
            json!({ "Records": [record(json!({}))], "Message": "note", "Type": "Notification" }).to_string();
        let too_deep = sns(&sns(&sns(&sns(&direct))));
        let version = work(&direct).version;
        let rows = [
            (direct.as_str(), "Created"),
            (&stray, "Created"),
            (&notification(&[]), "NoRecords"),
            (&sns(&notification(&[])), "NoRecords"),
            (r#"{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"leases-in"}"#, "TestEvent"),
            (&sns(r#"{"Service":"Amazon S3","Event":"s3:TestEvent"}"#), "TestEvent"),
            (
                r#"{"Type":"SubscriptionConfirmation","Message":"Please confirm.","SubscribeURL":"https://example.invalid/"}"#,
                "SubscriptionConfirmation",
            ),
            (r#"{"Type":"UnsubscribeConfirmation","Message":"Gone."}"#, "SubscriptionConfirmation"),
            (&too_deep, "message: too_many_wrappers"),
            (&sns("hello"), "message: not_json"),
            (&sns(r#"{"note":"no records"}"#), "message: unknown_envelope"),
            (r#"{"Type":"Notification","Message":{"Records":[]}}"#, "message: sns_message"),
            (r#"{"Type":"Notification"}"#, "message: sns_message"),
            (r#"{"Message":"{}"}"#, "message: unknown_envelope"),
            ("{}", "message: unknown_envelope"),
            (r#"{"Records":null}"#, "message: unknown_envelope"),
            (r#"{"Records":{}}"#, "message: unknown_envelope"),
            (r#"{"Records":"text"}"#, "message: unknown_envelope"),
            (r#"{"Records":[null,7,"x",[]]}"#, "record_shape record_shape record_shape record_shape"),
            (r#"{"bucket":"leases-in","key":"inbox/lease.txt"}"#, "message: unknown_envelope"),
            (r#"{"source":"aws.s3","detail":{}}"#, "event_name"),
            ("", "message: not_json"),
            ("\u{feff}", "message: not_json"),
            (&format!("\u{feff}\u{feff}{direct}"), "message: not_json"),
            ("null", "message: unknown_envelope"),
            ("[]", "message: unknown_envelope"),
            (&json!(direct).to_string(), "message: unknown_envelope"),
            ("H4sIAAAAAAAAA6tWKkktLlGyUlAqS8wpTtVRSixKTi1KBQBOMKPEGAAAAA==", "message: not_json"),
            (&sns(&synthetic_body(&version, Ask::Ingest, None)), "message: unknown_envelope"),
        ];
        for (body, expected) in rows {
            assert_eq!(verdict(body, &policy()), expected, "{body}");
        }
    }

    #[test]
    fn event_names() {
        let rows = [
            ("ObjectCreated:Put", "Created"),
            ("ObjectCreated:Post", "Created"),
            ("ObjectCreated:Copy", "Created"),
            ("ObjectCreated:CompleteMultipartUpload", "Created"),
            ("ObjectCreated:SomethingNew", "Created"),
            ("s3:ObjectCreated:Put", "Created"),
            ("ObjectRemoved:Delete", "Removed"),
            ("ObjectRemoved:DeleteMarkerCreated", "Removed"),
            ("LifecycleExpiration:Delete", "Removed"),
            ("s3:LifecycleExpiration:DeleteMarkerCreated", "Removed"),
            ("ObjectRestore:Completed", "Restored"),
            ("s3:ObjectRestore:Completed", "Restored"),
            ("ObjectRestore:Post", r#"OtherEvent("ObjectRestore:Post")"#),
            ("s3:ObjectRestore:Delete", r#"OtherEvent("ObjectRestore:Delete")"#),
            ("ObjectAcl:Put", r#"OtherEvent("ObjectAcl:Put")"#),
            ("IntelligentTiering", r#"OtherEvent("IntelligentTiering")"#),
            ("s3:IntelligentTiering:TransitionAccess", r#"OtherEvent("IntelligentTiering")"#),
            ("LifecycleTransition", r#"OtherEvent("LifecycleTransition")"#),
            ("Replication:OperationNotTracked", r#"OtherEvent("Replication:OperationNotTracked")"#),
            ("ReducedRedundancyLostObject", "LostObject"),
            ("TestEvent", "TestEvent"),
            ("Tenant Jane Doe", r#"OtherEvent("Other")"#),
            ("ObjectCreatedNot:Put", r#"OtherEvent("Other")"#),
            ("", "event_name"),
            ("s3:", "event_name"),
        ];
        for (name, expected) in rows {
            let body = notification(&[record(json!({ "eventName": name }))]);
            assert_eq!(verdict(&body, &policy()), expected, "{name}");
        }
        let nameless = notification(&[record(json!({ "eventName": null }))]);
        assert_eq!(kind(&nameless), unreadable::EVENT_NAME);
    }

    #[test]
    fn detail_types() {
        let rows = [
            (json!({}), "Created"),
            (json!({ "detail-type": "Object Deleted" }), "Removed"),
            (
                json!({ "detail-type": "Object Deleted", "detail": { "reason": "Lifecycle Expiration", "object": { "size": null, "etag": null } } }),
                "Removed",
            ),
            (json!({ "detail-type": "Object Restore Completed" }), "Restored"),
            (
                json!({ "detail-type": "Object Restore Initiated" }),
                r#"OtherEvent("Object Restore Initiated")"#,
            ),
            (json!({ "detail-type": "Object ACL Updated" }), r#"OtherEvent("Object ACL Updated")"#),
            (json!({ "detail-type": "Object Renamed By Jane" }), r#"OtherEvent("Other")"#),
            (json!({ "detail-type": "AWS API Call via CloudTrail" }), "foreign_source"),
            (json!({ "detail-type": null }), "event_name"),
            (json!({ "detail-type": 7 }), "event_name"),
            (json!({ "source": "aws.ec2" }), "foreign_source"),
            (json!({ "source": null }), "foreign_source"),
            (json!({ "source": "aws:s3" }), "foreign_source"),
            (json!({ "detail": { "bucket": { "name": "strangers" } } }), "foreign_bucket"),
            (json!({ "detail": { "bucket": { "name": null } } }), "bucket"),
            (json!({ "detail": { "object": { "key": null } } }), "key"),
            (json!({ "detail": { "object": { "key": "inbox/" } } }), "FolderMarker"),
            (json!({ "detail": "text" }), "bucket"),
        ];
        for (changes, expected) in rows {
            let body = eventbridge(changes).to_string();
            assert_eq!(verdict(&body, &policy()), expected, "{body}");
        }
    }

    #[test]
    fn a_key_on_eventbridge_is_verbatim() {
        for key in ["a b.txt", "a+b.txt", "a%20b.txt", "%2B%20%%%.txt", "%FF", "受信/契約.pdf"] {
            let body = eventbridge(json!({ "detail": { "object": { "key": key } } })).to_string();
            assert_eq!(work(&body).version.key, key);
        }
    }

    #[test]
    fn a_key_in_a_notification_is_decoded_once() {
        let rows = [
            ("inbox%2Flease.txt", "inbox/lease.txt"),
            ("inbox/lease.txt", "inbox/lease.txt"),
            ("a+b.txt", "a b.txt"),
            ("a%20b.txt", "a b.txt"),
            ("a b.txt", "a b.txt"),
            ("a%2Bb.txt", "a+b.txt"),
            ("a%252Bb.txt", "a%2Bb.txt"),
            ("a%2520b.txt", "a%20b.txt"),
            ("100%", "100%"),
            ("100%25", "100%"),
            ("100%+off", "100% off"),
            ("%zz%4", "%zz%4"),
            ("%C3%A9t%c3%a9.pdf", "été.pdf"),
            ("%E5%A5%91%E7%B4%84.pdf", "契約.pdf"),
            ("a%0Ab%01.txt", "a\nb\u{1}.txt"),
            ("a%2F..%2Fb%2F%2Fc.txt", "a/../b//c.txt"),
            ("dt%3D2026/x.txt", "dt=2026/x.txt"),
        ];
        for (encoded, decoded) in rows {
            let body = notification(&[object(json!({ "key": encoded }))]);
            assert_eq!(work(&body).version.key, decoded, "{encoded}");
        }
    }

    #[test]
    fn members_that_decide() {
        let long = "k".repeat(2040);
        let rows = [
            (object(json!({ "key": null })), "key"),
            (object(json!({ "key": "" })), "key"),
            (object(json!({ "key": 7 })), "key"),
            (object(json!({ "key": "%FF%FE.txt" })), "key"),
            (object(json!({ "key": "%C3.txt" })), "key"),
            (object(json!({ "key": "a\0b" })), "key"),
            (object(json!({ "key": "a%00b" })), "key"),
            (object(json!({ "key": "inbox%2F", "size": 0 })), "FolderMarker"),
            (object(json!({ "key": "inbox/", "size": 7 })), "FolderMarker"),
            (object(json!({ "key": long })), "claim_key"),
            (object(json!({ "versionId": "a@b" })), "claim_key"),
            (object(json!({ "eTag": "a#b" })), "claim_key"),
            (object(json!({ "versionId": 7 })), "version_id"),
            (object(json!({ "eTag": {} })), "etag"),
            (object(json!({ "sequencer": 7, "size": "x" })), "Created"),
            (record(json!({ "s3": null })), "bucket"),
            (record(json!({ "s3": "text" })), "bucket"),
            (record(json!({ "s3": { "object": null } })), "key"),
            (record(json!({ "s3": { "object": [] } })), "key"),
            (record(json!({ "s3": { "bucket": null } })), "bucket"),
            (record(json!({ "s3": { "bucket": { "name": "" } } })), "bucket"),
            (record(json!({ "s3": { "bucket": { "name": "arn:aws:s3:::leases-in" } } })), "foreign_bucket"),
            (record(json!({ "s3": { "bucket": { "name": "strangers" } } })), "foreign_bucket"),
            (
                record(json!({ "eventName": "ObjectAcl:Put", "s3": { "bucket": { "name": "strangers" } } })),
                "foreign_bucket",
            ),
            (record(json!({ "eventName": "ObjectAcl:Put", "s3": null })), r#"OtherEvent("ObjectAcl:Put")"#),
            (record(json!({ "eventSource": "minio:s3" })), "foreign_source"),
            (record(json!({ "eventSource": "aws:codecommit" })), "foreign_source"),
            (record(json!({ "eventSource": null })), "foreign_source"),
            (record(json!({ "eventSource": 7 })), "foreign_source"),
            (record(json!({ "eventVersion": "2.0" })), "Created"),
            (record(json!({ "eventVersion": "2.6" })), "Created"),
            (record(json!({ "eventVersion": "2.17" })), "Created"),
            (record(json!({ "eventVersion": "2" })), "Created"),
            (record(json!({ "eventVersion": null })), "Created"),
            (record(json!({ "eventVersion": "1.0" })), "event_version"),
            (record(json!({ "eventVersion": "3.0" })), "event_version"),
            (record(json!({ "eventVersion": "20.1" })), "event_version"),
            (record(json!({ "eventVersion": "" })), "event_version"),
            (record(json!({ "eventVersion": [] })), "event_version"),
            (record(json!({ "eventTime": null, "awsRegion": null })), "Created"),
            (record(json!({ "later": { "member": 1 }, "s3": { "object": { "other": [1] } } })), "Created"),
        ];
        for (record, expected) in rows {
            assert_eq!(
                verdict(&notification(std::slice::from_ref(&record)), &policy()),
                expected,
                "{record}"
            );
        }
        let compatible = notification(&[record(json!({ "eventSource": "minio:s3", "awsRegion": "" }))]);
        assert_eq!(verdict(&compatible, &compatible_store()), "Created");
    }

    #[test]
    fn absent_null_and_empty_version_ids_are_one() {
        for version in
            [json!({ "versionId": null }), json!({ "versionId": "" }), json!({ "versionId": "null" })]
        {
            let event = work(&notification(&[object(version)]));
            assert_eq!(event.version.version_id, VersionId::Null);
        }
        let mut explicit = record(json!({}));
        explicit["s3"]["object"]["versionId"] = Value::Null;
        assert_eq!(work(&notification(&[explicit])).version.version_id, VersionId::Null);
    }

    #[test]
    fn etags_are_opaque_and_bare() {
        let rows = [
            (json!({ "eTag": "\"abc-2\"" }), "abc-2"),
            (json!({ "eTag": "abc" }), "abc"),
            (json!({ "eTag": "" }), ""),
            (json!({ "eTag": null }), ""),
        ];
        for (change, expected) in rows {
            assert_eq!(work(&notification(&[object(change)])).version.etag.as_str(), expected);
        }
    }

    #[test]
    fn sizes_are_whole_numbers_or_absent() {
        let rows = [
            ("0", Some(0)),
            ("6442450944", Some(6_442_450_944)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-1", None),
            ("1.5", None),
            ("1e3", None),
            ("\"1200\"", None),
            ("null", None),
            ("{}", None),
        ];
        for (written, expected) in rows {
            let body = format!(
                r#"{{"Records":[{{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{{"bucket":{{"name":"leases-in"}},"object":{{"key":"a","size":{written}}}}}}}]}}"#
            );
            assert_eq!(work(&body).size_bytes, expected, "{written}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let event = work(&notification(&[record(json!({
            "eventTime": "t".repeat(1000),
            "filler": "x".repeat(ENVELOPE_MAX_BYTES),
            "s3": { "object": { "sequencer": "A".repeat(1000) } }
        }))]));
        assert_eq!(event.event_time, None);
        assert_eq!(event.sequencer, None);
        assert!(event.envelope.len() < 100 && event.envelope.contains("omitted"), "{}", event.envelope);
    }

    #[test]
    fn a_restore_orders_nothing() {
        let body = notification(&[record(json!({ "eventName": "ObjectRestore:Completed" }))]);
        assert_eq!(work(&body).sequencer, None);
    }

    #[test]
    fn one_unreadable_record_leaves_the_others() {
        let body = notification(&[
            object(json!({ "key": "1.txt" })),
            object(json!({ "key": "%FF" })),
            record(json!({ "s3": { "bucket": { "name": "strangers" } } })),
            object(json!({ "key": "2.txt" })),
        ]);
        assert_eq!(verdict(&body, &policy()), "Created key foreign_bucket Created");
        let keys: Vec<_> = events(&body)
            .into_iter()
            .filter_map(|record| match record {
                Ok(Record::Work(event)) => Some(event.version.key),
                _ => None,
            })
            .collect();
        assert_eq!(keys, ["1.txt", "2.txt"]);
    }

    #[test]
    fn the_reconcilers_message_comes_back_as_it_was_built() {
        let versions = [
            ("a b+c%20d/é\n.txt", VersionId::Id("v1".to_owned()), "abc-3"),
            ("plain.txt", VersionId::Null, ""),
        ];
        for (key, version_id, etag) in versions {
            let version = ObjectVersion {
                bucket: "leases-in".to_owned(),
                key: key.to_owned(),
                version_id,
                etag: ETag::new(etag),
            };
            for (ask, request) in [(Ask::Ingest, Request::Created), (Ask::Look, Request::Removed)] {
                for size_bytes in [Some(12), None] {
                    let event = work(&synthetic_body(&version, ask, size_bytes));
                    assert_eq!(event.version, version);
                    assert_eq!((event.request, event.origin), (request, Origin::Reconciler));
                    assert_eq!((event.sequencer, event.size_bytes), (None, size_bytes));
                }
            }
        }
    }

    #[test]
    fn the_reconcilers_envelope_is_checked_too() {
        let synthetic = |changes: Value| {
            let mut body = json!({ "leaseIngest": { "version": 1, "ask": "ingest", "bucket": "leases-in", "key": "a.txt", "sequencer": "0A" } });
            merge(&mut body, json!({ "leaseIngest": changes }));
            body.to_string()
        };
        let rows = [
            (synthetic(json!({})), "Created"),
            (synthetic(json!({ "ask": "look" })), "Removed"),
            (synthetic(json!({ "version": 2 })), "synthetic"),
            (synthetic(json!({ "version": "1" })), "synthetic"),
            (synthetic(json!({ "ask": "delete" })), "synthetic"),
            (synthetic(json!({ "bucket": "strangers" })), "foreign_bucket"),
            (synthetic(json!({ "bucket": null })), "bucket"),
            (synthetic(json!({ "key": "" })), "key"),
            (synthetic(json!({ "key": "a/" })), "FolderMarker"),
            (r#"{"leaseIngest":null}"#.to_owned(), "synthetic"),
            (r#"{"leaseIngest":[1]}"#.to_owned(), "synthetic"),
        ];
        for (body, expected) in &rows {
            assert_eq!(verdict(body, &policy()), *expected, "{body}");
        }
        assert_eq!(work(&rows[0].0).sequencer, None, "a listing knows no sequencer");
    }

    #[test]
    fn hostile_bodies_are_refused_without_harm() {
        let lone_surrogate = notification(&[record(json!({}))]).replace("inbox/lease", "inbox/\\ud83d");
        let bodies = [
            "[".repeat(10_000),
            "{\"a\":".repeat(10_000),
            format!("{{\"Records\":[{}{}]}}", "[".repeat(5_000), "]".repeat(5_000)),
            "x".repeat(BODY_MAX_BYTES),
            format!("[{}0]", "0,".repeat(BODY_MAX_BYTES / 2 - 2)),
            "0".repeat(BODY_MAX_BYTES + 1),
            "\u{0}".repeat(100),
            lone_surrogate,
        ];
        for body in &bodies {
            assert!(parse(body, &policy()).is_err());
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_customer_data() {
        let secret = "jane-doe-12-harbour-street";
        let bodies = [
            secret.to_owned(),
            json!({ "note": secret }).to_string(),
            notification(&[object(json!({ "key": format!("{secret}%FF") }))]),
            notification(&[object(json!({ "key": format!("{secret}\0") }))]),
            notification(&[object(json!({ "key": secret.repeat(100) }))]),
            notification(&[object(json!({ "versionId": format!("{secret}@") }))]),
            notification(&[record(json!({ "eventSource": secret }))]),
            notification(&[record(json!({ "eventVersion": secret }))]),
            notification(&[record(json!({ "s3": { "bucket": { "name": secret } } }))]),
            sns(secret),
        ];
        for body in &bodies {
            let unreadable = only(body).expect_err("unreadable");
            assert!(!unreadable.to_string().contains("jane"), "{unreadable}");
        }
        let odd = only(&notification(&[record(json!({ "eventName": secret }))]));
        assert_eq!(odd, Ok(Record::Benign(Benign::OtherEvent(OTHER_EVENT.to_owned()))));
    }

    /// JSON that resembles what arrives: members with the names that are looked for, and anything as their values.
    fn any_json() -> impl Strategy<Value = Value> {
        let name = prop_oneof![
            Just("Records"),
            Just("Type"),
            Just("Message"),
            Just("s3"),
            Just("bucket"),
            Just("object"),
            Just("key"),
            Just("name"),
            Just("source"),
            Just("detail-type"),
            Just("detail"),
            Just("eventSource"),
            Just("eventName"),
            Just("eventVersion"),
            Just("leaseIngest"),
            Just("version"),
            Just("ask"),
            Just("size"),
            Just("versionId"),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            prop_oneof![
                Just("aws:s3"),
                Just("aws.s3"),
                Just("Notification"),
                Just("leases-in"),
                Just("ObjectCreated:Put"),
                Just("Object Created"),
                Just("2.1"),
                Just("ingest"),
                Just("%"),
                Just("%e5"),
            ]
            .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 6, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((name.clone(), inner), 0..6).prop_map(|members| members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(body in ".*") {
            let _ = parse(&body, &policy());
        }

        #[test]
        fn any_json_is_read_or_refused(body in any_json()) {
            let _ = parse(&body.to_string(), &policy());
            let _ = parse(&sns(&body.to_string()), &policy());
        }

        #[test]
        fn any_change_to_a_record_is_read_or_refused(changes in any_json()) {
            let mut changed = record(json!({}));
            merge(&mut changed, changes);
            for event in parse(&notification(&[changed]), &policy()).into_iter().flatten().flatten() {
                if let Record::Work(event) = event {
                    prop_assert!(event.envelope.len() <= ENVELOPE_MAX_BYTES);
                    prop_assert_eq!(event.version.bucket, "leases-in");
                }
            }
        }

        #[test]
        fn a_key_survives_encoding_and_decoding(key in "[^\\x00]{1,80}", plus in any::<bool>()) {
            let mut encoded = utf8_percent_encode(&key, NON_ALPHANUMERIC).to_string();
            if plus {
                encoded = encoded.replace("%20", "+");
            }
            prop_assert_eq!(decode_key(&encoded), Ok(key));
        }

        #[test]
        fn both_spellings_of_a_key_name_the_same_object(key in "[^\\x00]{0,80}[^\\x00/]") {
            let encoded = utf8_percent_encode(&key, NON_ALPHANUMERIC).to_string();
            let notified = work(&notification(&[object(json!({ "key": encoded }))]));
            let bridged = work(&eventbridge(json!({ "detail": { "object": { "key": key } } })).to_string());
            prop_assert_eq!(notified.version, bridged.version);
        }
    }
}
