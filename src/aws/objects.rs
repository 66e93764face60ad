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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use aws_sdk_s3::config::http::HttpRequest;
    use aws_sdk_s3::config::retry::RetryConfig;
    use aws_sdk_s3::config::timeout::TimeoutConfig;
    use aws_sdk_s3::config::{Credentials, Region, ResponseChecksumValidation, SharedHttpClient};
    use aws_sdk_s3::primitives::SdkBody;
    use aws_smithy_http_client::Builder;
    use aws_smithy_http_client::test_util::{ReplayEvent, StaticReplayClient};
    use aws_smithy_runtime_api::http::StatusCode;

    use super::*;
    use crate::identity::ContentHash;

    const LIMIT_BYTES: u64 = 200_000;
    const TIMEOUTS: BodyTimeouts = BodyTimeouts { idle_ms: 300, whole_ms: 2_000 };

    fn config() -> aws_sdk_s3::config::Builder {
        aws_sdk_s3::Config::builder()
            .behavior_version_latest()
            .region(Region::from_static("eu-central-1"))
            .credentials_provider(Credentials::for_tests())
            .retry_config(RetryConfig::disabled())
            // An environment can switch checksums off where the request does not insist on them.
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
    }

    fn budget() -> ByteBudget {
        ByteBudget::new(LIMIT_BYTES, LIMIT_BYTES)
    }

    fn pinned() -> ObjectVersion {
        version(VersionId::Id("v1".to_owned()), "abc")
    }

    fn null(etag: &str) -> ObjectVersion {
        version(VersionId::Null, etag)
    }

    fn version(version_id: VersionId, etag: &str) -> ObjectVersion {
        let key = "a/../b c+ü.pdf".to_owned();
        ObjectVersion { bucket: "lease-inbox".to_owned(), key, version_id, etag: ETag::new(etag) }
    }

    type Headers = &'static [(&'static str, &'static str)];
    type Fetched = Result<Vec<u8>, FetchError>;
    type GetRow = (u16, Headers, String, Fetched);
    type IdentityRow = (&'static str, ObjectVersion, Headers, Fetched);
    type LengthRow = (&'static str, Headers, Fetched);
    type HeadAnswer = (u16, Vec<(&'static str, &'static str)>);
    type HeadRow = (&'static str, Vec<HeadAnswer>, Result<Current, FetchError>);

    fn canned(status: u16, headers: Headers, body: &str) -> HttpResponse {
        let mut answer = HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::from(body));
        for (name, value) in headers {
            answer.headers_mut().insert(*name, *value);
        }
        answer
    }

    fn error_body(code: &str) -> String {
        format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>a/secret/key</Message></Error>")
    }

    fn replaying(answers: Vec<HttpResponse>) -> (StaticReplayClient, S3Objects) {
        let event = |answer| ReplayEvent::new(HttpRequest::empty(), answer);
        let client = StaticReplayClient::new(answers.into_iter().map(event).collect());
        let http_client = SharedHttpClient::new(client.clone());
        let config = config().http_client(http_client).build();
        (client, S3Objects::new(Client::from_conf(config), TIMEOUTS))
    }

    /// What fetching answers, reduced to the bytes.
    async fn fetched(objects: &S3Objects, version: &ObjectVersion) -> Fetched {
        objects.fetch(version, &budget()).await.map(|object| object.bytes.to_vec())
    }

    #[tokio::test]
    async fn every_answer_to_a_get_has_its_row() {
        let transient = |kind: &str| Err(FetchError::transient(kind));
        let marker: Headers = &[("x-amz-delete-marker", "true")];
        let no_marker: Headers = &[("x-amz-delete-marker", "false")];
        let table: Vec<GetRow> = vec![
            (404, &[], error_body("NoSuchKey"), Err(FetchError::NotFound)),
            (404, &[], error_body("NoSuchVersion"), Err(FetchError::NotFound)),
            (404, no_marker, error_body("NoSuchKey"), Err(FetchError::NotFound)),
            (404, marker, error_body("NoSuchKey"), Err(FetchError::DeleteMarker)),
            (404, marker, String::new(), Err(FetchError::DeleteMarker)),
            (405, marker, error_body("MethodNotAllowed"), Err(FetchError::DeleteMarker)),
            (405, &[], error_body("MethodNotAllowed"), Err(FetchError::DeleteMarker)),
            (404, &[], error_body("NoSuchBucket"), transient("s3_404_NoSuchBucket")),
            (404, &[], String::new(), transient("s3_404_NotFound")),
            (412, &[], error_body("PreconditionFailed"), Err(FetchError::Superseded)),
            (412, &[], String::new(), Err(FetchError::Superseded)),
            (304, &[], String::new(), transient("s3_304")),
            (403, &[], error_body("AccessDenied"), transient("s3_403_AccessDenied")),
            (403, &[], error_body("InvalidObjectState"), Err(FetchError::Archived)),
            (403, &[], error_body("KMS.DisabledException"), transient("s3_403_KMS.DisabledException")),
            (400, &[], error_body("InvalidArgument"), transient("s3_400_InvalidArgument")),
            (400, &[], error_body("ExpiredToken"), transient("s3_400_ExpiredToken")),
            (301, &[], error_body("PermanentRedirect"), transient("s3_301_PermanentRedirect")),
            (503, &[], error_body("SlowDown"), transient("s3_503_SlowDown")),
            (500, &[], error_body("InternalError"), transient("s3_500_InternalError")),
            (502, &[], "<html>Bad gateway".to_owned(), transient("s3_502")),
            (500, &[], error_body("a/secret/key"), transient("s3_500_unreadable_code")),
        ];
        for (status, headers, body, expected) in table {
            let (_client, objects) = replaying(vec![canned(status, headers, &body)]);
            let answered = fetched(&objects, &pinned()).await;
            assert_eq!(answered, expected, "{status} {headers:?} {body}");
            assert!(!format!("{answered:?}").contains("secret"), "{status}");
        }
    }

    #[tokio::test]
    async fn a_good_answer_is_believed_only_of_what_was_asked_for() {
        let transient = |kind: &str| Err(FetchError::transient(kind));
        let good = Ok(b"bytes".to_vec());
        let table: Vec<IdentityRow> = vec![
            ("pinned", pinned(), &[("x-amz-version-id", "v1"), ("etag", "\"abc\"")], good.clone()),
            // The tag of an immutable version decides nothing.
            ("pinned, other tag", pinned(), &[("x-amz-version-id", "v1"), ("etag", "\"x\"")], good.clone()),
            ("the latest instead", pinned(), &[("x-amz-version-id", "v2"), ("etag", "\"abc\"")], {
                transient("other_version_answered")
            }),
            ("no version", pinned(), &[("etag", "\"abc\"")], transient("other_version_answered")),
            ("unversioned", null("abc"), &[("etag", "\"abc\"")], good.clone()),
            ("null", null("abc"), &[("x-amz-version-id", "null"), ("etag", "\"abc\"")], good.clone()),
            ("condition ignored", null("abc"), &[("etag", "\"new\"")], Err(FetchError::Superseded)),
            ("no tag", null("abc"), &[], transient("etag_missing")),
            ("no tag known", null(""), &[("etag", "\"any\"")], good),
            ("null was asked", null("abc"), &[("x-amz-version-id", "v2"), ("etag", "\"abc\"")], {
                transient("other_version_answered")
            }),
        ];
        for (name, version, headers, expected) in table {
            let (_client, objects) = replaying(vec![canned(200, headers, "bytes")]);
            assert_eq!(fetched(&objects, &version).await, expected, "{name}");
        }
    }

    #[tokio::test]
    async fn the_length_is_checked_and_the_bytes_are_too() {
        let transient = |kind: &str| Err(FetchError::transient(kind));
        let good = Ok(b"bytes".to_vec());
        let table: Vec<LengthRow> = vec![
            ("as announced", &[("content-length", "5")], good.clone()),
            ("not announced", &[], good.clone()),
            // The SDK counts too, and comes first.
            ("shorter", &[("content-length", "6")], transient("body_interrupted")),
            ("longer", &[("content-length", "4")], transient("body_interrupted")),
            ("negative", &[("content-length", "-1")], transient("content_length_unreadable")),
            ("no number", &[("content-length", "x")], transient("s3_answer_unreadable")),
            ("over the limit", &[("content-length", "200001")], {
                Err(FetchError::TooLarge { size_bytes: 200_001, limit_bytes: LIMIT_BYTES })
            }),
            ("sum fits", &[("x-amz-checksum-sha256", "J3CJ2RwL308uaGK6fkoHYFEZQx9dE/cm3TUrBvGyBqk=")], good),
            ("sum differs", &[("x-amz-checksum-sha256", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")], {
                transient("checksum_mismatch")
            }),
        ];
        for (name, headers, expected) in table {
            let mut answer = canned(200, headers, "bytes");
            answer.headers_mut().insert("x-amz-version-id", "v1");
            let (_client, objects) = replaying(vec![answer]);
            assert_eq!(fetched(&objects, &pinned()).await, expected, "{name}");
        }
        // Without a length the limit holds while reading.
        let mut endless = canned(200, &[("x-amz-version-id", "v1")], &"x".repeat(200_001));
        endless.headers_mut().remove("content-length");
        let (_client, objects) = replaying(vec![endless]);
        assert!(matches!(fetched(&objects, &pinned()).await, Err(FetchError::TooLarge { .. })));
    }

    #[tokio::test]
    async fn user_metadata_comes_with_the_bytes() {
        let headers: Headers =
            &[("x-amz-version-id", "v1"), ("x-amz-meta-Property-Id", "P-1"), ("x-amz-meta-x", "y")];
        let (_client, objects) = replaying(vec![canned(200, headers, "bytes")]);
        let budget = budget();
        let object = objects.fetch(&pinned(), &budget).await.unwrap();
        let metadata: Vec<_> =
            object.metadata.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(metadata, [("property-id", "P-1"), ("x", "y")]);
        assert_eq!(object.hash, ContentHash::of(b"bytes"));
    }

    #[tokio::test]
    async fn the_request_names_exactly_one_version() {
        let path = "https://lease-inbox.s3.eu-central-1.amazonaws.com/a/../b%20c%2B%C3%BC.pdf?x-id=GetObject";
        let table = [
            ("pinned", pinned(), "v1", None),
            ("null", null("abc"), "null", Some("\"abc\"")),
            ("null without a tag", null(""), "null", None),
        ];
        for (name, version, version_id, if_match) in table {
            let (client, objects) = replaying(vec![canned(404, &[], "")]);
            fetched(&objects, &version).await.unwrap_err();
            let request = client.actual_requests().next().unwrap();
            assert_eq!(request.method(), "GET", "{name}");
            assert_eq!(request.uri(), format!("{path}&versionId={version_id}"), "{name}");
            assert_eq!(request.headers().get("if-match"), if_match, "{name}");
            assert_eq!(request.headers().get("x-amz-checksum-mode"), Some("ENABLED"), "{name}");
        }
    }

    #[tokio::test]
    async fn current_is_asked_without_a_version_and_nothing_is_believed_only_of_a_bucket_that_is_there() {
        let transient = |kind: &str| Err(FetchError::transient(kind));
        let current = |version_id: &str| {
            let version_id = VersionId::from_optional(Some(version_id));
            Ok(Current::Version { version: version(version_id, "abc"), size_bytes: Some(7) })
        };
        let tag = ("etag", "\"abc\"");
        let length = ("content-length", "7");
        let table: Vec<HeadRow> = vec![
            ("a version", vec![(200, vec![tag, length, ("x-amz-version-id", "v1")])], current("v1")),
            ("suspended", vec![(200, vec![tag, length, ("x-amz-version-id", "null")])], current("null")),
            ("unversioned", vec![(200, vec![tag, length])], current("")),
            ("no tag", vec![(200, vec![length])], transient("etag_missing")),
            ("a delete marker", vec![(404, vec![("x-amz-delete-marker", "true")])], Ok(Current::Nothing)),
            ("nothing", vec![(404, vec![]), (200, vec![])], Ok(Current::Nothing)),
            ("no bucket", vec![(404, vec![]), (404, vec![])], transient("s3_bucket_404")),
            ("a bucket out of reach", vec![(404, vec![]), (403, vec![])], transient("s3_bucket_403")),
            ("a bucket elsewhere", vec![(404, vec![]), (301, vec![])], transient("s3_bucket_301")),
            ("denied", vec![(403, vec![])], transient("s3_head_403")),
            ("denied marker", vec![(403, vec![("x-amz-delete-marker", "true")])], transient("s3_head_403")),
            ("not changed", vec![(304, vec![])], transient("s3_head_304")),
            ("condition", vec![(412, vec![])], transient("s3_head_412")),
            ("slow down", vec![(503, vec![])], transient("s3_head_503")),
            ("nobody", vec![], transient("s3_head_request_not_sent")),
            ("nobody for the bucket", vec![(404, vec![])], transient("s3_bucket_request_not_sent")),
        ];
        for (name, answers, expected) in table {
            let answers: Vec<_> = answers
                .into_iter()
                .map(|(status, headers)| {
                    let mut answer = canned(status, &[], "");
                    for (name, value) in headers {
                        answer.headers_mut().insert(name, value);
                    }
                    answer
                })
                .collect();
            let asked = answers.len();
            let (client, objects) = replaying(answers);
            let asked_for = pinned();
            assert_eq!(objects.current(&asked_for.bucket, &asked_for.key).await, expected, "{name}");
            let requests: Vec<_> = client.actual_requests().map(|request| request.uri().to_owned()).collect();
            assert_eq!(requests.len(), asked, "{name}");
            assert!(requests.iter().all(|uri| !uri.contains("versionId")), "{name}");
        }
    }

    /// A server for one connection: reads the request's head, then does as told with the connection.
    fn serving(answer: impl FnOnce(TcpStream) + Send + 'static) -> (String, std::thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            connection.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                connection.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            answer(connection);
        });
        (endpoint, thread)
    }

    fn over_the_wire(endpoint: &str) -> S3Objects {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_millis(500))
            .read_timeout(Duration::from_millis(300))
            .build();
        let config = config()
            .endpoint_url(endpoint)
            .force_path_style(true)
            .http_client(Builder::new().build_http())
            .timeout_config(timeouts)
            .build();
        S3Objects::new(Client::from_conf(config), TIMEOUTS)
    }

    const HEAD: &str = "HTTP/1.1 200 OK\r\nx-amz-version-id: v1\r\netag: \"abc\"\r\n";

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_body_in_chunks_is_hashed_whole() {
        let (endpoint, server) = serving(|mut connection| {
            write!(connection, "{HEAD}transfer-encoding: chunked\r\n\r\n").unwrap();
            for chunk in vec![7u8; 100_000].chunks(7_001) {
                write!(connection, "{:x}\r\n", chunk.len()).unwrap();
                connection.write_all(chunk).unwrap();
                connection.write_all(b"\r\n").unwrap();
                connection.flush().unwrap();
            }
            connection.write_all(b"0\r\n\r\n").unwrap();
        });
        let budget = budget();
        let object =
            over_the_wire(&endpoint).fetch(&pinned(), &budget).await.map_err(|error| error.to_string());
        let object = object.unwrap();
        assert_eq!(object.bytes.len(), 100_000);
        assert_eq!(object.hash, ContentHash::of(&vec![7u8; 100_000]));
        server.join().unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_connection_that_fails_is_transient_and_says_where() {
        type Answer = fn(TcpStream);
        let table: [(&str, Answer, &str); 5] = [
            ("closed before the answer", drop, "s3_request_not_sent"),
            ("silent", |connection| wait_for_the_end(connection), "s3_connection_timeout"),
            (
                "closed within the body",
                |mut connection| write!(connection, "{HEAD}content-length: 10\r\n\r\n123").unwrap(),
                "body_interrupted",
            ),
            (
                "silent within the body",
                |mut connection| {
                    write!(connection, "{HEAD}content-length: 10\r\n\r\n123").unwrap();
                    wait_for_the_end(connection);
                },
                "body_stalled",
            ),
            (
                "a drop at a time",
                |mut connection| {
                    write!(connection, "{HEAD}content-length: 1000\r\n\r\n").unwrap();
                    while connection.write_all(b"1").is_ok() {
                        std::thread::sleep(Duration::from_millis(50));
                    }
                },
                "body_too_slow",
            ),
        ];
        for (name, answer, kind) in table {
            let (endpoint, server) = serving(answer);
            let objects = over_the_wire(&endpoint);
            assert_eq!(fetched(&objects, &pinned()).await, Err(FetchError::transient(kind)), "{name}");
            drop(objects);
            server.join().unwrap();
        }
        let nobody = over_the_wire("http://127.0.0.1:1");
        assert_eq!(fetched(&nobody, &pinned()).await, Err(FetchError::transient("s3_connection_failed")));
        let no_key = ObjectVersion { key: String::new(), ..pinned() };
        assert_eq!(fetched(&nobody, &no_key).await, Err(FetchError::transient("s3_request_not_built")));
    }

    fn wait_for_the_end(mut connection: TcpStream) {
        // Ends when the client hangs up, in whatever way.
        let _ = connection.read(&mut [0]);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn an_announced_length_over_the_limit_is_refused_before_the_body() {
        let (endpoint, server) = serving(|mut connection| {
            write!(connection, "{HEAD}content-length: 200001\r\n\r\n").unwrap();
            wait_for_the_end(connection);
        });
        let objects = over_the_wire(&endpoint);
        let refused = fetched(&objects, &pinned()).await;
        assert_eq!(refused, Err(FetchError::TooLarge { size_bytes: 200_001, limit_bytes: LIMIT_BYTES }));
        drop(objects);
        server.join().unwrap();
    }
}
