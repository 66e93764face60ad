//! Reading in a child process: the same answers, and whatever happens to the child costs its own record only.

#![allow(clippy::disallowed_methods, reason = "limits on a child's time are held against the real clock")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::config::IngestSettings;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::{FolderObjects, Versioning};
use lease_ingest::embedded::queue::{MemoryQueue, QueueSettings, lambda_event, notification};
use lease_ingest::extract::LeaseExtractor;
use lease_ingest::extract::reader::{LeaseReader, LeaseWork, ReadAnswer, ReadTask};
use lease_ingest::handler::handle;
use lease_ingest::isolation::{Isolation, Limits, Lost};
use lease_ingest::lease::LeaseAbstraction;
use lease_ingest::ocr::Recogniser;
use lease_ingest::ocr::tesseract::Tesseract;
use lease_ingest::pipeline::{Parts, Pipeline};
use lease_ingest::ports::clock::{Clock, SystemClock};
use lease_ingest::ports::extractor::{ExtractRequest, Extraction, Extractor};

use rustix::process::{Pid, Signal, kill_process};

use crate::mutations::bombs::pdf::inflating;
use crate::support::{metrics, sample, scan};

/// More than the three children of a scan may take by the clock together, in milliseconds.
const HOSTILE_MAX_MS: u64 = 120_000;

/// How long before its deadline an invocation answers in these tests, in milliseconds.
const RESPONSE_MARGIN_MS: u64 = 1_000;
/// How long is waited for what another process does, and the pause between two looks, in milliseconds.
const HAPPENS_MAX_MS: u64 = 10_000;
const LOOK_PAUSE_MS: u64 = 20;

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ingest"))
}

fn task() -> ReadTask {
    ReadTask::Document { filed_under: Some("P-1".into()) }
}

async fn read(program: PathBuf, limits: Limits, bytes: &[u8]) -> Result<ReadAnswer, Lost> {
    let isolation: Isolation<LeaseWork> = Isolation::new(program, limits);
    isolation.run(&task(), bytes).await.map(|(answer, _)| answer)
}

/// A script in a folder, as a program.
fn script(folder: &Path, text: &str) -> PathBuf {
    let program = folder.join("program");
    fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

type EmbeddedParts =
    Parts<DynamoLedger<LeaseAbstraction>, FolderObjects, LeaseReader<Recogniser>, MemoryQueue, SystemClock>;

fn pipeline_of(
    embedded: &Embedded,
    queue: &MemoryQueue,
    isolation: Isolation<LeaseWork>,
    settings: IngestSettings,
) -> Arc<Pipeline<EmbeddedParts>> {
    let parts = Parts {
        ledger: DynamoLedger::new(embedded.dynamodb().clone(), embedded.tables().clone(), None),
        objects: embedded.objects(),
        extractor: LeaseReader::new(isolation, Recogniser::None),
        queue: queue.clone(),
        clock: SystemClock,
    };
    Arc::new(Pipeline::new(parts, settings))
}

/// Waits for what happens elsewhere.
async fn until(happened: impl Fn() -> bool) {
    for _ in 0..HAPPENS_MAX_MS / LOOK_PAUSE_MS {
        if happened() {
            return;
        }
        SystemClock.sleep_ms(LOOK_PAUSE_MS).await;
    }
    panic!("it has not happened in {HAPPENS_MAX_MS} ms");
}

/// Whether nothing is left of a process, not even its status.
fn is_collected(pid: &str) -> bool {
    !Path::new("/proc").join(pid).exists()
}

/// Whether a process runs no more.
fn has_ended(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

#[tokio::test]
async fn a_child_reads_as_this_process_reads() {
    // From the second document on its worker is prepared.
    let isolation: Isolation<LeaseWork> = Isolation::new(program(), Limits::default());
    for name in [
        "juniper-court-unit-5.html",
        "linden-hall-floor-3.json",
        "harbor-point-suite-210.txt",
        "juniper-court-unit-5.html",
        "ironbridge-building-7.pdf",
        "damaged-scan.pdf",
    ] {
        let bytes = sample(name);
        let isolated = match isolation.run(&task(), &bytes).await.unwrap().0 {
            ReadAnswer::Done(answer) | ReadAnswer::NeedsRecognition { without: answer, .. } => *answer,
            ReadAnswer::Pictures(pages) => panic!("{name}: nobody asked for pictures: {pages:?}"),
        };
        assert_eq!(isolated, LeaseExtractor::default().read(&bytes, Some("P-1")), "{name}");
    }
}

#[tokio::test]
async fn a_child_that_exceeds_a_limit_is_lost_under_its_name() {
    let limits = Limits::default();
    let sample = sample("ironbridge-building-7.pdf");
    let missing = PathBuf::from("/no/such/program");
    // Name, program, limits, document, what is lost.
    let table = [
        (
            "memory",
            program(),
            Limits { memory_max_bytes: 24 << 20, ..limits },
            inflating(1 << 26),
            Lost::Crashed,
        ),
        (
            "time by the clock",
            program(),
            Limits { wall_max_ms: 1, ..limits },
            sample.clone(),
            Lost::OutOfTime,
        ),
        (
            "answer",
            program(),
            Limits { answer_max_bytes: 64, ..limits },
            sample.clone(),
            Lost::AnswerTooLarge,
        ),
        // More than a kernel gives anybody.
        (
            "limits that cannot be set",
            program(),
            Limits { open_files_max: 1 << 40, ..limits },
            sample.clone(),
            Lost::NotStarted,
        ),
        ("no program", missing, limits, sample.clone(), Lost::NotStarted),
        ("no worker", PathBuf::from("/bin/true"), limits, sample.clone(), Lost::Crashed),
        ("not its argument", PathBuf::from("/bin/false"), limits, sample, Lost::Crashed),
    ];
    for (name, program, limits, bytes, expected) in table {
        let begun = Instant::now();
        assert_eq!(read(program, limits, &bytes).await, Err(expected), "{name}");
        assert!(begun.elapsed() < Duration::from_secs(15), "{name}");
    }
}

#[tokio::test]
async fn a_child_that_says_too_much_before_it_has_listened_is_ended_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let babbler = script(folder.path(), "while :; do echo too much; done");
    let limits = Limits { answer_max_bytes: 4096, ..Limits::default() };
    // More than a pipe holds, so that whoever writes it waits.
    assert_eq!(read(babbler, limits, &vec![b' '; 1 << 22]).await, Err(Lost::AnswerTooLarge));
}

/// What a reader's expressions cost is paid once for a worker, and a worker serves until its reader fails.
#[tokio::test]
async fn one_worker_serves_document_after_document_until_a_reader_fails() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let counted = script(
        folder.path(),
        &format!("echo $$ >> {}; exec {} \"$@\"", started.display(), program().display()),
    );
    let isolation: Isolation<LeaseWork> = Isolation::new(counted, Limits::default());
    let lease = sample("harbor-point-suite-210.txt");
    let enough = Limits::default().memory_max_bytes;
    // Memory, document, what becomes of it, how many workers were started by then.
    let table = [
        (enough, lease.clone(), Ok(()), 1),
        (enough, lease.clone(), Ok(()), 1),
        (2 * enough, sample("linden-hall-floor-3.json"), Ok(()), 1),
        (1 << 20, inflating(1 << 26), Err(Lost::Crashed), 1),
        (enough, lease.clone(), Ok(()), 2),
        (enough, lease, Ok(()), 2),
    ];
    for (memory_max_bytes, bytes, expected, workers) in table {
        let limits = Limits { memory_max_bytes, ..Limits::default() };
        let read = isolation.clone().with_limits(limits).run(&task(), &bytes).await;
        assert_eq!(read.map(|_| ()), expected);
        assert_eq!(fs::read_to_string(&started).unwrap().lines().count(), workers);
    }
    // One that dies while it waits costs no document anything.
    let idle = fs::read_to_string(&started).unwrap().lines().last().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(idle).unwrap(), Signal::KILL).unwrap();
    until(|| has_ended(&idle.to_string())).await;
    assert!(isolation.run(&task(), &sample("linden-hall-floor-3.json")).await.is_ok());
    // Nothing is left behind by whoever has no more to ask.
    let workers = fs::read_to_string(&started).unwrap();
    assert_eq!(workers.lines().count(), 3);
    drop(isolation);
    until(|| workers.lines().all(is_collected)).await;
}

/// The record is answered for in time, as one that is tried again; its reader ends with the invocation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_still_reads_at_the_deadline_is_ended_and_its_record_returned() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let sleeper = script(folder.path(), &format!("echo $$ >> {}; exec sleep 600", started.display()));
    let embedded = Embedded::memory().await.unwrap();
    let (objects, queue) = (embedded.objects(), embedded.queue(QueueSettings::default()).unwrap());
    objects.create_bucket("leases-in", Versioning::On).await.unwrap();
    let settings = IngestSettings {
        start_margin_ms: RESPONSE_MARGIN_MS,
        response_margin_ms: RESPONSE_MARGIN_MS,
        ..IngestSettings::for_buckets(&["leases-in"])
    };
    let pipeline = pipeline_of(&embedded, &queue, Isolation::new(sleeper, Limits::default()), settings);
    let put =
        objects.put("leases-in", "a.txt", sample("harbor-point-suite-210.txt"), Default::default()).await;
    queue.send(notification(&put.unwrap()));
    let received = queue.receive(10).unwrap();
    let deadline = SystemClock.now().plus_ms(5_000);
    let answer = handle(&pipeline, &lambda_event(&received), deadline).await.unwrap();
    assert!(SystemClock.now() < deadline);
    assert_eq!((metrics(&answer), answer.response.batch_item_failures.len()), (vec!["Transient"], 1));
    let reader = fs::read_to_string(&started).unwrap();
    until(|| is_collected(reader.trim())).await;
    assert_eq!(scan(embedded.dynamodb(), &embedded.tables().commits).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_document_costs_its_own_record_and_its_batch_mates_commit() {
    let embedded = Embedded::memory().await.unwrap();
    let (objects, queue) = (embedded.objects(), embedded.queue(QueueSettings::default()).unwrap());
    objects.create_bucket("leases-in", Versioning::On).await.unwrap();
    let isolation = Isolation::new(program(), Limits { memory_max_bytes: 256 << 20, ..Limits::default() });
    let settings = IngestSettings { attempt_limit: 1, ..IngestSettings::for_buckets(&["leases-in"]) };
    let pipeline = pipeline_of(&embedded, &queue, isolation, settings);
    let documents = [
        ("a.txt", sample("harbor-point-suite-210.txt"), "Committed"),
        ("bomb.pdf", inflating(1 << 28), "DeadLettered"),
        ("b.html", sample("juniper-court-unit-5.html"), "Committed"),
    ];
    for (key, bytes, _) in &documents {
        let put = objects.put("leases-in", key, bytes.clone(), Default::default()).await.unwrap();
        queue.send(notification(&put));
    }
    let received = queue.receive(10).unwrap();
    let deadline = SystemClock.now().plus_ms(60_000);
    let answer = handle(&pipeline, &lambda_event(&received), deadline).await.unwrap();
    assert_eq!(metrics(&answer), documents.map(|(_, _, expected)| expected));
    assert!(answer.response.batch_item_failures.is_empty());
    let letters = queue.dead_letters().unwrap();
    assert_eq!(letters[0].attributes["LeaseIngestErrorKind"], "reader_crashed");
}

/// Hostile files that lie beside the repository, when they are there: each ends in a reason, pictures and their
/// recognition included.
#[tokio::test]
async fn hostile_files_end_in_a_reason_within_the_limits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/adversarial-pdf");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("{} is absent: only own hostile documents are read", folder.display());
        return;
    };
    let reader = LeaseReader::new(Isolation::new(program(), Limits::default()), Tesseract::find().await);
    for entry in entries {
        let path = entry.unwrap().path();
        let begun = Instant::now();
        let bytes = fs::read(&path).unwrap();
        let told = match reader.extract(ExtractRequest::of_bytes(bytes.into(), Some("P-1".into()))).await {
            Extraction::Incomplete(incomplete) => incomplete.reason.code,
            Extraction::Unusable(reason) | Extraction::Failed(reason) => reason.code,
            Extraction::Complete(_) => "complete".to_owned(),
            Extraction::Waiting { .. } | Extraction::NotBegun => "waiting".to_owned(),
        };
        let took = begun.elapsed();
        println!("{}: {told}, {} ms", path.file_name().unwrap().to_string_lossy(), took.as_millis());
        assert!(told != "complete" && told != "waiting", "{}: {told}", path.display());
        assert!(took < Duration::from_millis(HOSTILE_MAX_MS), "{}", path.display());
    }
}
