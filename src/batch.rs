//! A Lambda payload becomes messages: each record is read on its own, so that an odd one fails alone.
//!
//! The members are read from the JSON and not through the typed record of the events crate: that type refuses a
//! record for the shape of members nobody needs (a `null` list inside a message attribute), and one refused
//! record would fail the whole invocation.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::dead_letter::attribute;
use crate::event::{EventPolicy, Origin, Record, Request, Unreadable, parse, unreadable};
use crate::identity::{Generation, ObjectVersion, Sequencer};

/// The event source of Amazon SQS in a Lambda payload.
const SQS_SOURCE: &str = "aws:sqs";

/// Ending of a FIFO queue's name, and so of its ARN. Source: `CreateQueue`, Amazon SQS API reference.
const FIFO_SUFFIX: &str = ".fifo";

/// One delivery of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Names the delivery in the batch response. Opaque, echoed byte for byte; `None` when absent or empty, since
    /// an empty id in the response returns the whole batch.
    pub message_id: Option<String>,
    /// Needed to move the message's visibility.
    pub receipt_handle: Option<String>,
    /// What was sent.
    pub body: Option<String>,
    /// How often the queue handed this message out, this time included; 1 when the queue did not say.
    pub receive_count: u32,
    /// Message group of a FIFO queue.
    pub message_group_id: Option<String>,
    /// Set on a dead letter that an operator sent back.
    pub redriven: Option<Redriven>,
    /// Why nothing can be done with it, found before its body is read.
    pub problem: Option<Unreadable>,
}

/// Which claim an operator sent a dead letter back for. A body can hold several records, so this names one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Redriven {
    /// Short hash of the claim key.
    pub claim_hash: String,
    /// The cycle in which the claim was dead-lettered.
    pub cycle: u32,
    /// The generation of that claim.
    pub generation: Generation,
}

/// The payload is no SQS event. There is no message id that could be returned, and an empty success would drop
/// whatever it is, so the invocation fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload is not an SQS event: {detail}")]
pub struct NotSqs {
    /// What is missing, without customer data.
    pub detail: &'static str,
}

/// Takes a payload apart. An empty list is an SQS event with nothing to do.
pub fn messages(payload: &Value) -> Result<Vec<Message>, NotSqs> {
    let records = payload
        .get("Records")
        .and_then(Value::as_array)
        .ok_or(NotSqs { detail: "it has no list of records" })?;
    if !records.is_empty() && !records.iter().any(is_from_sqs) {
        return Err(NotSqs { detail: "its records do not come from SQS" });
    }
    Ok(records.iter().map(message).collect())
}

fn is_from_sqs(record: &Value) -> bool {
    record.get("eventSource").and_then(Value::as_str) == Some(SQS_SOURCE)
}

fn message(record: &Value) -> Message {
    let nothing = Map::new();
    let members = record.as_object().unwrap_or(&nothing);
    let body = members.get("body").and_then(Value::as_str);
    let attributes = members.get("attributes");
    let queue_arn = members.get("eventSourceARN").and_then(Value::as_str);
    let problem = if !is_from_sqs(record) {
        Some(Unreadable::new(unreadable::NOT_A_MESSAGE, "the record does not come from SQS"))
    } else if body.is_none_or(str::is_empty) {
        Some(Unreadable::new(unreadable::NO_BODY, "the message has no body"))
    } else {
        None
    };
    Message {
        message_id: text(members.get("messageId")),
        receipt_handle: text(members.get("receiptHandle")),
        body: body.map(str::to_owned),
        receive_count: attributes
            .and_then(|attributes| attributes.get("ApproximateReceiveCount"))
            .and_then(number)
            .map_or(1, |count| count.max(1)),
        // A standard queue takes a group too (fair queues: it names a tenant) and orders nothing by it.
        message_group_id: text(attributes.and_then(|attributes| attributes.get("MessageGroupId")))
            .filter(|_| queue_arn.is_none_or(|arn| arn.ends_with(FIFO_SUFFIX))),
        redriven: redriven(members.get("messageAttributes")),
        problem,
    }
}

/// All three attributes must be there and make sense: a message that is only half marked is an ordinary one.
fn redriven(attributes: Option<&Value>) -> Option<Redriven> {
    let value = |name: &str| attributes?.get(name)?.get("stringValue")?.as_str();
    Some(Redriven {
        claim_hash: value(attribute::CLAIM).filter(|hash| !hash.is_empty())?.to_owned(),
        cycle: value(attribute::CYCLE)?.parse().ok()?,
        generation: Generation::new(value(attribute::GENERATION)?.parse().ok()?)?,
    })
}

/// Text that is not empty.
fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// SQS writes its counts as text.
fn number(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().and_then(|count| u32::try_from(count).ok()),
    }
}

/// What a message asks for, read as far as its body allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The message.
    pub message: Message,
    /// Its body, shared by its records.
    pub body: Arc<str>,
    /// Its records; an unreadable message is one unreadable record, so that no message is ever without.
    pub records: Vec<Result<Record, Unreadable>>,
}

impl Delivery {
    /// Reads a message's body.
    pub fn read(message: Message, policy: &EventPolicy) -> Self {
        let body: Arc<str> = message.body.as_deref().unwrap_or_default().into();
        let records = match message.problem.clone() {
            Some(problem) => vec![Err(problem)],
            None => parse(&body, policy).unwrap_or_else(|problem| vec![Err(problem)]),
        };
        Self { message, body, records }
    }
}

/// Where a record stands in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// Index of the message.
    pub message: usize,
    /// Index of the record in it.
    pub record: usize,
}

/// What is run as one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// Records with one claim key (and of one redrive, if of any): the one with the highest sequencer is processed,
    /// all share its outcome.
    Shared {
        /// The record that is processed.
        represented_by: Slot,
        /// All of them, the representative included.
        slots: Vec<Slot>,
    },
    /// The messages of one FIFO group, in order: after the first that is returned the rest is not begun.
    Group(Vec<usize>),
}

/// Puts the work of a batch into units. Records that need no work are in none.
pub fn units(deliveries: &[Delivery]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut groups: HashMap<&str, usize> = HashMap::new();
    // An operator's redrive is work of its own: an ordinary copy beside it, or a letter of an older cycle, would
    // answer "done" for it.
    let mut shared: HashMap<(&ObjectVersion, Request, Origin, Option<&Redriven>), usize> = HashMap::new();
    for (message, delivery) in deliveries.iter().enumerate() {
        if let Some(group) = delivery.message.message_group_id.as_deref() {
            let index = *groups.entry(group).or_insert_with(|| {
                units.push(Unit::Group(Vec::new()));
                units.len() - 1
            });
            if let Unit::Group(messages) = &mut units[index] {
                messages.push(message);
            }
            continue;
        }
        for (record, read) in delivery.records.iter().enumerate() {
            let Ok(Record::Work(event)) = read else { continue };
            let slot = Slot { message, record };
            let new = || Unit::Shared { represented_by: slot, slots: Vec::new() };
            // A removal names no version: each is a look of its own, since its sequencer is part of the work.
            let index = if event.request == Request::Removed {
                units.push(new());
                units.len() - 1
            } else {
                let redriven = delivery.message.redriven.as_ref();
                *shared.entry((&event.version, event.request, event.origin, redriven)).or_insert_with(|| {
                    units.push(new());
                    units.len() - 1
                })
            };
            if let Unit::Shared { represented_by, slots } = &mut units[index] {
                slots.push(slot);
                if sequencer(deliveries, slot) > sequencer(deliveries, *represented_by) {
                    *represented_by = slot;
                }
            }
        }
    }
    units
}

fn sequencer(deliveries: &[Delivery], slot: Slot) -> Option<&Sequencer> {
    match &deliveries[slot.message].records[slot.record] {
        Ok(Record::Work(event)) => event.sequencer.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn only(record: Value) -> Message {
        let mut messages = messages(&json!({ "Records": [record] })).expect("an SQS event");
        assert_eq!(messages.len(), 1);
        messages.remove(0)
    }

    fn mark(claim: Value, cycle: Value, generation: Value) -> Value {
        json!({
            "messageId": "m-1",
            "eventSource": "aws:sqs",
            "body": "{}",
            "messageAttributes": {
                "LeaseIngestClaim": { "stringValue": claim, "dataType": "String", "stringListValues": null },
                "LeaseIngestCycle": { "stringValue": cycle, "binaryValue": null },
                "LeaseIngestGeneration": { "stringValue": generation },
                "unrelated": null
            }
        })
    }

    #[test]
    fn a_message_is_read_member_by_member() {
        let message = only(json!({
            "messageId": "m-1",
            "receiptHandle": "handle",
            "body": "{}",
            "attributes": { "ApproximateReceiveCount": "3", "MessageGroupId": "inbox" },
            "messageAttributes": {},
            "eventSource": "aws:sqs"
        }));
        assert_eq!(
            message,
            Message {
                message_id: Some("m-1".to_owned()),
                receipt_handle: Some("handle".to_owned()),
                body: Some("{}".to_owned()),
                receive_count: 3,
                message_group_id: Some("inbox".to_owned()),
                redriven: None,
                problem: None,
            }
        );
    }

    #[test]
    fn nothing_but_a_body_is_needed() {
        for odd in [
            json!({ "body": "{}", "eventSource": "aws:sqs" }),
            json!({ "body": "{}", "eventSource": "aws:sqs", "attributes": null, "messageAttributes": null, "messageId": null }),
            json!({ "body": "{}", "eventSource": "aws:sqs", "attributes": [], "messageAttributes": "x", "messageId": "" }),
            json!({ "body": "{}", "eventSource": "aws:sqs", "attributes": { "ApproximateReceiveCount": "many" } }),
        ] {
            let message = only(odd);
            assert_eq!((message.message_id, message.receive_count, message.problem), (None, 1, None));
        }
    }

    #[test]
    fn an_odd_record_fails_alone_and_under_its_id() {
        let rows = [
            (json!({ "messageId": "weird id/ü", "eventSource": "aws:sqs" }), unreadable::NO_BODY),
            (
                json!({ "messageId": "weird id/ü", "eventSource": "aws:sqs", "body": null }),
                unreadable::NO_BODY,
            ),
            (json!({ "messageId": "weird id/ü", "eventSource": "aws:sqs", "body": "" }), unreadable::NO_BODY),
            (json!({ "messageId": "weird id/ü", "eventSource": "aws:sqs", "body": {} }), unreadable::NO_BODY),
            (
                json!({ "messageId": "weird id/ü", "eventSource": "aws:s3", "body": "{}" }),
                unreadable::NOT_A_MESSAGE,
            ),
        ];
        for (odd, kind) in rows {
            let good = json!({ "messageId": "good", "eventSource": "aws:sqs", "body": "{}" });
            let read = messages(&json!({ "Records": [odd, good] })).expect("an SQS event");
            assert_eq!(read[0].message_id.as_deref(), Some("weird id/ü"));
            assert_eq!(read[0].problem.as_ref().map(|problem| problem.kind), Some(kind));
            assert_eq!(read[1].problem, None);
        }
        let read = messages(&json!({ "Records": [null, { "eventSource": "aws:sqs", "body": "{}" }] }));
        assert!(read.expect("an SQS event")[0].problem.is_some());
    }

    #[test]
    fn a_payload_of_something_else_is_an_error() {
        for payload in [
            json!(null),
            json!("text"),
            json!([]),
            json!({}),
            json!({ "warmup": true }),
            json!({ "Records": null }),
            json!({ "Records": "text" }),
            json!({ "Records": [{ "eventSource": "aws:s3" }] }),
            json!({ "Records": [{ "EventSource": "aws:sns" }] }),
            json!({ "Records": [null] }),
            json!({ "source": "aws.events", "detail-type": "Scheduled Event", "detail": {} }),
        ] {
            assert!(messages(&payload).is_err(), "{payload}");
        }
        assert_eq!(messages(&json!({ "Records": [] })), Ok(vec![]));
    }

    #[test]
    fn a_redriven_message_names_its_claim_and_cycle() {
        let read = only(mark(json!("0123456789abcdef"), json!("2"), json!("1")));
        assert_eq!(
            read.redriven,
            Some(Redriven {
                claim_hash: "0123456789abcdef".to_owned(),
                cycle: 2,
                generation: Generation::FIRST,
            })
        );
        for half in [
            mark(json!(null), json!("2"), json!("1")),
            mark(json!(""), json!("2"), json!("1")),
            mark(json!("0123456789abcdef"), json!("two"), json!("1")),
            mark(json!("0123456789abcdef"), json!("-1"), json!("1")),
            mark(json!("0123456789abcdef"), json!("2"), json!("0")),
            mark(json!("0123456789abcdef"), json!("2"), json!(null)),
        ] {
            assert_eq!(only(half).redriven, None);
        }
    }

    proptest! {
        #[test]
        fn any_record_becomes_a_message(id in any::<Option<String>>(), body in any::<Option<String>>(), count in any::<i64>()) {
            let read = only(json!({
                "messageId": id,
                "body": body,
                "eventSource": "aws:sqs",
                "attributes": { "ApproximateReceiveCount": count.to_string() }
            }));
            prop_assert_eq!(read.message_id, id.filter(|id| !id.is_empty()));
            prop_assert_eq!(read.problem.is_some(), body.is_none_or(|body| body.is_empty()));
            prop_assert!(read.receive_count >= 1);
        }
    }
}
