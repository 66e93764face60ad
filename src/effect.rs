//! Effects: what is done outside the tables, recorded as an intent in the same transaction as what caused it.
//!
//! An intent's identity is made of what it is about, never of the attempt, so that recording it twice is
//! recording it once, and a receiver can tell a repeat.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::claim::Finish;
use crate::identity::{ClaimKey, ContentHash, EpochMs, Generation};

/// What is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A document was posted.
    Posted,
    /// A person must look at a claim.
    ReviewAsked,
    /// A claim was given up on.
    DeadLettered,
}

impl Operation {
    /// The stored text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::ReviewAsked => "review_asked",
            Self::DeadLettered => "dead_lettered",
        }
    }
}

/// SHA-256, in hexadecimal, of what an effect is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EffectId(String);

impl EffectId {
    /// Of something about a commit. The receiver is part of it, so that two receivers of one operation do not collide.
    pub fn of_commit(
        operation: Operation,
        receiver: &str,
        generation: Generation,
        content: ContentHash,
    ) -> Self {
        Self::of(&[operation.as_str(), receiver, &generation.to_string(), &content.to_string()])
    }

    /// Of something about a claim. The cycle is part of it, so that a second dead-lettering is told again and
    /// a repeat of the first is not.
    pub fn of_claim(
        operation: Operation,
        receiver: &str,
        key: &ClaimKey,
        generation: Generation,
        cycle: u32,
    ) -> Self {
        Self::of(&[operation.as_str(), receiver, key.as_str(), &generation.to_string(), &cycle.to_string()])
    }

    fn of(parts: &[&str]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            // Each part is preceded by its length, so that no two lists of parts share one text.
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hex::encode(hasher.finalize()))
    }

    /// The stored text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A recorded intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// Identity, and the idempotency key for the receiver.
    pub id: EffectId,
    /// What is to be told.
    pub operation: Operation,
    /// To whom, by its configured name.
    pub receiver: String,
    /// What is told.
    pub payload: Value,
    /// When it was recorded.
    pub recorded_at: EpochMs,
}

/// The notices that a finished claim asks for, one for each receiver; none unless it is an open item.
pub fn notices(finish: &Finish, receivers: &[String]) -> Vec<Intent> {
    use crate::claim::FinishedStatus::{DeadLettered, Review};
    let operation = match finish.end.status {
        Review => Operation::ReviewAsked,
        DeadLettered => Operation::DeadLettered,
        _ => return Vec::new(),
    };
    let seen = &finish.seen;
    receivers
        .iter()
        .map(|receiver| Intent {
            id: EffectId::of_claim(operation, receiver, &seen.key, seen.generation, finish.cycle),
            operation,
            receiver: receiver.clone(),
            payload: json!({
                "operation": operation.as_str(),
                "claim_key": seen.key.as_str(),
                "generation": seen.generation.get(),
                "cycle": finish.cycle,
                "reason": finish.end.reason.code,
                "detail": finish.end.reason.detail,
                "content_hash": finish.end.content_hash.map(|hash| hash.to_string()),
            }),
            recorded_at: finish.finished_at,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_differ_by_everything_they_are_about_and_by_nothing_else() {
        let hash = ContentHash::of(b"x");
        let second = Generation::new(2).unwrap();
        let base = EffectId::of_commit(Operation::Posted, "events", Generation::FIRST, hash);
        assert_eq!(base, EffectId::of_commit(Operation::Posted, "events", Generation::FIRST, hash));
        let (key, _) = ClaimKey::parse("b/k@V1#e").unwrap();
        let claim =
            |cycle| EffectId::of_claim(Operation::DeadLettered, "events", &key, Generation::FIRST, cycle);
        let others = [
            EffectId::of_commit(Operation::ReviewAsked, "events", Generation::FIRST, hash),
            EffectId::of_commit(Operation::Posted, "event", Generation::FIRST, hash),
            EffectId::of_commit(Operation::Posted, "events", second, hash),
            EffectId::of_commit(Operation::Posted, "events", Generation::FIRST, ContentHash::of(b"y")),
            claim(0),
            claim(1),
        ];
        for (index, other) in others.iter().enumerate() {
            assert_ne!(&base, other);
            assert!(others.iter().skip(index + 1).all(|later| later != other), "{index}");
        }
    }
}
