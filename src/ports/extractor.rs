//! Port: bytes in, a document or the reason why not out.

use std::future::Future;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::identity::{ContentHash, ETag, Generation, ObjectVersion, VersionId};
use crate::posting::{Posted, Reason};

/// What an extractor is given.
#[derive(Debug, Clone)]
pub struct ExtractRequest {
    /// The object's bytes, whole.
    pub bytes: Bytes,
    /// What the document is filed under, when the object's metadata or its key says so; it outranks the text.
    pub filed_under: Option<String>,
    /// Where the bytes come from, for a service that reads the object by itself.
    pub source: ObjectVersion,
    /// Names the work on these bytes in this generation: the same for every attempt and for every copy of the bytes,
    /// so that a service that is asked twice does the work once. 64 characters out of `0-9` and `a-f`.
    pub work_token: String,
    /// A job of such a service that an earlier attempt was told of by [`Extraction::Waiting`].
    pub job_id: Option<String>,
}

impl ExtractRequest {
    /// A request for bytes that come from nowhere in particular: to measure with, and for tests.
    pub fn of_bytes(bytes: Bytes, filed_under: Option<String>) -> Self {
        let content = ContentHash::of(&bytes);
        Self {
            bytes,
            filed_under,
            source: ObjectVersion {
                bucket: String::new(),
                key: String::new(),
                version_id: VersionId::Null,
                etag: ETag::new(""),
            },
            work_token: Self::work_token(content, Generation::FIRST),
            job_id: None,
        }
    }

    /// The token of the work on a content in a generation.
    pub fn work_token(content: ContentHash, generation: Generation) -> String {
        ContentHash::of(format!("{content} {generation}").as_bytes()).to_string()
    }
}

/// What an extractor answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "D: Serialize + serde::de::DeserializeOwned")]
pub enum Extraction<D> {
    /// Every required field was found. The pipeline validates the document and holds its confidence against
    /// the threshold before anything is posted.
    Complete(D),
    /// It is, or may be, a document of this kind, but a person must look.
    Incomplete(Incomplete),
    /// It is no document that a person could complete (no bytes, an unsupported type).
    Unusable(Reason),
    /// A service elsewhere works on it. The claim is left until then, and the next attempt is given the job.
    Waiting {
        /// The job.
        job_id: String,
        /// When asking makes sense, in milliseconds from now.
        ask_again_ms: u64,
    },
    /// The extractor itself failed; another attempt may succeed.
    Failed(Reason),
}

/// What was found of a document that may not be posted as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incomplete {
    /// Why a person must look.
    pub reason: Reason,
    /// What was found, field by field with its evidence, for the review screen. Bounded in size by the extractor.
    pub found: serde_json::Value,
}

/// Turns bytes into a document of one kind.
pub trait Extractor: Send + Sync + 'static {
    /// The kind of document.
    type Document: Posted;

    /// Name and version, stored with each commit.
    fn name_and_version(&self) -> String;

    /// Reads the bytes. Never panics on purpose, never blocks the runtime for long: heavy work goes to a blocking thread.
    fn extract(&self, request: ExtractRequest) -> impl Future<Output = Extraction<Self::Document>> + Send;
}
