//! What always holds, checked at every write from what it changed, and at every acknowledgement. The rules know the
//! truth of the bucket and nothing of the conditions by which the tables decide.

use lease_ingest::claim::{ClaimRecord, ClaimState, FinishedStatus};
use lease_ingest::effect::{EffectId, Operation};
use lease_ingest::identity::{ClaimKey, ContentHash, DocumentKey, Generation};
use lease_ingest::pointer::{Named, Pointer, PointerState};

use super::objects::BUCKET;
use super::queue::{About, Message};
use super::world::State;
use super::write::{Answer, Change, Row, Write};

impl State {
    /// Applies a write and holds the rules against what it changed.
    pub fn apply(&mut self, write: &Write) -> Answer {
        let (answer, changes) = self.tables.apply(write, self.now_ms, self.mutant);
        if answer != Answer::Written {
            self.require(changes.is_empty(), || format!("{write} was not written, and changed something"));
        }
        for change in &changes {
            match change {
                Change::Claim { old, new } => self.judge_claim(write, old.as_deref(), new),
                Change::Row { old, key, new } => {
                    self.require(old.is_none(), || "a row was written over".to_owned());
                    self.judge_row(*key, new);
                }
                Change::Pointer { old, new } => self.judge_pointer(write, old.as_deref(), new),
                Change::Intent => {}
            }
        }
        if answer == Answer::Written {
            self.judge_whole(write, &changes);
        }
        answer
    }

    /// Who may change a claim, and how.
    fn judge_claim(&mut self, write: &Write, old: Option<&ClaimRecord>, new: &ClaimRecord) {
        let key = (new.key.clone(), new.generation);
        if old.is_some_and(|old| old.receipt().is_some()) && new.receipt().is_none() {
            self.finished_until.insert(key, self.step);
        }
        let writer = match write {
            Write::Put(_) => return self.require(old.is_none(), || format!("{write} over another claim")),
            Write::Reject { .. } => return,
            Write::TakeOver { seen, request, .. } => {
                let Some(old) = old else { return self.fail(|| format!("{write} of nothing")) };
                let advances = match &old.state {
                    ClaimState::Finished(_) => new.cycle == old.cycle + 1 && new.attempts == 1,
                    ClaimState::InProgress { lease_expires_at } => {
                        // A holder that was late may have left it to wait between the look and the take-over; that
                        // only protects a job's time, and whoever asks sooner is told to wait again.
                        let waits = seen.waits.count != old.waits.count;
                        self.require(waits || *lease_expires_at <= request.now, || {
                            format!("{write}: the lease is live")
                        });
                        new.cycle == old.cycle && new.attempts > old.attempts
                    }
                };
                self.require(advances, || format!("{write}: {old:?} became {new:?}"));
                return self.require(old.token != new.token, || format!("{write}: the token is not fresh"));
            }
            Write::Finish(finish, _) => &finish.seen.token,
            Write::Release(release) => &release.seen.token,
            Write::Wait(wait) => &wait.seen.token,
            Write::Commit(commit) => &commit.seen.token,
            Write::Pointer(..) => return self.fail(|| format!("{write} changed a claim")),
        };
        let held = old.is_some_and(|old| old.receipt().is_none() && old.token == *writer);
        self.require(held, || format!("{write} by somebody who does not hold the claim: {old:?}"));
        let Some(receipt) = new.receipt() else { return };
        if let (FinishedStatus::Committed | FinishedStatus::DuplicateContent, Some(content)) =
            (receipt.status, receipt.content_hash)
        {
            let has_row = matches!(self.tables.commits.get(&(content, new.generation)), Some(Row::Posted(_)));
            self.require(has_row, || format!("{write}: it says posted, and there is no row"));
            self.judge_content(&new.key, content);
        }
    }

    /// What is said to be a version's content is what was uploaded as that version.
    fn judge_content(&mut self, key: &ClaimKey, content: ContentHash) {
        let (_, version) = ClaimKey::parse(key.as_str()).unwrap();
        let held = self.bucket.held(&version, content);
        self.require(held, || format!("{} never held {content}", key.as_str()));
    }

    fn judge_row(&mut self, key: (ContentHash, Generation), row: &Row) {
        if let Row::Posted(row) = row {
            self.require((row.content_hash, row.generation) == key, || "a row under another key".to_owned());
            let held = self.bucket.held(&row.source, row.content_hash);
            self.require(held, || format!("{:?} never held what was posted", row.source));
        }
    }

    /// A pointer never goes back.
    fn judge_pointer(&mut self, write: &Write, old: Option<&Pointer>, new: &Pointer) {
        let (_, key) = new.key.split();
        let key = key.to_owned();
        let revision = old.map_or(0, |old| old.revision);
        self.require(new.revision == revision + 1, || {
            format!("{write}: revision {revision} became {}", new.revision)
        });
        let order = |pointer: &Pointer| {
            let stored = pointer.sequencer.as_ref()?;
            self.bucket.orders.get(stored.as_str()).copied()
        };
        let (before, after) = (old.and_then(order), order(new));
        self.require(before <= after, || format!("{write}: the sequencer went from {before:?} to {after:?}"));
        let since = old.map_or(0, |_| self.pointer_since(&new.key));
        self.pointer_steps.insert(new.key.clone(), self.step);
        let was_active = old.is_some_and(|old| old.state == PointerState::Active);
        if new.state == PointerState::Removed {
            let may = !was_active || self.bucket.was_current_since(&key, since, |current| current.is_none());
            return self.require(may, || format!("{write}: removed, and something was current all the time"));
        }
        let Some(names) = &new.names else {
            return self.fail(|| format!("{write}: active and names nothing"));
        };
        let has_row =
            matches!(self.tables.commits.get(&(names.content_hash, names.generation)), Some(Row::Posted(_)));
        self.require(has_row, || format!("{write}: the pointer names what was never posted"));
        let named_before = old.and_then(|old| old.names.as_ref()).filter(|_| was_active);
        let Some(named_before) = named_before else { return };
        // What stands later in the order is forward. Of the same bytes put twice under the null version only the order
        // tells which upload is named.
        if before < after {
            return;
        }
        if (&named_before.version_id, &named_before.etag) == (&names.version_id, &names.etag) {
            let (before, after) = (named_before.generation, names.generation);
            return self.require(before <= after, || format!("{write}: generation {before} became {after}"));
        }
        let place = |named: &Named| {
            let mut uploads = self.bucket.uploads.iter();
            uploads.rposition(|upload| {
                upload.version.key == key
                    && upload.version.version_id == named.version_id
                    && upload.version.etag == named.etag
            })
        };
        let (before, after) = (place(named_before), place(names));
        if after < before {
            // It returns to an older version only when that one is current again.
            let returned = self.bucket.was_current_since(&key, since, |current| {
                current.is_some_and(|current| {
                    current.version.version_id == names.version_id && current.version.etag == names.etag
                })
            });
            self.require(returned, || {
                format!("{write}: the pointer went back from {named_before:?} to {names:?}")
            });
        }
    }

    /// The step at which a pointer was last written.
    fn pointer_since(&self, key: &DocumentKey) -> u64 {
        self.pointer_steps.get(key).copied().unwrap_or(0)
    }

    /// All parts of a write are there, or none.
    fn judge_whole(&mut self, write: &Write, changes: &[Change]) {
        if let Write::Finish(_, notices) = write {
            let told = notices.iter().all(|notice| self.tables.effects.contains_key(notice.id.as_str()));
            self.require(told, || format!("{write}: a notice is not on record"));
            let written = changes.iter().filter(|change| matches!(change, Change::Intent)).count();
            if written < notices.len() {
                self.coverage.count("narrowed", "notice on record");
            }
        }
        let Write::Commit(commit) = write else { return };
        let generation = commit.seen.generation;
        let posted = self.tables.commits.contains_key(&(commit.content, generation));
        self.require(posted, || format!("{write}: no row"));
        let moved = changes.iter().any(|change| matches!(change, Change::Pointer { .. }));
        self.require(moved == commit.pointer.is_some(), || format!("{write}: marker and pointer apart"));
        let told = self.receivers.iter().all(|receiver| {
            let id = EffectId::of_commit(Operation::Posted, receiver, generation, commit.content);
            self.tables.effects.contains_key(id.as_str())
        });
        self.require(told, || format!("{write}: a receiver is not told"));
    }

    /// Whether a message may be acknowledged: each of its records has its marker, or needs none.
    pub fn judge_acknowledgement(&mut self, message: &Message, generation: Generation, begun: u64) {
        for about in message.letter.about.iter() {
            let version = match about {
                About::Upload(place) => self.bucket.uploads[*place].version.clone(),
                About::Ingest(version) => version.clone(),
                About::Garbage => {
                    return self.fail(|| format!("m{}, which nobody can read, was acknowledged", message.id));
                }
                About::Removal { key, order } => {
                    self.judge_floor(message.id, key, *order);
                    continue;
                }
                About::Look(_) | About::Restored | About::Benign => continue,
            };
            let key = (ClaimKey::of(&version).unwrap(), generation);
            let claim = self.tables.claims.get(&key);
            let finished = claim.is_some_and(|claim| claim.receipt().is_some());
            let was_finished = self.finished_until.get(&key).is_some_and(|until| *until >= begun);
            self.require(finished || was_finished, || {
                format!("m{} was acknowledged without a finished marker for {}", message.id, key.0.as_str())
            });
            // Of a version that is replaced in place, the marker must be of this upload or of a later one; a dead
            // letter holds this very message.
            let is_comparable = version.version_id.is_null() && self.bucket.has_sequencers && !was_finished;
            if let (About::Upload(place), true) = (about, is_comparable) {
                let is_dead = |claim: &&ClaimRecord| {
                    claim.receipt().is_some_and(|receipt| receipt.status == FinishedStatus::DeadLettered)
                };
                let claim = self.tables.claims.get(&key).filter(|claim| !is_dead(claim));
                let stored = claim.and_then(|claim| claim.sequencer.as_ref());
                let order = stored.and_then(|stored| self.bucket.orders.get(stored.as_str()).copied());
                let upload = self.bucket.uploads[*place].order;
                self.require(order.is_none_or(|order| order >= upload), || {
                    format!("m{} was acknowledged with the marker of an earlier upload", message.id)
                });
            }
        }
    }

    /// A removal that was acknowledged has left its place in the order with the key, so that a late create revives nothing.
    fn judge_floor(&mut self, id: u32, key: &str, order: Option<u64>) {
        let pointer = self.tables.documents.get(&DocumentKey::new(BUCKET, key));
        let stored = pointer.and_then(|pointer| pointer.sequencer.as_ref());
        let floor = stored.and_then(|stored| self.bucket.orders.get(stored.as_str()).copied());
        self.require(order <= floor, || {
            format!("m{id}, a removal, was acknowledged, and its floor is {floor:?}")
        });
    }

    /// Forgets every claim, as a table that was deleted does.
    pub fn wipe_claims(&mut self) {
        self.note(|| "operator: the claims table is gone".to_owned());
        let finished = self.tables.claims.iter().filter(|(_, claim)| claim.receipt().is_some());
        let finished: Vec<_> = finished.map(|(key, _)| key.clone()).collect();
        for key in finished {
            self.finished_until.insert(key, self.step);
        }
        self.tables.claims.clear();
    }
}
