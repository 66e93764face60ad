//! DynamoDB items and records: a pure mapping, both ways. Attribute names are here and nowhere else.
//!
//! A number is written from its decimal text and read back from it, so no amount is ever a float.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::claim::{
    ClaimRecord, ClaimRequest, ClaimState, Failure, FencingToken, FinishedStatus, Purpose, Receipt,
    STATUS_IN_PROGRESS, Waits,
};
use crate::commit::{CommitRow, KnownContent, RowState};
use crate::effect::Intent;
use crate::identity::{
    ClaimKey, ContentHash, DocumentKey, ETag, EpochMs, Generation, ObjectVersion, Sequencer, VersionId,
};
use crate::pointer::{Filing, Named, Order, Pointer, PointerState, PointerWrite};
use crate::posting::Reason;
use crate::posting::{Indexed, Posted};

/// An item.
pub type Item = HashMap<String, AttributeValue>;

/// The largest item that is sent, in bytes. DynamoDB refuses items over 400 KB; the difference covers what
/// its own count adds.
pub const ITEM_MAX_BYTES: usize = 390_000;

/// How deep a stored document may nest; DynamoDB allows 32 levels.
const NESTING_MAX_LEVELS: usize = 30;

/// Attribute names.
pub mod name {
    #![allow(
        missing_docs,
        reason = "each constant is its own text; the tables' shapes are described in `aws::tables`"
    )]
    pub const CLAIM_KEY: &str = "claim_key";
    pub const GENERATION: &str = "generation";
    pub const STATUS: &str = "status";
    pub const TOKEN: &str = "token";
    pub const ATTEMPTS: &str = "attempts";
    pub const CYCLE: &str = "cycle";
    pub const LEASE_EXPIRES_AT: &str = "lease_expires_at";
    pub const FIRST_CLAIMED_AT: &str = "first_claimed_at";
    pub const CLAIMED_AT: &str = "claimed_at";
    pub const FINISHED_AT: &str = "finished_at";
    pub const SEQUENCER: &str = "sequencer";
    pub const EVENT_TIME: &str = "event_time";
    pub const CONTENT_HASH: &str = "content_hash";
    pub const REASON: &str = "reason";
    pub const REASON_DETAIL: &str = "reason_detail";
    pub const FAILURES: &str = "failures";
    pub const NOT_FOUND_SINCE: &str = "not_found_since";
    pub const ENVELOPE: &str = "envelope";
    pub const FOUND: &str = "found";
    pub const PURPOSE: &str = "purpose";
    pub const JOB_ID: &str = "job_id";
    pub const WAITS: &str = "waits";
    pub const OPEN_KIND: &str = "open_kind";
    pub const OPENED_AT: &str = "opened_at";
    pub const EXPIRES_AT: &str = "expires_at";
    pub const KIND: &str = "kind";
    pub const SCHEMA_VERSION: &str = "schema_version";
    pub const DOCUMENT: &str = "document";
    pub const CONFIDENCE: &str = "confidence";
    pub const BUCKET: &str = "bucket";
    pub const OBJECT_KEY: &str = "object_key";
    pub const VERSION_ID: &str = "version_id";
    pub const ETAG: &str = "etag";
    pub const COMMITTED_AT: &str = "committed_at";
    pub const EXTRACTOR: &str = "extractor";
    pub const STATE: &str = "state";
    pub const FILED_UNDER: &str = "filed_under";
    pub const FILING_ORDER: &str = "filing_order";
    pub const WAS_FILED_UNDER: &str = "was_filed_under";
    pub const WAS_FILING_ORDER: &str = "was_filing_order";
    pub const DOCUMENT_KEY: &str = "document_key";
    pub const ORDER: &str = "order";
    pub const REVISION: &str = "revision";
    pub const EFFECT_ID: &str = "effect_id";
    pub const OPERATION: &str = "operation";
    pub const RECEIVER: &str = "receiver";
    pub const PAYLOAD: &str = "payload";
    pub const RECORDED_AT: &str = "recorded_at";
    pub const UNSENT_KIND: &str = "unsent_kind";
}

/// Stored purpose of a claim that was opened to ask a person; no other purpose is stored.
pub const PURPOSE_ASK_PERSON: &str = "ask_person";
/// Stored state of an active pointer.
pub const STATE_ACTIVE: &str = "active";
/// Stored state of a pointer whose key has nothing current.
pub const STATE_REMOVED: &str = "removed";
/// Stored order of a pointer set by a sequencer.
pub const ORDER_ORDERED: &str = "ordered";
/// Stored order of a pointer set by what the store said.
pub const ORDER_LISTED: &str = "listed";
/// Stored state of a commit.
pub const STATE_POSTED: &str = "posted";
/// Stored state of a person's rejection.
pub const STATE_REJECTED: &str = "rejected";
/// Stored state of an intent nobody has acted on.
pub const STATE_PENDING: &str = "pending";

/// A stored item that does not say what it must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("attribute `{attribute}` {problem}")]
pub struct ItemError {
    /// Which attribute.
    pub attribute: &'static str,
    /// What is wrong.
    pub problem: &'static str,
}

/// A string.
pub fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// A number, from anything whose text is one.
pub fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// JSON to an attribute. A number is kept exactly, as far as a decimal holds it (28 digits, fewer than DynamoDB's
/// 38); one that would be rounded, and a list or an object nested too deep, is kept as text.
pub fn from_json(value: &Value) -> AttributeValue {
    from_json_at(value, 0)
}

fn from_json_at(value: &Value, depth: usize) -> AttributeValue {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= NESTING_MAX_LEVELS => text(value.to_string()),
        Value::Null => AttributeValue::Null(true),
        Value::Bool(flag) => AttributeValue::Bool(*flag),
        Value::Number(exact) => {
            let exact = exact.to_string();
            exact_decimal(&exact).map_or_else(|| text(exact), number)
        }
        Value::String(string) => text(string),
        Value::Array(values) => {
            AttributeValue::L(values.iter().map(|value| from_json_at(value, depth + 1)).collect())
        }
        Value::Object(members) => AttributeValue::M(
            members.iter().map(|(name, value)| (name.clone(), from_json_at(value, depth + 1))).collect(),
        ),
    }
}

/// A decimal of exactly this value. Where there is an exponent the digits before it are read twice, since the
/// parser that takes one rounds them silently.
fn exact_decimal(written: &str) -> Option<Decimal> {
    let Some((digits, _exponent)) = written.split_once(['e', 'E']) else {
        return Decimal::from_str_exact(written).ok();
    };
    Decimal::from_str_exact(digits).ok()?;
    Decimal::from_scientific(written).ok()
}

/// An attribute to JSON; `None` for the kinds this project never writes (sets, binary).
pub fn to_json(attribute: &AttributeValue) -> Option<Value> {
    Some(match attribute {
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::Bool(flag) => Value::Bool(*flag),
        AttributeValue::N(exact) => Value::Number(exact.parse().ok()?),
        AttributeValue::S(string) => Value::String(string.clone()),
        AttributeValue::L(values) => Value::Array(values.iter().map(to_json).collect::<Option<_>>()?),
        AttributeValue::M(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| Some((name.clone(), to_json(value)?)))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    })
}

/// One text for one value, whatever order its members came in: for comparing and for digests.
pub fn canonical_text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(string) => Value::String(string.clone()).to_string(),
        AttributeValue::N(digits) => digits.clone(),
        AttributeValue::L(values) => {
            format!("[{}]", values.iter().map(canonical_text).collect::<Vec<_>>().join(","))
        }
        AttributeValue::M(members) => canonical_item(members),
        other => format!("{other:?}"),
    }
}

/// One text for one item.
pub fn canonical_item(item: &Item) -> String {
    // Names are quoted as texts are, so that no name can pass for the frame around it.
    let quoted = |name: &String| Value::String(name.clone());
    let mut members: Vec<_> =
        item.iter().map(|(name, value)| format!("{}:{}", quoted(name), canonical_text(value))).collect();
    members.sort();
    format!("{{{}}}", members.join(","))
}

/// The size of an item as DynamoDB counts it, closely enough to stay under its limit.
/// Source: "DynamoDB item sizes and formats", DynamoDB developer guide.
pub fn size_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size_bytes(value)).sum()
}

fn value_size_bytes(value: &AttributeValue) -> usize {
    const NESTED_OVERHEAD_BYTES: usize = 3;
    match value {
        AttributeValue::S(string) => string.len(),
        AttributeValue::N(digits) => digits.len() / 2 + 2,
        AttributeValue::L(values) => {
            NESTED_OVERHEAD_BYTES + values.iter().map(|value| 1 + value_size_bytes(value)).sum::<usize>()
        }
        AttributeValue::M(members) => NESTED_OVERHEAD_BYTES + members.len() + size_bytes(members),
        _ => 1,
    }
}

/// Reads attributes of one item.
struct Reader<'a>(&'a Item);

impl<'a> Reader<'a> {
    fn optional_text(&self, attribute: &'static str) -> Result<Option<&'a str>, ItemError> {
        match self.0.get(attribute) {
            None | Some(AttributeValue::Null(_)) => Ok(None),
            Some(AttributeValue::S(string)) => Ok(Some(string)),
            Some(_) => Err(ItemError { attribute, problem: "is not a string" }),
        }
    }

    fn text(&self, attribute: &'static str) -> Result<&'a str, ItemError> {
        self.optional_text(attribute)?.ok_or(ItemError { attribute, problem: "is missing" })
    }

    fn optional_number<N: std::str::FromStr>(&self, attribute: &'static str) -> Result<Option<N>, ItemError> {
        match self.0.get(attribute) {
            None | Some(AttributeValue::Null(_)) => Ok(None),
            Some(AttributeValue::N(digits)) => {
                let read =
                    digits.parse().map_err(|_| ItemError { attribute, problem: "is not such a number" })?;
                Ok(Some(read))
            }
            Some(_) => Err(ItemError { attribute, problem: "is not a number" }),
        }
    }

    fn number<N: std::str::FromStr>(&self, attribute: &'static str) -> Result<N, ItemError> {
        self.optional_number(attribute)?.ok_or(ItemError { attribute, problem: "is missing" })
    }

    fn optional_json(&self, attribute: &'static str) -> Result<Option<Value>, ItemError> {
        self.0
            .get(attribute)
            .map(|value| to_json(value).ok_or(ItemError { attribute, problem: "is of a foreign kind" }))
            .transpose()
    }

    fn parsed<T>(&self, attribute: &'static str, parse: impl Fn(&str) -> Option<T>) -> Result<T, ItemError> {
        parse(self.text(attribute)?).ok_or(ItemError { attribute, problem: "holds an unknown value" })
    }

    fn optional_parsed<T>(
        &self,
        attribute: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ItemError> {
        self.optional_text(attribute)?
            .map(|raw| parse(raw).ok_or(ItemError { attribute, problem: "holds an unknown value" }))
            .transpose()
    }

    fn generation(&self) -> Result<Generation, ItemError> {
        Generation::new(self.number(name::GENERATION)?)
            .ok_or(ItemError { attribute: name::GENERATION, problem: "is zero" })
    }
}

/// The key of a claim.
pub fn claim_key(key: &ClaimKey, generation: Generation) -> Item {
    HashMap::from([
        (name::CLAIM_KEY.into(), text(key.as_str())),
        (name::GENERATION.into(), number(generation)),
    ])
}

/// The claim that a first attempt puts.
pub fn new_claim(request: &ClaimRequest) -> Item {
    let mut item = claim_key(&request.key, request.generation);
    item.extend([
        (name::STATUS.into(), text(STATUS_IN_PROGRESS)),
        (name::TOKEN.into(), text(&request.token.0)),
        (name::ATTEMPTS.into(), number(1)),
        (name::CYCLE.into(), number(0)),
        (name::LEASE_EXPIRES_AT.into(), number(request.lease_expires_at.0)),
        (name::FIRST_CLAIMED_AT.into(), number(request.now.0)),
        (name::CLAIMED_AT.into(), number(request.now.0)),
    ]);
    let optional = [
        (name::SEQUENCER, request.sequencer.as_ref().map(|sequencer| sequencer.as_str().to_owned())),
        (name::EVENT_TIME, request.event_time.clone()),
    ];
    item.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), text(value?)))));
    item
}

/// Failures as a list attribute.
pub fn failures(failures: &[Failure]) -> AttributeValue {
    AttributeValue::L(
        failures
            .iter()
            .map(|failure| {
                AttributeValue::M(HashMap::from([
                    ("at".into(), number(failure.at.0)),
                    ("attempt".into(), number(failure.attempt)),
                    ("kind".into(), text(&failure.kind)),
                    ("message".into(), text(&failure.message)),
                ]))
            })
            .collect(),
    )
}

fn read_failures(item: &Item) -> Result<Vec<Failure>, ItemError> {
    let wrong = |problem| ItemError { attribute: name::FAILURES, problem };
    match item.get(name::FAILURES) {
        None => Ok(Vec::new()),
        Some(AttributeValue::L(values)) => values
            .iter()
            .map(|value| {
                let AttributeValue::M(members) = value else { return Err(wrong("holds something else")) };
                let reader = Reader(members);
                let unreadable = |_| wrong("holds an unreadable entry");
                let number = |name| reader.number(name).map_err(unreadable);
                Ok(Failure {
                    at: EpochMs(number("at")?),
                    attempt: reader.number("attempt").map_err(unreadable)?,
                    kind: reader.text("kind").map_err(unreadable)?.to_owned(),
                    message: reader.text("message").map_err(unreadable)?.to_owned(),
                })
            })
            .collect(),
        Some(_) => Err(wrong("is not a list")),
    }
}

/// Reads a claim.
pub fn read_claim(item: &Item) -> Result<ClaimRecord, ItemError> {
    let reader = Reader(item);
    let key = reader.parsed(name::CLAIM_KEY, |raw| ClaimKey::parse(raw).map(|(key, _)| key))?;
    let state = match reader.text(name::STATUS)? {
        STATUS_IN_PROGRESS => {
            ClaimState::InProgress { lease_expires_at: EpochMs(reader.number(name::LEASE_EXPIRES_AT)?) }
        }
        finished => {
            let status = FinishedStatus::parse(finished)
                .ok_or(ItemError { attribute: name::STATUS, problem: "holds an unknown value" })?;
            let reason = reader.optional_text(name::REASON)?;
            let detail = reader.optional_text(name::REASON_DETAIL)?.unwrap_or_default();
            ClaimState::Finished(Receipt {
                status,
                finished_at: EpochMs(reader.number(name::FINISHED_AT)?),
                content_hash: reader.optional_parsed(name::CONTENT_HASH, ContentHash::parse)?,
                reason: reason.map(|code| Reason::new(code, detail)),
            })
        }
    };
    Ok(ClaimRecord {
        key,
        generation: reader.generation()?,
        state,
        token: FencingToken(reader.text(name::TOKEN)?.to_owned()),
        attempts: reader.number(name::ATTEMPTS)?,
        cycle: reader.number(name::CYCLE)?,
        first_claimed_at: EpochMs(reader.number(name::FIRST_CLAIMED_AT)?),
        claimed_at: EpochMs(reader.number(name::CLAIMED_AT)?),
        sequencer: reader.optional_parsed(name::SEQUENCER, Sequencer::new)?,
        event_time: reader.optional_text(name::EVENT_TIME)?.map(str::to_owned),
        not_found_since: reader.optional_number(name::NOT_FOUND_SINCE)?.map(EpochMs),
        failures: read_failures(item)?,
        envelope: reader.optional_text(name::ENVELOPE)?.map(str::to_owned),
        found: reader.optional_json(name::FOUND)?,
        purpose: reader
            .optional_parsed(name::PURPOSE, |raw| (raw == PURPOSE_ASK_PERSON).then_some(Purpose::AskPerson))?
            .unwrap_or(Purpose::Process),
        waits: Waits {
            job_id: reader.optional_text(name::JOB_ID)?.map(str::to_owned),
            count: reader.optional_number(name::WAITS)?.unwrap_or(0),
        },
    })
}

/// The key of a commit.
pub fn commit_key(content: ContentHash, generation: Generation) -> Item {
    HashMap::from([
        (name::CONTENT_HASH.into(), text(content.to_string())),
        (name::GENERATION.into(), number(generation)),
    ])
}

/// A commit. A document that cannot be serialised is a fault of its type and said as such.
pub fn commit<D: Posted>(row: &CommitRow<D>) -> Result<Item, ItemError> {
    let document = serde_json::to_value(&row.document)
        .map_err(|_| ItemError { attribute: name::DOCUMENT, problem: "cannot be serialised" })?;
    let filing = row.filing();
    let mut item = Item::new();
    // What a document kind adds comes first, so that it can never replace an attribute of the protocol.
    for (name, value) in row.document.indexed() {
        let value = match value {
            Indexed::Text(string) => text(string),
            Indexed::Number(decimal) => number(decimal),
        };
        item.insert(name.to_owned(), value);
    }
    item.extend(commit_key(row.content_hash, row.generation));
    item.extend([
        (name::STATE.into(), text(STATE_POSTED)),
        (name::KIND.into(), text(D::KIND)),
        (name::SCHEMA_VERSION.into(), number(D::SCHEMA_VERSION)),
        (name::DOCUMENT.into(), from_json(&document)),
        (name::CONFIDENCE.into(), number(row.document.confidence())),
        (name::FILED_UNDER.into(), text(filing.under)),
        (name::FILING_ORDER.into(), text(filing.order)),
        (name::BUCKET.into(), text(&row.source.bucket)),
        (name::OBJECT_KEY.into(), text(&row.source.key)),
        (name::VERSION_ID.into(), text(row.source.version_id.as_str())),
        (name::ETAG.into(), text(row.source.etag.as_str())),
        (name::COMMITTED_AT.into(), number(row.committed_at.0)),
        (name::EXTRACTOR.into(), text(&row.extractor)),
    ]);
    Ok(item)
}

/// Reads a commit of this kind of document.
pub fn read_commit<D: Posted>(item: &Item) -> Result<CommitRow<D>, ItemError> {
    let reader = Reader(item);
    let document = reader
        .optional_json(name::DOCUMENT)?
        .ok_or(ItemError { attribute: name::DOCUMENT, problem: "is missing" })?;
    Ok(CommitRow {
        content_hash: reader.parsed(name::CONTENT_HASH, ContentHash::parse)?,
        generation: reader.generation()?,
        // Read through its text: a JSON value offers an integer beyond 64 bits as one of 128, which a decimal does
        // not take.
        document: serde_json::from_str(&document.to_string()).map_err(|_| ItemError {
            attribute: name::DOCUMENT,
            problem: "is not of this kind of document",
        })?,
        source: ObjectVersion {
            bucket: reader.text(name::BUCKET)?.to_owned(),
            key: reader.text(name::OBJECT_KEY)?.to_owned(),
            version_id: VersionId::from_optional(reader.optional_text(name::VERSION_ID)?),
            etag: ETag::new(reader.text(name::ETAG)?),
        },
        committed_at: EpochMs(reader.number(name::COMMITTED_AT)?),
        extractor: reader.text(name::EXTRACTOR)?.to_owned(),
    })
}

/// The attributes that [`read_known`] needs, for a projection.
pub const KNOWN_ATTRIBUTES: [&str; 3] = [name::STATE, name::FILED_UNDER, name::FILING_ORDER];

/// Reads what decides of a commit.
pub fn read_known(item: &Item) -> Result<KnownContent, ItemError> {
    let reader = Reader(item);
    let state = reader.parsed(name::STATE, |raw| match raw {
        STATE_POSTED => Some(RowState::Posted),
        STATE_REJECTED => Some(RowState::Rejected),
        _ => None,
    })?;
    // A rejection is filed under nothing.
    let filing = Filing {
        under: reader.optional_text(name::FILED_UNDER)?.unwrap_or_default().to_owned(),
        order: reader.optional_text(name::FILING_ORDER)?.unwrap_or_default().to_owned(),
    };
    Ok(KnownContent { filing, state })
}

/// The key of a pointer.
pub fn pointer_key(key: &DocumentKey) -> Item {
    HashMap::from([(name::DOCUMENT_KEY.into(), text(key.as_str()))])
}

/// The stored text of an order.
pub fn order_text(order: Order) -> &'static str {
    match order {
        Order::Ordered => ORDER_ORDERED,
        Order::Listed => ORDER_LISTED,
    }
}

/// The attributes that say what a pointer names. Only an active pointer stands in the index by what its
/// document is filed under; a removed one remembers it under other names.
pub fn named(names: &Named, state: PointerState) -> Vec<(&'static str, AttributeValue)> {
    let (under, order) = match state {
        PointerState::Active => (name::FILED_UNDER, name::FILING_ORDER),
        PointerState::Removed => (name::WAS_FILED_UNDER, name::WAS_FILING_ORDER),
    };
    vec![
        (name::VERSION_ID, text(names.version_id.as_str())),
        (name::ETAG, text(names.etag.as_str())),
        (name::CONTENT_HASH, text(names.content_hash.to_string())),
        (name::GENERATION, number(names.generation)),
        (under, text(&names.filing.under)),
        (order, text(&names.filing.order)),
    ]
}

/// A whole pointer, as it is written after a read.
pub fn pointer(key: &DocumentKey, write: &PointerWrite) -> Item {
    let mut item = pointer_key(key);
    let state = match write.state {
        PointerState::Active => STATE_ACTIVE,
        PointerState::Removed => STATE_REMOVED,
    };
    item.insert(name::STATE.into(), text(state));
    item.insert(name::ORDER.into(), text(order_text(write.order)));
    item.insert(name::REVISION.into(), number(write.read_revision.saturating_add(1)));
    if let Some(sequencer) = &write.sequencer {
        item.insert(name::SEQUENCER.into(), text(sequencer.as_str()));
    }
    if let Some(names) = &write.names {
        item.extend(named(names, write.state).into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    item
}

/// Reads a pointer.
pub fn read_pointer(item: &Item) -> Result<Pointer, ItemError> {
    let reader = Reader(item);
    let state = reader.parsed(name::STATE, |raw| match raw {
        STATE_ACTIVE => Some(PointerState::Active),
        STATE_REMOVED => Some(PointerState::Removed),
        _ => None,
    })?;
    let (under, order) = match state {
        PointerState::Active => (name::FILED_UNDER, name::FILING_ORDER),
        PointerState::Removed => (name::WAS_FILED_UNDER, name::WAS_FILING_ORDER),
    };
    let names = match reader.optional_parsed(name::CONTENT_HASH, ContentHash::parse)? {
        None => None,
        Some(content_hash) => Some(Named {
            version_id: VersionId::from_optional(reader.optional_text(name::VERSION_ID)?),
            etag: ETag::new(reader.text(name::ETAG)?),
            content_hash,
            generation: reader.generation()?,
            filing: Filing { under: reader.text(under)?.to_owned(), order: reader.text(order)?.to_owned() },
        }),
    };
    Ok(Pointer {
        key: reader.parsed(name::DOCUMENT_KEY, DocumentKey::parse)?,
        names,
        sequencer: reader.optional_parsed(name::SEQUENCER, Sequencer::new)?,
        order: reader.parsed(name::ORDER, |raw| match raw {
            ORDER_ORDERED => Some(Order::Ordered),
            ORDER_LISTED => Some(Order::Listed),
            _ => None,
        })?,
        state,
        revision: reader.number(name::REVISION)?,
    })
}

/// An intent nobody has acted on.
pub fn intent(intent: &Intent) -> Item {
    HashMap::from([
        (name::EFFECT_ID.into(), text(intent.id.as_str())),
        (name::OPERATION.into(), text(intent.operation.as_str())),
        (name::RECEIVER.into(), text(&intent.receiver)),
        (name::STATE.into(), text(STATE_PENDING)),
        (name::PAYLOAD.into(), from_json(&intent.payload)),
        (name::ATTEMPTS.into(), number(0)),
        (name::RECORDED_AT.into(), number(intent.recorded_at.0)),
        (name::UNSENT_KIND.into(), text(intent.operation.as_str())),
    ])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aws_sdk_dynamodb::primitives::Blob;
    use proptest::collection::{hash_map, vec};
    use proptest::option;
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};
    use serde_json::{Map, json};

    use super::*;
    use crate::effect::{EffectId, Operation};
    use crate::event::{Origin, Request};
    use crate::posting::tests::Note;
    use crate::posting::{Confidence, Fault};

    /// A number as sign, digits without outer zeros and a power of ten: one form for one value.
    fn exact(written: &str) -> (bool, String, i64) {
        let (negative, rest) = written.strip_prefix('-').map_or((false, written), |rest| (true, rest));
        let lower = rest.to_ascii_lowercase();
        let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{part}");
        let stripped = all.trim_end_matches('0');
        let digits = stripped.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return (false, digits, 0);
        }
        let exponent: i64 = exponent.parse().unwrap();
        let places = |text: &str| i64::try_from(text.len()).unwrap();
        (negative, digits, exponent - places(part) + places(&all) - places(stripped))
    }

    /// An item as DynamoDB gives it back: numbers come without outer zeros.
    fn stored(item: &Item) -> Item {
        item.iter().map(|(name, value)| (name.clone(), stored_value(value))).collect()
    }

    fn stored_value(value: &AttributeValue) -> AttributeValue {
        match value {
            AttributeValue::N(digits) if digits.contains('.') => {
                AttributeValue::N(digits.trim_end_matches('0').trim_end_matches('.').to_owned())
            }
            AttributeValue::L(values) => AttributeValue::L(values.iter().map(stored_value).collect()),
            AttributeValue::M(members) => AttributeValue::M(stored(members)),
            other => other.clone(),
        }
    }

    /// Whether `back` is what a document may find in place of `original`: the same, except that a number may be
    /// spelled otherwise, or be a text of the same spelling where no decimal holds it.
    fn is_kept(original: &Value, back: &Value) -> bool {
        match (original, back) {
            (Value::Number(original), Value::Number(back)) => {
                exact(&original.to_string()) == exact(&back.to_string())
            }
            (Value::Number(original), Value::String(back)) => original.to_string() == *back,
            (Value::Array(original), Value::Array(back)) => {
                original.len() == back.len()
                    && original.iter().zip(back).all(|(original, back)| is_kept(original, back))
            }
            (Value::Object(original), Value::Object(back)) => {
                original.len() == back.len()
                    && original
                        .iter()
                        .all(|(name, value)| back.get(name).is_some_and(|back| is_kept(value, back)))
            }
            _ => original == back,
        }
    }

    fn json_number(written: &str) -> Value {
        serde_json::from_str(written).unwrap()
    }

    #[test]
    fn a_number_is_kept_exactly_or_as_text() {
        let n = |digits: &str| AttributeValue::N(digits.to_owned());
        let table = [
            ("0", n("0")),
            ("7", n("7")),
            ("-7", n("-7")),
            ("2500.00", n("2500.00")),
            ("-0.05", n("-0.05")),
            ("0.1", n("0.1")),
            ("1e3", n("1000")),
            ("1E3", n("1000")),
            ("1.5e+3", n("1500")),
            ("-1.5e-3", n("-0.0015")),
            ("1.50e1", n("15.0")),
            // 28 digits are held, wherever the point stands.
            ("1234567890123456789012345678", n("1234567890123456789012345678")),
            ("-12345678901234.56789012345678", n("-12345678901234.56789012345678")),
            ("0.1234567890123456789012345678", n("0.1234567890123456789012345678")),
            ("1e28", n("10000000000000000000000000000")),
            ("1e-28", n("0.0000000000000000000000000001")),
            // 96 bits hold some numbers of 29 digits.
            ("79228162514264337593543950335", n("79228162514264337593543950335")),
            ("79228162514264337593543950336", text("79228162514264337593543950336")),
            ("0.12345678901234567890123456789", text("0.12345678901234567890123456789")),
            ("1234567890123456789012345678.12", text("1234567890123456789012345678.12")),
            // DynamoDB would hold 38 digits, a decimal does not.
            ("12345678901234567890123456789012345678", text("12345678901234567890123456789012345678")),
            ("0.12345678901234567890123456789012345678", text("0.12345678901234567890123456789012345678")),
            ("1.2345678901234567890123456789012345678e2", text("1.2345678901234567890123456789012345678e2")),
            ("1e-29", text("1e-29")),
            ("1.5e-28", text("1.5e-28")),
            ("8e28", text("8e28")),
            ("1e400", text("1e400")),
            ("-1e-400", text("-1e-400")),
        ];
        for (written, expected) in table {
            let kept = from_json(&json_number(written));
            // The spelling of an exponent is serde_json's, so the value is compared where it is text.
            match (&kept, &expected) {
                (AttributeValue::S(kept), AttributeValue::S(expected)) => {
                    assert_eq!(exact(kept), exact(expected), "{written}");
                }
                _ => assert_eq!(kept, expected, "{written}"),
            }
        }
    }

    #[test]
    fn json_and_attributes_stand_for_each_other() {
        let m = |members: &[(&str, AttributeValue)]| {
            AttributeValue::M(
                members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            )
        };
        let table = [
            (json!(null), AttributeValue::Null(true)),
            (json!(true), AttributeValue::Bool(true)),
            (json!(false), AttributeValue::Bool(false)),
            (json!(""), text("")),
            (json!("12"), text("12")),
            (json!("ü\u{0}\"\u{1f3e0}"), text("ü\u{0}\"\u{1f3e0}")),
            (json!([]), AttributeValue::L(vec![])),
            (json!({}), m(&[])),
            (
                json!([null, "", [1]]),
                AttributeValue::L(vec![
                    AttributeValue::Null(true),
                    text(""),
                    AttributeValue::L(vec![number(1)]),
                ]),
            ),
            (json!({"": "", "ü": {"a": -1}}), m(&[("", text("")), ("ü", m(&[("a", number(-1))]))])),
        ];
        for (value, attribute) in table {
            assert_eq!(from_json(&value), attribute, "{value}");
            assert_eq!(to_json(&attribute), Some(value));
        }
    }

    #[test]
    fn an_attribute_that_is_never_written_is_no_json() {
        let foreign = || AttributeValue::B(Blob::new("x"));
        let n = |digits: &str| AttributeValue::N(digits.to_owned());
        let many = "12345678901234567890123456789012345678";
        let table = [
            (foreign(), None),
            (AttributeValue::Ss(vec!["a".into()]), None),
            (AttributeValue::Ns(vec!["1".into()]), None),
            (AttributeValue::Bs(vec![Blob::new("x")]), None),
            (AttributeValue::L(vec![text("a"), foreign()]), None),
            (AttributeValue::M(HashMap::from([("a".into(), foreign())])), None),
            (n(""), None),
            (n("NaN"), None),
            (n("1,5"), None),
            // Null has one value, whatever its flag says.
            (AttributeValue::Null(false), Some(json!(null))),
            (n(many), Some(json_number(many))),
            (n("-0.5"), Some(json_number("-0.5"))),
        ];
        for (attribute, expected) in table {
            assert_eq!(to_json(&attribute), expected, "{attribute:?}");
        }
    }

    fn in_lists(levels: usize, inner: Value) -> Value {
        (0..levels).fold(inner, |inner, _| json!([inner]))
    }

    fn in_objects(levels: usize, inner: Value) -> Value {
        (0..levels).fold(inner, |inner, _| json!({ "a": inner }))
    }

    /// How many lists and maps lie around each other.
    fn levels(value: &AttributeValue) -> usize {
        match value {
            AttributeValue::L(values) => 1 + values.iter().map(levels).max().unwrap_or(0),
            AttributeValue::M(members) => 1 + members.values().map(levels).max().unwrap_or(0),
            _ => 0,
        }
    }

    #[test]
    fn what_nests_too_deep_is_kept_as_text() {
        let inner = || json!({ "s": "x", "n": 1.5, "t": null });
        let table = [
            // how many levels, what comes back
            (in_lists(29, json!("x")), in_lists(29, json!("x"))),
            (in_lists(30, json!("x")), in_lists(30, json!("x"))),
            (in_lists(31, json!("x")), in_lists(30, json!("[\"x\"]"))),
            (in_lists(33, json!(7)), in_lists(30, json!("[[[7]]]"))),
            (in_lists(30, json!([])), in_lists(30, json!("[]"))),
            (in_lists(30, json!({})), in_lists(30, json!("{}"))),
            (in_lists(30, json!(null)), in_lists(30, json!(null))),
            (in_objects(30, json!(false)), in_objects(30, json!(false))),
            (in_objects(31, json!("")), in_objects(30, json!("{\"a\":\"\"}"))),
            (in_lists(29, inner()), in_lists(29, inner())),
            (in_lists(30, inner()), in_lists(30, json!(inner().to_string()))),
            (in_objects(100, json!(1)), in_objects(30, json!(in_objects(70, json!(1)).to_string()))),
        ];
        for (value, expected) in table {
            let attribute = from_json(&value);
            assert!(levels(&attribute) <= NESTING_MAX_LEVELS, "{value}");
            assert_eq!(to_json(&attribute), Some(expected), "{value}");
        }
    }

    #[test]
    fn an_items_size_is_counted_with_its_names_and_its_nesting() {
        let m = |members: Vec<(&str, AttributeValue)>| -> Item {
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        };
        let l = AttributeValue::L;
        let table = [
            (m(vec![]), 0),
            (m(vec![("name", text(""))]), 4),
            (m(vec![("name", text("abc"))]), 7),
            (m(vec![("ü", text("ü"))]), 4),
            (m(vec![("a", AttributeValue::Null(true))]), 2),
            (m(vec![("a", AttributeValue::Bool(true))]), 2),
            (m(vec![("a", number(1))]), 3),
            (m(vec![("a", number("1234567890"))]), 8),
            (m(vec![("a", text("b")), ("cd", text("ef"))]), 6),
            (m(vec![("a", l(vec![]))]), 4),
            (m(vec![("a", l(vec![text("bc"), text("")]))]), 8),
            (m(vec![("a", l(vec![l(vec![])]))]), 8),
            (m(vec![("a", AttributeValue::M(m(vec![])))]), 4),
            (m(vec![("a", AttributeValue::M(m(vec![("bc", text("def"))])))]), 10),
        ];
        for (item, expected) in table {
            assert_eq!(size_bytes(&item), expected, "{item:?}");
        }
    }

    fn numbers() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?(0|[1-9][0-9]{0,27})",
            r"-?(0|[1-9][0-9]{0,13})\.[0-9]{1,14}",
            r"-?0\.[0-9]{1,28}",
            r"-?(0|[1-9][0-9]{0,37})(\.[0-9]{1,38})?",
            r"-?(0|[1-9][0-9]{0,5})(\.[0-9]{1,6})?[eE][-+]?[0-9]{1,2}",
            r"-?[1-9]\.[0-9]{20,30}[eE][-+]?[0-9]{1,3}",
        ]
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![Just(String::new()), any::<String>(), "[a-z]{1,8}", "[0-9]{1,5}"]
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            texts().prop_map(Value::from),
            numbers().prop_map(|written| json_number(&written)),
        ];
        leaf.prop_recursive(5, 32, 5, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..5).prop_map(Value::from),
                hash_map(texts(), inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    /// Bytes of all strings and names of a JSON value, how many strings, and how many lists and objects.
    fn weight(value: &Value) -> (usize, usize) {
        match value {
            Value::String(string) => (string.len(), 0),
            Value::Array(values) => {
                values.iter().map(weight).fold((0, 1), |sum, more| (sum.0 + more.0 + 1, sum.1 + more.1))
            }
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (name, weight(value)))
                .fold((0, 1), |sum, (name, more)| (sum.0 + name.len() + more.0 + 1, sum.1 + more.1)),
            _ => (0, 0),
        }
    }

    proptest! {
        #[test]
        fn no_number_is_ever_rounded(written in numbers()) {
            let value = json_number(&written);
            match from_json(&value) {
                AttributeValue::N(kept) => {
                    prop_assert_eq!(exact(&kept), exact(&written));
                    prop_assert!(!kept.contains(['e', 'E']), "{} is a plain number", kept);
                }
                AttributeValue::S(kept) => {
                    prop_assert_eq!(kept, value.to_string());
                    // What fits 28 digits on both sides of the point is never text.
                    let (_, digits, exponent) = exact(&written);
                    let places = i64::try_from(digits.len()).unwrap();
                    let spelled = written.chars().filter(char::is_ascii_digit).count();
                    let fits = spelled <= 28 && exponent >= -28 && places + exponent.max(0) <= 28;
                    prop_assert!(!fits || written.contains(['e', 'E']), "{} would fit", written);
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn json_comes_back_as_it_was(value in values()) {
            let attribute = from_json(&value);
            let back = to_json(&stored_value(&attribute)).unwrap();
            prop_assert!(is_kept(&value, &back), "{} became {}", value, back);
            // What came back once stays as it is.
            prop_assert!(is_kept(&back, &to_json(&from_json(&back)).unwrap()));
        }

        #[test]
        fn a_size_is_never_below_that_of_the_texts(name in texts(), value in values()) {
            let item = Item::from([(name.clone(), from_json(&value))]);
            let (bytes, containers) = weight(&value);
            prop_assert!(size_bytes(&item) >= name.len() + bytes + 3 * containers);
            // Once more around costs at least the frame of a list and of its entry.
            let wrapped = Item::from([(name, AttributeValue::L(vec![from_json(&value)]))]);
            prop_assert_eq!(size_bytes(&wrapped), size_bytes(&item) + 4);
        }

        #[test]
        fn a_size_is_about_that_of_the_json(texts in vec("[a-z ]{0,40}", 0..20)) {
            let quotes = 2 * texts.len();
            let value = json!(texts);
            let size = size_bytes(&Item::from([("a".to_owned(), from_json(&value))]));
            prop_assert!(size + quotes >= value.to_string().len(), "{} for {}", size, value);
        }

        #[test]
        fn one_item_has_one_text_whatever_the_order(
            members in hash_map("[a-c:,{}\"\\\\]{0,3}", values(), 0..6),
        ) {
            let forwards: Vec<_> =
                members.into_iter().map(|(name, value)| (name, from_json(&value))).collect();
            let item: Item = forwards.iter().cloned().collect();
            let again: Item = forwards.into_iter().rev().collect();
            prop_assert_eq!(canonical_item(&item), canonical_item(&again));
            let (left, right) = (AttributeValue::M(item), AttributeValue::M(again));
            prop_assert_eq!(canonical_text(&left), canonical_text(&right));
        }

        #[test]
        fn two_items_never_share_a_text(left in odd_items(), right in odd_items()) {
            prop_assert_eq!(canonical_item(&left) == canonical_item(&right), left == right);
        }
    }

    /// Items whose names and texts look like the frame around them.
    fn odd_items() -> impl Strategy<Value = Item> {
        let leaf = prop_oneof![
            "[a:,]{0,3}".prop_map(AttributeValue::S),
            "[12]".prop_map(AttributeValue::N),
            any::<bool>().prop_map(AttributeValue::Bool),
            Just(AttributeValue::Null(true)),
        ];
        let value = leaf.prop_recursive(2, 4, 2, |inner| vec(inner, 0..3).prop_map(AttributeValue::L));
        hash_map("(a|b|a:1,b|[a:,]{1,2})", value, 0..3)
    }

    #[test]
    fn a_name_cannot_pass_for_two() {
        let table = [
            (vec![("a", number(1)), ("b", number(2))], vec![("a:1,b", number(2))]),
            (vec![("a", text("b"))], vec![("a", number("b"))]),
            (vec![("a", number(1))], vec![("a", text("1"))]),
            (vec![("a", text("true"))], vec![("a", AttributeValue::Bool(true))]),
            (vec![("a", AttributeValue::L(vec![]))], vec![("a", AttributeValue::M(Item::new()))]),
        ];
        let item = |members: Vec<(&str, AttributeValue)>| -> Item {
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        };
        for (left, right) in table {
            let (left, right) = (item(left), item(right));
            assert_ne!(canonical_item(&left), canonical_item(&right), "{left:?}");
        }
    }

    fn versions() -> impl Strategy<Value = ObjectVersion> {
        let id = option::of("[A-Za-z0-9._]{1,12}");
        let tag = prop_oneof![Just(String::new()), "[a-f0-9]{8}(-[1-9])?"];
        ("[a-z0-9.-]{3,8}", "[a-zü@#/. ]{1,12}", id, tag).prop_map(|(bucket, key, id, tag)| ObjectVersion {
            bucket,
            key,
            version_id: VersionId::from_optional(id.as_deref()),
            etag: ETag::new(&tag),
        })
    }

    fn sequencers() -> impl Strategy<Value = Option<Sequencer>> {
        option::of("[0-9A-F]{1,20}").prop_map(|raw| raw.and_then(|raw| Sequencer::new(&raw)))
    }

    fn generations() -> impl Strategy<Value = Generation> {
        (1..=u32::MAX).prop_filter_map("at least 1", Generation::new)
    }

    fn hashes() -> impl Strategy<Value = ContentHash> {
        any::<[u8; 4]>().prop_map(|bytes| ContentHash::of(&bytes))
    }

    fn times() -> impl Strategy<Value = EpochMs> {
        prop_oneof![Just(0), Just(u64::MAX), any::<u64>()].prop_map(EpochMs)
    }

    fn states() -> impl Strategy<Value = ClaimState> {
        let finished = (
            proptest::sample::select(FinishedStatus::ALL.to_vec()),
            times(),
            option::of(hashes()),
            option::of((texts(), texts())),
        );
        prop_oneof![
            times().prop_map(|lease_expires_at| ClaimState::InProgress { lease_expires_at }),
            finished.prop_map(|(status, finished_at, content_hash, reason)| {
                ClaimState::Finished(Receipt {
                    status,
                    finished_at,
                    content_hash,
                    reason: reason.map(|(code, detail)| Reason::new(code, detail)),
                })
            }),
        ]
    }

    fn failure_lists() -> impl Strategy<Value = Vec<Failure>> {
        let failure = (times(), any::<u32>(), texts(), texts());
        vec(failure.prop_map(|(at, attempt, kind, message)| Failure { at, attempt, kind, message }), 0..4)
    }

    fn claims() -> impl Strategy<Value = ClaimRecord> {
        let named = (versions(), generations(), states(), texts(), any::<u32>(), any::<u32>());
        let timed = (times(), times(), sequencers(), option::of(texts()), option::of(times()));
        let kept = (failure_lists(), option::of(texts()), option::of(values()), any::<bool>());
        let waits = (option::of(texts()), any::<u32>());
        (named, timed, kept, waits).prop_map(|(named, timed, kept, (job_id, count))| {
            let (version, generation, state, token, attempts, cycle) = named;
            let (first_claimed_at, claimed_at, sequencer, event_time, not_found_since) = timed;
            let (failures, envelope, found, ask) = kept;
            ClaimRecord {
                key: ClaimKey::of(&version).unwrap(),
                generation,
                state,
                token: FencingToken(token),
                attempts,
                cycle,
                first_claimed_at,
                claimed_at,
                sequencer,
                event_time,
                not_found_since,
                failures,
                envelope,
                // As it comes back, so that it can be compared.
                found: found.map(|found| to_json(&stored_value(&from_json(&found))).unwrap()),
                purpose: if ask { Purpose::AskPerson } else { Purpose::Process },
                waits: Waits { job_id, count },
            }
        })
    }

    /// A claim's item in any state. In the program it grows by updates; this writes it at once.
    fn claim_item(record: &ClaimRecord) -> Item {
        let mut item = claim_key(&record.key, record.generation);
        item.extend([
            (name::STATUS.into(), text(record.status_text())),
            (name::TOKEN.into(), text(&record.token.0)),
            (name::ATTEMPTS.into(), number(record.attempts)),
            (name::CYCLE.into(), number(record.cycle)),
            (name::FIRST_CLAIMED_AT.into(), number(record.first_claimed_at.0)),
            (name::CLAIMED_AT.into(), number(record.claimed_at.0)),
            (name::FAILURES.into(), failures(&record.failures)),
        ]);
        let mut put = |name: &str, value: Option<AttributeValue>| {
            item.extend(value.map(|value| (name.to_owned(), value)));
        };
        match &record.state {
            ClaimState::InProgress { lease_expires_at } => {
                put(name::LEASE_EXPIRES_AT, Some(number(lease_expires_at.0)));
            }
            ClaimState::Finished(receipt) => {
                put(name::FINISHED_AT, Some(number(receipt.finished_at.0)));
                put(name::CONTENT_HASH, receipt.content_hash.map(|hash| text(hash.to_string())));
                put(name::REASON, receipt.reason.as_ref().map(|reason| text(&reason.code)));
                put(name::REASON_DETAIL, receipt.reason.as_ref().map(|reason| text(&reason.detail)));
            }
        }
        put(name::SEQUENCER, record.sequencer.as_ref().map(|sequencer| text(sequencer.as_str())));
        put(name::EVENT_TIME, record.event_time.as_ref().map(text));
        put(name::NOT_FOUND_SINCE, record.not_found_since.map(|since| number(since.0)));
        put(name::ENVELOPE, record.envelope.as_ref().map(text));
        put(name::FOUND, record.found.as_ref().map(from_json));
        put(name::PURPOSE, (record.purpose == Purpose::AskPerson).then(|| text(PURPOSE_ASK_PERSON)));
        put(name::JOB_ID, record.waits.job_id.as_ref().map(text));
        put(name::WAITS, Some(number(record.waits.count)));
        item
    }

    fn requests() -> impl Strategy<Value = ClaimRequest> {
        let named = (versions(), generations(), texts(), sequencers(), option::of(texts()));
        (named, times(), times()).prop_map(|(named, now, lease_expires_at)| {
            let (version, generation, token, sequencer, event_time) = named;
            ClaimRequest {
                key: ClaimKey::of(&version).unwrap(),
                version,
                generation,
                token: FencingToken(token),
                request: Request::Created,
                origin: Origin::Event,
                sequencer,
                event_time,
                envelope: "{}".into(),
                redriven_from_cycle: None,
                now,
                lease_expires_at,
                attempt_limit: 3,
            }
        })
    }

    fn names() -> impl Strategy<Value = Named> {
        (versions(), hashes(), generations(), texts(), texts()).prop_map(
            |(version, content_hash, generation, under, order)| Named {
                version_id: version.version_id,
                etag: version.etag,
                content_hash,
                generation,
                filing: Filing { under, order },
            },
        )
    }

    fn pointer_writes() -> impl Strategy<Value = PointerWrite> {
        let order = prop_oneof![Just(Order::Ordered), Just(Order::Listed)];
        let state = prop_oneof![Just(PointerState::Active), Just(PointerState::Removed)];
        (0..u64::MAX, option::of(names()), sequencers(), order, state).prop_map(
            |(read_revision, names, sequencer, order, state)| PointerWrite {
                read_revision,
                names,
                sequencer,
                order,
                state,
            },
        )
    }

    fn decimals() -> impl Strategy<Value = Decimal> {
        // A mantissa of up to 96 bits, and every scale.
        (any::<i128>(), 0u32..=96, 0u32..=28).prop_map(|(mantissa, bits, scale)| {
            let bound = 1i128 << bits;
            Decimal::from_i128_with_scale(mantissa % bound, scale)
        })
    }

    fn commits() -> impl Strategy<Value = CommitRow<Note>> {
        let note = (texts(), texts(), decimals(), vec(texts(), 0..4), 0u16..=1000).prop_map(
            |(holder, day, amount, lines, permille)| Note {
                holder,
                day,
                amount,
                lines,
                confidence: Confidence::permille(permille),
            },
        );
        (note, versions(), hashes(), generations(), times(), texts()).prop_map(
            |(document, source, content_hash, generation, committed_at, extractor)| CommitRow {
                content_hash,
                generation,
                document,
                source,
                committed_at,
                extractor,
            },
        )
    }

    proptest! {
        #[test]
        fn a_claim_in_any_state_is_read_as_it_was_written(record in claims()) {
            prop_assert_eq!(read_claim(&stored(&claim_item(&record))), Ok(record));
        }

        #[test]
        fn a_first_claim_is_read_as_it_was_asked_for(request in requests()) {
            let item = new_claim(&request);
            let key = claim_key(&request.key, request.generation);
            prop_assert!(key.iter().all(|(name, value)| item.get(name) == Some(value)));
            prop_assert_eq!(read_claim(&item), Ok(ClaimRecord {
                key: request.key,
                generation: request.generation,
                state: ClaimState::InProgress { lease_expires_at: request.lease_expires_at },
                token: request.token,
                attempts: 1,
                cycle: 0,
                first_claimed_at: request.now,
                claimed_at: request.now,
                sequencer: request.sequencer,
                event_time: request.event_time,
                not_found_since: None,
                failures: Vec::new(),
                envelope: None,
                found: None,
                purpose: Purpose::Process,
                waits: Waits::default(),
            }));
        }

        #[test]
        fn a_pointer_is_read_as_it_was_written_one_revision_later(version in versions(), write in pointer_writes()) {
            let key = version.document_key();
            let item = stored(&pointer(&key, &write));
            prop_assert_eq!(&item[name::DOCUMENT_KEY], &pointer_key(&key)[name::DOCUMENT_KEY]);
            // Only an active pointer stands in the index by what its document is filed under.
            let indexed = item.contains_key(name::FILED_UNDER) || item.contains_key(name::FILING_ORDER);
            prop_assert_eq!(indexed, write.names.is_some() && write.state == PointerState::Active);
            prop_assert_eq!(read_pointer(&item), Ok(Pointer {
                key,
                names: write.names,
                sequencer: write.sequencer,
                order: write.order,
                state: write.state,
                revision: write.read_revision + 1,
            }));
        }

        #[test]
        fn a_commit_is_read_as_it_was_written(row in commits()) {
            let item = stored(&commit(&row).unwrap());
            let key = commit_key(row.content_hash, row.generation);
            prop_assert!(key.iter().all(|(name, value)| item.get(name) == Some(value)));
            let known = KnownContent { filing: row.filing(), state: RowState::Posted };
            prop_assert_eq!(read_known(&item), Ok(known.clone()));
            // A projection holds all that decides.
            let projected: Item = item
                .iter()
                .filter(|(name, _)| KNOWN_ATTRIBUTES.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            prop_assert_eq!(read_known(&projected), Ok(known));
            let decimal = |value: &AttributeValue| value.as_n().unwrap().parse::<Decimal>().unwrap();
            prop_assert_eq!(decimal(&item[name::CONFIDENCE]), row.document.confidence.as_decimal());
            prop_assert_eq!(decimal(&item["amount"]), row.document.amount);
            prop_assert_eq!(&item["holder"], &text(&row.document.holder));
            prop_assert_eq!(&item[name::KIND], &text(Note::KIND));
            prop_assert_eq!(&item[name::SCHEMA_VERSION], &number(Note::SCHEMA_VERSION));
            prop_assert_eq!(read_commit(&item), Ok(row));
        }

        #[test]
        fn an_intent_is_pending_and_on_the_list_of_the_unsent(
            content in hashes(), generation in generations(), receiver in texts(), payload in values(), at in times(),
        ) {
            for operation in [Operation::Posted, Operation::ReviewAsked, Operation::DeadLettered] {
                let id = EffectId::of_commit(operation, &receiver, generation, content);
                let recorded = Intent {
                    id: id.clone(),
                    operation,
                    receiver: receiver.clone(),
                    payload: payload.clone(),
                    recorded_at: at,
                };
                let mut item = intent(&recorded);
                let told = item.remove(name::PAYLOAD).unwrap();
                prop_assert!(is_kept(&payload, &to_json(&told).unwrap()));
                prop_assert_eq!(item, Item::from([
                    (name::EFFECT_ID.to_owned(), text(id.as_str())),
                    (name::OPERATION.to_owned(), text(operation.as_str())),
                    (name::RECEIVER.to_owned(), text(&receiver)),
                    (name::STATE.to_owned(), text(STATE_PENDING)),
                    (name::ATTEMPTS.to_owned(), number(0)),
                    (name::RECORDED_AT.to_owned(), number(at.0)),
                    (name::UNSENT_KIND.to_owned(), text(operation.as_str())),
                ]));
            }
        }
    }

    /// A document that would write whatever it is told to into its row.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Greedy {
        takes_all: bool,
    }

    /// Every attribute that a commit's row has by itself.
    const OF_A_COMMIT: [&str; 15] = [
        name::CONTENT_HASH,
        name::GENERATION,
        name::STATE,
        name::KIND,
        name::SCHEMA_VERSION,
        name::DOCUMENT,
        name::CONFIDENCE,
        name::FILED_UNDER,
        name::FILING_ORDER,
        name::BUCKET,
        name::OBJECT_KEY,
        name::VERSION_ID,
        name::ETAG,
        name::COMMITTED_AT,
        name::EXTRACTOR,
    ];

    impl Posted for Greedy {
        const KIND: &'static str = "greedy";
        const SCHEMA_VERSION: u32 = 1;

        fn faults(&self) -> Vec<Fault> {
            Vec::new()
        }
        fn confidence(&self) -> Confidence {
            Confidence::ONE
        }
        fn filed_under(&self) -> &str {
            "P"
        }
        fn filing_order(&self) -> String {
            "1".to_owned()
        }
        fn indexed(&self) -> Vec<(&'static str, Indexed)> {
            let mut indexed = vec![("own", Indexed::Text("kept".to_owned()))];
            if self.takes_all {
                indexed.extend(OF_A_COMMIT.map(|name| (name, Indexed::Text("taken".to_owned()))));
                indexed.extend(OF_A_COMMIT.map(|name| (name, Indexed::Number(Decimal::TWO))));
            }
            indexed
        }
    }

    #[test]
    fn a_document_kind_cannot_overwrite_the_protocol() {
        let row = |takes_all| CommitRow {
            content_hash: ContentHash::of(b"x"),
            generation: Generation::FIRST,
            document: Greedy { takes_all },
            source: ObjectVersion {
                bucket: "b".into(),
                key: "k".into(),
                version_id: VersionId::Null,
                etag: ETag::new("e"),
            },
            committed_at: EpochMs(1),
            extractor: "x 1".into(),
        };
        let mut modest = commit(&row(false)).unwrap();
        let mut greedy = commit(&row(true)).unwrap();
        for (item, takes_all) in [(&mut modest, false), (&mut greedy, true)] {
            assert_eq!(read_commit(item), Ok(row(takes_all)));
            let own = item.remove("own");
            assert_eq!(own, Some(text("kept")));
            // The document itself is what differs.
            item.insert(name::DOCUMENT.to_owned(), AttributeValue::Null(true));
        }
        assert_eq!(greedy, modest);
        let has: BTreeSet<&str> = modest.keys().map(String::as_str).collect();
        assert_eq!(has, BTreeSet::from(OF_A_COMMIT), "the list above is whole");
    }

    #[test]
    fn a_document_that_cannot_be_serialised_is_said_so() {
        #[derive(Debug, Clone, PartialEq, Deserialize)]
        struct Unwritable;
        impl Serialize for Unwritable {
            fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(serde::ser::Error::custom("never"))
            }
        }
        impl Posted for Unwritable {
            const KIND: &'static str = "unwritable";
            const SCHEMA_VERSION: u32 = 1;
            fn faults(&self) -> Vec<Fault> {
                Vec::new()
            }
            fn confidence(&self) -> Confidence {
                Confidence::ONE
            }
            fn filed_under(&self) -> &'static str {
                "P"
            }
            fn filing_order(&self) -> String {
                String::new()
            }
            fn indexed(&self) -> Vec<(&'static str, Indexed)> {
                Vec::new()
            }
        }
        let (_, source) = ClaimKey::parse("b/k@V1#e").unwrap();
        let row = CommitRow {
            content_hash: ContentHash::of(b"x"),
            generation: Generation::FIRST,
            document: Unwritable,
            source,
            committed_at: EpochMs(1),
            extractor: String::new(),
        };
        let error = commit(&row).unwrap_err();
        assert_eq!(error, ItemError { attribute: name::DOCUMENT, problem: "cannot be serialised" });
    }

    /// What an attribute is to a reader.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Part {
        NeededText,
        NeededNumber,
        NeededJson,
        Text,
        Number,
        Json,
        List,
        /// Written for an index, a query or another reader.
        Unread,
    }

    /// Takes each attribute away, makes it null, and makes it another kind: what is wrong is told by its name.
    fn each_part_is_checked<T: std::fmt::Debug>(
        read: impl Fn(&Item) -> Result<T, ItemError>,
        whole: &Item,
        parts: &[(&'static str, Part)],
    ) {
        use Part::{Json, List, NeededJson, NeededNumber, NeededText, Number, Text, Unread};
        assert!(read(whole).is_ok(), "{:?}", read(whole));
        let told: BTreeSet<&str> = parts.iter().map(|(name, _)| *name).collect();
        let has: BTreeSet<&str> = whole.keys().map(String::as_str).collect();
        assert_eq!(told, has, "a row for each attribute");
        for &(attribute, part) in parts {
            let error = |problem| Some(ItemError { attribute, problem });
            let missing = error("is missing");
            let (absent, null, foreign) = match part {
                NeededText => (missing.clone(), missing, error("is not a string")),
                NeededNumber => (missing.clone(), missing, error("is not a number")),
                NeededJson => {
                    (missing, error("is not of this kind of document"), error("is of a foreign kind"))
                }
                Text => (None, None, error("is not a string")),
                Number => (None, None, error("is not a number")),
                Json => (None, None, error("is of a foreign kind")),
                List => (None, error("is not a list"), error("is not a list")),
                Unread => (None, None, None),
            };
            let mut item = whole.clone();
            item.remove(attribute);
            assert_eq!(read(&item).err(), absent, "{attribute} is absent");
            item.insert(attribute.to_owned(), AttributeValue::Null(true));
            assert_eq!(read(&item).err(), null, "{attribute} is null");
            item.insert(attribute.to_owned(), AttributeValue::B(Blob::new("x")));
            assert_eq!(read(&item).err(), foreign, "{attribute} is of another kind");
            // A number in the place of a text and a text in the place of a number are no better.
            let swapped = match part {
                NeededText | Text => Some(number(1)),
                NeededNumber | Number => Some(text("1")),
                _ => None,
            };
            if let Some(swapped) = swapped {
                item.insert(attribute.to_owned(), swapped);
                assert_eq!(read(&item).err(), foreign, "{attribute} is of the other kind");
            }
        }
    }

    /// Gives attributes values of the right kind that mean nothing.
    fn each_value_is_checked<T: std::fmt::Debug>(
        read: impl Fn(&Item) -> Result<T, ItemError>,
        whole: &Item,
        table: &[(&'static str, AttributeValue, &'static str)],
    ) {
        for (attribute, value, problem) in table {
            let mut item = whole.clone();
            item.insert((*attribute).to_owned(), value.clone());
            assert_eq!(read(&item).err(), Some(ItemError { attribute, problem }), "{attribute}: {value:?}");
        }
    }

    fn whole_claim(state: ClaimState) -> Item {
        claim_item(&ClaimRecord {
            key: ClaimKey::parse("b/k@V1#e").unwrap().0,
            generation: Generation::FIRST,
            state,
            token: FencingToken("t".into()),
            attempts: 1,
            cycle: 2,
            first_claimed_at: EpochMs(3),
            claimed_at: EpochMs(4),
            sequencer: Sequencer::new("0A"),
            event_time: Some("2026-01-31T00:00:00Z".into()),
            not_found_since: Some(EpochMs(5)),
            failures: vec![Failure { at: EpochMs(6), attempt: 7, kind: "k".into(), message: "m".into() }],
            envelope: Some("{}".into()),
            found: Some(json!({ "rent": 1 })),
            purpose: Purpose::AskPerson,
            waits: Waits { job_id: Some("j".into()), count: 8 },
        })
    }

    fn in_progress() -> ClaimState {
        ClaimState::InProgress { lease_expires_at: EpochMs(9) }
    }

    fn finished() -> ClaimState {
        ClaimState::Finished(Receipt {
            status: FinishedStatus::Review,
            finished_at: EpochMs(8),
            content_hash: Some(ContentHash::of(b"x")),
            reason: Some(Reason::new("code", "detail")),
        })
    }

    #[test]
    fn a_claim_that_does_not_say_what_it_must_is_told_by_the_attribute() {
        use Part::{Json, List, NeededNumber, NeededText, Number, Text};
        let common = [
            (name::CLAIM_KEY, NeededText),
            (name::GENERATION, NeededNumber),
            (name::STATUS, NeededText),
            (name::TOKEN, NeededText),
            (name::ATTEMPTS, NeededNumber),
            (name::CYCLE, NeededNumber),
            (name::FIRST_CLAIMED_AT, NeededNumber),
            (name::CLAIMED_AT, NeededNumber),
            (name::SEQUENCER, Text),
            (name::EVENT_TIME, Text),
            (name::NOT_FOUND_SINCE, Number),
            (name::FAILURES, List),
            (name::ENVELOPE, Text),
            (name::FOUND, Json),
            (name::PURPOSE, Text),
            (name::JOB_ID, Text),
            (name::WAITS, Number),
        ];
        let of_progress = [(name::LEASE_EXPIRES_AT, NeededNumber)];
        let of_the_end = [
            (name::FINISHED_AT, NeededNumber),
            (name::CONTENT_HASH, Text),
            (name::REASON, Text),
            (name::REASON_DETAIL, Text),
        ];
        let table = [(in_progress(), of_progress.to_vec()), (finished(), of_the_end.to_vec())];
        for (state, parts) in table {
            let parts: Vec<_> = common.iter().chain(&parts).copied().collect();
            // A json that is null is a json.
            each_part_is_checked(read_claim, &whole_claim(state), &parts);
        }
    }

    #[test]
    fn a_claim_with_a_value_that_means_nothing_is_told_by_the_attribute() {
        let unknown = "holds an unknown value";
        let n = |digits: &str| AttributeValue::N(digits.to_owned());
        let not_such = "is not such a number";
        let failure = |members: &[(&str, AttributeValue)]| {
            let whole =
                [("at", number(1)), ("attempt", number(1)), ("kind", text("k")), ("message", text("m"))];
            let mut item: Item = whole.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            item.extend(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
            AttributeValue::L(vec![AttributeValue::M(item)])
        };
        let unreadable = "holds an unreadable entry";
        let common = [
            (name::CLAIM_KEY, text("b/k"), unknown),
            (name::CLAIM_KEY, text(""), unknown),
            (name::GENERATION, n("0"), "is zero"),
            (name::GENERATION, n("-1"), not_such),
            (name::GENERATION, n("1.5"), not_such),
            (name::GENERATION, n("4294967296"), not_such),
            (name::STATUS, text("finished"), unknown),
            (name::STATUS, text("Committed"), unknown),
            (name::STATUS, text(""), unknown),
            (name::ATTEMPTS, n("-1"), not_such),
            (name::CYCLE, n("4294967296"), not_such),
            (name::CLAIMED_AT, n("18446744073709551616"), not_such),
            (name::SEQUENCER, text(""), unknown),
            (name::SEQUENCER, text("xyz"), unknown),
            (name::NOT_FOUND_SINCE, n("1.5"), not_such),
            (name::PURPOSE, text("process"), unknown),
            (name::PURPOSE, text(""), unknown),
            (name::WAITS, n("-1"), not_such),
            (name::FAILURES, AttributeValue::L(vec![text("x")]), "holds something else"),
            (name::FAILURES, failure(&[("at", text("1"))]), unreadable),
            (name::FAILURES, failure(&[("attempt", AttributeValue::Null(true))]), unreadable),
            (name::FAILURES, failure(&[("kind", number(1))]), unreadable),
            (name::FAILURES, failure(&[("message", AttributeValue::L(vec![]))]), unreadable),
        ];
        for state in [in_progress(), finished()] {
            each_value_is_checked(read_claim, &whole_claim(state), &common);
        }
        let of_progress = [(name::LEASE_EXPIRES_AT, n("-1"), not_such)];
        each_value_is_checked(read_claim, &whole_claim(in_progress()), &of_progress);
        let of_the_end = [
            (name::FINISHED_AT, n("-1"), not_such),
            (name::CONTENT_HASH, text("abc"), unknown),
            (name::CONTENT_HASH, text(""), unknown),
        ];
        each_value_is_checked(read_claim, &whole_claim(finished()), &of_the_end);
    }

    #[test]
    fn a_reason_is_there_by_its_code() {
        let table = [
            (Some("code"), Some("detail"), Some(Reason::new("code", "detail"))),
            (Some("code"), None, Some(Reason::new("code", ""))),
            (None, Some("detail"), None),
            (None, None, None),
        ];
        for (code, detail, expected) in table {
            let mut item = whole_claim(finished());
            for (attribute, value) in [(name::REASON, code), (name::REASON_DETAIL, detail)] {
                item.remove(attribute);
                item.extend(value.map(|value| (attribute.to_owned(), text(value))));
            }
            let read = read_claim(&item).unwrap();
            assert_eq!(read.receipt().unwrap().reason, expected, "{code:?} {detail:?}");
        }
    }

    #[test]
    fn a_commit_that_does_not_say_what_it_must_is_told_by_the_attribute() {
        use Part::{NeededJson, NeededNumber, NeededText, Text, Unread};
        let (_, source) = ClaimKey::parse("b/k@V1#e").unwrap();
        let row = CommitRow {
            content_hash: ContentHash::of(b"x"),
            generation: Generation::FIRST,
            document: Note::of("P"),
            source,
            committed_at: EpochMs(1),
            extractor: "notes 1".into(),
        };
        let whole = commit(&row).unwrap();
        let parts = [
            (name::CONTENT_HASH, NeededText),
            (name::GENERATION, NeededNumber),
            (name::DOCUMENT, NeededJson),
            (name::BUCKET, NeededText),
            (name::OBJECT_KEY, NeededText),
            (name::VERSION_ID, Text),
            (name::ETAG, NeededText),
            (name::COMMITTED_AT, NeededNumber),
            (name::EXTRACTOR, NeededText),
            (name::STATE, Unread),
            (name::KIND, Unread),
            (name::SCHEMA_VERSION, Unread),
            (name::CONFIDENCE, Unread),
            (name::FILED_UNDER, Unread),
            (name::FILING_ORDER, Unread),
            ("holder", Unread),
            ("amount", Unread),
        ];
        each_part_is_checked(read_commit::<Note>, &whole, &parts);
        let foreign = "is not of this kind of document";
        let table = [
            (name::CONTENT_HASH, text("abc"), "holds an unknown value"),
            (name::GENERATION, number(0), "is zero"),
            (name::DOCUMENT, from_json(&json!({})), foreign),
            (name::DOCUMENT, text("{}"), foreign),
            (name::COMMITTED_AT, number(-1), "is not such a number"),
        ];
        each_value_is_checked(read_commit::<Note>, &whole, &table);

        let whole: Item =
            KNOWN_ATTRIBUTES.iter().map(|name| ((*name).to_owned(), whole[*name].clone())).collect();
        let parts = [(name::STATE, NeededText), (name::FILED_UNDER, Text), (name::FILING_ORDER, Text)];
        each_part_is_checked(read_known, &whole, &parts);
        let table = [
            (name::STATE, text("active"), "holds an unknown value"),
            (name::STATE, text(""), "holds an unknown value"),
        ];
        each_value_is_checked(read_known, &whole, &table);
    }

    #[test]
    fn a_rejection_is_known_content_that_is_filed_under_nothing() {
        let item = Item::from([(name::STATE.to_owned(), text(STATE_REJECTED))]);
        let expected = KnownContent {
            filing: Filing { under: String::new(), order: String::new() },
            state: RowState::Rejected,
        };
        assert_eq!(read_known(&item), Ok(expected));
    }

    #[test]
    fn a_pointer_that_does_not_say_what_it_must_is_told_by_the_attribute() {
        use Part::{NeededNumber, NeededText, Text};
        let unknown = "holds an unknown value";
        for (state, under, order) in [
            (PointerState::Active, name::FILED_UNDER, name::FILING_ORDER),
            (PointerState::Removed, name::WAS_FILED_UNDER, name::WAS_FILING_ORDER),
        ] {
            let write = PointerWrite {
                read_revision: 3,
                names: Some(Named {
                    version_id: VersionId::Id("V1".into()),
                    etag: ETag::new("e"),
                    content_hash: ContentHash::of(b"x"),
                    generation: Generation::FIRST,
                    filing: Filing { under: "P".into(), order: "1".into() },
                }),
                sequencer: Sequencer::new("0A"),
                order: Order::Ordered,
                state,
            };
            let whole = pointer(&DocumentKey::new("b", "k"), &write);
            let parts = [
                (name::DOCUMENT_KEY, NeededText),
                (name::STATE, NeededText),
                (name::ORDER, NeededText),
                (name::REVISION, NeededNumber),
                (name::SEQUENCER, Text),
                // Without a content it names nothing.
                (name::CONTENT_HASH, Text),
                (name::VERSION_ID, Text),
                (name::ETAG, NeededText),
                (name::GENERATION, NeededNumber),
                (under, NeededText),
                (order, NeededText),
            ];
            each_part_is_checked(read_pointer, &whole, &parts);
            let table = [
                (name::DOCUMENT_KEY, text("b"), unknown),
                (name::STATE, text("posted"), unknown),
                (name::ORDER, text("active"), unknown),
                (name::REVISION, number(-1), "is not such a number"),
                (name::SEQUENCER, text("xyz"), unknown),
                (name::CONTENT_HASH, text("abc"), unknown),
                (name::GENERATION, number(0), "is zero"),
            ];
            each_value_is_checked(read_pointer, &whole, &table);
        }
    }

    #[test]
    fn an_error_names_its_attribute() {
        let error = ItemError { attribute: name::TOKEN, problem: "is missing" };
        assert_eq!(error.to_string(), "attribute `token` is missing");
    }
}
