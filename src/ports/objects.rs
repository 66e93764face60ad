//! Port: the object store, as far as ingestion reads it.

use std::future::Future;

use crate::fetch::{ByteBudget, Current, FetchError, FetchedObject};
use crate::identity::ObjectVersion;

/// Reading objects.
pub trait Objects: Send + Sync + 'static {
    /// Fetches exactly this version: pinned to its id, and for the null version to `null` *and* to the ETag,
    /// since its bytes can be replaced. Never falls back to the latest version. The budget is asked once the
    /// length is known and before the body is read.
    fn fetch<'budget>(
        &self,
        version: &ObjectVersion,
        budget: &'budget ByteBudget,
    ) -> impl Future<Output = Result<FetchedObject<'budget>, FetchError>> + Send;

    /// Asks what is current under a key. Only [`FetchError::Transient`] is an error here: "nothing" is an answer.
    fn current(&self, bucket: &str, key: &str) -> impl Future<Output = Result<Current, FetchError>> + Send;
}

impl<O: Objects> Objects for std::sync::Arc<O> {
    fn fetch<'budget>(
        &self,
        version: &ObjectVersion,
        budget: &'budget ByteBudget,
    ) -> impl Future<Output = Result<FetchedObject<'budget>, FetchError>> + Send {
        O::fetch(self, version, budget)
    }

    fn current(&self, bucket: &str, key: &str) -> impl Future<Output = Result<Current, FetchError>> + Send {
        O::current(self, bucket, key)
    }
}
