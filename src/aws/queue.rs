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

#[cfg(test)]
mod tests {
    use aws_sdk_sqs::config::http::{HttpRequest, HttpResponse};
    use aws_sdk_sqs::config::retry::RetryConfig;
    use aws_sdk_sqs::config::{Credentials, Region, SharedHttpClient};
    use aws_smithy_http_client::test_util::{ReplayEvent, StaticReplayClient};
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;
    use serde_json::{Value, json};

    use super::*;
    use crate::identity::{EpochMs, Generation};

    const QUEUE_URL: &str = "https://sqs.eu-central-1.amazonaws.com/000000000000/ingest";

    fn queue(dead_letter_url: &str, status: u16, body: &str) -> (StaticReplayClient, SqsQueue) {
        let answer = HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::from(body));
        let replay = StaticReplayClient::new(vec![ReplayEvent::new(HttpRequest::empty(), answer)]);
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version_latest()
            .region(Region::from_static("eu-central-1"))
            .credentials_provider(Credentials::for_tests())
            .retry_config(RetryConfig::disabled())
            .http_client(SharedHttpClient::new(replay.clone()))
            .build();
        let queue = SqsQueue {
            client: Client::from_conf(config),
            queue_url: QUEUE_URL.to_owned(),
            dead_letter_url: dead_letter_url.to_owned(),
        };
        (replay, queue)
    }

    /// The operation and the body of the one request that was made.
    fn request(replay: &StaticReplayClient) -> (String, Value) {
        let request = replay.actual_requests().next().unwrap();
        let operation = request.headers().get("x-amz-target").unwrap().to_owned();
        (operation, serde_json::from_slice(request.body().bytes().unwrap()).unwrap())
    }

    fn letter() -> DeadLetter {
        DeadLetter {
            body: "{\"Records\":[]}".to_owned(),
            message_group_id: None,
            error_kind: "s3_403_AccessDenied".to_owned(),
            attempts: 5,
            cycle: 2,
            claim_hash: "0123456789abcdef".to_owned(),
            generation: Generation::FIRST,
            content_hash: Some("ab".repeat(32)),
            first_attempt: EpochMs(1_000),
            last_attempt: EpochMs(2_000),
        }
    }

    #[tokio::test]
    async fn visibility_is_moved_within_what_sqs_takes() {
        for (asked_s, sent_s) in [(0, 0), (1, 1), (43_200, 43_200), (43_201, 43_200), (u32::MAX, 43_200)] {
            let (replay, queue) = queue(QUEUE_URL, 200, "");
            queue.change_visibility("handle", asked_s).await.unwrap();
            let expected =
                json!({ "QueueUrl": QUEUE_URL, "ReceiptHandle": "handle", "VisibilityTimeout": sent_s });
            assert_eq!(request(&replay), ("AmazonSQS.ChangeMessageVisibility".to_owned(), expected));
        }
    }

    #[tokio::test]
    async fn a_dead_letter_carries_the_body_as_it_was_and_its_context() {
        let dead_letter_url = format!("{QUEUE_URL}-dead");
        let (replay, queue) = queue(&dead_letter_url, 200, "{\"MessageId\":\"m\"}");
        queue.dead_letter(&letter()).await.unwrap();
        let text = |value: &str| json!({ "DataType": "String", "StringValue": value });
        let expected = json!({
            "QueueUrl": dead_letter_url,
            "MessageBody": "{\"Records\":[]}",
            "MessageAttributes": {
                "LeaseIngestErrorKind": text("s3_403_AccessDenied"),
                "LeaseIngestAttempts": text("5"),
                "LeaseIngestCycle": text("2"),
                "LeaseIngestClaim": text("0123456789abcdef"),
                "LeaseIngestGeneration": text("1"),
                "LeaseIngestContentHash": text(&"ab".repeat(32)),
                "LeaseIngestFirstAttempt": text("1000"),
                "LeaseIngestLastAttempt": text("2000"),
            },
        });
        assert_eq!(request(&replay), ("AmazonSQS.SendMessage".to_owned(), expected));
    }

    #[tokio::test]
    async fn a_fifo_queue_is_told_group_and_deduplication_id() {
        let table = [
            (
                "group of the message",
                DeadLetter { message_group_id: Some("group".to_owned()), ..letter() },
                "group",
            ),
            ("no group", letter(), "0123456789abcdef"),
        ];
        for (name, letter, group_id) in table {
            let (replay, queue) = queue(&format!("{QUEUE_URL}-dead.fifo"), 200, "{}");
            queue.dead_letter(&letter).await.unwrap();
            let (_operation, body) = request(&replay);
            assert_eq!(body["MessageGroupId"], group_id, "{name}");
            assert_eq!(body["MessageDeduplicationId"], deduplication_id(&letter), "{name}");
        }
    }

    #[test]
    fn one_letter_has_one_id_and_another_cycle_another() {
        let id = deduplication_id(&letter());
        // SQS takes up to 128 letters and digits.
        assert_eq!(id.len(), 64);
        let later = DeadLetter { last_attempt: EpochMs(9), attempts: 6, ..letter() };
        assert_eq!(deduplication_id(&later), id);
        for other in [
            DeadLetter { cycle: 3, ..letter() },
            DeadLetter { claim_hash: "f".repeat(16), ..letter() },
            DeadLetter { generation: Generation::new(2).unwrap(), ..letter() },
            DeadLetter { body: "{}".to_owned(), ..letter() },
        ] {
            assert_ne!(deduplication_id(&other), id);
        }
    }

    #[tokio::test]
    async fn an_error_is_reduced_to_its_code() {
        let error =
            |code: &str| format!("{{\"__type\":\"com.amazonaws.sqs#{code}\",\"message\":\"a/secret/key\"}}");
        let table = [
            (400, error("MessageNotInflight"), "MessageNotInflight"),
            (403, error("AccessDenied"), "AccessDenied"),
            (503, String::new(), "http_503"),
            (500, "<html>".to_owned(), "http_500"),
        ];
        for (status, body, kind) in table {
            let (_replay, queue) = queue(QUEUE_URL, status, &body);
            let answered = queue.change_visibility("handle", 1).await.unwrap_err();
            assert_eq!(answered.kind, kind, "{status} {body}");
            let (_replay, queue) = self::queue(QUEUE_URL, status, &body);
            assert_eq!(queue.dead_letter(&letter()).await.unwrap_err().kind, kind, "{status} {body}");
        }
        let (_replay, queue) = queue(QUEUE_URL, 200, "");
        queue.change_visibility("handle", 1).await.unwrap();
        assert_eq!(queue.change_visibility("handle", 1).await.unwrap_err().kind, "request_not_sent");
    }
}
