//! The claim: the right to process one object version in one generation.
//!
//! [`decide`] is the decision table of the protocol, read from the top, the first row that fits decides. A
//! [`Claim`] is a value: it is made only from an answer of the ledger, cannot be copied, and is consumed by
//! committing, finishing or releasing.

use serde::{Deserialize, Serialize};

use crate::event::{Origin, Request};
use crate::identity::{ClaimKey, ContentHash, EpochMs, Generation, ObjectVersion, Sequencer};
use crate::posting::Reason;

/// How many failures a claim remembers.
pub const FAILURES_KEPT: usize = 5;
/// The longest failure message that is kept, in bytes.
pub const FAILURE_MESSAGE_MAX_BYTES: usize = 512;
/// How long after the first 404 a version may be called missing: replication and compatible stores lag.
pub const MISSING_AFTER_MS: u64 = 15 * 60 * 1000;
/// Code of the reason under which an archived version is parked, so that a completed restore finds it.
pub const REASON_ARCHIVED: &str = "archived";

/// A fresh random id per attempt. Every later write about the claim is conditional on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FencingToken(pub String);

/// How a claim ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishedStatus {
    /// Posted by this claim.
    Committed,
    /// The same bytes were posted before.
    DuplicateContent,
    /// A person must look.
    Review,
    /// No document.
    Rejected,
    /// The version is not there.
    Missing,
    /// The bytes were replaced before they could be read; a later event carries the newer ones.
    Superseded,
    /// Given up on, with context, in the dead-letter queue.
    DeadLettered,
}

impl FinishedStatus {
    /// All of them, for mapping and for tests.
    pub const ALL: [Self; 7] = [
        Self::Committed,
        Self::DuplicateContent,
        Self::Review,
        Self::Rejected,
        Self::Missing,
        Self::Superseded,
        Self::DeadLettered,
    ];

    /// The stored text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::DuplicateContent => "duplicate_content",
            Self::Review => "review",
            Self::Rejected => "rejected",
            Self::Missing => "missing",
            Self::Superseded => "superseded",
            Self::DeadLettered => "dead_lettered",
        }
    }

    /// Reads the stored text.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == raw)
    }

    /// Whether people must be told and the claim stays on the list of open items.
    pub fn is_open_item(self) -> bool {
        matches!(self, Self::Review | Self::DeadLettered)
    }
}

/// One failed attempt, as a claim remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When.
    pub at: EpochMs,
    /// Which attempt.
    pub attempt: u32,
    /// Code for counting.
    pub kind: String,
    /// A sentence, at most [`FAILURE_MESSAGE_MAX_BYTES`].
    pub message: String,
}

/// What a finished claim says of its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// How it ended.
    pub status: FinishedStatus,
    /// When.
    pub finished_at: EpochMs,
    /// The content that was read, if it came that far.
    pub content_hash: Option<ContentHash>,
    /// Why, for everything that was not posted.
    pub reason: Option<Reason>,
}

/// Where a claim stands. That a lease is over is derived from the time and never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimState {
    /// Somebody holds it, or held it.
    InProgress {
        /// Until when it is protected.
        lease_expires_at: EpochMs,
    },
    /// It has ended.
    Finished(Receipt),
}

/// What a claim remembers of work on its content that goes on elsewhere, such as a recogniser's job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waits {
    /// The job, once one was started: the next attempt asks for it and starts no other.
    pub job_id: Option<String>,
    /// How often the cycle was left to wait. Such a wait is no attempt.
    pub count: u32,
}

/// A claim as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRecord {
    /// Name of the work.
    pub key: ClaimKey,
    /// Generation of the work.
    pub generation: Generation,
    /// Where it stands.
    pub state: ClaimState,
    /// Token of the attempt that wrote last; it stays when the claim ends.
    pub token: FencingToken,
    /// Attempts in this cycle.
    pub attempts: u32,
    /// How often a finished claim was opened again.
    pub cycle: u32,
    /// When the work was first claimed.
    pub first_claimed_at: EpochMs,
    /// When this attempt claimed it.
    pub claimed_at: EpochMs,
    /// The latest sequencer any event of this work carried.
    pub sequencer: Option<Sequencer>,
    /// The event's own time, as written.
    pub event_time: Option<String>,
    /// When the store first said that the version is not there.
    pub not_found_since: Option<EpochMs>,
    /// The last failures, oldest first.
    pub failures: Vec<Failure>,
    /// The record as received; kept with open items.
    pub envelope: Option<String>,
    /// What an extractor found, kept for review.
    pub found: Option<serde_json::Value>,
    /// What the claim was last opened for.
    pub purpose: Purpose,
    /// Work elsewhere that this cycle waited for.
    pub waits: Waits,
}

impl ClaimRecord {
    /// The status as it is stored.
    pub fn status_text(&self) -> &'static str {
        match &self.state {
            ClaimState::InProgress { .. } => STATUS_IN_PROGRESS,
            ClaimState::Finished(receipt) => receipt.status.as_str(),
        }
    }

    /// The receipt of a finished claim.
    pub fn receipt(&self) -> Option<&Receipt> {
        match &self.state {
            ClaimState::InProgress { .. } => None,
            ClaimState::Finished(receipt) => Some(receipt),
        }
    }
}

/// Stored status of a claim that has not ended.
pub const STATUS_IN_PROGRESS: &str = "in_progress";

/// What a record asks of the claims table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Name of the work.
    pub key: ClaimKey,
    /// What the name stands for.
    pub version: ObjectVersion,
    /// Generation of this worker.
    pub generation: Generation,
    /// Token of this attempt.
    pub token: FencingToken,
    /// What is asked for.
    pub request: Request,
    /// Who asks.
    pub origin: Origin,
    /// The record's place in the key's order.
    pub sequencer: Option<Sequencer>,
    /// The event's own time.
    pub event_time: Option<String>,
    /// The record as received.
    pub envelope: String,
    /// The cycle out of which an operator redrove this record; `None` for an ordinary delivery.
    pub redriven_from_cycle: Option<u32>,
    /// Now.
    pub now: EpochMs,
    /// Until when this attempt would be protected: the invocation's deadline and a margin for clock skew.
    pub lease_expires_at: EpochMs,
    /// Attempts in a cycle after which the work is dead-lettered.
    pub attempt_limit: u32,
}

/// What the claims table's answer means for this record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Nobody has claimed this work: put a claim.
    Claim,
    /// The claim is this attempt's own; the reply to an earlier try was lost.
    Own,
    /// Another holds it.
    InFlight {
        /// Until when.
        until: EpochMs,
    },
    /// Take the claim over, on condition that status and token are those that were read.
    TakeOver(TakeOver),
    /// Too many attempts: dead-letter with context.
    DeadLetter,
    /// The work is done; only the active pointer is to be looked at.
    RepairPointer {
        /// The content that was posted.
        content_hash: ContentHash,
    },
    /// The work is done: a duplicate event.
    Duplicate(FinishedStatus),
    /// There is nothing this request could be about.
    NothingToDo,
}

/// How a claim is to be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeOver {
    /// Number of this attempt in the cycle.
    pub attempt: u32,
    /// The cycle.
    pub cycle: u32,
    /// The greater of the claim's and the event's sequencer; the whole attempt works with it.
    pub sequencer: Option<Sequencer>,
    /// What for.
    pub purpose: Purpose,
}

/// What a taken-over claim is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be processed.
    Process,
    /// To be parked for a person: a multipart upload replaced another under the same name, and the tag cannot
    /// tell whether the bytes are the same.
    AskPerson,
}

/// The decision table. Pure: the same answer of the ledger and the same request always mean the same.
pub fn decide(existing: Option<&ClaimRecord>, request: &ClaimRequest) -> Decision {
    let Some(claim) = existing else {
        // A restored version that nobody parked was either ingested before it was archived or is found by the reconciler.
        return if request.request == Request::Restored { Decision::NothingToDo } else { Decision::Claim };
    };
    let sequencer = Sequencer::later(claim.sequencer.clone(), request.sequencer.clone());
    let reopened = |purpose| {
        Decision::TakeOver(TakeOver {
            attempt: 1,
            cycle: claim.cycle.saturating_add(1),
            sequencer: sequencer.clone(),
            purpose,
        })
    };

    let receipt = match &claim.state {
        ClaimState::InProgress { .. } if claim.token == request.token => return Decision::Own,
        ClaimState::InProgress { lease_expires_at } if *lease_expires_at > request.now => {
            return Decision::InFlight { until: *lease_expires_at };
        }
        ClaimState::InProgress { .. } if claim.attempts < request.attempt_limit => {
            return Decision::TakeOver(TakeOver {
                attempt: claim.attempts.saturating_add(1),
                cycle: claim.cycle,
                sequencer,
                // Whoever died before a person was asked has not answered the question.
                purpose: claim.purpose,
            });
        }
        ClaimState::InProgress { .. } => return Decision::DeadLetter,
        ClaimState::Finished(receipt) => receipt,
    };

    if receipt.status == FinishedStatus::DeadLettered && request.redriven_from_cycle == Some(claim.cycle) {
        return reopened(Purpose::Process);
    }
    if is_later_upload_under_the_same_name(claim, request) {
        let ambiguous = request.version.etag.is_multipart();
        return reopened(if ambiguous { Purpose::AskPerson } else { Purpose::Process });
    }
    if receipt.status == FinishedStatus::Review
        && receipt.reason.as_ref().is_some_and(|reason| reason.code == REASON_ARCHIVED)
        && request.request == Request::Restored
    {
        return reopened(Purpose::Process);
    }
    if request.origin == Origin::Reconciler {
        match (receipt.status, receipt.content_hash) {
            (FinishedStatus::Missing | FinishedStatus::Superseded, _) => return reopened(Purpose::Process),
            (FinishedStatus::Committed | FinishedStatus::DuplicateContent, Some(content_hash)) => {
                return Decision::RepairPointer { content_hash };
            }
            _ => {}
        }
    }
    Decision::Duplicate(receipt.status)
}

/// Whether this event is of an upload that replaced the one this claim stands for. Only the null version can be
/// replaced in place; without a sequencer on either side it cannot be told from a repeat, and reading the bytes
/// again is harmless where skipping them could lose a document.
fn is_later_upload_under_the_same_name(claim: &ClaimRecord, request: &ClaimRequest) -> bool {
    request.version.version_id.is_null()
        && request.request == Request::Created
        && request.origin == Origin::Event
        && match (&claim.sequencer, &request.sequencer) {
            (Some(of_claim), Some(of_event)) => of_event > of_claim,
            (None, _) => true,
            (Some(_), None) => false,
        }
}

/// The right to process, held. Not `Clone`: it is moved into the commit, the finish or the release that ends it.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a claim must be committed, finished or released"]
pub struct Claim {
    key: ClaimKey,
    version: ObjectVersion,
    generation: Generation,
    token: FencingToken,
    attempt: u32,
    cycle: u32,
    first_claimed_at: EpochMs,
    claimed_at: EpochMs,
    sequencer: Option<Sequencer>,
    not_found_since: Option<EpochMs>,
    failures: Vec<Failure>,
    envelope: String,
    purpose: Purpose,
    waits: Waits,
}

impl Claim {
    /// The claim that the ledger has just put for this request.
    pub(crate) fn put(request: ClaimRequest) -> Self {
        Self {
            first_claimed_at: request.now,
            attempt: 1,
            cycle: 0,
            sequencer: request.sequencer,
            not_found_since: None,
            failures: Vec::new(),
            purpose: Purpose::Process,
            waits: Waits::default(),
            key: request.key,
            version: request.version,
            generation: request.generation,
            token: request.token,
            claimed_at: request.now,
            envelope: request.envelope,
        }
    }

    /// The claim that an earlier try of this same attempt had put.
    pub(crate) fn own(request: ClaimRequest, record: ClaimRecord) -> Self {
        Self {
            attempt: record.attempts,
            cycle: record.cycle,
            first_claimed_at: record.first_claimed_at,
            claimed_at: record.claimed_at,
            sequencer: record.sequencer,
            not_found_since: record.not_found_since,
            failures: record.failures,
            purpose: record.purpose,
            waits: record.waits,
            key: request.key,
            version: request.version,
            generation: request.generation,
            token: request.token,
            envelope: request.envelope,
        }
    }

    /// The claim that the ledger has just moved to this attempt. A claim opened again starts without the old
    /// memory of a missing object and of work elsewhere.
    pub(crate) fn taken_over(request: ClaimRequest, record: ClaimRecord, plan: TakeOver) -> Self {
        let reopened = plan.cycle != record.cycle;
        Self {
            attempt: plan.attempt,
            cycle: plan.cycle,
            first_claimed_at: record.first_claimed_at,
            claimed_at: request.now,
            sequencer: plan.sequencer,
            not_found_since: if reopened { None } else { record.not_found_since },
            failures: record.failures,
            purpose: plan.purpose,
            waits: if reopened { Waits::default() } else { record.waits },
            key: request.key,
            version: request.version,
            generation: request.generation,
            token: request.token,
            envelope: request.envelope,
        }
    }

    /// Name of the work.
    pub fn key(&self) -> &ClaimKey {
        &self.key
    }
    /// The object version.
    pub fn version(&self) -> &ObjectVersion {
        &self.version
    }
    /// Generation of the work.
    pub fn generation(&self) -> Generation {
        self.generation
    }
    /// Token of this attempt.
    pub fn token(&self) -> &FencingToken {
        &self.token
    }
    /// Number of this attempt in its cycle, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }
    /// The cycle, from 0.
    pub fn cycle(&self) -> u32 {
        self.cycle
    }
    /// When the work was first claimed.
    pub fn first_claimed_at(&self) -> EpochMs {
        self.first_claimed_at
    }
    /// The sequencer this attempt works with.
    pub fn sequencer(&self) -> Option<&Sequencer> {
        self.sequencer.as_ref()
    }
    /// When the store first said that the version is not there.
    pub fn not_found_since(&self) -> Option<EpochMs> {
        self.not_found_since
    }
    /// What the claim is for.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }
    /// When this attempt claimed it.
    pub fn claimed_at(&self) -> EpochMs {
        self.claimed_at
    }
    /// Work elsewhere that this cycle waited for.
    pub fn waits(&self) -> &Waits {
        &self.waits
    }

    /// Ends the claim in a finished state other than a commit.
    pub fn into_finish(self, end: Ending, now: EpochMs) -> Finish {
        Finish {
            seen: Seen { key: self.key, generation: self.generation, token: self.token },
            attempts: self.attempt,
            cycle: self.cycle,
            first_claimed_at: self.first_claimed_at,
            envelope: end.status.is_open_item().then_some(self.envelope),
            end,
            finished_at: now,
            failures: self.failures,
        }
    }

    /// Gives the claim up after a failure that another attempt may not meet. Waiting for a version that is not
    /// found is no attempt: only the time decides how long it is waited for, however often it is looked for.
    pub fn into_release(mut self, kind: &str, message: &str, not_found: bool, now: EpochMs) -> Release {
        push_failure(&mut self.failures, now, self.attempt, kind, message);
        Release {
            attempts: self.attempt.saturating_sub(u32::from(not_found)),
            not_found_since: self.not_found_since.or(not_found.then_some(now)),
            seen: Seen { key: self.key, generation: self.generation, token: self.token },
            failures: self.failures,
        }
    }

    /// Leaves the claim to wait for work elsewhere. It stays protected until then, so that no other copy of the
    /// event asks sooner, and the wait is no attempt.
    pub fn into_wait(self, job_id: String, until: EpochMs) -> Wait {
        Wait {
            attempts: self.attempt.saturating_sub(1),
            lease_expires_at: until,
            waits: Waits { job_id: Some(job_id), count: self.waits.count.saturating_add(1) },
            seen: Seen { key: self.key, generation: self.generation, token: self.token },
        }
    }

    /// Notes a failure before the claim is finished as dead-lettered.
    #[must_use = "a claim must be committed, finished or released"]
    pub fn with_failure(mut self, kind: &str, message: &str, now: EpochMs) -> Self {
        push_failure(&mut self.failures, now, self.attempt, kind, message);
        self
    }
}

fn push_failure(failures: &mut Vec<Failure>, at: EpochMs, attempt: u32, kind: &str, message: &str) {
    failures.push(Failure {
        at,
        attempt,
        kind: kind.to_owned(),
        message: bounded(message, FAILURE_MESSAGE_MAX_BYTES),
    });
    let surplus = failures.len().saturating_sub(FAILURES_KEPT);
    failures.drain(..surplus);
}

/// Cuts a text to at most `max_bytes` at a character boundary.
pub fn bounded(text: &str, max_bytes: usize) -> String {
    let end = (0..=max_bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text[..end].to_owned()
}

/// A claim as an attempt read or wrote it: what a later write is conditional on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Name of the work.
    pub key: ClaimKey,
    /// Generation of the work.
    pub generation: Generation,
    /// The token.
    pub token: FencingToken,
}

impl Seen {
    /// What was read of a record.
    pub fn of(record: &ClaimRecord) -> Self {
        Self { key: record.key.clone(), generation: record.generation, token: record.token.clone() }
    }
}

/// How and why a claim ends without a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// The finished state.
    pub status: FinishedStatus,
    /// Why.
    pub reason: Reason,
    /// The content, if it was read.
    pub content_hash: Option<ContentHash>,
    /// What an extractor found, for review.
    pub found: Option<serde_json::Value>,
}

/// The write that ends a claim, conditional on `in_progress` and the token.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// The condition.
    pub seen: Seen,
    /// Attempts in this cycle.
    pub attempts: u32,
    /// The cycle, part of the identity of the notice.
    pub cycle: u32,
    /// When the work was first claimed.
    pub first_claimed_at: EpochMs,
    /// How it ends.
    pub end: Ending,
    /// When.
    pub finished_at: EpochMs,
    /// Kept with open items.
    pub envelope: Option<String>,
    /// The last failures.
    pub failures: Vec<Failure>,
}

impl Finish {
    /// Ends an abandoned claim that nobody holds any more, on condition that it is still as it was read.
    pub fn of_abandoned(record: &ClaimRecord, end: Ending, envelope: String, now: EpochMs) -> Self {
        Self {
            seen: Seen::of(record),
            attempts: record.attempts,
            cycle: record.cycle,
            first_claimed_at: record.first_claimed_at,
            envelope: end.status.is_open_item().then_some(envelope),
            end,
            finished_at: now,
            failures: record.failures.clone(),
        }
    }
}

/// The write that gives a claim up, conditional on `in_progress` and the token: its lease is over at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The condition.
    pub seen: Seen,
    /// Attempts in this cycle that count.
    pub attempts: u32,
    /// The last failures, this one included.
    pub failures: Vec<Failure>,
    /// When the store first said that the version is not there.
    pub not_found_since: Option<EpochMs>,
}

/// The write that leaves a claim to wait for work elsewhere, conditional on `in_progress` and the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// The condition.
    pub seen: Seen,
    /// Attempts in this cycle that count: the next one has the same number as this one.
    pub attempts: u32,
    /// Until when the claim stays protected: the work is expected to be done by then.
    pub lease_expires_at: EpochMs,
    /// The job, and how often it was waited for, this time included.
    pub waits: Waits,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{ETag, VersionId};

    const NOW: EpochMs = EpochMs(1_000_000);

    fn version(version_id: &str, etag: &str) -> ObjectVersion {
        ObjectVersion {
            bucket: "b".into(),
            key: "k".into(),
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(etag),
        }
    }

    fn request(version_id: &str, etag: &str, sequencer: &str) -> ClaimRequest {
        let version = version(version_id, etag);
        ClaimRequest {
            key: ClaimKey::of(&version).unwrap(),
            version,
            generation: Generation::FIRST,
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
        }
    }

    fn in_progress(request: &ClaimRequest, token: &str, lease: u64, attempts: u32) -> ClaimRecord {
        ClaimRecord {
            key: request.key.clone(),
            generation: Generation::FIRST,
            state: ClaimState::InProgress { lease_expires_at: EpochMs(lease) },
            token: FencingToken(token.into()),
            attempts,
            cycle: 2,
            first_claimed_at: EpochMs(1),
            claimed_at: EpochMs(2),
            sequencer: Sequencer::new("0A"),
            event_time: None,
            not_found_since: None,
            failures: vec![],
            envelope: None,
            found: None,
            purpose: Purpose::Process,
            waits: Waits::default(),
        }
    }

    fn finished(
        request: &ClaimRequest,
        status: FinishedStatus,
        reason: &str,
        sequencer: &str,
    ) -> ClaimRecord {
        let mut record = in_progress(request, "theirs", 0, 1);
        record.sequencer = Sequencer::new(sequencer);
        record.state = ClaimState::Finished(Receipt {
            status,
            finished_at: EpochMs(3),
            content_hash: Some(ContentHash::of(b"x")),
            reason: Some(Reason::new(reason, "")),
        });
        record
    }

    fn take_over(attempt: u32, cycle: u32, sequencer: &str, purpose: Purpose) -> Decision {
        Decision::TakeOver(TakeOver { attempt, cycle, sequencer: Sequencer::new(sequencer), purpose })
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table, a row a case")]
    fn the_decision_table() {
        use FinishedStatus::{
            Committed, DeadLettered, DuplicateContent, Missing, Rejected, Review, Superseded,
        };
        use Purpose::{AskPerson, Process};
        let versioned = || request("V1", "e", "0B");
        let null = |sequencer| request("null", "e", sequencer);
        let multipart = |sequencer| request("null", "e-2", sequencer);
        let reconciler = |mut request: ClaimRequest| {
            request.origin = Origin::Reconciler;
            request.sequencer = None;
            request
        };
        let restored = |mut request: ClaimRequest| {
            request.request = Request::Restored;
            request.sequencer = None;
            request
        };
        let redriven = |mut request: ClaimRequest, cycle| {
            request.redriven_from_cycle = Some(cycle);
            request
        };
        let at = |record: fn(&ClaimRequest) -> ClaimRecord, request: ClaimRequest| {
            (Some(record(&request)), request)
        };
        let end = |status, reason: &'static str, sequencer: &'static str, request: ClaimRequest| {
            (Some(finished(&request, status, reason, sequencer)), request)
        };
        let hash = ContentHash::of(b"x");

        type Row = (&'static str, (Option<ClaimRecord>, ClaimRequest), Decision);
        let table: Vec<Row> = vec![
            ("no claim", (None, versioned()), Decision::Claim),
            ("no claim, reconciler", (None, reconciler(versioned())), Decision::Claim),
            ("no claim, restored", (None, restored(versioned())), Decision::NothingToDo),
            ("own token, live", at(|r| in_progress(r, "mine", NOW.0 + 1, 1), versioned()), Decision::Own),
            ("own token, lease over", at(|r| in_progress(r, "mine", 0, 1), versioned()), Decision::Own),
            (
                "held",
                at(|r| in_progress(r, "theirs", NOW.0 + 1, 1), versioned()),
                Decision::InFlight { until: EpochMs(NOW.0 + 1) },
            ),
            (
                "held, attempts used up: still another's",
                at(|r| in_progress(r, "theirs", NOW.0 + 1, 9), versioned()),
                Decision::InFlight { until: EpochMs(NOW.0 + 1) },
            ),
            (
                "lease ends now",
                at(|r| in_progress(r, "theirs", NOW.0, 1), versioned()),
                take_over(2, 2, "0B", Process),
            ),
            (
                "expired, the claim's sequencer is the later one",
                at(|r| in_progress(r, "theirs", 0, 2), request("V1", "e", "09")),
                take_over(3, 2, "0A", Process),
            ),
            (
                "expired, reconciler keeps the claim's sequencer",
                at(|r| in_progress(r, "theirs", 0, 1), reconciler(versioned())),
                take_over(2, 2, "0A", Process),
            ),
            (
                "expired, attempts at the limit",
                at(|r| in_progress(r, "theirs", 0, 3), versioned()),
                Decision::DeadLetter,
            ),
            (
                "dead-lettered, redriven out of this cycle",
                end(DeadLettered, "x", "0A", redriven(versioned(), 2)),
                take_over(1, 3, "0B", Process),
            ),
            (
                "dead-lettered, redriven out of an older cycle",
                end(DeadLettered, "x", "0A", redriven(versioned(), 1)),
                Decision::Duplicate(DeadLettered),
            ),
            (
                "dead-lettered, delivered",
                end(DeadLettered, "x", "0A", versioned()),
                Decision::Duplicate(DeadLettered),
            ),
            (
                "dead-lettered, redriven, null and later",
                end(DeadLettered, "x", "0A", redriven(null("0B"), 2)),
                take_over(1, 3, "0B", Process),
            ),
            (
                "dead-lettered, null and later: the new upload is not held back by the old one's end",
                end(DeadLettered, "x", "0A", null("0B")),
                take_over(1, 3, "0B", Process),
            ),
            (
                "committed, redriven",
                end(Committed, "x", "0A", redriven(versioned(), 2)),
                Decision::Duplicate(Committed),
            ),
            ("null, later", end(Committed, "x", "0A", null("0B")), take_over(1, 3, "0B", Process)),
            ("null, same", end(Committed, "x", "0A", null("0A00")), Decision::Duplicate(Committed)),
            ("null, earlier", end(Committed, "x", "0A", null("09FF")), Decision::Duplicate(Committed)),
            (
                "null, longer but earlier",
                end(Committed, "x", "0B", null("0AFFFF")),
                Decision::Duplicate(Committed),
            ),
            ("null, claim has none", end(Committed, "x", "", null("0B")), take_over(1, 3, "0B", Process)),
            ("null, neither has one", end(Committed, "x", "", null("")), take_over(1, 3, "", Process)),
            ("null, event has none", end(Committed, "x", "0A", null("")), Decision::Duplicate(Committed)),
            (
                "null, multipart, later",
                end(Committed, "x", "0A", multipart("0B")),
                take_over(1, 3, "0B", AskPerson),
            ),
            (
                "null, multipart, same",
                end(Committed, "x", "0A", multipart("0A")),
                Decision::Duplicate(Committed),
            ),
            (
                "versioned, later sequencer",
                end(Committed, "x", "0A", versioned()),
                Decision::Duplicate(Committed),
            ),
            (
                "archived, restored",
                end(Review, REASON_ARCHIVED, "0A", restored(versioned())),
                take_over(1, 3, "0A", Process),
            ),
            (
                "archived, delivered",
                end(Review, REASON_ARCHIVED, "0A", versioned()),
                Decision::Duplicate(Review),
            ),
            (
                "review for another reason, restored",
                end(Review, "low_confidence", "0A", restored(versioned())),
                Decision::Duplicate(Review),
            ),
            (
                "committed, restored",
                end(Committed, "x", "0A", restored(versioned())),
                Decision::Duplicate(Committed),
            ),
            (
                "null committed, restored",
                end(Committed, "x", "", restored(null(""))),
                Decision::Duplicate(Committed),
            ),
            (
                "missing, listed",
                end(Missing, "x", "0A", reconciler(versioned())),
                take_over(1, 3, "0A", Process),
            ),
            (
                "superseded, listed",
                end(Superseded, "x", "0A", reconciler(null(""))),
                take_over(1, 3, "0A", Process),
            ),
            ("missing, delivered", end(Missing, "x", "0A", versioned()), Decision::Duplicate(Missing)),
            (
                "committed, listed",
                end(Committed, "x", "0A", reconciler(versioned())),
                Decision::RepairPointer { content_hash: hash },
            ),
            (
                "duplicate content, listed",
                end(DuplicateContent, "x", "0A", reconciler(null(""))),
                Decision::RepairPointer { content_hash: hash },
            ),
            ("review, listed", end(Review, "x", "0A", reconciler(versioned())), Decision::Duplicate(Review)),
            (
                "rejected, listed",
                end(Rejected, "x", "0A", reconciler(versioned())),
                Decision::Duplicate(Rejected),
            ),
            ("rejected, delivered", end(Rejected, "x", "0A", versioned()), Decision::Duplicate(Rejected)),
        ];
        for (name, (existing, request), expected) in table {
            assert_eq!(decide(existing.as_ref(), &request), expected, "{name}");
        }
    }

    #[test]
    fn a_question_for_a_person_outlives_the_attempt_that_was_to_ask_it() {
        let asked = request("null", "e-2", "0B");
        let mut record = in_progress(&asked, "theirs", 0, 1);
        record.purpose = Purpose::AskPerson;
        assert_eq!(decide(Some(&record), &asked), take_over(2, 2, "0B", Purpose::AskPerson));
        assert_eq!(Claim::own(asked, record).purpose(), Purpose::AskPerson);
    }

    #[test]
    fn a_claim_opened_again_forgets_that_the_object_was_missing() {
        let asked = request("V1", "e", "0B");
        let mut record = in_progress(&asked, "theirs", 0, 1);
        record.not_found_since = Some(EpochMs(7));
        for (cycle, expected) in [(2, Some(EpochMs(7))), (3, None)] {
            let plan = TakeOver { attempt: 2, cycle, sequencer: None, purpose: Purpose::Process };
            let claim = Claim::taken_over(asked.clone(), record.clone(), plan);
            assert_eq!(claim.not_found_since(), expected, "cycle {cycle}");
        }
    }

    #[test]
    fn waiting_is_no_attempt_and_a_claim_opened_again_forgets_it() {
        let asked = request("V1", "e", "0B");
        let plan = |cycle| TakeOver { attempt: 3, cycle, sequencer: None, purpose: Purpose::Process };
        let mut record = in_progress(&asked, "theirs", 0, 2);
        record.waits = Waits { job_id: Some("job-1".into()), count: 4 };
        let kept = Claim::taken_over(asked.clone(), record.clone(), plan(record.cycle));
        assert_eq!(kept.waits(), &record.waits);
        assert_eq!(Claim::own(asked.clone(), record.clone()).waits(), &record.waits);
        let wait = kept.into_wait("job-2".into(), EpochMs(9));
        assert_eq!((wait.attempts, wait.lease_expires_at), (2, EpochMs(9)));
        assert_eq!(wait.waits, Waits { job_id: Some("job-2".into()), count: 5 });
        let forgot = Claim::taken_over(asked.clone(), record.clone(), plan(record.cycle + 1));
        assert_eq!(forgot.waits(), &Waits::default());
        // Left waiting at its first attempt, the claim is taken over as the first attempt again.
        record.attempts = Claim::put(asked.clone()).into_wait("job".into(), EpochMs(9)).attempts;
        assert_eq!(decide(Some(&record), &asked), take_over(1, record.cycle, "0B", Purpose::Process));
    }

    #[test]
    fn only_the_last_failures_are_kept_and_their_messages_are_bounded() {
        let mut claim = Claim::put(request("V1", "e", "0B"));
        for number in 0..9 {
            claim = claim.with_failure(&format!("kind_{number}"), &"ü".repeat(600), NOW);
        }
        let release = claim.into_release("last", "", true, NOW);
        let kinds: Vec<_> = release.failures.iter().map(|failure| failure.kind.as_str()).collect();
        assert_eq!(kinds, ["kind_5", "kind_6", "kind_7", "kind_8", "last"]);
        assert_eq!(release.failures[0].message.len(), FAILURE_MESSAGE_MAX_BYTES);
        assert_eq!((release.not_found_since, release.attempts), (Some(NOW), 0));
        let release = Claim::put(request("V1", "e", "0B")).into_release("other", "", false, NOW);
        assert_eq!((release.not_found_since, release.attempts), (None, 1));
    }
}
