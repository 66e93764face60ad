//! What fetching one object version can answer, and the one place that reads an error answer of S3.

use std::collections::BTreeMap;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::identity::{ContentHash, ETag, ObjectVersion};

/// The unit in which the byte budget counts; a semaphore's permits are too few to count single bytes.
const BUDGET_UNIT_BYTES: u64 = 1024;

/// An object version's bytes, hashed while they arrived.
#[derive(Debug)]
pub struct FetchedObject<'budget> {
    /// All bytes; possibly none.
    pub bytes: Bytes,
    /// SHA-256 of `bytes`.
    pub hash: ContentHash,
    /// Entity tag of the answer; events may carry none.
    pub etag: ETag,
    /// User metadata (`x-amz-meta-*`), names lower-case and without the prefix.
    pub metadata: BTreeMap<String, String>,
    /// Held as long as the bytes are in memory.
    pub admitted: Admitted<'budget>,
}

/// Why there are no bytes. Each variant is one row of the protocol's table of answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// 404 for the key or the version: at first perhaps replication lag, later `missing`.
    #[error("the object version was not found")]
    NotFound,
    /// The version is, or is hidden by, a delete marker: `missing` at once.
    #[error("the object version is hidden by a delete marker")]
    DeleteMarker,
    /// 412: other bytes stand under this name now, and an event of their own says so.
    #[error("newer bytes stand under this name")]
    Superseded,
    /// In an archive tier: a person decides about a restore.
    #[error("the object is archived")]
    Archived,
    /// Over the size limit, known before the bytes were taken in.
    #[error("the object has {size_bytes} bytes, the limit is {limit_bytes}")]
    TooLarge {
        /// What the answer announced, or how far reading came.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// Anything else: denied, throttled, cut short, unreachable. Another attempt may succeed.
    #[error("the object could not be read ({kind})")]
    Transient {
        /// Code for counting, without customer data.
        kind: String,
    },
}

impl FetchError {
    /// A transient failure of this kind.
    pub fn transient(kind: impl Into<String>) -> Self {
        Self::Transient { kind: kind.into() }
    }
}

/// What stands under a key now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Current {
    /// Nothing, or a delete marker.
    Nothing,
    /// This version, of this many bytes.
    Version {
        /// Its identity.
        version: ObjectVersion,
        /// Its size in bytes, when the store says it.
        size_bytes: Option<u64>,
    },
}

/// What an answer of S3 that is not 200 says, reduced to what decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorAnswer<'a> {
    /// HTTP status.
    pub status: u16,
    /// S3's error code, from the body or the header; HEAD answers have none.
    pub code: Option<&'a str>,
    /// Whether the answer carried `x-amz-delete-marker: true`.
    pub delete_marker: bool,
}

/// Reads an error answer. The status alone never decides between "gone" and "badly configured": a missing
/// bucket is a 404 too, and a missing object is a 403 where listing is not granted.
/// Source: "Error responses", Amazon S3 API reference.
pub fn classify(answer: &ErrorAnswer<'_>) -> FetchError {
    match (answer.status, answer.code) {
        (404 | 405, _) if answer.delete_marker => FetchError::DeleteMarker,
        (405, Some("MethodNotAllowed")) => FetchError::DeleteMarker,
        (404, Some("NoSuchKey" | "NoSuchVersion")) => FetchError::NotFound,
        (412, _) => FetchError::Superseded,
        (403, Some("InvalidObjectState")) => FetchError::Archived,
        (status, Some(code)) => FetchError::transient(format!("s3_{status}_{}", code_text(code))),
        (status, None) => FetchError::transient(format!("s3_{status}")),
    }
}

/// The longest error code that is repeated, in bytes; AWS's codes are shorter.
const ERROR_CODE_MAX_BYTES: usize = 64;

/// Whether an error code of a service is a plain word, as AWS documents them, and so may stand in a log; anything
/// else is not repeated.
pub fn is_plain_code(code: &str) -> bool {
    !code.is_empty()
        && code.len() <= ERROR_CODE_MAX_BYTES
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// An error code as it may stand in a log: S3's codes are plain words (those of a key service have a dot, as in
/// `KMS.DisabledException`), anything else is not repeated.
fn code_text(code: &str) -> &str {
    if is_plain_code(code) { code } else { "unreadable_code" }
}

/// Takes bytes in up to a limit and hashes them on the way, so that hashing adds no pass over the body.
#[derive(Debug)]
pub struct BodyReader {
    hasher: Sha256,
    bytes: Vec<u8>,
    expected_bytes: Option<u64>,
    limit_bytes: u64,
}

impl BodyReader {
    /// `expected_bytes` is what the answer announced, if it did.
    pub fn new(expected_bytes: Option<u64>, limit_bytes: u64) -> Self {
        let capacity = expected_bytes.unwrap_or(0).min(limit_bytes);
        Self {
            hasher: Sha256::new(),
            bytes: Vec::with_capacity(usize::try_from(capacity).unwrap_or(0)),
            expected_bytes,
            limit_bytes,
        }
    }

    /// Takes the next chunk; refuses it when the limit would be passed, whatever was announced.
    pub fn take(&mut self, chunk: &[u8]) -> Result<(), FetchError> {
        let size_bytes = (self.bytes.len() as u64).saturating_add(chunk.len() as u64);
        if size_bytes > self.limit_bytes {
            return Err(FetchError::TooLarge { size_bytes, limit_bytes: self.limit_bytes });
        }
        self.hasher.update(chunk);
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }

    /// Ends reading. A body shorter or longer than announced is a transient failure, never a document.
    pub fn finish(self) -> Result<(Bytes, ContentHash), FetchError> {
        if self.expected_bytes.is_some_and(|expected| expected != self.bytes.len() as u64) {
            return Err(FetchError::transient("body_length_differs"));
        }
        Ok((Bytes::from(self.bytes), ContentHash::from_hasher(self.hasher)))
    }
}

/// The two size limits of an invocation: one object, and the sum of all objects in memory at once.
#[derive(Debug)]
pub struct ByteBudget {
    units: Semaphore,
    total_units: u32,
    max_object_bytes: u64,
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub struct Admitted<'budget>(#[expect(dead_code, reason = "held for its drop")] SemaphorePermit<'budget>);

impl ByteBudget {
    /// A budget of `total_bytes`, at least one object of the largest size.
    pub fn new(max_object_bytes: u64, total_bytes: u64) -> Self {
        let total_units = units_of(total_bytes.max(max_object_bytes)).max(1);
        Self { units: Semaphore::new(total_units as usize), total_units, max_object_bytes }
    }

    /// The largest object that is read, in bytes.
    pub fn max_object_bytes(&self) -> u64 {
        self.max_object_bytes
    }

    /// Waits until `content_length` bytes fit. Asked when the answer's headers are known and before its body is
    /// read, so that an event that lies about the size reserves what is really coming; an answer without a
    /// length reserves the largest size. Refuses an object over the limit at once.
    pub async fn admit(&self, content_length: Option<u64>) -> Result<Admitted<'_>, FetchError> {
        let size_bytes = content_length.unwrap_or(self.max_object_bytes);
        if size_bytes > self.max_object_bytes {
            return Err(FetchError::TooLarge { size_bytes, limit_bytes: self.max_object_bytes });
        }
        let wanted = units_of(size_bytes).clamp(1, self.total_units);
        let permit = self.units.acquire_many(wanted).await;
        permit.map(Admitted).map_err(|_closed| FetchError::transient("byte_budget_closed"))
    }
}

fn units_of(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(BUDGET_UNIT_BYTES)).unwrap_or(u32::MAX >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_of_s3_has_its_row() {
        let transient = FetchError::transient;
        let table = [
            (404, Some("NoSuchKey"), false, FetchError::NotFound),
            (404, Some("NoSuchVersion"), false, FetchError::NotFound),
            (404, Some("NoSuchKey"), true, FetchError::DeleteMarker),
            (404, None, true, FetchError::DeleteMarker),
            (405, Some("MethodNotAllowed"), true, FetchError::DeleteMarker),
            (405, Some("MethodNotAllowed"), false, FetchError::DeleteMarker),
            (404, Some("NoSuchBucket"), false, transient("s3_404_NoSuchBucket")),
            (404, None, false, transient("s3_404")),
            (412, Some("PreconditionFailed"), false, FetchError::Superseded),
            (412, None, false, FetchError::Superseded),
            (304, None, false, transient("s3_304")),
            (403, Some("AccessDenied"), false, transient("s3_403_AccessDenied")),
            (403, Some("InvalidObjectState"), false, FetchError::Archived),
            (400, Some("KMS.DisabledException"), false, transient("s3_400_KMS.DisabledException")),
            (400, Some("ThrottlingException"), false, transient("s3_400_ThrottlingException")),
            (301, Some("PermanentRedirect"), false, transient("s3_301_PermanentRedirect")),
            (503, Some("SlowDown"), false, transient("s3_503_SlowDown")),
            (500, Some("InternalError"), false, transient("s3_500_InternalError")),
            (500, Some("<leases/tenant.pdf>"), false, transient("s3_500_unreadable_code")),
        ];
        for (status, code, delete_marker, expected) in table {
            let answer = ErrorAnswer { status, code, delete_marker };
            assert_eq!(classify(&answer), expected, "{answer:?}");
        }
    }

    #[test]
    fn the_body_is_hashed_whole_and_bounded() {
        let body = vec![7u8; 100_000];
        let mut reader = BodyReader::new(Some(100_000), 200_000);
        for chunk in body.chunks(8192) {
            reader.take(chunk).unwrap();
        }
        let (bytes, hash) = reader.finish().unwrap();
        assert_eq!(bytes.len(), 100_000);
        assert_eq!(hash, ContentHash::of(&body));

        let mut short = BodyReader::new(Some(10), 100);
        short.take(b"123").unwrap();
        assert_eq!(short.finish().unwrap_err(), FetchError::transient("body_length_differs"));

        let mut lying = BodyReader::new(Some(3), 5);
        lying.take(b"123").unwrap();
        assert_eq!(lying.take(b"456"), Err(FetchError::TooLarge { size_bytes: 6, limit_bytes: 5 }));
    }

    #[tokio::test]
    async fn the_budget_refuses_before_the_first_byte_and_returns_what_was_admitted() {
        let budget = ByteBudget::new(4096, 8192);
        let refused = budget.admit(Some(4097)).await;
        assert_eq!(refused.err(), Some(FetchError::TooLarge { size_bytes: 4097, limit_bytes: 4096 }));
        let first = budget.admit(Some(4096)).await.unwrap();
        let second = budget.admit(None).await.unwrap();
        assert_eq!(budget.units.available_permits(), 0);
        drop((first, second));
        assert_eq!(budget.units.available_permits(), 8);
    }
}
