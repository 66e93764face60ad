//! A bucket that keeps versions, keeps none, or has been switched: what S3 does with puts, deletes and markers, and
//! what it says of them in events. It remembers the truth of every upload, for the rules.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use lease_ingest::fetch::{ByteBudget, Current, FetchError, FetchedObject};
use lease_ingest::identity::{ContentHash, ETag, ObjectVersion, Sequencer, VersionId, short_hash};
use lease_ingest::pipeline::PROPERTY_METADATA;
use lease_ingest::ports::objects::Objects;

use super::mutants::Mutant;
use super::queue::{About, Told};
use super::world::{Line, State, Store, Verdict};

/// The bucket of every schedule.
pub const BUCKET: &str = "leases";

/// An upload, as it was.
#[derive(Debug, Clone)]
pub struct Upload {
    pub version: ObjectVersion,
    pub content: Bytes,
    pub hash: ContentHash,
    pub property: Option<String>,
    pub archived: bool,
    /// A store that lags answers 404 until then.
    pub found_from_ms: u64,
    /// Its place in the order of all events.
    pub order: u64,
}

/// A version, or a delete marker, that stands under a key.
#[derive(Debug, Clone)]
pub struct Entry {
    pub version_id: VersionId,
    /// Which upload; `None` for a delete marker.
    pub upload: Option<usize>,
}

/// The bucket.
#[derive(Debug, Clone)]
pub struct Bucket {
    pub keeps_versions: bool,
    /// Whether it ever kept versions, so that a removal leaves a marker.
    pub has_kept_versions: bool,
    /// Whether events carry sequencers; some compatible stores send none.
    pub has_sequencers: bool,
    pub keys: BTreeMap<String, Vec<Entry>>,
    pub uploads: Vec<Upload>,
    /// Place in the order of all events, by stored form of the sequencer.
    pub orders: BTreeMap<String, u64>,
    /// What was current under a key from which step on.
    pub currents: BTreeMap<String, Vec<(u64, Option<usize>)>>,
    /// Entity tags that stood for more than one content.
    pub ambiguous: BTreeSet<String>,
    count: u64,
}

/// How an object is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Single,
    Multipart(u8),
    /// A tag that says nothing of the content.
    Shared,
}

impl Bucket {
    pub fn new(keeps_versions: bool, has_sequencers: bool) -> Self {
        Self {
            keeps_versions,
            has_kept_versions: keeps_versions,
            has_sequencers,
            keys: BTreeMap::new(),
            uploads: Vec::new(),
            orders: BTreeMap::new(),
            currents: BTreeMap::new(),
            ambiguous: BTreeSet::new(),
            count: 0,
        }
    }

    pub fn current_upload(&self, key: &str) -> Option<usize> {
        self.keys.get(key)?.last()?.upload
    }

    /// Whether this was current under its key at some moment since a step.
    pub fn was_current_since(&self, key: &str, step: u64, holds: impl Fn(Option<&Upload>) -> bool) -> bool {
        let Some(currents) = self.currents.get(key) else { return holds(None) };
        let begins_before = currents.iter().rposition(|(from, _)| *from <= step);
        let before_all = begins_before.is_none() && holds(None);
        let since = &currents[begins_before.unwrap_or(0)..];
        before_all || since.iter().any(|(_, upload)| holds(upload.map(|upload| &self.uploads[upload])))
    }

    /// Whether this content was ever uploaded as this version.
    pub fn held(&self, version: &ObjectVersion, content: ContentHash) -> bool {
        self.uploads.iter().any(|upload| upload.version == *version && upload.hash == content)
    }

    fn note_current(&mut self, key: &str, step: u64) {
        let current = self.current_upload(key);
        self.currents.entry(key.to_owned()).or_default().push((step, current));
    }
}

impl State {
    /// A sequencer later than all before, of whatever length.
    fn next_sequencer(&mut self) -> (Option<String>, u64) {
        self.bucket.count += 1 + self.dice.roll(9);
        let count = self.bucket.count;
        let mut sequencer = format!("0055AED6DC{count:04X}");
        for _ in 0..self.dice.roll(4) {
            let digit = self.dice.roll(16);
            sequencer.push_str(&format!("{digit:X}"));
        }
        if self.dice.roll(2) == 0 {
            sequencer.make_ascii_lowercase();
        }
        let stored = Sequencer::new(&sequencer).unwrap();
        self.bucket.orders.insert(stored.as_str().to_owned(), count);
        (self.bucket.has_sequencers.then_some(sequencer), count)
    }

    pub fn put(&mut self, key: &str, content: &str, tag: Tag, property: Option<String>) -> Told {
        let (sequencer, order) = self.next_sequencer();
        let version_id =
            if self.bucket.keeps_versions { VersionId::Id(format!("v{order}")) } else { VersionId::Null };
        let etag = match tag {
            Tag::Single => short_hash(content),
            Tag::Multipart(parts) => format!("{}-{parts}", short_hash(&format!("parts of {content}"))),
            Tag::Shared => "0000-2".to_owned(),
        };
        let hash = ContentHash::of(content.as_bytes());
        let version = ObjectVersion {
            bucket: BUCKET.to_owned(),
            key: key.to_owned(),
            version_id: version_id.clone(),
            etag: ETag::new(&etag),
        };
        if self.bucket.uploads.iter().any(|upload| upload.version.etag == version.etag && upload.hash != hash)
        {
            self.bucket.ambiguous.insert(etag);
        }
        // What was put before under this very name is found, old or new.
        let is_new = !self.bucket.uploads.iter().any(|upload| upload.version == version);
        let lags = is_new && self.dice.roll(12) == 0;
        let lag_ms = if lags { self.dice.roll(self.lag_max_ms) } else { 0 };
        let upload = Upload {
            content: Bytes::from(content.to_owned()),
            hash,
            property,
            archived: self.dice.roll(16) == 0,
            found_from_ms: self.now_ms + lag_ms,
            order,
            version: version.clone(),
        };
        let place = self.bucket.uploads.len();
        self.bucket.uploads.push(upload);
        let entries = self.bucket.keys.entry(key.to_owned()).or_default();
        if version_id.is_null() {
            entries.retain(|entry| !entry.version_id.is_null());
        }
        entries.push(Entry { version_id, upload: Some(place) });
        self.bucket.note_current(key, self.step);
        let name = if tag == Tag::Single { "Put" } else { "CompleteMultipartUpload" };
        let record =
            record(&format!("ObjectCreated:{name}"), &version, sequencer.as_deref(), Some(content.len()));
        let short = &hash.to_string()[..6];
        self.note(|| {
            format!(
                "bucket: put {key}@{}#{} {short} seq {order}",
                version.version_id.as_str(),
                version.etag.as_str()
            )
        });
        Told { record, about: About::Upload(place) }
    }

    /// Deletes a key without naming a version.
    pub fn remove(&mut self, key: &str) -> Option<Told> {
        let entries = self.bucket.keys.get_mut(key).filter(|entries| !entries.is_empty())?;
        let marked = self.bucket.has_kept_versions;
        let mut version_id = VersionId::Null;
        if self.bucket.keeps_versions {
            version_id = VersionId::Id(format!("m{}", self.step));
        } else {
            entries.retain(|entry| !entry.version_id.is_null());
        }
        if marked {
            entries.push(Entry { version_id: version_id.clone(), upload: None });
        }
        Some(self.removed(key, version_id, if marked { "DeleteMarkerCreated" } else { "Delete" }))
    }

    /// Deletes one version, or a marker.
    pub fn delete_version(&mut self, key: &str, place: usize) -> Told {
        let entry = self.bucket.keys.get_mut(key).unwrap().remove(place);
        self.removed(key, entry.version_id, "Delete")
    }

    fn removed(&mut self, key: &str, version_id: VersionId, what: &str) -> Told {
        let (sequencer, order) = self.next_sequencer();
        self.bucket.note_current(key, self.step);
        let version = ObjectVersion {
            bucket: BUCKET.to_owned(),
            key: key.to_owned(),
            version_id,
            etag: ETag::default(),
        };
        self.note(|| format!("bucket: {what} {key}@{} seq {order}", version.version_id.as_str()));
        let record = record(&format!("ObjectRemoved:{what}"), &version, sequencer.as_deref(), None);
        let order = self.bucket.has_sequencers.then_some(order);
        Told { record, about: About::Removal { key: key.to_owned(), order } }
    }

    /// Brings an archived upload back.
    pub fn restore(&mut self, place: usize) -> Told {
        self.bucket.uploads[place].archived = false;
        let version = self.bucket.uploads[place].version.clone();
        self.note(|| format!("bucket: restored {}@{}", version.key, version.version_id.as_str()));
        Told { record: record("ObjectRestore:Completed", &version, None, None), about: About::Restored }
    }

    fn fetch(&self, version: &ObjectVersion) -> Result<Upload, FetchError> {
        let entries = self.bucket.keys.get(&version.key);
        let entry =
            entries.and_then(|entries| entries.iter().find(|entry| entry.version_id == version.version_id));
        let Some(entry) = entry else {
            if self.is(Mutant::LatestInsteadOfMissing)
                && let Some(current) = self.bucket.current_upload(&version.key)
            {
                return Ok(self.bucket.uploads[current].clone());
            }
            if self.is(Mutant::MissingAtOnce) {
                return Err(FetchError::DeleteMarker);
            }
            return Err(FetchError::NotFound);
        };
        let Some(upload) = entry.upload.map(|upload| &self.bucket.uploads[upload]) else {
            return Err(FetchError::DeleteMarker);
        };
        if upload.found_from_ms > self.now_ms {
            return Err(if self.is(Mutant::MissingAtOnce) {
                FetchError::DeleteMarker
            } else {
                FetchError::NotFound
            });
        }
        let pinned =
            version.version_id.is_null() && !version.etag.is_empty() && !self.is(Mutant::NullVersionUnpinned);
        if pinned && upload.version.etag != version.etag {
            return Err(FetchError::Superseded);
        }
        if upload.archived {
            return Err(FetchError::Archived);
        }
        Ok(upload.clone())
    }

    fn current(&self, invocation: u32, key: &str) -> Current {
        let told_of_removal =
            self.removals.get(&invocation).is_some_and(|keys| keys.iter().any(|of| of == key));
        if self.is(Mutant::RemovalAtItsWord) && told_of_removal {
            return Current::Nothing;
        }
        match self.bucket.current_upload(key) {
            None => Current::Nothing,
            Some(place) => {
                let upload = &self.bucket.uploads[place];
                Current::Version {
                    version: upload.version.clone(),
                    size_bytes: Some(upload.content.len() as u64),
                }
            }
        }
    }
}

/// One record of a notification.
fn record(name: &str, version: &ObjectVersion, sequencer: Option<&str>, size_bytes: Option<usize>) -> String {
    let mut object = format!(r#""key":"{}""#, version.key);
    if let VersionId::Id(id) = &version.version_id {
        object.push_str(&format!(r#","versionId":"{id}""#));
    }
    if !version.etag.is_empty() {
        object.push_str(&format!(r#","eTag":"{}""#, version.etag.as_str()));
    }
    if let Some(sequencer) = sequencer {
        object.push_str(&format!(r#","sequencer":"{sequencer}""#));
    }
    if let Some(size_bytes) = size_bytes {
        object.push_str(&format!(r#","size":{size_bytes}"#));
    }
    format!(
        r#"{{"eventVersion":"2.1","eventSource":"aws:s3","eventName":"{name}","s3":{{"bucket":{{"name":"{BUCKET}"}},"object":{{{object}}}}}}}"#
    )
}

/// The bucket as an invocation reaches it.
pub struct SimObjects(pub Line);

impl SimObjects {
    async fn reached(&self, name: &'static str) -> Result<(), FetchError> {
        let verdict = self.0.gate(Store::Objects, name).await;
        match verdict {
            Verdict::Answered | Verdict::Doubled => Ok(()),
            _ => {
                self.0.sim.lock().note(|| format!("#{} {name} -> {}", self.0.invocation, verdict.name()));
                Err(FetchError::transient("s3_503_SlowDown"))
            }
        }
    }
}

impl Objects for SimObjects {
    async fn fetch<'budget>(
        &self,
        version: &ObjectVersion,
        budget: &'budget ByteBudget,
    ) -> Result<FetchedObject<'budget>, FetchError> {
        self.reached("fetch").await?;
        let fetched = {
            let mut state = self.0.sim.lock();
            let fetched = state.fetch(version);
            state.note(|| {
                let told = fetched.as_ref().map(|upload| upload.hash.to_string()[..6].to_owned());
                format!(
                    "#{} fetch {}@{} -> {told:?}",
                    self.0.invocation,
                    version.key,
                    version.version_id.as_str()
                )
            });
            fetched?
        };
        let admitted = budget.admit(Some(fetched.content.len() as u64)).await?;
        Ok(FetchedObject {
            bytes: fetched.content,
            hash: fetched.hash,
            etag: fetched.version.etag,
            metadata: fetched
                .property
                .map(|value| (PROPERTY_METADATA.to_owned(), value))
                .into_iter()
                .collect(),
            admitted,
        })
    }

    async fn current(&self, _bucket: &str, key: &str) -> Result<Current, FetchError> {
        self.reached("current").await?;
        let mut state = self.0.sim.lock();
        let current = state.current(self.0.invocation, key);
        state.note(|| {
            let told = match &current {
                Current::Nothing => "nothing".to_owned(),
                Current::Version { version, .. } => {
                    format!("{}#{}", version.version_id.as_str(), version.etag.as_str())
                }
            };
            format!("#{} current {key} -> {told}", self.0.invocation)
        });
        Ok(current)
    }
}
