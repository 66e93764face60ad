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
    use proptest::prelude::*;

    use super::*;
    use crate::claim::{Ending, FencingToken, FinishedStatus, Seen};
    use crate::posting::Reason;

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

    #[test]
    fn an_identity_is_the_sha_256_of_its_parts_each_after_its_length() {
        // Stored rows and receivers rest on this text, so it never changes.
        let mut bytes = Vec::new();
        let hash = ContentHash::of(b"x").to_string();
        for part in ["posted", "events", "1", &hash] {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        let id = EffectId::of_commit(Operation::Posted, "events", Generation::FIRST, ContentHash::of(b"x"));
        assert_eq!(id.as_str(), ContentHash::of(&bytes).to_string());
    }

    #[test]
    fn operations_are_stored_under_distinct_names() {
        let table = [
            (Operation::Posted, "posted"),
            (Operation::ReviewAsked, "review_asked"),
            (Operation::DeadLettered, "dead_lettered"),
        ];
        for (operation, expected) in table {
            assert_eq!(operation.as_str(), expected);
        }
    }

    fn finish(status: FinishedStatus, cycle: u32) -> Finish {
        let (key, _) = ClaimKey::parse("b/k@V1#e").unwrap();
        Finish {
            seen: Seen { key, generation: Generation::new(4).unwrap(), token: FencingToken("t".into()) },
            attempts: 2,
            cycle,
            first_claimed_at: EpochMs(1),
            end: Ending {
                status,
                reason: Reason::new("low_confidence", "Look at the rent."),
                content_hash: Some(ContentHash::of(b"x")),
                found: None,
            },
            finished_at: EpochMs(77),
            envelope: None,
            failures: Vec::new(),
        }
    }

    #[test]
    fn people_are_told_of_open_items_only() {
        use FinishedStatus::{
            Committed, DeadLettered, DuplicateContent, Missing, Rejected, Review, Superseded,
        };
        let table = [
            (Committed, None),
            (DuplicateContent, None),
            (Review, Some(Operation::ReviewAsked)),
            (Rejected, None),
            (Missing, None),
            (Superseded, None),
            (DeadLettered, Some(Operation::DeadLettered)),
        ];
        assert_eq!(table.map(|(status, _)| status), FinishedStatus::ALL);
        let receivers = ["events".to_owned(), "desk".to_owned()];
        for (status, expected) in table {
            assert_eq!(expected.is_some(), status.is_open_item(), "{status:?}");
            let told = notices(&finish(status, 0), &receivers);
            let seen: Vec<_> =
                told.iter().map(|intent| (intent.operation, intent.receiver.as_str())).collect();
            let expected: Vec<_> = expected
                .iter()
                .flat_map(|operation| [(*operation, "events"), (*operation, "desk")])
                .collect();
            assert_eq!(seen, expected, "{status:?}");
            assert_eq!(notices(&finish(status, 0), &[]), [], "{status:?} and nobody to tell");
        }
    }

    #[test]
    fn a_notice_says_which_claim_and_why() {
        let receivers = ["desk".to_owned()];
        let told = notices(&finish(FinishedStatus::Review, 3), &receivers);
        let (key, _) = ClaimKey::parse("b/k@V1#e").unwrap();
        let generation = Generation::new(4).unwrap();
        assert_eq!(
            told,
            [Intent {
                id: EffectId::of_claim(Operation::ReviewAsked, "desk", &key, generation, 3),
                operation: Operation::ReviewAsked,
                receiver: "desk".into(),
                payload: json!({
                    "operation": "review_asked",
                    "claim_key": "b/k@V1#e",
                    "generation": 4,
                    "cycle": 3,
                    "reason": "low_confidence",
                    "detail": "Look at the rent.",
                    "content_hash": ContentHash::of(b"x").to_string(),
                }),
                recorded_at: EpochMs(77),
            }]
        );
        let mut unread = finish(FinishedStatus::Review, 3);
        unread.end.content_hash = None;
        assert_eq!(notices(&unread, &receivers)[0].payload["content_hash"], Value::Null);
    }

    #[test]
    fn a_second_end_is_told_again_and_a_repeat_of_the_first_is_not() {
        let receivers = ["desk".to_owned(), "events".to_owned()];
        let ids = |status, cycle| {
            notices(&finish(status, cycle), &receivers)
                .into_iter()
                .map(|notice| notice.id)
                .collect::<Vec<_>>()
        };
        let first = ids(FinishedStatus::DeadLettered, 0);
        assert_eq!(ids(FinishedStatus::DeadLettered, 0), first);
        assert_ne!(first[0], first[1], "two receivers");
        for other in [ids(FinishedStatus::DeadLettered, 1), ids(FinishedStatus::Review, 0)] {
            assert!(other.iter().all(|id| !first.contains(id)));
        }
    }

    fn parts() -> impl Strategy<Value = (usize, String, u32, Vec<u8>)> {
        // Few letters and short texts, so that parts that run together would collide.
        (0usize..3, "[0-2]{0,3}", 1u32..30, proptest::collection::vec(0u8..2, 0..2))
    }

    proptest! {
        #[test]
        fn two_commits_share_an_identity_only_if_all_parts_agree(left in parts(), right in parts()) {
            let id = |(operation, receiver, generation, content): &(usize, String, u32, Vec<u8>)| {
                let operation =
                    [Operation::Posted, Operation::ReviewAsked, Operation::DeadLettered][*operation];
                let generation = Generation::new(*generation).unwrap();
                EffectId::of_commit(operation, receiver, generation, ContentHash::of(content))
            };
            prop_assert_eq!(id(&left) == id(&right), left == right);
        }

        #[test]
        fn two_claims_share_an_identity_only_if_all_parts_agree(
            left in ("[0-2]{0,2}", "[0-2]{1,2}", 1u32..30, 0u32..30),
            right in ("[0-2]{0,2}", "[0-2]{1,2}", 1u32..30, 0u32..30),
        ) {
            let id = |(receiver, key, generation, cycle): &(String, String, u32, u32)| {
                let (key, _) = ClaimKey::parse(&format!("b/{key}@V1#e")).unwrap();
                let generation = Generation::new(*generation).unwrap();
                EffectId::of_claim(Operation::DeadLettered, receiver, &key, generation, *cycle)
            };
            prop_assert_eq!(id(&left) == id(&right), left == right);
        }
    }
}
