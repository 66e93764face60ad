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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{ClaimRequest, ClaimState, FencingToken, Purpose, Receipt};
    use crate::event::{Origin, Request};
    use crate::identity::{ClaimKey, Sequencer, VersionId};
    use crate::pointer::{Order, PointerState};
    use crate::posting::tests::Note;

    const NOW: EpochMs = EpochMs(1_000);
    const ETAG: &str = "e";

    fn generation() -> Generation {
        Generation::new(2).unwrap()
    }

    fn claim(sequencer: &str) -> Claim {
        let version = ObjectVersion {
            bucket: "b".into(),
            key: "k".into(),
            version_id: VersionId::from_optional(Some("V2")),
            etag: ETag::new(ETAG),
        };
        Claim::put(ClaimRequest {
            key: ClaimKey::of(&version).unwrap(),
            version,
            generation: generation(),
            token: FencingToken("mine".into()),
            request: Request::Created,
            origin: Origin::Event,
            sequencer: Sequencer::new(sequencer),
            event_time: None,
            envelope: "{}".into(),
            redriven_from_cycle: None,
            now: NOW,
            lease_expires_at: NOW.plus_ms(60_000),
            attempt_limit: 3,
        })
    }

    fn content() -> ContentHash {
        ContentHash::of(b"x")
    }

    fn row(holder: &str) -> CommitRow<Note> {
        CommitRow {
            content_hash: content(),
            generation: generation(),
            document: Note::of(holder),
            source: claim("").version().clone(),
            committed_at: NOW,
            extractor: "notes 1".into(),
        }
    }

    fn filing(under: &str) -> Filing {
        Filing { under: under.into(), order: Note::of(under).day }
    }

    fn receivers() -> Vec<String> {
        vec!["events".into(), "desk".into()]
    }

    fn intent_id(receiver: &str) -> EffectId {
        EffectId::of_commit(Operation::Posted, receiver, generation(), content())
    }

    /// A plan to post what is filed under `P`, without a pointer.
    fn fresh(given: Option<&str>) -> CommitPlan<Note> {
        CommitPlan::new(claim("0B"), row("P"), given.map(str::to_owned), receivers(), "round 1".into())
    }

    fn known(under: &str, state: RowState) -> KnownContent {
        KnownContent { filing: filing(under), state }
    }

    /// The key's pointer on another version, or on this one in this or an earlier generation.
    fn pointer(version_id: &str, read_in: u32, sequencer: &str, order: Order) -> Option<Box<Pointer>> {
        Some(Box::new(Pointer {
            key: DocumentKey::new("b", "k"),
            names: Some(Named {
                version_id: VersionId::from_optional(Some(version_id)),
                etag: ETag::new(ETAG),
                content_hash: content(),
                generation: Generation::new(read_in).unwrap(),
                filing: filing("P"),
            }),
            sequencer: Sequencer::new(sequencer),
            order,
            state: PointerState::Active,
            revision: 4,
        }))
    }

    fn as_asked(plan: &CommitPlan<Note>) -> PointerWrite {
        PointerWrite {
            read_revision: 4,
            names: Some(plan.names(&ETag::new(ETAG))),
            sequencer: None,
            order: Order::Listed,
            state: PointerState::Active,
        }
    }

    fn record(token: &str, status: Option<FinishedStatus>) -> Option<Box<ClaimRecord>> {
        let state = match status {
            None => ClaimState::InProgress { lease_expires_at: NOW },
            Some(status) => {
                ClaimState::Finished(Receipt { status, finished_at: NOW, content_hash: None, reason: None })
            }
        };
        Some(Box::new(ClaimRecord {
            key: claim("").key().clone(),
            generation: generation(),
            state,
            token: FencingToken(token.into()),
            attempts: 1,
            cycle: 0,
            first_claimed_at: NOW,
            claimed_at: NOW,
            sequencer: None,
            event_time: None,
            not_found_since: None,
            failures: Vec::new(),
            envelope: None,
            found: None,
            purpose: Purpose::Process,
            waits: crate::claim::Waits::default(),
        }))
    }

    /// What is left to write of a plan.
    #[derive(Debug, Clone, PartialEq)]
    struct Left {
        row: bool,
        moves_pointer: bool,
        filed_under: String,
        told: Vec<String>,
    }

    impl Left {
        fn of(plan: &CommitPlan<Note>) -> Self {
            let named = match plan.pointer() {
                Some(PointerMove::InOrder { names, .. }) => Some(names),
                Some(PointerMove::AsAsked(write)) => write.names.as_ref(),
                None => None,
            };
            if let Some(named) = named {
                assert_eq!(named.filing, plan.filing, "a pointer is filed as the content is");
            }
            Self {
                row: plan.row().is_some(),
                moves_pointer: plan.pointer().is_some(),
                filed_under: plan.filing.under.clone(),
                told: plan.intents().into_iter().map(|intent| intent.receiver).collect(),
            }
        }

        /// How many actions the round has beside the claim's.
        fn actions(&self) -> usize {
            usize::from(self.row) + usize::from(self.moves_pointer) + self.told.len()
        }
    }

    /// [`Narrowed`], so that it can be compared.
    #[derive(Debug, Clone, PartialEq)]
    enum Seen {
        Again(Left),
        Repeat(Left),
        Ask(Left),
        Landed(FinishedStatus, bool),
        Fenced,
        Elsewhere(String),
        Rejected,
    }

    fn seen(narrowed: Narrowed<Note>) -> Seen {
        let mine = |claim: &Claim| assert_eq!(claim.token().0, "mine", "the claim is given back");
        match narrowed {
            Narrowed::Again(plan) => Seen::Again(Left::of(&plan)),
            Narrowed::Repeat(plan) => {
                assert_eq!(plan.request_token(), "round 1", "a repeat is the same round");
                Seen::Repeat(Left::of(&plan))
            }
            Narrowed::AskStore(plan) => Seen::Ask(Left::of(&plan)),
            Narrowed::Landed(landed) => Seen::Landed(landed.status, landed.active),
            Narrowed::Fenced => Seen::Fenced,
            Narrowed::FiledElsewhere(claim, under) => {
                mine(&claim);
                Seen::Elsewhere(under)
            }
            Narrowed::RejectedBefore(claim) => {
                mine(&claim);
                Seen::Rejected
            }
        }
    }

    fn left(row: bool, moves_pointer: bool, filed_under: &str, told: &[&str]) -> Left {
        Left {
            row,
            moves_pointer,
            filed_under: filed_under.into(),
            told: told.iter().map(|receiver| (*receiver).to_owned()).collect(),
        }
    }

    #[test]
    fn known_content_is_a_duplicate_unless_a_person_or_a_filing_says_otherwise() {
        use RowState::{Posted, Rejected};
        let table = [
            (known("P", Posted), None, Known::Duplicate(filing("P"))),
            (known("P", Posted), Some("P"), Known::Duplicate(filing("P"))),
            (known("P", Posted), Some("Q"), Known::FiledElsewhere { under: "P".into() }),
            (known("P", Posted), Some("p"), Known::FiledElsewhere { under: "P".into() }),
            (known("P", Posted), Some(""), Known::FiledElsewhere { under: "P".into() }),
            (known("", Rejected), None, Known::RejectedBefore),
            (known("", Rejected), Some("P"), Known::RejectedBefore),
            (known("P", Rejected), Some("P"), Known::RejectedBefore),
            (known("P", Rejected), Some("Q"), Known::RejectedBefore),
        ];
        for (content, given, expected) in table {
            assert_eq!(content.clone().meaning(given), expected, "{content:?} given {given:?}");
        }
    }

    #[test]
    fn a_new_document_is_told_of_once_to_each_receiver() {
        let mut plan = fresh(None);
        for active in [false, true] {
            if active {
                let _ = plan.order_pointer(&ETag::new(ETAG));
            }
            let payload = json!({
                "operation": "posted",
                "kind": "note",
                "content_hash": content().to_string(),
                "generation": 2,
                "document_key": "b/k",
                "filed_under": "P",
                "active": active,
            });
            let expected: Vec<_> = receivers()
                .into_iter()
                .map(|receiver| Intent {
                    id: intent_id(&receiver),
                    operation: Operation::Posted,
                    payload: payload.clone(),
                    recorded_at: NOW,
                    receiver,
                })
                .collect();
            assert_eq!(plan.intents(), expected);
        }
        let nobody = CommitPlan::new(claim("0B"), row("P"), None, Vec::new(), "round 1".into());
        assert_eq!(nobody.intents(), []);
        let posted = CommitPlan::<Note>::of_known(claim("0B"), content(), filing("P"), NOW, "round 1".into());
        assert_eq!(posted.intents(), [], "content that is posted has been told of");
    }

    #[test]
    fn a_plan_says_how_its_claim_ends() {
        type Make = fn() -> CommitPlan<Note>;
        let posted: Make =
            || CommitPlan::of_known(claim("0B"), content(), filing("Q"), EpochMs(9), "round 1".into());
        let table: [(Make, bool, FinishedStatus, u64); 4] = [
            (|| fresh(None), false, FinishedStatus::Committed, 1_000),
            (|| fresh(None), true, FinishedStatus::Committed, 1_000),
            (posted, false, FinishedStatus::DuplicateContent, 9),
            (posted, true, FinishedStatus::DuplicateContent, 9),
        ];
        for (make, active, status, finished_at_ms) in table {
            let mut plan = make();
            let filed = plan.filing.clone();
            if active {
                plan.set_pointer(Some(as_asked(&plan)));
            }
            assert_eq!(plan.landed(), Landed { status, active });
            assert_eq!(plan.status(), status);
            assert_eq!(plan.finished_at(), EpochMs(finished_at_ms));
            assert_eq!(plan.content_hash(), content());
            assert_eq!(plan.document_key(), DocumentKey::new("b", "k"));
            let names = plan.names(&ETag::new("as read"));
            assert_eq!((names.etag.as_str(), names.version_id.as_str()), ("as read", "V2"));
            assert_eq!(
                (names.generation, names.content_hash, names.filing),
                (generation(), content(), filed)
            );
            let renamed = plan.renamed("round 2".into());
            assert_eq!(renamed.request_token(), "round 2");
            assert_eq!(renamed.abandon(), claim("0B"), "the claim is as it came");
        }
    }

    #[test]
    fn a_pointer_is_moved_by_order_only_with_a_sequencer() {
        for (sequencer, moves) in [("0B", true), ("", false)] {
            let mut plan = CommitPlan::new(claim(sequencer), row("P"), None, receivers(), "round 1".into());
            let names = plan.names(&ETag::new("as read"));
            assert_eq!(plan.order_pointer(&ETag::new("as read")), moves, "{sequencer}");
            let expected =
                Sequencer::new(sequencer).map(|sequencer| PointerMove::InOrder { names, sequencer });
            assert_eq!(plan.pointer(), expected.as_ref(), "{sequencer}");
            plan.set_pointer(Some(as_asked(&plan)));
            assert!(matches!(plan.pointer(), Some(PointerMove::AsAsked(_))));
            plan.set_pointer(None);
            assert_eq!(plan.pointer(), None, "{sequencer}");
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table, a row a case")]
    fn what_a_cancelled_round_leads_to() {
        use FinishedStatus::{Committed, DuplicateContent, Review};
        use Order::{Listed, Ordered};
        use RowState::{Posted, Rejected};
        let all = ["events", "desk"];
        let nothing = Cancelled::default;
        let refused = |pointer| Cancelled { pointer: Some(pointer), ..nothing() };
        let posted = |known| Cancelled { known: Some(known), ..nothing() };
        let lost = |record| Cancelled { claim: Some(record), ..nothing() };
        let later = || pointer("V3", 2, "0C", Ordered);
        // Each is a plan filed under `P` that moves the pointer by order and tells two receivers.
        type Row = (&'static str, Option<&'static str>, Cancelled, Seen);
        let table: Vec<Row> = vec![
            ("nothing is said", None, nothing(), Seen::Repeat(left(true, true, "P", &all))),
            (
                "a conflict decides nothing",
                None,
                Cancelled { conflict: true, ..nothing() },
                Seen::Repeat(left(true, true, "P", &all)),
            ),
            ("posted already", None, posted(known("P", Posted)), Seen::Again(left(false, true, "P", &[]))),
            (
                "posted already, as given",
                Some("P"),
                posted(known("P", Posted)),
                Seen::Again(left(false, true, "P", &[])),
            ),
            (
                "posted under another filing, which only the extractor read",
                None,
                posted(known("Q", Posted)),
                Seen::Again(left(false, true, "Q", &[])),
            ),
            (
                "posted under another filing than was given",
                Some("P"),
                posted(known("Q", Posted)),
                Seen::Elsewhere("Q".into()),
            ),
            ("rejected before", None, posted(known("", Rejected)), Seen::Rejected),
            ("rejected before, given a filing", Some("P"), posted(known("Q", Rejected)), Seen::Rejected),
            ("a later version is active", None, refused(later()), Seen::Again(left(true, false, "P", &all))),
            (
                "this version is active, in this generation",
                None,
                refused(pointer("V2", 2, "0C", Ordered)),
                Seen::Again(left(true, false, "P", &all)),
            ),
            (
                "this version is active, in an earlier generation",
                None,
                refused(pointer("V2", 1, "0C", Ordered)),
                Seen::Ask(left(true, true, "P", &all)),
            ),
            (
                "the pointer is listed",
                None,
                refused(pointer("V1", 2, "0A", Listed)),
                Seen::Ask(left(true, true, "P", &all)),
            ),
            (
                "the pointer has no sequencer",
                None,
                refused(pointer("V1", 2, "", Ordered)),
                Seen::Ask(left(true, true, "P", &all)),
            ),
            ("the pointer went away", None, refused(None), Seen::Ask(left(true, true, "P", &all))),
            (
                "one intent is on record",
                None,
                Cancelled { recorded: vec![intent_id("events")], ..nothing() },
                Seen::Again(left(true, true, "P", &["desk"])),
            ),
            (
                "both intents are on record",
                None,
                Cancelled { recorded: vec![intent_id("desk"), intent_id("events")], ..nothing() },
                Seen::Again(left(true, true, "P", &[])),
            ),
            (
                "posted, historical and told: all at once",
                None,
                Cancelled { recorded: vec![intent_id("events")], conflict: true, ..refused(later()) },
                Seen::Again(left(true, false, "P", &["desk"])),
            ),
            (
                "posted and historical: only the marker is left",
                None,
                Cancelled { known: Some(known("Q", Posted)), ..refused(later()) },
                Seen::Again(left(false, false, "Q", &[])),
            ),
            (
                "posted and the store to be asked: the plan that asks is narrower already",
                None,
                Cancelled { known: Some(known("Q", Posted)), ..refused(None) },
                Seen::Ask(left(false, true, "Q", &[])),
            ),
            (
                "told and the store to be asked",
                None,
                Cancelled { recorded: vec![intent_id("desk")], ..refused(None) },
                Seen::Ask(left(true, true, "P", &["events"])),
            ),
            (
                "filed elsewhere outranks the pointer",
                Some("P"),
                Cancelled { known: Some(known("Q", Posted)), ..refused(None) },
                Seen::Elsewhere("Q".into()),
            ),
            ("the claim is gone", None, lost(None), Seen::Fenced),
            ("another holds it", None, lost(record("theirs", None)), Seen::Fenced),
            ("another committed", None, lost(record("theirs", Some(Committed))), Seen::Fenced),
            ("own, in progress", None, lost(record("mine", None)), Seen::Fenced),
            ("own, in review", None, lost(record("mine", Some(Review))), Seen::Fenced),
            ("own, committed", None, lost(record("mine", Some(Committed))), Seen::Landed(Committed, true)),
            (
                "own, duplicate content",
                None,
                lost(record("mine", Some(DuplicateContent))),
                Seen::Landed(DuplicateContent, true),
            ),
            (
                "own, committed, and its own row and pointer refuse it",
                Some("P"),
                Cancelled {
                    known: Some(known("Q", Posted)),
                    claim: lost(record("mine", Some(Committed))).claim,
                    ..refused(later())
                },
                Seen::Landed(Committed, true),
            ),
            (
                "a lost claim outranks a rejection",
                None,
                Cancelled { known: Some(known("", Rejected)), ..lost(None) },
                Seen::Fenced,
            ),
        ];
        for (name, given, cancelled, expected) in table {
            let mut plan = fresh(given);
            let _ = plan.order_pointer(&ETag::new(ETAG));
            assert_eq!(seen(plan.narrow(cancelled)), expected, "{name}");
        }
    }

    #[test]
    fn a_refused_answer_of_the_store_is_asked_for_again() {
        let table = [
            pointer("V3", 2, "0C", Order::Ordered),
            pointer("V3", 2, "0A", Order::Listed),
            pointer("V2", 2, "0B", Order::Ordered),
            None,
        ];
        for existing in table {
            let mut plan = fresh(None);
            plan.set_pointer(Some(as_asked(&plan)));
            let cancelled = Cancelled { pointer: Some(existing.clone()), ..Cancelled::default() };
            let expected = Seen::Ask(left(true, true, "P", &["events", "desk"]));
            assert_eq!(seen(plan.narrow(cancelled)), expected, "{existing:?}");
        }
    }

    #[test]
    fn an_earlier_try_that_landed_was_as_active_as_this_round() {
        for (active, status) in [(false, FinishedStatus::Committed), (true, FinishedStatus::DuplicateContent)]
        {
            let mut plan = fresh(None);
            if active {
                plan.set_pointer(Some(as_asked(&plan)));
            }
            let cancelled = Cancelled { claim: Some(record("mine", Some(status))), ..Cancelled::default() };
            assert_eq!(seen(plan.narrow(cancelled)), Seen::Landed(status, active));
        }
    }

    #[test]
    fn an_intent_that_is_left_out_already_is_no_news() {
        let told = || Cancelled { recorded: vec![intent_id("events")], ..Cancelled::default() };
        let Narrowed::Again(plan) = fresh(None).narrow(told()) else { panic!("narrower") };
        assert_eq!(seen(plan.narrow(told())), Seen::Repeat(left(true, false, "P", &["desk"])));
    }

    /// Every combination of reasons that a transaction can give, in each kind of plan, against the protocol's
    /// order of precedence.
    #[test]
    fn every_combination_of_reasons_is_narrower_or_an_end() {
        use FinishedStatus::{Committed, DuplicateContent, Rejected, Review};
        let knowns = [
            None,
            Some(known("P", RowState::Posted)),
            Some(known("Q", RowState::Posted)),
            Some(known("Q", RowState::Rejected)),
        ];
        let claims = [
            None,
            Some(None),
            Some(record("mine", None)),
            Some(record("mine", Some(Committed))),
            Some(record("mine", Some(DuplicateContent))),
            Some(record("mine", Some(Review))),
            Some(record("theirs", None)),
            Some(record("theirs", Some(Committed))),
            Some(record("theirs", Some(Rejected))),
        ];
        // Each with whether sequencers decide it against an ordered move.
        let pointers = [
            (None, false),
            (Some(None), false),
            (Some(pointer("V3", 2, "0C", Order::Ordered)), true),
            (Some(pointer("V2", 2, "0B", Order::Ordered)), true),
            (Some(pointer("V2", 1, "0C", Order::Ordered)), false),
            (Some(pointer("V3", 2, "0C", Order::Listed)), false),
        ];
        let recorded: [&[&str]; 4] = [&[], &["events"], &["desk"], &["events", "desk"]];
        let mut combinations = 0;
        for plan_kind in ["historical", "in order", "as asked"] {
            for given in [None, Some("P")] {
                for known in &knowns {
                    for claim in &claims {
                        for (pointer, decided) in &pointers {
                            for recorded in recorded {
                                for conflict in [false, true] {
                                    // A plan without a pointer has no action that could be refused for it.
                                    if plan_kind == "historical" && pointer.is_some() {
                                        continue;
                                    }
                                    combinations += 1;
                                    let mut plan = fresh(given);
                                    match plan_kind {
                                        "in order" => {
                                            let _ = plan.order_pointer(&ETag::new(ETAG));
                                        }
                                        "as asked" => plan.set_pointer(Some(as_asked(&plan))),
                                        _ => {}
                                    }
                                    let before = Left::of(&plan);
                                    let cancelled = Cancelled {
                                        known: known.clone(),
                                        claim: claim.clone(),
                                        pointer: pointer.clone(),
                                        recorded: recorded
                                            .iter()
                                            .map(|receiver| intent_id(receiver))
                                            .collect(),
                                        conflict,
                                    };
                                    let case = format!("{plan_kind} {given:?} {cancelled:?}");
                                    let after = seen(plan.narrow(cancelled));

                                    let mut rest = before.clone();
                                    rest.told.retain(|receiver| !recorded.contains(&receiver.as_str()));
                                    if let Some(known) = known {
                                        rest.row = false;
                                        rest.told.clear();
                                        rest.filed_under = known.filing.under.clone();
                                    }
                                    let historical = *decided && plan_kind == "in order";
                                    rest.moves_pointer &= !historical;
                                    let expected = match (claim, known) {
                                        (Some(Some(record)), _) if record.token.0 == "mine" => {
                                            match record.receipt().map(|receipt| receipt.status) {
                                                Some(status @ (Committed | DuplicateContent)) => {
                                                    Seen::Landed(status, before.moves_pointer)
                                                }
                                                _ => Seen::Fenced,
                                            }
                                        }
                                        (Some(_), _) => Seen::Fenced,
                                        (None, Some(known)) if known.state == RowState::Rejected => {
                                            Seen::Rejected
                                        }
                                        (None, Some(known))
                                            if given.is_some_and(|given| given != known.filing.under) =>
                                        {
                                            Seen::Elsewhere(known.filing.under.clone())
                                        }
                                        (None, _) if pointer.is_some() && !historical => Seen::Ask(rest),
                                        (None, _) if rest == before => Seen::Repeat(rest),
                                        (None, _) => Seen::Again(rest),
                                    };
                                    assert_eq!(after, expected, "{case}");
                                    match after {
                                        Seen::Again(rest) => {
                                            assert!(rest.actions() < before.actions(), "{case}")
                                        }
                                        Seen::Ask(rest) => {
                                            assert!(rest.actions() <= before.actions(), "{case}")
                                        }
                                        Seen::Repeat(rest) => assert_eq!(rest, before, "{case}"),
                                        _ => {}
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(combinations, 2 * 4 * 9 * 4 * 2 * (1 + 6 + 6));
    }
}
