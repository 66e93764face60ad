//! A second engine that shares no line with the embedded one: ministack, which speaks DynamoDB, S3 and SQS on one
//! port. It is a Python program of its own and runs only where it is installed.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use lease_ingest::ports::clock::{Clock, SystemClock};
use tokio::net::TcpStream;

/// Names the program; without it, it is looked for on the path and where `.ci/run` installs it.
const PROGRAM_VARIABLE: &str = "LEASE_INGEST_TEST_MINISTACK";
/// Where `.ci/run` installs it, below the repository.
const PROGRAM_OF_CHECKS: &str = ".ci/ministack/bin/ministack";
/// How long it may take to start, in milliseconds.
const START_MAX_MS: u64 = 60_000;
/// Pause between two looks whether it listens, in milliseconds.
const START_PAUSE_MS: u64 = 50;
/// Ends the program when the other end of standard input is closed, and so when this process ends, however it does.
const UNTIL_INPUT_ENDS: &str = "\"$0\" >/dev/null 2>&1 & child=$!; read -r _; kill \"$child\"; wait";

/// The one of this test run; tests share it and keep apart by names.
static RUNNING: Mutex<Option<(u16, Child)>> = Mutex::new(None);

/// A running ministack.
#[derive(Debug, Clone)]
pub struct Ministack {
    port: u16,
    endpoint: String,
}

impl Ministack {
    /// The one of this test run, started when the first test asks. `None` where it is not installed, which a machine
    /// that runs every check does not forgive.
    pub async fn running() -> Option<Self> {
        let Some(program) = program() else {
            let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!required, "ministack is not installed; {PROGRAM_VARIABLE} names the program");
            eprintln!("NOT TESTED: ministack is not installed");
            return None;
        };
        let port = {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            running.get_or_insert_with(|| start(&program)).0
        };
        for _ in 0..START_MAX_MS / START_PAUSE_MS {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Some(Self { port, endpoint: format!("http://127.0.0.1:{port}") });
            }
            SystemClock.sleep_ms(START_PAUSE_MS).await;
        }
        panic!("{} does not listen", program.display());
    }

    /// Where it listens.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAM_VARIABLE) {
        return Some(PathBuf::from(named));
    }
    let of_checks = Path::new(env!("CARGO_MANIFEST_DIR")).join(PROGRAM_OF_CHECKS);
    if of_checks.is_file() {
        return Some(of_checks);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("ministack")).find(|file| file.is_file())
}

fn start(program: &Path) -> (u16, Child) {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let child = Command::new("sh")
        .args(["-c", UNTIL_INPUT_ENDS])
        .arg(program)
        // Only loopback; without this it listens everywhere.
        .env("BIND_HOST", "127.0.0.1")
        .env("GATEWAY_PORT", port.to_string())
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
        .env("LOG_LEVEL", "WARNING")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (port, child)
}
