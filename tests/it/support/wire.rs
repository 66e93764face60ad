//! The wire between the SDK and the engine: it counts what is sent, and loses requests and replies on demand.
//! The SDK's own retries, timeouts and idempotency tokens are at work above it, as in a deployment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_smithy_http_client::Builder;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::Response;
use aws_smithy_types::body::SdkBody;
use lease_ingest::aws::clients::{ClientTimeouts, local_dynamodb};

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// It never arrives.
    Request,
    /// It takes effect and its reply never arrives.
    Reply,
    /// The service answers with this error of DynamoDB and does nothing.
    Refused(&'static str),
    /// The transaction is cancelled, with this reason code for each of its actions, and does nothing.
    Cancelled(&'static [&'static str]),
    /// A read finds nothing.
    Empty,
    /// The engine is gone from here on.
    DownFromHere,
}

#[derive(Debug, Default)]
struct State {
    counts: BTreeMap<String, u64>,
    planned: Vec<(String, u64, Loss)>,
    request_tokens: Vec<String>,
    down: bool,
}

/// The wire. Clones share it.
#[derive(Debug, Clone)]
pub struct Wire {
    inner: SharedHttpClient,
    state: Arc<Mutex<State>>,
}

impl Wire {
    /// A wire that loses nothing.
    pub fn new() -> Self {
        Self { inner: Builder::new().build_http(), state: Arc::default() }
    }

    /// A client that speaks over this wire.
    pub fn client(&self, endpoint: &str, timeouts: ClientTimeouts) -> Client {
        let config =
            local_dynamodb(endpoint, timeouts).config().to_builder().http_client(self.clone()).build();
        Client::from_conf(config)
    }

    /// The `nth` request of this operation from now, counted from 1, is lost like this.
    pub fn lose(&self, operation: &str, nth: u64, loss: Loss) {
        let mut state = self.state.lock().unwrap();
        let so_far = state.counts.get(operation).copied().unwrap_or(0);
        state.planned.push((operation.to_owned(), so_far + nth, loss));
    }

    /// Requests so far, by operation.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.state.lock().unwrap().counts.clone()
    }

    /// All requests so far.
    pub fn total(&self) -> u64 {
        self.counts().values().sum()
    }

    /// The request tokens of all transactions so far.
    pub fn request_tokens(&self) -> Vec<String> {
        self.state.lock().unwrap().request_tokens.clone()
    }

    /// Nothing more is lost.
    pub fn forget_planned(&self) {
        self.state.lock().unwrap().planned.clear();
    }

    /// Whether every planned loss has happened.
    pub fn all_lost(&self) -> bool {
        self.state.lock().unwrap().planned.is_empty()
    }

    fn next(&self, operation: &str) -> Option<Loss> {
        let mut state = self.state.lock().unwrap();
        let count = state.counts.entry(operation.to_owned()).or_default();
        *count += 1;
        let count = *count;
        if state.down {
            return Some(Loss::Request);
        }
        let found =
            state.planned.iter().position(|(planned, nth, _)| planned == operation && *nth == count)?;
        let (_, _, loss) = state.planned.remove(found);
        state.down |= loss == Loss::DownFromHere;
        Some(loss)
    }
}

impl HttpClient for Wire {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { wire: self.clone(), inner })
    }
}

#[derive(Debug)]
struct Connector {
    wire: Wire,
    inner: SharedHttpConnector,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body =
            request.body().bytes().and_then(|bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok());
        let token = body.as_ref().and_then(|body| body["ClientRequestToken"].as_str());
        self.wire.state.lock().unwrap().request_tokens.extend(token.map(str::to_owned));
        let lost = || ConnectorError::io("the wire lost it".into());
        match self.wire.next(&operation) {
            None => self.inner.call(request),
            Some(Loss::Request | Loss::DownFromHere) => HttpConnectorFuture::ready(Err(lost())),
            Some(Loss::Reply) => {
                let sent = self.inner.call(request);
                HttpConnectorFuture::new(async move {
                    sent.await?;
                    Err(lost())
                })
            }
            Some(Loss::Refused(code)) => {
                refused(&serde_json::json!({ "__type": format!("{SERVICE}#{code}"), "message": "refused" }))
            }
            Some(Loss::Empty) => {
                HttpConnectorFuture::ready(Ok(Response::new(200u16.try_into().unwrap(), SdkBody::from("{}"))))
            }
            Some(Loss::Cancelled(codes)) => {
                let reasons: Vec<_> = codes.iter().map(|code| serde_json::json!({ "Code": code })).collect();
                refused(&serde_json::json!({
                    "__type": format!("{SERVICE}#TransactionCanceledException"),
                    "message": "cancelled",
                    "CancellationReasons": reasons,
                }))
            }
        }
    }
}

/// How DynamoDB names its errors.
const SERVICE: &str = "com.amazonaws.dynamodb.v20120810";

fn refused(answer: &serde_json::Value) -> HttpConnectorFuture {
    let status = 400u16.try_into().unwrap();
    HttpConnectorFuture::ready(Ok(Response::new(status, SdkBody::from(answer.to_string()))))
}
