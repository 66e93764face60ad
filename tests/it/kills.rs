//! The real binary, killed at every point where it speaks to somebody, started again and given its message again
//! until it acknowledges it. Then the books are as if nothing had happened, and one more delivery changes nothing.

use futures_util::{FutureExt, StreamExt};
use lease_ingest::ports::clock::{Clock, SystemClock};
use rustix::process::{Pid, Signal, kill_process};

use crate::rig::place::Place;
use crate::rig::proxy::{Deed, Planned, When};
use crate::rig::runtime::RuntimeKill;
use crate::rig::scenario::{Scenario, deliver};
use crate::rig::{Told, Worker, turn};
use crate::support::ministack::Ministack;

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
use Scenario::{Denied, DeniedAtFirst, LongScan, New, Removal, Review, SameBytes, Unusable};
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
    ("before a job is started", LongScan, &[At("start job", Before)]),
    ("when a job is started", LongScan, &[At("start job", After)]),
    ("before a wait is written", LongScan, &[At("wait", Before)]),
    ("when a wait is written", LongScan, &[At("wait", After)]),
    ("when a wait is written, twice", LongScan, &[At("wait", After), At("wait", After)]),
    ("before the message of a wait is hidden", LongScan, &[At("change visibility", Before)]),
    ("before a job is asked about", LongScan, &[At("ask of job", Before)]),
    ("when a job has answered", LongScan, &[At("ask of job", After)]),
    ("before what a job says is committed", LongScan, &[At("commit", Before)]),
    ("when what a job says is committed", LongScan, &[At("commit", After)]),
];

/// Plays one point; answers how many deliveries it took.
async fn play(place: &Place, number: usize) -> Result<u32, String> {
    let (_, scenario, kills) = POINTS[number];
    let _turn = turn().await;
    let undisturbed = scenario.setup().undisturbed();
    let document = scenario.document(place, &format!("kill {number}")).await?;

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
    scenario.is_over(place, &mut worker, &document).await?;
    Ok(deliveries)
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
        let outcomes = worker.outcomes(1).await;
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
        .buffer_unordered(POINTS.len())
        .collect()
        .await;
    let deliveries: u32 = played.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).sum();
    println!("{engine}: {} kill points, {deliveries} deliveries", played.len());
    let wrong: Vec<_> = played
        .iter()
        .filter_map(|(number, outcome)| Some(format!("{}: {}", POINTS[*number].0, outcome.as_ref().err()?)))
        .collect();
    assert!(wrong.is_empty(), "{engine}: {} of {} points:\n{}", wrong.len(), played.len(), wrong.join("\n"));
    let scans = POINTS.iter().filter(|(_, scenario, _)| *scenario == LongScan).count();
    assert_eq!(place.jobs_started(), scans, "{engine}: one job a document, whoever died meanwhile");
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
