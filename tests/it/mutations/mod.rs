//! Damaged copies of the samples, and documents that are built to do harm: whatever one of them does to its reader, its
//! batch-mates commit, it ends itself, and nothing is posted that it does not say.
//!
//! An input is its number: the even ones are copies, each way of damage on each sample in turn, the odd ones are
//! harmful documents, each kind in turn and each time of another size. All are read by real child processes under the
//! real limits, through the real handler over the embedded engine.
//!
//! A copy that commits is held to the sample's labels, see [`labels`].

#![allow(clippy::disallowed_methods, reason = "how long a reader takes is told by the real clock")]

pub mod bombs;
mod damage;
mod labels;
mod peak;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lease_ingest::aws::item;
use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::commit::CommitRow;
use lease_ingest::config::IngestSettings;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::Versioning;
use lease_ingest::embedded::queue::{QueueSettings, lambda_event, notification};
use lease_ingest::eval::{LabelledDocument, Labels};
use lease_ingest::extract::reader::LeaseReader;
use lease_ingest::handler::handle;
use lease_ingest::identity::ContentHash;
use lease_ingest::isolation::{Isolation, Limits};
use lease_ingest::lease::LeaseAbstraction;
use lease_ingest::ocr::Recogniser;
use lease_ingest::pipeline::{Parts, Pipeline};
use lease_ingest::ports::clock::{Clock, SystemClock};

use crate::support::dice::Dice;
use crate::support::{files_below, metrics, numbers_to_try, sample};
use bombs::Bomb;
use damage::WAYS;
use labels::other_values;
use peak::Peak;

/// Which inputs: one number, or `0..2000`. Without it, [`INPUTS`] of them.
const WHICH: &str = "LEASE_INGEST_TEST_INPUTS";
/// Inputs of a plain test run: each way of damage on each sample, and each kind of bomb.
const INPUTS: u64 = 360;
/// Where the dice of all inputs begin.
const SEED: u64 = 0x5eed_0001;
/// Inputs in a batch; one sound lease goes with them.
const INPUTS_PER_BATCH: usize = 9;
/// What an invocation of the test may take, in milliseconds.
const INVOCATION_MS: u64 = 120_000;
/// How damage ends. A reader that dies costs the record its attempt, of which the test grants one.
const SETTLED: &[&str] = &["Committed", "DuplicateContent", "Review", "Rejected", "DeadLettered"];
/// What a dead letter of this test says.
const LOST: &[&str] = &["reader_crashed", "reader_out_of_time", "reader_answer_too_large"];

/// A document of the repository.
struct Sample {
    path: PathBuf,
    bytes: Vec<u8>,
    labels: Option<LabelledDocument>,
}

impl Sample {
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
        let labels = Labels::parse(&String::from_utf8(sample("labels.json")).unwrap()).unwrap().documents;
        // One sample is another under another name.
        let of = |path: PathBuf| {
            let bytes = std::fs::read(&path).unwrap();
            let labels = labels.iter().find(|document| sample(&document.file) == bytes).cloned();
            Self { bytes, labels, path }
        };
        files_below(&folder).into_iter().map(of).collect()
    }

    fn extension(&self) -> String {
        self.path.extension().unwrap().to_string_lossy().into_owned()
    }
}

/// One input.
struct Input {
    number: u64,
    kind: &'static str,
    bytes: Vec<u8>,
    /// The sample that it is a copy of, by its place.
    of: Option<usize>,
    ends: &'static [&'static str],
    extension: String,
}

impl Input {
    fn of_number(number: u64, samples: &[Sample], bombs: &[Bomb]) -> Self {
        let mut dice = Dice::new(SEED.wrapping_add(number));
        let extension = samples[dice.place(samples.len())].extension();
        let turn = usize::try_from(number / 2).unwrap();
        if number % 2 == 1 {
            let bomb = bombs[turn % bombs.len()];
            let bytes = (bomb.make)(&mut dice);
            return Self { number, kind: bomb.name, bytes, of: None, ends: bomb.ends, extension };
        }
        let (kind, way) = WAYS[turn % WAYS.len()];
        let of = turn / WAYS.len() % samples.len();
        let mut bytes = samples[of].bytes.clone();
        way(&mut bytes, &samples[dice.place(samples.len())].bytes, &mut dice);
        Self { number, kind, bytes, of: Some(of), ends: SETTLED, extension }
    }
}

/// What was seen of all inputs.
#[derive(Default)]
struct Seen {
    outcomes: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    copies: HashMap<ContentHash, (u64, &'static str, usize)>,
    wrong: Vec<String>,
    slowest: (u64, &'static str, u64),
    longest_batch: Duration,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_and_harmful_inputs_cost_nobody_but_themselves() {
    let numbers = numbers_to_try(WHICH, INPUTS);
    println!("seed {SEED:#x}, inputs {numbers:?}");
    let (samples, bombs) = (Sample::all(), bombs::all());
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
    let peak = Peak::watch();
    let mut seen = Seen::default();
    let begun = Instant::now();

    let all: Vec<u64> = numbers.clone().collect();
    for batch in all.chunks(INPUTS_PER_BATCH) {
        let first = batch[0];
        let sound = format!("{mate}\nCopy {first} of the parties.\n");
        let mut documents = vec![(format!("{first}/mate"), sound.into_bytes())];
        let inputs: Vec<Input> =
            batch.iter().map(|number| Input::of_number(*number, &samples, &bombs)).collect();
        for input in &inputs {
            documents.push((format!("{}.{}", input.number, input.extension), input.bytes.clone()));
        }
        for (key, bytes) in documents {
            let put = objects.put("leases-in", &key, bytes, BTreeMap::new()).await.unwrap();
            queue.send(notification(&put));
        }
        let received = queue.receive(INPUTS_PER_BATCH + 1).unwrap();
        let handled = Instant::now();
        let deadline = SystemClock.now().plus_ms(INVOCATION_MS);
        let answer = handle(&pipeline, &lambda_event(&received), deadline).await.unwrap();
        seen.longest_batch = seen.longest_batch.max(handled.elapsed());
        let told = metrics(&answer);
        assert!(answer.response.batch_item_failures.is_empty(), "the batch of {first}: {told:?}");
        assert_eq!(told.len(), inputs.len() + 1, "the batch of {first}");
        assert_eq!(told[0], "Committed", "the mate of {first}");
        let reports = answer.messages.iter().flat_map(|message| &message.records).skip(1);
        for ((input, outcome), report) in inputs.iter().zip(&told[1..]).zip(reports) {
            let Input { number, kind, .. } = *input;
            *seen.outcomes.entry(kind).or_default().entry(outcome).or_default() += 1;
            if !input.ends.contains(outcome) {
                seen.wrong.push(format!("{number}, {kind}: {outcome}"));
            }
            let took_ms = report.extract_ms.unwrap_or_default();
            if took_ms >= seen.slowest.0 {
                seen.slowest = (took_ms, kind, number);
            }
            if let Some(of) = input.of {
                seen.copies.entry(ContentHash::of(&input.bytes)).or_insert((number, kind, of));
            }
        }
        for receipt in received {
            queue.delete(&receipt.receipt_handle);
        }
    }
    let elapsed = begun.elapsed();

    let (mut committed, mut rightly_changed) = (0, 0);
    let mut rows =
        embedded.dynamodb().scan().table_name(&embedded.tables().commits).into_paginator().items().send();
    while let Some(row) = rows.next().await {
        let row: CommitRow<LeaseAbstraction> = item::read_commit(&row.unwrap()).unwrap();
        if let Some((number, kind, of)) = seen.copies.get(&row.content_hash).copied() {
            committed += 1;
            let copy = Input::of_number(number, &samples, &bombs);
            for (excused, told) in other_values(&samples[of], kind, &copy.bytes, row.document) {
                println!(
                    "{number}, {kind}, {}: {told}, said by the copy: {excused}",
                    samples[of].path.display()
                );
                if excused {
                    rightly_changed += 1;
                } else {
                    seen.wrong.push(format!("{number}, {kind}: {told}"));
                }
            }
        }
    }
    let letters = queue.dead_letters().unwrap();
    let mut lost = BTreeMap::new();
    for letter in &letters {
        *lost.entry(letter.attributes["LeaseIngestErrorKind"].clone()).or_insert(0) += 1;
    }

    let mut sums = BTreeMap::new();
    for (kind, outcomes) in &seen.outcomes {
        println!("{kind}: {outcomes:?}");
        for (outcome, count) in outcomes {
            *sums.entry(*outcome).or_insert(0) += count;
        }
    }
    let (slowest_ms, slowest, number) = seen.slowest;
    println!("{} inputs of {} kinds: {sums:?}; readers lost: {lost:?}", all.len(), seen.outcomes.len());
    println!(
        "{committed} contents committed by copies; {rightly_changed} of their values changed by the damage itself"
    );
    println!(
        "the slowest: {slowest} (input {number}), {slowest_ms} ms; the longest batch: {} ms; all: {} s",
        seen.longest_batch.as_millis(),
        elapsed.as_secs()
    );
    println!("the largest reader took {} MiB", peak.resident_bytes() >> 20);

    assert_eq!(seen.wrong, [""; 0]);
    assert!(lost.keys().all(|kind| LOST.contains(&kind.as_str())), "{lost:?}");
    assert!(peak.resident_bytes() <= Limits::default().memory_max_bytes);
    assert_eq!(sums.values().sum::<usize>(), all.len());
    if numbers.end - numbers.start >= INPUTS {
        assert_eq!(seen.outcomes.len(), WAYS.len() + bombs.len(), "every kind was tried");
        assert!(committed > 0, "some damage leaves a lease readable");
    }
}
