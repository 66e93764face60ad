//! Textract for the function: jobs that run for a while and then say a lease.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::http::{self, Message};
use crate::support::textract::pages_answered;

/// Pages of a scan that is recognised by a job: more than are recognised at once.
pub const JOB_PAGES: usize = 6;
/// How often a job is asked about before it has ended.
const RUNNING_ASKS: u32 = 2;

/// Jobs by the tokens of those who started them, each with how often it was asked about.
#[derive(Debug, Clone, Default)]
pub struct Jobs(Arc<Mutex<BTreeMap<String, u32>>>);

impl Jobs {
    /// How many were started.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn answer(&self, request: &Message) -> Value {
        let body: Value = serde_json::from_slice(request.content()).unwrap_or_default();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let mut jobs = self.0.lock().unwrap();
        // The same token starts nothing new, as documented; the job bears its name here.
        if request.header("x-amz-target").is_some_and(|target| target.ends_with("StartDocumentTextDetection"))
        {
            let token = text("ClientRequestToken");
            jobs.entry(token.clone()).or_default();
            return json!({ "JobId": token });
        }
        let Some(asked) = jobs.get_mut(&text("JobId")) else {
            return json!({ "JobStatus": "FAILED", "StatusMessage": "no such job" });
        };
        if *asked < RUNNING_ASKS {
            *asked += 1;
            return json!({ "JobStatus": "IN_PROGRESS" });
        }
        pages_answered(1..=JOB_PAGES, JOB_PAGES, None)
    }
}

/// Serves it; answers where, and the jobs.
pub async fn serve() -> (SocketAddr, Jobs) {
    let jobs = Jobs::default();
    let served = jobs.clone();
    let address =
        http::serve(move |request| {
            let answer = served.answer(&request).to_string();
            async move {
                Message::reply(200, &[("content-type", "application/x-amz-json-1.1")], answer.as_bytes())
            }
        })
        .await;
    (address, jobs)
}
