//! Versioned objects in a folder, behind the same port as S3.
//!
//! ```text
//! objects/
//!   <hash of the bucket's name>/
//!     bucket.json                  name and versioning
//!     lock
//!     <hash of the key>/
//!       lock                       one writer of this key at a time, across processes
//!       manifest.json              the key's versions, oldest first; replaced whole
//!       <random name>.bytes        one version's bytes, never changed
//! ```
//!
//! A key is opaque text: it names a folder by its hash and is never joined onto a path. Readers take no lock:
//! a manifest is replaced by a rename, and bytes that a manifest names were flushed before it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{fresh_name, lock_file, write_atomically};
use crate::fetch::Current;
use crate::fetch::{BodyReader, ByteBudget, ErrorAnswer, FetchError, FetchedObject, classify};
use crate::identity::{ContentHash, ETag, EpochMs, ObjectVersion, VersionId};
use crate::ports::clock::{Clock, SystemClock};
use crate::ports::objects::Objects;

/// The longest key, in bytes of UTF-8. Source: "Naming Amazon S3 objects", Amazon S3 user guide.
pub const KEY_MAX_BYTES: usize = 1024;
/// User metadata of one object, names and values together, in bytes.
/// Source: "Working with object metadata", Amazon S3 user guide.
pub const METADATA_MAX_BYTES: usize = 2048;
/// The longest bucket name, in bytes. Source: "General purpose bucket naming rules", Amazon S3 user guide.
pub const BUCKET_NAME_MAX_BYTES: usize = 63;

/// Digits of a sequencer. S3's have 16 and more; a fixed width makes the comparison as text the numeric one.
const SEQUENCER_DIGITS: usize = 18;
/// A sequencer is a time in milliseconds, moved up by this many bits that count changes within one.
const SEQUENCER_COUNTER_BITS: u32 = 16;
/// Digits of an entity tag that is made from a hash.
const ETAG_DIGITS: usize = 32;
/// Digits of a version id.
const VERSION_ID_DIGITS: usize = 32;
/// The tag of no bytes, which a delete marker's event carries as S3's does (there the MD5 of nothing).
const EMPTY_ETAG: &str = "d41d8cd98f00b204e9800998ecf8427e";
/// How many bytes are read from a file at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// How often a reader looks again when the bytes it was about to read were replaced under it.
const READ_TRIES_MAX: u32 = 5;

const BUCKET_FILE: &str = "bucket.json";
const MANIFEST_FILE: &str = "manifest.json";
const LOCK_FILE: &str = "lock";

/// Whether a bucket keeps what is overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Versioning {
    /// Never switched on: one version a key, called `null`, replaced in place.
    Off,
    /// Each put makes a version of its own.
    On,
    /// Switched off again: puts replace the `null` version, the others stay.
    Suspended,
}

/// Why the folder did not do what was asked. Holds no key and no content.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// No such bucket.
    #[error("there is no such bucket")]
    NoSuchBucket,
    /// No such version under this key.
    #[error("there is no such object version")]
    NoSuchVersion,
    /// A name that S3 would not take as a bucket's.
    #[error("a bucket's name has 3 to {BUCKET_NAME_MAX_BYTES} lower-case letters, digits, dots and hyphens")]
    BucketName,
    /// An empty key, or one over the limit.
    #[error("a key has 1 to {KEY_MAX_BYTES} bytes, this one {bytes}")]
    KeyLength {
        /// Its length in bytes.
        bytes: usize,
    },
    /// Too much user metadata.
    #[error("user metadata may have {METADATA_MAX_BYTES} bytes, this has {bytes}")]
    MetadataLength {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A manifest that is none.
    #[error("a manifest of the object folder is damaged")]
    DamagedManifest,
    /// A file could not be read or written.
    #[error("the object folder cannot be used: {0}")]
    Io(#[from] io::Error),
}

impl FolderError {
    /// A code for counting.
    fn kind(&self) -> &'static str {
        match self {
            Self::NoSuchBucket => "no_such_bucket",
            Self::NoSuchVersion => "no_such_version",
            Self::BucketName => "bucket_name",
            Self::KeyLength { .. } => "key_length",
            Self::MetadataLength { .. } => "metadata_length",
            Self::DamagedManifest => "damaged_manifest",
            Self::Io(error) if error.kind() == io::ErrorKind::TimedOut => "lock_timeout",
            Self::Io(_) => "io",
        }
    }

    /// What S3 would have answered.
    fn as_fetch_error(&self) -> FetchError {
        match self {
            Self::NoSuchBucket => answer(404, "NoSuchBucket", false),
            Self::NoSuchVersion => answer(404, "NoSuchVersion", false),
            other => FetchError::transient(format!("folder_{}", other.kind())),
        }
    }
}

/// The error that this answer of S3 becomes, so that both stores are read by one table.
fn answer(status: u16, code: &str, delete_marker: bool) -> FetchError {
    classify(&ErrorAnswer { status, code: Some(code), delete_marker })
}

/// Answer to a put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutReceipt {
    /// The version that was made.
    pub version: ObjectVersion,
    /// The event's place in the key's order, as S3 writes it: hexadecimal, later ones greater.
    pub sequencer: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When.
    pub at: EpochMs,
}

/// A version as it lies in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// The answer that putting it had, so that its event can be told again.
    pub receipt: PutReceipt,
    /// SHA-256 of its bytes.
    pub hash: ContentHash,
    /// Its user metadata.
    pub metadata: BTreeMap<String, String>,
}

/// What a removal did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalKind {
    /// A delete marker was put on top.
    MarkerCreated,
    /// A version is gone for good.
    Deleted,
}

/// Answer to a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalReceipt {
    /// The version that is gone, or the delete marker's own.
    pub version: ObjectVersion,
    /// Which of the two.
    pub kind: RemovalKind,
    /// The event's place in the key's order.
    pub sequencer: String,
    /// When.
    pub at: EpochMs,
}

/// What a put may say beyond its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PutOptions {
    /// User metadata; names become lower-case as S3 makes them.
    pub metadata: BTreeMap<String, String>,
    /// Gives the entity tag the look of an upload in this many parts (`…-2`).
    pub parts: Option<u32>,
    /// The version id and tag to put it under, where an event already names them: it becomes the oldest version, and
    /// one of this id that is there already stays. Otherwise fresh ones, and it becomes the newest.
    pub identity: Option<(VersionId, ETag)>,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedVersion {
    /// Its identity.
    pub version: ObjectVersion,
    /// Its size in bytes; 0 for a delete marker.
    pub size_bytes: u64,
    /// Whether it is the newest under its key.
    pub is_latest: bool,
    /// Whether it is a delete marker.
    pub is_delete_marker: bool,
    /// When it was made.
    pub last_modified: EpochMs,
}

/// A folder of buckets. Clones share it; so may other processes.
#[derive(Debug)]
pub struct FolderObjects<C = SystemClock> {
    root: Arc<Path>,
    clock: Arc<C>,
}

impl<C> Clone for FolderObjects<C> {
    fn clone(&self) -> Self {
        Self { root: Arc::clone(&self.root), clock: Arc::clone(&self.clock) }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct BucketFile {
    name: String,
    versioning: Versioning,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    bucket: String,
    key: String,
    /// The last sequencer given out; it outlives the versions, so that the order of a key never restarts.
    last_sequencer: u64,
    /// Oldest first; the last one is current.
    versions: Vec<StoredVersion>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredVersion {
    /// `null` or an id.
    version_id: String,
    etag: String,
    /// The place its event had in the key's order, so that the same event can be told again.
    sequencer: String,
    at_ms: u64,
    /// Absent for a delete marker.
    content: Option<StoredContent>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredContent {
    file: String,
    size_bytes: u64,
    sha256: String,
    metadata: BTreeMap<String, String>,
    archived: bool,
}

impl Manifest {
    fn new(bucket: &str, key: &str) -> Self {
        Self { bucket: bucket.to_owned(), key: key.to_owned(), last_sequencer: 0, versions: Vec::new() }
    }

    fn position(&self, version_id: &VersionId) -> Option<usize> {
        self.versions.iter().position(|version| version.version_id == version_id.as_str())
    }

    fn identity(&self, stored: &StoredVersion) -> ObjectVersion {
        ObjectVersion {
            bucket: self.bucket.clone(),
            key: self.key.clone(),
            version_id: VersionId::from_optional(Some(&stored.version_id)),
            etag: ETag::new(&stored.etag),
        }
    }

    /// The answer that putting this version had; `None` for a delete marker.
    fn receipt(&self, stored: &StoredVersion) -> Option<PutReceipt> {
        let content = stored.content.as_ref()?;
        Some(PutReceipt {
            version: self.identity(stored),
            sequencer: stored.sequencer.clone(),
            size_bytes: content.size_bytes,
            at: EpochMs(stored.at_ms),
        })
    }

    /// The next sequencer: later than every earlier one of this key, also when the clock went back.
    fn next_sequencer(&mut self, now: EpochMs) -> String {
        let by_clock = now.0.min(u64::MAX >> SEQUENCER_COUNTER_BITS) << SEQUENCER_COUNTER_BITS;
        self.last_sequencer = by_clock.max(self.last_sequencer.saturating_add(1));
        // Later than any sequencer of a recorded event: what is put in here is newer than what was written down.
        format!("FF{:0DIGITS$X}", self.last_sequencer, DIGITS = SEQUENCER_DIGITS - 2)
    }
}

impl FolderObjects {
    /// Buckets under this folder, on the real clock. The folder is created with the first bucket.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self::with_clock(root, Arc::new(SystemClock))
    }
}

impl<C: Clock> FolderObjects<C> {
    /// Buckets under this folder, with times and version ids from `clock`.
    pub fn with_clock(root: impl AsRef<Path>, clock: Arc<C>) -> Self {
        Self { root: Arc::from(root.as_ref()), clock }
    }

    /// Creates a bucket; one that exists stays as it is, versioning included.
    pub async fn create_bucket(&self, bucket: &str, versioning: Versioning) -> Result<(), FolderError> {
        let (store, bucket) = (self.clone(), bucket.to_owned());
        blocking(move || store.create_bucket_now(&bucket, versioning)).await
    }

    /// Switches versioning on, or suspends it. As in S3, a bucket never goes back to having had none.
    pub async fn set_versioning(&self, bucket: &str, on: bool) -> Result<(), FolderError> {
        let (store, bucket) = (self.clone(), bucket.to_owned());
        blocking(move || {
            let folder = store.bucket_folder(&bucket);
            let _lock = store.lock_bucket(&bucket)?;
            let mut file = read_bucket(&folder)?;
            file.versioning = match (on, file.versioning) {
                (true, _) => Versioning::On,
                (false, Versioning::Off) => Versioning::Off,
                (false, _) => Versioning::Suspended,
            };
            write_json(&folder.join(BUCKET_FILE), &file)
        })
        .await
    }

    /// Puts an object. The same bytes again make a new version, as in S3.
    pub async fn put(
        &self,
        bucket: &str,
        key: &str,
        bytes: impl Into<bytes::Bytes>,
        metadata: BTreeMap<String, String>,
    ) -> Result<PutReceipt, FolderError> {
        self.put_with(bucket, key, bytes, PutOptions { metadata, ..PutOptions::default() }).await
    }

    /// Puts an object, with everything a put may say.
    pub async fn put_with(
        &self,
        bucket: &str,
        key: &str,
        bytes: impl Into<bytes::Bytes>,
        options: PutOptions,
    ) -> Result<PutReceipt, FolderError> {
        let (store, bucket, key, bytes) = (self.clone(), bucket.to_owned(), key.to_owned(), bytes.into());
        blocking(move || store.put_now(&bucket, &key, &bytes, &options)).await
    }

    /// What is under a key, oldest first. Delete markers are left out.
    pub async fn receipts(&self, bucket: &str, key: &str) -> Result<Vec<StoredObject>, FolderError> {
        let (store, bucket, key) = (self.clone(), bucket.to_owned(), key.to_owned());
        blocking(move || {
            let Some(manifest) = store.read_manifest(&bucket, &key)? else { return Ok(Vec::new()) };
            let known = |stored: &StoredVersion| {
                let content = stored.content.as_ref()?;
                Some(StoredObject {
                    receipt: manifest.receipt(stored)?,
                    hash: ContentHash::parse(&content.sha256)?,
                    metadata: content.metadata.clone(),
                })
            };
            Ok(manifest.versions.iter().filter_map(known).collect())
        })
        .await
    }

    /// Removes what is current: a delete marker where versions are kept, for good where they are not. `None` when
    /// there was nothing that could be removed for good; S3 sends no event then.
    pub async fn delete(&self, bucket: &str, key: &str) -> Result<Option<RemovalReceipt>, FolderError> {
        let (store, bucket, key) = (self.clone(), bucket.to_owned(), key.to_owned());
        blocking(move || store.delete_now(&bucket, &key)).await
    }

    /// Removes one version (or one delete marker) for good; `None` when it was not there.
    pub async fn delete_version(
        &self,
        bucket: &str,
        key: &str,
        version_id: &VersionId,
    ) -> Result<Option<RemovalReceipt>, FolderError> {
        let (store, bucket, key) = (self.clone(), bucket.to_owned(), key.to_owned());
        let version_id = version_id.clone();
        blocking(move || store.delete_version_now(&bucket, &key, &version_id)).await
    }

    /// Parks a version in an archive tier, from which it cannot be fetched, or restores it.
    pub async fn set_archived(&self, version: &ObjectVersion, archived: bool) -> Result<(), FolderError> {
        let (store, version) = (self.clone(), version.clone());
        blocking(move || {
            store.change(&version.bucket, &version.key, |change| {
                let position = change.manifest.position(&version.version_id);
                let stored = position.map(|position| &mut change.manifest.versions[position]);
                let content = stored.and_then(|stored| stored.content.as_mut());
                content.ok_or(FolderError::NoSuchVersion)?.archived = archived;
                Ok(())
            })
        })
        .await
    }

    /// All versions and delete markers of a bucket, by key and, as S3 lists them, the newest of a key first.
    /// Reads every manifest, since the folder is not sorted by key.
    pub async fn list_versions(&self, bucket: &str) -> Result<Vec<ListedVersion>, FolderError> {
        let (store, bucket) = (self.clone(), bucket.to_owned());
        blocking(move || store.list_now(&bucket)).await
    }

    /// Names of all buckets, sorted.
    pub async fn buckets(&self) -> Result<Vec<String>, FolderError> {
        let store = self.clone();
        blocking(move || {
            let mut names = Vec::new();
            for folder in folders_in(&store.root)? {
                match read_bucket(&folder) {
                    Ok(file) => names.push(file.name),
                    // Another process is creating it.
                    Err(FolderError::NoSuchBucket) => {}
                    Err(error) => return Err(error),
                }
            }
            names.sort();
            Ok(names)
        })
        .await
    }

    fn bucket_folder(&self, bucket: &str) -> PathBuf {
        self.root.join(name_of(bucket))
    }

    fn lock_bucket(&self, bucket: &str) -> Result<File, FolderError> {
        match lock_file(&self.bucket_folder(bucket).join(LOCK_FILE)) {
            Ok(lock) => Ok(lock),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(FolderError::NoSuchBucket),
            Err(error) => Err(error.into()),
        }
    }

    fn create_bucket_now(&self, bucket: &str, versioning: Versioning) -> Result<(), FolderError> {
        check_bucket_name(bucket)?;
        let folder = self.bucket_folder(bucket);
        fs::create_dir_all(&folder)?;
        let _lock = self.lock_bucket(bucket)?;
        match read_bucket(&folder) {
            Err(FolderError::NoSuchBucket) => {
                write_json(&folder.join(BUCKET_FILE), &BucketFile { name: bucket.to_owned(), versioning })
            }
            other => other.map(drop),
        }
    }

    fn put_now(
        &self,
        bucket: &str,
        key: &str,
        bytes: &[u8],
        options: &PutOptions,
    ) -> Result<PutReceipt, FolderError> {
        let metadata = checked_metadata(&options.metadata)?;
        let hash = ContentHash::of(bytes);
        self.change(bucket, key, |change| {
            // A name nobody else has: two writers never write one file, and a reader of the version that is being
            // replaced keeps its own.
            let file = format!("{}.bytes", fresh_name());
            write_new(&change.folder.join(&file), bytes)?;
            let parts = options.parts.map_or_else(String::new, |parts| format!("-{parts}"));
            let given = options.identity.clone();
            let (version_id, etag) = match given {
                Some((version_id, etag)) => (version_id.as_str().to_owned(), etag.as_str().to_owned()),
                None => (
                    change.new_version_id(&*self.clock),
                    format!("{:.ETAG_DIGITS$}{parts}", hash.to_string()),
                ),
            };
            let stored = StoredVersion {
                version_id,
                etag,
                sequencer: change.manifest.next_sequencer(change.now),
                at_ms: change.now.0,
                content: Some(StoredContent {
                    file,
                    size_bytes: bytes.len() as u64,
                    sha256: hash.to_string(),
                    metadata: metadata.clone(),
                    archived: false,
                }),
            };
            let receipt = change.manifest.receipt(&stored).expect("it has content");
            if options.identity.is_some() {
                change.push_as_oldest(stored);
            } else {
                change.push(stored);
            }
            Ok(receipt)
        })
    }

    fn delete_now(&self, bucket: &str, key: &str) -> Result<Option<RemovalReceipt>, FolderError> {
        self.change(bucket, key, |change| {
            if change.versioning == Versioning::Off {
                return Ok(change.remove(&VersionId::Null));
            }
            let sequencer = change.manifest.next_sequencer(change.now);
            let marker = StoredVersion {
                version_id: change.new_version_id(&*self.clock),
                etag: EMPTY_ETAG.to_owned(),
                sequencer: sequencer.clone(),
                at_ms: change.now.0,
                content: None,
            };
            Ok(Some(RemovalReceipt {
                version: change.push(marker),
                kind: RemovalKind::MarkerCreated,
                sequencer,
                at: change.now,
            }))
        })
    }

    fn delete_version_now(
        &self,
        bucket: &str,
        key: &str,
        version_id: &VersionId,
    ) -> Result<Option<RemovalReceipt>, FolderError> {
        self.change(bucket, key, |change| Ok(change.remove(version_id)))
    }

    /// Changes a key's manifest under the key's lock. Bytes that it no longer names are removed afterwards: a crash
    /// in between leaves a file that nobody names, never a name without its file.
    fn change<T>(
        &self,
        bucket: &str,
        key: &str,
        work: impl FnOnce(&mut Change) -> Result<T, FolderError>,
    ) -> Result<T, FolderError> {
        check_key(key)?;
        let bucket_folder = self.bucket_folder(bucket);
        let versioning = read_bucket(&bucket_folder)?.versioning;
        let folder = bucket_folder.join(name_of(key));
        fs::create_dir_all(&folder)?;
        let _lock = lock_file(&folder.join(LOCK_FILE))?;
        let manifest = read_manifest_in(&folder)?.unwrap_or_else(|| Manifest::new(bucket, key));
        let mut change = Change { folder, versioning, manifest, now: self.clock.now(), dropped: Vec::new() };
        let answer = work(&mut change)?;
        write_json(&change.folder.join(MANIFEST_FILE), &change.manifest)?;
        for file in change.dropped {
            // It is out of the manifest, which is what counts.
            let _ = fs::remove_file(change.folder.join(file));
        }
        Ok(answer)
    }

    fn read_manifest(&self, bucket: &str, key: &str) -> Result<Option<Manifest>, FolderError> {
        let folder = self.bucket_folder(bucket);
        read_bucket(&folder)?;
        read_manifest_in(&folder.join(name_of(key)))
    }

    fn list_now(&self, bucket: &str) -> Result<Vec<ListedVersion>, FolderError> {
        let folder = self.bucket_folder(bucket);
        read_bucket(&folder)?;
        let mut manifests = Vec::new();
        for folder in folders_in(&folder)? {
            manifests.extend(read_manifest_in(&folder)?);
        }
        manifests.sort_by(|left, right| left.key.cmp(&right.key));
        let mut listed = Vec::new();
        for manifest in &manifests {
            for (age, stored) in manifest.versions.iter().rev().enumerate() {
                listed.push(ListedVersion {
                    version: manifest.identity(stored),
                    size_bytes: stored.content.as_ref().map_or(0, |content| content.size_bytes),
                    is_latest: age == 0,
                    is_delete_marker: stored.content.is_none(),
                    last_modified: EpochMs(stored.at_ms),
                });
            }
        }
        Ok(listed)
    }

    /// What `version` names, or what S3 would say instead.
    fn find(&self, version: &ObjectVersion) -> Result<(StoredContent, ETag), FetchError> {
        let manifest =
            self.read_manifest(&version.bucket, &version.key).map_err(|error| error.as_fetch_error())?;
        let Some(manifest) = manifest else {
            return Err(answer(404, "NoSuchKey", false));
        };
        let Some(position) = manifest.position(&version.version_id) else {
            return Err(answer(404, "NoSuchVersion", false));
        };
        let stored = &manifest.versions[position];
        let Some(content) = &stored.content else {
            return Err(answer(405, "MethodNotAllowed", true));
        };
        let asked = &version.etag;
        if version.version_id.is_null() && !asked.is_empty() && asked.as_str() != stored.etag {
            return Err(answer(412, "PreconditionFailed", false));
        }
        if content.archived {
            return Err(answer(403, "InvalidObjectState", false));
        }
        Ok((content.clone(), ETag::new(&stored.etag)))
    }
}

/// One change of one key, under its lock.
struct Change {
    folder: PathBuf,
    versioning: Versioning,
    manifest: Manifest,
    now: EpochMs,
    /// Files that are no longer named.
    dropped: Vec<String>,
}

impl Change {
    fn new_version_id(&self, clock: &impl Clock) -> String {
        if self.versioning == Versioning::On {
            let digest = hex::encode(Sha256::digest(clock.fresh_id()));
            format!("{digest:.VERSION_ID_DIGITS$}")
        } else {
            VersionId::Null.as_str().to_owned()
        }
    }

    /// Makes a version current. The null version replaces the earlier one, wherever that stood.
    fn push(&mut self, stored: StoredVersion) -> ObjectVersion {
        if stored.version_id == VersionId::Null.as_str() {
            self.take_out(&VersionId::Null);
        }
        let identity = self.manifest.identity(&stored);
        self.manifest.versions.push(stored);
        identity
    }

    /// Adds a version that an event named before it came here: whatever is there already is newer.
    fn push_as_oldest(&mut self, stored: StoredVersion) {
        if self.manifest.position(&VersionId::from_optional(Some(&stored.version_id))).is_none() {
            self.manifest.versions.insert(0, stored);
        }
    }

    fn remove(&mut self, version_id: &VersionId) -> Option<RemovalReceipt> {
        let version = self.take_out(version_id)?;
        let sequencer = self.manifest.next_sequencer(self.now);
        Some(RemovalReceipt { version, kind: RemovalKind::Deleted, sequencer, at: self.now })
    }

    fn take_out(&mut self, version_id: &VersionId) -> Option<ObjectVersion> {
        let stored = self.manifest.versions.remove(self.manifest.position(version_id)?);
        let identity = self.manifest.identity(&stored);
        self.dropped.extend(stored.content.map(|content| content.file));
        Some(identity)
    }
}

impl<C: Clock> Objects for FolderObjects<C> {
    async fn fetch<'budget>(
        &self,
        version: &ObjectVersion,
        budget: &'budget ByteBudget,
    ) -> Result<FetchedObject<'budget>, FetchError> {
        for _ in 0..READ_TRIES_MAX {
            let (store, wanted) = (self.clone(), version.clone());
            let (content, etag) = blocking(move || store.find(&wanted)).await?;
            let admitted = budget.admit(Some(content.size_bytes)).await?;
            let path = self.bucket_folder(&version.bucket).join(name_of(&version.key)).join(&content.file);
            let limit_bytes = budget.max_object_bytes();
            let size_bytes = content.size_bytes;
            let Some((bytes, hash)) = blocking(move || read_bytes(&path, size_bytes, limit_bytes)).await?
            else {
                // Replaced or removed since the manifest was read: the next look says which.
                continue;
            };
            if hash.to_string() != content.sha256 {
                return Err(FetchError::transient("checksum_mismatch"));
            }
            return Ok(FetchedObject { bytes, hash, etag, metadata: content.metadata, admitted });
        }
        Err(FetchError::transient("folder_busy"))
    }

    async fn current(&self, bucket: &str, key: &str) -> Result<Current, FetchError> {
        let (store, bucket, key) = (self.clone(), bucket.to_owned(), key.to_owned());
        blocking(move || {
            let manifest = store.read_manifest(&bucket, &key).map_err(|error| error.as_fetch_error())?;
            let current = manifest.as_ref().and_then(|manifest| {
                let stored = manifest.versions.last()?;
                let size_bytes = stored.content.as_ref()?.size_bytes;
                Some(Current::Version { version: manifest.identity(stored), size_bytes: Some(size_bytes) })
            });
            Ok(current.unwrap_or(Current::Nothing))
        })
        .await
    }
}

/// Runs file work where it may block.
async fn blocking<T: Send + 'static, E: Blocked + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_panicked| Err(E::blocked()))
}

/// What is answered when file work panicked or the runtime is ending.
trait Blocked {
    fn blocked() -> Self;
}

impl Blocked for FolderError {
    fn blocked() -> Self {
        Self::Io(io::Error::other("the work was interrupted"))
    }
}

impl Blocked for FetchError {
    fn blocked() -> Self {
        Self::transient("folder_interrupted")
    }
}

/// The bytes of a file through the bounded, hashing reader; `None` when there is no such file.
fn read_bytes(
    path: &Path,
    size_bytes: u64,
    limit_bytes: u64,
) -> Result<Option<(bytes::Bytes, ContentHash)>, FetchError> {
    let failed = |error: io::Error| FolderError::from(error).as_fetch_error();
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut reader = BodyReader::new(Some(size_bytes), limit_bytes);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return reader.finish().map(Some),
            Ok(count) => reader.take(&chunk[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// The name of a folder for any text: fixed length, and nothing of the text in it.
fn name_of(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn check_key(key: &str) -> Result<(), FolderError> {
    match key.len() {
        1..=KEY_MAX_BYTES => Ok(()),
        bytes => Err(FolderError::KeyLength { bytes }),
    }
}

fn check_bucket_name(name: &str) -> Result<(), FolderError> {
    let plain =
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte));
    let length_fits = (3..=BUCKET_NAME_MAX_BYTES).contains(&name.len());
    if plain && length_fits { Ok(()) } else { Err(FolderError::BucketName) }
}

fn checked_metadata(metadata: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, FolderError> {
    let bytes = metadata.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > METADATA_MAX_BYTES {
        return Err(FolderError::MetadataLength { bytes });
    }
    Ok(metadata.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect())
}

fn read_bucket(folder: &Path) -> Result<BucketFile, FolderError> {
    read_json(&folder.join(BUCKET_FILE))?.ok_or(FolderError::NoSuchBucket)
}

fn read_manifest_in(folder: &Path) -> Result<Option<Manifest>, FolderError> {
    read_json(&folder.join(MANIFEST_FILE))
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, FolderError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_error| FolderError::DamagedManifest),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), FolderError> {
    let bytes = serde_json::to_vec_pretty(value).map_err(io::Error::other)?;
    Ok(write_atomically(path, &bytes)?)
}

/// Writes and flushes a file that must not exist yet. Its name becomes durable with the manifest that follows,
/// which flushes the folder they share.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create_new(true).write(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The folders in a folder; none when it does not exist.
fn folders_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::hand_clock::HandClock;
    use crate::identity::Sequencer;

    const BUCKET: &str = "lease-inbox";

    async fn store(versioning: Versioning) -> (tempfile::TempDir, FolderObjects) {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderObjects::new(folder.path());
        store.create_bucket(BUCKET, versioning).await.unwrap();
        (folder, store)
    }

    async fn put(store: &FolderObjects, key: &str, bytes: &'static [u8]) -> PutReceipt {
        store.put(BUCKET, key, bytes, BTreeMap::new()).await.unwrap()
    }

    fn budget() -> ByteBudget {
        ByteBudget::new(1_000_000, 1_000_000)
    }

    /// What fetching answers, reduced to the bytes.
    async fn fetched(store: &FolderObjects, version: &ObjectVersion) -> Result<Vec<u8>, FetchError> {
        store.fetch(version, &budget()).await.map(|object| object.bytes.to_vec())
    }

    async fn current_bytes(store: &FolderObjects, key: &str) -> Option<Vec<u8>> {
        match store.current(BUCKET, key).await.unwrap() {
            Current::Nothing => None,
            Current::Version { version, size_bytes } => {
                let bytes = fetched(store, &version).await.unwrap();
                assert_eq!(size_bytes, Some(bytes.len() as u64));
                Some(bytes)
            }
        }
    }

    fn files_under(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                files.extend(files_under(&entry.path()));
            } else {
                files.push(entry.path());
            }
        }
        files
    }

    #[tokio::test]
    async fn each_state_of_versioning_keeps_what_it_should() {
        // Puts "one" and "two", then what each bucket still has.
        let table = [
            (Versioning::Off, Err(FetchError::Superseded), true),
            (Versioning::On, Ok(b"one".to_vec()), false),
            (Versioning::Suspended, Err(FetchError::Superseded), true),
        ];
        for (versioning, first_bytes, is_null) in table {
            let (_folder, store) = store(versioning).await;
            let first = put(&store, "a.pdf", b"one").await;
            let second = put(&store, "a.pdf", b"two").await;
            assert_eq!(first.version.version_id.is_null(), is_null, "{versioning:?}");
            assert_eq!(fetched(&store, &first.version).await, first_bytes, "{versioning:?}");
            assert_eq!(fetched(&store, &second.version).await, Ok(b"two".to_vec()), "{versioning:?}");
            assert_eq!(current_bytes(&store, "a.pdf").await, Some(b"two".to_vec()), "{versioning:?}");
            let listed = store.list_versions(BUCKET).await.unwrap();
            assert_eq!(listed.len(), if is_null { 1 } else { 2 }, "{versioning:?}");
            assert!(listed[0].is_latest && listed[0].version == second.version, "{versioning:?}");
        }
    }

    #[tokio::test]
    async fn the_same_bytes_again_are_a_new_version_with_the_same_tag() {
        let (_folder, store) = store(Versioning::On).await;
        let first = put(&store, "a.pdf", b"same").await;
        let second = put(&store, "a.pdf", b"same").await;
        assert_ne!(first.version.version_id, second.version.version_id);
        assert_eq!(first.version.etag, second.version.etag);
        assert_eq!(first.version.etag.as_str().len(), ETAG_DIGITS);
        assert!(Sequencer::new(&first.sequencer) < Sequencer::new(&second.sequencer));
    }

    #[tokio::test]
    async fn a_removal_hides_or_removes_and_says_which() {
        let (_folder, store) = store(Versioning::On).await;
        let first = put(&store, "a.pdf", b"one").await;
        let second = put(&store, "a.pdf", b"two").await;

        // A delete marker hides, and is itself a version that cannot be fetched.
        let marker = store.delete(BUCKET, "a.pdf").await.unwrap().unwrap();
        assert_eq!(marker.kind, RemovalKind::MarkerCreated);
        assert_eq!(current_bytes(&store, "a.pdf").await, None);
        assert_eq!(fetched(&store, &marker.version).await, Err(FetchError::DeleteMarker));
        assert_eq!(fetched(&store, &second.version).await, Ok(b"two".to_vec()));

        // Without it the newest is back; without that the older one is.
        let removed =
            store.delete_version(BUCKET, "a.pdf", &marker.version.version_id).await.unwrap().unwrap();
        assert_eq!(removed.kind, RemovalKind::Deleted);
        assert_eq!(current_bytes(&store, "a.pdf").await, Some(b"two".to_vec()));
        store.delete_version(BUCKET, "a.pdf", &second.version.version_id).await.unwrap().unwrap();
        assert_eq!(current_bytes(&store, "a.pdf").await, Some(b"one".to_vec()));
        assert_eq!(fetched(&store, &second.version).await, Err(FetchError::NotFound));
        assert_eq!(store.delete_version(BUCKET, "a.pdf", &second.version.version_id).await.unwrap(), None);

        let order = [&first.sequencer, &second.sequencer, &marker.sequencer, &removed.sequencer];
        assert!(order.is_sorted_by(|left, right| Sequencer::new(left) < Sequencer::new(right)));
    }

    #[tokio::test]
    async fn without_versioning_a_removal_is_for_good_and_the_order_goes_on() {
        let (folder, store) = store(Versioning::Off).await;
        let first = put(&store, "a.pdf", b"one").await;
        let removed = store.delete(BUCKET, "a.pdf").await.unwrap().unwrap();
        assert_eq!((removed.kind, &removed.version), (RemovalKind::Deleted, &first.version));
        assert_eq!(store.delete(BUCKET, "a.pdf").await.unwrap(), None);
        assert_eq!(fetched(&store, &first.version).await, Err(FetchError::NotFound));
        assert!(store.list_versions(BUCKET).await.unwrap().is_empty());
        let bytes = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "bytes");
        assert_eq!(files_under(folder.path()).iter().filter(|path| bytes(path)).count(), 0);
        let again = put(&store, "a.pdf", b"one").await;
        assert!(Sequencer::new(&removed.sequencer) < Sequencer::new(&again.sequencer));
    }

    #[tokio::test]
    async fn a_null_version_under_newer_ones_can_still_be_fetched() {
        let (_folder, store) = store(Versioning::Off).await;
        let null = put(&store, "a.pdf", b"null").await;
        store.set_versioning(BUCKET, true).await.unwrap();
        let newer = put(&store, "a.pdf", b"newer").await;
        assert_eq!(fetched(&store, &null.version).await, Ok(b"null".to_vec()));
        assert_eq!(current_bytes(&store, "a.pdf").await, Some(b"newer".to_vec()));

        // Suspended: the null version is replaced and comes out on top; the other one stays.
        store.set_versioning(BUCKET, false).await.unwrap();
        let replaced = put(&store, "a.pdf", b"replaced").await;
        assert!(replaced.version.version_id.is_null());
        assert_eq!(fetched(&store, &null.version).await, Err(FetchError::Superseded));
        assert_eq!(fetched(&store, &newer.version).await, Ok(b"newer".to_vec()));
        assert_eq!(current_bytes(&store, "a.pdf").await, Some(b"replaced".to_vec()));
        let marker = store.delete(BUCKET, "a.pdf").await.unwrap().unwrap();
        assert_eq!((marker.kind, marker.version.version_id.is_null()), (RemovalKind::MarkerCreated, true));
        assert_eq!(fetched(&store, &replaced.version).await, Err(FetchError::DeleteMarker));
    }

    #[tokio::test]
    async fn fetching_answers_as_s3_does() {
        let (_folder, store) = store(Versioning::On).await;
        let put = put(&store, "a.pdf", b"twelve bytes").await;
        let with = |change: fn(&mut ObjectVersion)| {
            let mut version = put.version.clone();
            change(&mut version);
            version
        };
        let table = [
            ("as put", with(|_| {}), Ok(b"twelve bytes".to_vec())),
            ("another key", with(|version| version.key.push('x')), Err(FetchError::NotFound)),
            ("another version", with(|version| version.version_id = VersionId::Id("x".to_owned())), {
                Err(FetchError::NotFound)
            }),
            (
                "no null version",
                with(|version| version.version_id = VersionId::Null),
                Err(FetchError::NotFound),
            ),
            ("another bucket", with(|version| version.bucket.push('x')), {
                Err(FetchError::transient("s3_404_NoSuchBucket"))
            }),
        ];
        for (name, version, expected) in table {
            assert_eq!(fetched(&store, &version).await, expected, "{name}");
        }
        let small = ByteBudget::new(11, 11);
        let refused = store.fetch(&put.version, &small).await.map(drop);
        assert_eq!(refused, Err(FetchError::TooLarge { size_bytes: 12, limit_bytes: 11 }));
        assert_eq!(
            store.current("another-bucket", "a.pdf").await,
            Err(FetchError::transient("s3_404_NoSuchBucket"))
        );
        store.set_archived(&put.version, true).await.unwrap();
        assert_eq!(fetched(&store, &put.version).await, Err(FetchError::Archived));
        store.set_archived(&put.version, false).await.unwrap();
        assert_eq!(fetched(&store, &put.version).await, Ok(b"twelve bytes".to_vec()));
    }

    #[tokio::test]
    async fn metadata_and_hash_come_with_the_bytes() {
        let (_folder, store) = store(Versioning::On).await;
        let metadata = BTreeMap::from([("Property-Id".to_owned(), "P-1".to_owned())]);
        let bytes = vec![5u8; 3 * CHUNK_BYTES + 1];
        let options = PutOptions { metadata, parts: Some(2), ..PutOptions::default() };
        let put = store.put_with(BUCKET, "a.pdf", bytes.clone(), options).await.unwrap();
        assert!(put.version.etag.is_multipart());
        let budget = budget();
        let object = store.fetch(&put.version, &budget).await.unwrap();
        assert_eq!(object.hash, ContentHash::of(&bytes));
        assert_eq!(object.bytes, bytes);
        assert_eq!(object.metadata, BTreeMap::from([("property-id".to_owned(), "P-1".to_owned())]));
        assert_eq!(store.receipts(BUCKET, "a.pdf").await.unwrap()[0].hash, ContentHash::of(&bytes));
    }

    #[tokio::test]
    async fn keys_are_opaque_and_stay_in_the_folder() {
        let (folder, store) = store(Versioning::On).await;
        let longest = "k".repeat(KEY_MAX_BYTES);
        let keys = [
            "../../escape",
            "/etc/passwd",
            "a/../b",
            "a\\b",
            "nul\0 bell\u{7}\n",
            "ü 租 +%2B",
            ".",
            longest.as_str(),
        ];
        for key in keys {
            let put = store.put(BUCKET, key, key.as_bytes().to_vec(), BTreeMap::new()).await.unwrap();
            assert_eq!(fetched(&store, &put.version).await, Ok(key.as_bytes().to_vec()), "{key:?}");
        }
        let mut listed: Vec<_> =
            store.list_versions(BUCKET).await.unwrap().into_iter().map(|line| line.version.key).collect();
        let mut expected = keys.map(str::to_owned);
        expected.sort();
        assert_eq!(listed, expected);
        listed.dedup();
        assert_eq!(listed.len(), keys.len());
        let names = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
        let plain = |name: &String| {
            name.bytes()
                .all(|byte| byte.is_ascii_hexdigit() || b"/-.".contains(&byte) || byte.is_ascii_lowercase())
        };
        assert!(files_under(folder.path()).iter().map(names).all(|name| plain(&name)));
    }

    #[tokio::test]
    async fn what_s3_would_refuse_is_refused() {
        let (_folder, store) = store(Versioning::On).await;
        let put = |key: String, metadata: BTreeMap<String, String>| {
            let store = store.clone();
            async move { store.put(BUCKET, &key, b"x".as_slice(), metadata).await.map(drop) }
        };
        let long = BTreeMap::from([("n".to_owned(), "v".repeat(METADATA_MAX_BYTES))]);
        assert!(matches!(
            put(String::new(), BTreeMap::new()).await,
            Err(FolderError::KeyLength { bytes: 0 })
        ));
        assert!(matches!(
            put("k".repeat(KEY_MAX_BYTES + 1), BTreeMap::new()).await,
            Err(FolderError::KeyLength { bytes: 1025 })
        ));
        assert!(matches!(put("k".to_owned(), long).await, Err(FolderError::MetadataLength { bytes: 2049 })));
        for name in ["", "ab", "Upper", "a/b", "../..", &"b".repeat(64)] {
            let refused = store.create_bucket(name, Versioning::On).await;
            assert!(matches!(refused, Err(FolderError::BucketName)), "{name}");
        }
        assert!(matches!(
            store.put("other-bucket", "k", b"x".as_slice(), BTreeMap::new()).await,
            Err(FolderError::NoSuchBucket)
        ));
        assert_eq!(store.buckets().await.unwrap(), [BUCKET]);
    }

    #[tokio::test]
    async fn sequencers_rise_also_when_the_clock_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::at(1_760_000_000_000));
        let store = FolderObjects::with_clock(folder.path(), Arc::clone(&clock));
        store.create_bucket(BUCKET, Versioning::On).await.unwrap();
        let mut sequencers = Vec::new();
        for at_ms in [1_760_000_000_000, 1_760_000_000_000, 1_759_000_000_000, 0, 1_760_000_000_001] {
            clock.set(at_ms);
            sequencers
                .push(store.put(BUCKET, "k", b"x".as_slice(), BTreeMap::new()).await.unwrap().sequencer);
        }
        assert!(sequencers.is_sorted_by(|left, right| left < right), "{sequencers:?}");
        assert!(sequencers.iter().all(|sequencer| sequencer.len() == SEQUENCER_DIGITS));
        let read: Vec<_> = sequencers.iter().map(|sequencer| Sequencer::new(sequencer).unwrap()).collect();
        assert!(read.is_sorted_by(|left, right| left < right), "{read:?}");
    }

    #[tokio::test]
    async fn damage_is_an_error_that_may_pass_and_never_a_document() {
        let (folder, store) = store(Versioning::On).await;
        let put = put(&store, "a.pdf", b"twelve bytes").await;
        let find = |end: &str| {
            let files = files_under(folder.path());
            files.into_iter().find(|path| path.to_str().unwrap().ends_with(end)).unwrap()
        };
        let bytes_file = find(".bytes");
        let table = [
            (&b"twelve bytez"[..], "checksum_mismatch"),
            (b"twelve", "body_length_differs"),
            (b"twelve bytes and more", "body_length_differs"),
        ];
        for (bytes, kind) in table {
            fs::write(&bytes_file, bytes).unwrap();
            assert_eq!(fetched(&store, &put.version).await, Err(FetchError::transient(kind)));
        }
        fs::remove_file(&bytes_file).unwrap();
        assert_eq!(fetched(&store, &put.version).await, Err(FetchError::transient("folder_busy")));
        fs::write(find("manifest.json"), b"{").unwrap();
        assert_eq!(
            fetched(&store, &put.version).await,
            Err(FetchError::transient("folder_damaged_manifest"))
        );
        assert_eq!(
            store.current(BUCKET, "a.pdf").await,
            Err(FetchError::transient("folder_damaged_manifest"))
        );
    }

    #[test]
    fn writers_of_one_key_at_once_lose_nothing_and_readers_see_whole_versions() {
        const WRITERS: usize = 4;
        const PUTS_EACH: usize = 12;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        // A store and a runtime of its own for each thread, as separate processes would have.
        let run = |work: Box<dyn FnOnce(FolderObjects) -> Vec<String> + Send>| {
            let store = FolderObjects::new(folder);
            std::thread::spawn(move || work(store))
        };
        let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut threads = Vec::new();
        for versioning in [Versioning::On, Versioning::Off] {
            let bucket = format!("bucket-{}", serde_json::to_value(versioning).unwrap().as_str().unwrap());
            runtime().block_on(FolderObjects::new(folder).create_bucket(&bucket, versioning)).unwrap();
            for writer in 0..WRITERS {
                let bucket = bucket.clone();
                threads.push(run(Box::new(move |store| {
                    let put = |round: usize| {
                        let bytes = vec![writer as u8; 1000 + round];
                        let put = store.put(&bucket, "k", bytes, BTreeMap::new());
                        runtime().block_on(put).unwrap().sequencer
                    };
                    (0..PUTS_EACH).map(put).collect()
                })));
            }
            threads.push(run(Box::new(move |store| {
                let runtime = runtime();
                for _ in 0..200 {
                    let current = runtime.block_on(store.current(&bucket, "k")).unwrap();
                    let Current::Version { version, .. } = current else { continue };
                    match runtime.block_on(store.fetch(&version, &budget())) {
                        // Hash and length were checked by the fetch itself.
                        Ok(object) => assert!(object.bytes.iter().all(|byte| *byte == object.bytes[0])),
                        Err(error) => {
                            assert!(
                                versioning == Versioning::Off && error == FetchError::Superseded,
                                "{error}"
                            );
                        }
                    }
                }
                Vec::new()
            })));
        }
        let sequencers: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let (versioned, unversioned) = sequencers.split_at(WRITERS + 1);
        for (bucket, sequencers, kept) in
            [("bucket-on", versioned, WRITERS * PUTS_EACH), ("bucket-off", unversioned, 1)]
        {
            assert!(sequencers.iter().all(|own| own.is_sorted_by(|left, right| left < right)), "{bucket}");
            let distinct: std::collections::BTreeSet<_> = sequencers.iter().flatten().collect();
            assert_eq!(distinct.len(), WRITERS * PUTS_EACH, "{bucket}");
            let listed = runtime().block_on(FolderObjects::new(folder).list_versions(bucket)).unwrap();
            assert_eq!(listed.len(), kept, "{bucket}");
        }
        let bytes = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "bytes");
        assert_eq!(files_under(folder).iter().filter(|path| bytes(path)).count(), WRITERS * PUTS_EACH + 1);
    }
}
