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
use crate::fetch::{BodyReader, ByteBudget, ErrorAnswer, FetchError, FetchedObject, classify};
use crate::identity::{ContentHash, ETag, EpochMs, ObjectVersion, VersionId};
use crate::ports::clock::{Clock, SystemClock};
use crate::ports::objects::{Current, Objects};

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

    /// The next sequencer: later than every earlier one of this key, also when the clock went back.
    fn next_sequencer(&mut self, now: EpochMs) -> String {
        let by_clock = now.0.min(u64::MAX >> SEQUENCER_COUNTER_BITS) << SEQUENCER_COUNTER_BITS;
        self.last_sequencer = by_clock.max(self.last_sequencer.saturating_add(1));
        format!("{:0SEQUENCER_DIGITS$X}", self.last_sequencer)
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
        self.put_with(bucket, key, bytes, PutOptions { metadata, parts: None }).await
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

    /// SHA-256 of what is current under a key; `None` when nothing is. Says whether a file is already there.
    pub async fn current_hash(&self, bucket: &str, key: &str) -> Result<Option<ContentHash>, FolderError> {
        let (store, bucket, key) = (self.clone(), bucket.to_owned(), key.to_owned());
        blocking(move || {
            let manifest = store.read_manifest(&bucket, &key)?;
            let current = manifest.as_ref().and_then(|manifest| manifest.versions.last());
            let Some(content) = current.and_then(|current| current.content.as_ref()) else {
                return Ok(None);
            };
            ContentHash::parse(&content.sha256).map(Some).ok_or(FolderError::DamagedManifest)
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
            let stored = StoredVersion {
                version_id: change.new_version_id(&*self.clock),
                etag: format!("{:.ETAG_DIGITS$}{parts}", hash.to_string()),
                at_ms: change.now.0,
                content: Some(StoredContent {
                    file,
                    size_bytes: bytes.len() as u64,
                    sha256: hash.to_string(),
                    metadata: metadata.clone(),
                    archived: false,
                }),
            };
            Ok(PutReceipt {
                version: change.push(stored),
                sequencer: change.manifest.next_sequencer(change.now),
                size_bytes: bytes.len() as u64,
                at: change.now,
            })
        })
    }

    fn delete_now(&self, bucket: &str, key: &str) -> Result<Option<RemovalReceipt>, FolderError> {
        self.change(bucket, key, |change| {
            if change.versioning == Versioning::Off {
                return Ok(change.remove(&VersionId::Null));
            }
            let marker = StoredVersion {
                version_id: change.new_version_id(&*self.clock),
                etag: EMPTY_ETAG.to_owned(),
                at_ms: change.now.0,
                content: None,
            };
            Ok(Some(RemovalReceipt {
                version: change.push(marker),
                kind: RemovalKind::MarkerCreated,
                sequencer: change.manifest.next_sequencer(change.now),
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
    fn find(&self, version: &ObjectVersion) -> Result<StoredContent, FetchError> {
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
        Ok(content.clone())
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
            let content = blocking(move || store.find(&wanted)).await?;
            let admitted = budget.admit(Some(content.size_bytes)).await?;
            let path = self.bucket_folder(&version.bucket).join(name_of(&version.key)).join(&content.file);
            let limit_bytes = budget.max_object_bytes();
            let size_bytes = content.size_bytes;
            let Some((bytes, hash)) = blocking(move || read_bytes(&path, size_bytes, limit_bytes)).await? else {
                // Replaced or removed since the manifest was read: the next look says which.
                continue;
            };
            if hash.to_string() != content.sha256 {
                return Err(FetchError::transient("checksum_mismatch"));
            }
            return Ok(FetchedObject { bytes, hash, metadata: content.metadata, admitted });
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
