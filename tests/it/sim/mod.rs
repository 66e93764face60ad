//! A simulation of everything around the function: the real handler and pipeline on simulated ports, several workers
//! on one thread, virtual time, and every fault that the protocol names. One seed is one schedule, for ever.

mod clock;
mod coverage;
mod driver;
mod ledger;
mod mischief;
mod mutants;
mod objects;
mod queue;
mod quiet;
mod rules;
mod scenario;
mod tables;
mod time;
mod world;
mod write;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use coverage::{Coverage, EXPECTED};
use driver::{Driver, Ended};
use ledger::SimLedger;
use mutants::{HARMLESS, MUTANTS, Mutant};
use world::Line;

use crate::contract::hold;
use crate::support::numbers_to_try;

/// Which schedules: one seed, or `0..1000000`. Without it, [`SCHEDULES`] of them.
const WHICH: &str = "LEASE_INGEST_TEST_SCHEDULES";
/// Schedules of a plain test run.
const SCHEDULES: u64 = 10_000;
/// Schedules for each fault that the design makes harmless.
const HARMLESS_SCHEDULES: u64 = 200;
/// Threads that play schedules, each on a runtime of its own.
const THREADS: usize = 2;

/// What the simulated ledger leaves out, since nothing of the function reaches it.
const NOT_OF_THE_CONTRACT: &[(&str, &str)] = &[
    ("a token used for another commit is an error", "each commit has a token of its own, drawn at random"),
    ("a row too large is refused before it is sent", "documents of the simulation are small"),
];

/// The simulation proves as much as its ledger is one.
#[tokio::test]
async fn the_simulated_ledger_keeps_the_contract() {
    let driver = Driver::new(1, None, false);
    {
        let mut state = driver.sim.lock();
        state.open_gates = true;
        state.stale_reads = false;
    }
    let line = Line { sim: Arc::clone(&driver.sim), invocation: 0, worker: 0 };
    hold("simulated ledger", &SimLedger(line), NOT_OF_THE_CONTRACT).await;
}

fn play(seed: u64, mutant: Option<Mutant>, with_history: bool) -> Ended {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(Driver::new(seed, mutant, with_history).play())
}

/// Plays the schedules of these seeds on all threads, and tells the lowest that broke a rule, if any.
fn play_all(seeds: std::ops::Range<u64>, mutant: Option<Mutant>) -> (Coverage, Option<u64>) {
    let next = AtomicU64::new(seeds.start);
    let broken = AtomicU64::new(u64::MAX);
    let coverage = Mutex::new(Coverage::default());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut seen = Coverage::default();
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= seeds.end || seed > broken.load(Ordering::SeqCst) {
                        break;
                    }
                    let ended = play(seed, mutant, false);
                    seen.add(&ended.coverage);
                    if ended.broken.is_some() {
                        broken.fetch_min(seed, Ordering::SeqCst);
                    }
                }
                coverage.lock().unwrap().add(&seen);
            });
        }
    });
    let broken = broken.into_inner();
    (coverage.into_inner().unwrap(), (broken != u64::MAX).then_some(broken))
}

/// The story of a schedule that broke a rule.
fn story(seed: u64, mutant: Option<Mutant>) -> String {
    let ended = play(seed, mutant, true);
    format!(
        "{}\nschedule {seed} broke a rule: {}\nagain: {WHICH}={seed} cargo test --test it sim::",
        ended.history.join("\n"),
        ended.broken.unwrap_or_default()
    )
}

#[test]
fn no_schedule_breaks_a_rule() {
    let seeds = numbers_to_try(WHICH, SCHEDULES);
    let all = seeds.end - seeds.start >= SCHEDULES;
    let (coverage, broken) = play_all(seeds, None);
    if let Some(seed) = broken {
        panic!("{}", story(seed, None));
    }
    println!("{}", coverage.lines().join("\n"));
    if all {
        for (kind, names) in EXPECTED {
            assert_eq!(coverage.missing(kind, names), [""; 0], "{kind}");
        }
    }
}

/// Schedules that once broke a rule, by what is decided since: the pointer of a version that a later generation read
/// while a newer one was rejected; bytes that were put again, of which only a worker of an older generation was told.
const BROKE_A_RULE: [u64; 2] = [465_097, 648_822];

#[test]
fn schedules_that_broke_a_rule_break_none() {
    for seed in BROKE_A_RULE {
        if play(seed, None, false).broken.is_some() {
            panic!("{}", story(seed, None));
        }
    }
}

#[test]
fn one_seed_has_one_history() {
    for seed in 0..40 {
        assert_eq!(play(seed, None, true).history, play(seed, None, true).history);
    }
}

#[test]
fn what_the_design_makes_harmless_breaks_no_rule() {
    for mutant in HARMLESS {
        if let (_, Some(seed)) = play_all(0..HARMLESS_SCHEDULES, Some(mutant)) {
            panic!("{}\n{mutant:?}", story(seed, Some(mutant)));
        }
    }
}

#[test]
fn every_mutant_is_caught() {
    let mut survivors = Vec::new();
    for (mutant, within) in MUTANTS {
        let (_, caught) = play_all(0..within, Some(mutant));
        match caught {
            Some(seed) => {
                let rule = play(seed, Some(mutant), false).broken.unwrap_or_default();
                println!("{mutant:?} after {} seeds: {rule}", seed + 1);
            }
            None => survivors.push(mutant),
        }
    }
    assert_eq!(survivors, []);
}
