//! Histories drawn at random: uploads, removals, overwrites and switches of versioning, told late, twice, out of
//! order or never, while requests and replies are lost and two workers run. When it is quiet again, the dead letters
//! have been sent back and the gaps have been found, everything must be as if nothing had gone wrong.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use lease_ingest::embedded::queue::{Outgoing, notification};
use lease_ingest::event::{Ask, synthetic_body};
use lease_ingest::fetch::{Current, FetchError};
use lease_ingest::handler::handle;
use lease_ingest::identity::{ClaimKey, DocumentKey, ObjectVersion, VersionId};
use lease_ingest::ports::objects::Objects;
use serde_json::json;

use crate::support::dice::Dice;
use crate::support::slip::slip;
use crate::support::wire::{Loss, Wire};
use crate::support::{BUCKET, TestPipeline, TestWorld, UNVERSIONED};

/// Histories of one test. Each is drawn from its number alone.
const HISTORIES: u64 = 24;
/// Histories that are played at once.
const HISTORIES_AT_ONCE: usize = 24;
/// Steps of a history.
const STEPS: u64 = 40;
/// Dead letters that an operator sends back; what can never be read would come again for ever.
const REDRIVES_MAX: usize = 4;
/// Rounds after which it must be quiet.
const ROUNDS_MAX: u32 = 120;

struct History {
    world: TestWorld,
    dice: Dice,
    bucket: &'static str,
    /// Told and not yet acknowledged, with the number of receives so far.
    pending: Vec<(Outgoing, u32)>,
    /// Everything that was ever told.
    told: Vec<String>,
    /// How many dead letters were sent back; each is once.
    redriven: usize,
    /// What the pointers said last: revision, sequencer, and the place of what they name among the uploads.
    pointers: BTreeMap<String, (u64, String, usize)>,
    /// Every upload, in order.
    uploads: Vec<ObjectVersion>,
}

impl History {
    fn tell(&mut self, body: String) {
        // One in eight is never told, one in four is told twice.
        let times = match self.dice.roll(8) {
            0 => 0,
            1 | 2 => 2,
            _ => 1,
        };
        if times > 0 {
            self.told.push(body.clone());
        }
        for _ in 0..times {
            self.pending.push((Outgoing::from(body.clone()), 0));
        }
    }

    async fn change(&mut self) {
        let key = if self.dice.roll(3) == 0 { "b.json" } else { "a.json" };
        let folder = &self.world.objects.folder;
        self.world.clock.advance_ms(10);
        match self.dice.roll(10) {
            0..=5 => {
                let content = match self.dice.roll(8) {
                    0 => "incomplete".to_owned(),
                    1 => "fail".to_owned(),
                    other => slip(u32::try_from(other % 3 + 1).unwrap()),
                };
                let put = folder.put(self.bucket, key, content, BTreeMap::new()).await.unwrap();
                self.uploads.push(put.version.clone());
                self.tell(notification(&put));
            }
            6 | 7 => {
                if let Some(removed) = folder.delete(self.bucket, key).await.unwrap() {
                    self.tell(notification(&removed));
                }
            }
            8 if self.bucket == BUCKET => {
                let on = self.dice.roll(2) == 0;
                folder.set_versioning(self.bucket, on).await.unwrap();
            }
            _ => {
                let listed = folder.list_versions(self.bucket).await.unwrap();
                if listed.is_empty() {
                    return;
                }
                let at = usize::try_from(self.dice.roll(listed.len() as u64)).unwrap();
                let version = &listed[at].version;
                let removed = folder.delete_version(self.bucket, &version.key, &version.version_id).await;
                if let Some(removed) = removed.unwrap() {
                    self.tell(notification(&removed));
                }
            }
        }
    }

    /// Takes some of what is told and hands it to a worker.
    fn take(&mut self, most: u64) -> Vec<(Outgoing, u32)> {
        let mut taken = Vec::new();
        for _ in 0..=self.dice.roll(most) {
            if self.pending.is_empty() {
                break;
            }
            let at = usize::try_from(self.dice.roll(self.pending.len() as u64)).unwrap();
            let (message, receives) = self.pending.swap_remove(at);
            taken.push((message, receives + 1));
        }
        taken
    }

    async fn deliver(&mut self, workers: &[std::sync::Arc<TestPipeline>; 2]) {
        let batches = [self.take(4), if self.dice.roll(2) == 0 { self.take(4) } else { Vec::new() }];
        let deadline = self.world.deadline();
        let payloads = batches.each_ref().map(|batch| payload(batch));
        let (first, second) = tokio::join!(
            handle(&workers[0], &payloads[0], deadline),
            handle(&workers[1], &payloads[1], deadline),
        );
        for (batch, answer) in batches.into_iter().zip([first, second]) {
            let answer = answer.unwrap();
            for (index, (message, receives)) in batch.into_iter().enumerate() {
                // An answer that is lost brings the whole batch back.
                if answer.messages[index].returned || self.dice.roll(20) == 0 {
                    self.pending.push((message, receives));
                }
            }
        }
        self.look_at_pointers().await;
    }

    /// A pointer's revision and its sequencer never go back, and neither does what it names.
    async fn look_at_pointers(&mut self) {
        for row in self.world.rows(&self.world.embedded.tables().documents).await {
            let key = DocumentKey::parse(&row["document_key"]).unwrap();
            let is_named = |version: &ObjectVersion| {
                version.document_key() == key
                    && row.get("version_id").is_some_and(|id| id == version.version_id.as_str())
                    && row.get("etag").is_some_and(|etag| etag == version.etag.as_str())
            };
            let place = self.uploads.iter().rposition(is_named).map_or(0, |place| place + 1);
            let now =
                (row["revision"].parse().unwrap(), row.get("sequencer").cloned().unwrap_or_default(), place);
            let before = self.pointers.insert(row["document_key"].clone(), now.clone()).unwrap_or_default();
            // It may return to an older version only when that one is current again.
            let returned = now.2 < before.2 && {
                let (bucket, key) = key.split();
                let current = self.world.objects.current(bucket, key).await.unwrap();
                !matches!(current, Current::Version { version, .. } if is_named(&version))
            };
            assert!(before.0 <= now.0 && before.1 <= now.1 && !returned, "{before:?} became {now:?}");
        }
    }

    /// What the reconciler would tell: gaps, what is missing and listed, and pointers that are not current.
    async fn gaps(&self) -> Vec<String> {
        let world = &self.world;
        let [claims, _, documents, _] = world.tables().await;
        let mut gaps = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        let listed = world.objects.folder.list_versions(self.bucket).await.unwrap();
        for line in &listed {
            if line.is_delete_marker {
                continue;
            }
            let key = ClaimKey::of(&line.version).unwrap();
            let claim = claims.iter().find(|claim| claim["claim_key"] == key.as_str());
            let status = claim.map_or("none", |claim| claim["status"].as_str());
            let named = documents.iter().any(|document| {
                document["document_key"] == line.version.document_key().as_str()
                    && document["state"] == "active"
                    && document["version_id"] == line.version.version_id.as_str()
                    && document["etag"] == line.version.etag.as_str()
            });
            let wanted = match status {
                "none" | "in_progress" | "missing" | "superseded" => true,
                "committed" | "duplicate_content" => line.is_latest && !named,
                _ => false,
            };
            if wanted {
                gaps.push(synthetic_body(&line.version, Ask::Ingest, Some(line.size_bytes)));
            }
            if line.is_latest {
                keys.push(&line.version.key);
            }
        }
        for document in documents.iter().filter(|document| document["state"] == "active") {
            let key = DocumentKey::parse(&document["document_key"]).unwrap();
            let (bucket, key) = key.split();
            if !keys.contains(&key) {
                let version = ObjectVersion {
                    bucket: bucket.to_owned(),
                    key: key.to_owned(),
                    version_id: VersionId::Null,
                    etag: lease_ingest::identity::ETag::default(),
                };
                gaps.push(synthetic_body(&version, Ask::Look, None));
            }
        }
        gaps
    }

    async fn settle(&mut self, workers: &[std::sync::Arc<TestPipeline>; 2]) {
        for _ in 0..ROUNDS_MAX {
            if !self.pending.is_empty() {
                self.world.clock.advance_ms(16 * 60 * 1000);
                self.deliver(workers).await;
                continue;
            }
            let letters = self.world.queue.dead_letters().unwrap();
            if self.redriven < letters.len().min(REDRIVES_MAX) {
                let letter = letters[self.redriven].clone();
                self.redriven += 1;
                let again = Outgoing { body: letter.body, attributes: letter.attributes, group_id: None };
                self.pending.push((again, 0));
                continue;
            }
            self.world.clock.advance_ms(16 * 60 * 1000);
            let gaps = self.gaps().await;
            if gaps.is_empty() {
                return;
            }
            self.pending.extend(gaps.into_iter().map(|body| (Outgoing::from(body), 0)));
        }
        panic!("it does not become quiet: {:?} {:?}", self.pending, self.gaps().await);
    }

    async fn judge(&self) {
        let world = &self.world;
        let [claims, commits, documents, effects] = world.tables().await;
        let posted = effects.iter().filter(|effect| effect["operation"] == "posted").count();
        assert_eq!(posted, commits.len(), "one effect a commit");
        for key in ["a.json", "b.json"] {
            let current = world.objects.current(self.bucket, key).await.unwrap();
            let document = documents
                .iter()
                .find(|document| document["document_key"] == DocumentKey::new(self.bucket, key).as_str());
            match current {
                Current::Nothing => {
                    assert!(document.is_none_or(|document| document["state"] == "removed"), "{document:?}");
                }
                Current::Version { version, .. } => {
                    let key = ClaimKey::of(&version).unwrap();
                    let claim = claims.iter().find(|claim| claim["claim_key"] == key.as_str()).unwrap();
                    if !["committed", "duplicate_content"].contains(&claim["status"].as_str()) {
                        continue;
                    }
                    let document = document.expect("a pointer");
                    let stored = world.objects.folder.receipts(self.bucket, &version.key).await.unwrap();
                    let current = stored.iter().find(|stored| stored.receipt.version == version).unwrap();
                    assert_eq!(document["state"], "active");
                    assert_eq!(document["content_hash"], current.hash.to_string());
                    assert_eq!(document["version_id"], version.version_id.as_str());
                }
            }
        }
    }
}

fn payload(batch: &[(Outgoing, u32)]) -> serde_json::Value {
    let records: Vec<_> = batch
        .iter()
        .enumerate()
        .map(|(index, (message, receives))| {
            let attributes: BTreeMap<_, _> = message
                .attributes
                .iter()
                .map(|(name, value)| (name, json!({ "stringValue": value, "dataType": "String" })))
                .collect();
            json!({
                "messageId": format!("m{index}"),
                "eventSource": "aws:sqs",
                "body": message.body,
                "attributes": { "ApproximateReceiveCount": receives.to_string() },
                "messageAttributes": attributes,
            })
        })
        .collect();
    json!({ "Records": records })
}

async fn play(number: u64) {
    let mut dice = Dice::at(number);
    let bucket = if dice.roll(2) == 0 { BUCKET } else { UNVERSIONED };
    let world = TestWorld::with(|settings| settings.attempt_limit = 3).await;
    let wires = [Wire::new(), Wire::new()];
    let workers = wires.each_ref().map(|wire| world.worker(wire, |_| {}));
    let pointers = BTreeMap::new();
    let mut history = History {
        world,
        dice,
        bucket,
        pending: Vec::new(),
        told: Vec::new(),
        redriven: 0,
        pointers,
        uploads: Vec::new(),
    };
    for _ in 0..STEPS {
        if history.dice.roll(2) == 0 {
            history.change().await;
            continue;
        }
        if history.dice.roll(2) == 0 {
            let operation = ["PutItem", "GetItem", "UpdateItem", "TransactWriteItems"]
                [usize::try_from(history.dice.roll(4)).unwrap()];
            let loss = match history.dice.roll(4) {
                0 => Loss::Request,
                1 => Loss::Refused("ThrottlingException"),
                _ => Loss::Reply,
            };
            // The client tries three times; now and then all of its tries are lost.
            let times = if history.dice.roll(3) == 0 { 3 } else { 1 };
            let first = 1 + history.dice.roll(3);
            for nth in first..first + times {
                wires[usize::try_from(history.dice.roll(2)).unwrap()].lose(operation, nth, loss);
            }
        }
        if history.dice.roll(6) == 0 {
            let fault = match history.dice.roll(3) {
                0 => FetchError::NotFound,
                _ => FetchError::transient("s3_503_SlowDown"),
            };
            history.world.objects.fail_next([fault]);
        }
        if history.dice.roll(3) == 0 {
            let minutes = history.dice.roll(20);
            history.world.clock.advance_ms(minutes * 60 * 1000);
        }
        history.deliver(&workers).await;
    }
    for wire in &wires {
        wire.forget_planned();
    }
    history.settle(&workers).await;
    history.judge().await;

    // All of it again changes nothing that anybody reads. A removal that is told once more may find a key whose
    // current version waits for a person; then the order of its pointer is not known any more, and what it names is.
    let before = history.world.tables().await;
    let told = history.told.clone();
    history.pending.extend(told.into_iter().map(|body| (Outgoing::from(body), 0)));
    history.settle(&workers).await;
    let after = history.world.tables().await;
    assert_eq!(before[1], after[1], "commits");
    let added: Vec<_> = after[3].iter().filter(|effect| !before[3].contains(effect)).collect();
    assert!(added.is_empty(), "{added:?}");
    let read = |rows: &[BTreeMap<String, String>]| {
        let mut rows = rows.to_vec();
        for row in &mut rows {
            row.retain(|name, _| !["order", "revision"].contains(&name.as_str()));
        }
        rows.sort();
        rows
    };
    assert_eq!(read(&before[2]), read(&after[2]), "pointers");
    history.judge().await;
}

/// One history, or so many from 0: `7`, or `0..500`. Without it, a few.
const WHICH: &str = "LEASE_INGEST_TEST_HISTORIES";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_happens_it_ends_as_if_nothing_had_gone_wrong() {
    let which = std::env::var(WHICH).unwrap_or_else(|_| format!("0..{HISTORIES}"));
    let bounds: Vec<u64> = which.split("..").map(|bound| bound.parse().unwrap()).collect();
    let numbers = bounds[0]..bounds.get(1).copied().unwrap_or(bounds[0] + 1);
    // Most of a history is waiting for replies that were lost, so many are played at once.
    let failed: Vec<u64> = futures_util::stream::iter(numbers)
        .map(|number| async move { (number, tokio::spawn(play(number)).await.is_err()) })
        .buffer_unordered(HISTORIES_AT_ONCE)
        .filter_map(|(number, failed)| async move { failed.then_some(number) })
        .collect()
        .await;
    assert!(failed.is_empty(), "{failed:?}");
}
