//! Port: the four tables, as far as ingestion uses them, and a whole row for those who look at one.
//!
//! A method is one request, but for an end whose notices are on record already: each round leaves those out. A refusal by a condition is an answer and part of the reply; an error is
//! anything else, and says whether the write may have happened all the same.

use std::future::Future;

use crate::claim::{Claim, ClaimRecord, ClaimRequest, ClaimState, Finish, Release, TakeOver, Wait};
use crate::commit::{CommitPlan, CommitRow, KnownContent, RoundReply};
use crate::effect::Intent;
use crate::identity::{ClaimKey, ContentHash, DocumentKey, Generation};
use crate::pointer::{Pointer, PointerWrite};
use crate::posting::Posted;

/// Why the ledger did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LedgerErrorKind {
    /// It cannot be reached, or does not answer in time: nothing more of the batch is started.
    Unavailable,
    /// It refuses for everybody (permissions, a missing table): nothing more of the batch is started.
    Denied,
    /// Too many requests.
    Throttled,
    /// It refuses this request for what it says, and would again.
    Invalid,
    /// What is to be written is larger than a table holds; told before anything is sent.
    TooLarge,
    /// What is stored cannot be read.
    Corrupt,
}

/// A request that was not answered. Two questions matter: may it be repeated, and may it have happened?
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the ledger did not answer ({code})")]
pub struct LedgerError {
    /// What kind.
    pub kind: LedgerErrorKind,
    /// Whether the write may have taken effect.
    pub may_have_happened: bool,
    /// Code for counting, without customer data.
    pub code: String,
}

impl LedgerError {
    /// Whether the same request may be answered a moment later.
    pub fn may_pass(&self) -> bool {
        matches!(self.kind, LedgerErrorKind::Unavailable | LedgerErrorKind::Throttled)
    }

    /// Whether every other record would fail alike, so that the batch stops.
    pub fn is_store_down(&self) -> bool {
        matches!(self.kind, LedgerErrorKind::Unavailable | LedgerErrorKind::Denied)
    }
}

/// The answer to a conditional write.
#[derive(Debug, Clone, PartialEq)]
pub enum Written<E> {
    /// It is written.
    Yes,
    /// The condition failed; what stands there instead.
    Refused(E),
}

/// What stands in place of a claim.
pub type Existing = Option<Box<ClaimRecord>>;

impl Written<Box<ClaimRecord>> {
    /// The claim that this answer to [`Ledger::put_claim`] gives to who asked: the one just put, or the one that an
    /// earlier try of the same attempt had put. `None` when it is another's or has ended.
    pub fn put(self, request: ClaimRequest) -> Option<Claim> {
        match self {
            Self::Yes => Some(Claim::put(request)),
            Self::Refused(record) => {
                let held = matches!(record.state, ClaimState::InProgress { .. });
                (held && record.token == request.token).then(|| Claim::own(request, *record))
            }
        }
    }
}

impl Written<Existing> {
    /// The claim that this answer to [`Ledger::take_over`] gives to who asked; `None` when it was refused.
    pub fn taken_over(self, seen: ClaimRecord, plan: TakeOver, request: ClaimRequest) -> Option<Claim> {
        (self == Self::Yes).then(|| Claim::taken_over(request, seen, plan))
    }
}

/// The four tables.
pub trait Ledger: Send + Sync + 'static {
    /// The kind of document whose commits this ledger holds.
    type Document: Posted;

    /// Puts a claim if there is none. The refusal carries the claim that is there.
    fn put_claim(
        &self,
        request: &ClaimRequest,
    ) -> impl Future<Output = Result<Written<Box<ClaimRecord>>, LedgerError>> + Send;

    /// Takes a claim over, if its status and token are still those of `seen`.
    fn take_over(
        &self,
        seen: &ClaimRecord,
        plan: &TakeOver,
        request: &ClaimRequest,
    ) -> impl Future<Output = Result<Written<Existing>, LedgerError>> + Send;

    /// Reads a claim, strongly consistent.
    fn read_claim(
        &self,
        key: &ClaimKey,
        generation: Generation,
    ) -> impl Future<Output = Result<Existing, LedgerError>> + Send;

    /// Whether this content has a row, and how it is filed. A hint that saves work; the commit's condition is the guarantee.
    fn known_content(
        &self,
        content: ContentHash,
        generation: Generation,
    ) -> impl Future<Output = Result<Option<KnownContent>, LedgerError>> + Send;

    /// Reads a whole row.
    fn read_commit(
        &self,
        content: ContentHash,
        generation: Generation,
    ) -> impl Future<Output = Result<Option<CommitRow<Self::Document>>, LedgerError>> + Send;

    /// One round of a commit.
    fn commit(
        &self,
        plan: &CommitPlan<Self::Document>,
    ) -> impl Future<Output = Result<RoundReply, LedgerError>> + Send;

    /// Ends a claim without a commit, with the notices it asks for, in one transaction. An intent that is on
    /// record already is no refusal.
    fn finish(
        &self,
        finish: &Finish,
        notices: &[Intent],
    ) -> impl Future<Output = Result<Written<Existing>, LedgerError>> + Send;

    /// Gives a claim up.
    fn release(
        &self,
        release: &Release,
    ) -> impl Future<Output = Result<Written<Existing>, LedgerError>> + Send;

    /// Leaves a claim to wait for work elsewhere.
    fn wait(&self, wait: &Wait) -> impl Future<Output = Result<Written<Existing>, LedgerError>> + Send;

    /// Reads a pointer, strongly consistent.
    fn read_pointer(
        &self,
        key: &DocumentKey,
    ) -> impl Future<Output = Result<Option<Pointer>, LedgerError>> + Send;

    /// Writes a pointer, if its revision is still the one that was read.
    fn write_pointer(
        &self,
        key: &DocumentKey,
        write: &PointerWrite,
    ) -> impl Future<Output = Result<Written<()>, LedgerError>> + Send;
}
