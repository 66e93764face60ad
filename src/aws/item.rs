//! DynamoDB items and records: a pure mapping, both ways. Attribute names are here and nowhere else.
//!
//! A number is written from its decimal text and read back from it, so no amount is ever a float.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::claim::{
    ClaimRecord, ClaimRequest, ClaimState, Failure, FencingToken, FinishedStatus, Purpose, Receipt,
    STATUS_IN_PROGRESS,
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
