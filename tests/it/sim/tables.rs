//! The four tables in memory, with the conditions of `src/aws/ledger.rs`: each write is judged and applied as a whole.
//! What it changed is told, so that the rules can be held against it without knowing the conditions.

use std::collections::BTreeMap;

use lease_ingest::claim::{
    ClaimRecord, ClaimRequest, ClaimState, Finish, FinishedStatus, Purpose, Receipt, Seen, TakeOver, Waits,
};
use lease_ingest::commit::Cancelled;
use lease_ingest::effect::Intent;
use lease_ingest::identity::{ClaimKey, ContentHash, DocumentKey, EpochMs, Generation};
use lease_ingest::pointer::{Order, Pointer, PointerMove, PointerState};
use lease_ingest::ports::ledger::Existing;

use super::mutants::Mutant;
use super::write::{Answer, Change, Row, Transaction, Write};

/// How long DynamoDB remembers a request token, in milliseconds.
/// Source: `TransactWriteItems`, Amazon DynamoDB API reference.
const REQUEST_TOKEN_MS: u64 = 10 * 60 * 1000;

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    pub claims: BTreeMap<(ClaimKey, Generation), ClaimRecord>,
    pub commits: BTreeMap<(ContentHash, Generation), Row>,
    pub documents: BTreeMap<DocumentKey, Pointer>,
    pub effects: BTreeMap<String, Intent>,
    /// Request tokens of applied transactions, and when.
    tokens: BTreeMap<String, u64>,
    /// Parts of transactions that a mutant has torn apart, to be written by the next write.
    torn: Vec<(DocumentKey, PointerMove)>,
}

impl Tables {
    /// Judges a write and applies it.
    pub fn apply(&mut self, write: &Write, now_ms: u64, mutant: Option<Mutant>) -> (Answer, Vec<Change>) {
        let mut changes = Vec::new();
        for (key, change) in std::mem::take(&mut self.torn) {
            if let Ok(pointer) = self.moved(&key, &change, mutant) {
                self.set_pointer(pointer, &mut changes);
            }
        }
        let answer = self.judge(write, now_ms, mutant, &mut changes);
        (answer, changes)
    }

    fn judge(
        &mut self,
        write: &Write,
        now_ms: u64,
        mutant: Option<Mutant>,
        changes: &mut Vec<Change>,
    ) -> Answer {
        match write {
            Write::Put(request) => {
                let key = (request.key.clone(), request.generation);
                if let Some(existing) = self.claims.get(&key)
                    && mutant != Some(Mutant::PutIgnoresClaim)
                {
                    return Answer::Refused(Some(Box::new(existing.clone())));
                }
                self.set_claim(new_claim(request), changes);
                Answer::Written
            }
            Write::TakeOver { seen, plan, request } => {
                let key = (seen.key.clone(), seen.generation);
                let Some(existing) = self.claims.get(&key) else { return Answer::Refused(None) };
                let status = existing.status_text() == seen.status_text()
                    || mutant == Some(Mutant::TakeOverIgnoresStatus);
                let token = existing.token == seen.token || mutant == Some(Mutant::TakeOverIgnoresToken);
                if !(status && token) {
                    return Answer::Refused(Some(Box::new(existing.clone())));
                }
                let mut taken = taken_over(existing.clone(), seen, plan, request);
                if mutant == Some(Mutant::TakeOverKeepsSequencer) {
                    taken.sequencer = existing.sequencer.clone();
                }
                self.set_claim(taken, changes);
                Answer::Written
            }
            Write::Finish(finish, notices) => self.finish(finish, notices, mutant, changes),
            Write::Release(release) => {
                let record = match self.held(&release.seen, mutant, Mutant::UnfencedRelease) {
                    Ok(record) => record,
                    Err(existing) => return Answer::Refused(existing),
                };
                let new = ClaimRecord {
                    state: ClaimState::InProgress { lease_expires_at: EpochMs(0) },
                    attempts: release.attempts,
                    failures: release.failures.clone(),
                    not_found_since: release
                        .not_found_since
                        .or(record.not_found_since)
                        .filter(|_| mutant != Some(Mutant::NotFoundIsForgotten)),
                    waits: Waits {
                        job_id: release.job_id.clone().or(record.waits.job_id),
                        count: record.waits.count,
                    },
                    ..record
                };
                self.set_claim(new, changes);
                Answer::Written
            }
            Write::Wait(wait) => {
                let record = match self.held(&wait.seen, mutant, Mutant::UnfencedWait) {
                    Ok(record) => record,
                    Err(existing) => return Answer::Refused(existing),
                };
                let new = ClaimRecord {
                    state: ClaimState::InProgress { lease_expires_at: wait.lease_expires_at },
                    attempts: wait.attempts,
                    waits: Waits {
                        job_id: wait.waits.job_id.clone().or(record.waits.job_id),
                        count: wait.waits.count,
                    },
                    ..record
                };
                self.set_claim(new, changes);
                Answer::Written
            }
            Write::Commit(commit) => self.commit(commit, now_ms, mutant, changes),
            Write::Pointer(key, write) => match self.moved(key, &PointerMove::AsAsked(write.clone()), mutant)
            {
                Ok(pointer) => {
                    self.set_pointer(pointer, changes);
                    Answer::Written
                }
                Err(_) => Answer::PointerRefused,
            },
            Write::Reject { seen, content, at } => self.reject(seen, *content, *at, changes),
        }
    }

    /// The claim, if whoever writes holds it; otherwise what stands in its place.
    fn held(&self, seen: &Seen, mutant: Option<Mutant>, unfenced: Mutant) -> Result<ClaimRecord, Existing> {
        let unfenced = mutant == Some(unfenced);
        let ignores_status = mutant == Some(Mutant::FenceIgnoresStatus);
        match self.claims.get(&(seen.key.clone(), seen.generation)) {
            None => Err(None),
            Some(record) if unfenced => Ok(record.clone()),
            Some(record) if record.token == seen.token && (record.receipt().is_none() || ignores_status) => {
                Ok(record.clone())
            }
            Some(record) => Err(Some(Box::new(record.clone()))),
        }
    }

    fn finish(
        &mut self,
        finish: &Finish,
        notices: &[Intent],
        mutant: Option<Mutant>,
        changes: &mut Vec<Change>,
    ) -> Answer {
        let record = match self.held(&finish.seen, mutant, Mutant::UnfencedFinish) {
            Ok(record) => record,
            Err(existing) => return Answer::Refused(existing),
        };
        let on_record = notices.iter().any(|notice| self.effects.contains_key(notice.id.as_str()));
        if on_record && mutant == Some(Mutant::IntentOnRecordIsError) {
            return Answer::Failed;
        }
        let end = &finish.end;
        let receipt = Receipt {
            status: end.status,
            finished_at: finish.finished_at,
            content_hash: end.content_hash,
            reason: Some(end.reason.clone()),
        };
        let new = ClaimRecord {
            state: ClaimState::Finished(receipt),
            failures: finish.failures.clone(),
            envelope: finish.envelope.clone(),
            found: end.found.clone(),
            ..record
        };
        self.set_claim(new, changes);
        if mutant != Some(Mutant::NoticesAreLost) {
            self.put_intents(notices, changes);
        }
        Answer::Written
    }

    fn commit(
        &mut self,
        commit: &Transaction,
        now_ms: u64,
        mutant: Option<Mutant>,
        changes: &mut Vec<Change>,
    ) -> Answer {
        let applied = self.tokens.get(&commit.request_token);
        let is_remembered = applied.is_some_and(|applied_ms| now_ms < applied_ms + REQUEST_TOKEN_MS);
        if is_remembered && mutant != Some(Mutant::RequestTokensAreForgotten) {
            return Answer::Repeated;
        }
        let mut cancelled = Cancelled::default();
        if commit.row.is_some() && mutant != Some(Mutant::RowIsOverwritten) {
            cancelled.known = self.row(commit.content, commit.seen.generation, mutant).map(Row::known);
        }
        let held = self.held(&commit.seen, mutant, Mutant::UnfencedCommit);
        if let Err(existing) = &held {
            cancelled.claim = Some(existing.clone());
        }
        let moved = commit.pointer.as_ref().map(|change| self.moved(&commit.document, change, mutant));
        if let Some(Err(existing)) = &moved {
            cancelled.pointer = Some(existing.clone());
        }
        let recorded = commit.intents.iter().filter(|intent| self.effects.contains_key(intent.id.as_str()));
        cancelled.recorded = recorded.map(|intent| intent.id.clone()).collect();
        if cancelled != Cancelled::default() {
            if mutant == Some(Mutant::IntentsOutsideTransaction) {
                self.put_intents(&commit.intents, changes);
            }
            return Answer::Cancelled(cancelled);
        }
        let Ok(record) = held else { return Answer::Failed };
        if let Some(row) = &commit.row
            && mutant != Some(Mutant::RowIsLost)
        {
            self.set_row((commit.content, commit.seen.generation), Row::Posted(row.clone()), changes);
        }
        let receipt = Receipt {
            status: commit.status,
            finished_at: commit.finished_at,
            content_hash: Some(commit.content),
            reason: None,
        };
        self.set_claim(ClaimRecord { state: ClaimState::Finished(receipt), ..record }, changes);
        match (moved, &commit.pointer) {
            (Some(Ok(_)), Some(change)) if mutant == Some(Mutant::PointerApart) => {
                self.torn.push((commit.document.clone(), change.clone()));
            }
            (Some(Ok(pointer)), _) => self.set_pointer(pointer, changes),
            _ => {}
        }
        if mutant != Some(Mutant::IntentsAreLost) {
            self.put_intents(&commit.intents, changes);
        }
        self.tokens.insert(commit.request_token.clone(), now_ms);
        Answer::Written
    }

    fn reject(
        &mut self,
        seen: &Seen,
        content: ContentHash,
        at: EpochMs,
        changes: &mut Vec<Change>,
    ) -> Answer {
        let existing = self.claims.get(&(seen.key.clone(), seen.generation)).cloned();
        match existing {
            Some(record)
                if record.token == seen.token
                    && record.receipt().is_some_and(|receipt| receipt.status == FinishedStatus::Review)
                    && !self.commits.contains_key(&(content, seen.generation)) =>
            {
                let receipt = Receipt {
                    status: FinishedStatus::Rejected,
                    finished_at: at,
                    content_hash: Some(content),
                    reason: None,
                };
                self.set_row((content, seen.generation), Row::Rejected, changes);
                self.set_claim(ClaimRecord { state: ClaimState::Finished(receipt), ..record }, changes);
                Answer::Written
            }
            existing => Answer::Refused(existing.map(Box::new)),
        }
    }

    /// The row of a content.
    pub fn row(&self, content: ContentHash, generation: Generation, mutant: Option<Mutant>) -> Option<&Row> {
        if mutant == Some(Mutant::GenerationNotInContentKey) {
            return self.commits.iter().find(|((hash, _), _)| *hash == content).map(|(_, row)| row);
        }
        self.commits.get(&(content, generation))
    }

    /// The pointer after a move, or the one that refuses it.
    fn moved(
        &self,
        key: &DocumentKey,
        change: &PointerMove,
        mutant: Option<Mutant>,
    ) -> Result<Pointer, Option<Box<Pointer>>> {
        let existing = self.documents.get(key);
        let refused = || Err(existing.cloned().map(Box::new));
        match change {
            PointerMove::InOrder { names, sequencer } => {
                let allowed = existing.is_none_or(|pointer| {
                    let stands = pointer.sequencer.as_ref();
                    let generation = pointer.names.as_ref().map(|named| named.generation);
                    let is_earlier = |stands: &lease_ingest::identity::Sequencer| {
                        if mutant == Some(Mutant::SequencersAsNumbers) {
                            let number = |text: &str| u128::from_str_radix(text, 16).unwrap();
                            return number(stands.as_str()) < number(sequencer.as_str());
                        }
                        stands < sequencer
                    };
                    let earlier = stands.is_some_and(is_earlier);
                    let same_but_older = stands == Some(sequencer)
                        && (generation.is_some_and(|generation| generation < names.generation)
                            || mutant == Some(Mutant::PointerIgnoresGeneration));
                    match mutant {
                        Some(Mutant::PointerIgnoresOrder) => true,
                        Some(Mutant::UnorderedCountsAsEarlier) => {
                            pointer.order == Order::Listed || earlier || same_but_older
                        }
                        _ => pointer.order == Order::Ordered && (earlier || same_but_older),
                    }
                });
                if !allowed {
                    return refused();
                }
                Ok(Pointer {
                    key: key.clone(),
                    names: Some(names.clone()),
                    sequencer: Some(sequencer.clone()),
                    order: Order::Ordered,
                    state: PointerState::Active,
                    revision: existing.map_or(0, |pointer| pointer.revision) + 1,
                })
            }
            PointerMove::AsAsked(write) => {
                let revision = existing.map_or(0, |pointer| pointer.revision);
                if revision != write.read_revision && mutant != Some(Mutant::PointerIgnoresRevision) {
                    return refused();
                }
                Ok(Pointer {
                    key: key.clone(),
                    names: write.names.clone(),
                    sequencer: match (mutant, existing) {
                        (Some(Mutant::RemovalKeepsNoFloor), Some(pointer)) => pointer.sequencer.clone(),
                        (Some(Mutant::RemovalKeepsNoFloor), None) => None,
                        _ => write.sequencer.clone(),
                    },
                    order: write.order,
                    state: write.state,
                    revision: write.read_revision + 1,
                })
            }
        }
    }

    fn set_claim(&mut self, new: ClaimRecord, changes: &mut Vec<Change>) {
        let old = self.claims.insert((new.key.clone(), new.generation), new.clone());
        changes.push(Change::Claim { old: old.map(Box::new), new: Box::new(new) });
    }

    fn set_row(&mut self, key: (ContentHash, Generation), new: Row, changes: &mut Vec<Change>) {
        let old = self.commits.insert(key, new.clone());
        changes.push(Change::Row { old, key, new });
    }

    fn set_pointer(&mut self, new: Pointer, changes: &mut Vec<Change>) {
        let old = self.documents.insert(new.key.clone(), new.clone());
        changes.push(Change::Pointer { old: old.map(Box::new), new: Box::new(new) });
    }

    fn put_intents(&mut self, intents: &[Intent], changes: &mut Vec<Change>) {
        for intent in intents {
            if !self.effects.contains_key(intent.id.as_str()) {
                self.effects.insert(intent.id.as_str().to_owned(), intent.clone());
                changes.push(Change::Intent);
            }
        }
    }
}

/// The record that a claim has after it was put for this request.
pub fn new_claim(request: &ClaimRequest) -> ClaimRecord {
    ClaimRecord {
        key: request.key.clone(),
        generation: request.generation,
        state: ClaimState::InProgress { lease_expires_at: request.lease_expires_at },
        token: request.token.clone(),
        attempts: 1,
        cycle: 0,
        first_claimed_at: request.now,
        claimed_at: request.now,
        sequencer: request.sequencer.clone(),
        event_time: request.event_time.clone(),
        not_found_since: None,
        failures: Vec::new(),
        envelope: None,
        found: None,
        purpose: Purpose::Process,
        waits: Waits::default(),
    }
}

fn taken_over(
    existing: ClaimRecord,
    seen: &ClaimRecord,
    plan: &TakeOver,
    request: &ClaimRequest,
) -> ClaimRecord {
    let same_cycle = plan.cycle == seen.cycle;
    ClaimRecord {
        state: ClaimState::InProgress { lease_expires_at: request.lease_expires_at },
        token: request.token.clone(),
        attempts: plan.attempt,
        cycle: plan.cycle,
        claimed_at: request.now,
        sequencer: plan.sequencer.clone().or(existing.sequencer),
        event_time: request.event_time.clone().or(existing.event_time),
        not_found_since: existing.not_found_since.filter(|_| same_cycle),
        envelope: None,
        found: None,
        purpose: plan.purpose,
        waits: if same_cycle { existing.waits } else { Waits::default() },
        ..existing
    }
}
