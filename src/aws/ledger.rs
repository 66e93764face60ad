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
use crate::claim::{
    ClaimRecord, ClaimRequest, Finish, Purpose, Release, STATUS_IN_PROGRESS, Seen, TakeOver, Wait,
};
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

impl<D: Posted> DynamoLedger<D> {
    async fn transact(
        &self,
        actions: Vec<(Action, TransactWriteItem)>,
        request_token: Option<&str>,
    ) -> Result<RoundReply, LedgerError> {
        let (actions, items): (Vec<_>, Vec<_>) = actions.into_iter().unzip();
        let answer = self
            .client
            .transact_write_items()
            .set_transact_items(Some(items))
            .set_client_request_token(request_token.map(str::to_owned))
            .send()
            .await;
        match answer {
            Ok(_) => Ok(RoundReply::Applied),
            Err(error) => match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                    read_reasons(&actions, cancelled.cancellation_reasons()).map(RoundReply::Cancelled)
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
            for attribute in [name::NOT_FOUND_SINCE, name::JOB_ID, name::WAITS] {
                update = update.remove(&format!("#{attribute}"), attribute);
            }
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
        self.transact(actions, Some(plan.request_token())).await
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
                RoundReply::Applied => return Ok(Written::Yes),
                RoundReply::Cancelled(Cancelled { claim: Some(existing), .. }) => {
                    return Ok(Written::Refused(existing));
                }
                RoundReply::Cancelled(cancelled) => {
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

    async fn wait(&self, wait: &Wait) -> Result<Written<Existing>, LedgerError> {
        let mut update = Expression::default()
            .set("#lease", name::LEASE_EXPIRES_AT, ":lease", number(wait.lease_expires_at.0))
            .set("#attempts", name::ATTEMPTS, ":attempts", number(wait.attempts))
            .set("#waits", name::WAITS, ":waits", number(wait.waits.count));
        if let Some(job_id) = &wait.waits.job_id {
            update = update.set("#job", name::JOB_ID, ":job", text(job_id));
        }
        let update = Self::held(update, &wait.seen);
        self.send_update(self.update_claim(item::claim_key(&wait.seen.key, wait.seen.generation), update))
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
    use aws_sdk_dynamodb::config::retry::RetryConfig;
    use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedHttpClient};
    use aws_sdk_dynamodb::error::{ConnectorError, ErrorMetadata};
    use aws_smithy_http_client::test_util::{ReplayEvent, StaticReplayClient};
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::claim::{Claim, ClaimState, Ending, Failure, FencingToken, FinishedStatus, Waits};
    use crate::commit::RowState;
    use crate::effect::Operation;
    use crate::event::{Origin, Request};
    use crate::identity::{ETag, EpochMs, ObjectVersion, Sequencer, VersionId};
    use crate::pointer::{Filing, Order};
    use crate::posting::Reason;
    use crate::posting::tests::Note;

    const NOW: EpochMs = EpochMs(5_000_999);
    const RETENTION_S: u64 = 60;

    fn version() -> ObjectVersion {
        ObjectVersion {
            bucket: "b".into(),
            key: "k".into(),
            version_id: VersionId::Id("V1".into()),
            etag: ETag::new("e"),
        }
    }

    fn request(token: &str, sequencer: &str) -> ClaimRequest {
        ClaimRequest {
            key: ClaimKey::of(&version()).unwrap(),
            version: version(),
            generation: Generation::FIRST,
            token: FencingToken(token.into()),
            request: Request::Created,
            origin: Origin::Event,
            sequencer: Sequencer::new(sequencer),
            event_time: None,
            envelope: "{}".into(),
            redriven_from_cycle: None,
            now: NOW,
            lease_expires_at: NOW.plus_ms(60_000),
            attempt_limit: 3,
        }
    }

    fn failure() -> Failure {
        Failure { at: EpochMs(3), attempt: 1, kind: "timeout".into(), message: "late".into() }
    }

    fn named(read_in: u32) -> Named {
        Named {
            version_id: VersionId::Id("V1".into()),
            etag: ETag::new("e"),
            content_hash: ContentHash::of(b"x"),
            generation: Generation::new(read_in).unwrap(),
            filing: Filing { under: "P".into(), order: "2026".into() },
        }
    }

    fn pointer_write(sequencer: &str, order: Order, state: PointerState, read_in: u32) -> PointerWrite {
        PointerWrite {
            read_revision: 3,
            names: Some(named(read_in)),
            sequencer: Sequencer::new(sequencer),
            order,
            state,
        }
    }

    fn document_key() -> DocumentKey {
        DocumentKey::new("b", "k")
    }

    fn intent(receiver: &str) -> Intent {
        Intent {
            id: EffectId::of_commit(Operation::Posted, receiver, Generation::FIRST, ContentHash::of(b"x")),
            operation: Operation::Posted,
            receiver: receiver.into(),
            payload: json!({}),
            recorded_at: NOW,
        }
    }

    fn commit_item() -> Item {
        item::commit(&CommitRow {
            content_hash: ContentHash::of(b"x"),
            generation: Generation::FIRST,
            document: Note::of("P"),
            source: version(),
            committed_at: NOW,
            extractor: "notes 1".into(),
        })
        .unwrap()
    }

    fn without(mut item: Item, attribute: &str) -> Item {
        item.remove(attribute);
        item
    }

    fn said(code: &str) -> CancellationReason {
        CancellationReason::builder().code(code).build()
    }

    fn refused(item: Option<Item>) -> CancellationReason {
        CancellationReason::builder().code(CONDITION_FAILED).set_item(item).build()
    }

    fn corrupt_in(attribute: &str) -> Result<Cancelled, LedgerError> {
        Err(LedgerError {
            kind: LedgerErrorKind::Corrupt,
            may_have_happened: false,
            code: format!("corrupt_{attribute}"),
        })
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table, a row a case")]
    fn the_reasons_of_a_cancelled_transaction() {
        let none = || said("None");
        let silent = || CancellationReason::builder().build();
        let actions = [
            Action::Row,
            Action::Claim,
            Action::Pointer,
            Action::Intent(intent("events").id),
            Action::Intent(intent("desk").id),
        ];
        let claim_item = || item::new_claim(&request("theirs", "0A"));
        let claim = || item::read_claim(&claim_item()).map(Box::new).unwrap();
        let pointer_item =
            || item::pointer(&document_key(), &pointer_write("0A", Order::Ordered, PointerState::Active, 1));
        let pointer = || item::read_pointer(&pointer_item()).map(Box::new).unwrap();
        let known = || item::read_known(&commit_item()).unwrap();
        let nothing = Cancelled::default;
        // Reasons by position: row, claim, pointer, the intents of two receivers.
        let at = |changes: Vec<(usize, CancellationReason)>| {
            let mut reasons = vec![none(), none(), none(), none(), none()];
            for (place, reason) in changes {
                reasons[place] = reason;
            }
            reasons
        };
        type Row = (&'static str, Vec<CancellationReason>, Result<Cancelled, LedgerError>);
        let mut table: Vec<Row> = vec![
            ("no reasons", vec![], Err(invalid("cancellation_reasons_missing"))),
            (
                "one too few",
                vec![none(), none(), none(), refused(None)],
                Err(invalid("cancellation_reasons_missing")),
            ),
            (
                "one too many",
                vec![none(), none(), none(), none(), refused(None), none()],
                Err(invalid("cancellation_reasons_missing")),
            ),
            ("nobody says why", at(vec![]), Err(invalid("cancelled_without_reason"))),
            (
                "nobody says anything",
                vec![silent(), silent(), silent(), silent(), silent()],
                Err(invalid("cancelled_without_reason")),
            ),
            (
                "the row",
                at(vec![(0, refused(Some(commit_item())))]),
                Ok(Cancelled { known: Some(known()), ..nothing() }),
            ),
            (
                "the row, beside codes that are absent",
                vec![refused(Some(commit_item())), silent(), silent(), silent(), silent()],
                Ok(Cancelled { known: Some(known()), ..nothing() }),
            ),
            ("the row without its item", at(vec![(0, refused(None))]), Err(invalid("refusal_without_row"))),
            (
                "the row with an empty item",
                at(vec![(0, refused(Some(Item::new())))]),
                Err(invalid("refusal_without_row")),
            ),
            (
                "the row, unreadable",
                at(vec![(0, refused(Some(without(commit_item(), name::STATE))))]),
                corrupt_in("state"),
            ),
            (
                "the claim",
                at(vec![(1, refused(Some(claim_item())))]),
                Ok(Cancelled { claim: Some(Some(claim())), ..nothing() }),
            ),
            (
                "the claim without its item: it is gone",
                at(vec![(1, refused(None))]),
                Ok(Cancelled { claim: Some(None), ..nothing() }),
            ),
            (
                "the claim with an empty item",
                at(vec![(1, refused(Some(Item::new())))]),
                Ok(Cancelled { claim: Some(None), ..nothing() }),
            ),
            (
                "the claim, unreadable",
                at(vec![(1, refused(Some(without(claim_item(), name::TOKEN))))]),
                corrupt_in("token"),
            ),
            (
                "the pointer",
                at(vec![(2, refused(Some(pointer_item())))]),
                Ok(Cancelled { pointer: Some(Some(pointer())), ..nothing() }),
            ),
            (
                "the pointer without its item: it is gone",
                at(vec![(2, refused(None))]),
                Ok(Cancelled { pointer: Some(None), ..nothing() }),
            ),
            (
                "the pointer with an empty item",
                at(vec![(2, refused(Some(Item::new())))]),
                Ok(Cancelled { pointer: Some(None), ..nothing() }),
            ),
            (
                "the pointer, unreadable",
                at(vec![(2, refused(Some(without(pointer_item(), name::REVISION))))]),
                corrupt_in("revision"),
            ),
            (
                "an intent, with or without its item",
                at(vec![(3, refused(None)), (4, refused(Some(item::intent(&intent("desk")))))]),
                Ok(Cancelled { recorded: vec![intent("events").id, intent("desk").id], ..nothing() }),
            ),
            (
                "the second intent alone",
                at(vec![(4, refused(None))]),
                Ok(Cancelled { recorded: vec![intent("desk").id], ..nothing() }),
            ),
            (
                "everything at once",
                vec![
                    refused(Some(commit_item())),
                    refused(Some(claim_item())),
                    refused(Some(pointer_item())),
                    refused(None),
                    said("TransactionConflict"),
                ],
                Ok(Cancelled {
                    known: Some(known()),
                    claim: Some(Some(claim())),
                    pointer: Some(Some(pointer())),
                    recorded: vec![intent("events").id],
                    conflict: true,
                }),
            ),
            (
                "a conflict beside a refusal",
                at(vec![(0, said("TransactionConflict")), (2, refused(None))]),
                Ok(Cancelled { pointer: Some(None), conflict: true, ..nothing() }),
            ),
            (
                "an unknown code before a refusal",
                at(vec![(0, said("AccessDenied")), (1, refused(None))]),
                Err(invalid("transaction_refused")),
            ),
            (
                "an unknown code after a refusal",
                at(vec![(1, refused(None)), (4, said("AccessDenied"))]),
                Err(invalid("transaction_refused")),
            ),
            (
                "an unknown code beside a conflict",
                at(vec![(1, said("TransactionConflict")), (4, said("ValidationError"))]),
                Err(invalid("transaction_refused")),
            ),
        ];
        for undecided in [
            "TransactionConflict",
            "ThrottlingError",
            "ProvisionedThroughputExceeded",
            "RequestLimitExceeded",
        ] {
            for place in 0..actions.len() {
                let expected = Ok(Cancelled { conflict: true, ..nothing() });
                table.push((undecided, at(vec![(place, said(undecided))]), expected));
            }
        }
        for unknown in [
            "ValidationError",
            "ItemCollectionSizeLimitExceeded",
            "DuplicateItem",
            "none",
            "conditionalCheckFailed",
            "",
        ] {
            for place in 0..actions.len() {
                let expected = Err(invalid("transaction_refused"));
                table.push((unknown, at(vec![(place, said(unknown))]), expected));
            }
        }
        for (name, reasons, expected) in table {
            assert_eq!(read_reasons(&actions, &reasons), expected, "{name}: {reasons:?}");
        }
    }

    #[test]
    fn reasons_are_read_by_the_place_of_their_action() {
        // A round without a row and a pointer: the first reason is the claim's, the second an intent's.
        let actions = [Action::Claim, Action::Intent(intent("desk").id)];
        let lost = Cancelled { claim: Some(None), ..Cancelled::default() };
        let told = Cancelled { recorded: vec![intent("desk").id], ..Cancelled::default() };
        let table = [
            ([refused(None), said("None")], lost.clone()),
            ([said("None"), refused(None)], told.clone()),
            ([refused(None), refused(None)], Cancelled { recorded: told.recorded, ..lost }),
        ];
        for (reasons, expected) in table {
            assert_eq!(read_reasons(&actions, &reasons), Ok(expected), "{reasons:?}");
        }
        assert_eq!(read_reasons(&[], &[]), Err(invalid("cancelled_without_reason")));
    }

    #[test]
    fn an_error_says_whether_it_may_pass_and_whether_it_may_have_happened() {
        use LedgerErrorKind::{Denied, Invalid, Throttled, Unavailable};
        type Failed = SdkError<PutItemError>;
        let answered = |status: u16, code: Option<&str>| -> Failed {
            let mut metadata = ErrorMetadata::builder();
            if let Some(code) = code {
                metadata = metadata.code(code);
            }
            let raw = HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::empty());
            SdkError::service_error(PutItemError::generic(metadata.build()), raw)
        };
        let raw = || HttpResponse::new(StatusCode::try_from(200).unwrap(), SdkBody::empty());
        let lost = |error| -> Failed { SdkError::dispatch_failure(error) };
        // The error, its kind, its code, whether a write may have happened, whether the batch stops.
        let table: Vec<(Failed, LedgerErrorKind, &str, bool, bool)> = vec![
            (answered(400, Some("ThrottlingException")), Throttled, "ThrottlingException", true, false),
            (
                answered(400, Some("ProvisionedThroughputExceededException")),
                Throttled,
                "ProvisionedThroughputExceededException",
                true,
                false,
            ),
            (answered(400, Some("RequestLimitExceeded")), Throttled, "RequestLimitExceeded", true, false),
            (answered(400, Some("LimitExceededException")), Throttled, "LimitExceededException", true, false),
            (
                answered(400, Some("TransactionConflictException")),
                Throttled,
                "TransactionConflictException",
                true,
                false,
            ),
            (
                answered(400, Some("TransactionInProgressException")),
                Throttled,
                "TransactionInProgressException",
                true,
                false,
            ),
            // A throttle that is answered as an outage is a throttle still.
            (answered(503, Some("ThrottlingException")), Throttled, "ThrottlingException", true, false),
            (answered(400, Some("AccessDeniedException")), Denied, "AccessDeniedException", true, true),
            (
                answered(400, Some("ResourceNotFoundException")),
                Denied,
                "ResourceNotFoundException",
                true,
                true,
            ),
            (
                answered(400, Some("UnrecognizedClientException")),
                Denied,
                "UnrecognizedClientException",
                true,
                true,
            ),
            (answered(400, Some("ExpiredTokenException")), Denied, "ExpiredTokenException", true, true),
            (
                answered(400, Some("InvalidSignatureException")),
                Denied,
                "InvalidSignatureException",
                true,
                true,
            ),
            (
                answered(400, Some("MissingAuthenticationTokenException")),
                Denied,
                "MissingAuthenticationTokenException",
                true,
                true,
            ),
            (
                answered(400, Some("IncompleteSignatureException")),
                Denied,
                "IncompleteSignatureException",
                true,
                true,
            ),
            (answered(500, Some("InternalServerError")), Unavailable, "InternalServerError", true, true),
            (answered(503, Some("ServiceUnavailable")), Unavailable, "ServiceUnavailable", true, true),
            (answered(502, None), Unavailable, "http_502", true, true),
            (answered(400, Some("ValidationException")), Invalid, "ValidationException", true, false),
            (
                answered(400, Some("IdempotentParameterMismatchException")),
                Invalid,
                "IdempotentParameterMismatchException",
                true,
                false,
            ),
            (
                answered(400, Some("ItemCollectionSizeLimitExceededException")),
                Invalid,
                "ItemCollectionSizeLimitExceededException",
                true,
                false,
            ),
            (answered(404, None), Invalid, "http_404", true, false),
            // What is no code of AWS is not repeated.
            (answered(400, Some("lease of a tenant")), Invalid, "http_400", true, false),
            (SdkError::construction_failure("x"), Denied, "request_not_built", false, true),
            (SdkError::timeout_error("x"), Unavailable, "timeout", true, true),
            (lost(ConnectorError::timeout("x".into())), Unavailable, "connection_timeout", true, true),
            (lost(ConnectorError::io("x".into())), Unavailable, "connection_failed", true, true),
            (lost(ConnectorError::user("x".into())), Unavailable, "request_not_sent", true, true),
            (SdkError::response_error("x", raw()), Unavailable, "answer_unreadable", true, true),
        ];
        for (error, kind, code, may_have_happened, stops) in table {
            let code = code.to_owned();
            let write = ledger_error(&error, true);
            assert_eq!(write, LedgerError { kind, may_have_happened, code: code.clone() });
            assert_eq!(write.is_store_down(), stops, "{code}");
            assert_eq!(write.may_pass(), matches!(kind, Unavailable | Throttled), "{code}");
            let read = ledger_error(&error, false);
            assert_eq!(read, LedgerError { kind, may_have_happened: false, code });
        }
    }

    #[test]
    fn clauses_are_written_only_if_they_have_parts() {
        type Row = (&'static [&'static str], &'static [&'static str], Option<&'static str>, &'static str);
        let table: [Row; 8] = [
            (&[], &[], None, ""),
            (&["#a = :a"], &[], None, "SET #a = :a"),
            (&["#a = :a", "#b = :b"], &[], None, "SET #a = :a, #b = :b"),
            (&[], &["#c"], None, "REMOVE #c"),
            (&[], &["#c", "#d"], None, "REMOVE #c, #d"),
            (&["#a = :a"], &["#c"], None, "SET #a = :a REMOVE #c"),
            (&[], &[], Some("#e :one"), "ADD #e :one"),
            (&["#a = :a", "#b = :b"], &["#c"], Some("#e :one"), "SET #a = :a, #b = :b REMOVE #c ADD #e :one"),
        ];
        for (set, remove, add, expected) in table {
            let owned = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
            assert_eq!(clauses(&owned(set), &owned(remove), add), expected);
        }
    }

    /// One write as DynamoDB would be told of it, and what it would do.
    struct Sent {
        update: String,
        condition: String,
        names: BTreeMap<String, String>,
        values: BTreeMap<String, AttributeValue>,
    }

    impl Sent {
        fn of(expression: Expression) -> Self {
            let sent = Self {
                update: clauses(&expression.set, &expression.remove, expression.add.as_deref()),
                condition: expression.condition,
                names: expression.names.into_iter().collect(),
                values: expression.values.into_iter().collect(),
            };
            sent.check_aliases();
            sent
        }

        /// What went over the wire.
        fn read(request: &Value) -> Self {
            let text = |member: &str| request[member].as_str().unwrap_or_default().to_owned();
            let members = |member: &str| request[member].as_object().cloned().unwrap_or_default();
            let sent = Self {
                update: text("UpdateExpression"),
                condition: text("ConditionExpression"),
                names: members("ExpressionAttributeNames")
                    .into_iter()
                    .map(|(alias, name)| (alias, name.as_str().unwrap().to_owned()))
                    .collect(),
                values: members("ExpressionAttributeValues")
                    .into_iter()
                    .map(|(alias, value)| (alias, from_wire(&value)))
                    .collect(),
            };
            sent.check_aliases();
            sent
        }

        /// DynamoDB refuses an alias that is not declared, and one that is declared and not used.
        fn check_aliases(&self) {
            let text = format!("{} {}", self.update, self.condition);
            let used: BTreeSet<&str> = text
                .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'))
                .filter(|word| word.starts_with(['#', ':']))
                .collect();
            let declared: BTreeSet<&str> =
                self.names.keys().chain(self.values.keys()).map(String::as_str).collect();
            assert_eq!(used, declared, "{text}");
        }

        fn operand<'a>(&'a self, word: &str, item: Option<&'a Item>) -> Option<&'a AttributeValue> {
            if word.starts_with(':') {
                return self.values.get(word);
            }
            item?.get(self.names.get(word).map_or(word, String::as_str))
        }

        /// Whether the condition holds on what stands there.
        fn holds(&self, item: Option<&Item>) -> bool {
            let spaced = self.condition.replace('(', " ( ").replace(')', " ) ");
            let mut words = spaced.split_whitespace().peekable();
            let held = self.any(&mut words, item);
            assert_eq!(words.next(), None, "{}", self.condition);
            held
        }

        fn any(&self, words: &mut Words<'_>, item: Option<&Item>) -> bool {
            let mut held = self.all(words, item);
            while words.next_if_eq(&"OR").is_some() {
                held |= self.all(words, item);
            }
            held
        }

        fn all(&self, words: &mut Words<'_>, item: Option<&Item>) -> bool {
            let mut held = self.one(words, item);
            while words.next_if_eq(&"AND").is_some() {
                held &= self.one(words, item);
            }
            held
        }

        fn one(&self, words: &mut Words<'_>, item: Option<&Item>) -> bool {
            let word = words.next().unwrap();
            if word == "(" {
                let held = self.any(words, item);
                assert_eq!(words.next(), Some(")"));
                return held;
            }
            if word == "attribute_not_exists" {
                assert_eq!(words.next(), Some("("));
                let absent = self.operand(words.next().unwrap(), item).is_none();
                assert_eq!(words.next(), Some(")"));
                return absent;
            }
            let left = self.operand(word, item);
            let compare = words.next().unwrap();
            let right = self.operand(words.next().unwrap(), item);
            // A comparison with what is absent is false, and so is one of two kinds.
            let order = match (left, right) {
                (Some(AttributeValue::S(left)), Some(AttributeValue::S(right))) => Some(left.cmp(right)),
                (Some(AttributeValue::N(left)), Some(AttributeValue::N(right))) => {
                    Some(left.parse::<u64>().unwrap().cmp(&right.parse::<u64>().unwrap()))
                }
                _ => None,
            };
            match compare {
                "=" => order.is_some_and(std::cmp::Ordering::is_eq),
                "<" => order.is_some_and(std::cmp::Ordering::is_lt),
                other => panic!("an operator of no condition here: {other}"),
            }
        }

        /// The item after the update.
        fn apply(&self, mut item: Item) -> Item {
            let mut clauses: BTreeMap<&str, String> = BTreeMap::new();
            let mut keyword = "";
            for word in self.update.split_whitespace() {
                if matches!(word, "SET" | "REMOVE" | "ADD") {
                    assert!(!clauses.contains_key(word), "a clause stands once");
                    keyword = word;
                }
                let clause = clauses.entry(keyword).or_default();
                if word != keyword {
                    clause.push_str(word);
                }
            }
            let parts = |keyword: &str| {
                let clause = clauses.get(keyword).cloned().unwrap_or_default();
                clause.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>()
            };
            for part in parts("SET") {
                let (alias, value) = part.split_once('=').unwrap();
                item.insert(self.names[alias].clone(), self.values[value].clone());
            }
            for alias in parts("REMOVE") {
                item.remove(&self.names[&alias]);
            }
            for part in parts("ADD") {
                let (alias, value) = part.split_at(part.find(':').unwrap());
                let number = |value: Option<&AttributeValue>| {
                    value.map_or(0, |value| value.as_n().unwrap().parse::<u64>().unwrap())
                };
                let sum = number(item.get(&self.names[alias])) + number(self.values.get(value));
                item.insert(self.names[alias].clone(), item::number(sum));
            }
            item
        }
    }

    type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

    /// An attribute as DynamoDB's protocol writes it.
    fn from_wire(value: &Value) -> AttributeValue {
        let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
        match kind.as_str() {
            "S" => text(value.as_str().unwrap()),
            "N" => number(value.as_str().unwrap()),
            "L" => AttributeValue::L(value.as_array().unwrap().iter().map(from_wire).collect()),
            "M" => AttributeValue::M(item_from_wire(value)),
            other => panic!("a kind that is not written here: {other}"),
        }
    }

    fn item_from_wire(members: &Value) -> Item {
        members.as_object().unwrap().iter().map(|(name, value)| (name.clone(), from_wire(value))).collect()
    }

    fn to_wire(item: &Item) -> Value {
        let wire = |value: &AttributeValue| match value {
            AttributeValue::S(text) => json!({ "S": text }),
            AttributeValue::N(digits) => json!({ "N": digits }),
            other => panic!("a kind that is not read here: {other:?}"),
        };
        item.iter().map(|(name, value)| (name.clone(), wire(value))).collect()
    }

    fn orders() -> impl Strategy<Value = Order> {
        prop_oneof![3 => Just(Order::Ordered), 1 => Just(Order::Listed)]
    }

    fn pointer_states() -> impl Strategy<Value = PointerState> {
        prop_oneof![2 => Just(PointerState::Active), 1 => Just(PointerState::Removed)]
    }

    proptest! {
        #[test]
        fn an_ordered_move_goes_forward_and_no_other_way(
            existing in proptest::option::of(("0?[AB]?[AB]", orders(), pointer_states(), 1u32..4, any::<bool>())),
            sequencer in "0?[AB][AB]?0?",
            read_in in 1u32..4,
        ) {
            let sequencer = Sequencer::new(&sequencer).unwrap();
            let existing = existing.map(|(at, order, state, read_in, names)| {
                let mut write = pointer_write(&at, order, state, read_in);
                if !names {
                    write.names = None;
                }
                item::pointer(&document_key(), &write)
            });
            let sent = Sent::of(in_order(&named(read_in), sequencer.as_str()));
            // The rule as the protocol words it.
            let expected = match existing.as_ref().map(|item| item::read_pointer(item).unwrap()) {
                None => true,
                Some(pointer) if pointer.order == Order::Listed => false,
                Some(pointer) => {
                    let read_before = pointer.names.is_some_and(|names| names.generation.get() < read_in);
                    pointer.sequencer.is_some_and(|at| at < sequencer || (at == sequencer && read_before))
                }
            };
            prop_assert_eq!(sent.holds(existing.as_ref()), expected);
            let revision = existing.as_ref().map_or(0, |item| item::read_pointer(item).unwrap().revision);
            let moved = sent.apply(existing.unwrap_or_else(|| item::pointer_key(&document_key())));
            // It stands as a pointer that is written whole would.
            let whole = PointerWrite {
                read_revision: revision,
                names: Some(named(read_in)),
                sequencer: Some(sequencer),
                order: Order::Ordered,
                state: PointerState::Active,
            };
            prop_assert_eq!(moved, item::pointer(&document_key(), &whole));
        }

        #[test]
        fn a_pointer_that_changed_since_it_was_read_refuses(
            read_revision in 0u64..4,
            stands_at in proptest::option::of(0u64..4),
        ) {
            let (condition, names, values) = revision_is(read_revision);
            let sent = Sent {
                update: String::new(),
                condition: condition.to_owned(),
                names: names.unwrap_or_default().into_iter().collect(),
                values: values.unwrap_or_default().into_iter().collect(),
            };
            sent.check_aliases();
            let item = stands_at.map(|revision| {
                let write = PointerWrite {
                    read_revision: revision,
                    ..pointer_write("0A", Order::Listed, PointerState::Removed, 1)
                };
                item::pointer(&document_key(), &write)
            });
            // A pointer that is written after a read of revision n stands at n + 1.
            let expected = read_revision == stands_at.map_or(0, |revision| revision + 1);
            prop_assert_eq!(sent.holds(item.as_ref()), expected);
        }
    }

    fn client(answers: Vec<(u16, Value)>) -> (StaticReplayClient, Client) {
        let event = |(status, body): (u16, Value)| {
            let status = StatusCode::try_from(status).unwrap();
            ReplayEvent::new(HttpRequest::empty(), HttpResponse::new(status, SdkBody::from(body.to_string())))
        };
        let wire = StaticReplayClient::new(answers.into_iter().map(event).collect());
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-central-1"))
            .credentials_provider(Credentials::for_tests())
            .retry_config(RetryConfig::disabled())
            .http_client(SharedHttpClient::new(wire.clone()))
            .build();
        (wire, Client::from_conf(config))
    }

    fn ledger(
        claim_retention_s: Option<u64>,
        answers: Vec<(u16, Value)>,
    ) -> (StaticReplayClient, DynamoLedger<Note>) {
        let (wire, client) = client(answers);
        (wire, DynamoLedger::new(client, TableNames::with_prefix("t-"), claim_retention_s))
    }

    /// What was asked: the operation and its members.
    fn asked(wire: &StaticReplayClient) -> Vec<(String, Value)> {
        wire.actual_requests()
            .map(|request| {
                let target = request.headers().get("x-amz-target").unwrap();
                let operation = target.rsplit_once('.').unwrap().1.to_owned();
                (operation, serde_json::from_slice(request.body().bytes().unwrap()).unwrap())
            })
            .collect()
    }

    /// A claim in progress under the token `mine`.
    fn held_item() -> Item {
        item::new_claim(&request("mine", "0A"))
    }

    /// A claim that ended with everything an end can leave behind.
    fn ended_item(status: FinishedStatus, token: &str, cycle: u32) -> Item {
        let mut item = item::new_claim(&request(token, "0A"));
        item.remove(name::LEASE_EXPIRES_AT);
        item.extend([
            (name::STATUS.into(), text(status.as_str())),
            (name::CYCLE.into(), number(cycle)),
            (name::FINISHED_AT.into(), number(1)),
            (name::CONTENT_HASH.into(), text(ContentHash::of(b"x").to_string())),
            (name::REASON.into(), text("archived")),
            (name::REASON_DETAIL.into(), text("d")),
            (name::FAILURES.into(), item::failures(&[failure()])),
            (name::ENVELOPE.into(), text("{}")),
            (name::FOUND.into(), item::from_json(&json!({ "rent": 1 }))),
            (name::OPEN_KIND.into(), text(status.as_str())),
            (name::OPENED_AT.into(), number(1)),
            (name::EXPIRES_AT.into(), number(1)),
            (name::NOT_FOUND_SINCE.into(), number(4)),
        ]);
        item
    }

    fn finish(status: FinishedStatus, found: Option<Value>, envelope: Option<&str>) -> Finish {
        Finish {
            seen: Seen {
                key: request("mine", "").key,
                generation: Generation::FIRST,
                token: FencingToken("mine".into()),
            },
            attempts: 1,
            cycle: 0,
            first_claimed_at: NOW,
            end: Ending {
                status,
                reason: Reason::new("code", "detail"),
                content_hash: found.as_ref().map(|_| ContentHash::of(b"x")),
                found,
            },
            finished_at: NOW,
            envelope: envelope.map(str::to_owned),
            failures: vec![failure()],
        }
    }

    /// A held claim is one in progress under this token, and nothing else is.
    fn check_that_only_the_holder_may(sent: &Sent) {
        let with = |attribute: &str, value: &str| {
            let mut item = held_item();
            item.insert(attribute.to_owned(), text(value));
            item
        };
        let table = [
            (Some(held_item()), true),
            (Some(with(name::TOKEN, "theirs")), false),
            (Some(with(name::TOKEN, "")), false),
            (Some(with(name::STATUS, "committed")), false),
            (Some(with(name::STATUS, "review")), false),
            (Some(without(held_item(), name::TOKEN)), false),
            (Some(without(held_item(), name::STATUS)), false),
            (Some(Item::new()), false),
            (None, false),
        ];
        for (item, expected) in table {
            assert_eq!(sent.holds(item.as_ref()), expected, "{item:?}");
        }
    }

    #[tokio::test]
    async fn an_end_leaves_what_people_need_and_expires_unless_it_waits_for_them() {
        for status in FinishedStatus::ALL {
            for retention_s in [None, Some(RETENTION_S)] {
                for (found, envelope) in [(None, None), (Some(json!({ "rent": "1" })), Some("{}"))] {
                    let (_, ledger) = ledger(retention_s, Vec::new());
                    let finish = finish(status, found.clone(), envelope);
                    let sent = Sent::of(ledger.finish_expression(&finish));
                    check_that_only_the_holder_may(&sent);
                    let item = sent.apply(held_item());
                    let case = format!("{status:?} {retention_s:?} {found:?}");
                    let waits = matches!(status, FinishedStatus::Review | FinishedStatus::DeadLettered);
                    let open = waits.then(|| (text(status.as_str()), number(NOW.0)));
                    assert_eq!(
                        item.get(name::OPEN_KIND).cloned().zip(item.get(name::OPENED_AT).cloned()),
                        open,
                        "{case}"
                    );
                    // In whole seconds: 5,000 of them have passed.
                    let expiry = retention_s.filter(|_| !waits).map(|_| number(5_000 + RETENTION_S));
                    assert_eq!(item.get(name::EXPIRES_AT).cloned(), expiry, "{case}");
                    assert!(!item.contains_key(name::LEASE_EXPIRES_AT), "{case}");
                    let before = item::read_claim(&held_item()).unwrap();
                    let after = item::read_claim(&item).unwrap();
                    assert_eq!(
                        after,
                        ClaimRecord {
                            state: ClaimState::Finished(crate::claim::Receipt {
                                status,
                                finished_at: NOW,
                                content_hash: finish.end.content_hash,
                                reason: Some(Reason::new("code", "detail")),
                            }),
                            failures: vec![failure()],
                            found,
                            envelope: envelope.map(str::to_owned),
                            ..before
                        },
                        "{case}"
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn a_commit_ends_its_claim_and_nobody_elses() {
        let claim = || Claim::put(request("mine", "0A"));
        let row = || item::read_commit::<Note>(&commit_item()).unwrap();
        let hash = ContentHash::of(b"x");
        for retention_s in [None, Some(RETENTION_S)] {
            let posted = CommitPlan::new(claim(), row(), None, Vec::new(), "r".into());
            let known = CommitPlan::of_known(claim(), hash, row().filing(), NOW, "r".into());
            for (plan, status) in
                [(posted, FinishedStatus::Committed), (known, FinishedStatus::DuplicateContent)]
            {
                let (_, ledger) = ledger(retention_s, Vec::new());
                let sent = Sent::of(ledger.commit_claim_expression(&plan));
                check_that_only_the_holder_may(&sent);
                let item = sent.apply(held_item());
                let record = item::read_claim(&item).unwrap();
                let receipt = record.receipt().unwrap();
                assert_eq!((receipt.status, receipt.finished_at), (status, NOW));
                assert_eq!((receipt.content_hash, &receipt.reason), (Some(hash), &None));
                let expiry = retention_s.map(|_| number(5_000 + RETENTION_S));
                assert_eq!(item.get(name::EXPIRES_AT).cloned(), expiry);
                assert!(!item.contains_key(name::LEASE_EXPIRES_AT) && !item.contains_key(name::OPEN_KIND));
            }
        }
    }

    #[tokio::test]
    async fn a_take_over_keeps_the_history_and_takes_the_end_away() {
        use FinishedStatus::{DeadLettered, Missing, Review};
        let in_progress = || item::new_claim(&request("theirs", "0A"));
        let asking = || {
            let mut item = in_progress();
            item.insert(name::PURPOSE.into(), text(item::PURPOSE_ASK_PERSON));
            item.insert(name::NOT_FOUND_SINCE.into(), number(4));
            item
        };
        let waiting = || {
            let mut item = in_progress();
            item.extend([(name::JOB_ID.into(), text("job")), (name::WAITS.into(), number(3))]);
            item
        };
        // What is taken over, into which cycle, for what, with which sequencer.
        let table = [
            (in_progress(), 0, Purpose::Process, "0B"),
            (asking(), 0, Purpose::AskPerson, "0B"),
            (asking(), 0, Purpose::Process, ""),
            (waiting(), 0, Purpose::Process, "0B"),
            (waiting(), 1, Purpose::Process, "0B"),
            (ended_item(Review, "theirs", 2), 3, Purpose::Process, "0B"),
            (ended_item(DeadLettered, "theirs", 0), 1, Purpose::AskPerson, "0C"),
            (ended_item(Missing, "theirs", 2), 2, Purpose::Process, ""),
        ];
        for (before, cycle, purpose, sequencer) in table {
            let seen = item::read_claim(&before).unwrap();
            let plan = TakeOver { attempt: 2, cycle, sequencer: Sequencer::new(sequencer), purpose };
            let mut taking = request("mine", "");
            taking.event_time = (cycle > 0).then(|| "later".to_owned());
            let (wire, ledger) = ledger(None, vec![(200, json!({}))]);
            assert_eq!(ledger.take_over(&seen, &plan, &taking).await, Ok(Written::Yes));
            let asked = asked(&wire);
            assert_eq!(asked.len(), 1);
            assert_eq!((asked[0].0.as_str(), &asked[0].1["TableName"]), ("UpdateItem", &json!("t-claims")));
            assert_eq!(item_from_wire(&asked[0].1["Key"]), item::claim_key(&seen.key, seen.generation));
            let sent = Sent::read(&asked[0].1);
            assert!(sent.holds(Some(&before)), "{seen:?}");
            for (attribute, value) in [(name::TOKEN, "another"), (name::STATUS, "rejected")] {
                let mut changed = before.clone();
                changed.insert(attribute.to_owned(), text(value));
                assert!(!sent.holds(Some(&changed)), "{attribute} has changed");
            }
            assert!(!sent.holds(None), "no stub of a claim is made");
            let item = sent.apply(before);
            for attribute in [name::OPEN_KIND, name::OPENED_AT, name::EXPIRES_AT, name::FINISHED_AT] {
                assert!(!item.contains_key(attribute), "{attribute}");
            }
            let expected = ClaimRecord {
                state: ClaimState::InProgress { lease_expires_at: taking.lease_expires_at },
                token: taking.token.clone(),
                attempts: 2,
                cycle,
                claimed_at: NOW,
                sequencer: plan.sequencer.clone().or_else(|| seen.sequencer.clone()),
                event_time: taking.event_time.clone().or_else(|| seen.event_time.clone()),
                not_found_since: seen.not_found_since.filter(|_| cycle == seen.cycle),
                envelope: None,
                found: None,
                purpose,
                waits: if cycle == seen.cycle { seen.waits.clone() } else { Waits::default() },
                ..seen
            };
            assert_eq!(item::read_claim(&item).unwrap(), expected);
        }
    }

    #[tokio::test]
    async fn a_release_ends_the_lease_and_nothing_else() {
        for since in [None, Some(EpochMs(7))] {
            let release = Release {
                seen: Seen::of(&item::read_claim(&held_item()).unwrap()),
                attempts: 4,
                failures: vec![failure()],
                not_found_since: since,
            };
            let (wire, ledger) = ledger(Some(RETENTION_S), vec![(200, json!({}))]);
            assert_eq!(ledger.release(&release).await, Ok(Written::Yes));
            let sent = Sent::read(&asked(&wire)[0].1);
            check_that_only_the_holder_may(&sent);
            let expected = ClaimRecord {
                state: ClaimState::InProgress { lease_expires_at: EpochMs(0) },
                attempts: 4,
                failures: vec![failure()],
                not_found_since: since,
                ..item::read_claim(&held_item()).unwrap()
            };
            assert_eq!(item::read_claim(&sent.apply(held_item())), Ok(expected));
        }
    }

    #[tokio::test]
    async fn a_wait_protects_the_claim_until_then_and_notes_the_job() {
        let wait = Wait {
            seen: Seen::of(&item::read_claim(&held_item()).unwrap()),
            attempts: 0,
            lease_expires_at: EpochMs(77),
            waits: Waits { job_id: Some("job".into()), count: 2 },
        };
        let (wire, ledger) = ledger(Some(RETENTION_S), vec![(200, json!({}))]);
        assert_eq!(ledger.wait(&wait).await, Ok(Written::Yes));
        let sent = Sent::read(&asked(&wire)[0].1);
        check_that_only_the_holder_may(&sent);
        let expected = ClaimRecord {
            state: ClaimState::InProgress { lease_expires_at: EpochMs(77) },
            attempts: 0,
            waits: wait.waits,
            ..item::read_claim(&held_item()).unwrap()
        };
        assert_eq!(item::read_claim(&sent.apply(held_item())), Ok(expected));
    }

    /// The answer to a transaction that was cancelled for these reasons, each a code and maybe an item.
    fn cancelled(reasons: &[(&str, Option<Item>)]) -> (u16, Value) {
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(code, item)| match item {
                Some(item) => json!({ "Code": code, "Item": to_wire(item) }),
                None => json!({ "Code": code }),
            })
            .collect();
        let kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
        (400, json!({ "__type": kind, "Message": "cancelled", "CancellationReasons": reasons }))
    }

    fn update_refused(item: Option<&Item>) -> (u16, Value) {
        let kind = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
        let mut body = json!({ "__type": kind, "message": "refused" });
        if let Some(item) = item {
            body["Item"] = to_wire(item);
        }
        (400, body)
    }

    #[tokio::test]
    async fn an_end_with_notices_leaves_out_what_is_on_record() {
        let done = || (200, json!({}));
        let (none, failed, conflict) = ("None", CONDITION_FAILED, "TransactionConflict");
        let theirs = || item::new_claim(&request("theirs", "0A"));
        let refused = |item: Item| Ok(Written::Refused(Some(Box::new(item::read_claim(&item).unwrap()))));
        let undecided = Err(LedgerError {
            kind: LedgerErrorKind::Throttled,
            may_have_happened: false,
            code: "transaction_conflict".into(),
        });
        // Receivers, the store's answers, how many actions each request had (an update is one), what is told.
        type Row = (
            &'static [&'static str],
            Vec<(u16, Value)>,
            &'static [usize],
            Result<Written<Existing>, LedgerError>,
        );
        let table: Vec<Row> = vec![
            (&[], vec![done()], &[1], Ok(Written::Yes)),
            (&[], vec![update_refused(None)], &[1], Ok(Written::Refused(None))),
            (&[], vec![update_refused(Some(&theirs()))], &[1], refused(theirs())),
            (&["events", "desk"], vec![done()], &[3], Ok(Written::Yes)),
            (
                &["events", "desk"],
                vec![cancelled(&[(none, None), (failed, None), (none, None)]), done()],
                &[3, 2],
                Ok(Written::Yes),
            ),
            (
                &["events", "desk"],
                vec![cancelled(&[(none, None), (failed, None), (failed, None)]), done()],
                &[3, 1],
                Ok(Written::Yes),
            ),
            (
                &["events", "desk"],
                vec![
                    cancelled(&[(none, None), (none, None), (failed, None)]),
                    cancelled(&[(none, None), (failed, None)]),
                    update_refused(Some(&theirs())),
                ],
                &[3, 2, 1],
                refused(theirs()),
            ),
            (
                &["events", "desk"],
                vec![cancelled(&[(none, None), (failed, None), (conflict, None)]), done()],
                &[3, 2],
                Ok(Written::Yes),
            ),
            (&["events"], vec![cancelled(&[(conflict, None), (none, None)])], &[2], undecided),
            (&["events"], vec![cancelled(&[(failed, None), (none, None)])], &[2], Ok(Written::Refused(None))),
            (
                &["events"],
                vec![cancelled(&[(failed, Some(theirs())), (failed, None)])],
                &[2],
                refused(theirs()),
            ),
            (
                &["events"],
                vec![cancelled(&[(none, None), (none, None)])],
                &[2],
                Err(invalid("cancelled_without_reason")),
            ),
        ];
        for (receivers, answers, actions, expected) in table {
            let notices: Vec<_> = receivers.iter().map(|receiver| intent(receiver)).collect();
            let (wire, ledger) = ledger(None, answers);
            let told = ledger.finish(&finish(FinishedStatus::Review, None, None), &notices).await;
            assert_eq!(told, expected, "{receivers:?} {actions:?}");
            let seen: Vec<_> = asked(&wire)
                .iter()
                .map(|(operation, members)| match operation.as_str() {
                    "UpdateItem" => 1,
                    _ => members["TransactItems"].as_array().unwrap().len(),
                })
                .collect();
            assert_eq!(seen, actions, "{receivers:?}");
        }
    }

    #[tokio::test]
    async fn a_round_has_an_action_for_each_thing_that_is_left_to_write() {
        let row = || item::read_commit::<Note>(&commit_item()).unwrap();
        let receivers = || vec!["events".to_owned(), "desk".to_owned()];
        let posted =
            || CommitPlan::new(Claim::put(request("mine", "0A")), row(), None, receivers(), "round".into());
        let known = || {
            let claim = Claim::put(request("mine", "0A"));
            CommitPlan::<Note>::of_known(claim, ContentHash::of(b"x"), row().filing(), NOW, "round".into())
        };
        let ordered = |mut plan: CommitPlan<Note>| {
            assert!(plan.order_pointer(&ETag::new("e")));
            plan
        };
        let asked_for = |mut plan: CommitPlan<Note>| {
            plan.set_pointer(Some(pointer_write("0A", Order::Listed, PointerState::Active, 1)));
            plan
        };
        let table = [
            (posted(), vec!["Put t-commits", "Update t-claims", "Put t-effects", "Put t-effects"]),
            (
                ordered(posted()),
                vec![
                    "Put t-commits",
                    "Update t-claims",
                    "Update t-documents",
                    "Put t-effects",
                    "Put t-effects",
                ],
            ),
            (
                asked_for(posted()),
                vec!["Put t-commits", "Update t-claims", "Put t-documents", "Put t-effects", "Put t-effects"],
            ),
            (known(), vec!["Update t-claims"]),
            (ordered(known()), vec!["Update t-claims", "Update t-documents"]),
            (asked_for(known()), vec!["Update t-claims", "Put t-documents"]),
        ];
        for (plan, expected) in table {
            let (wire, ledger) = ledger(None, vec![(200, json!({}))]);
            assert!(matches!(ledger.commit(&plan).await, Ok(RoundReply::Applied)));
            let asked = asked(&wire);
            assert_eq!((asked.len(), asked[0].0.as_str()), (1, "TransactWriteItems"));
            assert_eq!(asked[0].1["ClientRequestToken"], "round");
            let seen: Vec<_> = asked[0].1["TransactItems"]
                .as_array()
                .unwrap()
                .iter()
                .map(|action| {
                    let (kind, members) = action.as_object().unwrap().iter().next().unwrap();
                    // Every action has its condition and gives back what refused it.
                    assert_ne!(Sent::read(members).condition, "", "{members}");
                    assert_eq!(members["ReturnValuesOnConditionCheckFailure"], "ALL_OLD", "{members}");
                    format!("{kind} {}", members["TableName"].as_str().unwrap())
                })
                .collect();
            assert_eq!(seen, expected);
        }
    }

    #[tokio::test]
    async fn a_row_that_no_table_holds_is_not_sent() {
        let mut row = item::read_commit::<Note>(&commit_item()).unwrap();
        row.document.lines = vec!["x".repeat(item::ITEM_MAX_BYTES)];
        let plan = CommitPlan::new(Claim::put(request("mine", "0A")), row, None, Vec::new(), "round".into());
        let (wire, ledger) = ledger(None, Vec::new());
        let error = ledger.commit(&plan).await.unwrap_err();
        assert_eq!((error.kind, error.may_have_happened), (LedgerErrorKind::TooLarge, false));
        assert_eq!(asked(&wire), []);
    }

    #[tokio::test]
    async fn a_refused_put_carries_the_claim_that_is_there() {
        let theirs = item::new_claim(&request("theirs", "0A"));
        let record = Box::new(item::read_claim(&theirs).unwrap());
        let table = [
            ((200, json!({})), Ok(Written::Yes)),
            (update_refused(Some(&theirs)), Ok(Written::Refused(record))),
            // Never "not claimed, go on" and never "claimed, skip".
            (update_refused(None), Err(invalid("refusal_without_claim"))),
            (update_refused(Some(&Item::new())), Err(invalid("refusal_without_claim"))),
            (
                update_refused(Some(&without(theirs.clone(), name::TOKEN))),
                Err(corrupt(ItemError { attribute: name::TOKEN, problem: "is missing" })),
            ),
        ];
        for (answer, expected) in table {
            let (wire, ledger) = ledger(None, vec![answer]);
            assert_eq!(ledger.put_claim(&request("mine", "0B")).await, expected);
            let asked = asked(&wire);
            assert_eq!((asked.len(), asked[0].0.as_str()), (1, "PutItem"));
            let sent = Sent::read(&asked[0].1);
            assert!(sent.holds(None) && !sent.holds(Some(&theirs)));
            assert_eq!(item_from_wire(&asked[0].1["Item"]), item::new_claim(&request("mine", "0B")));
        }
    }

    #[tokio::test]
    async fn what_is_known_of_content_is_asked_in_one_read() {
        let known = item::read_known(&commit_item()).unwrap();
        let rejected = Item::from([(name::STATE.to_owned(), text(item::STATE_REJECTED))]);
        let nothing = Filing { under: String::new(), order: String::new() };
        let projected: Item = commit_item()
            .into_iter()
            .filter(|(name, _)| item::KNOWN_ATTRIBUTES.contains(&name.as_str()))
            .collect();
        let table = [
            (json!({}), None),
            (json!({ "Item": to_wire(&projected) }), Some(known)),
            (
                json!({ "Item": to_wire(&rejected) }),
                Some(KnownContent { filing: nothing, state: RowState::Rejected }),
            ),
        ];
        for (answer, expected) in table {
            let (wire, ledger) = ledger(None, vec![(200, answer)]);
            let content = ContentHash::of(b"x");
            assert_eq!(ledger.known_content(content, Generation::FIRST).await, Ok(expected));
            let asked = asked(&wire);
            assert_eq!((asked.len(), asked[0].0.as_str()), (1, "GetItem"));
            assert_eq!(item_from_wire(&asked[0].1["Key"]), item::commit_key(content, Generation::FIRST));
            // The projection names what the reader reads, under its aliases.
            let names = asked[0].1["ExpressionAttributeNames"].as_object().unwrap();
            let projected: BTreeSet<&str> = asked[0].1["ProjectionExpression"]
                .as_str()
                .unwrap()
                .split(", ")
                .map(|alias| names[alias].as_str().unwrap())
                .collect();
            assert_eq!(projected, BTreeSet::from(item::KNOWN_ATTRIBUTES));
            assert_eq!(names.len(), projected.len());
        }
    }

    #[tokio::test]
    async fn a_pointer_is_written_only_over_the_one_that_was_read() {
        let write = |read_revision| PointerWrite {
            read_revision,
            ..pointer_write("0A", Order::Listed, PointerState::Removed, 1)
        };
        let denied = json!({ "__type": "com.amazon.coral.service#AccessDeniedException", "Message": "no" });
        let error = LedgerError {
            kind: LedgerErrorKind::Denied,
            may_have_happened: true,
            code: "AccessDeniedException".into(),
        };
        let table = [
            (0, (200, json!({})), Ok(Written::Yes)),
            (7, (200, json!({})), Ok(Written::Yes)),
            (7, update_refused(None), Ok(Written::Refused(()))),
            (7, (400, denied), Err(error)),
        ];
        for (read_revision, answer, expected) in table {
            let (wire, ledger) = ledger(None, vec![answer]);
            let write = write(read_revision);
            assert_eq!(ledger.write_pointer(&document_key(), &write).await, expected);
            let asked = asked(&wire);
            assert_eq!((asked.len(), asked[0].0.as_str()), (1, "PutItem"));
            assert_eq!(item_from_wire(&asked[0].1["Item"]), item::pointer(&document_key(), &write));
            assert_eq!(Sent::read(&asked[0].1).holds(None), read_revision == 0);
        }
    }
}
