//! What is written to the tables: each write whole and on its own, so that it can be lost, repeated or late, and what
//! it is answered and has changed.

use std::fmt;

use lease_ingest::claim::{ClaimRecord, ClaimRequest, Finish, FinishedStatus, Release, Seen, TakeOver, Wait};
use lease_ingest::commit::{Cancelled, CommitPlan, CommitRow, KnownContent, RowState};
use lease_ingest::effect::Intent;
use lease_ingest::identity::{ContentHash, DocumentKey, EpochMs, Generation};
use lease_ingest::pointer::{Filing, Pointer, PointerMove, PointerWrite};
use lease_ingest::ports::ledger::Existing;

use crate::support::slip::Slip;

/// What a row of the commits table stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Posted(Box<CommitRow<Slip>>),
    /// A person rejected these bytes.
    Rejected,
}

impl Row {
    pub fn known(&self) -> KnownContent {
        match self {
            Self::Posted(row) => KnownContent { filing: row.filing(), state: RowState::Posted },
            Self::Rejected => KnownContent {
                filing: Filing { under: String::new(), order: String::new() },
                state: RowState::Rejected,
            },
        }
    }
}

/// A commit's transaction, taken out of its plan.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub seen: Seen,
    pub row: Option<Box<CommitRow<Slip>>>,
    pub content: ContentHash,
    pub status: FinishedStatus,
    pub finished_at: EpochMs,
    pub document: DocumentKey,
    pub pointer: Option<PointerMove>,
    pub intents: Vec<Intent>,
    pub request_token: String,
}

impl Transaction {
    pub fn of(plan: &CommitPlan<Slip>) -> Self {
        let claim = plan.claim();
        Self {
            seen: Seen {
                key: claim.key().clone(),
                generation: claim.generation(),
                token: claim.token().clone(),
            },
            row: plan.row().cloned().map(Box::new),
            content: plan.content_hash(),
            status: plan.status(),
            finished_at: plan.finished_at(),
            document: plan.document_key(),
            pointer: plan.pointer().cloned(),
            intents: plan.intents(),
            request_token: plan.request_token().to_owned(),
        }
    }
}

/// A write, whole and on its own, so that it can be lost, repeated or late.
#[derive(Debug, Clone)]
pub enum Write {
    Put(Box<ClaimRequest>),
    TakeOver {
        seen: Box<ClaimRecord>,
        plan: TakeOver,
        request: Box<ClaimRequest>,
    },
    Finish(Box<Finish>, Vec<Intent>),
    Release(Release),
    Wait(Wait),
    Commit(Box<Transaction>),
    Pointer(DocumentKey, PointerWrite),
    /// A person rejects what waits for review, with its content.
    Reject {
        seen: Seen,
        content: ContentHash,
        at: EpochMs,
    },
}

impl Write {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Put(_) => "put claim",
            Self::TakeOver { .. } => "take over",
            Self::Finish(..) => "finish",
            Self::Release(_) => "release",
            Self::Wait(_) => "wait",
            Self::Commit(_) => "commit",
            Self::Pointer(..) => "write pointer",
            Self::Reject { .. } => "reject",
        }
    }
}

impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name())?;
        match self {
            Self::Put(request) => {
                let sequencer = request.sequencer.as_ref().map_or("-", |sequencer| sequencer.as_str());
                write!(
                    f,
                    "{} g{} seq {sequencer} as {}",
                    request.key.as_str(),
                    request.generation,
                    request.token.0
                )
            }
            Self::TakeOver { seen, plan, request } => write!(
                f,
                "{} g{} from {} attempt {} cycle {} as {}",
                request.key.as_str(),
                request.generation,
                seen.token.0,
                plan.attempt,
                plan.cycle,
                request.token.0
            ),
            Self::Finish(finish, _) => {
                let (seen, end) = (&finish.seen, &finish.end);
                write!(
                    f,
                    "{} g{} as {}: {} ",
                    seen.key.as_str(),
                    seen.generation,
                    seen.token.0,
                    end.status.as_str()
                )?;
                f.write_str(&end.reason.code)
            }
            Self::Release(Release { seen, attempts, .. }) | Self::Wait(Wait { seen, attempts, .. }) => {
                write!(
                    f,
                    "{} g{} as {} attempts {attempts}",
                    seen.key.as_str(),
                    seen.generation,
                    seen.token.0
                )
            }
            Self::Commit(commit) => {
                let seen = &commit.seen;
                let pointer = match &commit.pointer {
                    None => "historical".to_owned(),
                    Some(PointerMove::InOrder { sequencer, .. }) => {
                        format!("in order {}", sequencer.as_str())
                    }
                    Some(PointerMove::AsAsked(write)) => format!("as asked over {}", write.read_revision),
                };
                let row = if commit.row.is_some() { "row, " } else { "" };
                let content = &commit.content.to_string()[..6];
                write!(
                    f,
                    "{} g{} as {}: {row}{content} {pointer}",
                    seen.key.as_str(),
                    seen.generation,
                    seen.token.0
                )
            }
            Self::Pointer(key, write) => write!(
                f,
                "{} {:?} over {} seq {}",
                key.as_str(),
                write.state,
                write.read_revision,
                write.sequencer.as_ref().map_or("-", |sequencer| sequencer.as_str())
            ),
            Self::Reject { seen, .. } => f.write_str(seen.key.as_str()),
        }
    }
}

/// What a write was answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Written,
    /// Applied before under this request token.
    Repeated,
    Refused(Existing),
    PointerRefused,
    Cancelled(Cancelled),
    /// An intent is on record, which only a mutant takes for an error.
    Failed,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written => f.write_str("written"),
            Self::Repeated => f.write_str("applied before"),
            Self::Refused(None) => f.write_str("refused by nothing"),
            Self::Refused(Some(record)) => {
                write!(f, "refused by {} {} cycle {}", record.status_text(), record.token.0, record.cycle)
            }
            Self::PointerRefused => f.write_str("refused"),
            Self::Cancelled(cancelled) => write!(
                f,
                "cancelled: row {}, claim {}, pointer {}, {} intents, conflict {}",
                cancelled.known.is_some(),
                cancelled.claim.is_some(),
                cancelled.pointer.is_some(),
                cancelled.recorded.len(),
                cancelled.conflict
            ),
            Self::Failed => f.write_str("failed"),
        }
    }
}

/// What a write changed.
#[derive(Debug, Clone)]
pub enum Change {
    Claim { old: Option<Box<ClaimRecord>>, new: Box<ClaimRecord> },
    Row { old: Option<Row>, key: (ContentHash, Generation), new: Row },
    Pointer { old: Option<Box<Pointer>>, new: Box<Pointer> },
    Intent,
}
