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

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    fn version(bucket: &str, key: &str, version_id: &str, etag: &str) -> ObjectVersion {
        ObjectVersion {
            bucket: bucket.to_owned(),
            key: key.to_owned(),
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(etag),
        }
    }

    /// Keys as people and programs write them: separators of our own, dots, control characters, any script.
    fn keys() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z@#/. -]{1,40}",
            "[\u{1}-\u{10ffff}]{1,40}",
            r"[a-z]{0,4}@[A-Za-z0-9]{0,4}#[a-f0-9-]{0,4}",
        ]
    }

    fn versions() -> impl Strategy<Value = ObjectVersion> {
        let ids = prop_oneof![Just(String::new()), Just("null".to_owned()), "[A-Za-z0-9._-]{1,32}"];
        let tags = prop_oneof![Just(String::new()), "[a-f0-9]{32}", "[a-f0-9]{32}-[1-9][0-9]{0,3}"];
        ("[a-z0-9][a-z0-9.-]{2,20}", keys(), ids, tags)
            .prop_map(|(bucket, key, version_id, etag)| version(&bucket, &key, &version_id, &etag))
    }

    /// Versions made of so few letters that two of them are often nearly the same.
    fn close_versions() -> impl Strategy<Value = ObjectVersion> {
        ("[@#/v]{1,5}", "v{0,2}", "v{0,2}").prop_map(|(key, id, etag)| version("b", &key, &id, &etag))
    }

    #[test]
    fn a_version_id_that_is_absent_empty_or_null_is_the_null_version() {
        let table = [
            (None, VersionId::Null, "null"),
            (Some(""), VersionId::Null, "null"),
            (Some("null"), VersionId::Null, "null"),
            (Some("NULL"), VersionId::Id("NULL".into()), "NULL"),
            (Some("nullable"), VersionId::Id("nullable".into()), "nullable"),
            (Some(" "), VersionId::Id(" ".into()), " "),
            (Some("3sL4k.q"), VersionId::Id("3sL4k.q".into()), "3sL4k.q"),
        ];
        for (raw, expected, written) in table {
            let read = VersionId::from_optional(raw);
            assert_eq!(read, expected, "{raw:?}");
            assert_eq!(read.as_str(), written, "{raw:?}");
            assert_eq!(read.is_null(), expected == VersionId::Null, "{raw:?}");
            assert_eq!(VersionId::from_optional(Some(read.as_str())), read, "{raw:?} read again");
        }
    }

    #[test]
    fn an_etag_loses_its_quotes_and_says_whether_it_is_of_parts() {
        let table = [
            // raw, without quotes, of parts
            ("", "", false),
            ("\"\"", "", false),
            ("5d41402abc4b2a76b9719d911017c592", "5d41402abc4b2a76b9719d911017c592", false),
            ("\"5d41402abc4b2a76b9719d911017c592\"", "5d41402abc4b2a76b9719d911017c592", false),
            (" \"5d41402a\" ", "5d41402a", false),
            ("\" 5d41402a \"", "5d41402a", false),
            ("\"5d41402a-2\"", "5d41402a-2", true),
            ("5d41402a-10000", "5d41402a-10000", true),
            ("5d-41402a-2", "5d-41402a-2", true),
            ("5d41402a-", "5d41402a-", false),
            ("5d41402a-2a", "5d41402a-2a", false),
            ("5d41402a--", "5d41402a--", false),
            ("5d41402a-+2", "5d41402a-+2", false),
            ("5d41402a-٢", "5d41402a-٢", false),
            ("5D41402A", "5D41402A", false),
        ];
        for (raw, stripped, multipart) in table {
            let tag = ETag::new(raw);
            assert_eq!(tag.as_str(), stripped, "{raw}");
            assert_eq!(tag.is_empty(), stripped.is_empty(), "{raw}");
            assert_eq!(tag.is_multipart(), multipart, "{raw}");
        }
    }

    #[test]
    fn a_folder_marker_ends_in_a_slash() {
        for (key, expected) in [("a/", true), ("/", true), ("a/b", false), ("", false), ("a/ ", false)] {
            assert_eq!(version("b", key, "V1", "e").is_folder_marker(), expected, "{key:?}");
        }
    }

    #[test]
    fn a_claim_key_is_written_in_one_way() {
        let table = [
            (version("b", "k", "V1", "e"), "b/k@V1#e"),
            (version("b", "k", "", "e"), "b/k@null#e"),
            (version("b", "k", "null", ""), "b/k@null#"),
            (version("b", "a/b c/ü.pdf", "V1", "\"e-2\""), "b/a/b c/ü.pdf@V1#e-2"),
            (version("b", "k@V0#x", "V1", "e"), "b/k@V0#x@V1#e"),
            (version("b", "/k", "V1", "e"), "b//k@V1#e"),
        ];
        for (version, expected) in table {
            assert_eq!(ClaimKey::of(&version).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn a_claim_key_fits_a_partition_key_or_is_refused_with_its_length() {
        let frame_bytes = "b/@V1#e".len();
        for (total_bytes, expected) in [
            (2047, Ok(2047)),
            (2048, Ok(2048)),
            (2049, Err(ClaimKeyError::TooLong { bytes: 2049 })),
            (4096, Err(ClaimKeyError::TooLong { bytes: 4096 })),
        ] {
            let rest_bytes = total_bytes - frame_bytes;
            // Bytes count, not characters: `ü` is two.
            let wide = format!("{}{}", "ü".repeat(rest_bytes / 2), "k".repeat(rest_bytes % 2));
            for key in ["k".repeat(rest_bytes), wide] {
                let made = ClaimKey::of(&version("b", &key, "V1", "e"));
                assert_eq!(made.map(|key| key.as_str().len()), expected, "{total_bytes} bytes");
            }
        }
    }

    #[test]
    fn a_version_id_or_an_etag_with_a_separator_is_ambiguous() {
        let table = [
            (version("b", "k", "V@1", "e"), "version id"),
            (version("b", "k", "V#1", "e"), "version id"),
            (version("b", "k", "V1", "e@"), "ETag"),
            (version("b", "k", "V1", "#e"), "ETag"),
            (version("b", "k", "@", "#"), "version id"),
            // What is ambiguous stays so at any length: the fault that is named does not depend on the key.
            (version("b", &"k".repeat(3000), "V1", "e#"), "ETag"),
        ];
        for (version, part) in table {
            assert_eq!(ClaimKey::of(&version), Err(ClaimKeyError::Ambiguous { part }), "{version:?}");
        }
    }

    #[test]
    fn what_lacks_a_separator_is_no_claim_key() {
        let table = [
            ("", false),
            ("b/k", false),
            ("b/k@V1", false),
            ("b/k#e", false),
            ("bk@V1#e", false),
            ("b/k#e@V1", false),
            ("b/k@V1#e", true),
            ("b/k@#", true),
        ];
        for (raw, expected) in table {
            assert_eq!(ClaimKey::parse(raw).is_some(), expected, "{raw}");
        }
    }

    #[test]
    fn a_document_key_is_split_at_its_first_slash() {
        let table = [
            ("b/k", Some(("b", "k"))),
            ("b/a/b@c#d", Some(("b", "a/b@c#d"))),
            ("b//k", Some(("b", "/k"))),
            ("b/", Some(("b", ""))),
            ("b", None),
            ("", None),
        ];
        for (raw, expected) in table {
            let read = DocumentKey::parse(raw);
            assert_eq!(read.as_ref().map(DocumentKey::split), expected, "{raw}");
            assert_eq!(read.as_ref().map(DocumentKey::as_str), expected.map(|_| raw), "{raw}");
        }
        assert_eq!(version("b", "a/k", "V1", "e").document_key(), DocumentKey::new("b", "a/k"));
    }

    #[test]
    fn a_short_hash_is_the_head_of_the_sha_256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(short_hash("abc"), "ba7816bf8f01cfea");
        let key = ClaimKey::of(&version("b", "k", "V1", "e")).unwrap();
        assert_eq!(key.short_hash(), short_hash("b/k@V1#e"));
    }

    #[test]
    fn only_hexadecimal_is_a_sequencer_and_it_is_stored_without_trailing_zeros() {
        let table = [
            ("", None),
            (" ", None),
            ("0x1A", None),
            ("1G", None),
            ("-1", None),
            ("+1", None),
            ("1A ", None),
            ("١", None),
            ("0", Some("0")),
            ("0000", Some("0")),
            ("1", Some("1")),
            ("10", Some("1")),
            ("0100", Some("01")),
            ("0055aed6dcd90281e5", Some("0055AED6DCD90281E5")),
            ("ABCDEFabcdef", Some("ABCDEFABCDEF")),
        ];
        for (raw, expected) in table {
            assert_eq!(Sequencer::new(raw).as_ref().map(Sequencer::as_str), expected, "{raw:?}");
        }
    }

    #[test]
    fn sequencers_are_padded_on_the_right_before_they_are_compared() {
        let table = [
            ("1", "1", Ordering::Equal),
            ("1", "1000", Ordering::Equal),
            ("0", "00", Ordering::Equal),
            ("a", "A", Ordering::Equal),
            ("1", "2", Ordering::Less),
            ("0", "01", Ordering::Less),
            ("0", "0000000001", Ordering::Less),
            // Numbers would say the opposite of each of these.
            ("1F", "2", Ordering::Less),
            ("00FF", "1", Ordering::Less),
            ("0A", "0AB", Ordering::Less),
            ("9", "10", Ordering::Greater),
            // 18 digits overflow an integer of 64 bits.
            ("FFFFFFFFFFFFFFFFFE", "FFFFFFFFFFFFFFFFFF", Ordering::Less),
        ];
        for (left, right, expected) in table {
            let (left_read, right_read) = (Sequencer::new(left).unwrap(), Sequencer::new(right).unwrap());
            assert_eq!(left_read.cmp(&right_read), expected, "{left} and {right}");
            assert_eq!(right_read.cmp(&left_read), expected.reverse(), "{right} and {left}");
        }
    }

    #[test]
    fn the_later_of_two_sequencers_is_any_before_none() {
        let table = [
            ("", "", ""),
            ("1", "", "1"),
            ("", "1", "1"),
            ("1", "2", "2"),
            ("2", "1", "2"),
            ("9", "10", "9"),
        ];
        for (left, right, expected) in table {
            let later = Sequencer::later(Sequencer::new(left), Sequencer::new(right));
            assert_eq!(later, Sequencer::new(expected), "{left} and {right}");
        }
    }

    #[test]
    fn a_content_hash_is_64_lower_case_digits() {
        let written = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let table = [
            (written.to_owned(), true),
            ("0".repeat(64), true),
            (written.to_uppercase(), false),
            (format!("{}D", &written[..63]), false),
            (written[..63].to_owned(), false),
            (written[..62].to_owned(), false),
            (format!("{written}00"), false),
            (format!("{}g", &written[..63]), false),
            (format!(" {}", &written[..63]), false),
            (String::new(), false),
        ];
        for (raw, expected) in table {
            let read = ContentHash::parse(&raw);
            assert_eq!(read.is_some(), expected, "{raw}");
            assert_eq!(read.map(|hash| hash.to_string()), expected.then(|| raw.clone()), "{raw}");
        }
        let hash = ContentHash::of(b"abc");
        assert_eq!(hash.to_string(), written);
        assert_eq!(format!("{hash:?}"), format!("ContentHash({written})"));
        let mut hasher = Sha256::new();
        hasher.update(b"a");
        hasher.update(b"bc");
        assert_eq!(ContentHash::from_hasher(hasher), hash, "in pieces");
    }

    #[test]
    fn generations_begin_at_one() {
        let table = [(0, None), (1, Some("1")), (2, Some("2")), (u32::MAX, Some("4294967295"))];
        for (number, expected) in table {
            let generation = Generation::new(number);
            assert_eq!(generation.map(|generation| generation.to_string()).as_deref(), expected);
            assert_eq!(generation.map(Generation::get), expected.map(|_| number));
        }
        assert_eq!(Generation::new(1), Some(Generation::FIRST));
    }

    #[test]
    fn times_neither_wrap_nor_run_backwards() {
        let table = [(5, 7, 2), (7, 5, 0), (7, 7, 0), (0, u64::MAX, u64::MAX)];
        for (from, until, expected) in table {
            assert_eq!(EpochMs(from).until_ms(EpochMs(until)), expected, "{from} until {until}");
        }
        for (from, duration, expected) in [(5, 7, 12), (u64::MAX, 1, u64::MAX), (0, 0, 0)] {
            assert_eq!(EpochMs(from).plus_ms(duration), EpochMs(expected), "{from} and {duration}");
        }
    }

    /// The definition, word for word: pad the shorter on the right with zeros, fold the case, compare as text.
    fn by_definition(left: &str, right: &str) -> Ordering {
        let width = left.len().max(right.len());
        let padded = |text: &str| format!("{:0<width$}", text.to_ascii_lowercase());
        padded(left).cmp(&padded(right))
    }

    /// Tokens that often share a head and differ in their tails and zeros.
    fn tokens() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9a-fA-F]{1,24}",
            "[01]{1,6}0{0,6}",
            "0{0,3}[aA]0{0,3}[bB]?0{0,3}1",
            "0055AED6DCD90281[eE]?[0-9]{0,2}0{0,8}",
        ]
    }

    proptest! {
        #[test]
        fn the_order_of_sequencers_is_the_defined_one(left in tokens(), right in tokens()) {
            let (left_read, right_read) = (Sequencer::new(&left).unwrap(), Sequencer::new(&right).unwrap());
            prop_assert_eq!(left_read.cmp(&right_read), by_definition(&left, &right));
            // DynamoDB compares the stored texts byte by byte, so they must agree.
            prop_assert_eq!(left_read.as_str().as_bytes().cmp(right_read.as_str().as_bytes()), by_definition(&left, &right));
            prop_assert_eq!(Sequencer::new(left_read.as_str()), Some(left_read.clone()), "read again");
            let later = Sequencer::later(Some(left_read.clone()), Some(right_read.clone()));
            prop_assert_eq!(later, Some(if by_definition(&left, &right).is_lt() { right_read } else { left_read }));
        }

        #[test]
        fn a_claim_key_is_taken_apart_as_it_was_put_together(version in versions()) {
            let key = ClaimKey::of(&version).unwrap();
            prop_assert_eq!(ClaimKey::parse(key.as_str()), Some((key.clone(), version.clone())));
            let document = version.document_key();
            prop_assert_eq!(document.split(), (version.bucket.as_str(), version.key.as_str()));
            prop_assert_eq!(DocumentKey::parse(document.as_str()), Some(document.clone()));
        }

        #[test]
        fn two_versions_never_share_a_claim_key(left in close_versions(), right in close_versions()) {
            let same_key = ClaimKey::of(&left).unwrap() == ClaimKey::of(&right).unwrap();
            prop_assert_eq!(same_key, left == right);
        }

        #[test]
        fn an_etag_read_again_is_the_same(raw in any::<String>(), quoted in "[\" a\t-]{0,8}") {
            for raw in [raw, quoted] {
                let tag = ETag::new(&raw);
                prop_assert_eq!(ETag::new(tag.as_str()), tag.clone());
                prop_assert_eq!(ETag::new(&format!("\"{}\"", tag.as_str())), tag);
            }
        }

        #[test]
        fn any_bytes_have_a_hash_that_can_be_read_again(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let hash = ContentHash::of(&bytes);
            prop_assert_eq!(ContentHash::parse(&hash.to_string()), Some(hash));
        }

        #[test]
        fn what_is_no_hash_is_refused(raw in "[0-9a-fA-F]{60,68}") {
            let lower = raw.bytes().all(|byte| !byte.is_ascii_uppercase());
            prop_assert_eq!(ContentHash::parse(&raw).is_some(), raw.len() == 64 && lower);
        }
    }
}
