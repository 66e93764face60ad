//! One record, from its event to its outcome, through the ports. The only file with control flow for a record.
//!
//! ```text
//! event → [claim] → fetch + hash → known content? → extract → validate → [commit] → outcome
//! ```

use std::sync::Arc;

use crate::batch::Redriven;
use crate::claim::{
    Claim, ClaimRecord, ClaimRequest, Decision, Ending, FencingToken, Finish, FinishedStatus,
    MISSING_AFTER_MS, Purpose, REASON_ARCHIVED, ReleaseCause, decide,
};
use crate::commit::{CommitPlan, CommitRow, Known, Landed, Narrowed, REPEATS_MAX, ROUNDS_MAX, RoundReply};
use crate::config::{IngestSettings, PROPERTY_GROUP};
use crate::dead_letter::DeadLetter;
use crate::effect;
use crate::event::{Ask, ObjectEvent, Origin, Request, synthetic_body};
use crate::fetch::{ByteBudget, Current, FetchError, FetchedObject};
use crate::identity::{ClaimKey, ContentHash, ETag, EpochMs, Generation, ObjectVersion};
use crate::outcome::RecordOutcome;
use crate::pointer::{Named, Pointer, PointerWrite, decide_asked, decide_removal, renew};
use crate::ports::clock::Clock;
use crate::ports::extractor::{ExtractRequest, Extraction, Extractor, Incomplete};
use crate::ports::ledger::{Existing, Ledger, LedgerError, LedgerErrorKind, Written};
use crate::ports::objects::Objects;
use crate::ports::queue::Queue;
use crate::posting::{Fault, Posted, Reason, low_confidence};

/// Name of the object metadata that says what a document is filed under.
pub const PROPERTY_METADATA: &str = "property-id";
/// The longest property id, in bytes: it is part of an index key, which DynamoDB limits to 2,048 bytes.
pub const FILED_UNDER_MAX_BYTES: usize = 512;
/// The longest text that orders documents within what they are filed under, in bytes: DynamoDB's limit on a sort key.
pub const FILING_ORDER_MAX_BYTES: usize = 1024;
/// How often a claim that changes under the reader's eyes is decided again.
const CLAIM_ROUNDS_MAX: u32 = 6;
/// How often a pointer that changes while the store is asked is asked about again.
const POINTER_ROUNDS_MAX: u32 = 6;
/// Most that is kept of what an extractor found, in bytes of JSON.
const FOUND_MAX_BYTES: usize = 64 * 1024;
/// First pause before a commit's round is repeated, in milliseconds; it doubles, and is spread at random.
const REPEAT_PAUSE_MS: u64 = 25;
/// The most by which the end of a lease is overshot when a message is hidden until then, in milliseconds.
const LEASE_END_SPREAD_MS: u64 = 3_000;

/// The collaborators of a pipeline, as one type.
pub trait World: Send + Sync + 'static {
    /// The kind of document.
    type Document: Posted;
    /// The tables.
    type Ledger: Ledger<Document = Self::Document>;
    /// The object store.
    type Objects: Objects;
    /// The extractor.
    type Extractor: Extractor<Document = Self::Document>;
    /// The queue.
    type Queue: Queue;
    /// Time and randomness.
    type Clock: Clock;

    /// The tables.
    fn ledger(&self) -> &Self::Ledger;
    /// The object store.
    fn objects(&self) -> &Self::Objects;
    /// The extractor.
    fn extractor(&self) -> &Self::Extractor;
    /// The queue.
    fn queue(&self) -> &Self::Queue;
    /// Time and randomness.
    fn clock(&self) -> &Self::Clock;
}

/// A world put together from its parts.
#[derive(Debug)]
pub struct Parts<L, O, X, Q, C> {
    /// The tables.
    pub ledger: L,
    /// The object store.
    pub objects: O,
    /// The extractor.
    pub extractor: X,
    /// The queue.
    pub queue: Q,
    /// Time and randomness.
    pub clock: C,
}

impl<L, O, X, Q, C> World for Parts<L, O, X, Q, C>
where
    L: Ledger,
    O: Objects,
    X: Extractor<Document = L::Document>,
    Q: Queue,
    C: Clock,
{
    type Document = L::Document;
    type Ledger = L;
    type Objects = O;
    type Extractor = X;
    type Queue = Q;
    type Clock = C;

    fn ledger(&self) -> &L {
        &self.ledger
    }
    fn objects(&self) -> &O {
        &self.objects
    }
    fn extractor(&self) -> &X {
        &self.extractor
    }
    fn queue(&self) -> &Q {
        &self.queue
    }
    fn clock(&self) -> &C {
        &self.clock
    }
}

/// One record to be worked on, with what is known of its delivery.
#[derive(Debug, Clone)]
pub struct Job {
    /// What to do.
    pub event: ObjectEvent,
    /// The message's body as received, for the dead-letter queue.
    pub body: Arc<str>,
    /// Message group of a FIFO queue.
    pub message_group_id: Option<String>,
    /// How often the message was received, this time included.
    pub receive_count: u32,
    /// Which claim an operator sent it back for.
    pub redriven: Option<Redriven>,
    /// When the invocation ends.
    pub deadline: EpochMs,
}

/// What is said of a record: its outcome, and figures without customer data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordReport {
    /// What became of it.
    pub outcome: RecordOutcome,
    /// Short hash of the claim key, or of the document key for a removal.
    pub claim: Option<String>,
    /// Attempt in the claim's cycle.
    pub attempt: Option<u32>,
    /// Whether a dead or finished claim was taken over.
    pub took_over: bool,
    /// Size of the object.
    pub bytes: Option<u64>,
    /// Time spent fetching, in milliseconds.
    pub fetch_ms: Option<u64>,
    /// Time spent extracting, in milliseconds.
    pub extract_ms: Option<u64>,
    /// Time spent committing, in milliseconds.
    pub commit_ms: Option<u64>,
}

impl RecordReport {
    /// A report of a record that was not worked on.
    pub fn of(outcome: RecordOutcome) -> Self {
        Self {
            outcome,
            claim: None,
            attempt: None,
            took_over: false,
            bytes: None,
            fetch_ms: None,
            extract_ms: None,
            commit_ms: None,
        }
    }
}

/// The pipeline: a world, its settings, and the byte budget that all records share.
#[derive(Debug)]
pub struct Pipeline<W> {
    world: W,
    settings: IngestSettings,
    budget: ByteBudget,
}

impl<W: World> Pipeline<W> {
    /// A pipeline over this world.
    pub fn new(world: W, settings: IngestSettings) -> Self {
        let budget = ByteBudget::new(settings.max_object_bytes, settings.in_memory_bytes);
        Self { world, settings, budget }
    }

    /// The collaborators.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// The settings.
    pub fn settings(&self) -> &IngestSettings {
        &self.settings
    }

    fn now(&self) -> EpochMs {
        self.world.clock().now()
    }

    /// Works on one record.
    pub async fn run(&self, job: &Job) -> RecordReport {
        let mut trace = RecordReport::of(RecordOutcome::NotStarted);
        let outcome = match job.event.request {
            Request::Removed => self.look(job, &mut trace).await,
            Request::Created | Request::Restored => self.claim(job, &job.event, &mut trace).await,
        };
        RecordReport { outcome, ..trace }
    }

    // ---- claim ----

    async fn claim(&self, job: &Job, event: &ObjectEvent, trace: &mut RecordReport) -> RecordOutcome {
        let request = match self.claim_request(job, event) {
            Ok(request) => request,
            // The reader of events refuses such versions; one that a removal's look found ends here.
            Err(_) => return RecordOutcome::Unreadable { kind: crate::event::unreadable::CLAIM_KEY },
        };
        trace.claim = Some(request.key.short_hash());
        // A letter of a later generation is that generation's to read. Answered here it would be acknowledged for work
        // that nobody has done, and its claim would stay dead-lettered with no letter left to send again.
        let is_of_later_generation = |redriven: &Redriven| {
            redriven.claim_hash == request.key.short_hash() && redriven.generation > request.generation
        };
        if job.redriven.as_ref().is_some_and(is_of_later_generation) {
            return self.transient("redriven_for_later_generation");
        }
        let ledger = self.world.ledger();

        // A restore claims nothing that was not parked, so it reads where an upload puts.
        let mut existing: Existing = None;
        let mut must_look = true;
        for _ in 0..CLAIM_ROUNDS_MAX {
            if must_look {
                let looked = match event.request {
                    Request::Restored => ledger.read_claim(&request.key, request.generation).await,
                    _ => match ledger.put_claim(&request).await {
                        Ok(Written::Yes) => {
                            trace.attempt = Some(1);
                            return self.process(job, event, Claim::put(request), trace).await;
                        }
                        Ok(Written::Refused(record)) => Ok(Some(record)),
                        Err(error) => Err(error),
                    },
                };
                existing = match looked {
                    Ok(existing) => existing,
                    Err(error) => return ledger_outcome(&error),
                };
            }
            match (decide(existing.as_deref(), &request), existing.take()) {
                (Decision::Own, Some(record)) => {
                    trace.attempt = Some(record.attempts);
                    return self.process(job, event, Claim::own(request, *record), trace).await;
                }
                (Decision::InFlight { until }, _) => return self.in_flight(until),
                (Decision::TakeOver(plan), Some(record)) => {
                    match ledger.take_over(&record, &plan, &request).await {
                        Ok(Written::Yes) => {
                            trace.attempt = Some(plan.attempt);
                            trace.took_over = true;
                            let claim = Claim::taken_over(request, *record, plan);
                            return self.process(job, event, claim, trace).await;
                        }
                        Ok(Written::Refused(changed)) => {
                            must_look = changed.is_none();
                            existing = changed;
                        }
                        Err(error) => return ledger_outcome(&error),
                    }
                }
                (Decision::DeadLetter, Some(record)) => {
                    match self.dead_letter_abandoned(job, event, &record).await {
                        Ok(Written::Yes) => {
                            return RecordOutcome::DeadLettered { reason: last_failure(&record) };
                        }
                        Ok(Written::Refused(changed)) => {
                            must_look = changed.is_none();
                            existing = changed;
                        }
                        Err(outcome) => return outcome,
                    }
                }
                (Decision::RepairPointer { content_hash }, _) => {
                    return self.repair_pointer(&request, content_hash).await;
                }
                (Decision::Duplicate(status), _) => return RecordOutcome::DuplicateEvent(status),
                (Decision::NothingToDo, _) => return RecordOutcome::NothingParked,
                // The claim vanished between two requests (expired, or the table was wiped): put again.
                (Decision::Claim | Decision::Own | Decision::TakeOver(_) | Decision::DeadLetter, _) => {
                    must_look = true;
                }
            }
        }
        self.transient("claim_contended")
    }

    fn claim_request(
        &self,
        job: &Job,
        event: &ObjectEvent,
    ) -> Result<ClaimRequest, crate::identity::ClaimKeyError> {
        let key = ClaimKey::of(&event.version)?;
        let generation = self.settings.generation;
        // A body can hold several records: an operator's redrive counts for the claim that its attributes name.
        let redriven_from_cycle = job
            .redriven
            .as_ref()
            .filter(|redriven| redriven.claim_hash == key.short_hash() && redriven.generation == generation)
            .map(|redriven| redriven.cycle);
        Ok(ClaimRequest {
            version: event.version.clone(),
            generation,
            token: FencingToken(self.world.clock().fresh_id()),
            request: event.request,
            origin: event.origin,
            sequencer: event.sequencer.clone(),
            event_time: event.event_time.clone(),
            envelope: event.envelope.clone(),
            redriven_from_cycle,
            now: self.now(),
            lease_expires_at: job.deadline.plus_ms(self.settings.lease_margin_ms),
            attempt_limit: self.settings.attempt_limit,
            key,
        })
    }

    fn in_flight(&self, until: EpochMs) -> RecordOutcome {
        // Spread, so that messages which wait for one lease do not all come back at once.
        let spread_ms = self.world.clock().random_up_to(LEASE_END_SPREAD_MS);
        RecordOutcome::InFlight { lease_left_ms: self.now().until_ms(until).saturating_add(spread_ms) }
    }

    // ---- process ----

    async fn process(
        &self,
        job: &Job,
        event: &ObjectEvent,
        claim: Claim,
        trace: &mut RecordReport,
    ) -> RecordOutcome {
        if claim.purpose() == Purpose::AskPerson {
            let detail = "a multipart upload replaced another under the same name and its tag cannot tell whether the \
                          bytes are the same: compare the object with what was posted, then upload it again by one request";
            return self.review(claim, Reason::new("ambiguous_overwrite", detail), None, None).await;
        }
        if let Some(size_bytes) = event.size_bytes.filter(|&size| size > self.settings.max_object_bytes) {
            return self.too_large(claim, size_bytes).await;
        }

        let begun = self.now();
        let fetched = self.world.objects().fetch(claim.version(), &self.budget).await;
        trace.fetch_ms = Some(begun.until_ms(self.now()));
        let object = match fetched {
            Ok(object) => object,
            Err(error) => return self.not_fetched(job, claim, error).await,
        };
        trace.bytes = Some(object.bytes.len() as u64);
        if object.bytes.is_empty() {
            let reason = Reason::new("empty", "the object has no bytes: upload the document again");
            return self.end(claim, FinishedStatus::Rejected, reason, None, None).await;
        }

        let content = object.hash;
        let given = match self.filed_under(&object, event) {
            Ok(given) => given,
            Err(reason) => return self.review(claim, reason, Some(content), None).await,
        };
        match self.world.ledger().known_content(content, claim.generation()).await {
            Err(error) => self.ledger_failed(job, claim, &error).await,
            Ok(None) => self.extract(job, claim, object, given, trace).await,
            Ok(Some(known)) => match known.meaning(given.as_deref()) {
                Known::Duplicate(filing) => {
                    let etag = object.etag.clone();
                    drop(object);
                    let token = self.world.clock().fresh_id();
                    let plan = CommitPlan::of_known(claim, content, filing, self.now(), token);
                    self.commit(job, plan, &etag, trace).await
                }
                Known::FiledElsewhere { under } => self.filed_elsewhere(claim, content, &under).await,
                Known::RejectedBefore => self.rejected_before(claim, content).await,
            },
        }
    }

    /// What the document is filed under, as its metadata or its key says; the text is asked last, by the extractor.
    /// One that is too long to be filed under is an error: falling back to the next source would file it elsewhere.
    fn filed_under(&self, object: &FetchedObject<'_>, event: &ObjectEvent) -> Result<Option<String>, Reason> {
        let from_metadata = object.metadata.get(PROPERTY_METADATA).map(|value| value.trim());
        let from_key = || {
            let pattern = self.settings.property_key_pattern.as_ref()?;
            Some(pattern.captures(&event.version.key)?.name(PROPERTY_GROUP)?.as_str())
        };
        let given = |value: &&str| !value.is_empty();
        match from_metadata.filter(given).or_else(|| from_key().filter(given)) {
            Some(value) if value.len() > FILED_UNDER_MAX_BYTES => {
                let detail = format!(
                    "the property id has {} bytes, at most {FILED_UNDER_MAX_BYTES} can be filed under: name a shorter one",
                    value.len()
                );
                Err(Reason::new("property_id_too_long", detail))
            }
            value => Ok(value.map(str::to_owned)),
        }
    }

    async fn not_fetched(&self, job: &Job, claim: Claim, error: FetchError) -> RecordOutcome {
        match error {
            FetchError::NotFound => {
                let now = self.now();
                match claim.not_found_since().map(|since| since.plus_ms(MISSING_AFTER_MS)) {
                    Some(final_from) if final_from <= now => self.missing(claim, "not_found").await,
                    waiting => {
                        // The first 404 may be replication lag: it is asked again once the version may be called missing.
                        let wait_ms = waiting.map_or(MISSING_AFTER_MS, |final_from| now.until_ms(final_from));
                        self.failed(job, claim, Failed::not_found(wait_ms)).await
                    }
                }
            }
            FetchError::DeleteMarker => self.missing(claim, "delete_marker").await,
            FetchError::Superseded => {
                let detail = "other bytes stand under this name now; their own event carries them";
                let reason = Reason::new("superseded", detail);
                self.end(claim, FinishedStatus::Superseded, reason, None, None).await
            }
            FetchError::Archived => {
                let detail = "the object is archived: restore it, which ingests it";
                self.review(claim, Reason::new(REASON_ARCHIVED, detail), None, None).await
            }
            FetchError::TooLarge { size_bytes, .. } => self.too_large(claim, size_bytes).await,
            FetchError::Transient { kind } => self.failed(job, claim, Failed::of(&kind)).await,
        }
    }

    async fn extract(
        &self,
        job: &Job,
        claim: Claim,
        object: FetchedObject<'_>,
        given: Option<String>,
        trace: &mut RecordReport,
    ) -> RecordOutcome {
        let FetchedObject { bytes, hash, etag, admitted, .. } = object;
        let begun = self.now();
        let source = ObjectVersion { etag: etag.clone(), ..claim.version().clone() };
        let request = ExtractRequest {
            bytes,
            filed_under: given.clone(),
            source: source.clone(),
            work_token: ExtractRequest::work_token(hash, claim.generation()),
            left_ms: self.now().until_ms(job.deadline).saturating_sub(self.settings.response_margin_ms),
            job_id: claim.waits().job_id.clone(),
        };
        let extraction = self.world.extractor().extract(request).await;
        trace.extract_ms = Some(begun.until_ms(self.now()));
        // The bytes are gone with the request; what is left is small.
        drop(admitted);
        let document = match extraction {
            Extraction::Complete(document) => document,
            Extraction::Incomplete(Incomplete { reason, found }) => {
                return self.review(claim, reason, Some(hash), Some(found)).await;
            }
            Extraction::Unusable(reason) => {
                return self.end(claim, FinishedStatus::Rejected, reason, Some(hash), None).await;
            }
            Extraction::NotBegun => {
                return self.failed(job, claim, Failed::not_begun().with_content(hash)).await;
            }
            Extraction::Waiting { job_id, ask_again_ms } => {
                return self.wait(job, claim, hash, job_id, ask_again_ms).await;
            }
            Extraction::Failed(reason) => {
                let failed =
                    Failed { message: &reason.detail, ..Failed::of(&reason.code) }.with_content(hash);
                return self.failed(job, claim, failed).await;
            }
        };
        if let Some(reason) = self.not_postable(&document) {
            let found = serde_json::to_value(&document).ok();
            return self.review(claim, reason, Some(hash), found).await;
        }
        let row = CommitRow {
            content_hash: hash,
            generation: claim.generation(),
            document,
            source,
            committed_at: self.now(),
            extractor: self.world.extractor().name_and_version(),
        };
        let receivers = self.settings.effect_receivers.clone();
        let plan = CommitPlan::new(claim, row, given, receivers, self.world.clock().fresh_id());
        self.commit(job, plan, &etag, trace).await
    }

    /// Why a complete document may not be posted without a person, if so.
    fn not_postable(&self, document: &W::Document) -> Option<Reason> {
        let mut faults = document.faults();
        let under = document.filed_under();
        if under.is_empty() || under.len() > FILED_UNDER_MAX_BYTES {
            let problem = format!("must have 1 to {FILED_UNDER_MAX_BYTES} bytes");
            faults.push(Fault { field: "filed_under".into(), problem });
        }
        let order = document.filing_order();
        if order.is_empty() || order.len() > FILING_ORDER_MAX_BYTES {
            let problem = format!("must have 1 to {FILING_ORDER_MAX_BYTES} bytes");
            faults.push(Fault { field: "filing_order".into(), problem });
        }
        if !faults.is_empty() {
            let detail = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            return Some(Reason::new("invalid_document", detail));
        }
        low_confidence(document, self.settings.confidence_threshold)
    }

    /// Leaves the claim to wait for work elsewhere, each time twice as long. That uses no attempt but is bounded: after
    /// the last wait each further one is a failed attempt, so that a job that never ends reaches people in the end.
    async fn wait(
        &self,
        job: &Job,
        claim: Claim,
        content: ContentHash,
        job_id: String,
        ask_again_ms: u64,
    ) -> RecordOutcome {
        let waited = claim.waits().count;
        if waited >= self.settings.wait_limit || job.receive_count >= self.settings.max_receive_count {
            let message = "the text recogniser's job has not ended after all waits";
            let failed = Failed { message, ..Failed::of("recognition_overdue") }.with_content(content);
            return self.failed(job, claim.with_job(job_id), failed).await;
        }
        let doubled_ms = ask_again_ms.saturating_mul(1u64 << waited.min(20));
        let wait_ms = doubled_ms.min(self.settings.backoff_max_ms);
        match self.world.ledger().wait(&claim.into_wait(job_id, self.now().plus_ms(wait_ms))).await {
            Ok(Written::Yes) => {
                let spread_ms = self.world.clock().random_up_to(LEASE_END_SPREAD_MS);
                RecordOutcome::Waiting { ask_again_ms: wait_ms.saturating_add(spread_ms) }
            }
            Ok(Written::Refused(_)) => RecordOutcome::Fenced,
            // The lease that was claimed stands then, and the token leads the next attempt to the same job.
            Err(error) => ledger_outcome(&error),
        }
    }

    // ---- commit ----

    async fn commit(
        &self,
        job: &Job,
        plan: CommitPlan<W::Document>,
        etag: &ETag,
        trace: &mut RecordReport,
    ) -> RecordOutcome {
        let begun = self.now();
        let outcome = self.commit_rounds(job, plan, etag).await;
        trace.commit_ms = Some(begun.until_ms(self.now()));
        outcome
    }

    async fn commit_rounds(
        &self,
        job: &Job,
        mut plan: CommitPlan<W::Document>,
        etag: &ETag,
    ) -> RecordOutcome {
        let content = plan.content_hash();
        let mut must_ask = !plan.order_pointer(etag);
        let (mut rounds, mut repeats) = (0, 0);
        loop {
            if must_ask {
                match self.ask(plan.names(etag), &plan).await {
                    Ok(write) => plan.set_pointer(write),
                    Err(Unanswered::Ledger(error)) => {
                        return self.ledger_failed(job, plan.abandon(), &error).await;
                    }
                    Err(Unanswered::Objects(kind)) => {
                        return self
                            .failed(job, plan.abandon(), Failed::of(&kind).with_content(content))
                            .await;
                    }
                }
                must_ask = false;
            }
            let reply = self.world.ledger().commit(&plan).await;
            let unanswered = reply.as_ref().err().cloned();
            let narrowed = match reply {
                Ok(RoundReply::Applied) => return landed(plan.landed()),
                Ok(RoundReply::Cancelled(cancelled)) => plan.narrow(cancelled),
                Err(error) if error.may_have_happened => match self.settle(plan, &error).await {
                    // Nothing is written and asking again would be answered alike.
                    Ok(Narrowed::Repeat(plan)) if !error.may_pass() => {
                        return self.commit_refused(job, plan, &error).await;
                    }
                    Ok(narrowed) => narrowed,
                    Err(outcome) => return outcome,
                },
                Err(error) if error.kind == LedgerErrorKind::Throttled => Narrowed::Repeat(plan),
                Err(error) => return self.commit_refused(job, plan, &error).await,
            };
            plan = match narrowed {
                Narrowed::Again(plan) => {
                    rounds += 1;
                    plan.renamed(self.world.clock().fresh_id())
                }
                Narrowed::AskStore(plan) => {
                    rounds += 1;
                    must_ask = true;
                    plan.renamed(self.world.clock().fresh_id())
                }
                Narrowed::Repeat(plan) => {
                    self.pause_before_repeat(repeats).await;
                    repeats += 1;
                    plan
                }
                Narrowed::Landed(done) => return landed(done),
                Narrowed::Fenced => return RecordOutcome::Fenced,
                Narrowed::FiledElsewhere(claim, under) => {
                    return self.filed_elsewhere(claim, content, &under).await;
                }
                Narrowed::RejectedBefore(claim) => return self.rejected_before(claim, content).await,
            };
            let out_of_time = self.now().plus_ms(self.settings.response_margin_ms) >= job.deadline;
            if rounds >= ROUNDS_MAX || repeats >= REPEATS_MAX || out_of_time {
                let claim = plan.abandon();
                return match unanswered {
                    Some(error) => self.ledger_failed(job, claim, &error).await,
                    None => {
                        let failed = Failed::of("commit_contended").with_content(content);
                        self.failed(job, claim, failed).await
                    }
                };
            }
        }
    }

    /// A commit whose reply is lost is settled by reading the claim: the token and the status tell.
    async fn settle(
        &self,
        plan: CommitPlan<W::Document>,
        error: &LedgerError,
    ) -> Result<Narrowed<W::Document>, RecordOutcome> {
        let (key, generation) = (plan.claim().key(), plan.claim().generation());
        let Ok(existing) = self.world.ledger().read_claim(key, generation).await else {
            // Nobody can tell now. The claim stays as it is; whoever comes next reads it.
            return Err(RecordOutcome::StoreUnavailable { kind: error.code.clone() });
        };
        let held = existing
            .as_deref()
            .is_some_and(|record| record.token == *plan.claim().token() && record.receipt().is_none());
        if held {
            return Ok(Narrowed::Repeat(plan));
        }
        let cancelled = crate::commit::Cancelled { claim: Some(existing), ..Default::default() };
        Ok(plan.narrow(cancelled))
    }

    async fn commit_refused(
        &self,
        job: &Job,
        plan: CommitPlan<W::Document>,
        error: &LedgerError,
    ) -> RecordOutcome {
        if error.kind == LedgerErrorKind::TooLarge {
            let detail = "what was extracted is larger than a row can be: upload a JSON abstraction with less evidence";
            let content = plan.content_hash();
            return self
                .review(plan.abandon(), Reason::new("item_too_large", detail), Some(content), None)
                .await;
        }
        self.ledger_failed(job, plan.abandon(), error).await
    }

    async fn ask(
        &self,
        names: Named,
        plan: &CommitPlan<W::Document>,
    ) -> Result<Option<PointerWrite>, Unanswered> {
        let (pointer, current) = self.pointer_and_current(plan.claim().version()).await?;
        let (pointer, sequencer) = (pointer.as_ref(), plan.claim().sequencer());
        let renewed = renew(pointer, &names, sequencer, &current);
        Ok(decide_asked(pointer, names, sequencer, &current).or(renewed))
    }

    /// Reads a key's pointer, then asks the store what is current. In this order: what is decided with both is
    /// written only if the pointer is still the one that was read before the store was asked.
    async fn pointer_and_current(
        &self,
        version: &ObjectVersion,
    ) -> Result<(Option<Pointer>, Current), Unanswered> {
        let pointer = self.world.ledger().read_pointer(&version.document_key()).await;
        let pointer = pointer.map_err(Unanswered::Ledger)?;
        let current = self.world.objects().current(&version.bucket, &version.key).await;
        let current = current.map_err(|error| Unanswered::Objects(fetch_kind(&error)))?;
        Ok((pointer, current))
    }

    // ---- pointer without a claim ----

    async fn repair_pointer(&self, request: &ClaimRequest, content: ContentHash) -> RecordOutcome {
        let ledger = self.world.ledger();
        let version = &request.version;
        let known = match ledger.known_content(content, request.generation).await {
            Ok(Some(known)) => known,
            Ok(None) => return self.transient("commit_not_found"),
            Err(error) => return ledger_outcome(&error),
        };
        let names = Named {
            version_id: version.version_id.clone(),
            etag: version.etag.clone(),
            content_hash: content,
            generation: request.generation,
            filing: known.filing,
        };
        for _ in 0..POINTER_ROUNDS_MAX {
            let (pointer, current) = match self.pointer_and_current(version).await {
                Ok(both) => both,
                Err(Unanswered::Ledger(error)) => return ledger_outcome(&error),
                Err(Unanswered::Objects(kind)) => return self.transient(&kind),
            };
            let Some(write) = decide_asked(pointer.as_ref(), names.clone(), None, &current) else {
                return RecordOutcome::DuplicateEvent(FinishedStatus::Committed);
            };
            match ledger.write_pointer(&version.document_key(), &write).await {
                Ok(Written::Yes) => return RecordOutcome::PointerRepaired,
                Ok(Written::Refused(())) => {}
                Err(error) => return ledger_outcome(&error),
            }
        }
        self.transient("pointer_contended")
    }

    /// A removal, or a look at a key: the store says what is current.
    async fn look(&self, job: &Job, trace: &mut RecordReport) -> RecordOutcome {
        let ledger = self.world.ledger();
        let version = &job.event.version;
        let key = version.document_key();
        trace.claim = Some(crate::identity::short_hash(key.as_str()));
        for _ in 0..POINTER_ROUNDS_MAX {
            let (pointer, current) = match self.pointer_and_current(version).await {
                Ok(both) => both,
                Err(Unanswered::Ledger(error)) => return ledger_outcome(&error),
                Err(Unanswered::Objects(kind)) => return self.transient(&kind),
            };
            let plan = decide_removal(pointer.as_ref(), job.event.sequencer.as_ref(), &current);
            if let Some(write) = &plan.write {
                match ledger.write_pointer(&key, write).await {
                    Ok(Written::Yes) => {}
                    Ok(Written::Refused(())) => continue,
                    Err(error) => return ledger_outcome(&error),
                }
            }
            let Some((version, size_bytes)) = plan.then_ingest else { return RecordOutcome::Removed };
            if version.is_folder_marker() {
                return RecordOutcome::Removed;
            }
            // Should it be given up on, the letter must bring this version back, whatever is current by then; what the
            // removal itself asked for is done.
            let body = synthetic_body(&version, Ask::Ingest, size_bytes);
            let revived = ObjectEvent {
                version,
                request: Request::Created,
                origin: Origin::Reconciler,
                sequencer: None,
                event_time: None,
                size_bytes,
                envelope: body.clone(),
            };
            let job = Job { body: body.into(), ..job.clone() };
            return self.claim(&job, &revived, trace).await;
        }
        self.transient("pointer_contended")
    }

    // ---- ends ----

    async fn missing(&self, claim: Claim, code: &str) -> RecordOutcome {
        let detail = "the object version is not there; reconciliation opens it again should it be listed";
        self.end(claim, FinishedStatus::Missing, Reason::new(code, detail), None, None).await
    }

    async fn too_large(&self, claim: Claim, size_bytes: u64) -> RecordOutcome {
        let limit_bytes = self.settings.max_object_bytes;
        let detail = format!(
            "the object has {size_bytes} bytes, the limit is {limit_bytes}: upload a smaller file, or raise \
             LEASE_INGEST_MAX_OBJECT_BYTES and the generation"
        );
        self.review(claim, Reason::new("too_large", detail), None, None).await
    }

    async fn filed_elsewhere(&self, claim: Claim, content: ContentHash, under: &str) -> RecordOutcome {
        let detail = format!(
            "the same bytes are posted under {under}: file them under it too, or upload a JSON abstraction for the other property"
        );
        self.review(claim, Reason::new("filed_elsewhere", detail), Some(content), None).await
    }

    async fn rejected_before(&self, claim: Claim, content: ContentHash) -> RecordOutcome {
        let reason = Reason::new("rejected_before", "a person rejected these bytes");
        self.end(claim, FinishedStatus::Rejected, reason, Some(content), None).await
    }

    async fn review(
        &self,
        claim: Claim,
        reason: Reason,
        content: Option<ContentHash>,
        found: Option<serde_json::Value>,
    ) -> RecordOutcome {
        self.end(claim, FinishedStatus::Review, reason, content, found).await
    }

    async fn end(
        &self,
        claim: Claim,
        status: FinishedStatus,
        reason: Reason,
        content_hash: Option<ContentHash>,
        found: Option<serde_json::Value>,
    ) -> RecordOutcome {
        let end = Ending { status, reason, content_hash, found: found.map(bounded_found) };
        let code = end.reason.code.clone();
        match self.finish(claim.into_finish(end, self.now())).await {
            Ok(Written::Yes) => match status {
                FinishedStatus::Review => RecordOutcome::Review { reason: code },
                FinishedStatus::Rejected => RecordOutcome::Rejected { reason: code },
                FinishedStatus::Missing => RecordOutcome::Missing,
                FinishedStatus::Superseded => RecordOutcome::Superseded,
                FinishedStatus::DeadLettered => RecordOutcome::DeadLettered { reason: code },
                FinishedStatus::Committed | FinishedStatus::DuplicateContent => {
                    RecordOutcome::DuplicateEvent(status)
                }
            },
            Ok(Written::Refused(_)) => RecordOutcome::Fenced,
            Err(error) => ledger_outcome(&error),
        }
    }

    /// Writes an end with its notices. A lost reply is settled by reading the claim; what may pass is tried again.
    async fn finish(&self, finish: Finish) -> Result<Written<Existing>, LedgerError> {
        let notices = effect::notices(&finish, &self.settings.effect_receivers);
        let ledger = self.world.ledger();
        let is_own = |record: &ClaimRecord| {
            record.token == finish.seen.token
                && record.receipt().is_some_and(|receipt| receipt.status == finish.end.status)
        };
        let mut repeats = 0;
        loop {
            let error = match ledger.finish(&finish, &notices).await {
                // The client may have sent it twice, and the second was refused because of the first.
                Ok(Written::Refused(Some(record))) if is_own(&record) => return Ok(Written::Yes),
                Ok(written) => return Ok(written),
                Err(error) => error,
            };
            if error.may_have_happened {
                let existing = ledger.read_claim(&finish.seen.key, finish.seen.generation).await?;
                if existing.is_some_and(|record| is_own(&record)) {
                    return Ok(Written::Yes);
                }
            }
            if !error.may_pass() || repeats >= REPEATS_MAX {
                return Err(error);
            }
            self.pause_before_repeat(repeats).await;
            repeats += 1;
        }
    }

    /// Waits before something is tried again: longer each time, and spread, so that rivals do not meet again.
    async fn pause_before_repeat(&self, repeats: u32) {
        let most_ms = REPEAT_PAUSE_MS << repeats;
        self.world.clock().sleep_ms(most_ms / 2 + self.world.clock().random_up_to(most_ms / 2)).await;
    }

    // ---- failures ----

    fn transient(&self, kind: &str) -> RecordOutcome {
        RecordOutcome::Transient { kind: kind.to_owned(), retry_after_ms: Some(self.backoff_ms(1)) }
    }

    fn backoff_ms(&self, attempt: u32) -> u64 {
        let doubled = self.settings.backoff_base_ms.saturating_mul(1u64 << attempt.saturating_sub(1).min(20));
        let most = doubled.min(self.settings.backoff_max_ms);
        most / 2 + self.world.clock().random_up_to(most / 2)
    }

    async fn ledger_failed(&self, job: &Job, claim: Claim, error: &LedgerError) -> RecordOutcome {
        if error.is_store_down() {
            // Releasing would meet the same store. The lease ends by itself.
            drop(claim);
            return ledger_outcome(error);
        }
        self.failed(job, claim, Failed::of(&error.code)).await
    }

    /// A failure that another attempt may not meet: releases the claim, or gives up with full context when this
    /// was the last attempt or the last receive.
    async fn failed(&self, job: &Job, claim: Claim, failed: Failed<'_>) -> RecordOutcome {
        let last_receive = job.receive_count >= self.settings.max_receive_count;
        let last_attempt =
            claim.attempt() >= self.settings.attempt_limit && failed.cause == ReleaseCause::Failed;
        let letter = || letter(job, GivenUp::from(&claim), failed.kind, failed.content);
        if (last_receive || last_attempt) && self.send_dead_letter(&letter()).await {
            let claim = claim.with_failure(failed.kind, failed.message, self.now());
            let reason = Reason::new(failed.kind, failed.message);
            return self.end(claim, FinishedStatus::DeadLettered, reason, failed.content, None).await;
        }
        let retry_after_ms = failed.wait_ms.unwrap_or_else(|| self.backoff_ms(claim.attempt()));
        let release = claim.into_release(failed.kind, failed.message, failed.cause, self.now());
        match self.world.ledger().release(&release).await {
            Ok(Written::Yes) => RecordOutcome::Transient {
                kind: failed.kind.to_owned(),
                retry_after_ms: Some(retry_after_ms),
            },
            Ok(Written::Refused(_)) => RecordOutcome::Fenced,
            // An unreleased claim only costs the rest of its lease.
            Err(error) => ledger_outcome(&error),
        }
    }

    /// A letter that was not taken keeps the document where it is; that it was not must not go unseen.
    async fn send_dead_letter(&self, letter: &DeadLetter) -> bool {
        let sent = self.world.queue().dead_letter(letter).await;
        if let Err(error) = &sent {
            tracing::error!(claim = letter.claim_hash, kind = error.kind, "a dead letter was not taken");
        }
        sent.is_ok()
    }

    /// Gives up on a claim that nobody holds any more. First into the dead-letter queue, then the mark, then the
    /// acknowledgement: twice in the queue is recoverable and nowhere is not.
    async fn dead_letter_abandoned(
        &self,
        job: &Job,
        event: &ObjectEvent,
        record: &ClaimRecord,
    ) -> Result<Written<Existing>, RecordOutcome> {
        let kind = last_failure(record);
        let letter = letter(job, GivenUp::from(record), &kind, None);
        if !self.send_dead_letter(&letter).await {
            return Err(self.transient("dead_letter_not_sent"));
        }
        let detail = format!("{} attempts did not end", record.attempts);
        let end = Ending {
            status: FinishedStatus::DeadLettered,
            reason: Reason::new(kind, detail),
            content_hash: None,
            found: None,
        };
        let finish = Finish::of_abandoned(record, end, event.envelope.clone(), self.now());
        self.finish(finish).await.map_err(|error| ledger_outcome(&error))
    }
}

/// A failure that another attempt may not meet.
#[derive(Clone, Copy)]
struct Failed<'a> {
    kind: &'a str,
    message: &'a str,
    /// How long until trying again makes sense, where that is known.
    wait_ms: Option<u64>,
    cause: ReleaseCause,
    content: Option<ContentHash>,
}

impl<'a> Failed<'a> {
    fn of(kind: &'a str) -> Self {
        Self { kind, message: "", wait_ms: None, cause: ReleaseCause::Failed, content: None }
    }

    fn not_found(wait_ms: u64) -> Self {
        Self { wait_ms: Some(wait_ms), cause: ReleaseCause::NotFound, ..Self::of("not_found") }
    }

    fn not_begun() -> Self {
        Self { cause: ReleaseCause::NotBegun, ..Self::of("no_room_for_scan") }
    }

    fn with_content(self, content: ContentHash) -> Self {
        Self { content: Some(content), ..self }
    }
}

/// What a dead letter says of the claim, whether it was held or found.
struct GivenUp<'a> {
    key: &'a ClaimKey,
    generation: Generation,
    attempts: u32,
    cycle: u32,
    first_attempt: EpochMs,
    last_attempt: EpochMs,
}

impl<'a> From<&'a Claim> for GivenUp<'a> {
    fn from(claim: &'a Claim) -> Self {
        Self {
            key: claim.key(),
            generation: claim.generation(),
            attempts: claim.attempt(),
            cycle: claim.cycle(),
            first_attempt: claim.first_claimed_at(),
            last_attempt: claim.claimed_at(),
        }
    }
}

impl<'a> From<&'a ClaimRecord> for GivenUp<'a> {
    fn from(record: &'a ClaimRecord) -> Self {
        Self {
            key: &record.key,
            generation: record.generation,
            attempts: record.attempts,
            cycle: record.cycle,
            first_attempt: record.first_claimed_at,
            last_attempt: record.claimed_at,
        }
    }
}

fn letter(job: &Job, given_up: GivenUp<'_>, kind: &str, content: Option<ContentHash>) -> DeadLetter {
    DeadLetter {
        body: job.body.to_string(),
        message_group_id: job.message_group_id.clone(),
        error_kind: kind.to_owned(),
        attempts: given_up.attempts,
        cycle: given_up.cycle,
        claim_hash: given_up.key.short_hash(),
        generation: given_up.generation,
        content_hash: content.map(|hash| hash.to_string()),
        first_attempt: given_up.first_attempt,
        last_attempt: given_up.last_attempt,
    }
}

/// Who did not answer when a pointer was to be decided.
enum Unanswered {
    Ledger(LedgerError),
    Objects(String),
}

fn fetch_kind(error: &FetchError) -> String {
    match error {
        FetchError::Transient { kind } => kind.clone(),
        _ => "unexpected_answer".to_owned(),
    }
}

fn ledger_outcome(error: &LedgerError) -> RecordOutcome {
    let kind = error.code.clone();
    if error.is_store_down() {
        RecordOutcome::StoreUnavailable { kind }
    } else {
        RecordOutcome::Transient { kind, retry_after_ms: None }
    }
}

fn landed(done: Landed) -> RecordOutcome {
    match done.status {
        FinishedStatus::DuplicateContent => RecordOutcome::DuplicateContent { active: done.active },
        _ => RecordOutcome::Committed { active: done.active },
    }
}

/// How the last attempt at an abandoned claim ended. One that crashed has left no failure, and those of earlier
/// attempts and cycles are not its own.
fn last_failure(record: &ClaimRecord) -> String {
    let own = record
        .failures
        .last()
        .filter(|failure| failure.attempt == record.attempts && failure.at >= record.claimed_at);
    own.map_or_else(|| "attempts_exhausted".to_owned(), |failure| failure.kind.clone())
}

/// Keeps what was found within what a claim can hold.
fn bounded_found(found: serde_json::Value) -> serde_json::Value {
    let bytes = found.to_string().len();
    if bytes <= FOUND_MAX_BYTES {
        return found;
    }
    serde_json::json!({ "omitted": "what was found is larger than a claim can hold", "bytes": bytes })
}
