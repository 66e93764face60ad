//! Deliberate faults of the protocol, one at a time, in the simulated ports and in the driver. The rules must catch
//! each of them.

/// A fault of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    UnfencedFinish,
    UnfencedRelease,
    UnfencedWait,
    UnfencedCommit,
    TakeOverIgnoresToken,
    TakeOverIgnoresStatus,
    PutIgnoresClaim,
    RowIsOverwritten,
    RowIsLost,
    PointerApart,
    PointerIgnoresOrder,
    PointerIgnoresRevision,
    PointerIgnoresGeneration,
    SequencersAsNumbers,
    UnorderedCountsAsEarlier,
    IntentsOutsideTransaction,
    IntentsAreLost,
    IntentOnRecordIsError,
    InFlightIsAcknowledged,
    AcknowledgedAtReceive,
    ResponseOmitsOne,
    LostRequestIsKnownContent,
    LostCommitIsSuccess,
    LostFinishIsSuccess,
    LostPointerIsSuccess,
    ErrorIsDuplicate,
    LeaseIsAlwaysOver,
    LeaseIsNeverOver,
    NullVersionUnpinned,
    LatestInsteadOfMissing,
    RemovalAtItsWord,
    MissingIsFinal,
    MissingAtOnce,
    RedriveForgetsAttributes,
    GenerationNotInContentKey,
    VanishedClaimIsDone,
    HintIsTakenForTheRow,
    DeadLetterIsLost,
    BackstopDrops,
    TokensRepeat,
    FenceIgnoresStatus,
    TakeOverKeepsSequencer,
    RemovalKeepsNoFloor,
    NoticesAreLost,
    // What the design makes harmless.
    NotFoundIsForgotten,
    LostReplyIsKnownContent,
    LostClaimIsSuccess,
    RequestTokensAreForgotten,
    HintIsNeverGiven,
    NothingIsHidden,
}

/// Every mutant, and within how many seeds the rules must catch it.
pub const MUTANTS: [(Mutant, u64); 44] = [
    (Mutant::UnfencedFinish, 3_000),
    (Mutant::UnfencedRelease, 3_000),
    (Mutant::UnfencedWait, 3_000),
    (Mutant::UnfencedCommit, 3_000),
    (Mutant::TakeOverIgnoresToken, 3_000),
    (Mutant::TakeOverIgnoresStatus, 3_000),
    (Mutant::PutIgnoresClaim, 3_000),
    (Mutant::RowIsOverwritten, 3_000),
    (Mutant::RowIsLost, 3_000),
    (Mutant::PointerApart, 3_000),
    (Mutant::PointerIgnoresOrder, 3_000),
    (Mutant::PointerIgnoresRevision, 3_000),
    (Mutant::PointerIgnoresGeneration, 3_000),
    (Mutant::SequencersAsNumbers, 3_000),
    (Mutant::UnorderedCountsAsEarlier, 3_000),
    (Mutant::IntentsOutsideTransaction, 3_000),
    (Mutant::IntentsAreLost, 3_000),
    (Mutant::IntentOnRecordIsError, 3_000),
    (Mutant::InFlightIsAcknowledged, 3_000),
    (Mutant::AcknowledgedAtReceive, 3_000),
    (Mutant::ResponseOmitsOne, 3_000),
    (Mutant::LostRequestIsKnownContent, 3_000),
    (Mutant::LostCommitIsSuccess, 3_000),
    (Mutant::LostFinishIsSuccess, 3_000),
    (Mutant::LostPointerIsSuccess, 3_000),
    (Mutant::ErrorIsDuplicate, 3_000),
    (Mutant::LeaseIsAlwaysOver, 3_000),
    (Mutant::LeaseIsNeverOver, 3_000),
    (Mutant::NullVersionUnpinned, 3_000),
    (Mutant::LatestInsteadOfMissing, 3_000),
    (Mutant::RemovalAtItsWord, 3_000),
    (Mutant::MissingIsFinal, 3_000),
    (Mutant::MissingAtOnce, 3_000),
    (Mutant::RedriveForgetsAttributes, 3_000),
    (Mutant::GenerationNotInContentKey, 3_000),
    (Mutant::VanishedClaimIsDone, 3_000),
    (Mutant::HintIsTakenForTheRow, 3_000),
    (Mutant::DeadLetterIsLost, 3_000),
    (Mutant::BackstopDrops, 3_000),
    (Mutant::TokensRepeat, 3_000),
    (Mutant::FenceIgnoresStatus, 3_000),
    (Mutant::TakeOverKeepsSequencer, 3_000),
    (Mutant::RemovalKeepsNoFloor, 3_000),
    (Mutant::NoticesAreLost, 3_000),
];

/// Faults that another part of the protocol makes good. They are not counted; that no rule breaks is tested too.
///
/// * A claim that forgets since when its version is not found: the last receive makes a dead letter of it, with context.
/// * A commit that has landed and is told as "known content": the narrower round is refused by the claim, which says
///   under this attempt's own token that it has landed.
/// * A claim that was not written and is told as written: every later write is conditional on its token.
/// * A store that forgets request tokens: a repeat of what has landed is refused by the claim in the same way.
/// * A read of known content that always says no: it only saves work, the commit's own condition is the guarantee.
/// * A queue that hides nothing: a message that comes back too soon finds the claim in flight.
pub const HARMLESS: [Mutant; 6] = [
    Mutant::NotFoundIsForgotten,
    Mutant::LostReplyIsKnownContent,
    Mutant::LostClaimIsSuccess,
    Mutant::RequestTokensAreForgotten,
    Mutant::HintIsNeverGiven,
    Mutant::NothingIsHidden,
];
