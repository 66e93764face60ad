//! A process that is stopped while it holds a claim, and wakes when another has taken over: whatever it was about to
//! write, and whatever of it was on its way already, the tables stay as they are.

use futures_util::StreamExt;
use lease_ingest::ports::clock::{Clock, SystemClock};
use rustix::process::Signal;

use crate::rig::place::Place;
use crate::rig::proxy::{Deed, Planned, When};
use crate::rig::scenario::{Scenario, deliver};
use crate::rig::{Told, Worker, turn};
use crate::support::ministack::Ministack;

/// What a holder is given that shall be late, in milliseconds; twice as long each time that it did not come far enough.
const SHORT_MS: u64 = 2_000;
/// Longest that it is given, in milliseconds.
const SHORT_MAX_MS: u64 = 32_000;
/// Deliveries after which it must have come far enough.
const DELIVERIES_MAX: usize = 200;
/// Whoever answers with less time left than this was cut off by its deadline, in milliseconds.
const CUT_OFF_MS: i64 = 500;
/// Pause before a holder that did not come far enough is invoked again, in milliseconds.
const PAUSE_MS: u64 = 300;
/// What a holder is given that shall not know how late it is, in milliseconds.
const FAR_MS: u64 = 120_000;
/// How long after its deadline a claim is protected in these tests, in milliseconds.
const LEASE_MARGIN_MS: u64 = 200;

use Scenario::{Denied, DeniedAtFirst, New, Review, SameBytes, Unusable};
use When::{After, Before, Midway};

/// What a holder says whose write was refused.
const FENCED: &str = "Fenced";
/// What one may say that asks again for its claim, since a stop outlasts the client's patience, and finds it ended.
const FOUND_ENDED: &str = "DuplicateEvent";

/// Where the holder is stopped: a name, the document, the request, and what it says in the end when it does not know
/// that it is late.
const STOPS: &[(&str, Scenario, &str, When, &str)] = &[
    ("when its claim is put", New, "put claim", After, FENCED),
    ("when the object is on its way", New, "get object", After, FENCED),
    ("within the object's bytes", New, "get object", Midway, FENCED),
    ("when known content is answered", New, "known content", After, FENCED),
    ("with its transaction on the way", New, "commit", Before, FENCED),
    ("when its transaction is done", New, "commit", After, "Committed"),
    ("with its mark of a copy on the way", SameBytes, "commit known", Before, FENCED),
    ("with its release on the way", DeniedAtFirst, "release", Before, FENCED),
    ("with its review on the way", Review, "finish", Before, FENCED),
    ("with its rejection on the way", Unusable, "finish", Before, FENCED),
    // The other has dead-lettered the claim for it, which is what it says itself.
    ("with its dead letter on the way", Denied, "dead letter", Before, "DeadLettered"),
    ("with its mark of a dead letter on the way", Denied, "finish", Before, "DeadLettered"),
];

/// How the other comes by the claim.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Late {
    /// The lease ends by the clock, and the holder's invocation with it.
    ByTheClock,
    /// The holder's clock is wrong: for everybody else its lease is over, for itself there is time.
    UnknownToItself,
    /// As before, and the other fails and gives the claim up, so that it is in progress when the holder wakes.
    UnknownAndGivenUp,
}

async fn play(place: &Place, stop: usize, late: Late) -> Result<(), String> {
    let (name, scenario, operation, when, outcome) = STOPS[stop];
    let document = scenario.document(place, &format!("stop {stop} {late:?}")).await?;
    let mut setup = scenario.setup();
    setup.planned.insert(0, Planned::first(operation, when, Deed::Stop));
    let mut holder = Worker::start(place, &setup).await;
    let proxy = holder.proxy.clone();
    let mut allowed_ms = if late == Late::ByTheClock { SHORT_MS } else { FAR_MS };
    let mut answered = 0;
    loop {
        holder.give(&document, allowed_ms);
        tokio::select! {
            () = proxy.something_happens() => break,
            told = holder.hear(allowed_ms) => match told {
                Told::Answered { returned: true, left_ms } if answered < DELIVERIES_MAX => {
                    answered += 1;
                    // What waits for the lease of the one before answers at once, and has not used its time up.
                    if left_ms < CUT_OFF_MS {
                        allowed_ms = SHORT_MAX_MS.min(2 * allowed_ms);
                    }
                }
                _ => return Err(format!("it is not stopped, {told:?}: {:#?}", holder.lines())),
            },
        }
        SystemClock.sleep_ms(PAUSE_MS).await;
    }

    if late == Late::ByTheClock {
        SystemClock.sleep_ms(allowed_ms + LEASE_MARGIN_MS).await;
    } else {
        place.end_lease(&document).await;
    }
    let mut other_setup = scenario.setup().undisturbed();
    if late == Late::UnknownAndGivenUp {
        other_setup.planned = vec![Planned::every("get object", Before, Deed::Answer(403, "AccessDenied"))];
    }
    let mut other = Worker::start(place, &other_setup).await;
    if late == Late::UnknownAndGivenUp {
        let told = other.invoke(&document, FAR_MS).await;
        if other.outcomes(1).await != ["Transient"] {
            return Err(format!("the other does not fail, {told:?}: {:#?}", other.lines()));
        }
    } else {
        deliver(&mut other, &document).await?;
    }

    let before = place.tables_as_they_are().await;
    holder.signal(Signal::CONT);
    proxy.go_on();
    let told = holder.hear(allowed_ms).await;
    proxy.until_quiet().await;
    if place.tables_as_they_are().await != before {
        let books = place.books(&document).await;
        return Err(format!("{name}: it wrote, {told:?}, {books:#?}: {:#?}", holder.lines()));
    }
    let said = holder.outcomes(answered + 1).await;
    let found_ended = operation == "put claim" && said == [FOUND_ENDED];
    if late != Late::ByTheClock && said != [outcome] && !found_ended {
        return Err(format!("it says {said:?}, {told:?}: {:#?}", holder.lines()));
    }
    let acknowledged = matches!(told, Told::Answered { returned: false, .. });
    if acknowledged && late == Late::UnknownAndGivenUp {
        return Err(format!("it acknowledges what another holds: {:#?}", holder.lines()));
    }
    let mut last = Worker::start(place, &scenario.setup().undisturbed()).await;
    deliver(&mut last, &document).await?;
    scenario.is_over(place, &mut last, &document).await
}

/// Every stop with every way to be late. One that gives up instead of ending is told apart where it can be held in
/// progress: of a lease that nobody has posted.
fn rows() -> Vec<(usize, Late)> {
    let mut rows = Vec::new();
    for (stop, (_, scenario, _, _, outcome)) in STOPS.iter().enumerate() {
        rows.extend([(stop, Late::ByTheClock), (stop, Late::UnknownToItself)]);
        if *scenario == New && *outcome == FENCED {
            rows.push((stop, Late::UnknownAndGivenUp));
        }
    }
    rows
}

async fn play_all(engine: &str, ministack: Option<&Ministack>) {
    let played: Vec<_> = futures_util::stream::iter(rows())
        .map(async |(stop, late)| {
            let _turn = turn().await;
            // Tables of its own, so that all of them can be compared.
            let place = match ministack {
                Some(ministack) => Place::ministack(ministack, &format!("stale-{stop}-{late:?}")).await,
                None => Place::embedded().await,
            };
            (stop, late, play(&place, stop, late).await)
        })
        .buffer_unordered(STOPS.len() * 3)
        .collect()
        .await;
    println!("{engine}: {} stale holders", played.len());
    let wrong: Vec<_> = played
        .iter()
        .filter_map(|(stop, late, found)| {
            Some(format!("{} {late:?}: {}", STOPS[*stop].0, found.as_ref().err()?))
        })
        .collect();
    assert!(wrong.is_empty(), "{engine}: {} of {} rows:\n{}", wrong.len(), played.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_holder_writes_nothing_on_the_embedded_engine() {
    play_all("embedded engine", None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_holder_writes_nothing_on_ministack() {
    let Some(ministack) = Ministack::running().await else { return };
    play_all("ministack", Some(&ministack)).await;
}
