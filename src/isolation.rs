//! Work on hostile bytes in a child process of the same binary, under limits.
//!
//! A parser can overflow its stack, loop for ever or eat the memory, and no `catch_unwind` stops that. A child
//! does it elsewhere: the bytes go in by a pipe, the answer comes back over a capped one, the environment is
//! empty (so there are no credentials in it), and memory, processor time and files are limited by the kernel.
//! Whatever happens to the child costs its own record and nobody else's.
//!
//! Getting ready costs a child a hundred times what reading does. So a *worker* gets ready once, reads nothing, and
//! forks for each document a *reader* that reads this one and ends:
//!
//! ```text
//! this process ─┬─ worker ─── reader of one document, under limits
//!               └─ worker     (one for each document that is read at once; idle ones wait for the next)
//! ```
//!
//! A reader shares no memory with the next one, and its limits are its own. A worker whose reader failed in any way is
//! ended with it.

use std::fs::File;
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The argument that makes a binary of this project a worker.
const WORKER_ARGUMENT: &str = "work-on-standard-input";
/// Marks a whole answer, in the hand of the one who saw the reader end well: what a dying reader left behind is never
/// taken for one.
const ANSWER_MARK: &[u8; 8] = b"answered";
/// Largest task description, in bytes.
const TASK_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most workers that wait for work. More are started when more is read at once, and end when it is done.
const IDLE_WORKERS_MAX_COUNT: usize = 8;
/// The code by which a worker tells that its reader used up its processor time.
const EXIT_OUT_OF_TIME: i32 = 3;

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

    /// Does once, in the worker, what else each reader would have to do. It must leave no thread behind: a fork takes
    /// only its own along.
    fn prepare() {}
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

/// Has one kind of work done in child processes.
#[derive(Debug)]
pub struct Isolation<W> {
    program: PathBuf,
    limits: Limits,
    idle: Arc<Mutex<Vec<Worker>>>,
    work: PhantomData<fn() -> W>,
}

impl<W> Clone for Isolation<W> {
    fn clone(&self) -> Self {
        Self {
            program: self.program.clone(),
            limits: self.limits,
            idle: Arc::clone(&self.idle),
            work: PhantomData,
        }
    }
}

impl<W: Work> Isolation<W> {
    /// Children of this program, whose `main` must begin with [`serve_if_asked`] for the same work.
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        Self { program, limits, idle: Arc::default(), work: PhantomData }
    }

    /// Children of the running program.
    pub fn of_this_program(limits: Limits) -> std::io::Result<Self> {
        Ok(Self::new(std::env::current_exe()?, limits))
    }

    /// What a reader may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same workers, whose readers are under other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Has the work done.
    pub async fn run(&self, task: &W::Task, bytes: &[u8]) -> Result<(W::Answer, Vec<Bytes>), Lost> {
        let task = serde_json::to_vec(task).map_err(|_| Lost::NotStarted)?;
        let mut worker = match self.idle_worker() {
            Some(worker) => worker,
            None => Worker::start(&self.program).map_err(|_| Lost::NotStarted)?,
        };
        let wall = Duration::from_millis(self.limits.wall_max_ms);
        match tokio::time::timeout(wall, worker.converse(&self.limits, &task, bytes)).await {
            Ok(Ok(answer)) => {
                let answer = read_answer(&answer).ok_or(Lost::Crashed)?;
                self.keep(worker);
                Ok(answer)
            }
            Ok(Err(lost)) => Err(lost),
            // Waiting for its end leaves no zombie behind.
            Err(_elapsed) => {
                worker.end();
                let _ = worker.process.wait().await;
                Err(Lost::OutOfTime)
            }
        }
    }

    /// A worker that has nothing to do and is still there.
    fn idle_worker(&self) -> Option<Worker> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(mut worker) = idle.pop() {
            if matches!(worker.process.try_wait(), Ok(None)) {
                return Some(worker);
            }
        }
        None
    }

    /// Keeps a worker for the next document. Where there is no fork a worker is its own reader, and has ended.
    fn keep(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if cfg!(unix) && idle.len() < IDLE_WORKERS_MAX_COUNT {
            idle.push(worker);
        }
    }
}

/// A process that has a reader for one document at a time. Dropping it ends both.
#[derive(Debug)]
struct Worker {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Worker {
    fn start(program: &PathBuf) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        command
            .arg(WORKER_ARGUMENT)
            .env_clear()
            // One heap for all threads: each further one would reserve address space that the limit counts.
            .env("MALLOC_ARENA_MAX", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        // A group of its own, so that the worker and its reader are ended together.
        #[cfg(unix)]
        command.process_group(0);
        let mut process = command.spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self { process, input, output })
    }

    /// Has one document read, and gives the answer as it came.
    async fn converse(&mut self, limits: &Limits, task: &[u8], bytes: &[u8]) -> Result<Vec<u8>, Lost> {
        let say = async {
            // A worker that died no longer reads; its end says why, so a broken pipe says nothing new.
            for number in [limits.memory_max_bytes, limits.cpu_max_s, limits.open_files_max] {
                let _ = self.input.write_u64(number).await;
            }
            for part in [task, bytes] {
                let _ = self.input.write_u64(part.len() as u64).await;
                let _ = self.input.write_all(part).await;
            }
        };
        let heard = {
            let hear = hear(&mut self.output, limits.answer_max_bytes);
            tokio::pin!(hear, say);
            tokio::select! {
                // Who answers before all was said, or says too much, is not waited for.
                heard = &mut hear => match heard {
                    Ok(Heard::Whole(_)) => Err(Lost::Crashed),
                    other => other,
                },
                () = &mut say => hear.await,
            }
        };
        match heard? {
            Heard::Whole(answer) => Ok(answer),
            Heard::End => self.process.wait().await.map_or(Err(Lost::Crashed), |status| Err(lost_by(status))),
        }
    }

    /// Ends the worker and its reader.
    fn end(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // It has no number any more once it was waited for, so that nobody else's is meant.
            let number = self.process.id().and_then(|number| i32::try_from(number).ok());
            if let Some(group) = number.and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
        let _ = self.process.start_kill();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// What came from a worker.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    /// An answer with its mark.
    Whole(Vec<u8>),
    /// The end, before an answer was whole.
    End,
}

/// Hears one answer: its length, itself, and the mark.
async fn hear(output: &mut (impl AsyncRead + Unpin), answer_max_bytes: u64) -> Result<Heard, Lost> {
    let Ok(length) = output.read_u64().await else { return Ok(Heard::End) };
    if length > answer_max_bytes {
        return Err(Lost::AnswerTooLarge);
    }
    let with_mark = length.saturating_add(ANSWER_MARK.len() as u64);
    let mut answer = Vec::new();
    let read = output.take(with_mark).read_to_end(&mut answer).await.map_err(|_| Lost::Crashed)?;
    if (read as u64) < with_mark {
        return Ok(Heard::End);
    }
    if !answer.ends_with(ANSWER_MARK) {
        return Err(Lost::Crashed);
    }
    answer.truncate(answer.len() - ANSWER_MARK.len());
    Ok(Heard::Whole(answer))
}

/// Reads how a worker ended that gave no answer.
fn lost_by(status: ExitStatus) -> Lost {
    if status.code() == Some(EXIT_OUT_OF_TIME) { Lost::OutOfTime } else { Lost::Crashed }
}

/// Takes an answer apart: its text's length and text, and each blob's length and bytes.
fn read_answer<A: DeserializeOwned>(mut rest: &[u8]) -> Option<(A, Vec<Bytes>)> {
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

/// Makes this process a worker if it was started as one. To be called first in `main`, while there is one thread; when
/// it answers `true` the work is done and `main` returns.
pub fn serve_if_asked<W: Work>() -> bool {
    if std::env::args().nth(1).as_deref() != Some(WORKER_ARGUMENT) {
        return false;
    }
    // A worker that cannot answer ends with a code that says so; its parent needs no words.
    if let Err(code) = serve::<W>() {
        std::process::exit(code);
    }
    true
}

/// The code by which a worker tells that its reader failed, or that it could not even have one.
const EXIT_FAILED: i32 = 1;

/// Serves until nothing more is asked, or until a reader fails; then the code is what the worker ends with.
fn serve<W: Work>() -> Result<(), i32> {
    let failed = |_: std::io::Error| EXIT_FAILED;
    // Nothing is read ahead: what follows the limits is for the reader alone.
    let (mut input, mut output) = unbuffered().map_err(failed)?;
    for served in 0_u64.. {
        let mut limits = [0; 3];
        for limit in &mut limits {
            let Ok(number) = read_number(&mut input) else { return Ok(()) };
            *limit = number;
        }
        // For one document alone it is not worth while: a record that is JSON needs nothing of it.
        if served == 1 {
            W::prepare();
        }
        if !read_apart::<W>(limits, &mut input, &mut output)? {
            return Ok(());
        }
        output.write_all(ANSWER_MARK).map_err(failed)?;
    }
    Ok(())
}

#[cfg(unix)]
fn unbuffered() -> std::io::Result<(File, File)> {
    use std::os::fd::AsFd;
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

#[cfg(not(unix))]
fn unbuffered() -> std::io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;
    let input = std::io::stdin().as_handle().try_clone_to_owned()?;
    let output = std::io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Has a reader work on one document, and answers whether it was not this process that did. The reader is a copy of
/// this process, which has one thread and holds nothing of any other document.
#[cfg(unix)]
fn read_apart<W: Work>(limits: [u64; 3], input: &mut File, output: &mut File) -> Result<bool, i32> {
    use rustix::process::{Pid, Signal, WaitOptions, waitpid};
    let reader = match fork::fork().map_err(|_| EXIT_FAILED)? {
        fork::Fork::Child => {
            let is_done = limit_this_process(limits) && read_one::<W>(input, output).is_ok();
            return if is_done { Ok(false) } else { Err(EXIT_FAILED) };
        }
        fork::Fork::Parent(reader) => Pid::from_raw(reader),
    };
    match waitpid(reader, WaitOptions::empty()) {
        Ok(Some((_, status))) if status.exit_status() == Some(0) => Ok(true),
        Ok(Some((_, status))) if status.terminating_signal() == Some(Signal::XCPU.as_raw()) => {
            Err(EXIT_OUT_OF_TIME)
        }
        _ => Err(EXIT_FAILED),
    }
}

/// Where there is no fork the worker is the reader, of one document, and the parent's clock is the limit that is left.
#[cfg(not(unix))]
fn read_apart<W: Work>(_limits: [u64; 3], input: &mut File, output: &mut File) -> Result<bool, i32> {
    let is_done = read_one::<W>(input, output).is_ok() && output.write_all(ANSWER_MARK).is_ok();
    if is_done { Ok(false) } else { Err(EXIT_FAILED) }
}

#[cfg(unix)]
fn limit_this_process([memory_max_bytes, cpu_max_s, open_files_max]: [u64; 3]) -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    // At the first the kernel ends it by a signal that says why, at the second by one that says nothing.
    let processor = Rlimit { current: Some(cpu_max_s), maximum: Some(cpu_max_s.saturating_add(1)) };
    [
        (Resource::As, to(memory_max_bytes)),
        (Resource::Cpu, processor),
        (Resource::Nofile, to(open_files_max)),
        (Resource::Core, to(0)),
        (Resource::Fsize, to(0)),
    ]
    .into_iter()
    .all(|(resource, most)| setrlimit(resource, most).is_ok())
}

fn read_number(input: &mut impl Read) -> std::io::Result<u64> {
    let mut number = [0; 8];
    input.read_exact(&mut number)?;
    Ok(u64::from_be_bytes(number))
}

fn read_part(input: &mut impl Read, most_bytes: u64) -> std::io::Result<Vec<u8>> {
    let length = read_number(input)?;
    if length > most_bytes {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut part = Vec::new();
    input.take(length).read_to_end(&mut part)?;
    Ok(part)
}

/// Reads one document and answers, without the mark.
fn read_one<W: Work>(input: &mut impl Read, output: &mut impl Write) -> std::io::Result<()> {
    let task = serde_json::from_slice(&read_part(input, TASK_MAX_BYTES)?)?;
    let bytes = read_part(input, u64::MAX)?;
    let (answer, blobs) = W::run(task, Bytes::from(bytes));
    let answer = serde_json::to_vec(&answer)?;
    let parts = || std::iter::once(&answer).chain(&blobs);
    let length: u64 = parts().map(|part| 8 + part.len() as u64).sum();
    output.write_all(&length.to_be_bytes())?;
    for part in parts() {
        output.write_all(&(part.len() as u64).to_be_bytes())?;
        output.write_all(part)?;
    }
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

    #[tokio::test]
    async fn only_a_whole_answer_is_an_answer() {
        let parts = framed(&[b"7", b"first", b"", b"third"]);
        let mut whole = framed(&[&parts]);
        whole.extend(ANSWER_MARK);
        let Ok(Heard::Whole(heard)) = hear(&mut whole.as_slice(), u64::MAX).await else {
            panic!("it is whole");
        };
        let (answer, blobs): (u32, _) = read_answer(&heard).unwrap();
        assert_eq!((answer, blobs), (7, vec![Bytes::from("first"), Bytes::new(), Bytes::from("third")]));
        for cut in 0..whole.len() {
            assert_eq!(hear(&mut &whole[..cut], u64::MAX).await, Ok(Heard::End), "cut at {cut}");
        }
        assert_eq!(hear(&mut whole.as_slice(), parts.len() as u64 - 1).await, Err(Lost::AnswerTooLarge));
        *whole.last_mut().unwrap() ^= 1;
        assert_eq!(hear(&mut whole.as_slice(), u64::MAX).await, Err(Lost::Crashed));
        let mut lying = framed(&[b"7"]);
        lying[0] = 0xff;
        assert!(read_answer::<u32>(&lying).is_none());
    }
}
