//! What befalls requests and processes, and what the bucket and people do meanwhile.

use lease_ingest::claim::{FinishedStatus, Seen};
use lease_ingest::event::{Ask, synthetic_body};
use lease_ingest::identity::{EpochMs, Generation, ObjectVersion, VersionId};

use super::driver::{Driver, Fate};
use super::objects::Tag;
use super::queue::{About, Letter, Told};
use super::scenario::property;
use super::world::{State, Store, Verdict};
use super::write::Write;

/// What can befall a write to the tables.
const WRITE_FATES: [Verdict; 9] = [
    Verdict::RequestLost,
    Verdict::ReplyLost,
    Verdict::ReplyLost,
    Verdict::Late,
    Verdict::Doubled,
    Verdict::Throttled,
    Verdict::Conflict,
    Verdict::DiesAfter,
    Verdict::Denied,
];

impl Driver {
    /// What befalls a request that waits.
    pub fn fate(&self, store: Store) -> Fate {
        let mut state = self.sim.lock();
        let now_ms = state.now_ms;
        match store {
            Store::Ledger { .. } if self.ledger_down_until_ms > now_ms => {
                return Fate::Verdict(if self.ledger_denies { Verdict::Denied } else { Verdict::Down });
            }
            Store::Objects if self.objects_down_until_ms > now_ms => return Fate::Verdict(Verdict::Down),
            _ => {}
        }
        if !state.dice.befalls(self.scenario.faults_permille) {
            return Fate::Verdict(Verdict::Answered);
        }
        match state.dice.roll(12) {
            0 => return Fate::Killed,
            1 => return Fate::Paused,
            _ => {}
        }
        Fate::Verdict(match store {
            Store::Ledger { write: true } => state.dice.one_of(&WRITE_FATES),
            Store::Ledger { write: false } | Store::Objects => {
                state.dice.one_of(&[Verdict::RequestLost, Verdict::Throttled])
            }
            Store::Queue => {
                state.dice.one_of(&[Verdict::RequestLost, Verdict::ReplyLost, Verdict::DiesAfter])
            }
            Store::Extractor => return Fate::Killed,
        })
    }

    /// The bucket changes, and tells of it: at once or late, once, twice or never.
    pub fn change(&mut self) {
        let mut told = None;
        {
            let mut state = self.sim.lock();
            let key = self.scenario.keys[state.dice.place(self.scenario.keys.len())];
            match state.dice.roll(22) {
                0..=11 => told = Some(self.put_something(&mut state, key)),
                12..=14 => told = state.remove(key),
                15..=17 => {
                    let count = state.bucket.keys.get(key).map_or(0, Vec::len);
                    if count > 0 {
                        let place = state.dice.place(count);
                        told = Some(state.delete_version(key, place));
                    }
                }
                18 => {
                    if self.scenario.switches {
                        state.bucket.keeps_versions = !state.bucket.keeps_versions;
                        state.bucket.has_kept_versions = true;
                    }
                }
                19 | 20 => {
                    let uploads = state.bucket.uploads.len();
                    let archived = (0..uploads).find(|place| state.bucket.uploads[*place].archived);
                    let place = archived.or_else(|| uploads.checked_sub(1));
                    told = place.map(|place| state.restore(place));
                }
                _ => odd_message(&mut state),
            }
        }
        let Some(told) = told else { return };
        self.bundled.push(told);
        if self.sim.lock().dice.roll(6) != 0 || self.changes_left == 0 {
            self.tell();
        }
    }

    fn put_something(&self, state: &mut State, key: &str) -> Told {
        let uploads = &state.bucket.uploads;
        let earlier = uploads.iter().filter(|upload| upload.version.key == key);
        let earlier: Vec<String> =
            earlier.map(|upload| String::from_utf8(upload.content.to_vec()).unwrap()).collect();
        let content = match (state.dice.roll(3), earlier.last()) {
            (0, Some(_)) => earlier[state.dice.place(earlier.len())].clone(),
            _ => self.scenario.contents[state.dice.place(self.scenario.contents.len())].clone(),
        };
        let tag = match state.dice.roll(12) {
            0 => Tag::Multipart(2),
            1 => Tag::Multipart(3),
            2 => Tag::Shared,
            _ => Tag::Single,
        };
        let property = property(&mut state.dice);
        state.put(key, &content, tag, property)
    }

    /// Sends the records that were held back, as one message.
    pub fn tell(&mut self) {
        if self.bundled.is_empty() {
            return;
        }
        let letter = Letter::of(std::mem::take(&mut self.bundled));
        let mut state = self.sim.lock();
        let times = match state.dice.roll(10) {
            0 | 1 if self.scenario.loses_events => 0,
            2 | 3 => 2,
            _ => 1,
        };
        if times == 0 {
            state.coverage.count("fault", "event lost");
            return state.note(|| format!("event lost: {:?}", letter.about));
        }
        for _ in 0..times {
            let delay_ms = if state.dice.roll(3) == 0 { state.dice.roll(120_000) } else { 0 };
            state.send(letter.clone(), delay_ms);
        }
        self.told.push(letter);
    }

    /// One of the things that go wrong in the large, or that people do meanwhile.
    pub async fn mischief(&mut self) {
        let rolled = self.sim.lock().dice.roll(12);
        match rolled {
            0 => {
                if let Some(id) = self.any_invocation() {
                    self.kill(id, "for no reason").await;
                }
            }
            1 => {
                if let Some(id) = self.any_invocation() {
                    self.pause(id);
                }
            }
            2 => {
                let mut state = self.sim.lock();
                let until_ms = state.now_ms + 5_000 + state.dice.roll(60_000);
                state.coverage.count("fault", "outage");
                if state.dice.roll(3) == 0 {
                    self.objects_down_until_ms = until_ms;
                    state.note(|| "the object store is down".to_owned());
                } else {
                    self.ledger_down_until_ms = until_ms;
                    self.ledger_denies = state.dice.roll(4) == 0;
                    state.note(|| "the tables are down".to_owned());
                }
            }
            3 => self.reconcile_something(),
            4 => {
                let mut state = self.sim.lock();
                let count = state.queue.dead.len();
                if count > 0 {
                    let place = state.dice.place(count);
                    if state.dice.roll(3) == 0 {
                        // An operator's tool that dies between sending and deleting leaves the letter.
                        let kept = state.queue.dead[place].clone();
                        state.queue.dead.push(kept);
                    }
                    state.redrive(place);
                }
            }
            5 | 6 if self.wipes_left > 0 => {
                self.wipes_left -= 1;
                let mut state = self.sim.lock();
                state.coverage.count("fault", "claims wiped");
                state.wipe_claims();
            }
            7 if self.scenario.raises_generation => {
                let mut state = self.sim.lock();
                let worker = state.dice.place(self.generations.len());
                self.generations[worker] = Generation::new(2).unwrap();
                state.coverage.count("fault", "generation raised");
                state.note(|| format!("operator: worker {worker} is of generation 2"));
            }
            8 => self.sim.lock().reject_something(),
            _ if !self.scenario.is_fifo => {
                let mut state = self.sim.lock();
                let now_ms = state.now_ms;
                let hidden = state.queue.messages.len();
                if hidden > 0 {
                    let place = state.dice.place(hidden);
                    state.queue.messages[place].visible_at_ms = now_ms;
                    state.coverage.count("queue", "delivered early");
                }
            }
            _ => {}
        }
    }

    fn any_invocation(&self) -> Option<u32> {
        let mut state = self.sim.lock();
        let running: Vec<u32> =
            self.invocations.iter().filter(|one| one.paused_until_ms.is_none()).map(|one| one.id).collect();
        (!running.is_empty()).then(|| running[state.dice.place(running.len())])
    }

    /// The reconciler's list of yesterday arrives: what it asks for may be done, or gone, by now.
    fn reconcile_something(&mut self) {
        let mut state = self.sim.lock();
        let count = state.bucket.uploads.len();
        if count == 0 {
            return;
        }
        let place = state.dice.place(count);
        let upload = &state.bucket.uploads[place];
        let version = upload.version.clone();
        let stands = state.bucket.keys[&version.key].iter().any(|entry| entry.upload == Some(place));
        let letter = if stands { ingest(&version) } else { look(&version) };
        state.note(|| format!("reconciler: asks for {:?}", letter.about));
        state.coverage.count("queue", "reconciled");
        state.send(letter, 0);
    }
}

/// What the reconciler sends for a version that is listed.
pub fn ingest(version: &ObjectVersion) -> Letter {
    Letter::new(synthetic_body(version, Ask::Ingest, None), vec![About::Ingest(version.clone())])
}

/// What the reconciler sends for a key that has nothing current.
pub fn look(version: &ObjectVersion) -> Letter {
    let version = ObjectVersion { version_id: VersionId::Null, etag: Default::default(), ..version.clone() };
    Letter::new(synthetic_body(&version, Ask::Look, None), vec![About::Look(version.key.clone())])
}

/// A message that asks for nothing, or that nobody can read.
fn odd_message(state: &mut State) {
    let (body, about) = state.dice.one_of(&[
        (r#"{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"leases"}"#, Benign),
        (r#"{"Records":[]}"#, Benign),
        (
            r#"{"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","eventName":"ReducedRedundancyLostObject","s3":{"bucket":{"name":"leases"},"object":{"key":"a"}}}]}"#,
            Benign,
        ),
        (r#"{"Records":[{"eventSource":"aws:s3","eventVersion":"3.0"}]}"#, Unreadable),
        ("no JSON at all", Unreadable),
    ]);
    let about = match about {
        Benign => About::Benign,
        Unreadable => About::Garbage,
    };
    state.send(Letter::new(body.to_owned(), vec![about]), 0);
}

#[derive(Clone, Copy)]
enum Odd {
    Benign,
    Unreadable,
}
use Odd::{Benign, Unreadable};

impl State {
    /// A person rejects one of the documents that wait for review.
    fn reject_something(&mut self) {
        let waiting = self.tables.claims.values().filter_map(|claim| {
            let receipt = claim.receipt().filter(|receipt| receipt.status == FinishedStatus::Review)?;
            Some((Seen::of(claim), receipt.content_hash?))
        });
        let waiting: Vec<_> = waiting.collect();
        if waiting.is_empty() {
            return;
        }
        let (seen, content) = waiting[self.dice.place(waiting.len())].clone();
        let write = Write::Reject { seen, content, at: EpochMs(self.now_ms) };
        let answer = self.apply(&write);
        self.note(|| format!("person: {write} -> {answer}"));
    }
}
