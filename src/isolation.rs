//! Work on hostile bytes in a child process of the same binary, under limits.
//!
//! A parser can overflow its stack, loop for ever or eat the memory, and no `catch_unwind` stops that. A child
//! does it elsewhere: the bytes go in by a pipe, the answer comes back over a capped one, the environment is
//! empty (so there are no credentials in it), and memory, processor time and files are limited by the kernel.
//! Whatever happens to the child costs its own record and nobody else's.

use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// The argument that makes a binary of this project a worker.
const WORKER_ARGUMENT: &str = "work-on-standard-input";
/// Marks a whole answer: what a dying child left behind is never taken for one.
const ANSWER_MARK: &[u8; 8] = b"answered";
/// Largest task description, in bytes.
const TASK_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What a child may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Address space, in bytes.
    pub memory_max_bytes: u64,
    /// Processor time, in seconds.
    pub cpu_max_s: u64,
    /// Time by the clock, in milliseconds; it covers a child that waits.
    pub wall_max_ms: u64,
    /// Open files, the three standard ones included.
    pub open_files_max: u64,
    /// Its answer, in bytes.
    pub answer_max_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_max_bytes: 512 * 1024 * 1024,
            cpu_max_s: 10,
            wall_max_ms: 20_000,
            open_files_max: 16,
            answer_max_bytes: 96 * 1024 * 1024,
        }
    }
}

/// What a child is there for. It is a type and not a closure, since the child is another process.
pub trait Work: Send + Sync + 'static {
    /// What is asked.
    type Task: Serialize + DeserializeOwned + Send + Sync;
    /// What is answered, beside the blobs.
    type Answer: Serialize + DeserializeOwned + Send;

    /// Does the work, in the child. Blobs are bytes that travel beside the answer as they are.
    fn run(task: Self::Task, bytes: Bytes) -> (Self::Answer, Vec<Vec<u8>>);
}

/// Why there is no answer. Each costs the record an attempt: a machine that was short of memory may do better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// It used more processor time, or more time by the clock, than it may.
    #[error("the reader ran out of time")]
    OutOfTime,
    /// It was ended by the kernel or by itself: out of memory, out of stack, a defect.
    #[error("the reader crashed")]
    Crashed,
    /// Its answer was larger than it may be.
    #[error("the reader's answer was too large")]
    AnswerTooLarge,
    /// It could not be started or spoken to.
    #[error("the reader could not be started")]
    NotStarted,
}

impl Lost {
    /// The code it is counted under.
    pub fn code(self) -> &'static str {
        match self {
            Self::OutOfTime => "reader_out_of_time",
            Self::Crashed => "reader_crashed",
            Self::AnswerTooLarge => "reader_answer_too_large",
            Self::NotStarted => "reader_not_started",
        }
    }
}

/// Starts children that do one kind of work.
#[derive(Debug)]
pub struct Isolation<W> {
    program: PathBuf,
    limits: Limits,
    work: PhantomData<fn() -> W>,
}

impl<W> Clone for Isolation<W> {
    fn clone(&self) -> Self {
        Self { program: self.program.clone(), limits: self.limits, work: PhantomData }
    }
}

impl<W: Work> Isolation<W> {
    /// Children of this program, whose `main` must begin with [`serve_if_asked`] for the same work.
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        Self { program, limits, work: PhantomData }
    }

    /// Children of the running program.
    pub fn of_this_program(limits: Limits) -> std::io::Result<Self> {
        Ok(Self::new(std::env::current_exe()?, limits))
    }

    /// What a child may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same under other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Has the work done.
    pub async fn run(&self, task: &W::Task, bytes: &[u8]) -> Result<(W::Answer, Vec<Bytes>), Lost> {
        let task = serde_json::to_vec(task).map_err(|_| Lost::NotStarted)?;
        let mut child = self.start().map_err(|_| Lost::NotStarted)?;
        let wall = Duration::from_millis(self.limits.wall_max_ms);
        match tokio::time::timeout(wall, self.converse(&mut child, &task, bytes)).await {
            Ok(answer) => answer,
            // Dropping the child kills it; waiting for its end leaves no zombie behind.
            Err(_elapsed) => {
                let _ = child.kill().await;
                Err(Lost::OutOfTime)
            }
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        let limits = self.limits;
        let numbers = [limits.memory_max_bytes, limits.cpu_max_s, limits.open_files_max];
        Command::new(&self.program)
            .arg(WORKER_ARGUMENT)
            .args(numbers.map(|number| number.to_string()))
            .env_clear()
            // One heap for all threads: each further one would reserve address space that the limit counts.
            .env("MALLOC_ARENA_MAX", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }

    async fn converse(
        &self,
        child: &mut Child,
        task: &[u8],
        bytes: &[u8],
    ) -> Result<(W::Answer, Vec<Bytes>), Lost> {
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Lost::NotStarted);
        };
        let say = async {
            // A child that died no longer reads; its end says why, so a broken pipe says nothing new.
            let _ = input.write_all(&(task.len() as u64).to_be_bytes()).await;
            let _ = input.write_all(task).await;
            let _ = input.write_all(bytes).await;
            drop(input);
        };
        let mut answer = Vec::new();
        let mut capped = output.take(self.limits.answer_max_bytes.saturating_add(1));
        // A child that has said all, or too much, need not have read all: then nothing more is written.
        let heard = {
            let hear = capped.read_to_end(&mut answer);
            tokio::pin!(hear, say);
            tokio::select! {
                heard = &mut hear => heard,
                () = &mut say => hear.await,
            }
        };
        if heard.is_err() {
            return Err(Lost::Crashed);
        }
        if answer.len() as u64 > self.limits.answer_max_bytes {
            let _ = child.kill().await;
            return Err(Lost::AnswerTooLarge);
        }
        let status = child.wait().await.map_err(|_| Lost::Crashed)?;
        if !status.success() {
            return Err(lost_by(status));
        }
        read_answer(&answer).ok_or(Lost::Crashed)
    }
}

/// Reads how a child ended.
fn lost_by(status: ExitStatus) -> Lost {
    /// Source: `signal(7)`; the number is the same on every architecture that Lambda offers.
    #[cfg(unix)]
    const SIGNAL_CPU_TIME: i32 = 24;
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGNAL_CPU_TIME) {
        return Lost::OutOfTime;
    }
    let _ = status;
    Lost::Crashed
}

/// Takes an answer apart: its length and text, each blob's length and bytes, and the mark.
fn read_answer<A: DeserializeOwned>(raw: &[u8]) -> Option<(A, Vec<Bytes>)> {
    let mut rest = raw.strip_suffix(ANSWER_MARK)?;
    let mut next = || {
        let (length, after) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
        let (part, after) = after.split_at_checked(length)?;
        rest = after;
        Some(part)
    };
    let answer = serde_json::from_slice(next()?).ok()?;
    let mut blobs = Vec::new();
    while let Some(blob) = next() {
        blobs.push(Bytes::copy_from_slice(blob));
    }
    Some((answer, blobs))
}

/// Makes this process a worker if it was started as one. To be called first in `main`; when it answers `true`
/// the work is done and `main` returns.
pub fn serve_if_asked<W: Work>() -> bool {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(WORKER_ARGUMENT) {
        return false;
    }
    let limits: Vec<u64> = arguments.filter_map(|argument| argument.parse().ok()).collect();
    // A worker that cannot answer ends with a code that says so; its parent needs no words.
    let served =
        <[u64; 3]>::try_from(limits).is_ok_and(|limits| limit_this_process(limits) && serve::<W>().is_ok());
    if !served {
        std::process::exit(1);
    }
    true
}

#[cfg(unix)]
fn limit_this_process([memory_max_bytes, cpu_max_s, open_files_max]: [u64; 3]) -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    [
        (Resource::As, memory_max_bytes),
        (Resource::Cpu, cpu_max_s),
        (Resource::Nofile, open_files_max),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
    ]
    .into_iter()
    .all(|(resource, most)| setrlimit(resource, to(most)).is_ok())
}

/// Where the kernel has no such limits the parent's clock is what is left.
#[cfg(not(unix))]
fn limit_this_process(_limits: [u64; 3]) -> bool {
    true
}

fn serve<W: Work>() -> std::io::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let mut task = Vec::new();
    let length = u64::from_be_bytes(length);
    if length > TASK_MAX_BYTES {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    (&mut input).take(length).read_to_end(&mut task)?;
    let task = serde_json::from_slice(&task)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let (answer, blobs) = W::run(task, Bytes::from(bytes));
    let mut output = std::io::stdout().lock();
    let answer = serde_json::to_vec(&answer)?;
    for part in std::iter::once(&answer).chain(&blobs) {
        output.write_all(&(part.len() as u64).to_be_bytes())?;
        output.write_all(part)?;
    }
    output.write_all(ANSWER_MARK)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(parts: &[&[u8]]) -> Vec<u8> {
        let mut raw = Vec::new();
        for part in parts {
            raw.extend((part.len() as u64).to_be_bytes());
            raw.extend(*part);
        }
        raw
    }

    #[test]
    fn only_a_whole_answer_is_an_answer() {
        let mut whole = framed(&[b"7", b"first", b"", b"third"]);
        whole.extend(ANSWER_MARK);
        let (answer, blobs): (u32, _) = read_answer(&whole).unwrap();
        assert_eq!((answer, blobs), (7, vec![Bytes::from("first"), Bytes::new(), Bytes::from("third")]));
        for cut in 0..whole.len() {
            assert!(read_answer::<u32>(&whole[..cut]).is_none(), "cut at {cut}");
        }
        let mut lying = framed(&[b"7"]);
        lying[0] = 0xff;
        lying.extend(ANSWER_MARK);
        assert!(read_answer::<u32>(&lying).is_none());
    }
}
