//! The object store port on Amazon S3.

use std::error::Error;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::http::HttpResponse;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::operation::get_object::GetObjectOutput;
use aws_sdk_s3::primitives::{ByteStream, ByteStreamError};
use aws_sdk_s3::types::ChecksumMode;

use crate::aws::local_error_code;
use crate::fetch::Current;
use crate::fetch::{BodyReader, ByteBudget, ErrorAnswer, FetchError, FetchedObject, classify};
use crate::identity::{ETag, ObjectVersion, VersionId};
use crate::ports::objects::Objects;

/// Header by which an answer says that a delete marker stands there.
const DELETE_MARKER_HEADER: &str = "x-amz-delete-marker";
/// How the SDK's checksum error begins; its type belongs to a crate that is not of the SDK's public face.
const CHECKSUM_MISMATCH_TEXT: &str = "body checksum mismatch";
/// How many causes of an error are looked at.
const ERROR_CAUSES_MAX: usize = 16;

/// How long reading a body may take, in milliseconds. The client's own limits end with the headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyTimeouts {
    /// Between two chunks.
    pub idle_ms: u64,
    /// The whole body.
    pub whole_ms: u64,
}

impl Default for BodyTimeouts {
    fn default() -> Self {
        Self { idle_ms: 5_000, whole_ms: 30_000 }
    }
}

/// Objects in S3.
#[derive(Debug, Clone)]
pub struct S3Objects {
    client: Client,
    timeouts: BodyTimeouts,
}

impl S3Objects {
    /// Reads with this client.
    pub fn new(client: Client, timeouts: BodyTimeouts) -> Self {
        Self { client, timeouts }
    }
}

impl Objects for S3Objects {
    async fn fetch<'budget>(
        &self,
        version: &ObjectVersion,
        budget: &'budget ByteBudget,
    ) -> Result<FetchedObject<'budget>, FetchError> {
        let mut request = self
            .client
            .get_object()
            .bucket(&version.bucket)
            .key(&version.key)
            // Also for the null version: without it a null version under newer ones would answer with those.
            .version_id(version.version_id.as_str())
            .checksum_mode(ChecksumMode::Enabled);
        if version.version_id.is_null() && !version.etag.is_empty() {
            request = request.if_match(format!("\"{}\"", version.etag.as_str()));
        }
        let answer = request.send().await.map_err(|error| fetch_error(&error))?;
        check_identity(version, &answer)?;

        let announced_bytes = answer.content_length().map(u64::try_from).transpose();
        let announced_bytes =
            announced_bytes.map_err(|_negative| FetchError::transient("content_length_unreadable"))?;
        let admitted = budget.admit(announced_bytes).await?;
        let reader = BodyReader::new(announced_bytes, budget.max_object_bytes());
        let etag = answer.e_tag().map_or_else(|| version.etag.clone(), ETag::new);
        let (bytes, hash) = self.read_body(answer.body, reader).await?.finish()?;
        let metadata = answer.metadata.unwrap_or_default();
        let metadata = metadata.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        Ok(FetchedObject { bytes, hash, etag, metadata, admitted })
    }

    async fn current(&self, bucket: &str, key: &str) -> Result<Current, FetchError> {
        let error = match self.client.head_object().bucket(bucket).key(key).send().await {
            Ok(answer) if answer.delete_marker() == Some(true) => return Ok(Current::Nothing),
            Ok(answer) => {
                // The tag is part of the claim key: a version without it would be another piece of work.
                let etag = answer.e_tag().ok_or_else(|| FetchError::transient("etag_missing"))?;
                let version = ObjectVersion {
                    bucket: bucket.to_owned(),
                    key: key.to_owned(),
                    version_id: VersionId::from_optional(answer.version_id()),
                    etag: ETag::new(etag),
                };
                let size_bytes = answer.content_length().and_then(|length| u64::try_from(length).ok());
                return Ok(Current::Version { version, size_bytes });
            }
            Err(error) => error,
        };
        match error.raw_response().map(|raw| (raw.status().as_u16(), is_delete_marker(raw))) {
            Some((404, true)) => Ok(Current::Nothing),
            // HEAD answers have no body, so a missing bucket looks the same as a missing object. "Nothing" is
            // believed only of a bucket that is there: it would mark documents as removed.
            Some((404, false)) => match self.client.head_bucket().bucket(bucket).send().await {
                Ok(_) => Ok(Current::Nothing),
                Err(error) => Err(head_error("bucket", &error)),
            },
            _ => Err(head_error("head", &error)),
        }
    }
}

impl S3Objects {
    /// Reads the body to its end, each chunk and the whole under a limit of time.
    async fn read_body(
        &self,
        mut body: ByteStream,
        mut reader: BodyReader,
    ) -> Result<BodyReader, FetchError> {
        let idle = Duration::from_millis(self.timeouts.idle_ms);
        let whole = Duration::from_millis(self.timeouts.whole_ms);
        let reading = async {
            loop {
                match tokio::time::timeout(idle, body.next()).await {
                    Err(_elapsed) => return Err(FetchError::transient("body_stalled")),
                    Ok(None) => return Ok(()),
                    Ok(Some(Err(error))) => return Err(body_error(&error)),
                    Ok(Some(Ok(chunk))) => reader.take(&chunk)?,
                }
            }
        };
        let read = tokio::time::timeout(whole, reading).await;
        read.map_err(|_elapsed| FetchError::transient("body_too_slow"))??;
        Ok(reader)
    }
}

/// Refuses a 200 answer about something else than was asked for, as a store gives that knows no versions or no
/// conditions. A pinned version is compared by its id, the null version by its tag.
fn check_identity(asked: &ObjectVersion, answer: &GetObjectOutput) -> Result<(), FetchError> {
    let answered_version = VersionId::from_optional(answer.version_id());
    if answered_version != asked.version_id {
        return Err(FetchError::transient("other_version_answered"));
    }
    if !asked.version_id.is_null() || asked.etag.is_empty() {
        return Ok(());
    }
    match answer.e_tag().map(ETag::new) {
        None => Err(FetchError::transient("etag_missing")),
        Some(etag) if etag == asked.etag => Ok(()),
        Some(_) => Err(FetchError::Superseded),
    }
}

/// Reduces an error of GetObject to what the protocol's table knows.
fn fetch_error<E: ProvideErrorMetadata>(error: &SdkError<E>) -> FetchError {
    match error.raw_response() {
        Some(raw) if !raw.status().is_success() => classify(&ErrorAnswer {
            status: raw.status().as_u16(),
            code: service_code(error),
            delete_marker: is_delete_marker(raw),
        }),
        // A good status with headers that cannot be read.
        Some(_) => FetchError::transient("s3_answer_unreadable"),
        None => FetchError::transient(format!("s3_{}", local_error_code(error))),
    }
}

/// Reduces an error of a HEAD request. It is always transient: the answer has no body, and so no code that could
/// be trusted with more.
fn head_error<E: ProvideErrorMetadata>(what: &str, error: &SdkError<E>) -> FetchError {
    match error.raw_response() {
        Some(raw) if !raw.status().is_success() => {
            FetchError::transient(format!("s3_{what}_{}", raw.status().as_u16()))
        }
        Some(_) => FetchError::transient(format!("s3_{what}_answer_unreadable")),
        None => FetchError::transient(format!("s3_{what}_{}", local_error_code(error))),
    }
}

fn service_code<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

fn is_delete_marker(raw: &HttpResponse) -> bool {
    raw.headers().get(DELETE_MARKER_HEADER).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Reduces an error in the middle of a body.
fn body_error(error: &ByteStreamError) -> FetchError {
    let mut cause: Option<&dyn Error> = Some(error);
    for _ in 0..ERROR_CAUSES_MAX {
        let Some(error) = cause else { break };
        if error.to_string().starts_with(CHECKSUM_MISMATCH_TEXT) {
            return FetchError::transient("checksum_mismatch");
        }
        cause = error.source();
    }
    FetchError::transient("body_interrupted")
}
