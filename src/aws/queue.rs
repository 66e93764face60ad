//! The queue port on Amazon SQS.

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::MessageAttributeValue;
use sha2::{Digest, Sha256};

use crate::aws::error_code;
use crate::dead_letter::DeadLetter;
use crate::ports::queue::{Queue, QueueError, VISIBILITY_MAX_S};

/// Ending of a FIFO queue's name, and so of its URL. Source: `CreateQueue`, Amazon SQS API reference.
const FIFO_SUFFIX: &str = ".fifo";

/// The queue that delivers, and the one for what is given up on. Both are of one kind, standard or FIFO.
#[derive(Debug, Clone)]
pub struct SqsQueue {
    /// The client.
    pub client: Client,
    /// URL of the queue that delivers.
    pub queue_url: String,
    /// URL of the dead-letter queue.
    pub dead_letter_url: String,
}

impl Queue for SqsQueue {
    async fn change_visibility(&self, receipt_handle: &str, delay_s: u32) -> Result<(), QueueError> {
        let delay_s = i32::try_from(delay_s.min(VISIBILITY_MAX_S)).unwrap_or(i32::MAX);
        let request = self
            .client
            .change_message_visibility()
            .queue_url(&self.queue_url)
            .receipt_handle(receipt_handle)
            .visibility_timeout(delay_s);
        request.send().await.map(drop).map_err(|error| QueueError { kind: error_code(&error) })
    }

    async fn dead_letter(&self, letter: &DeadLetter) -> Result<(), QueueError> {
        let mut request = self
            .client
            .send_message()
            .queue_url(&self.dead_letter_url)
            .message_body(&letter.body)
            .set_message_attributes(Some(text_attributes(letter)?));
        if self.dead_letter_url.ends_with(FIFO_SUFFIX) {
            let group_id = letter.message_group_id.as_deref().unwrap_or(&letter.claim_hash);
            request = request.message_group_id(group_id).message_deduplication_id(deduplication_id(letter));
        }
        request.send().await.map(drop).map_err(|error| QueueError { kind: error_code(&error) })
    }
}

fn text_attributes(letter: &DeadLetter) -> Result<HashMap<String, MessageAttributeValue>, QueueError> {
    let attributes = letter.attributes().into_iter().map(|(name, value)| {
        let value = MessageAttributeValue::builder().data_type("String").string_value(value).build();
        value.map(|value| (name.to_owned(), value))
    });
    attributes.collect::<Result<_, _>>().map_err(|_error| QueueError { kind: "request_not_built".to_owned() })
}

/// One id for every try to send one letter, another one for the same claim's next cycle. FIFO queues drop a second
/// message of an id for five minutes; that of a letter sent twice is a copy, that of another cycle would be a loss.
fn deduplication_id(letter: &DeadLetter) -> String {
    let cycle = format!("{}\n{}\n{}\n", letter.claim_hash, letter.generation, letter.cycle);
    hex::encode(Sha256::new().chain_update(cycle).chain_update(&letter.body).finalize())
}
