//! A slow, torn or silent network between the real binary and its engines: every call ends within its timeout, every
//! answer comes before the invocation's deadline, and the books are right in the end.

use futures_util::StreamExt;
use lease_ingest::ports::clock::{Clock, SystemClock};

use crate::rig::place::Place;
use crate::rig::proxy::{Deed, Planned, When};
use crate::rig::scenario::{Scenario, deliver};
use crate::rig::{Told, Worker, turn};
use crate::support::ministack::Ministack;

/// What an invocation is given that meets no silence, in milliseconds.
const AMPLE_MS: u64 = 60_000;
/// What an invocation is given whose calls shall end by themselves, in milliseconds.
const PATIENT_MS: u64 = 90_000;
/// What an invocation is given that meets silence, in milliseconds: less than a call's timeout. One that does not come
/// to the request in that time is given twice as much.
const SCARCE_MS: u64 = 4_000;
/// Deliveries after which it must have come to the request.
const DELIVERIES_MAX: usize = 200;
/// Whoever answers with less time left than this was cut off by its deadline, in milliseconds.
const CUT_OFF_MS: i64 = 2_000;
/// The longest, in milliseconds.
const SCARCE_MAX_MS: u64 = 32_000;
/// Pause between two invocations, in milliseconds.
const PAUSE_MS: u64 = 300;
/// How long before the deadline the answer is given whatever still runs, in milliseconds. A loaded machine is slow.
const RESPONSE_MARGIN_MS: &str = "1500";
/// How long a slow network takes, in milliseconds.
const SLOW_MS: u64 = 700;
/// How long one call may take with all its attempts, in milliseconds: `ClientTimeouts::default().operation_ms`.
const CALL_MAX_MS: u64 = 15_000;
/// How long a body may say nothing, in milliseconds: `BodyTimeouts::default().idle_ms`.
const IDLE_MAX_MS: u64 = 5_000;
/// What a machine that does much else may need beside, in milliseconds.
const SLACK_MS: u64 = 5_000;

use Deed::{Cut, Delay, Silence, Twice};
use Scenario::{Denied, DeniedAtFirst, LongScan, New, Removal, Review, SameBytes, Unusable};
use When::{After, Before, Midway};

/// What may happen to a request, with its name.
const DISTURBANCES: &[(&str, When, Deed)] = &[
    ("late", Before, Delay(SLOW_MS)),
    ("with a late reply", After, Delay(SLOW_MS)),
    ("with a reply that pauses", Midway, Delay(SLOW_MS)),
    ("lost", Before, Cut),
    ("with a lost reply", After, Cut),
    ("with a torn reply", Midway, Cut),
    ("twice, answered by the first", Before, Twice),
    ("twice, answered by the second", After, Twice),
    ("never answered", Before, Silence),
    ("done and never answered", After, Silence),
    ("with a reply that stops", Midway, Silence),
];

/// The four requests of a new document meet everything, the others what can make them happen twice.
const REQUESTS: &[(&str, Scenario)] =
    &[("put claim", New), ("get object", New), ("known content", New), ("commit", New)];
const OTHER_REQUESTS: &[(&str, Scenario)] = &[
    ("commit known", SameBytes),
    ("release", DeniedAtFirst),
    ("change visibility", DeniedAtFirst),
    ("dead letter", Denied),
    ("finish", Denied),
    ("finish", Review),
    ("finish", Unusable),
    ("read pointer", Removal),
    ("head object", Removal),
    ("write pointer", Removal),
];

/// One disturbed request.
#[derive(Debug, Clone)]
struct Row {
    name: String,
    scenario: Scenario,
    planned: Planned,
    allowed_ms: u64,
    /// How long the invocation may take from the disturbed request on.
    most_ms: u64,
    /// Outcomes that it may have.
    outcomes: &'static [&'static str],
}

/// What becomes of a document whose requests are answered in the end.
fn outcomes_of(scenario: Scenario) -> &'static [&'static str] {
    match scenario {
        New => &["Committed"],
        SameBytes => &["DuplicateContent"],
        DeniedAtFirst => &["Transient"],
        Denied => &["DeadLettered"],
        Review => &["Review"],
        Unusable => &["Rejected"],
        Removal => &["Removed"],
        LongScan => &["Waiting"],
    }
}

/// Every disturbance, or only what can make a request happen twice.
fn rows(all: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let requests = REQUESTS.iter().map(|request| (request, all));
    let others = OTHER_REQUESTS.iter().map(|request| (request, false));
    for (&(operation, scenario), meets_all) in requests.chain(others) {
        for &(disturbance, when, deed) in DISTURBANCES {
            let can_repeat = when == After && deed != Delay(SLOW_MS);
            if !meets_all && !can_repeat {
                continue;
            }
            let silent = deed == Silence;
            let outcomes: &[&str] = match (operation, when, deed) {
                // Hiding a message costs nothing but time.
                ("change visibility", ..) => outcomes_of(scenario),
                // The deadline cuts it off.
                (.., Silence) => &["Transient"],
                // Half a body is no object; another attempt reads it whole.
                ("get object", Midway, Cut) => &["Transient"],
                _ => outcomes_of(scenario),
            };
            rows.push(Row {
                name: format!("{operation} {disturbance}, {scenario:?}"),
                scenario,
                planned: Planned { for_ever: silent, ..Planned::first(operation, when, deed) },
                allowed_ms: if silent { SCARCE_MS } else { AMPLE_MS },
                most_ms: AMPLE_MS,
                outcomes,
            });
        }
    }
    rows
}

/// A name, the document, the request, where it meets silence, what the invocation is given, what it may take, and its
/// outcomes.
type EndlessRow = (&'static str, Scenario, &'static str, When, u64, u64, &'static [&'static str]);

/// An engine that never answers again, with all the time in the world.
fn endless_rows() -> Vec<Row> {
    let table: [EndlessRow; 8] = [
        ("no claim is answered", New, "put claim", Before, PATIENT_MS, CALL_MAX_MS, &["StoreUnavailable"]),
        ("no object is answered", New, "get object", Before, PATIENT_MS, CALL_MAX_MS, &["Transient"]),
        ("every object stops", New, "get object", Midway, PATIENT_MS, IDLE_MAX_MS, &["Transient"]),
        (
            "no known content is answered",
            New,
            "known content",
            Before,
            PATIENT_MS,
            CALL_MAX_MS,
            &["StoreUnavailable"],
        ),
        // It is done, which the claim tells that is read then.
        ("no commit is answered", New, "commit", After, PATIENT_MS, CALL_MAX_MS, &["Committed"]),
        // It is not done and may be asked again, until the deadline comes.
        ("no commit arrives", New, "commit", Before, 20_000, 20_000, &["Transient", "StoreUnavailable"]),
        (
            "no dead letter is answered",
            Denied,
            "dead letter",
            Before,
            PATIENT_MS,
            CALL_MAX_MS,
            &["Transient"],
        ),
        ("no removal is answered", Removal, "head object", Before, PATIENT_MS, CALL_MAX_MS, &["Transient"]),
    ];
    let row = |(name, scenario, operation, when, allowed_ms, most_ms, outcomes): EndlessRow| Row {
        name: name.to_owned(),
        scenario,
        planned: Planned::every(operation, when, Silence),
        allowed_ms,
        most_ms: most_ms + SLACK_MS,
        outcomes,
    };
    table.map(row).to_vec()
}

async fn play(place: &Place, number: usize, row: &Row) -> Result<(), String> {
    // Whoever waits for ever keeps nobody from playing.
    let _turn = if row.allowed_ms == PATIENT_MS { None } else { Some(turn().await) };
    let scenario = row.scenario;
    let document = scenario.document(place, &format!("network {number}")).await?;
    let mut setup = scenario.setup();
    setup.settings.extend([
        ("LEASE_INGEST_RESPONSE_MARGIN_MS", RESPONSE_MARGIN_MS.to_owned()),
        ("LEASE_INGEST_START_MARGIN_MS", RESPONSE_MARGIN_MS.to_owned()),
    ]);
    setup.planned.insert(0, row.planned);
    let mut worker = Worker::start(place, &setup).await;
    let (mut allowed_ms, mut answered) = (row.allowed_ms, 0);
    let (left_ms, returned) = loop {
        let told = worker.invoke(&document, allowed_ms).await;
        answered += 1;
        let Told::Answered { left_ms, returned } = told else {
            return Err(format!("it does not answer, {told:?}: {:#?}", worker.lines()));
        };
        if worker.proxy.happened() > 0 {
            break (left_ms, returned);
        }
        if !returned || answered >= DELIVERIES_MAX {
            return Err(format!("nothing happens to it: {:#?}", worker.lines()));
        }
        SystemClock.sleep_ms(PAUSE_MS).await;
        // What waits for the lease of the one before answers at once, and has not used its time up.
        if left_ms < CUT_OFF_MS {
            allowed_ms = SCARCE_MAX_MS.min(2 * allowed_ms);
        }
    };
    let took_ms = worker.proxy.first_happened_at().map_or(0, |since| since.until_ms(SystemClock.now()));
    let outcomes = worker.outcomes(answered).await.split_off(answered - 1);
    let mut faults = Vec::new();
    if left_ms < 0 {
        faults.push(format!("it answered {} ms after its deadline", -left_ms));
    }
    if took_ms > row.most_ms {
        faults.push(format!("it took {took_ms} ms, not {}", row.most_ms));
    }
    if !matches!(&outcomes[..], [outcome] if row.outcomes.contains(&outcome.as_str())) {
        faults.push(format!("{outcomes:?} and not one of {:?}", row.outcomes));
    }
    let ends = ["Transient", "StoreUnavailable"];
    if returned != outcomes.iter().all(|outcome| ends.contains(&outcome.as_str())) {
        faults.push(format!("{outcomes:?}, and returned: {returned}"));
    }
    if !faults.is_empty() {
        return Err(format!("{faults:?}: {:#?}", worker.lines()));
    }
    drop(worker);
    if row.allowed_ms == PATIENT_MS {
        // What it still holds is protected for longer than anybody wants to wait here.
        place.end_lease(&document).await;
    }
    let mut worker = Worker::start(place, &scenario.setup().undisturbed()).await;
    deliver(&mut worker, &document).await?;
    scenario.is_over(place, &mut worker, &document).await
}

async fn play_all(engine: &str, place: &Place, rows: Vec<Row>) {
    let played: Vec<_> = futures_util::stream::iter(rows.iter().enumerate())
        .map(async |(number, row)| (row, play(place, number, row).await))
        .buffer_unordered(rows.len())
        .collect()
        .await;
    println!("{engine}: {} disturbed requests", played.len());
    let wrong: Vec<_> = played
        .iter()
        .filter_map(|(row, found)| Some(format!("{}: {}", row.name, found.as_ref().err()?)))
        .collect();
    assert!(wrong.is_empty(), "{engine}: {} of {} rows:\n{}", wrong.len(), played.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disturbed_request_is_harmless_on_the_embedded_engine() {
    play_all("embedded engine", &Place::embedded().await, rows(true)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disturbed_request_is_harmless_on_ministack() {
    let Some(ministack) = Ministack::running().await else { return };
    play_all("ministack", &Place::ministack(&ministack, "network").await, rows(false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_ends_within_its_timeout() {
    play_all("embedded engine, silent", &Place::embedded().await, endless_rows()).await;
}
