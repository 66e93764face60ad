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
    use crate::event::{Benign, ObjectEvent};
    use crate::identity::{ETag, VersionId};

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

    /// A record of the key `k`: its version, what is asked for, who asks, its sequencer.
    fn record(version_id: &str, request: Request, origin: Origin, sequencer: &str) -> Record {
        Record::Work(ObjectEvent {
            version: ObjectVersion {
                bucket: "b".to_owned(),
                key: "k".to_owned(),
                version_id: VersionId::from_optional(Some(version_id)),
                etag: ETag::new("e"),
            },
            request,
            origin,
            sequencer: Sequencer::new(sequencer),
            event_time: None,
            size_bytes: None,
            envelope: String::new(),
        })
    }

    fn created(version_id: &str, sequencer: &str) -> Record {
        record(version_id, Request::Created, Origin::Event, sequencer)
    }

    fn removed(sequencer: &str) -> Record {
        record("V1", Request::Removed, Origin::Event, sequencer)
    }

    fn with_etag(record: Record, etag: &str) -> Record {
        let Record::Work(mut event) = record else { return record };
        event.version.etag = ETag::new(etag);
        Record::Work(event)
    }

    fn with_key(record: Record, key: &str) -> Record {
        let Record::Work(mut event) = record else { return record };
        event.version.key = key.to_owned();
        Record::Work(event)
    }

    fn delivery(records: Vec<Record>) -> Delivery {
        let message = only(json!({ "messageId": "m", "eventSource": "aws:sqs", "body": "{}" }));
        Delivery { message, body: "{}".into(), records: records.into_iter().map(Ok).collect() }
    }

    fn one(record: Record) -> Delivery {
        delivery(vec![record])
    }

    fn of_redrive(cycle: u32, generation: u32, mut delivery: Delivery) -> Delivery {
        delivery.message.redriven = Some(Redriven {
            claim_hash: "0123456789abcdef".to_owned(),
            cycle,
            generation: Generation::new(generation).unwrap(),
        });
        delivery
    }

    fn in_group(group: &str, mut delivery: Delivery) -> Delivery {
        delivery.message.message_group_id = Some(group.to_owned());
        delivery
    }

    fn unreadable_one() -> Delivery {
        let mut delivery = delivery(Vec::new());
        delivery.records.push(Err(Unreadable::new(unreadable::NOT_JSON, "")));
        delivery
    }

    /// A unit of these slots, written as message and record, that is represented by the first.
    fn shared(slots: &[(usize, usize)]) -> Unit {
        represented(slots[0], slots)
    }

    fn represented(by: (usize, usize), slots: &[(usize, usize)]) -> Unit {
        let slot = |(message, record): (usize, usize)| Slot { message, record };
        Unit::Shared { represented_by: slot(by), slots: slots.iter().copied().map(slot).collect() }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table, a row a case")]
    fn records_of_one_claim_are_one_unit() {
        use Origin::{Event, Reconciler};
        use Request::{Created, Restored};
        let listed = |version_id| record(version_id, Created, Reconciler, "");
        let restored = |version_id| record(version_id, Restored, Event, "");
        type Row = (&'static str, Vec<Delivery>, Vec<Unit>);
        let table: Vec<Row> = vec![
            ("an empty batch", vec![], vec![]),
            ("one record", vec![one(created("V1", "0A"))], vec![shared(&[(0, 0)])]),
            (
                "the same event in two messages",
                vec![one(created("V1", "0A")), one(created("V1", "0A"))],
                vec![shared(&[(0, 0), (1, 0)])],
            ),
            (
                "the same event twice in one message",
                vec![delivery(vec![created("V1", "0A"), created("V1", "0A")])],
                vec![shared(&[(0, 0), (0, 1)])],
            ),
            (
                "the highest sequencer represents, wherever it stands",
                vec![one(created("V1", "0A")), one(created("V1", "0C")), one(created("V1", "0B"))],
                vec![represented((1, 0), &[(0, 0), (1, 0), (2, 0)])],
            ),
            (
                "a longer sequencer is not a later one",
                vec![one(created("V1", "0B")), one(created("V1", "0AFF"))],
                vec![represented((0, 0), &[(0, 0), (1, 0)])],
            ),
            (
                "any sequencer is later than none",
                vec![one(created("V1", "")), one(created("V1", "00"))],
                vec![represented((1, 0), &[(0, 0), (1, 0)])],
            ),
            (
                "of equals the first represents",
                vec![one(created("V1", "0A")), one(created("V1", "0A00"))],
                vec![represented((0, 0), &[(0, 0), (1, 0)])],
            ),
            (
                "another version is other work, and order is kept",
                vec![one(created("V2", "0B")), one(created("V1", "0A")), one(created("V2", "0B"))],
                vec![shared(&[(0, 0), (2, 0)]), shared(&[(1, 0)])],
            ),
            (
                "another tag is other work",
                vec![one(created("null", "0A")), one(with_etag(created("null", "0A"), "f"))],
                vec![shared(&[(0, 0)]), shared(&[(1, 0)])],
            ),
            (
                "another key is other work",
                vec![one(created("V1", "0A")), one(with_key(created("V1", "0A"), "l"))],
                vec![shared(&[(0, 0)]), shared(&[(1, 0)])],
            ),
            (
                "what the reconciler asks is not what the event says",
                vec![one(created("V1", "0A")), one(listed("V1")), one(listed("V1"))],
                vec![shared(&[(0, 0)]), shared(&[(1, 0), (2, 0)])],
            ),
            (
                "a restore is not an upload",
                vec![one(restored("V1")), one(created("V1", "0A")), one(restored("V1"))],
                vec![shared(&[(0, 0), (2, 0)]), shared(&[(1, 0)])],
            ),
            (
                "a removal is never shared, not even with itself",
                vec![one(removed("0A")), one(removed("0A")), one(created("V1", "0B")), one(removed("0C"))],
                vec![shared(&[(0, 0)]), shared(&[(1, 0)]), shared(&[(2, 0)]), shared(&[(3, 0)])],
            ),
            (
                "a redriven letter after an ordinary copy",
                vec![one(created("V1", "0A")), of_redrive(2, 1, one(created("V1", "0A")))],
                vec![shared(&[(0, 0)]), shared(&[(1, 0)])],
            ),
            (
                "a redriven letter before an ordinary copy",
                vec![of_redrive(2, 1, one(created("V1", "0A"))), one(created("V1", "0A"))],
                vec![shared(&[(0, 0)]), shared(&[(1, 0)])],
            ),
            (
                "two copies of one redrive are one, and two redrives are two",
                vec![
                    of_redrive(2, 1, one(created("V1", "0A"))),
                    of_redrive(1, 1, one(created("V1", "0A"))),
                    of_redrive(2, 1, one(created("V1", "0A"))),
                    of_redrive(2, 2, one(created("V1", "0A"))),
                ],
                vec![shared(&[(0, 0), (2, 0)]), shared(&[(1, 0)]), shared(&[(3, 0)])],
            ),
            (
                "what needs no work is in no unit, and slots keep their places",
                vec![
                    unreadable_one(),
                    delivery(vec![Record::Benign(Benign::TestEvent), created("V1", "0A")]),
                    delivery(vec![]),
                    delivery(vec![
                        created("V2", "0A"),
                        Record::Benign(Benign::FolderMarker),
                        created("V1", "0A"),
                    ]),
                ],
                vec![shared(&[(1, 1), (3, 2)]), shared(&[(3, 0)])],
            ),
            (
                "the messages of a group are one unit in their order, beside other work",
                vec![
                    in_group("g", one(created("V1", "0A"))),
                    one(created("V1", "0A")),
                    in_group("h", one(created("V1", "0A"))),
                    in_group("g", one(created("V1", "0A"))),
                    one(created("V1", "0A")),
                    in_group("g", one(removed("0B"))),
                ],
                vec![Unit::Group(vec![0, 3, 5]), shared(&[(1, 0), (4, 0)]), Unit::Group(vec![2])],
            ),
            (
                "a group holds its unreadable and benign messages too: what comes after them waits for them",
                vec![
                    in_group("g", unreadable_one()),
                    in_group("g", one(Record::Benign(Benign::TestEvent))),
                    in_group("g", of_redrive(1, 1, one(created("V1", "0A")))),
                ],
                vec![Unit::Group(vec![0, 1, 2])],
            ),
        ];
        for (name, deliveries, expected) in table {
            assert_eq!(units(&deliveries), expected, "{name}");
        }
    }

    fn any_record() -> impl Strategy<Value = Record> {
        let request = prop_oneof![Just(Request::Created), Just(Request::Removed), Just(Request::Restored)];
        let origin = prop_oneof![Just(Origin::Event), Just(Origin::Reconciler)];
        prop_oneof![
            6 => ("V[12]", request, origin, "0?[AB]?").prop_map(|(version_id, request, origin, sequencer)| {
                record(&version_id, request, origin, &sequencer)
            }),
            1 => Just(Record::Benign(Benign::FolderMarker)),
        ]
    }

    fn any_delivery() -> impl Strategy<Value = Delivery> {
        let marks = (proptest::option::weighted(0.2, 1u32..3), proptest::option::weighted(0.2, "[gh]"));
        (proptest::collection::vec(any_record(), 0..4), marks).prop_map(|(records, (cycle, group))| {
            let mut delivery = delivery(records);
            if let Some(cycle) = cycle {
                delivery = of_redrive(cycle, 1, delivery);
            }
            match group {
                Some(group) => in_group(&group, delivery),
                None => delivery,
            }
        })
    }

    proptest! {
        #[test]
        fn all_work_is_in_exactly_one_unit(deliveries in proptest::collection::vec(any_delivery(), 0..8)) {
            let mut wanted = Vec::new();
            for (message, delivery) in deliveries.iter().enumerate() {
                if delivery.message.message_group_id.is_some() {
                    wanted.push((message, None));
                    continue;
                }
                for (index, read) in delivery.records.iter().enumerate() {
                    if matches!(read, Ok(Record::Work(_))) {
                        wanted.push((message, Some(index)));
                    }
                }
            }
            let mut seen = Vec::new();
            for unit in units(&deliveries) {
                match unit {
                    Unit::Group(messages) => {
                        prop_assert!(messages.is_sorted());
                        seen.extend(messages.into_iter().map(|message| (message, None)));
                    }
                    Unit::Shared { represented_by, slots } => {
                        prop_assert!(slots.contains(&represented_by));
                        let highest = slots.iter().map(|slot| sequencer(&deliveries, *slot)).max().flatten();
                        prop_assert_eq!(sequencer(&deliveries, represented_by), highest);
                        seen.extend(slots.into_iter().map(|slot| (slot.message, Some(slot.record))));
                    }
                }
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, wanted);
        }
    }
}
