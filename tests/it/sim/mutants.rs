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
    HintIsOftenStale,
    NothingIsHidden,
}

/// Every mutant, and within how many seeds the rules must catch it: some ten times what it took.
pub const MUTANTS: [(Mutant, u64); 44] = [
    (Mutant::UnfencedFinish, 1_000),
    (Mutant::UnfencedRelease, 1_000),
    (Mutant::UnfencedWait, 5_000),
    (Mutant::UnfencedCommit, 1_000),
    (Mutant::TakeOverIgnoresToken, 1_000),
    (Mutant::TakeOverIgnoresStatus, 1_000),
    (Mutant::PutIgnoresClaim, 100),
    (Mutant::RowIsOverwritten, 100),
    (Mutant::RowIsLost, 100),
    (Mutant::PointerApart, 100),
    (Mutant::PointerIgnoresOrder, 100),
    (Mutant::PointerIgnoresRevision, 100),
    (Mutant::PointerIgnoresGeneration, 5_000),
    (Mutant::SequencersAsNumbers, 1_000),
    (Mutant::UnorderedCountsAsEarlier, 1_000),
    (Mutant::IntentsOutsideTransaction, 1_000),
    (Mutant::IntentsAreLost, 100),
    (Mutant::IntentOnRecordIsError, 100),
    (Mutant::InFlightIsAcknowledged, 100),
    (Mutant::AcknowledgedAtReceive, 100),
    (Mutant::ResponseOmitsOne, 100),
    (Mutant::LostRequestIsKnownContent, 1_000),
    (Mutant::LostCommitIsSuccess, 1_000),
    (Mutant::LostFinishIsSuccess, 1_000),
    (Mutant::LostPointerIsSuccess, 1_000),
    (Mutant::ErrorIsDuplicate, 100),
    (Mutant::LeaseIsAlwaysOver, 100),
    (Mutant::LeaseIsNeverOver, 100),
    (Mutant::NullVersionUnpinned, 100),
    (Mutant::LatestInsteadOfMissing, 1_000),
    (Mutant::RemovalAtItsWord, 100),
    (Mutant::MissingIsFinal, 100),
    (Mutant::MissingAtOnce, 100),
    (Mutant::RedriveForgetsAttributes, 100),
    (Mutant::GenerationNotInContentKey, 100),
    (Mutant::VanishedClaimIsDone, 100),
    (Mutant::HintIsTakenForTheRow, 100),
    (Mutant::DeadLetterIsLost, 100),
    (Mutant::BackstopDrops, 1_000),
    (Mutant::TokensRepeat, 100),
    (Mutant::FenceIgnoresStatus, 1_000),
    (Mutant::TakeOverKeepsSequencer, 100),
    (Mutant::RemovalKeepsNoFloor, 100),
    (Mutant::NoticesAreLost, 100),
];

/// Faults that another part of the protocol makes good. They are not counted; that no rule breaks is tested too.
///
/// * A claim that forgets since when its version is not found: the last receive makes a dead letter of it, with context.
/// * A commit that has landed and is told as "known content": the narrower round is refused by the claim, which says
///   under this attempt's own token that it has landed.
/// * A claim that was not written and is told as written: every later write is conditional on its token.
/// * A store that forgets request tokens: a repeat of what has landed is refused by the claim in the same way.
/// * A read of known content that often says no: it only saves work, the commit's own condition is the guarantee.
/// * A queue that hides nothing: a message that comes back too soon finds the claim in flight.
pub const HARMLESS: [Mutant; 6] = [
    Mutant::NotFoundIsForgotten,
    Mutant::LostReplyIsKnownContent,
    Mutant::LostClaimIsSuccess,
    Mutant::RequestTokensAreForgotten,
    Mutant::HintIsOftenStale,
    Mutant::NothingIsHidden,
];
