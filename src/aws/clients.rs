//! The SDK's clients, with every wait bounded.

use std::time::Duration;

use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

use crate::config::FunctionSettings;

/// Region the embedded engine is addressed with. It is only signed into requests and decides nothing.
const LOCAL_REGION: &str = "us-east-1";

/// Endpoint of S3 alone, which outranks the one of all services.
/// Source: "Service-specific endpoints", AWS SDKs and tools reference guide.
const S3_ENDPOINT: &str = "AWS_ENDPOINT_URL_S3";

/// How long one attempt at recognising a page may take, in milliseconds.
const RECOGNITION_ATTEMPT_MS: u64 = 10_000;

/// How long opening connections may take, in milliseconds. Lambda gives a function ten seconds to start.
const WARM_MAX_MS: u64 = 2_000;

/// How long one call may take, and how often it is tried. All times are milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientTimeouts {
    /// Until the connection stands.
    pub connect_ms: u64,
    /// Until the answer's headers are there, counted from the request having been sent.
    pub read_ms: u64,
    /// One attempt, connecting included.
    pub attempt_ms: u64,
    /// All attempts of one call and the pauses between them. For a streamed body it ends with the headers.
    pub operation_ms: u64,
    /// Attempts of one call, the first included; at least 1.
    pub max_attempts: u32,
}

impl Default for ClientTimeouts {
    /// Suits a function that has a minute: a slow store is given up on while there is time to say so.
    fn default() -> Self {
        Self { connect_ms: 1_000, read_ms: 5_000, attempt_ms: 6_000, operation_ms: 15_000, max_attempts: 3 }
    }
}

impl ClientTimeouts {
    fn timeout_config(&self) -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(Duration::from_millis(self.connect_ms))
            .read_timeout(Duration::from_millis(self.read_ms))
            .operation_attempt_timeout(Duration::from_millis(self.attempt_ms))
            .operation_timeout(Duration::from_millis(self.operation_ms))
            .build()
    }

    /// Standard mode: exponential pauses with jitter, and a token bucket that stops retrying when a service is down.
    fn retry_config(&self) -> RetryConfig {
        RetryConfig::standard().with_max_attempts(self.max_attempts.max(1))
    }
}

/// The clients a function works with. They share one connection pool.
#[derive(Debug, Clone)]
pub struct AwsClients {
    /// Tables.
    pub dynamodb: aws_sdk_dynamodb::Client,
    /// Objects.
    pub s3: aws_sdk_s3::Client,
    /// Queues.
    pub sqs: aws_sdk_sqs::Client,
    /// Text on pictures.
    pub textract: aws_sdk_textract::Client,
}

impl AwsClients {
    /// Clients for region, credentials and endpoints as the environment says, the way every AWS tool reads it.
    /// Nothing is sent: a missing permission or region shows at the first call.
    ///
    /// TLS is rustls on ring, which keeps the binary small and needs no entropy at start.
    pub async fn from_environment(timeouts: ClientTimeouts) -> Self {
        let http_client = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
        let config = aws_config::defaults(BehaviorVersion::latest())
            .http_client(http_client)
            .timeout_config(timeouts.timeout_config())
            .retry_config(timeouts.retry_config())
            .load()
            .await;
        // A local stand-in for S3 has no name per bucket, so a plain-text endpoint is addressed by path.
        let own_endpoint = std::env::var(S3_ENDPOINT).ok();
        let endpoint = own_endpoint.as_deref().or(config.endpoint_url());
        let path_style = endpoint.is_some_and(|url| url.starts_with("http://"));
        let s3_config = aws_sdk_s3::config::Builder::from(&config).force_path_style(path_style).build();
        // A page takes seconds to recognise, and is paid for again when it is asked for again.
        let patient = ClientTimeouts {
            read_ms: RECOGNITION_ATTEMPT_MS,
            attempt_ms: RECOGNITION_ATTEMPT_MS + timeouts.connect_ms,
            operation_ms: 2 * RECOGNITION_ATTEMPT_MS,
            ..timeouts
        };
        let textract_config =
            aws_sdk_textract::config::Builder::from(&config).timeout_config(patient.timeout_config()).build();
        Self {
            dynamodb: aws_sdk_dynamodb::Client::new(&config),
            s3: aws_sdk_s3::Client::from_conf(s3_config),
            sqs: aws_sdk_sqs::Client::new(&config),
            textract: aws_sdk_textract::Client::from_conf(textract_config),
        }
    }
}

impl AwsClients {
    /// Opens the connections while the function starts, when time costs nobody anything, all three at once. The
    /// requests are ones that the function may make anyway; what they answer does not matter, and a failure
    /// here says nothing that the first record would not say better.
    pub async fn warm(&self, settings: &FunctionSettings) {
        let bucket = settings.ingest.policy.buckets.first().map_or("", String::as_str);
        let claims = self
            .dynamodb
            .get_item()
            .table_name(&settings.tables.claims)
            .key("claim_key", AttributeValue::S("warm".to_owned()))
            .key("generation", AttributeValue::N("0".to_owned()))
            .send();
        let objects = self.s3.head_bucket().bucket(bucket).send();
        let queue = self.sqs.get_queue_attributes().queue_url(&settings.queue_url).send();
        let all = async { tokio::join!(claims, objects, queue) };
        let Ok((claims, objects, queue)) =
            tokio::time::timeout(Duration::from_millis(WARM_MAX_MS), all).await
        else {
            return;
        };
        tracing::debug!(
            claims = claims.is_ok(),
            objects = objects.is_ok(),
            queue = queue.is_ok(),
            "connections opened"
        );
    }
}

/// A client of a DynamoDB engine on this machine, such as `http://127.0.0.1:8000`.
///
/// The service's configuration is built directly, so that neither profiles, environment variables nor the
/// instance's metadata service are ever asked: local work must not reach an account by accident, and must not
/// wait for one.
pub fn local_dynamodb(endpoint: &str, timeouts: ClientTimeouts) -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version_latest()
        .region(Region::from_static(LOCAL_REGION))
        .credentials_provider(Credentials::new("local", "local", None, None, "embedded"))
        .endpoint_url(endpoint)
        .http_client(Builder::new().build_http())
        .timeout_config(timeouts.timeout_config())
        .retry_config(timeouts.retry_config())
        .build();
    aws_sdk_dynamodb::Client::from_conf(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_local_client_is_complete_without_an_environment() {
        let client = local_dynamodb("http://127.0.0.1:1", ClientTimeouts::default());
        let config = client.config();
        assert_eq!(config.region().map(ToString::to_string).as_deref(), Some(LOCAL_REGION));
        let timeouts = config.timeout_config().unwrap();
        assert_eq!(timeouts.connect_timeout(), Some(Duration::from_secs(1)));
        assert_eq!(timeouts.read_timeout(), Some(Duration::from_secs(5)));
        assert_eq!(timeouts.operation_attempt_timeout(), Some(Duration::from_secs(6)));
        assert_eq!(timeouts.operation_timeout(), Some(Duration::from_secs(15)));
        assert_eq!(config.retry_config().unwrap().max_attempts(), 3);
    }

    #[tokio::test]
    async fn an_engine_that_is_not_there_is_an_error_in_bounded_time() {
        let timeouts = ClientTimeouts { max_attempts: 1, ..ClientTimeouts::default() };
        let client = local_dynamodb("http://127.0.0.1:1", timeouts);
        let error = client.list_tables().send().await.unwrap_err();
        assert_eq!(crate::aws::error_code(&error), "connection_failed");
    }
}
