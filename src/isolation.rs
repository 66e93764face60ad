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
//! A reader shares no memory with the next one, and its limits are its own. What it can touch is two pipes of its own:
//! its worker fills the one with one document and passes on one answer from the other, so that nobody who has taken a
//! reader over hears of another document or answers for it. A worker whose reader failed in any way is ended with it.
//!
//! Whoever no longer waits closes the worker's pipes. Then the worker ends its reader, collects it, and ends itself, so
//! that no zombie is left where nobody collects orphans.

#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::io::{PipeReader, PipeWriter};
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
#[cfg(unix)]
use rustix::process::Pid;
use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;

/// The argument that makes a binary of this project a worker.
const WORKER_ARGUMENT: &str = "work-on-standard-input";
/// Follows a whole answer, once the worker has seen the last of who gave it.
const ANSWER_MARK: &[u8; 8] = b"answered";
/// Largest task description, in bytes.
const TASK_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most workers that wait for work. More are started when more is read at once, and end when it is done.
const IDLE_WORKERS_MAX_COUNT: usize = 8;
/// Bytes that a worker passes on at once: as many as a pipe holds.
#[cfg(unix)]
const PASSED_ON_MAX_BYTES: usize = 64 * 1024;
/// How long a worker may take to end its reader and itself before both are killed.
const ENDING_MAX: Duration = Duration::from_secs(2);
/// The code by which a worker tells that its reader failed.
const EXIT_FAILED: i32 = 1;
/// The code by which it tells that its reader used up its processor time.
const EXIT_OUT_OF_TIME: i32 = 3;
/// The code by which it tells that it could have no reader, or none under limits: that says nothing of the document.
const EXIT_NOT_STARTED: i32 = 4;

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

    /// Does once, in the worker, what else each reader would have to do. A fork takes only its own thread along, so a
    /// worker in which this leaves another one behind has no readers.
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

    /// Children of the running program. They run as its user, so on Linux it is closed from now on to whoever is not
    /// root: its environment has what theirs lacks. That goes for debuggers too.
    pub fn of_this_program(limits: Limits) -> std::io::Result<Self> {
        #[cfg(target_os = "linux")]
        close_to_others()?;
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
        let heard = tokio::time::timeout(wall, worker.converse(&self.limits, &task, bytes)).await;
        let answer = read_answer(&heard.unwrap_or(Err(Lost::OutOfTime))?).ok_or(Lost::Crashed)?;
        self.keep(worker);
        Ok(answer)
    }

    /// A worker that has nothing to do and is still there.
    fn idle_worker(&self) -> Option<Worker> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(mut worker) = idle.pop() {
            if worker.process.as_mut().is_some_and(Process::is_running) {
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

/// A process that has a reader for one document at a time. Dropping it ends both: at its deadline, with its future, or
/// when it has failed.
#[derive(Debug)]
struct Worker {
    input: ChildStdin,
    output: ChildStdout,
    /// It is taken when the worker is dropped, and outlives it.
    process: Option<Process>,
}

impl Worker {
    fn start(program: &Path) -> std::io::Result<Self> {
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
        // A group of its own, so that it is ended with what else it has started.
        #[cfg(unix)]
        command.process_group(0);
        let mut process = command.spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self { input, output, process: Some(Process(process)) })
    }

    /// Has one document read, and gives the answer as it came.
    async fn converse(&mut self, limits: &Limits, task: &[u8], bytes: &[u8]) -> Result<Vec<u8>, Lost> {
        let say = async {
            // A worker that died no longer reads; its end says why, so a broken pipe says nothing new.
            let parts = [task, bytes];
            let body_bytes = parts.iter().map(|part| 8 + part.len() as u64).sum();
            for number in [limits.memory_max_bytes, limits.cpu_max_s, limits.open_files_max, body_bytes] {
                let _ = self.input.write_u64(number).await;
            }
            for part in parts {
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
            Heard::End => match &mut self.process {
                Some(process) => Err(process.0.wait().await.map_or(Lost::Crashed, lost_by)),
                None => Err(Lost::Crashed),
            },
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Its pipes close with it, which tells it to end its reader and itself. Where nobody can wait for that, the
        // process is killed with this.
        if let (Some(mut process), Ok(runtime)) = (self.process.take(), Handle::try_current()) {
            runtime.spawn(async move {
                let _ = tokio::time::timeout(ENDING_MAX, process.0.wait()).await;
            });
        }
    }
}

/// A worker's process. Dropping it kills what has not ended yet; a reader whose worker is killed is killed by the
/// kernel.
#[derive(Debug)]
struct Process(Child);

impl Process {
    fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Signal, kill_process_group};
            // It has no number any more once it was waited for, so that nobody else's is meant.
            let number = self.0.id().and_then(|number| i32::try_from(number).ok());
            if let Some(group) = number.and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
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
    match status.code() {
        Some(EXIT_OUT_OF_TIME) => Lost::OutOfTime,
        Some(EXIT_NOT_STARTED) => Lost::NotStarted,
        _ => Lost::Crashed,
    }
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

/// Serves until nothing more is asked, or until a reader fails; then the code is what the worker ends with.
#[cfg(unix)]
fn serve<W: Work>() -> Result<(), i32> {
    let not_started = |_: std::io::Error| EXIT_NOT_STARTED;
    let (mut input, mut output) = stand_apart().map_err(not_started)?;
    let mut buffer = vec![0; PASSED_ON_MAX_BYTES];
    let mut served = 0_u64;
    loop {
        let Ok([limits @ .., body_bytes]) = read_order(&mut input) else { return Ok(()) };
        // For one document alone it is not worth while: a record that is JSON needs nothing of it.
        if served == 1 {
            W::prepare();
        }
        if served <= 1 && !has_one_thread() {
            return Err(EXIT_NOT_STARTED);
        }
        // A reader is a copy of this process, which has passed on the document before.
        buffer.fill(0);
        let (body, mut to_reader) = std::io::pipe().map_err(not_started)?;
        let (from_reader, answer) = std::io::pipe().map_err(not_started)?;
        let reader = match fork::fork().map_err(not_started)? {
            fork::Fork::Child => {
                drop((input, output, to_reader, from_reader));
                read_alone::<W>(limits, body, answer)
            }
            fork::Fork::Parent(reader) => Pid::from_raw(reader).ok_or(EXIT_NOT_STARTED)?,
        };
        drop((body, answer));
        // It reads the whole before it answers, so neither waits for the other.
        let is_answered = pass_on(&mut input, &mut to_reader, body_bytes, &mut buffer).is_ok() && {
            let mut said = Said { answer: from_reader, parent: &input };
            pass_answer_on(&mut said, &mut output, &mut buffer).is_ok()
        };
        end_reader(reader, is_answered)?;
        output.write_all(ANSWER_MARK).map_err(|_| EXIT_FAILED)?;
        served = served.saturating_add(1);
    }
}

/// Where there is no fork the worker is the reader, of one document, and the parent's clock is the limit that is left.
#[cfg(not(unix))]
fn serve<W: Work>() -> Result<(), i32> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    if read_order(&mut input).is_err() {
        return Ok(());
    }
    let is_done = read_one::<W>(&mut input, &mut output).is_ok() && output.write_all(ANSWER_MARK).is_ok();
    if is_done && output.flush().is_ok() { Ok(()) } else { Err(EXIT_FAILED) }
}

/// Makes this process one whose readers reach nothing of it, and gives its channel to the parent.
#[cfg(unix)]
fn stand_apart() -> std::io::Result<(File, File)> {
    use std::os::fd::AsFd;
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    // What a reader has as its standard input and output leads nowhere, as the standard error does.
    rustix::stdio::dup2_stdin(std::io::stderr())?;
    rustix::stdio::dup2_stdout(std::io::stderr())?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpid, set_child_subreaper};
        close_to_others()?;
        // What a reader leaves behind comes to this process and not to PID 1.
        set_child_subreaper(Some(getpid()))?;
    }
    Ok((input.into(), output.into()))
}

/// Keeps others who run as the same user from this process's environment, files and memory.
#[cfg(target_os = "linux")]
fn close_to_others() -> std::io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Whether a copy of this process would lack none of its threads, whatever they hold. Elsewhere than on Linux it is
/// believed.
#[cfg(unix)]
fn has_one_thread() -> bool {
    !cfg!(target_os = "linux") || std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}

/// What a reader says, as long as the parent listens.
#[cfg(unix)]
struct Said<'a> {
    answer: PipeReader,
    parent: &'a File,
}

#[cfg(unix)]
impl Read for Said<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, poll};
        // Of the parent nothing is expected, so that what comes is its end.
        let mut both =
            [PollFd::new(&self.answer, PollFlags::IN), PollFd::new(self.parent, PollFlags::empty())];
        poll(&mut both, None)?;
        if !both[1].revents().is_empty() {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        self.answer.read(into)
    }
}

/// Passes on an answer's length and the answer, and nothing of what may follow. The parent knows how long it may be.
#[cfg(unix)]
fn pass_answer_on(said: &mut impl Read, to: &mut impl Write, buffer: &mut [u8]) -> std::io::Result<()> {
    let length = read_number(said)?;
    to.write_all(&length.to_be_bytes())?;
    pass_on(said, to, length, buffer)
}

/// Passes on so many bytes, none of which remains elsewhere than in the buffer.
#[cfg(unix)]
fn pass_on(
    from: &mut impl Read,
    to: &mut impl Write,
    mut left_bytes: u64,
    buffer: &mut [u8],
) -> std::io::Result<()> {
    while left_bytes > 0 {
        let most = usize::try_from(left_bytes).map_or(buffer.len(), |left| left.min(buffer.len()));
        let read = from.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        to.write_all(&buffer[..read])?;
        left_bytes -= read as u64;
    }
    Ok(())
}

/// Ends a reader and what it has started, and collects them. It is well if it has answered and nothing outlives it.
#[cfg(unix)]
fn end_reader(reader: Pid, is_answered: bool) -> Result<(), i32> {
    use rustix::io::Errno;
    use rustix::process::{Signal, WaitOptions, kill_process, kill_process_group, wait, waitpgid, waitpid};
    // One that ends already keeps the status that it ends with. By its number too: it may have no group yet.
    let _ = kill_process_group(reader, Signal::KILL);
    let _ = kill_process(reader, Signal::KILL);
    let ended = waitpid(Some(reader), WaitOptions::empty());
    while waitpgid(reader, WaitOptions::empty()).is_ok() {}
    let is_alone = wait(WaitOptions::NOHANG).is_err_and(|error| error == Errno::CHILD);
    match ended {
        Ok(Some(_)) if is_answered && is_alone => Ok(()),
        Ok(Some((_, status))) if status.terminating_signal() == Some(Signal::XCPU.as_raw()) => {
            Err(EXIT_OUT_OF_TIME)
        }
        Ok(Some((_, status))) if status.exit_status() == Some(EXIT_NOT_STARTED) => Err(EXIT_NOT_STARTED),
        _ => Err(EXIT_FAILED),
    }
}

/// A reader's life. Its pipes are closed by its end and not before, so that whoever sees them closed finds its status.
#[cfg(unix)]
fn read_alone<W: Work>(limits: [u64; 3], mut body: PipeReader, mut answer: PipeWriter) -> ! {
    let code = if limit_this_process(limits).is_err() {
        EXIT_NOT_STARTED
    } else if read_one::<W>(&mut body, &mut answer).is_err() {
        EXIT_FAILED
    } else {
        0
    };
    std::process::exit(code)
}

#[cfg(unix)]
fn limit_this_process([memory_max_bytes, cpu_max_s, open_files_max]: [u64; 3]) -> std::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setpgid, setrlimit};
    // A group of its own, so that it is ended with what else it has started.
    setpgid(None, None)?;
    // That is not ended with the worker's, so the kernel does it.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    // At the first the kernel ends it by a signal that says why, at the second by one that says nothing.
    let processor = Rlimit { current: Some(cpu_max_s), maximum: Some(cpu_max_s.saturating_add(1)) };
    for (resource, most) in [
        (Resource::As, to(memory_max_bytes)),
        (Resource::Cpu, processor),
        (Resource::Nofile, to(open_files_max)),
        (Resource::Core, to(0)),
        (Resource::Fsize, to(0)),
        // It starts nobody; the kernel does not hold root to that.
        (Resource::Nproc, to(0)),
    ] {
        setrlimit(resource, most)?;
    }
    Ok(())
}

/// Reads what a reader may use, and how long its document is with the task.
fn read_order(input: &mut impl Read) -> std::io::Result<[u64; 4]> {
    let mut order = [0; 4];
    for number in &mut order {
        *number = read_number(input)?;
    }
    Ok(order)
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
    let read = input.take(length).read_to_end(&mut part)?;
    if (read as u64) < length {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
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

    #[test]
    fn what_is_cut_short_is_no_part() {
        let whole = framed(&[b"lease"]);
        let kind = |raw: &[u8], most| read_part(&mut &*raw, most).map_err(|error| error.kind());
        assert_eq!(kind(&whole, 5), Ok(b"lease".to_vec()));
        assert_eq!(kind(&whole, 4), Err(std::io::ErrorKind::InvalidInput));
        for cut in 0..whole.len() {
            assert_eq!(kind(&whole[..cut], 5), Err(std::io::ErrorKind::UnexpectedEof), "cut at {cut}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn one_answer_is_passed_on_and_nothing_that_follows_it() {
        let answer = framed(&[b"its own"]);
        let rest = [ANSWER_MARK.to_vec(), framed(&[b"the next one's"]), ANSWER_MARK.to_vec()].concat();
        let said = [answer.clone(), rest.clone()].concat();
        for buffer_bytes in [1, 4, 7, 64] {
            let (mut from, mut to) = (said.as_slice(), Vec::new());
            pass_answer_on(&mut from, &mut to, &mut vec![0; buffer_bytes]).unwrap();
            assert_eq!((&to, from), (&answer, rest.as_slice()), "by {buffer_bytes}");
        }
        for cut in 0..answer.len() {
            let passed = pass_answer_on(&mut &answer[..cut], &mut Vec::new(), &mut [0; 4]);
            assert!(passed.is_err(), "cut at {cut}");
        }
    }
}
