//! How a schedule ends: faults stop, the queue drains, dead letters are sent back, the reconciler looks for gaps, and
//! what is left is judged. Then everything is told once more, and nothing may be added.

use std::sync::Arc;

use lease_ingest::claim::{ClaimRecord, FinishedStatus, REASON_ARCHIVED, Receipt};
use lease_ingest::effect::{EffectId, Operation};
use lease_ingest::identity::{ClaimKey, DocumentKey, ETag, Generation, ObjectVersion, VersionId};
use lease_ingest::pointer::{Named, PointerState};

use super::driver::Driver;
use super::mischief::{ingest, look};
use super::mutants::Mutant;
use super::objects::BUCKET;
use super::queue::{About, Letter};
use super::world::{State, Verdict};
use super::write::Row;

/// Receives after which the queue must be empty.
const RECEIVES_MAX: u32 = 600;
/// How often an operator sends one letter back; what can never be read would come again for ever.
const REDRIVES_MAX: u32 = 2;
/// Rounds of reconciliation after which there must be no gap.
const RECONCILIATIONS_MAX: u32 = 12;

/// What a second telling must not change.
type Posted = (Vec<String>, Vec<String>, Vec<(DocumentKey, PointerState, Option<Named>)>);

impl Driver {
    /// Everything after the faults.
    pub async fn end_well(&mut self) {
        self.calm_down().await;
        self.drain().await;
        let generation = self.generations[0];
        if self.scenario.is_lossless() {
            self.sim.lock().judge_end(generation, false);
        }
        self.reconcile(generation).await;
        if self.is_broken() {
            return;
        }
        self.sim.lock().judge_end(generation, true);
        let before = self.sim.lock().posted();
        let may_post = self.sim.lock().may_still_post();
        self.sim.lock().note(|| "everything is told once more".to_owned());
        for letter in std::mem::take(&mut self.told) {
            self.sim.lock().send(letter, 0);
        }
        self.drain().await;
        self.reconcile(generation).await;
        let mut state = self.sim.lock();
        let after = state.posted();
        let rows_stay = before.0.iter().all(|row| after.0.contains(row));
        let holds = if may_post { rows_stay } else { before == after };
        state.require(holds, || format!("told once more, {before:?} became {after:?}"));
        state.judge_end(generation, true);
    }

    /// Faults stop: clocks are right, stores answer, whoever is frozen wakes, and all workers are of one generation.
    async fn calm_down(&mut self) {
        self.tell();
        {
            let mut state = self.sim.lock();
            state.note(|| "faults stop".to_owned());
            state.skews_ms.iter_mut().for_each(|skew_ms| *skew_ms = 0);
            state.open_gates = true;
            state.stale_reads = false;
            state.late_hides_permille = 0;
            state.arrive_hides();
            self.scenario.faults_permille = 0;
            self.scenario.duplicates_permille = 0;
        }
        if let Some(raised) = self.generations.iter().copied().max() {
            self.generations.fill(raised);
        }
        for one in &mut self.invocations {
            one.paused_until_ms = None;
        }
        let gates = std::mem::take(&mut self.sim.lock().gates);
        for gate in gates {
            gate.open(Verdict::Answered);
            self.settle().await;
        }
        self.run_out().await;
        // What is still on its way arrives before the end, or the end would not be one.
        let last_ms = self.sim.lock().late.iter().map(|(due_ms, ..)| *due_ms).max();
        if let Some(last_ms) = last_ms {
            let now_ms = self.sim.lock().now_ms;
            self.pass_until(last_ms.max(now_ms)).await;
        }
    }

    /// Lets what runs come to its end.
    async fn run_out(&mut self) {
        loop {
            self.settle().await;
            self.collect().await;
            if self.invocations.is_empty() || self.is_broken() {
                return;
            }
            let next_ms = self.next_moment_ms();
            self.pass_until(next_ms).await;
        }
    }

    /// Handles what is told until the queue is empty and no letter is worth sending back.
    async fn drain(&mut self) {
        let mut worker = 0;
        for _ in 0..RECEIVES_MAX {
            if self.is_broken() {
                return;
            }
            let (has_visible, is_empty) = {
                let mut state = self.sim.lock();
                state.step += 1;
                (state.has_visible(), state.queue.messages.is_empty())
            };
            if has_visible {
                worker = (worker + 1) % self.generations.len();
                self.start(worker, 10).await;
                self.run_out().await;
            } else if !is_empty {
                let next_ms = self.next_moment_ms();
                self.pass_until(next_ms).await;
            } else if !self.redrive_one() {
                return;
            }
        }
        let mut state = self.sim.lock();
        state.fail(|| "it does not become quiet".to_owned());
    }

    fn redrive_one(&mut self) -> bool {
        let mut state = self.sim.lock();
        for place in 0..state.queue.dead.len() {
            let letter = &state.queue.dead[place];
            // One body can have been given up on for several claims, and in several generations.
            let named = letter.claim().map(|[hash, _, generation]| [hash, generation]);
            let redrives = self.redrives.entry((Arc::clone(&letter.body), named)).or_default();
            if *redrives < REDRIVES_MAX && !letter.about.contains(&About::Garbage) {
                *redrives += 1;
                state.redrive(place);
                return true;
            }
        }
        false
    }

    async fn reconcile(&mut self, generation: Generation) {
        for _ in 0..RECONCILIATIONS_MAX {
            let gaps = self.sim.lock().gaps(generation);
            if gaps.is_empty() || self.is_broken() {
                return;
            }
            {
                let mut state = self.sim.lock();
                state.note(|| {
                    format!("reconciler: {:?}", gaps.iter().map(|gap| &gap.about).collect::<Vec<_>>())
                });
                // A version that was not found is looked for again after a while only.
                state.now_ms += 16 * 60 * 1000;
            }
            for gap in gaps {
                self.sim.lock().send(gap, 0);
            }
            self.drain().await;
        }
        self.sim.lock().fail(|| "the reconciler always finds a gap".to_owned());
    }
}

fn when(is_reconciled: bool) -> &'static str {
    if is_reconciled { "in the end" } else { "before the reconciler" }
}

impl State {
    fn posted(&self) -> Posted {
        let commits = self.tables.commits.iter().map(|row| format!("{row:?}")).collect();
        let posted = self.tables.effects.values().filter(|intent| intent.operation == Operation::Posted);
        let effects = posted.map(|intent| intent.id.as_str().to_owned()).collect();
        // A pointer that never named anything holds a place in the order, and is read by nobody.
        let pointers = self.tables.documents.values().filter(|pointer| pointer.names.is_some());
        let pointers = pointers.map(|pointer| (pointer.key.clone(), pointer.state, pointer.names.clone()));
        (commits, effects, pointers.collect())
    }

    /// Whether something was not posted for which a second telling is news: its claim was made without a sequencer, or
    /// given up on by an earlier event of the same name, so that an event opens it again; or it was parked, and only a
    /// worker of an older generation was told that it is restored; or only such a worker was told that the same bytes
    /// were put again, maybe under another property. What was posted stays as it is all the same.
    fn may_still_post(&self) -> bool {
        use FinishedStatus::{Committed, DeadLettered, DuplicateContent};
        let is_parked =
            |receipt: &Receipt| receipt.reason.as_ref().is_some_and(|reason| reason.code == REASON_ARCHIVED);
        let is_open = |claim: &ClaimRecord| match claim.receipt() {
            Some(receipt) if matches!(receipt.status, Committed | DuplicateContent) => false,
            Some(receipt) if receipt.status == DeadLettered || is_parked(receipt) => true,
            _ => claim.sequencer.is_none() || self.was_put_again(claim),
        };
        self.tables.claims.values().any(is_open)
    }

    /// Whether the version of a claim was put once more, later than by the event that the claim knows.
    fn was_put_again(&self, claim: &ClaimRecord) -> bool {
        let known = claim.sequencer.as_ref().and_then(|known| self.bucket.orders.get(known.as_str()));
        self.bucket.uploads.iter().any(|upload| {
            known.is_some_and(|known| *known < upload.order)
                && ClaimKey::of(&upload.version).is_ok_and(|key| key == claim.key)
        })
    }

    /// What the reconciler asks for, as it would find it by listing the bucket.
    fn gaps(&self, generation: Generation) -> Vec<Letter> {
        let mut gaps = Vec::new();
        for entries in self.bucket.keys.values() {
            for (place, entry) in entries.iter().enumerate() {
                let Some(upload) = entry.upload.map(|upload| &self.bucket.uploads[upload]) else { continue };
                let key = ClaimKey::of(&upload.version).unwrap();
                let claim = self.tables.claims.get(&(key, generation));
                let wanted = match claim.map(|claim| claim.receipt().map(|receipt| receipt.status)) {
                    None | Some(None) => true,
                    Some(Some(FinishedStatus::Missing | FinishedStatus::Superseded)) => {
                        !self.is(Mutant::MissingIsFinal)
                    }
                    Some(Some(FinishedStatus::Committed | FinishedStatus::DuplicateContent)) => {
                        let is_latest = place + 1 == entries.len();
                        is_latest && !self.is_named(&upload.version, generation)
                    }
                    _ => false,
                };
                if wanted {
                    gaps.push(ingest(&upload.version));
                }
            }
        }
        for (key, pointer) in &self.tables.documents {
            let (_, key) = key.split();
            if pointer.state == PointerState::Active && self.bucket.current_upload(key).is_none() {
                let version = ObjectVersion {
                    bucket: BUCKET.to_owned(),
                    key: key.to_owned(),
                    version_id: VersionId::Null,
                    etag: ETag::default(),
                };
                gaps.push(look(&version));
            }
        }
        gaps
    }

    fn is_named(&self, version: &ObjectVersion, generation: Generation) -> bool {
        let pointer = self.tables.documents.get(&version.document_key());
        pointer.is_some_and(|pointer| {
            pointer.state == PointerState::Active
                && pointer.names.as_ref().is_some_and(|named| {
                    (&named.version_id, &named.etag, named.generation)
                        == (&version.version_id, &version.etag, generation)
                })
        })
    }

    /// What must be when it is quiet. Before the reconciler has run, a version may still be out of sight.
    fn judge_end(&mut self, generation: Generation, is_reconciled: bool) {
        let when = when(is_reconciled);
        for place in 0..self.bucket.uploads.len() {
            let upload = &self.bucket.uploads[place];
            let entries = &self.bucket.keys[&upload.version.key];
            let stands = entries.iter().any(|entry| entry.upload == Some(place));
            // What is gone, and whose event was lost or of an older generation, nobody can know of.
            if stands || !is_reconciled {
                let version = upload.version.clone();
                self.judge_version(&version, stands, generation, is_reconciled);
            }
        }
        let keys: Vec<String> = self.bucket.keys.keys().cloned().collect();
        for key in keys {
            self.judge_current(&key, generation, when);
        }
        let rows = self.tables.commits.iter();
        let untold =
            rows.filter(|(_, row)| matches!(row, Row::Posted(_))).find(|((content, generation), _)| {
                self.receivers.iter().any(|receiver| {
                    let id = EffectId::of_commit(Operation::Posted, receiver, *generation, *content);
                    !self.tables.effects.contains_key(id.as_str())
                })
            });
        let untold = untold.map(|(key, _)| *key);
        self.require(untold.is_none(), || format!("{when}: a receiver was never told of {untold:?}"));
        let told =
            self.tables.effects.values().filter(|intent| intent.operation == Operation::Posted).count();
        let rows = self.tables.commits.values().filter(|row| matches!(row, Row::Posted(_))).count();
        let expected = rows * self.receivers.len();
        self.require(told == expected, || format!("{when}: {told} effects of {rows} commits"));
    }

    fn judge_version(
        &mut self,
        version: &ObjectVersion,
        stands: bool,
        generation: Generation,
        is_reconciled: bool,
    ) {
        let when = when(is_reconciled);
        let key = ClaimKey::of(version).unwrap();
        let Some(claim) = self.tables.claims.get(&(key.clone(), generation)).cloned() else {
            return self.fail(|| format!("{when}: nobody has claimed {}", key.as_str()));
        };
        let Some(receipt) = claim.receipt() else {
            // A process that was frozen can open again what another copy of its message has finished and acknowledged:
            // without a sequencer, or asked by the reconciler or by a removal. Then only the reconciler finds it.
            let reopened = self.finished_until.contains_key(&(key.clone(), generation));
            if reopened && !(is_reconciled && stands) {
                return;
            }
            return self.fail(|| format!("{when}: {} is not finished", key.as_str()));
        };
        let out_of_sight = matches!(receipt.status, FinishedStatus::Missing | FinishedStatus::Superseded);
        self.require(!(stands && out_of_sight), || {
            format!("{when}: {} is there and is {}", key.as_str(), receipt.status.as_str())
        });
        if receipt.status == FinishedStatus::DeadLettered {
            let named = Some([key.short_hash(), claim.cycle.to_string(), generation.to_string()]);
            let lies = self.queue.dead.iter().any(|letter| letter.claim() == named);
            self.require(lies, || {
                format!("{when}: {} is dead-lettered, and no letter lies there", key.as_str())
            });
        }
    }

    /// The pointer of a key names what is current, or says that nothing is.
    fn judge_current(&mut self, key: &str, generation: Generation, when: &str) {
        let pointer = self.tables.documents.get(&DocumentKey::new(BUCKET, key)).cloned();
        let Some(place) = self.bucket.current_upload(key) else {
            let is_gone = pointer.as_ref().is_none_or(|pointer| pointer.state == PointerState::Removed);
            return self
                .require(is_gone, || format!("{when}: nothing is current under {key}, and {pointer:?}"));
        };
        let upload = self.bucket.uploads[place].clone();
        let claim_key = ClaimKey::of(&upload.version).unwrap();
        let claim = self.tables.claims.get(&(claim_key, generation));
        let status = claim.and_then(|claim| claim.receipt()).map(|receipt| receipt.status);
        if !matches!(status, Some(FinishedStatus::Committed | FinishedStatus::DuplicateContent)) {
            return;
        }
        let names = pointer.as_ref().filter(|pointer| pointer.state == PointerState::Active);
        let names = names.and_then(|pointer| pointer.names.as_ref());
        let ambiguous = self.bucket.ambiguous.contains(upload.version.etag.as_str());
        let is_named = self.is_named(&upload.version, generation)
            && (ambiguous || names.is_some_and(|named| named.content_hash == upload.hash));
        self.require(is_named, || {
            format!("{when}: {:?} is current under {key}, and {pointer:?}", upload.version)
        });
    }
}
