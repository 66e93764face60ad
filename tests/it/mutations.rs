//! Damaged copies of the samples: whatever a copy does to its reader, its batch-mates commit.

#![allow(clippy::disallowed_methods, reason = "how long a reader takes is told by the real clock")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::config::IngestSettings;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::Versioning;
use lease_ingest::embedded::queue::{QueueSettings, lambda_event, notification};
use lease_ingest::extract::reader::LeaseReader;
use lease_ingest::handler::handle;
use lease_ingest::isolation::{Isolation, Limits};
use lease_ingest::ocr::Recogniser;
use lease_ingest::pipeline::{Parts, Pipeline};
use lease_ingest::ports::clock::{Clock, SystemClock};

use crate::support::dice::Dice;
use crate::support::{metrics, sample};

/// Damaged copies in all.
const COPIES: usize = 300;
/// Damaged copies in a batch; one sound lease goes with them.
const COPIES_PER_BATCH: usize = 9;
/// What an invocation of the test may take, in milliseconds.
const INVOCATION_MS: u64 = 120_000;
/// Numbers that a file may lie with: lengths, counts, offsets.
const LIES: &[&str] = &["0", "-1", "4294967295", "99999999999999999999", "1e308"];

/// A stretch of some bytes, at most a quarter of them.
fn stretch_of(length: usize, dice: &mut Dice) -> std::ops::Range<usize> {
    let start = below(length, dice);
    start..(start + 1 + below(length / 4, dice)).min(length)
}

/// A number under `most`; 0 where there is none.
fn below(most: usize, dice: &mut Dice) -> usize {
    dice.place(most.max(1))
}

/// Damages a document in one way.
fn damaged(bytes: &[u8], other: &[u8], dice: &mut Dice) -> (&'static str, Vec<u8>) {
    let mut copy = bytes.to_vec();
    let stretch = stretch_of(copy.len(), dice);
    let way = match below(8, dice) {
        0 => {
            for _ in 0..=below(20, dice) {
                let at = below(copy.len(), dice);
                copy[at] ^= 1 << below(8, dice);
            }
            "bits flipped"
        }
        1 => {
            copy.truncate(stretch.start);
            "cut off"
        }
        2 => {
            copy.drain(stretch);
            "a stretch missing"
        }
        3 => {
            let twice = copy[stretch.clone()].to_vec();
            copy.splice(stretch.end..stretch.end, twice);
            "a stretch twice"
        }
        4 => {
            copy[stretch].fill(0);
            "a stretch of zeros"
        }
        5 => {
            let foreign = stretch_of(other.len(), dice);
            copy.splice(stretch, other[foreign].iter().copied());
            "a stretch of another file"
        }
        6 => {
            let mut head = other[..below(other.len().min(64), dice)].to_vec();
            head.extend(&copy);
            copy = head;
            "the beginning of another file before it"
        }
        _ => {
            let digits: Vec<usize> = (0..copy.len()).filter(|at| copy[*at].is_ascii_digit()).collect();
            if !digits.is_empty() {
                let start = digits[below(digits.len(), dice)];
                let end = (start..copy.len()).find(|at| !copy[*at].is_ascii_digit()).unwrap_or(copy.len());
                copy.splice(start..end, LIES[below(LIES.len(), dice)].bytes());
            }
            "a number that lies"
        }
    };
    (way, copy)
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, files) } else { files.push(path) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_copies_of_the_samples_cost_nobody_but_themselves() {
    let seed = 0x5eed_0001;
    println!("seed {seed:#x}");
    let mut dice = Dice::at(seed);
    let mut paths = Vec::new();
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"), &mut paths);
    paths.sort();
    let samples: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let mate = String::from_utf8(sample("harbor-point-suite-210.txt")).unwrap();

    let embedded = Embedded::memory().await.unwrap();
    let (objects, queue) = (embedded.objects(), embedded.queue(QueueSettings::default()).unwrap());
    objects.create_bucket("leases-in", Versioning::On).await.unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_ingest"));
    let parts = Parts {
        ledger: DynamoLedger::new(embedded.dynamodb().clone(), embedded.tables().clone(), None),
        objects: objects.clone(),
        extractor: LeaseReader::new(Isolation::new(program, Limits::default()), Recogniser::None),
        queue: queue.clone(),
        clock: SystemClock,
    };
    let settings = IngestSettings { attempt_limit: 1, ..IngestSettings::for_buckets(&["leases-in"]) };
    let pipeline = Arc::new(Pipeline::new(parts, settings));

    let (mut outcomes, mut ways, mut longest) = (BTreeMap::new(), BTreeMap::new(), Duration::ZERO);
    for batch in 0..COPIES.div_ceil(COPIES_PER_BATCH) {
        let sound = format!("{mate}\nCopy {batch} of the parties.\n");
        let mut documents = vec![(format!("{batch}/mate"), sound.into_bytes())];
        for copy in (batch * COPIES_PER_BATCH..COPIES).take(COPIES_PER_BATCH) {
            let other = &samples[below(samples.len(), &mut dice)];
            let (way, bytes) = damaged(&samples[copy % samples.len()], other, &mut dice);
            *ways.entry(way).or_insert(0) += 1;
            documents.push((format!("{batch}/{copy}"), bytes));
        }
        for (key, bytes) in documents {
            let put = objects.put("leases-in", &key, bytes, BTreeMap::new()).await.unwrap();
            queue.send(notification(&put));
        }
        let received = queue.receive(COPIES_PER_BATCH + 1).unwrap();
        let begun = Instant::now();
        let deadline = SystemClock.now().plus_ms(INVOCATION_MS);
        let answer = handle(&pipeline, &lambda_event(&received), deadline).await.unwrap();
        longest = longest.max(begun.elapsed());
        assert!(answer.response.batch_item_failures.is_empty(), "batch {batch}: {:?}", metrics(&answer));
        let told = metrics(&answer);
        assert_eq!(told[0], "Committed", "the mate of batch {batch}");
        for outcome in &told[1..] {
            *outcomes.entry(*outcome).or_insert(0) += 1;
        }
        for receipt in received {
            queue.delete(&receipt.receipt_handle);
        }
    }
    println!("{outcomes:?}\n{ways:?}\nthe longest batch took {} ms", longest.as_millis());
    assert_eq!(outcomes.values().sum::<usize>(), COPIES);
    let settled = ["Committed", "DuplicateContent", "Review", "Rejected", "DeadLettered"];
    assert!(outcomes.keys().all(|outcome| settled.contains(outcome)), "{outcomes:?}");
    assert_eq!(ways.len(), 8, "every kind of damage was done: {ways:?}");
}
