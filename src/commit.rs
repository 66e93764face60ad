//! The commit: row, marker, pointer and intents in one transaction, or nothing.
//!
//! A cancelled transaction says which of its conditions failed. Each answer makes the next round narrower, so
//! the rounds are few; what they mean is decided here and nowhere else.

use std::collections::BTreeSet;

use serde_json::json;

use crate::claim::{Claim, ClaimRecord, FinishedStatus};
use crate::effect::{EffectId, Intent, Operation};
use crate::identity::{ContentHash, DocumentKey, ETag, EpochMs, Generation, ObjectVersion};
use crate::pointer::{Filing, Named, Pointer, PointerMove, PointerWrite, Refusal, read_refusal};
use crate::posting::Posted;

/// How many narrower rounds one commit may take. Two would do without races: one without the row, one without
/// the pointer; the rest is for pointers that change while the store is asked.
pub const ROUNDS_MAX: u32 = 8;
/// How often one round is repeated after a conflict with another transaction or a lost reply.
pub const REPEATS_MAX: u32 = 6;

/// The one row per content and generation.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitRow<D> {
    /// SHA-256 of the bytes.
    pub content_hash: ContentHash,
    /// The generation that read them.
    pub generation: Generation,
    /// What was read.
    pub document: D,
    /// The object version that was read.
    pub source: ObjectVersion,
    /// When it was posted.
    pub committed_at: EpochMs,
    /// Name and version of the extractor.
    pub extractor: String,
}

impl<D: Posted> CommitRow<D> {
    /// How the document is filed.
    pub fn filing(&self) -> Filing {
        Filing { under: self.document.filed_under().to_owned(), order: self.document.filing_order() }
    }
}

/// Whether a row stands for a posted document or for a person's rejection of the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// Posted.
    Posted,
    /// Rejected by a person: the same bytes are not posted later.
    Rejected,
}

/// What is known of content that has a row already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownContent {
    /// How it is filed.
    pub filing: Filing,
    /// What its row stands for.
    pub state: RowState,
}

/// What known content means for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// The same document again.
    Duplicate(Filing),
    /// The same bytes, filed elsewhere by metadata or key: a person decides, they are not silently one.
    FiledElsewhere {
        /// Where the posted one is filed.
        under: String,
    },
    /// A person rejected these bytes.
    RejectedBefore,
}

impl KnownContent {
    /// Reads it for a record that is filed as `given` by its metadata or key, if by anything.
    pub fn meaning(self, given: Option<&str>) -> Known {
        match self.state {
            RowState::Rejected => Known::RejectedBefore,
            RowState::Posted if given.is_some_and(|given| given != self.filing.under) => {
                Known::FiledElsewhere { under: self.filing.under }
            }
            RowState::Posted => Known::Duplicate(self.filing),
        }
    }
}

/// A commit that is being made. It owns the claim until it has landed or is abandoned.
#[derive(Debug)]
#[must_use = "a plan holds a claim"]
pub struct CommitPlan<D> {
    claim: Claim,
    content_hash: ContentHash,
    filing: Filing,
    given_filing: Option<String>,
    row: Option<CommitRow<D>>,
    pointer: Option<PointerMove>,
    receivers: Vec<String>,
    recorded: BTreeSet<String>,
    finished_at: EpochMs,
    request_token: String,
}

/// What one round answered.
#[derive(Debug)]
pub enum RoundReply {
    /// All of it is written.
    Applied,
    /// Nothing is written, for these reasons.
    Cancelled(Cancelled),
}

/// The reasons of a cancelled transaction, by what they are about. Several can hold at once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cancelled {
    /// Reason 1: the content has a row.
    pub known: Option<KnownContent>,
    /// Reason 2: the claim is not in progress under this token any more; what stands there instead, if anything.
    pub claim: Option<Option<Box<ClaimRecord>>>,
    /// Reason 3: the pointer's condition failed; the pointer that stands there, if any.
    pub pointer: Option<Option<Box<Pointer>>>,
    /// Reason 4: these intents are on record already.
    pub recorded: Vec<EffectId>,
    /// A conflict with another transaction, or a throttle: nothing was decided.
    pub conflict: bool,
}

/// What a round's answer leads to.
#[derive(Debug)]
pub enum Narrowed<D> {
    /// A narrower round, under a new request token.
    Again(CommitPlan<D>),
    /// The same round again, under the same request token, after a pause.
    Repeat(CommitPlan<D>),
    /// The pointer cannot be decided by sequencers: ask the store, then again.
    AskStore(CommitPlan<D>),
    /// An earlier try of this attempt had landed.
    Landed(Landed),
    /// The claim is lost and nothing was written.
    Fenced,
    /// The content is posted under another filing.
    FiledElsewhere(Claim, String),
    /// A person rejected these bytes.
    RejectedBefore(Claim),
}

/// A commit that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landed {
    /// `Committed` or `DuplicateContent`.
    pub status: FinishedStatus,
    /// Whether the pointer moved with it; otherwise the record is historical.
    pub active: bool,
}

impl<D: Posted> CommitPlan<D> {
    /// Plans the posting of a document that nobody has posted.
    pub fn new(
        claim: Claim,
        row: CommitRow<D>,
        given_filing: Option<String>,
        receivers: Vec<String>,
        request_token: String,
    ) -> Self {
        Self {
            content_hash: row.content_hash,
            filing: row.filing(),
            finished_at: row.committed_at,
            row: Some(row),
            claim,
            given_filing,
            pointer: None,
            receivers,
            recorded: BTreeSet::new(),
            request_token,
        }
    }

    /// Plans the marker and the pointer of content that is posted already.
    pub fn of_known(
        claim: Claim,
        content_hash: ContentHash,
        filing: Filing,
        now: EpochMs,
        request_token: String,
    ) -> Self {
        Self {
            claim,
            content_hash,
            filing,
            given_filing: None,
            row: None,
            pointer: None,
            receivers: Vec::new(),
            recorded: BTreeSet::new(),
            finished_at: now,
            request_token,
        }
    }

    /// Moves the pointer by order, if the claim has a sequencer; answers whether it has. Without one the store must
    /// be asked first.
    #[must_use = "without an order the store must be asked"]
    pub fn order_pointer(&mut self, etag: &ETag) -> bool {
        let names = self.names(etag);
        let sequencer = self.claim.sequencer().cloned();
        self.pointer = sequencer.map(|sequencer| PointerMove::InOrder { names, sequencer });
        self.pointer.is_some()
    }

    /// Takes what the store's answer decided; `None` makes the record historical.
    pub fn set_pointer(&mut self, write: Option<PointerWrite>) {
        self.pointer = write.map(PointerMove::AsAsked);
    }

    /// What the pointer would name. The tag is the one that was read, since an event may carry none.
    pub fn names(&self, etag: &ETag) -> Named {
        Named {
            version_id: self.claim.version().version_id.clone(),
            etag: etag.clone(),
            content_hash: self.content_hash,
            generation: self.claim.generation(),
            filing: self.filing.clone(),
        }
    }

    /// The claim that is to be ended.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }
    /// The content.
    pub fn content_hash(&self) -> ContentHash {
        self.content_hash
    }
    /// The row to put, unless the content has one.
    pub fn row(&self) -> Option<&CommitRow<D>> {
        self.row.as_ref()
    }
    /// The pointer's change, unless the record is historical.
    pub fn pointer(&self) -> Option<&PointerMove> {
        self.pointer.as_ref()
    }
    /// The key whose pointer it is.
    pub fn document_key(&self) -> DocumentKey {
        self.claim.version().document_key()
    }
    /// When the claim ends.
    pub fn finished_at(&self) -> EpochMs {
        self.finished_at
    }
    /// Names this round to DynamoDB, so that its repeats are one (remembered for ten minutes there).
    pub fn request_token(&self) -> &str {
        &self.request_token
    }

    /// The finished state the claim gets.
    pub fn status(&self) -> FinishedStatus {
        if self.row.is_some() { FinishedStatus::Committed } else { FinishedStatus::DuplicateContent }
    }

    /// What it means that this round has landed.
    pub fn landed(&self) -> Landed {
        Landed { status: self.status(), active: self.pointer.is_some() }
    }

    /// The intents to record: those of the row, so none when the content is posted already.
    pub fn intents(&self) -> Vec<Intent> {
        let Some(row) = &self.row else { return Vec::new() };
        let intent = |receiver: &String| Intent {
            id: EffectId::of_commit(Operation::Posted, receiver, row.generation, row.content_hash),
            operation: Operation::Posted,
            receiver: receiver.clone(),
            payload: json!({
                "operation": Operation::Posted.as_str(),
                "kind": D::KIND,
                "content_hash": row.content_hash.to_string(),
                "generation": row.generation.get(),
                "document_key": self.document_key().as_str(),
                "filed_under": self.filing.under,
                "active": self.pointer.is_some(),
            }),
            recorded_at: row.committed_at,
        };
        let all = self.receivers.iter().map(intent);
        all.filter(|intent| !self.recorded.contains(intent.id.as_str())).collect()
    }

    /// Names the next round.
    #[must_use = "a plan holds a claim"]
    pub fn renamed(mut self, request_token: String) -> Self {
        self.request_token = request_token;
        self
    }

    /// Gives the claim back, so that it can be released.
    pub fn abandon(self) -> Claim {
        self.claim
    }

    /// Reads a cancelled round. The claim outranks everything; the other reasons are all applied at once.
    pub fn narrow(mut self, cancelled: Cancelled) -> Narrowed<D> {
        if let Some(existing) = cancelled.claim {
            let receipt = existing
                .filter(|record| record.token == *self.claim.token())
                .and_then(|record| record.receipt().map(|receipt| receipt.status));
            return match receipt {
                Some(status @ (FinishedStatus::Committed | FinishedStatus::DuplicateContent)) => {
                    Narrowed::Landed(Landed { status, active: self.pointer.is_some() })
                }
                _ => Narrowed::Fenced,
            };
        }
        let mut narrower = false;
        if let Some(known) = cancelled.known {
            match known.meaning(self.given_filing.as_deref()) {
                Known::FiledElsewhere { under } => return Narrowed::FiledElsewhere(self.claim, under),
                Known::RejectedBefore => return Narrowed::RejectedBefore(self.claim),
                Known::Duplicate(filing) => {
                    self.row = None;
                    if let Some(pointer) = &mut self.pointer {
                        pointer.refile(&filing);
                    }
                    self.filing = filing;
                    narrower = true;
                }
            }
        }
        for id in cancelled.recorded {
            narrower |= self.recorded.insert(id.as_str().to_owned());
        }
        if let Some(existing) = cancelled.pointer {
            let refusal = match &self.pointer {
                Some(PointerMove::InOrder { names, .. }) => read_refusal(existing.as_deref(), names),
                Some(PointerMove::AsAsked(_)) | None => Refusal::AskStore,
            };
            if refusal == Refusal::AskStore {
                return Narrowed::AskStore(self);
            }
            self.pointer = None;
            narrower = true;
        }
        if narrower { Narrowed::Again(self) } else { Narrowed::Repeat(self) }
    }
}
