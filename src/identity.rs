//! Names of things: which object version, which unit of work, which content, in which order.
//!
//! Nothing here does I/O. Every key that is stored in a table is built in this file and nowhere else.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// DynamoDB's limit on a partition key, in bytes of UTF-8.
/// Source: "Constraints in Amazon DynamoDB", DynamoDB developer guide.
pub const CLAIM_KEY_MAX_BYTES: usize = 2048;

/// How many hexadecimal digits of a key's hash name it in logs: enough to find a claim, too few to be a secret.
const SHORT_HASH_DIGITS: usize = 16;

/// A version id as S3 knows it. Absent, empty and the literal `null` are one thing: the single
/// overwritable version of an unversioned (or suspended) bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VersionId {
    /// The version that a later upload replaces in place.
    Null,
    /// An immutable version.
    Id(String),
}

impl VersionId {
    /// Reads what an event, a listing or a response header carries.
    pub fn from_optional(raw: Option<&str>) -> Self {
        match raw {
            None | Some("" | "null") => Self::Null,
            Some(id) => Self::Id(id.to_owned()),
        }
    }

    /// The text S3 accepts as `versionId`: `null` names the null version explicitly.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Id(id) => id,
        }
    }

    /// Whether a later upload can replace the bytes under this same name.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

/// An entity tag: opaque, quotes stripped, possibly empty. It is never a checksum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ETag(String);

impl ETag {
    /// Strips surrounding quotes (headers and listings carry them, events do not). What is left begins and ends with
    /// neither a quote nor a blank, so that a stored tag is read back as it was.
    pub fn new(raw: &str) -> Self {
        Self(raw.trim_matches(|c: char| c == '"' || c.is_whitespace()).to_owned())
    }

    /// The tag without quotes; empty when the event carried none.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the event carried no tag at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the object was uploaded in parts (`…-N`). Such a tag depends on the part sizes, so equal
    /// tags say less about equal bytes than those of a single-part upload.
    pub fn is_multipart(&self) -> bool {
        self.0
            .rsplit_once('-')
            .is_some_and(|(_, parts)| !parts.is_empty() && parts.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// One version of one object: what an event is about and what is fetched.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectVersion {
    /// Bucket name, never an ARN.
    pub bucket: String,
    /// Decoded key, opaque: no path clean-up.
    pub key: String,
    /// Which version.
    pub version_id: VersionId,
    /// Entity tag, possibly empty.
    pub etag: ETag,
}

impl ObjectVersion {
    /// The key this version is a version of.
    pub fn document_key(&self) -> DocumentKey {
        DocumentKey::new(&self.bucket, &self.key)
    }

    /// A key that ends in `/` is a folder marker, with or without bytes.
    pub fn is_folder_marker(&self) -> bool {
        self.key.ends_with('/')
    }
}

/// `{bucket}/{key}`: the partition key of the `documents` table. Bucket names hold no `/`, so it is unambiguous.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentKey(String);

impl DocumentKey {
    /// Joins the two parts.
    pub fn new(bucket: &str, key: &str) -> Self {
        Self(format!("{bucket}/{key}"))
    }

    /// Reads a stored key; `None` when it lacks the separator.
    pub fn parse(raw: &str) -> Option<Self> {
        raw.contains('/').then(|| Self(raw.to_owned()))
    }

    /// The stored text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Bucket and decoded key.
    pub fn split(&self) -> (&str, &str) {
        self.0.split_once('/').unwrap_or((&self.0, ""))
    }
}

/// The name of the work: `{bucket}/{key}@{version id or null}#{etag}`.
///
/// Deliveries, retries and reconciliation of one object version all arrive at this same text; a time, a
/// message id or an attempt is never part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimKey(String);

/// Why an object version has no claim key. Permanent: the same message fails the same way every time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimKeyError {
    /// The text would exceed [`CLAIM_KEY_MAX_BYTES`].
    #[error("the claim key would be {bytes} bytes, the limit of a partition key is {CLAIM_KEY_MAX_BYTES}")]
    TooLong {
        /// Length it would have, in bytes.
        bytes: usize,
    },
    /// A version id or an ETag holds `@` or `#`, so that two versions could share one text.
    #[error("the {part} holds '@' or '#', which would make the claim key ambiguous")]
    Ambiguous {
        /// Which part.
        part: &'static str,
    },
}

impl ClaimKey {
    /// Names the work of ingesting `version`.
    pub fn of(version: &ObjectVersion) -> Result<Self, ClaimKeyError> {
        for (part, text) in [("version id", version.version_id.as_str()), ("ETag", version.etag.as_str())] {
            if text.contains(['@', '#']) {
                return Err(ClaimKeyError::Ambiguous { part });
            }
        }
        let text = format!(
            "{}/{}@{}#{}",
            version.bucket,
            version.key,
            version.version_id.as_str(),
            version.etag.as_str()
        );
        if text.len() > CLAIM_KEY_MAX_BYTES {
            return Err(ClaimKeyError::TooLong { bytes: text.len() });
        }
        Ok(Self(text))
    }

    /// Takes the key back apart. The version id and the ETag hold neither separator, so reading from the right is exact.
    pub fn parse(raw: &str) -> Option<(Self, ObjectVersion)> {
        let (rest, etag) = raw.rsplit_once('#')?;
        let (rest, version_id) = rest.rsplit_once('@')?;
        let (bucket, key) = rest.split_once('/')?;
        let version = ObjectVersion {
            bucket: bucket.to_owned(),
            key: key.to_owned(),
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(etag),
        };
        Some((Self(raw.to_owned()), version))
    }

    /// The stored text. Never logged: it holds the object key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name that may stand in a log: a prefix of the key's SHA-256.
    pub fn short_hash(&self) -> String {
        short_hash(&self.0)
    }
}

/// A prefix of the SHA-256 of `text`, as a name that tells nothing of it.
pub fn short_hash(text: &str) -> String {
    let mut digits = hex::encode(Sha256::digest(text.as_bytes()));
    digits.truncate(SHORT_HASH_DIGITS);
    digits
}

/// S3's order token for the events of one key.
///
/// Two tokens are compared as text after padding the shorter with zeros on the right, without regard to
/// case; they say nothing across keys. Stored with trailing zeros stripped, which keeps that order under
/// plain text comparison at any length, and so in a DynamoDB condition.
/// Source: "Event message structure", Amazon S3 user guide.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequencer(String);

impl Sequencer {
    /// Reads a token; anything that is not hexadecimal orders nothing and counts as absent.
    pub fn new(raw: &str) -> Option<Self> {
        if raw.is_empty() || !raw.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let folded = raw.to_ascii_uppercase();
        let stripped = folded.trim_end_matches('0');
        Some(Self(if stripped.is_empty() { "0".to_owned() } else { stripped.to_owned() }))
    }

    /// The stored form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The later of two, where an absent one is earlier than any.
    pub fn later(left: Option<Self>, right: Option<Self>) -> Option<Self> {
        left.max(right)
    }
}

/// SHA-256 of an object's bytes, computed here while they stream in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes bytes that are already in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Ends an incremental hash.
    pub fn from_hasher(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// Reads 64 lower-case hexadecimal digits.
    pub fn parse(raw: &str) -> Option<Self> {
        let mut bytes = [0u8; 32];
        hex::decode_to_slice(raw, &mut bytes).ok()?;
        (raw == hex::encode(bytes)).then_some(Self(bytes))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// The processing generation: raised when an improved extractor should read documents again. Part of the
/// identity of every claim and commit; at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Generation(u32);

impl Generation {
    /// The generation of a fresh installation.
    pub const FIRST: Self = Self(1);

    /// `None` for 0.
    pub fn new(number: u32) -> Option<Self> {
        (number > 0).then_some(Self(number))
    }

    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct EpochMs(pub u64);

impl EpochMs {
    /// This much later.
    pub fn plus_ms(self, duration_ms: u64) -> Self {
        Self(self.0.saturating_add(duration_ms))
    }

    /// How long until `later`, 0 when it is past.
    pub fn until_ms(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
    }
}
