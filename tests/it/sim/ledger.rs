//! The ledger port over the tables in memory, and the extractor of slips; both wait at their gates.

use lease_ingest::claim::{
    ClaimRecord, ClaimRequest, ClaimState, Finish, FinishedStatus, Receipt, Release, TakeOver, Wait,
};
use lease_ingest::commit::{Cancelled, CommitPlan, CommitRow, KnownContent, RoundReply, RowState};
use lease_ingest::effect::Intent;
use lease_ingest::identity::{ClaimKey, ContentHash, DocumentKey, EpochMs, Generation};
use lease_ingest::pointer::{Pointer, PointerMove, PointerWrite, Refusal, read_refusal};
use lease_ingest::ports::extractor::{ExtractRequest, Extraction, Extractor};
use lease_ingest::ports::ledger::{Existing, Ledger, LedgerError, LedgerErrorKind, Written};

use super::mutants::Mutant;
use super::tables::new_claim;
use super::world::{Line, State, Store, Verdict};
use super::write::{Answer, Row, Transaction, Write};
use crate::support::slip::{Slip, SlipExtractor};

/// How long a read that need not be consistent may lag, in milliseconds.
const STALE_READ_MS: u64 = 2_000;
/// The longest a write can be on its way, in milliseconds.
const LATE_WRITE_MAX_MS: u64 = 90_000;

fn error(kind: LedgerErrorKind, may_have_happened: bool, code: &str) -> LedgerError {
    LedgerError { kind, may_have_happened, code: code.to_owned() }
}

/// The error that a caller is told of instead of an answer.
fn unanswered(verdict: Verdict, write: bool) -> LedgerError {
    match verdict {
        Verdict::Throttled => error(LedgerErrorKind::Throttled, write, "ThrottlingException"),
        Verdict::Conflict => error(LedgerErrorKind::Throttled, write, "TransactionConflictException"),
        Verdict::Denied => error(LedgerErrorKind::Denied, write, "AccessDeniedException"),
        Verdict::Down => error(LedgerErrorKind::Unavailable, write, "InternalServerError"),
        _ => error(LedgerErrorKind::Unavailable, write, "timeout"),
    }
}

impl State {
    /// Lets a write happen, or not, as the verdict says. `None` when the caller does not live to hear of it.
    fn perform(
        &mut self,
        invocation: u32,
        verdict: Verdict,
        write: &Write,
    ) -> Option<Result<Answer, LedgerError>> {
        let answer = match verdict {
            Verdict::Answered => Ok(self.apply(write)),
            Verdict::Doubled => {
                self.apply(write);
                Ok(self.apply(write))
            }
            Verdict::ReplyLost | Verdict::DiesAfter => {
                let answer = self.apply(write);
                match (&answer, write) {
                    // What a mutant makes of a reply that was lost, on the side of the caller.
                    (Answer::Written, Write::Commit(commit)) if self.is(Mutant::LostReplyIsKnownContent) => {
                        let known = commit.row.as_ref().map(|row| Row::Posted(row.clone()).known());
                        Ok(Answer::Cancelled(Cancelled { known, ..Cancelled::default() }))
                    }
                    _ => Err(unanswered(verdict, true)),
                }
            }
            Verdict::Late => {
                let due_ms = self.now_ms + 1 + self.dice.roll(LATE_WRITE_MAX_MS);
                self.late.push((due_ms, invocation, write.clone()));
                Err(unanswered(verdict, true))
            }
            Verdict::Conflict => match write {
                Write::Commit(_) => {
                    Ok(Answer::Cancelled(Cancelled { conflict: true, ..Cancelled::default() }))
                }
                Write::Finish(_, notices) if !notices.is_empty() => {
                    Err(error(LedgerErrorKind::Throttled, false, "transaction_conflict"))
                }
                _ => Err(unanswered(verdict, true)),
            },
            _ => Err(unanswered(verdict, true)),
        };
        let answer = match (answer, write) {
            (Err(_), Write::Commit(_)) if self.is(Mutant::LostCommitIsSuccess) => Ok(Answer::Written),
            (Err(_), Write::Finish(..)) if self.is(Mutant::LostFinishIsSuccess) => Ok(Answer::Written),
            (Err(_), Write::Put(_) | Write::TakeOver { .. }) if self.is(Mutant::LostClaimIsSuccess) => {
                Ok(Answer::Written)
            }
            (Err(_), Write::Pointer(..)) if self.is(Mutant::LostPointerIsSuccess) => Ok(Answer::Written),
            (Err(_), Write::Put(request)) if self.is(Mutant::ErrorIsDuplicate) => {
                Ok(Answer::Refused(Some(Box::new(done(request)))))
            }
            (Err(told), Write::Commit(commit)) if self.is(Mutant::LostRequestIsKnownContent) => {
                match &commit.row {
                    Some(row) => {
                        let known = Some(Row::Posted(row.clone()).known());
                        Ok(Answer::Cancelled(Cancelled { known, ..Cancelled::default() }))
                    }
                    None => Err(told),
                }
            }
            (answer, _) => answer,
        };
        self.note(|| {
            let told = answer.as_ref().map_or_else(|error| error.code.clone(), ToString::to_string);
            format!("#{invocation} {write}: {} -> {told}", verdict.name())
        });
        self.count_answer(write, &answer);
        (verdict != Verdict::DiesAfter).then_some(answer)
    }

    fn count_answer(&mut self, write: &Write, answer: &Result<Answer, LedgerError>) {
        match (write, answer) {
            (Write::Put(request), Ok(Answer::Written)) => self.coverage.count_decision(None, request),
            (Write::Put(request) | Write::TakeOver { request, .. }, Ok(Answer::Refused(Some(record)))) => {
                self.coverage.count_decision(Some(record), request);
            }
            // A restore reads where an upload puts, so what it decided shows in what it asks for.
            (Write::TakeOver { seen, request, .. }, _) => self.coverage.count_decision(Some(seen), request),
            (Write::Commit(commit), Ok(Answer::Cancelled(cancelled))) => {
                if cancelled.known.is_some() {
                    self.met_row.insert(commit.seen.token.0.clone());
                }
                for name in narrowed(commit, cancelled) {
                    self.coverage.count("narrowed", name);
                }
            }
            (Write::Finish(finish, _), Ok(Answer::Written))
                if self.met_row.contains(&finish.seen.token.0) =>
            {
                match finish.end.reason.code.as_str() {
                    "filed_elsewhere" => self.coverage.count("narrowed", "filed elsewhere"),
                    "rejected_before" => self.coverage.count("narrowed", "rejected before"),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// What a cancelled round leads to, by the pure rules of the commit.
fn narrowed(commit: &Transaction, cancelled: &Cancelled) -> Vec<&'static str> {
    if let Some(existing) = &cancelled.claim {
        let own = existing.as_deref().filter(|record| record.token == commit.seen.token);
        return vec![if own.is_some_and(|record| record.receipt().is_some()) { "landed" } else { "fenced" }];
    }
    let mut names = Vec::new();
    if cancelled.known.as_ref().is_some_and(|known| known.state == RowState::Posted) {
        names.push("again, without the row");
    }
    match (&cancelled.pointer, &commit.pointer) {
        (Some(existing), Some(PointerMove::InOrder { names: named, .. })) => {
            names.push(match read_refusal(existing.as_deref(), named) {
                Refusal::Historical => "again, historical",
                Refusal::AskStore => "ask the store",
            });
        }
        (Some(_), _) => names.push("ask the store again"),
        _ => {}
    }
    if cancelled.conflict {
        names.push("repeat");
    }
    names
}

/// A claim that a mutant makes up.
fn done(request: &ClaimRequest) -> ClaimRecord {
    let receipt = Receipt {
        status: FinishedStatus::Committed,
        finished_at: request.now,
        content_hash: None,
        reason: None,
    };
    ClaimRecord { state: ClaimState::Finished(receipt), event_time: None, ..new_claim(request) }
}

/// The ledger as an invocation reaches it.
pub struct SimLedger(pub Line);

impl SimLedger {
    async fn write(&self, write: Write) -> Result<Answer, LedgerError> {
        let verdict = self.0.gate(Store::Ledger { write: true }, write.name()).await;
        let answer = self.0.sim.lock().perform(self.0.invocation, verdict, &write);
        match answer {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }

    async fn read<T: std::fmt::Debug>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut State) -> T,
    ) -> Result<T, LedgerError> {
        let verdict = self.0.gate(Store::Ledger { write: false }, name).await;
        let mut state = self.0.sim.lock();
        match verdict {
            Verdict::Answered | Verdict::Doubled | Verdict::DiesAfter => Ok(read(&mut state)),
            _ => {
                state.note(|| format!("#{} {name} -> {}", self.0.invocation, verdict.name()));
                Err(unanswered(verdict, false))
            }
        }
    }

    /// What a claim looks like to a reader with a wrong idea of leases, or of claims that vanished.
    fn seen(&self, record: Box<ClaimRecord>) -> Box<ClaimRecord> {
        let state = self.0.sim.lock();
        let lease = match &record.state {
            ClaimState::InProgress { .. } if state.is(Mutant::LeaseIsAlwaysOver) => EpochMs(0),
            ClaimState::InProgress { .. } if state.is(Mutant::LeaseIsNeverOver) => EpochMs(u64::MAX),
            _ => return record,
        };
        Box::new(ClaimRecord { state: ClaimState::InProgress { lease_expires_at: lease }, ..*record })
    }

    fn written(&self, answer: Answer) -> Result<Written<Existing>, LedgerError> {
        match answer {
            Answer::Refused(existing) => Ok(Written::Refused(existing.map(|record| self.seen(record)))),
            Answer::Failed => Err(error(LedgerErrorKind::Invalid, false, "intent_on_record")),
            _ => Ok(Written::Yes),
        }
    }
}

impl Ledger for SimLedger {
    type Document = Slip;

    async fn put_claim(&self, request: &ClaimRequest) -> Result<Written<Box<ClaimRecord>>, LedgerError> {
        match self.write(Write::Put(Box::new(request.clone()))).await? {
            Answer::Refused(Some(record)) => Ok(Written::Refused(self.seen(record))),
            _ => Ok(Written::Yes),
        }
    }

    async fn take_over(
        &self,
        seen: &ClaimRecord,
        plan: &TakeOver,
        request: &ClaimRequest,
    ) -> Result<Written<Existing>, LedgerError> {
        let write = Write::TakeOver {
            seen: Box::new(seen.clone()),
            plan: plan.clone(),
            request: Box::new(request.clone()),
        };
        match self.write(write).await? {
            Answer::Refused(None) if self.0.sim.lock().is(Mutant::VanishedClaimIsDone) => {
                Ok(Written::Refused(Some(Box::new(done(request)))))
            }
            answer => self.written(answer),
        }
    }

    async fn read_claim(&self, key: &ClaimKey, generation: Generation) -> Result<Existing, LedgerError> {
        let name = "read claim";
        let read = self
            .read(name, |state| {
                let existing = state.tables.claims.get(&(key.clone(), generation)).cloned();
                state.note(|| {
                    let status = existing.as_ref().map_or("none", ClaimRecord::status_text);
                    format!("#{} {name} {} -> {status}", self.0.invocation, key.as_str())
                });
                existing
            })
            .await?;
        Ok(read.map(|record| self.seen(Box::new(record))))
    }

    async fn known_content(
        &self,
        content: ContentHash,
        generation: Generation,
    ) -> Result<Option<KnownContent>, LedgerError> {
        let name = "known content";
        self.read(name, |state| {
            let mutant = state.mutant;
            let row = state.tables.row(content, generation, mutant).cloned();
            let fresh = match &row {
                Some(Row::Posted(row)) => row.committed_at.0 + STALE_READ_MS > state.now_ms,
                _ => true,
            };
            let is_late = fresh && state.stale_reads && state.dice.roll(3) == 0;
            let stale = is_late || (state.is(Mutant::HintIsOftenStale) && state.dice.roll(2) == 0);
            let known = if stale { None } else { row.map(|row| row.known()) };
            if state.is(Mutant::HintIsTakenForTheRow) && known.is_none() && state.dice.roll(8) == 0 {
                let filing =
                    lease_ingest::pointer::Filing { under: "P-1".into(), order: "2026-01-01".into() };
                return Some(KnownContent { filing, state: RowState::Posted });
            }
            state.note(|| format!("#{} {name} -> {}", self.0.invocation, known.is_some()));
            known
        })
        .await
    }

    async fn read_commit(
        &self,
        content: ContentHash,
        generation: Generation,
    ) -> Result<Option<CommitRow<Slip>>, LedgerError> {
        self.read("read commit", |state| match state.tables.commits.get(&(content, generation)) {
            Some(Row::Posted(row)) => Some((**row).clone()),
            _ => None,
        })
        .await
    }

    async fn commit(&self, plan: &CommitPlan<Slip>) -> Result<RoundReply, LedgerError> {
        match self.write(Write::Commit(Box::new(Transaction::of(plan)))).await? {
            Answer::Cancelled(cancelled) => {
                let state = self.0.sim.lock();
                if state.is(Mutant::IntentOnRecordIsError) && !cancelled.recorded.is_empty() {
                    return Err(error(LedgerErrorKind::Invalid, false, "intent_on_record"));
                }
                if state.is(Mutant::VanishedClaimIsDone) && cancelled.claim == Some(None) {
                    return Ok(RoundReply::Applied);
                }
                Ok(RoundReply::Cancelled(cancelled))
            }
            _ => Ok(RoundReply::Applied),
        }
    }

    async fn finish(&self, finish: &Finish, notices: &[Intent]) -> Result<Written<Existing>, LedgerError> {
        let answer = self.write(Write::Finish(Box::new(finish.clone()), notices.to_vec())).await?;
        self.written(answer)
    }

    async fn release(&self, release: &Release) -> Result<Written<Existing>, LedgerError> {
        let answer = self.write(Write::Release(release.clone())).await?;
        self.written(answer)
    }

    async fn wait(&self, wait: &Wait) -> Result<Written<Existing>, LedgerError> {
        let answer = self.write(Write::Wait(wait.clone())).await?;
        self.written(answer)
    }

    async fn read_pointer(&self, key: &DocumentKey) -> Result<Option<Pointer>, LedgerError> {
        self.read("read pointer", |state| {
            let pointer = state.tables.documents.get(key).cloned();
            state.note(|| {
                let revision = pointer.as_ref().map_or(0, |pointer| pointer.revision);
                format!("#{} read pointer -> revision {revision}", self.0.invocation)
            });
            pointer
        })
        .await
    }

    async fn write_pointer(
        &self,
        key: &DocumentKey,
        write: &PointerWrite,
    ) -> Result<Written<()>, LedgerError> {
        match self.write(Write::Pointer(key.clone(), write.clone())).await? {
            Answer::PointerRefused => Ok(Written::Refused(())),
            _ => Ok(Written::Yes),
        }
    }
}

/// Reads slips, when the driver lets it.
pub struct SimExtractor(pub Line);

impl Extractor for SimExtractor {
    type Document = Slip;

    fn name_and_version(&self) -> String {
        SlipExtractor.name_and_version()
    }

    async fn extract(&self, request: ExtractRequest) -> Extraction<Slip> {
        self.0.gate(Store::Extractor, "extract").await;
        if &*request.bytes == b"panic" {
            // As a panic does, but without the message that its hook would print for each of many.
            std::panic::resume_unwind(Box::new("a slip that panics"));
        }
        SlipExtractor.extract(request).await
    }
}
