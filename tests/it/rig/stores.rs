//! S3 and SQS for the function where no second engine is installed: the folder of objects and a list of messages,
//! behind the few requests that the function makes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use lease_ingest::embedded::objects::FolderObjects;
use lease_ingest::fetch::{ByteBudget, Current, FetchError};
use lease_ingest::identity::{ETag, ObjectVersion, VersionId};
use lease_ingest::ports::objects::Objects;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::http::{self, Message};

/// Larger than any object of the tests, in bytes.
const OBJECT_MAX_BYTES: u64 = 1 << 24;

/// What was asked of the queues.
#[derive(Debug, Clone, Default)]
pub struct Asked(Arc<Mutex<Vec<(String, Value)>>>);

impl Asked {
    /// Bodies of the requests of this operation.
    pub fn of(&self, operation: &str) -> Vec<Value> {
        let asked = self.0.lock().unwrap();
        asked.iter().filter(|(name, _)| name == operation).map(|(_, body)| body.clone()).collect()
    }
}

/// Serves both; answers where, and what is asked of the queues.
pub async fn serve(objects: FolderObjects) -> (SocketAddr, Asked) {
    let asked = Asked::default();
    let told = asked.clone();
    let address = http::serve(move |request| {
        let (objects, asked) = (objects.clone(), told.clone());
        async move {
            match request.header("x-amz-target") {
                Some(target) => queue_reply(target, &request, &asked),
                None => object_reply(&objects, &request).await,
            }
        }
    })
    .await;
    (address, asked)
}

fn queue_reply(target: &str, request: &Message, asked: &Asked) -> Message {
    let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
    let body = serde_json::from_slice(request.content()).unwrap_or_default();
    asked.0.lock().unwrap().push((operation, body));
    let answer = json!({ "MessageId": "00000000-0000-4000-8000-000000000000", "MD5OfMessageBody": "0" });
    Message::reply(200, &[("content-type", "application/x-amz-json-1.0")], answer.to_string().as_bytes())
}

async fn object_reply(objects: &FolderObjects, request: &Message) -> Message {
    let (path, query) = request.target().split_once('?').unwrap_or((request.target(), ""));
    let (bucket, key) = path.trim_start_matches('/').split_once('/').unwrap_or((path, ""));
    let key = percent_decode_str(key).decode_utf8().unwrap().into_owned();
    if request.method() == "HEAD" {
        if key.is_empty() {
            return Message::head_reply(200, &[]);
        }
        return match objects.current(bucket, &key).await {
            Ok(Current::Version { version, size_bytes }) => {
                let (etag, length) = (quoted(&version), size_bytes.unwrap_or(0).to_string());
                let headers = [
                    ("etag", etag.as_str()),
                    ("x-amz-version-id", version.version_id.as_str()),
                    ("content-length", length.as_str()),
                ];
                Message::head_reply(200, &headers)
            }
            Ok(Current::Nothing) => Message::head_reply(404, &[("x-amz-delete-marker", "true")]),
            Err(_) => Message::head_reply(500, &[]),
        };
    }
    let version_id = query.split('&').find_map(|part| part.strip_prefix("versionId="));
    let etag = request.header("if-match").unwrap_or_default();
    let version = ObjectVersion {
        bucket: bucket.to_owned(),
        key,
        version_id: VersionId::from_optional(version_id),
        etag: ETag::new(etag),
    };
    let budget = ByteBudget::new(OBJECT_MAX_BYTES, OBJECT_MAX_BYTES);
    match objects.fetch(&version, &budget).await {
        Ok(object) => {
            let etag = format!("\"{}\"", object.etag.as_str());
            let headers = [("etag", etag.as_str()), ("x-amz-version-id", version.version_id.as_str())];
            Message::reply(200, &headers, &object.bytes)
        }
        Err(FetchError::NotFound) => error(404, "NoSuchVersion"),
        Err(_) => error(500, "InternalError"),
    }
}

fn quoted(version: &ObjectVersion) -> String {
    format!("\"{}\"", version.etag.as_str())
}

fn error(status: u16, code: &str) -> Message {
    let body = format!("<Error><Code>{code}</Code><Message>by the store</Message></Error>");
    Message::reply(status, &[], body.as_bytes())
}
