//! Port: the queue that delivered the batch, as far as a consumer talks back to it.

use std::future::Future;

use crate::identity::{EpochMs, Generation};

/// The longest visibility timeout a message can be given, in seconds (12 hours).
/// Source: `ChangeMessageVisibility`, Amazon SQS API reference.
pub const VISIBILITY_MAX_S: u32 = 43_200;

/// Names of the message attributes that travel with a dead letter. Amazon SQS allows ten an item.
pub mod attribute {
    /// Code of the error that ended the attempts.
    pub const ERROR_KIND: &str = "LeaseIngestErrorKind";
    /// Attempts made in this cycle.
    pub const ATTEMPTS: &str = "LeaseIngestAttempts";
    /// The claim's cycle: a redriven message is honoured only in the cycle it was dead-lettered in.
    pub const CYCLE: &str = "LeaseIngestCycle";
    /// Short hash of the claim key, never the key itself.
    pub const CLAIM: &str = "LeaseIngestClaim";
    /// Processing generation.
    pub const GENERATION: &str = "LeaseIngestGeneration";
    /// SHA-256 of the content, when it was read.
    pub const CONTENT_HASH: &str = "LeaseIngestContentHash";
    /// First attempt, epoch milliseconds.
    pub const FIRST_ATTEMPT: &str = "LeaseIngestFirstAttempt";
    /// Last attempt, epoch milliseconds.
    pub const LAST_ATTEMPT: &str = "LeaseIngestLastAttempt";
}

/// A message that is given up on, with its context. The body stays as it was received, so that it can be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The body as received.
    pub body: String,
    /// Message group of a FIFO queue.
    pub message_group_id: Option<String>,
    /// Code of the error that ended the attempts.
    pub error_kind: String,
    /// Attempts made in this cycle.
    pub attempts: u32,
    /// The claim's cycle.
    pub cycle: u32,
    /// Short hash of the claim key.
    pub claim_hash: String,
    /// Processing generation.
    pub generation: Generation,
    /// SHA-256 of the content in hexadecimal, when it was read.
    pub content_hash: Option<String>,
    /// First attempt.
    pub first_attempt: EpochMs,
    /// Last attempt.
    pub last_attempt: EpochMs,
}

impl DeadLetter {
    /// The attributes to send, name and text value. Missing values are left out, since SQS refuses empty ones.
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let mut attributes = vec![
            (attribute::ERROR_KIND, self.error_kind.clone()),
            (attribute::ATTEMPTS, self.attempts.to_string()),
            (attribute::CYCLE, self.cycle.to_string()),
            (attribute::CLAIM, self.claim_hash.clone()),
            (attribute::GENERATION, self.generation.to_string()),
            (attribute::FIRST_ATTEMPT, self.first_attempt.0.to_string()),
            (attribute::LAST_ATTEMPT, self.last_attempt.0.to_string()),
        ];
        attributes.extend(self.content_hash.clone().map(|hash| (attribute::CONTENT_HASH, hash)));
        attributes
    }
}

/// The queue could not be told. Nothing of the protocol depends on it having been told: a visibility that was
/// not moved costs time, and a dead letter that was perhaps sent is sent again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the queue did not take it ({kind})")]
pub struct QueueError {
    /// Code of the error, without customer data.
    pub kind: String,
}

/// Talking back to the queue.
pub trait Queue: Send + Sync + 'static {
    /// Hides a received message for `delay_s` seconds from now, at most [`VISIBILITY_MAX_S`].
    fn change_visibility(
        &self,
        receipt_handle: &str,
        delay_s: u32,
    ) -> impl Future<Output = Result<(), QueueError>> + Send;

    /// Puts a message into the dead-letter queue. Sending twice is harmless, losing one is not.
    fn dead_letter(&self, letter: &DeadLetter) -> impl Future<Output = Result<(), QueueError>> + Send;
}
