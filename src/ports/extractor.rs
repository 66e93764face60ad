//! Port: bytes in, a document or the reason why not out.

use std::future::Future;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::posting::{Posted, Reason};

/// What an extractor is given.
#[derive(Debug, Clone)]
pub struct ExtractRequest {
    /// The object's bytes, whole.
    pub bytes: Bytes,
    /// What the document is filed under, when the object's metadata or its key says so; it outranks the text.
    pub filed_under: Option<String>,
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
