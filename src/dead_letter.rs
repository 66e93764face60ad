//! A message that is given up on, and what travels with it.

use crate::identity::{EpochMs, Generation};

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
