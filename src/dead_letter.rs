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

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(content_hash: Option<&str>) -> DeadLetter {
        DeadLetter {
            body: "{}".to_owned(),
            message_group_id: None,
            error_kind: "timeout".to_owned(),
            attempts: 5,
            cycle: 2,
            claim_hash: "0123456789abcdef".to_owned(),
            generation: Generation::new(7).unwrap(),
            content_hash: content_hash.map(str::to_owned),
            first_attempt: EpochMs(1_000),
            last_attempt: EpochMs(9_000),
        }
    }

    #[test]
    fn the_context_travels_in_attributes_and_what_is_missing_is_left_out() {
        let known = [
            (attribute::ERROR_KIND, "timeout"),
            (attribute::ATTEMPTS, "5"),
            (attribute::CYCLE, "2"),
            (attribute::CLAIM, "0123456789abcdef"),
            (attribute::GENERATION, "7"),
            (attribute::FIRST_ATTEMPT, "1000"),
            (attribute::LAST_ATTEMPT, "9000"),
        ];
        let with_content = known.iter().copied().chain([(attribute::CONTENT_HASH, "c0ffee")]).collect();
        let table: [(Option<&str>, Vec<_>); 2] = [(None, known.to_vec()), (Some("c0ffee"), with_content)];
        for (content_hash, mut expected) in table {
            let attributes = letter(content_hash).attributes();
            let mut seen: Vec<_> = attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
            seen.sort_unstable();
            expected.sort_unstable();
            assert_eq!(seen, expected, "{content_hash:?}");
        }
    }

    #[test]
    fn the_attributes_are_ones_that_sqs_takes() {
        // Source: "Amazon SQS message metadata", Amazon SQS developer guide.
        const ATTRIBUTES_MAX: usize = 10;
        const NAME_MAX_BYTES: usize = 256;
        let attributes = letter(Some("c0ffee")).attributes();
        assert!(attributes.len() <= ATTRIBUTES_MAX);
        for (index, (name, value)) in attributes.iter().enumerate() {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            assert!(!name.is_empty() && name.len() <= NAME_MAX_BYTES && name.bytes().all(plain), "{name}");
            let folded = name.to_ascii_lowercase();
            assert!(!folded.starts_with("aws.") && !folded.starts_with("amazon."), "{name}");
            assert!(!value.is_empty(), "{name}");
            assert!(attributes[..index].iter().all(|(other, _)| other != name), "{name} stands twice");
        }
    }
}
