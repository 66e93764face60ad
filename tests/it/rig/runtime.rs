//! The other side of a Lambda function: a Runtime API endpoint that gives invocations out and takes responses, and
//! that can kill the process at the moments that only it sees.
//! Source: "Using the Lambda runtime API for custom runtimes", AWS Lambda developer guide.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lease_ingest::identity::EpochMs;
use lease_ingest::ports::clock::{Clock, SystemClock};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::http::{Connection, Message};

/// Path of every call of this API.
const PREFIX: &str = "/2018-06-01/runtime/";

/// When the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeKill {
    /// The invocation was given.
    Given,
    /// The response has arrived, and the service loses it.
    ResponseLost,
    /// The response is taken, and the function is not told.
    ResponseTaken,
}

/// What a function says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The response to an invocation.
    Response(Value),
    /// The invocation failed.
    Error(Value),
    /// The function could not start.
    InitError(Value),
}

struct Invocation {
    payload: String,
    allowed_ms: u64,
}

struct Inner {
    invocations: tokio::sync::Mutex<mpsc::UnboundedReceiver<Invocation>>,
    said: mpsc::UnboundedSender<Said>,
    kill: Mutex<Option<RuntimeKill>>,
    victim: Mutex<Option<Pid>>,
    deadline: Mutex<EpochMs>,
    number: AtomicU64,
}

/// The endpoint of one process.
pub struct RuntimeApi {
    /// Where it listens.
    pub address: SocketAddr,
    give: mpsc::UnboundedSender<Invocation>,
    hear: mpsc::UnboundedReceiver<Said>,
    inner: Arc<Inner>,
}

impl RuntimeApi {
    /// Starts one.
    pub async fn start(kill: Option<RuntimeKill>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (give, invocations) = mpsc::unbounded_channel();
        let (said, hear) = mpsc::unbounded_channel();
        let inner = Arc::new(Inner {
            invocations: tokio::sync::Mutex::new(invocations),
            said,
            kill: Mutex::new(kill),
            victim: Mutex::default(),
            deadline: Mutex::default(),
            number: AtomicU64::new(0),
        });
        let serving = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&serving).connection(Connection::of(stream)));
            }
        });
        Self { address, give, hear, inner }
    }

    /// Names the process.
    pub fn set_victim(&self, pid: Pid) {
        *self.inner.victim.lock().unwrap() = Some(pid);
    }

    /// Gives an invocation to whoever asks next; its time counts from then.
    pub fn give(&self, payload: &Value, allowed_ms: u64) {
        self.give.send(Invocation { payload: payload.to_string(), allowed_ms }).unwrap();
    }

    /// When the last invocation that was given ends.
    pub fn deadline(&self) -> EpochMs {
        *self.inner.deadline.lock().unwrap()
    }

    /// What the function says next.
    pub async fn hear(&mut self) -> Said {
        self.hear.recv().await.unwrap()
    }

    /// Whether the planned kill has happened, or none was planned.
    pub fn has_killed(&self) -> bool {
        self.inner.kill.lock().unwrap().is_none()
    }
}

impl Inner {
    /// Kills the process if this is the moment.
    fn kill_at(&self, moment: RuntimeKill) -> bool {
        let mut kill = self.kill.lock().unwrap();
        if *kill != Some(moment) {
            return false;
        }
        *kill = None;
        let victim = self.victim.lock().unwrap();
        kill_process(victim.unwrap(), Signal::KILL).unwrap();
        true
    }

    async fn connection(self: Arc<Self>, mut function: Connection) {
        while let Ok(Some(request)) = function.receive(None).await {
            let reply = match request.target().strip_prefix(PREFIX) {
                Some("invocation/next") => match self.next(&mut function).await {
                    Some(reply) => reply,
                    None => return,
                },
                Some(path) => {
                    let body = || serde_json::from_slice(request.content()).unwrap_or_default();
                    let said = if path == "init/error" {
                        Said::InitError(body())
                    } else if path.ends_with("/error") {
                        Said::Error(body())
                    } else {
                        Said::Response(body())
                    };
                    if self.kill_at(RuntimeKill::ResponseLost) {
                        return;
                    }
                    let _ = self.said.send(said);
                    if self.kill_at(RuntimeKill::ResponseTaken) {
                        return;
                    }
                    Message::reply(202, &[("content-type", "application/json")], b"{\"status\":\"OK\"}")
                }
                None => Message::reply(404, &[], b""),
            };
            if function.send(&reply.bytes()).await.is_err() {
                return;
            }
            self.kill_at(RuntimeKill::Given);
        }
    }

    /// The next invocation. A function that is gone takes none with it.
    async fn next(&self, function: &mut Connection) -> Option<Message> {
        let mut invocations = self.invocations.lock().await;
        let invocation = tokio::select! {
            biased;
            () = function.until_closed() => return None,
            invocation = invocations.recv() => invocation?,
        };
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let deadline = SystemClock.now().plus_ms(invocation.allowed_ms);
        *self.deadline.lock().unwrap() = deadline;
        let (id, deadline) = (format!("00000000-0000-4000-8000-{number:012}"), deadline.0.to_string());
        let headers = [
            ("content-type", "application/json"),
            ("lambda-runtime-aws-request-id", id.as_str()),
            ("lambda-runtime-deadline-ms", deadline.as_str()),
            ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:us-east-1:000000000000:function:ingest"),
            ("lambda-runtime-trace-id", "Root=1-00000000-000000000000000000000000"),
        ];
        Some(Message::reply(200, &headers, invocation.payload.as_bytes()))
    }
}
