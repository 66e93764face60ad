//! Between the function and its engines: it counts requests by what they are for, and at a chosen one it kills or
//! stops the process, delays, cuts, repeats, or says nothing.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};

use lease_ingest::identity::EpochMs;
use lease_ingest::ports::clock::{Clock, SystemClock};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

use super::http::{Connection, Message};

/// Where in the life of a request something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before it reaches the engine.
    Before,
    /// When the engine has answered and nothing of the answer was passed on.
    After,
    /// When half of the answer was passed on.
    Midway,
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// The process is killed.
    Kill,
    /// The process is stopped, and the request held until it goes on.
    Stop,
    /// The request is held for so many milliseconds.
    Delay(u64),
    /// The connection is closed.
    Cut,
    /// Nothing more is said on the connection.
    Silence,
    /// The engine gets the request twice. The first answer is passed on if it happens before, else the second.
    Twice,
    /// This is answered with this status and code, and the engine hears nothing.
    Answer(u16, &'static str),
}

/// What is planned for the `nth` request of an operation from the first on, and for each after it if `for_ever`.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    /// See [`operation`].
    pub operation: &'static str,
    /// Counted from 1.
    pub nth: u64,
    /// Whether later ones are treated alike.
    pub for_ever: bool,
    /// Where.
    pub when: When,
    /// What.
    pub deed: Deed,
}

impl Planned {
    /// Something for the first request of an operation.
    pub fn first(operation: &'static str, when: When, deed: Deed) -> Self {
        Self { operation, nth: 1, for_ever: false, when, deed }
    }

    /// Something for every request of an operation.
    pub fn every(operation: &'static str, when: When, deed: Deed) -> Self {
        Self { for_ever: true, ..Self::first(operation, when, deed) }
    }
}

/// Where the engines listen.
#[derive(Debug, Clone, Copy)]
pub struct Upstreams {
    /// Tables.
    pub dynamodb: SocketAddr,
    /// Objects.
    pub s3: SocketAddr,
    /// Queues.
    pub sqs: SocketAddr,
    /// Jobs that recognise text.
    pub textract: SocketAddr,
}

#[derive(Debug)]
struct Inner {
    upstreams: Upstreams,
    planned: Vec<Planned>,
    counts: Mutex<BTreeMap<&'static str, u64>>,
    happened: watch::Sender<u64>,
    first_happened_at: OnceLock<EpochMs>,
    victim: Mutex<Option<Pid>>,
    go_on: Notify,
    open: watch::Sender<u64>,
}

/// The proxy of one process.
#[derive(Debug, Clone)]
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    inner: Arc<Inner>,
}

impl Proxy {
    /// Starts one.
    pub async fn start(upstreams: Upstreams, planned: Vec<Planned>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let inner = Inner {
            upstreams,
            planned,
            counts: Mutex::default(),
            happened: watch::Sender::new(0),
            first_happened_at: OnceLock::new(),
            victim: Mutex::default(),
            go_on: Notify::new(),
            open: watch::Sender::new(0),
        };
        let proxy = Self { address: listener.local_addr().unwrap(), inner: Arc::new(inner) };
        let serving = proxy.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let proxy = serving.clone();
                tokio::spawn(async move { proxy.connection(Connection::of(stream)).await });
            }
        });
        proxy
    }

    /// Names the process whose requests these are.
    pub fn set_victim(&self, pid: Pid) {
        *self.inner.victim.lock().unwrap() = Some(pid);
    }

    /// How often something planned has happened.
    pub fn happened(&self) -> u64 {
        *self.inner.happened.borrow()
    }

    /// When something planned has happened for the first time.
    pub fn first_happened_at(&self) -> Option<EpochMs> {
        self.inner.first_happened_at.get().copied()
    }

    fn note(&self) {
        self.inner.first_happened_at.get_or_init(|| SystemClock.now());
        self.inner.happened.send_modify(|times| *times += 1);
    }

    /// Waits until something planned has happened.
    pub async fn something_happens(&self) {
        self.inner.happened.subscribe().wait_for(|times| *times > 0).await.unwrap();
    }

    /// Lets a request go on that a stopped process has made.
    pub fn go_on(&self) {
        self.inner.go_on.notify_one();
    }

    /// Waits until no request is on its way any more.
    pub async fn until_quiet(&self) {
        self.inner.open.subscribe().wait_for(|open| *open == 0).await.unwrap();
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = *self.inner.victim.lock().unwrap() {
            // A process that has ended meanwhile needs no signal.
            let _ = kill_process(pid, signal);
        }
    }

    /// What is planned for this request, which is counted by it.
    fn next(&self, operation: &'static str) -> Option<(When, Deed)> {
        let mut counts = self.inner.counts.lock().unwrap();
        let count = counts.entry(operation).or_default();
        *count += 1;
        let planned = self.inner.planned.iter().find(|planned| {
            planned.operation == operation
                && (*count == planned.nth || (planned.for_ever && *count > planned.nth))
        })?;
        Some((planned.when, planned.deed))
    }

    async fn connection(&self, mut client: Connection) {
        while let Ok(Some(request)) = client.receive(None).await {
            self.inner.open.send_modify(|open| *open += 1);
            let planned = self.next(operation(&request));
            let passed = match planned {
                None => self.pass(&mut client, &request).await,
                Some((when, deed)) => self.treat(&mut client, &request, when, deed).await,
            };
            self.inner.open.send_modify(|open| *open -= 1);
            if passed.is_none() {
                return;
            }
        }
    }

    async fn pass(&self, client: &mut Connection, request: &Message) -> Option<()> {
        let reply = self.forward(request).await?;
        client.send(&reply.bytes()).await.ok()
    }

    /// Answers `None` when the connection is over.
    async fn treat(&self, client: &mut Connection, request: &Message, when: When, deed: Deed) -> Option<()> {
        // A stop has happened when the process stands still; everything else when its request is here, since whoever
        // waits for it may be gone before the engine has answered.
        if deed != Deed::Stop {
            self.note();
        }
        if let Deed::Answer(status, code) = deed {
            let body = format!("<Error><Code>{code}</Code><Message>by the proxy</Message></Error>");
            return client.send(&Message::reply(status, &[], body.as_bytes()).bytes()).await.ok();
        }
        if when == When::Before {
            if deed == Deed::Twice {
                let reply = self.forward(request).await?;
                self.forward(request).await?;
                return client.send(&reply.bytes()).await.ok();
            }
            self.act(client, deed).await?;
            return self.pass(client, request).await;
        }
        if deed == Deed::Twice {
            self.forward(request).await?;
        }
        let reply = self.forward(request).await?.bytes();
        let sent = if when == When::Midway { reply.len() / 2 } else { 0 };
        client.send(&reply[..sent]).await.ok()?;
        self.act(client, deed).await?;
        client.send(&reply[sent..]).await.ok()
    }

    async fn act(&self, client: &mut Connection, deed: Deed) -> Option<()> {
        match deed {
            Deed::Kill => self.signal(Signal::KILL),
            Deed::Stop => {
                self.signal(Signal::STOP);
                self.note();
            }
            _ => {}
        }
        match deed {
            Deed::Kill | Deed::Cut => None,
            Deed::Stop => {
                self.inner.go_on.notified().await;
                Some(())
            }
            Deed::Delay(delay_ms) => {
                SystemClock.sleep_ms(delay_ms).await;
                Some(())
            }
            Deed::Silence => {
                client.until_closed().await;
                None
            }
            Deed::Twice | Deed::Answer(..) => Some(()),
        }
    }

    /// Has the engine answer, over a connection of its own: none is idle that the engine could close.
    async fn forward(&self, request: &Message) -> Option<Message> {
        let upstreams = &self.inner.upstreams;
        let address = match request.header("x-amz-target") {
            Some(target) if target.starts_with("DynamoDB") => upstreams.dynamodb,
            Some(target) if target.starts_with("Textract") => upstreams.textract,
            Some(_) => upstreams.sqs,
            None => upstreams.s3,
        };
        let mut engine = Connection::of(TcpStream::connect(address).await.ok()?);
        engine.send(&request.bytes()).await.ok()?;
        engine.receive(Some(request.method())).await.ok()?
    }
}

/// What a request is for, in the words of the protocol. Requests that only open connections are `warm`.
pub fn operation(request: &Message) -> &'static str {
    let Some(target) = request.header("x-amz-target") else {
        let path = request.target().split('?').next().unwrap_or_default();
        let has_key = path.trim_matches('/').contains('/');
        return match (request.method(), has_key) {
            ("GET", true) => "get object",
            ("HEAD", true) => "head object",
            _ => "warm",
        };
    };
    let body: Value = serde_json::from_slice(request.content()).unwrap_or_default();
    let table = |action: &Value| action["TableName"].as_str().unwrap_or_default().to_owned();
    let has_value = |action: &Value, alias: &str| action["ExpressionAttributeValues"].get(alias).is_some();
    match target.rsplit('.').next().unwrap_or_default() {
        "GetItem" if body["Key"]["claim_key"]["S"] == "warm" => "warm",
        "GetItem" if table(&body).ends_with("claims") => "read claim",
        "GetItem" if table(&body).ends_with("commits") => "known content",
        "GetItem" => "read pointer",
        "PutItem" if table(&body).ends_with("claims") => "put claim",
        "PutItem" => "write pointer",
        "UpdateItem" if has_value(&body, ":seen_token") => "take over",
        "UpdateItem" if has_value(&body, ":finished_at") => "finish",
        "UpdateItem" if has_value(&body, ":waits") => "wait",
        "UpdateItem" => "release",
        "TransactWriteItems" => {
            let actions = body["TransactItems"].as_array().map(Vec::as_slice).unwrap_or_default();
            if actions.iter().any(|action| table(&action["Put"]).ends_with("commits")) {
                "commit"
            } else if actions.iter().any(|action| has_value(&action["Update"], ":reason")) {
                "finish"
            } else {
                "commit known"
            }
        }
        "ChangeMessageVisibility" => "change visibility",
        "SendMessage" => "dead letter",
        "StartDocumentTextDetection" => "start job",
        "GetDocumentTextDetection" => "ask of job",
        _ => "warm",
    }
}
