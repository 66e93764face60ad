//! What the simulated ports share: the time, the dice, the stores, and the gates at which every request waits until
//! the driver lets it through.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lease_ingest::identity::{ClaimKey, DocumentKey, EpochMs, Generation};
use tokio::sync::oneshot;

use super::coverage::Coverage;
use super::mutants::Mutant;
use super::objects::Bucket;
use super::queue::SimQueue;
use super::tables::Tables;
use super::write::Write;
use crate::support::dice::Dice;

/// When every schedule begins, in milliseconds since the epoch.
pub const BEGIN_MS: u64 = 1_780_000_000_000;

/// What happens to a request that waited at its gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is answered.
    Answered,
    /// It never arrives, and the caller is told of an error.
    RequestLost,
    /// It takes effect, and the caller is told of an error.
    ReplyLost,
    /// The caller is told of an error, and it takes effect later.
    Late,
    /// The client lost the first reply and sent it again: the caller sees the second answer.
    Doubled,
    /// Too many requests.
    Throttled,
    /// Another transaction holds one of its items.
    Conflict,
    /// The store does not answer anybody.
    Down,
    /// The store refuses everybody.
    Denied,
    /// It takes effect, and the caller dies before it hears of it.
    DiesAfter,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::RequestLost => "request lost",
            Self::ReplyLost => "reply lost",
            Self::Late => "late",
            Self::Doubled => "doubled",
            Self::Throttled => "throttled",
            Self::Conflict => "conflict",
            Self::Down => "store down",
            Self::Denied => "denied",
            Self::DiesAfter => "killed after",
        }
    }
}

/// To whom a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    Ledger { write: bool },
    Objects,
    Queue,
    Extractor,
}

/// A request that waits.
pub struct Gate {
    pub invocation: u32,
    pub store: Store,
    pub name: &'static str,
    open: oneshot::Sender<Verdict>,
}

impl Gate {
    pub fn open(self, verdict: Verdict) {
        // Whoever waited may be gone.
        let _ = self.open.send(verdict);
    }
}

/// Somebody who sleeps.
pub struct Timer {
    pub at_ms: u64,
    pub invocation: u32,
    wake: oneshot::Sender<()>,
}

impl Timer {
    pub fn wake(self) {
        let _ = self.wake.send(());
    }

    pub fn is_forgotten(&self) -> bool {
        self.wake.is_closed()
    }
}

/// Everything there is.
pub struct State {
    pub now_ms: u64,
    /// Counts what was done, so that "since then" has a meaning finer than time.
    pub step: u64,
    pub dice: Dice,
    pub ids: u64,
    /// Whether requests are answered at once: when faults have stopped, or nothing is to be interleaved.
    pub open_gates: bool,
    pub gates: Vec<Gate>,
    pub timers: Vec<Timer>,
    /// How wrong each worker's clock is.
    pub skews_ms: Vec<i64>,
    pub tables: Tables,
    pub bucket: Bucket,
    pub queue: SimQueue,
    /// Writes that are still on their way, and when they arrive.
    pub late: Vec<(u64, u32, Write)>,
    /// The same for messages that are to be hidden: when it arrives, by which handle, for how many seconds.
    pub late_hides: Vec<(u64, u64, u32)>,
    /// When a claim was last seen finished, by the count of steps, for claims that are not finished any more.
    pub finished_until: BTreeMap<(ClaimKey, Generation), u64>,
    /// The step at which a pointer was last written.
    pub pointer_steps: BTreeMap<DocumentKey, u64>,
    /// Keys whose removal an invocation is told of; only a mutant looks.
    pub removals: BTreeMap<u32, Vec<String>>,
    /// Tokens of attempts whose commit met a row that was there already.
    pub met_row: BTreeSet<String>,
    /// Chances in a thousand that a message is hidden later than it was said.
    pub late_hides_permille: u64,
    /// How long a store that lags may answer that an object is not there.
    pub lag_max_ms: u64,
    /// Whether a read that need not be consistent may be stale.
    pub stale_reads: bool,
    pub receivers: Vec<String>,
    pub mutant: Option<Mutant>,
    pub coverage: Coverage,
    /// One line a step, if somebody wants to read it.
    pub history: Option<Vec<String>>,
    /// The first rule that was broken.
    pub broken: Option<String>,
    /// Counts registrations at gates and clocks, so that the driver sees when all is still.
    pub activity: u64,
}

impl State {
    pub fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    pub fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(history) = &mut self.history {
            let elapsed_ms = self.now_ms - BEGIN_MS;
            history.push(format!(
                "{:>5} {:>6}.{:03} {}",
                self.step,
                elapsed_ms / 1000,
                elapsed_ms % 1000,
                line()
            ));
        }
    }

    /// Notes that a rule is broken. Not a panic: a panic within a record would be caught as that record's.
    pub fn fail(&mut self, rule: impl FnOnce() -> String) {
        if self.broken.is_none() {
            let rule = rule();
            self.note(|| format!("BROKEN: {rule}"));
            self.broken = Some(rule);
        }
    }

    pub fn require(&mut self, holds: bool, rule: impl FnOnce() -> String) {
        if !holds {
            self.fail(rule);
        }
    }

    fn arrive_hide(&mut self, at: usize) {
        let (_, handle, delay_s) = self.late_hides.remove(at);
        let answer = self.hide(handle, delay_s);
        self.note(|| format!("late change visibility -> {answer:?}"));
    }

    /// Lets everything arrive that hides a message.
    pub fn arrive_hides(&mut self) {
        while !self.late_hides.is_empty() {
            self.arrive_hide(0);
        }
    }

    /// Sends late writes that are due on their way.
    pub fn arrive(&mut self) {
        let now_ms = self.now_ms;
        while let Some(at) = self.late_hides.iter().position(|(due_ms, ..)| *due_ms <= now_ms) {
            self.arrive_hide(at);
        }
        while let Some(at) = self.late.iter().position(|(due_ms, ..)| *due_ms <= now_ms) {
            let (_, invocation, write) = self.late.remove(at);
            let answer = self.apply(&write);
            self.note(|| format!("#{invocation} late {write} -> {answer}"));
        }
    }
}

/// The world, shared by all ports.
pub struct Sim {
    state: Mutex<State>,
}

impl Sim {
    pub fn new(state: State) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(state) })
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One invocation's ports all speak over its line.
#[derive(Clone)]
pub struct Line {
    pub sim: Arc<Sim>,
    pub invocation: u32,
    pub worker: usize,
}

impl Line {
    /// Waits until the driver lets the request through.
    pub async fn gate(&self, store: Store, name: &'static str) -> Verdict {
        let opened = {
            let mut state = self.sim.lock();
            if state.open_gates {
                return Verdict::Answered;
            }
            let (open, opened) = oneshot::channel();
            state.gates.push(Gate { invocation: self.invocation, store, name, open });
            state.activity += 1;
            opened
        };
        match opened.await {
            Ok(verdict) => verdict,
            // The driver has dropped the gate: the process is as good as dead.
            Err(_) => std::future::pending().await,
        }
    }

    pub async fn sleep(&self, duration_ms: u64) {
        let woken = {
            let mut state = self.sim.lock();
            let (wake, woken) = oneshot::channel();
            let at_ms = state.now_ms.saturating_add(duration_ms);
            state.timers.push(Timer { at_ms, invocation: self.invocation, wake });
            state.activity += 1;
            woken
        };
        if woken.await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// The worker's own idea of the time.
    pub fn now(&self) -> EpochMs {
        let state = self.sim.lock();
        EpochMs(state.now_ms.saturating_add_signed(state.skews_ms[self.worker]))
    }
}
