//! The ledger port on DynamoDB. Each method is one request, and each condition of the protocol is written here once.

use std::collections::HashMap;
use std::marker::PhantomData;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};

use crate::aws::error_code;
use crate::aws::item::{self, Item, ItemError, name, number, text};
use crate::claim::{ClaimRecord, ClaimRequest, Finish, Purpose, Release, STATUS_IN_PROGRESS, Seen, TakeOver};
use crate::commit::{Cancelled, CommitPlan, CommitRow, KnownContent, RoundReply};
use crate::config::TableNames;
use crate::effect::{EffectId, Intent};
use crate::identity::{ClaimKey, ContentHash, DocumentKey, Generation};
use crate::pointer::{Named, Pointer, PointerMove, PointerState, PointerWrite};
use crate::ports::ledger::{Existing, Ledger, LedgerError, LedgerErrorKind, Written};
use crate::posting::Posted;

/// Reason code of a condition that failed.
/// Source: `CancellationReason`, Amazon DynamoDB API reference.
const CONDITION_FAILED: &str = "ConditionalCheckFailed";

/// The four tables in DynamoDB, for one kind of document.
#[derive(Debug, Clone)]
pub struct DynamoLedger<D> {
    client: Client,
    tables: TableNames,
    claim_retention_s: Option<u64>,
    document: PhantomData<fn() -> D>,
}

impl<D: Posted> DynamoLedger<D> {
    /// A ledger on these tables. `claim_retention_s` is how long a finished claim is kept (by DynamoDB's
    /// time-to-live); `None` keeps it for ever. Open items are always kept.
    pub fn new(client: Client, tables: TableNames, claim_retention_s: Option<u64>) -> Self {
        Self { client, tables, claim_retention_s, document: PhantomData }
    }

    /// The condition that whoever writes still holds the claim.
    fn held(update: Expression, seen: &Seen) -> Expression {
        update
            .name("#status", name::STATUS)
            .name("#token", name::TOKEN)
            .value(":in_progress", text(STATUS_IN_PROGRESS))
            .value(":token", text(&seen.token.0))
            .condition("#status = :in_progress AND #token = :token")
    }

    /// When a finished claim may vanish, in epoch seconds.
    fn expiry(&self, finished_at: crate::identity::EpochMs) -> Option<AttributeValue> {
        self.claim_retention_s.map(|retention_s| number((finished_at.0 / 1000).saturating_add(retention_s)))
    }

    fn finish_expression(&self, finish: &Finish) -> Expression {
        let end = &finish.end;
        let mut update = Expression::default()
            .set("#status", name::STATUS, ":status", text(end.status.as_str()))
            .set("#finished_at", name::FINISHED_AT, ":finished_at", number(finish.finished_at.0))
            .set("#reason", name::REASON, ":reason", text(&end.reason.code))
            .set("#reason_detail", name::REASON_DETAIL, ":reason_detail", text(&end.reason.detail))
            .set("#failures", name::FAILURES, ":failures", item::failures(&finish.failures))
            .remove("#lease", name::LEASE_EXPIRES_AT);
        if let Some(hash) = end.content_hash {
            update = update.set("#content_hash", name::CONTENT_HASH, ":content_hash", text(hash.to_string()));
        }
        if let Some(found) = &end.found {
            update = update.set("#found", name::FOUND, ":found", item::from_json(found));
        }
        if let Some(envelope) = &finish.envelope {
            update = update.set("#envelope", name::ENVELOPE, ":envelope", text(envelope));
        }
        if end.status.is_open_item() {
            update = update.set("#open_kind", name::OPEN_KIND, ":open_kind", text(end.status.as_str())).set(
                "#opened_at",
                name::OPENED_AT,
                ":opened_at",
                number(finish.finished_at.0),
            );
        } else if let Some(expiry) = self.expiry(finish.finished_at) {
            update = update.set("#expires_at", name::EXPIRES_AT, ":expires_at", expiry);
        }
        Self::held(update, &finish.seen)
    }

    fn commit_claim_expression(&self, plan: &CommitPlan<D>) -> Expression {
        let claim = plan.claim();
        let mut update = Expression::default()
            .set("#status", name::STATUS, ":status", text(plan.status().as_str()))
            .set("#finished_at", name::FINISHED_AT, ":finished_at", number(plan.finished_at().0))
            .set("#content_hash", name::CONTENT_HASH, ":content_hash", text(plan.content_hash().to_string()))
            .remove("#lease", name::LEASE_EXPIRES_AT);
        if let Some(expiry) = self.expiry(plan.finished_at()) {
            update = update.set("#expires_at", name::EXPIRES_AT, ":expires_at", expiry);
        }
        let seen =
            Seen { key: claim.key().clone(), generation: claim.generation(), token: claim.token().clone() };
        Self::held(update, &seen)
    }

    fn update_claim(&self, key: Item, expression: Expression) -> UpdateClaim {
        let Expression { set, remove, names, values, condition, .. } = expression;
        UpdateClaim {
            table: self.tables.claims.clone(),
            key,
            update: clauses(&set, &remove, None),
            condition,
            names,
            values,
        }
    }

    async fn send_update(&self, update: UpdateClaim) -> Result<Written<Existing>, LedgerError> {
        let answer = self
            .client
            .update_item()
            .table_name(update.table)
            .set_key(Some(update.key))
            .update_expression(update.update)
            .condition_expression(update.condition)
            .set_expression_attribute_names(Some(update.names))
            .set_expression_attribute_values(Some(update.values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match answer {
            Ok(_) => Ok(Written::Yes),
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(refused)) => {
                    Ok(Written::Refused(existing_claim(refused.item.as_ref())?))
                }
                _ => Err(ledger_error(&error, true)),
            },
        }
    }

    fn put_intent(&self, intent: &Intent) -> TransactWriteItem {
        put_if_absent(&self.tables.effects, item::intent(intent), name::EFFECT_ID)
    }

    fn move_pointer(&self, key: &DocumentKey, change: &PointerMove) -> TransactWriteItem {
        match change {
            PointerMove::InOrder { names, sequencer } => {
                let update = in_order(names, sequencer.as_str());
                let builder = Update::builder()
                    .table_name(&self.tables.documents)
                    .set_key(Some(item::pointer_key(key)))
                    .update_expression(clauses(&update.set, &update.remove, update.add.as_deref()))
                    .condition_expression(update.condition)
                    .set_expression_attribute_names(Some(update.names))
                    .set_expression_attribute_values(Some(update.values))
                    .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
                let built = builder.build().expect("table, key and update are given");
                TransactWriteItem::builder().update(built).build()
            }
            PointerMove::AsAsked(write) => {
                let (condition, names, values) = revision_is(write.read_revision);
                let put = Put::builder()
                    .table_name(&self.tables.documents)
                    .set_item(Some(item::pointer(key, write)))
                    .condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
                let built = put.build().expect("table and item are given");
                TransactWriteItem::builder().put(built).build()
            }
        }
    }
}

/// The parts of one write, so that names and values are declared where they are used.
#[derive(Debug, Default)]
struct Expression {
    set: Vec<String>,
    remove: Vec<String>,
    add: Option<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
    condition: String,
}

impl Expression {
    fn name(mut self, alias: &str, attribute: &str) -> Self {
        self.names.insert(alias.to_owned(), attribute.to_owned());
        self
    }

    fn value(mut self, alias: &str, value: AttributeValue) -> Self {
        self.values.insert(alias.to_owned(), value);
        self
    }

    fn set(mut self, alias: &str, attribute: &str, value_alias: &str, value: AttributeValue) -> Self {
        self.set.push(format!("{alias} = {value_alias}"));
        self.name(alias, attribute).value(value_alias, value)
    }

    fn remove(mut self, alias: &str, attribute: &str) -> Self {
        self.remove.push(alias.to_owned());
        self.name(alias, attribute)
    }

    fn condition(mut self, condition: &str) -> Self {
        condition.clone_into(&mut self.condition);
        self
    }
}

struct UpdateClaim {
    table: String,
    key: Item,
    update: String,
    condition: String,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl UpdateClaim {
    fn in_transaction(self) -> TransactWriteItem {
        let update = Update::builder()
            .table_name(self.table)
            .set_key(Some(self.key))
            .update_expression(self.update)
            .condition_expression(self.condition)
            .set_expression_attribute_names(Some(self.names))
            .set_expression_attribute_values(Some(self.values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .expect("table, key and update are given");
        TransactWriteItem::builder().update(update).build()
    }
}

fn clauses(set: &[String], remove: &[String], add: Option<&str>) -> String {
    let mut text = String::new();
    for (keyword, parts) in [("SET", set.join(", ")), ("REMOVE", remove.join(", "))] {
        if !parts.is_empty() {
            text.push_str(&format!("{keyword} {parts} "));
        }
    }
    if let Some(add) = add {
        text.push_str(&format!("ADD {add} "));
    }
    text.truncate(text.trim_end().len());
    text
}

/// The ordered move: there is no pointer, or it is ordered and stands at an earlier sequencer, or at the same
/// one in an earlier generation. A comparison with an absent attribute is false, so a pointer that is `listed`
/// or has no sequencer refuses.
fn in_order(names: &Named, sequencer: &str) -> Expression {
    let mut update = Expression::default()
        .set("#sequencer", name::SEQUENCER, ":sequencer", text(sequencer))
        .set("#order", name::ORDER, ":ordered", text(item::ORDER_ORDERED))
        .set("#state", name::STATE, ":active", text(item::STATE_ACTIVE))
        .remove("#was_under", name::WAS_FILED_UNDER)
        .remove("#was_order", name::WAS_FILING_ORDER)
        .name("#document_key", name::DOCUMENT_KEY)
        .name("#revision", name::REVISION)
        .value(":one", number(1))
        .condition(
            "attribute_not_exists(#document_key) OR (#order = :ordered AND (#sequencer < :sequencer \
             OR (#sequencer = :sequencer AND #generation < :generation)))",
        );
    for (attribute, value) in item::named(names, PointerState::Active) {
        update = update.set(&format!("#{attribute}"), attribute, &format!(":{attribute}"), value);
    }
    update.add = Some("#revision :one".to_owned());
    update
}

type Condition = (&'static str, Option<HashMap<String, String>>, Option<HashMap<String, AttributeValue>>);

/// The condition that a pointer is still the one that was read; revision 0 means that there was none.
fn revision_is(read_revision: u64) -> Condition {
    if read_revision == 0 {
        return ("attribute_not_exists(document_key)", None, None);
    }
    (
        "#revision = :read",
        Some(HashMap::from([("#revision".into(), name::REVISION.into())])),
        Some(HashMap::from([(":read".into(), number(read_revision))])),
    )
}

fn put_if_absent(table: &str, item: Item, key: &str) -> TransactWriteItem {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .condition_expression(format!("attribute_not_exists({key})"))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .expect("table and item are given");
    TransactWriteItem::builder().put(put).build()
}

fn existing_claim(item: Option<&Item>) -> Result<Existing, LedgerError> {
    let present = item.filter(|item| !item.is_empty());
    present.map(|item| item::read_claim(item).map(Box::new)).transpose().map_err(corrupt)
}

fn corrupt(error: ItemError) -> LedgerError {
    LedgerError {
        kind: LedgerErrorKind::Corrupt,
        may_have_happened: false,
        code: format!("corrupt_{}", error.attribute),
    }
}

fn invalid(code: &str) -> LedgerError {
    LedgerError { kind: LedgerErrorKind::Invalid, may_have_happened: false, code: code.to_owned() }
}

/// Reads an error that is not a refusal. `write` says whether the request would have changed anything.
/// Source: "Error handling with DynamoDB", DynamoDB developer guide.
fn ledger_error<E: ProvideErrorMetadata>(error: &SdkError<E>, write: bool) -> LedgerError {
    let code = error_code(error);
    let kind = match error {
        SdkError::ServiceError(context) => match code.as_str() {
            "ThrottlingException"
            | "ProvisionedThroughputExceededException"
            | "RequestLimitExceeded"
            | "LimitExceededException"
            | "TransactionConflictException"
            | "TransactionInProgressException" => LedgerErrorKind::Throttled,
            "AccessDeniedException"
            | "ResourceNotFoundException"
            | "UnrecognizedClientException"
            | "ExpiredTokenException"
            | "InvalidSignatureException"
            | "MissingAuthenticationTokenException"
            | "IncompleteSignatureException" => LedgerErrorKind::Denied,
            _ if context.raw().status().is_server_error() => LedgerErrorKind::Unavailable,
            _ => LedgerErrorKind::Invalid,
        },
        SdkError::ConstructionFailure(_) => LedgerErrorKind::Denied,
        _ => LedgerErrorKind::Unavailable,
    };
    // The client tries more than once: whatever the last try met, an earlier one whose reply was lost may have
    // taken effect. Only a request that could not even be built certainly did nothing.
    let may_have_happened = write && !matches!(error, SdkError::ConstructionFailure(_));
    LedgerError { kind, may_have_happened, code }
}

fn is_condition_failed(reason: &CancellationReason) -> bool {
    reason.code() == Some(CONDITION_FAILED)
}

/// Whether a reason says that nothing was decided: a conflict, a throttle.
fn is_undecided(reason: &CancellationReason) -> bool {
    matches!(
        reason.code(),
        Some(
            "TransactionConflict"
                | "ThrottlingError"
                | "ProvisionedThroughputExceeded"
                | "RequestLimitExceeded"
        )
    )
}

/// Which of a transaction's actions is which, by position.
enum Action {
    Row,
    Claim,
    Pointer,
    Intent(EffectId),
}

/// Reads the reasons by position. Reasons are one for each action, in order; an unknown one is an error, never
/// an answer.
fn read_reasons(actions: &[Action], reasons: &[CancellationReason]) -> Result<Cancelled, LedgerError> {
    let mut cancelled = Cancelled::default();
    if reasons.len() != actions.len() {
        return Err(invalid("cancellation_reasons_missing"));
    }
    let mut understood = false;
    for (action, reason) in actions.iter().zip(reasons) {
        if is_undecided(reason) {
            cancelled.conflict = true;
            understood = true;
            continue;
        }
        if !is_condition_failed(reason) {
            if !matches!(reason.code(), None | Some("None")) {
                return Err(invalid("transaction_refused"));
            }
            continue;
        }
        understood = true;
        let existing = reason.item.as_ref().filter(|item| !item.is_empty());
        match action {
            Action::Row => {
                let existing = existing.ok_or_else(|| invalid("refusal_without_row"))?;
                cancelled.known = Some(item::read_known(existing).map_err(corrupt)?);
            }
            Action::Claim => cancelled.claim = Some(existing_claim(existing)?),
            Action::Pointer => {
                let pointer = existing.map(|item| item::read_pointer(item).map(Box::new)).transpose();
                cancelled.pointer = Some(pointer.map_err(corrupt)?);
            }
            Action::Intent(id) => cancelled.recorded.push(id.clone()),
        }
    }
    if understood { Ok(cancelled) } else { Err(invalid("cancelled_without_reason")) }
}

enum Transaction {
    Applied,
    Cancelled(Cancelled),
}

impl<D: Posted> DynamoLedger<D> {
    async fn transact(
        &self,
        actions: Vec<(Action, TransactWriteItem)>,
        request_token: Option<&str>,
    ) -> Result<Transaction, LedgerError> {
        let (actions, items): (Vec<_>, Vec<_>) = actions.into_iter().unzip();
        let answer = self
            .client
            .transact_write_items()
            .set_transact_items(Some(items))
            .set_client_request_token(request_token.map(str::to_owned))
            .send()
            .await;
        match answer {
            Ok(_) => Ok(Transaction::Applied),
            Err(error) => match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                    read_reasons(&actions, cancelled.cancellation_reasons()).map(Transaction::Cancelled)
                }
                _ => Err(ledger_error(&error, true)),
            },
        }
    }
}

impl<D: Posted> Ledger for DynamoLedger<D> {
    type Document = D;

    async fn put_claim(&self, request: &ClaimRequest) -> Result<Written<Box<ClaimRecord>>, LedgerError> {
        let answer = self
            .client
            .put_item()
            .table_name(&self.tables.claims)
            .set_item(Some(item::new_claim(request)))
            .condition_expression("attribute_not_exists(claim_key)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match answer {
            Ok(_) => Ok(Written::Yes),
            Err(error) => match error.as_service_error() {
                Some(PutItemError::ConditionalCheckFailedException(refused)) => {
                    let existing = existing_claim(refused.item.as_ref())?;
                    existing.map(Written::Refused).ok_or_else(|| invalid("refusal_without_claim"))
                }
                _ => Err(ledger_error(&error, true)),
            },
        }
    }

    async fn take_over(
        &self,
        seen: &ClaimRecord,
        plan: &TakeOver,
        request: &ClaimRequest,
    ) -> Result<Written<Existing>, LedgerError> {
        let mut update = Expression::default()
            .set("#status", name::STATUS, ":in_progress", text(STATUS_IN_PROGRESS))
            .set("#token", name::TOKEN, ":token", text(&request.token.0))
            .set("#attempts", name::ATTEMPTS, ":attempts", number(plan.attempt))
            .set("#cycle", name::CYCLE, ":cycle", number(plan.cycle))
            .set("#claimed_at", name::CLAIMED_AT, ":claimed_at", number(request.now.0))
            .set("#lease", name::LEASE_EXPIRES_AT, ":lease", number(request.lease_expires_at.0))
            .value(":seen_status", text(seen.status_text()))
            .value(":seen_token", text(&seen.token.0))
            .condition("#status = :seen_status AND #token = :seen_token");
        if let Some(sequencer) = &plan.sequencer {
            update = update.set("#sequencer", name::SEQUENCER, ":sequencer", text(sequencer.as_str()));
        }
        if let Some(event_time) = &request.event_time {
            update = update.set("#event_time", name::EVENT_TIME, ":event_time", text(event_time));
        }
        // Kept until the claim is opened for something else, so that a reply or a worker lost on the way forgets nothing.
        update = match plan.purpose {
            Purpose::AskPerson => {
                update.set("#purpose", name::PURPOSE, ":purpose", text(item::PURPOSE_ASK_PERSON))
            }
            Purpose::Process => update.remove("#purpose", name::PURPOSE),
        };
        // What belonged to the end is taken away; failures and the first claim's time stay.
        for attribute in [
            name::FINISHED_AT,
            name::EXPIRES_AT,
            name::REASON,
            name::REASON_DETAIL,
            name::OPEN_KIND,
            name::OPENED_AT,
            name::CONTENT_HASH,
            name::ENVELOPE,
            name::FOUND,
        ] {
            update = update.remove(&format!("#{attribute}"), attribute);
        }
        if plan.cycle != seen.cycle {
            update = update.remove("#not_found_since", name::NOT_FOUND_SINCE);
        }
        self.send_update(self.update_claim(item::claim_key(&seen.key, seen.generation), update)).await
    }

    async fn read_claim(&self, key: &ClaimKey, generation: Generation) -> Result<Existing, LedgerError> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.tables.claims)
            .set_key(Some(item::claim_key(key, generation)))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| ledger_error(&error, false))?;
        existing_claim(answer.item())
    }

    async fn known_content(
        &self,
        content: ContentHash,
        generation: Generation,
    ) -> Result<Option<KnownContent>, LedgerError> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.tables.commits)
            .set_key(Some(item::commit_key(content, generation)))
            .projection_expression("#state, #filed_under, #filing_order")
            .set_expression_attribute_names(Some(
                item::KNOWN_ATTRIBUTES
                    .iter()
                    .map(|attribute| (format!("#{attribute}"), (*attribute).to_owned()))
                    .collect(),
            ))
            .send()
            .await
            .map_err(|error| ledger_error(&error, false))?;
        answer.item().map(item::read_known).transpose().map_err(corrupt)
    }

    async fn read_commit(
        &self,
        content: ContentHash,
        generation: Generation,
    ) -> Result<Option<CommitRow<D>>, LedgerError> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.tables.commits)
            .set_key(Some(item::commit_key(content, generation)))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| ledger_error(&error, false))?;
        answer.item().map(item::read_commit).transpose().map_err(corrupt)
    }

    async fn commit(&self, plan: &CommitPlan<D>) -> Result<RoundReply, LedgerError> {
        let mut actions = Vec::new();
        if let Some(row) = plan.row() {
            let item = item::commit(row).map_err(|error| invalid(error.attribute))?;
            if item::size_bytes(&item) > item::ITEM_MAX_BYTES {
                return Err(LedgerError {
                    kind: LedgerErrorKind::TooLarge,
                    may_have_happened: false,
                    code: "item_too_large".to_owned(),
                });
            }
            actions.push((Action::Row, put_if_absent(&self.tables.commits, item, name::CONTENT_HASH)));
        }
        let claim = plan.claim();
        let update = self.update_claim(
            item::claim_key(claim.key(), claim.generation()),
            self.commit_claim_expression(plan),
        );
        actions.push((Action::Claim, update.in_transaction()));
        if let Some(change) = plan.pointer() {
            actions.push((Action::Pointer, self.move_pointer(&plan.document_key(), change)));
        }
        for intent in plan.intents() {
            let put = self.put_intent(&intent);
            actions.push((Action::Intent(intent.id), put));
        }
        match self.transact(actions, Some(plan.request_token())).await? {
            Transaction::Applied => Ok(RoundReply::Applied),
            Transaction::Cancelled(cancelled) => Ok(RoundReply::Cancelled(cancelled)),
        }
    }

    async fn finish(&self, finish: &Finish, notices: &[Intent]) -> Result<Written<Existing>, LedgerError> {
        let key = item::claim_key(&finish.seen.key, finish.seen.generation);
        let update = || self.update_claim(key.clone(), self.finish_expression(finish));
        let mut notices: Vec<&Intent> = notices.iter().collect();
        // Each round leaves out at least one notice, so there are at most as many as notices.
        while !notices.is_empty() {
            let mut actions = vec![(Action::Claim, update().in_transaction())];
            actions.extend(
                notices.iter().map(|notice| (Action::Intent(notice.id.clone()), self.put_intent(notice))),
            );
            match self.transact(actions, None).await? {
                Transaction::Applied => return Ok(Written::Yes),
                Transaction::Cancelled(Cancelled { claim: Some(existing), .. }) => {
                    return Ok(Written::Refused(existing));
                }
                Transaction::Cancelled(cancelled) => {
                    let before = notices.len();
                    notices.retain(|notice| !cancelled.recorded.contains(&notice.id));
                    if notices.len() == before {
                        return Err(LedgerError {
                            kind: LedgerErrorKind::Throttled,
                            may_have_happened: false,
                            code: "transaction_conflict".to_owned(),
                        });
                    }
                }
            }
        }
        self.send_update(update()).await
    }

    async fn release(&self, release: &Release) -> Result<Written<Existing>, LedgerError> {
        let mut update = Expression::default()
            .set("#lease", name::LEASE_EXPIRES_AT, ":lease", number(0))
            .set("#attempts", name::ATTEMPTS, ":attempts", number(release.attempts))
            .set("#failures", name::FAILURES, ":failures", item::failures(&release.failures));
        if let Some(since) = release.not_found_since {
            update = update.set("#since", name::NOT_FOUND_SINCE, ":since", number(since.0));
        }
        let update = Self::held(update, &release.seen);
        self.send_update(
            self.update_claim(item::claim_key(&release.seen.key, release.seen.generation), update),
        )
        .await
    }

    async fn read_pointer(&self, key: &DocumentKey) -> Result<Option<Pointer>, LedgerError> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.tables.documents)
            .set_key(Some(item::pointer_key(key)))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| ledger_error(&error, false))?;
        answer.item().map(item::read_pointer).transpose().map_err(corrupt)
    }

    async fn write_pointer(
        &self,
        key: &DocumentKey,
        write: &PointerWrite,
    ) -> Result<Written<()>, LedgerError> {
        let (condition, names, values) = revision_is(write.read_revision);
        let answer = self
            .client
            .put_item()
            .table_name(&self.tables.documents)
            .set_item(Some(item::pointer(key, write)))
            .condition_expression(condition)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .send()
            .await;
        match answer {
            Ok(_) => Ok(Written::Yes),
            Err(error) => match error.as_service_error() {
                Some(PutItemError::ConditionalCheckFailedException(_)) => Ok(Written::Refused(())),
                _ => Err(ledger_error(&error, true)),
            },
        }
    }
}
