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
            Self::Transient { .. } => "Transient",
            Self::Fenced => "Fenced",
            Self::NotStarted => "NotStarted",
            Self::StoreUnavailable { .. } => "StoreUnavailable",
            Self::Unreadable { .. } => "Unreadable",
        }
    }

    /// Every name of [`Self::metric`]: a batch reports all of them, zeros too, so that an alarm has data.
    pub const METRICS: [&'static str; 18] = [
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
