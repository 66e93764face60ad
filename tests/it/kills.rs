//! The real binary, killed at every point where it speaks to somebody, started again and given its message again
//! until it acknowledges it. Then the books are as if nothing had happened, and one more delivery changes nothing.

use futures_util::{FutureExt, StreamExt};
use lease_ingest::ports::clock::{Clock, SystemClock};
use rustix::process::{Pid, Signal, kill_process};

use crate::rig::place::{Books, Document, Place};
use crate::rig::proxy::{Deed, Planned, When};
use crate::rig::runtime::RuntimeKill;
use crate::rig::{Setup, Told, Worker};
use crate::support::ministack::Ministack;

/// Points that are played at once on a machine that other tests share.
const POINTS_AT_ONCE: usize = 8;
/// What an invocation that is to be killed is given, in milliseconds; it is what the dead one's lease costs.
const ALLOWED_MS: u64 = 2_000;
/// What later ones are given at most, in milliseconds.
const ALLOWED_MAX_MS: u64 = 16_000;
/// Deliveries after which a message must have been acknowledged.
const DELIVERIES_MAX: u32 = 200;
/// Pause between two deliveries, in milliseconds.
const PAUSE_MS: u64 = 200;
/// Pause between two looks whether a child runs, in milliseconds.
const LOOK_PAUSE_MS: u64 = 2;
/// How long a reader whose parent is gone may live on, in milliseconds.
const ORPHAN_MAX_MS: u64 = 20_000;

/// What the document is, and what becomes of it in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scenario {
    /// A lease that nobody has posted.
    New,
    /// The bytes of a lease that is posted, under another name.
    SameBytes,
    /// A lease that cannot be fetched at first.
    DeniedAtFirst,
    /// A lease that can never be fetched, with one attempt.
    Denied,
    /// A lease that a person must look at.
    Review,
    /// Bytes that are no document.
    Unusable,
    /// The removal of a lease that is posted.
    Removal,
}

/// When a process is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kill {
    /// At the first request of this kind.
    At(&'static str, When),
    /// At the Runtime API.
    Runtime(RuntimeKill),
    /// While its child reads.
    WhileReading,
    /// The child itself, while it reads.
    Reader,
}

use Kill::{At, Reader, Runtime, WhileReading};
use Scenario::{Denied, DeniedAtFirst, New, Removal, Review, SameBytes, Unusable};
use When::{After, Before, Midway};

/// Each point: its name, the document, and the kills of successive processes.
const POINTS: &[(&str, Scenario, &[Kill])] = &[
    ("while it starts", New, &[At("warm", Before)]),
    ("when the invocation was given", New, &[Runtime(RuntimeKill::Given)]),
    ("before the claim is put", New, &[At("put claim", Before)]),
    ("when the claim is put", New, &[At("put claim", After)]),
    ("within the reply to the claim", New, &[At("put claim", Midway)]),
    ("before the object is asked for", New, &[At("get object", Before)]),
    ("before the object's first byte", New, &[At("get object", After)]),
    ("within the object's bytes", New, &[At("get object", Midway)]),
    ("before known content is asked for", New, &[At("known content", Before)]),
    ("when known content is answered", New, &[At("known content", After)]),
    ("while the child reads", New, &[WhileReading]),
    ("the child that reads", New, &[Reader]),
    ("before the transaction", New, &[At("commit", Before)]),
    ("when the transaction is done", New, &[At("commit", After)]),
    ("within the reply to the transaction", New, &[At("commit", Midway)]),
    ("before the transaction, twice", New, &[At("commit", Before), At("commit", Before)]),
    ("when the response is lost", New, &[Runtime(RuntimeKill::ResponseLost)]),
    ("when the response is taken", New, &[Runtime(RuntimeKill::ResponseTaken)]),
    ("before a take-over", New, &[At("get object", Before), At("take over", Before)]),
    ("when a take-over is done", New, &[At("get object", Before), At("take over", After)]),
    ("within the reply to a take-over", New, &[At("put claim", After), At("take over", Midway)]),
    ("before a release", DeniedAtFirst, &[At("release", Before)]),
    ("when a release is done", DeniedAtFirst, &[At("release", After)]),
    ("before a message is hidden", DeniedAtFirst, &[At("change visibility", Before)]),
    ("when a message is hidden", DeniedAtFirst, &[At("change visibility", After)]),
    ("before a dead letter", Denied, &[At("dead letter", Before)]),
    ("when a dead letter is sent", Denied, &[At("dead letter", After)]),
    ("before a dead-lettered claim is marked", Denied, &[At("finish", Before)]),
    ("when a dead-lettered claim is marked", Denied, &[At("finish", After)]),
    (
        "before an abandoned claim is dead-lettered",
        Denied,
        &[At("get object", Before), At("dead letter", Before)],
    ),
    ("when an abandoned claim is dead-lettered", Denied, &[At("put claim", After), At("finish", After)]),
    ("before a review", Review, &[At("finish", Before)]),
    ("when a review is asked", Review, &[At("finish", After)]),
    ("before a rejection", Unusable, &[At("finish", Before)]),
    ("when a rejection is written", Unusable, &[At("finish", After)]),
    ("before a copy is marked", SameBytes, &[At("commit known", Before)]),
    ("when a copy is marked", SameBytes, &[At("commit known", After)]),
    ("before the store is asked of a removal", Removal, &[At("head object", Before)]),
    ("when the store has answered of a removal", Removal, &[At("head object", After)]),
    ("before a removal is written", Removal, &[At("write pointer", Before)]),
    ("when a removal is written", Removal, &[At("write pointer", After)]),
];

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

/// A sample with a line that makes its bytes its own.
pub fn own_copy(name: &str, of: &str) -> Vec<u8> {
    let mut bytes = sample(name);
    bytes.extend(format!("\nReference: {of}\n").bytes());
    bytes
}

impl Scenario {
    fn bytes(self, of: &str) -> Vec<u8> {
        match self {
            Review => own_copy("quarry-road-clinic.txt", of),
            Unusable => own_copy("damaged-scan.pdf", of),
            _ => own_copy("harbor-point-suite-210.txt", of),
        }
    }

    fn setup(self) -> Setup {
        let attempts = |limit: &str| vec![("LEASE_INGEST_ATTEMPT_LIMIT", limit.to_owned())];
        let denied = Deed::Answer(403, "AccessDenied");
        let planned = match self {
            DeniedAtFirst => vec![Planned::first("get object", Before, denied)],
            Denied => vec![Planned::every("get object", Before, denied)],
            _ => Vec::new(),
        };
        let settings = if self == Denied { attempts("1") } else { Vec::new() };
        Setup { settings, planned, ..Setup::default() }
    }

    /// What is wrong with the books in the end.
    fn faults(self, document: &Document, books: &Books, letters: &[String]) -> Vec<String> {
        let status = match self {
            New | DeniedAtFirst | Removal => "committed",
            SameBytes => "duplicate_content",
            Denied => "dead_lettered",
            Review => "review",
            Unusable => "rejected",
        };
        let posted = matches!(self, New | DeniedAtFirst | SameBytes | Removal);
        let operation = match self {
            Denied => "dead_lettered",
            Review => "review_asked",
            _ => "posted",
        };
        let mut faults = Vec::new();
        let mut check = |what: &str, holds: bool| {
            if !holds {
                faults.push(what.to_owned());
            }
        };
        check("one claim", books.claims.len() == 1);
        check("it has ended as it should", books.claims.iter().all(|claim| claim["status"] == status));
        check("no lease is left", books.claims.iter().all(|claim| !claim.contains_key("lease_expires_at")));
        check("one commit, if any", books.commits.len() == usize::from(posted));
        check("one pointer, if any", books.documents.len() == usize::from(posted));
        let state = if self == Removal { "removed" } else { "active" };
        check("the pointer's state", books.documents.iter().all(|pointer| pointer["state"] == state));
        let names = |pointer: &std::collections::BTreeMap<String, String>| {
            pointer["content_hash"] == document.content.to_string()
                && pointer["version_id"] == document.version.version_id.as_str()
        };
        check("the pointer names the version", books.documents.iter().all(names));
        let mut told: Vec<_> = books
            .effects
            .iter()
            .map(|effect| (effect["operation"].as_str(), effect["receiver"].as_str()))
            .collect();
        told.sort_unstable();
        let expected = [(operation, "desk"), (operation, "events")];
        check("one intent a receiver", told == if self == Unusable { &[][..] } else { &expected[..] });
        check("a dead letter, if any", letters.is_empty() == (self != Denied));
        faults
    }
}

/// Plays one point; answers how many deliveries it took.
async fn play(place: &Place, number: usize) -> Result<u32, String> {
    let (name, scenario, kills) = POINTS[number];
    let bytes = scenario.bytes(name);
    let undisturbed = scenario.setup().undisturbed();
    let mut document = place.put(&format!("kill {number}/lease.txt"), bytes.clone()).await;
    if matches!(scenario, Removal | SameBytes) {
        deliver(&mut Worker::start(place, &undisturbed).await, &document).await?;
    }
    if scenario == Removal {
        document = place.remove(&document).await;
    } else if scenario == SameBytes {
        document = place.put(&format!("kill {number}/copy.txt"), bytes).await;
    }

    let mut deliveries = 0;
    let mut acknowledged = false;
    for kill in kills {
        let mut setup = scenario.setup();
        match kill {
            // Before what else happens to such a request.
            At(operation, when) => setup.planned.insert(0, Planned::first(operation, *when, Deed::Kill)),
            Runtime(at) => setup.runtime_kill = Some(*at),
            WhileReading | Reader => {}
        }
        let mut worker = Worker::start(place, &setup).await;
        loop {
            deliveries += 1;
            if deliveries > DELIVERIES_MAX {
                return Err(format!("{kill:?} is never reached: {:#?}", worker.lines()));
            }
            // A machine under load may need longer to come to the point.
            let allowed_ms = ALLOWED_MAX_MS.min(ALLOWED_MS * u64::from(1 + deliveries / 16));
            worker.give(&document, allowed_ms);
            let reading = matches!(kill, WhileReading | Reader);
            let told = if reading {
                let (told, killed) = kill_reading(&mut worker, *kill, allowed_ms).await?;
                if killed && *kill == Reader {
                    break;
                }
                told
            } else {
                worker.hear(allowed_ms).await
            };
            match told {
                Told::Died => break,
                Told::Answered { returned: false, .. } if *kill == Runtime(RuntimeKill::ResponseTaken) => {
                    acknowledged = true;
                    break;
                }
                Told::Answered { returned: true, .. } => SystemClock.sleep_ms(PAUSE_MS).await,
                other => return Err(format!("{kill:?} is not reached, {other:?}: {:#?}", worker.lines())),
            }
        }
        let reached = match kill {
            At(..) => worker.proxy.happened() > 0,
            Runtime(_) => worker.was_killed_as_planned(),
            WhileReading | Reader => true,
        };
        if !reached {
            return Err(format!("it died before {kill:?}: {:#?}", worker.lines()));
        }
    }

    let mut worker = Worker::start(place, &undisturbed).await;
    if !acknowledged {
        deliveries += deliver(&mut worker, &document).await?;
    }
    let books = place.books(&document).await;
    let letters = place.letters(&document).await;
    let faults = scenario.faults(&document, &books, &letters);
    if !faults.is_empty() {
        return Err(format!("{faults:?} in {books:#?} with {letters:?}"));
    }
    deliver(&mut worker, &document).await?;
    if place.books(&document).await != books || place.letters(&document).await != letters {
        return Err("one more delivery changes the books".into());
    }
    Ok(deliveries)
}

/// Delivers until the message is acknowledged.
async fn deliver(worker: &mut Worker, document: &Document) -> Result<u32, String> {
    for delivery in 1..=DELIVERIES_MAX {
        match worker.invoke(document, ALLOWED_MAX_MS).await {
            Told::Answered { returned: false, .. } => return Ok(delivery),
            Told::Answered { returned: true, .. } => SystemClock.sleep_ms(PAUSE_MS).await,
            other => return Err(format!("{other:?}: {:#?}", worker.lines())),
        }
    }
    Err(format!("it is never acknowledged: {:#?}", worker.lines()))
}

/// Kills the worker, or its child, as soon as a child reads. Answers what the worker told, and whether that happened.
async fn kill_reading(worker: &mut Worker, kill: Kill, allowed_ms: u64) -> Result<(Told, bool), String> {
    let child = loop {
        if let Some(child) = worker.children().first() {
            break *child;
        }
        if let Some(told) = worker.hear(allowed_ms).now_or_never() {
            return Ok((told, false));
        }
        SystemClock.sleep_ms(LOOK_PAUSE_MS).await;
    };
    if kill == Reader {
        let _ = kill_process(child, Signal::KILL);
        let told = worker.hear(allowed_ms).await;
        let returned = matches!(told, Told::Answered { returned: true, .. });
        let outcomes = worker.outcomes();
        let expected = returned && outcomes.last().is_some_and(|outcome| outcome == "Transient");
        return if expected { Ok((told, true)) } else { Err(format!("{told:?}, {outcomes:?}")) };
    }
    worker.signal(Signal::KILL);
    let told = worker.hear(allowed_ms).await;
    for _ in 0..ORPHAN_MAX_MS / PAUSE_MS {
        if has_ended(child) {
            return Ok((told, true));
        }
        SystemClock.sleep_ms(PAUSE_MS).await;
    }
    Err("the reader of a dead process lives on".into())
}

/// Whether a process is gone, or waits only to be collected.
fn has_ended(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
}

/// Plays every point.
async fn play_all(engine: &str, place: &Place) {
    let played: Vec<_> = futures_util::stream::iter(0..POINTS.len())
        .map(async |number| (number, play(place, number).await))
        .buffer_unordered(POINTS_AT_ONCE)
        .collect()
        .await;
    let deliveries: u32 = played.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).sum();
    println!("{engine}: {} kill points, {deliveries} deliveries", played.len());
    let wrong: Vec<_> = played
        .iter()
        .filter_map(|(number, outcome)| Some(format!("{}: {}", POINTS[*number].0, outcome.as_ref().err()?)))
        .collect();
    assert!(wrong.is_empty(), "{engine}: {} of {} points:\n{}", wrong.len(), played.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere_on_the_embedded_engine_it_posts_once() {
    play_all("embedded engine", &Place::embedded().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere_on_ministack_it_posts_once() {
    let Some(ministack) = Ministack::running().await else { return };
    play_all("ministack", &Place::ministack(&ministack, "kills").await).await;
}
