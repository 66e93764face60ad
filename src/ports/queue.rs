//! Port: the queue that delivered the batch, as far as a consumer talks back to it.

use std::future::Future;

use crate::dead_letter::DeadLetter;

/// The longest visibility timeout a message can be given, in seconds (12 hours).
/// Source: `ChangeMessageVisibility`, Amazon SQS API reference.
pub const VISIBILITY_MAX_S: u32 = 43_200;

/// The queue could not be told. Nothing of the protocol depends on it having been told: a visibility that was
/// not moved costs time, and a dead letter that was perhaps sent is sent again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the queue did not take it ({kind})")]
pub struct QueueError {
    /// Code of the error, without customer data.
    pub kind: String,
}

/// Talking back to the queue.
pub trait Queue: Send + Sync + 'static {
    /// Hides a received message for `delay_s` seconds from now, at most [`VISIBILITY_MAX_S`].
    fn change_visibility(
        &self,
        receipt_handle: &str,
        delay_s: u32,
    ) -> impl Future<Output = Result<(), QueueError>> + Send;

    /// Puts a message into the dead-letter queue. Sending twice is harmless, losing one is not.
    fn dead_letter(&self, letter: &DeadLetter) -> impl Future<Output = Result<(), QueueError>> + Send;
}
