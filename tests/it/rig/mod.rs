//! The real `ingest` binary between a Runtime API and its engines, for tests that kill it, stop it, and disturb what
//! it hears. The engines are the embedded one with a folder of objects, or ministack; the adapters are those of a
//! deployment either way.

pub mod http;
pub mod place;
pub mod proxy;
pub mod runtime;
pub mod scenario;
pub mod stores;
pub mod textract;

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use lease_ingest::ports::clock::{Clock, SystemClock};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, SemaphorePermit};

use place::{Document, Place};
use proxy::{Planned, Proxy};
use runtime::{RuntimeApi, RuntimeKill, Said};

/// Names another binary to be driven, such as the one that is released.
const BINARY_VARIABLE: &str = "LEASE_INGEST_TEST_BINARY";
/// How long a function may take to start and to answer beyond its deadline before a test gives up on it, in
/// milliseconds. Other tests run beside this one.
const PATIENCE_MS: u64 = 60_000;

/// How long what was printed may take to be seen here, in milliseconds.
const PRINTED_MAX_MS: u64 = 10_000;
/// Pause between two looks at what was printed, in milliseconds.
const PRINTED_PAUSE_MS: u64 = 5;

/// How many rows of all tests are played at once: more would only make each slower, and its waits longer.
static TURNS: Semaphore = Semaphore::const_new(10);

/// Waits for a turn to play a row; it lasts until what is answered is dropped.
pub async fn turn() -> SemaphorePermit<'static> {
    TURNS.acquire().await.unwrap()
}

/// How a worker is set up beyond its place.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// Settings beside those that every test has.
    pub settings: Vec<(&'static str, String)>,
    /// What happens to its requests.
    pub planned: Vec<Planned>,
    /// What happens to it at the Runtime API.
    pub runtime_kill: Option<RuntimeKill>,
}

impl Setup {
    /// The same settings, and nothing happens.
    pub fn undisturbed(&self) -> Self {
        Self { planned: Vec::new(), runtime_kill: None, ..self.clone() }
    }
}

/// How an invocation went.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// The function answered: whether the message comes again.
    Answered {
        /// Whether it was returned.
        returned: bool,
        /// How long before the deadline the answer came, in milliseconds; negative when after it.
        left_ms: i64,
    },
    /// The invocation failed as a whole, which returns the message.
    Failed(Value),
    /// The process is gone.
    Died,
}

/// One process of the function.
pub struct Worker {
    child: Child,
    /// Between it and its engines.
    pub proxy: Proxy,
    runtime: RuntimeApi,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Worker {
    /// Starts one.
    pub async fn start(place: &Place, setup: &Setup) -> Self {
        let proxy = Proxy::start(place.upstreams(), setup.planned.clone()).await;
        let endpoint = ("AWS_ENDPOINT_URL", format!("http://{}", proxy.address));
        let settings = [vec![endpoint], place.settings(), setup.settings.clone()].concat();
        Self::launch(proxy, RuntimeApi::start(setup.runtime_kill).await, settings)
    }

    /// Starts one with these settings and no others.
    pub fn launch(proxy: Proxy, runtime: RuntimeApi, settings: Vec<(&'static str, String)>) -> Self {
        let program = std::env::var_os(BINARY_VARIABLE)
            .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_ingest")), PathBuf::from);
        let mut child = Command::new(program)
            // Nothing of the machine's own settings reaches it: no account could be met by accident.
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", runtime.address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "ingest")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "1")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "2048")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .envs(settings)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let pid = pid_of(&child);
        proxy.set_victim(pid);
        runtime.set_victim(pid);
        let lines = Arc::default();
        tokio::spawn(keep_lines(child.stdout.take().unwrap(), Arc::clone(&lines)));
        tokio::spawn(keep_lines(child.stderr.take().unwrap(), Arc::clone(&lines)));
        Self { child, proxy, runtime, lines }
    }

    /// Invokes the function with a payload and answers its response.
    pub async fn answer(&mut self, payload: &Value, allowed_ms: u64) -> Result<Value, String> {
        self.runtime.give(payload, allowed_ms);
        tokio::select! {
            biased;
            said = self.runtime.hear() => match said {
                Said::Response(response) => Ok(response),
                other => Err(format!("{other:?}: {:#?}", self.lines())),
            },
            ended = self.child.wait() => Err(format!("it has ended, {ended:?}: {:#?}", self.lines())),
            () = SystemClock.sleep_ms(allowed_ms + PATIENCE_MS) => Err("it says nothing".into()),
        }
    }

    /// Invokes the function for a document, with so many milliseconds until the deadline.
    pub async fn invoke(&mut self, document: &Document, allowed_ms: u64) -> Told {
        self.give(document, allowed_ms);
        self.hear(allowed_ms).await
    }

    /// Gives an invocation and does not wait for it.
    pub fn give(&self, document: &Document, allowed_ms: u64) {
        self.runtime.give(&document.event(), allowed_ms);
    }

    /// Waits for what becomes of the invocation that was given.
    pub async fn hear(&mut self, allowed_ms: u64) -> Told {
        tokio::select! {
            biased;
            said = self.runtime.hear() => match said {
                Said::Response(response) => {
                    let (now, deadline) = (SystemClock.now().0.cast_signed(), self.runtime.deadline().0.cast_signed());
                    let failures = response["batchItemFailures"].as_array().map_or(usize::MAX, Vec::len);
                    assert!(failures <= 1, "{response}");
                    Told::Answered { returned: failures > 0, left_ms: deadline - now }
                }
                Said::Error(error) | Said::InitError(error) => Told::Failed(error),
            },
            _ = self.child.wait() => Told::Died,
            () = SystemClock.sleep_ms(allowed_ms + PATIENCE_MS) => {
                panic!("the function says nothing: {:#?}", self.lines())
            }
        }
    }

    /// Kills it, or stops it, or has it go on.
    pub fn signal(&self, signal: Signal) {
        kill_process(pid_of(&self.child), signal).unwrap();
    }

    /// Whether the kill at the Runtime API has happened, or none was planned.
    pub fn was_killed_as_planned(&self) -> bool {
        self.runtime.has_killed()
    }

    /// Processes that this one has started and that run.
    pub fn children(&self) -> Vec<Pid> {
        children_of(pid_of(&self.child))
    }

    /// What it has printed.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Outcomes that it has logged, in order, of as many invocations as it has answered.
    pub async fn outcomes(&self, answered: usize) -> Vec<String> {
        for _ in 0..PRINTED_MAX_MS / PRINTED_PAUSE_MS {
            // The figures are the last that an invocation prints.
            if self.lines().iter().filter(|line| line.contains("CloudWatchMetrics")).count() >= answered {
                break;
            }
            SystemClock.sleep_ms(PRINTED_PAUSE_MS).await;
        }
        let lines = self.lines();
        let logged = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        logged.filter_map(|line| Some(line["outcome"].as_str()?.to_owned())).collect()
    }
}

fn pid_of(child: &Child) -> Pid {
    // A process that was waited for has no number any more; its own stands in for it, which no test signals.
    child.id().and_then(|id| Pid::from_raw(id.cast_signed())).unwrap_or_else(rustix::process::getpid)
}

/// Children of all threads of a process.
pub fn children_of(pid: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
    let lists = threads.into_iter().flatten().flatten().map(|thread| thread.path().join("children"));
    let lists = lists.filter_map(|file| std::fs::read_to_string(file).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>())
        .filter_map(Pid::from_raw)
        .collect()
}

async fn keep_lines(stream: impl AsyncRead + Unpin, lines: Arc<Mutex<Vec<String>>>) {
    let mut reader = BufReader::new(stream).lines();
    while let Ok(Some(line)) = reader.next_line().await {
        lines.lock().unwrap().push(line);
    }
}

/// A message in an SQS event.
pub fn sqs_record(message_id: &str, receipt_handle: &str, receive_count: u32, body: &str) -> Value {
    json!({
        "messageId": message_id,
        "receiptHandle": receipt_handle,
        "body": body,
        "attributes": { "ApproximateReceiveCount": receive_count.to_string() },
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:ingest",
        "awsRegion": "us-east-1",
    })
}
