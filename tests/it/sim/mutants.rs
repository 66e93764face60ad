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

/// Every mutant, and within how many seeds the rules must catch it: many times what it took, which was a few
/// hundred seeds for the rarest and a few for most.
pub const MUTANTS: [(Mutant, u64); 44] = [
    (Mutant::UnfencedFinish, 10_000),
    (Mutant::UnfencedRelease, 10_000),
    (Mutant::UnfencedWait, 10_000),
    (Mutant::UnfencedCommit, 10_000),
    (Mutant::TakeOverIgnoresToken, 10_000),
    (Mutant::TakeOverIgnoresStatus, 10_000),
    (Mutant::PutIgnoresClaim, 2_000),
    (Mutant::RowIsOverwritten, 2_000),
    (Mutant::RowIsLost, 2_000),
    (Mutant::PointerApart, 2_000),
    (Mutant::PointerIgnoresOrder, 2_000),
    (Mutant::PointerIgnoresRevision, 2_000),
    (Mutant::PointerIgnoresGeneration, 10_000),
    (Mutant::SequencersAsNumbers, 10_000),
    (Mutant::UnorderedCountsAsEarlier, 10_000),
    (Mutant::IntentsOutsideTransaction, 10_000),
    (Mutant::IntentsAreLost, 2_000),
    (Mutant::IntentOnRecordIsError, 2_000),
    (Mutant::InFlightIsAcknowledged, 2_000),
    (Mutant::AcknowledgedAtReceive, 2_000),
    (Mutant::ResponseOmitsOne, 2_000),
    (Mutant::LostRequestIsKnownContent, 10_000),
    (Mutant::LostCommitIsSuccess, 10_000),
    (Mutant::LostFinishIsSuccess, 10_000),
    (Mutant::LostPointerIsSuccess, 10_000),
    (Mutant::ErrorIsDuplicate, 2_000),
    (Mutant::LeaseIsAlwaysOver, 2_000),
    (Mutant::LeaseIsNeverOver, 2_000),
    (Mutant::NullVersionUnpinned, 2_000),
    (Mutant::LatestInsteadOfMissing, 10_000),
    (Mutant::RemovalAtItsWord, 2_000),
    (Mutant::MissingIsFinal, 2_000),
    (Mutant::MissingAtOnce, 2_000),
    (Mutant::RedriveForgetsAttributes, 2_000),
    (Mutant::GenerationNotInContentKey, 2_000),
    (Mutant::VanishedClaimIsDone, 2_000),
    (Mutant::HintIsTakenForTheRow, 2_000),
    (Mutant::DeadLetterIsLost, 2_000),
    (Mutant::BackstopDrops, 10_000),
    (Mutant::TokensRepeat, 2_000),
    (Mutant::FenceIgnoresStatus, 10_000),
    (Mutant::TakeOverKeepsSequencer, 2_000),
    (Mutant::RemovalKeepsNoFloor, 2_000),
    (Mutant::NoticesAreLost, 2_000),
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
