//! S3 as a script: canned answers under the real S3 adapter and the real SDK.

use std::sync::{Arc, Mutex};

use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::{Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::Response;
use aws_smithy_types::body::SdkBody;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::slip::slip_of;

/// One scripted answer.
#[derive(Debug, Clone)]
struct Scripted {
    key: Option<String>,
    times: Option<u64>,
    respond: Value,
}

#[derive(Debug, Default)]
struct State {
    script: Vec<Scripted>,
    fetched: Vec<(String, String)>,
}

/// The store. Without a scripted answer every version of every key is there, with content of its own.
#[derive(Debug, Clone, Default)]
pub struct ScriptedS3(Arc<Mutex<State>>);

impl ScriptedS3 {
    /// A store that answers by a case's list of answers.
    pub fn scripted(answers: &Value) -> Self {
        let scripted = answers.as_array().into_iter().flatten().map(|answer| Scripted {
            key: answer["on"]["key"].as_str().map(str::to_owned),
            times: answer["times"].as_u64(),
            respond: answer["respond"].clone(),
        });
        let state = State { script: scripted.collect(), fetched: Vec::new() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// A client that speaks to it and tries once.
    pub fn client(&self) -> aws_sdk_s3::Client {
        let config = aws_sdk_s3::Config::builder()
            .behavior_version_latest()
            .region(Region::new("eu-central-1"))
            .credentials_provider(Credentials::new("scripted", "scripted", None, None, "scripted"))
            .retry_config(RetryConfig::disabled())
            .force_path_style(true)
            .http_client(self.clone())
            .build();
        aws_sdk_s3::Client::from_conf(config)
    }

    /// Keys whose bytes were asked for, with the version id.
    pub fn fetched(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap().fetched.clone()
    }

    fn answer(&self, request: &HttpRequest) -> Response<SdkBody> {
        let uri = request.uri();
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let path = path.splitn(4, '/').nth(3).unwrap_or_default();
        let key = path.split_once('/').map_or("", |(_, key)| key);
        let key = percent_decode_str(key).decode_utf8().unwrap().into_owned();
        if request.method() == "HEAD" {
            // Buckets are there, objects are not: what is current is nothing.
            return reply(if key.is_empty() { 200 } else { 404 }, &[], SdkBody::empty());
        }
        let version =
            query.split('&').find_map(|part| part.strip_prefix("versionId=")).unwrap_or("null").to_owned();
        let if_match = request.headers().get("if-match").unwrap_or_default().to_owned();
        let mut state = self.0.lock().unwrap();
        state.fetched.push((key.clone(), version.clone()));
        let found = state.script.iter_mut().find(|scripted| {
            scripted.key.as_ref().is_none_or(|wanted| *wanted == key) && scripted.times != Some(0)
        });
        if let Some(scripted) = found {
            if let Some(times) = &mut scripted.times {
                *times -= 1;
            }
            return respond(&scripted.respond, &if_match, &version);
        }
        let content = if key.contains("panic") {
            "panic".to_owned()
        } else {
            slip_of(&format!("{key} {version} {if_match}"))
        };
        let headers = identity(&if_match, &version);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        reply(200, &headers, SdkBody::from(content))
    }
}

/// The headers that name the version that answers.
fn identity(if_match: &str, version: &str) -> Vec<(&'static str, String)> {
    let etag = if if_match.is_empty() { "\"0123456789abcdef\"" } else { if_match };
    let mut headers = vec![("etag", etag.to_owned())];
    if version != "null" {
        headers.push(("x-amz-version-id", version.to_owned()));
    }
    headers
}

fn respond(respond: &Value, if_match: &str, version: &str) -> Response<SdkBody> {
    let status = u16::try_from(respond["status"].as_u64().unwrap()).unwrap();
    let mut headers = if status == 200 { identity(if_match, version) } else { Vec::new() };
    let given = respond["headers"].as_object().into_iter().flatten();
    let given: Vec<_> =
        given.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str().unwrap().to_owned())).collect();
    headers.retain(|(name, _)| !given.iter().any(|(other, _)| other == name));
    let all: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .chain(given.iter().map(|(name, value)| (name.as_str(), value.as_str())))
        .collect();
    let body = match (status, respond["body_bytes"].as_u64(), respond["code"].as_str()) {
        // A slip with room behind it, of exactly this many bytes.
        (200, Some(size_bytes), _) => {
            let slip = slip_of("large");
            let room = usize::try_from(size_bytes).unwrap() - slip.len();
            format!("{slip}{}", " ".repeat(room))
        }
        (200, None, _) => slip_of(respond["body"].as_str().unwrap_or("default")),
        (_, _, Some(code)) => format!("<Error><Code>{code}</Code><Message>scripted</Message></Error>"),
        _ => String::new(),
    };
    reply(status, &all, SdkBody::from(body))
}

fn reply(status: u16, headers: &[(&str, &str)], body: SdkBody) -> Response<SdkBody> {
    let mut response = Response::new(status.try_into().unwrap(), body);
    for (name, value) in headers {
        response.headers_mut().insert((*name).to_owned(), (*value).to_owned());
    }
    response
}

impl HttpClient for ScriptedS3 {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for ScriptedS3 {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::ready(Ok(self.answer(&request)))
    }
}
