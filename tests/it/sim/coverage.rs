//! What the schedules came across, counted by kind and name, so that a test can say that nothing was left out.

use std::collections::BTreeMap;

use lease_ingest::claim::{ClaimRecord, ClaimRequest, ClaimState, Decision, FinishedStatus, Purpose, decide};
use lease_ingest::event::{Origin, Request};
use lease_ingest::outcome::RecordOutcome;

/// Counts by kind and name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<(&'static str, &'static str), u64>);

impl Coverage {
    pub fn count(&mut self, kind: &'static str, name: &'static str) {
        *self.0.entry((kind, name)).or_default() += 1;
    }

    pub fn add(&mut self, other: &Self) {
        for (what, count) in &other.0 {
            *self.0.entry(*what).or_default() += count;
        }
    }

    /// Names of this kind that were never come across.
    pub fn missing<'a>(&self, kind: &'static str, names: &[&'a str]) -> Vec<&'a str> {
        let unseen = |name: &&&str| !self.0.keys().any(|(of, seen)| *of == kind && *seen == **name);
        names.iter().filter(unseen).copied().collect()
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(|((kind, name), count)| format!("{kind:>9} {name}: {count}")).collect()
    }

    /// Counts the row of the decision table that a claim and a request meet.
    pub fn count_decision(&mut self, existing: Option<&ClaimRecord>, request: &ClaimRequest) {
        self.count("decision", decision_row(existing, request));
    }
}

/// The rows of the decision table.
pub const DECISIONS: [&str; 14] = [
    "none",
    "nothing parked",
    "own",
    "in flight",
    "abandoned",
    "abandoned for a person",
    "attempts used up",
    "redriven",
    "later upload",
    "later upload, ambiguous",
    "archived and restored",
    "missing and listed",
    "posted and listed",
    "duplicate",
];

/// What a run of many schedules must have come across, by kind.
pub const EXPECTED: [(&str, &[&str]); 5] = [
    ("decision", &DECISIONS),
    ("outcome", &RecordOutcome::METRICS),
    (
        "narrowed",
        &[
            "again, historical",
            "again, without the row",
            "ask the store",
            "ask the store again",
            "fenced",
            "filed elsewhere",
            "landed",
            "notice on record",
            "rejected before",
            "repeat",
        ],
    ),
    (
        "fault",
        &[
            "answer lost",
            "answered",
            "answered too late",
            "claims wiped",
            "conflict",
            "denied",
            "doubled",
            "event lost",
            "generation raised",
            "killed",
            "killed after",
            "late",
            "outage",
            "paused",
            "reply lost",
            "request lost",
            "store down",
            "throttled",
        ],
    ),
    (
        "queue",
        &[
            "delivered early",
            "delivered twice",
            "hidden late",
            "outdated handle",
            "received too often",
            "reconciled",
            "redriven",
        ],
    ),
];

fn decision_row(existing: Option<&ClaimRecord>, request: &ClaimRequest) -> &'static str {
    match (decide(existing, request), existing.map(|claim| &claim.state)) {
        (Decision::Claim, _) => "none",
        (Decision::NothingToDo, _) => "nothing parked",
        (Decision::Own, _) => "own",
        (Decision::InFlight { .. }, _) => "in flight",
        (Decision::DeadLetter, _) => "attempts used up",
        (Decision::RepairPointer { .. }, _) => "posted and listed",
        (Decision::Duplicate(_), _) => "duplicate",
        (Decision::TakeOver(plan), Some(ClaimState::Finished(receipt))) => match receipt.status {
            FinishedStatus::DeadLettered if request.redriven_from_cycle.is_some() => "redriven",
            FinishedStatus::Review if request.request == Request::Restored => "archived and restored",
            _ if plan.purpose == Purpose::AskPerson => "later upload, ambiguous",
            _ if request.origin == Origin::Reconciler => "missing and listed",
            _ => "later upload",
        },
        (Decision::TakeOver(plan), _) if plan.purpose == Purpose::AskPerson => "abandoned for a person",
        (Decision::TakeOver(_), _) => "abandoned",
    }
}
