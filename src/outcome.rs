//! What became of a record, and what the queue is told. [`RecordOutcome::disposition`] is the only place that
//! decides whether a message may be acknowledged.

use crate::claim::FinishedStatus;
use crate::event::Benign;

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordOutcome {
    /// Posted by this record.
    Committed {
        /// Whether it is the key's current content; otherwise it is historical.
        active: bool,
    },
    /// The work was done before.
    DuplicateEvent(FinishedStatus),
    /// The same bytes were posted before.
    DuplicateContent {
        /// Whether the pointer moved to this version.
        active: bool,
    },
    /// A person must look.
    Review {
        /// Code of the reason.
        reason: String,
    },
    /// No document.
    Rejected {
        /// Code of the reason.
        reason: String,
    },
    /// The version is not there.
    Missing,
    /// Newer bytes stand under this name; their own event carries them.
    Superseded,
    /// In the dead-letter queue, with context.
    DeadLettered {
        /// Code of the error.
        reason: String,
    },
    /// The pointer says what is current after a removal.
    Removed,
    /// A repair found the pointer wrong and moved it.
    PointerRepaired,
    /// Nothing was to be done.
    Ignored(Benign),
    /// Nothing was to be done for a restore: nobody had parked the version.
    NothingParked,

    /// Another holds the claim.
    InFlight {
        /// How long its lease still runs, in milliseconds.
        lease_left_ms: u64,
    },
    /// Its content is worked on elsewhere, by a recogniser's job; it is asked for when the message comes back.
    Waiting {
        /// When asking makes sense, in milliseconds from now.
        ask_again_ms: u64,
    },
    /// A failure that another attempt may not meet.
    Transient {
        /// Code of the failure.
        kind: String,
        /// When the next attempt makes sense, in milliseconds from now; `None` leaves it to the queue.
        retry_after_ms: Option<u64>,
    },
    /// The claim was lost to another attempt; nothing was written.
    Fenced,
    /// Not begun, because too little time was left or an earlier message of its group failed.
    NotStarted,
    /// The ledger does not answer.
    StoreUnavailable {
        /// Code of the failure.
        kind: String,
    },
    /// The message, or this record of it, cannot be read.
    Unreadable {
        /// Code of the fault.
        kind: &'static str,
    },
}

/// What the queue is told about a record's message. A message is acknowledged only if all of its records are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// A finished marker is in the tables, or nothing was to be done.
    Acknowledge,
    /// It must come again.
    Return {
        /// How long it should stay hidden, in milliseconds; `None` leaves the visibility as it is.
        hide_ms: Option<u64>,
    },
}

impl RecordOutcome {
    /// The one place that decides.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::Committed { .. }
            | Self::DuplicateEvent(_)
            | Self::DuplicateContent { .. }
            | Self::Review { .. }
            | Self::Rejected { .. }
            | Self::Missing
            | Self::Superseded
            | Self::DeadLettered { .. }
            | Self::Removed
            | Self::PointerRepaired
            | Self::Ignored(_)
            | Self::NothingParked => Disposition::Acknowledge,
            Self::InFlight { lease_left_ms } => Disposition::Return { hide_ms: Some(*lease_left_ms) },
            Self::Waiting { ask_again_ms } => Disposition::Return { hide_ms: Some(*ask_again_ms) },
            Self::Transient { retry_after_ms, .. } => Disposition::Return { hide_ms: *retry_after_ms },
            Self::Fenced | Self::NotStarted | Self::StoreUnavailable { .. } | Self::Unreadable { .. } => {
                Disposition::Return { hide_ms: None }
            }
        }
    }

    /// The name it is counted under.
    pub fn metric(&self) -> &'static str {
        match self {
            Self::Committed { .. } => "Committed",
            Self::DuplicateEvent(_) => "DuplicateEvent",
            Self::DuplicateContent { .. } => "DuplicateContent",
            Self::Review { .. } => "Review",
            Self::Rejected { .. } => "Rejected",
            Self::Missing => "Missing",
            Self::Superseded => "Superseded",
            Self::DeadLettered { .. } => "DeadLettered",
            Self::Removed => "Removed",
            Self::PointerRepaired => "PointerRepaired",
            Self::Ignored(Benign::LostObject) => "LostObject",
            Self::Ignored(_) | Self::NothingParked => "Ignored",
            Self::InFlight { .. } => "InFlight",
            Self::Waiting { .. } => "Waiting",
            Self::Transient { .. } => "Transient",
            Self::Fenced => "Fenced",
            Self::NotStarted => "NotStarted",
            Self::StoreUnavailable { .. } => "StoreUnavailable",
            Self::Unreadable { .. } => "Unreadable",
        }
    }

    /// Every name of [`Self::metric`]: a batch reports all of them, zeros too, so that an alarm has data.
    pub const METRICS: [&'static str; 19] = [
        "Committed",
        "DuplicateEvent",
        "DuplicateContent",
        "Review",
        "Rejected",
        "Missing",
        "Superseded",
        "DeadLettered",
        "Removed",
        "PointerRepaired",
        "LostObject",
        "Ignored",
        "InFlight",
        "Waiting",
        "Transient",
        "Fenced",
        "NotStarted",
        "StoreUnavailable",
        "Unreadable",
    ];

    /// A code that says more than the metric's name, for a log line. Never customer data.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Review { reason } | Self::Rejected { reason } | Self::DeadLettered { reason } => {
                Some(reason)
            }
            Self::Transient { kind, .. } | Self::StoreUnavailable { kind } => Some(kind),
            Self::Unreadable { kind } => Some(kind),
            Self::DuplicateEvent(status) => Some(status.as_str()),
            Self::Committed { active } | Self::DuplicateContent { active } => {
                Some(if *active { "active" } else { "historical" })
            }
            Self::Ignored(benign) => Some(benign.code()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn code(text: &str) -> String {
        text.to_owned()
    }

    /// The kinds of [`RecordOutcome`] one after another. A new variant fails to compile here, and then has to be
    /// given its successor, so that the tables below see it.
    fn next(outcome: Option<&RecordOutcome>) -> Option<RecordOutcome> {
        use RecordOutcome as O;
        let Some(outcome) = outcome else { return Some(O::Committed { active: true }) };
        Some(match outcome {
            O::Committed { .. } => O::DuplicateEvent(FinishedStatus::Committed),
            O::DuplicateEvent(_) => O::DuplicateContent { active: true },
            O::DuplicateContent { .. } => O::Review { reason: code("low_confidence") },
            O::Review { .. } => O::Rejected { reason: code("empty") },
            O::Rejected { .. } => O::Missing,
            O::Missing => O::Superseded,
            O::Superseded => O::DeadLettered { reason: code("attempts_used_up") },
            O::DeadLettered { .. } => O::Removed,
            O::Removed => O::PointerRepaired,
            O::PointerRepaired => O::Ignored(Benign::TestEvent),
            O::Ignored(_) => O::NothingParked,
            O::NothingParked => O::InFlight { lease_left_ms: 7 },
            O::InFlight { .. } => O::Waiting { ask_again_ms: 8 },
            O::Waiting { .. } => O::Transient { kind: code("timeout"), retry_after_ms: Some(9) },
            O::Transient { .. } => O::Fenced,
            O::Fenced => O::NotStarted,
            O::NotStarted => O::StoreUnavailable { kind: code("timeout") },
            O::StoreUnavailable { .. } => O::Unreadable { kind: "not_json" },
            O::Unreadable { .. } => return None,
        })
    }

    /// The kinds of [`Benign`] one after another, in the same way.
    fn next_benign(benign: Option<&Benign>) -> Option<Benign> {
        let Some(benign) = benign else { return Some(Benign::TestEvent) };
        Some(match benign {
            Benign::TestEvent => Benign::NoRecords,
            Benign::NoRecords => Benign::FolderMarker,
            Benign::FolderMarker => Benign::SubscriptionConfirmation,
            Benign::SubscriptionConfirmation => Benign::OtherEvent(code("ObjectTagging:Put")),
            Benign::OtherEvent(_) => Benign::LostObject,
            Benign::LostObject => return None,
        })
    }

    /// One outcome of every kind, with every kind of what it may hold.
    fn all() -> Vec<RecordOutcome> {
        let kinds = std::iter::successors(next(None), |outcome| next(Some(outcome)));
        let mut all: Vec<RecordOutcome> = kinds.collect();
        all.extend(
            std::iter::successors(next_benign(None), |benign| next_benign(Some(benign)))
                .map(RecordOutcome::Ignored),
        );
        all.extend(FinishedStatus::ALL.map(RecordOutcome::DuplicateEvent));
        all.extend([
            RecordOutcome::Committed { active: false },
            RecordOutcome::DuplicateContent { active: false },
            RecordOutcome::Transient { kind: code("timeout"), retry_after_ms: None },
        ]);
        all
    }

    #[test]
    fn every_outcome_is_counted_and_every_metric_is_some_outcomes() {
        let counted: BTreeSet<&str> = all().iter().map(RecordOutcome::metric).collect();
        let listed: BTreeSet<&str> = RecordOutcome::METRICS.into_iter().collect();
        assert_eq!(counted, listed);
        assert_eq!(listed.len(), RecordOutcome::METRICS.len(), "a name stands twice");
    }

    #[test]
    fn only_what_has_a_marker_or_needs_none_is_acknowledged() {
        use Disposition::{Acknowledge, Return};
        use RecordOutcome as O;
        let back = Return { hide_ms: None };
        // The rows of "Outcomes and what the queue is told", in its order.
        let table = [
            (O::Committed { active: true }, Acknowledge),
            (O::Committed { active: false }, Acknowledge),
            (O::DuplicateEvent(FinishedStatus::Committed), Acknowledge),
            (O::DuplicateEvent(FinishedStatus::DuplicateContent), Acknowledge),
            (O::DuplicateEvent(FinishedStatus::Review), Acknowledge),
            (O::DuplicateEvent(FinishedStatus::Rejected), Acknowledge),
            (O::DuplicateEvent(FinishedStatus::Missing), Acknowledge),
            (O::DuplicateEvent(FinishedStatus::Superseded), Acknowledge),
            (O::DuplicateEvent(FinishedStatus::DeadLettered), Acknowledge),
            (O::DuplicateContent { active: true }, Acknowledge),
            (O::DuplicateContent { active: false }, Acknowledge),
            (O::Review { reason: code("low_confidence") }, Acknowledge),
            (O::Rejected { reason: code("empty") }, Acknowledge),
            (O::Missing, Acknowledge),
            (O::Superseded, Acknowledge),
            (O::DeadLettered { reason: code("attempts_used_up") }, Acknowledge),
            (O::Removed, Acknowledge),
            (O::PointerRepaired, Acknowledge),
            (O::Ignored(Benign::TestEvent), Acknowledge),
            (O::Ignored(Benign::NoRecords), Acknowledge),
            (O::Ignored(Benign::FolderMarker), Acknowledge),
            (O::Ignored(Benign::SubscriptionConfirmation), Acknowledge),
            (O::Ignored(Benign::OtherEvent(code("Other"))), Acknowledge),
            (O::Ignored(Benign::LostObject), Acknowledge),
            (O::NothingParked, Acknowledge),
            (O::InFlight { lease_left_ms: 0 }, Return { hide_ms: Some(0) }),
            (O::InFlight { lease_left_ms: 61_000 }, Return { hide_ms: Some(61_000) }),
            (O::Waiting { ask_again_ms: 20_000 }, Return { hide_ms: Some(20_000) }),
            (O::Transient { kind: code("timeout"), retry_after_ms: None }, back),
            (
                O::Transient { kind: code("timeout"), retry_after_ms: Some(15_000) },
                Return { hide_ms: Some(15_000) },
            ),
            (O::Fenced, back),
            (O::NotStarted, back),
            (O::StoreUnavailable { kind: code("timeout") }, back),
            (O::Unreadable { kind: "not_json" }, back),
        ];
        for (outcome, expected) in &table {
            assert_eq!(outcome.disposition(), *expected, "{outcome:?}");
        }
        for outcome in all() {
            let kind = std::mem::discriminant(&outcome);
            assert!(
                table.iter().any(|(row, _)| std::mem::discriminant(row) == kind),
                "{outcome:?} has no row"
            );
        }
    }

    #[test]
    fn a_log_line_says_more_than_the_metric() {
        use RecordOutcome as O;
        let table = [
            (O::Committed { active: true }, "Committed", Some("active")),
            (O::Committed { active: false }, "Committed", Some("historical")),
            (O::DuplicateEvent(FinishedStatus::DeadLettered), "DuplicateEvent", Some("dead_lettered")),
            (O::DuplicateContent { active: true }, "DuplicateContent", Some("active")),
            (O::DuplicateContent { active: false }, "DuplicateContent", Some("historical")),
            (O::Review { reason: code("low_confidence") }, "Review", Some("low_confidence")),
            (O::Rejected { reason: code("empty") }, "Rejected", Some("empty")),
            (O::Missing, "Missing", None),
            (O::Superseded, "Superseded", None),
            (O::DeadLettered { reason: code("timeout") }, "DeadLettered", Some("timeout")),
            (O::Removed, "Removed", None),
            (O::PointerRepaired, "PointerRepaired", None),
            (O::Ignored(Benign::TestEvent), "Ignored", Some("test_event")),
            (O::Ignored(Benign::NoRecords), "Ignored", Some("no_records")),
            (O::Ignored(Benign::FolderMarker), "Ignored", Some("folder_marker")),
            (O::Ignored(Benign::SubscriptionConfirmation), "Ignored", Some("subscription_confirmation")),
            (O::Ignored(Benign::OtherEvent(code("ObjectAcl:Put"))), "Ignored", Some("ObjectAcl:Put")),
            (O::Ignored(Benign::LostObject), "LostObject", Some("lost_object")),
            (O::NothingParked, "Ignored", None),
            (O::InFlight { lease_left_ms: 1 }, "InFlight", None),
            (O::Transient { kind: code("timeout"), retry_after_ms: None }, "Transient", Some("timeout")),
            (O::Fenced, "Fenced", None),
            (O::NotStarted, "NotStarted", None),
            (O::StoreUnavailable { kind: code("http_500") }, "StoreUnavailable", Some("http_500")),
            (O::Unreadable { kind: "not_json" }, "Unreadable", Some("not_json")),
        ];
        for (outcome, metric, detail) in table {
            assert_eq!((outcome.metric(), outcome.detail()), (metric, detail), "{outcome:?}");
        }
    }
}
