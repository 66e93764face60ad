//! The driver: one future that decides, by the seed, which request goes on next, what befalls it, when time passes,
//! and what people and the bucket do meanwhile. Between its steps every task stands still at a gate or asleep.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use lease_ingest::config::IngestSettings;
use lease_ingest::handler::{BatchAnswer, HandleError, handle};
use lease_ingest::identity::{EpochMs, Generation};
use lease_ingest::outcome::RecordOutcome;
use lease_ingest::pipeline::{Parts, Pipeline};
use tokio::task::JoinHandle;

use super::clock::SimClock;
use super::coverage::Coverage;
use super::ledger::{SimExtractor, SimLedger};
use super::mutants::Mutant;
use super::objects::{BUCKET, Bucket, SimObjects};
use super::queue::{About, Letter, Message, SimQueue, SimSender, Told, lambda_event};
use super::scenario::Scenario;
use super::tables::Tables;
use super::world::{BEGIN_MS, Line, Sim, State, Verdict};
use crate::support::dice::Dice;

/// How long an invocation may take, in milliseconds.
pub const FUNCTION_TIMEOUT_MS: u64 = 60_000;
/// How long past its deadline a claim is protected, in milliseconds.
pub const LEASE_MARGIN_MS: u64 = 30_000;
/// The most messages of a batch.
const BATCH_MAX_MESSAGES: u64 = 4;

static SETTINGS: LazyLock<IngestSettings> = LazyLock::new(|| {
    let mut settings = IngestSettings::for_buckets(&[BUCKET]);
    settings.lease_margin_ms = LEASE_MARGIN_MS;
    settings
});

/// One call of the handler.
pub struct Invocation {
    pub id: u32,
    pub worker: usize,
    generation: Generation,
    messages: Vec<Message>,
    /// The step at which it began.
    begun: u64,
    /// When the service ends it.
    pub ends_at_ms: u64,
    /// Frozen until then.
    pub paused_until_ms: Option<u64>,
    /// Its sleeps do not end before that: a process that was frozen sees its requests go on first.
    pub timers_held_until_ms: u64,
    /// The service has given it up, and it does not know.
    pub given_up: bool,
    task: JoinHandle<Result<BatchAnswer, HandleError>>,
}

/// How a schedule ended.
pub struct Ended {
    pub broken: Option<String>,
    pub history: Vec<String>,
    pub coverage: Coverage,
}

/// Plays one schedule.
pub struct Driver {
    pub sim: Arc<Sim>,
    pub scenario: Scenario,
    pub invocations: Vec<Invocation>,
    pub generations: Vec<Generation>,
    /// Everything that was ever told.
    pub told: Vec<Letter>,
    /// Records that wait to travel in one message with the next.
    pub bundled: Vec<Told>,
    pub ledger_down_until_ms: u64,
    pub ledger_denies: bool,
    pub objects_down_until_ms: u64,
    /// How often a letter's body was sent again by an operator.
    pub redrives: BTreeMap<(Arc<str>, Option<[String; 2]>), u32>,
    next_invocation: u32,
    pub changes_left: u64,
    pub wipes_left: u32,
}

impl Driver {
    pub fn new(seed: u64, mutant: Option<Mutant>, with_history: bool) -> Self {
        let mut dice = Dice::new(seed);
        let scenario = Scenario::draw(&mut dice);
        let state = State {
            now_ms: BEGIN_MS,
            step: 1,
            dice,
            ids: 0,
            open_gates: false,
            gates: Vec::new(),
            timers: Vec::new(),
            skews_ms: scenario.skews_ms.clone(),
            tables: Tables::default(),
            bucket: Bucket::new(scenario.keeps_versions, scenario.has_sequencers),
            queue: SimQueue::new(scenario.max_receive_count(), scenario.is_fifo),
            late: Vec::new(),
            late_hides: Vec::new(),
            finished_until: BTreeMap::new(),
            pointer_steps: BTreeMap::new(),
            removals: BTreeMap::new(),
            met_row: BTreeSet::new(),
            lag_max_ms: scenario.lag_max_ms(),
            late_hides_permille: scenario.faults_permille,
            stale_reads: scenario.stale_reads,
            receivers: scenario.receivers.clone(),
            mutant,
            coverage: Coverage::default(),
            history: with_history.then(Vec::new),
            broken: None,
            activity: 0,
        };
        let workers = scenario.skews_ms.len();
        let sim = Sim::new(state);
        sim.lock().note(|| format!("{scenario:?}"));
        Self {
            sim,
            changes_left: scenario.changes,
            wipes_left: if scenario.wipes_claims { 2 } else { 0 },
            generations: vec![Generation::FIRST; workers],
            scenario,
            invocations: Vec::new(),
            told: Vec::new(),
            bundled: Vec::new(),
            ledger_down_until_ms: 0,
            ledger_denies: false,
            objects_down_until_ms: 0,
            redrives: BTreeMap::new(),
            next_invocation: 0,
        }
    }

    /// Plays all of it: with faults, then without, then all of it again.
    pub async fn play(mut self) -> Ended {
        let steps_max = 120 + 40 * self.scenario.changes;
        for _ in 0..steps_max {
            if self.is_broken() || self.is_over() {
                break;
            }
            self.step().await;
        }
        if !self.is_broken() {
            self.end_well().await;
        }
        for invocation in &self.invocations {
            invocation.task.abort();
        }
        let mut state = self.sim.lock();
        Ended {
            broken: state.broken.take(),
            history: state.history.take().unwrap_or_default(),
            coverage: std::mem::take(&mut state.coverage),
        }
    }

    pub fn is_broken(&self) -> bool {
        self.sim.lock().broken.is_some()
    }

    fn is_over(&self) -> bool {
        self.changes_left == 0 && self.invocations.is_empty() && self.sim.lock().queue.messages.is_empty()
    }

    /// Lets every task run until all stand at gates or sleep.
    pub async fn settle(&self) {
        loop {
            let before = self.sim.lock().activity;
            tokio::task::yield_now().await;
            if self.sim.lock().activity == before {
                return;
            }
        }
    }

    /// One step of the schedule.
    async fn step(&mut self) {
        self.collect().await;
        let (has_gates, has_visible) = {
            let mut state = self.sim.lock();
            state.step += 1;
            let running = |invocation| {
                self.invocations.iter().any(|one| one.id == invocation && one.paused_until_ms.is_none())
            };
            (state.gates.iter().any(|gate| running(gate.invocation)), state.has_visible())
        };
        let can_start = has_visible && self.idle_worker().is_some();
        let weights = [
            if has_gates { 50 } else { 0 },
            if can_start { 20 } else { 0 },
            if self.changes_left > 0 { 8 } else { 0 },
            if self.scenario.faults_permille > 0 { 2 } else { 0 },
            6,
        ];
        let mut rolled = self.sim.lock().dice.roll(weights.iter().sum());
        let chosen = weights.iter().position(|weight| {
            let chosen = rolled < *weight;
            rolled = rolled.saturating_sub(*weight);
            chosen
        });
        match chosen {
            Some(0) => self.open_a_gate().await,
            Some(1) => self.start_any().await,
            Some(2) => {
                self.changes_left -= 1;
                self.change();
            }
            Some(3) => self.mischief().await,
            _ => self.pass_some_time(!has_gates && !can_start).await,
        }
    }

    fn idle_worker(&self) -> Option<usize> {
        let busy = |worker: usize| self.invocations.iter().any(|one| one.worker == worker && !one.given_up);
        (0..self.generations.len()).find(|worker| !busy(*worker))
    }

    async fn start_any(&mut self) {
        let (most, turn) = {
            let mut state = self.sim.lock();
            (1 + state.dice.roll(BATCH_MAX_MESSAGES), state.dice.place(self.generations.len()))
        };
        let busy = |worker: usize| self.invocations.iter().any(|one| one.worker == worker && !one.given_up);
        let workers = self.generations.len();
        let Some(worker) = (0..workers).map(|nth| (nth + turn) % workers).find(|worker| !busy(*worker))
        else {
            return;
        };
        self.start(worker, usize::try_from(most).unwrap()).await;
    }

    /// Invokes the handler with some of what is visible.
    pub async fn start(&mut self, worker: usize, most: usize) {
        self.next_invocation += 1;
        let id = self.next_invocation;
        let (messages, begun, now_ms, skew_ms) = {
            let mut state = self.sim.lock();
            let messages = state.receive(most, self.scenario.duplicates_permille);
            (messages, state.step, state.now_ms, state.skews_ms[worker])
        };
        if messages.is_empty() {
            return;
        }
        let generation = self.generations[worker];
        {
            let mut state = self.sim.lock();
            state.note(|| {
                let ids: Vec<_> =
                    messages.iter().map(|one| format!("m{} {:?}", one.id, one.letter.about)).collect();
                format!("#{id} begins on worker {worker} generation {generation}: {}", ids.join(", "))
            });
            let abouts = messages.iter().flat_map(|message| message.letter.about.iter());
            let removals = abouts.filter_map(|about| match about {
                About::Removal { key, .. } => Some(key.clone()),
                _ => None,
            });
            let removals = removals.collect();
            state.removals.insert(id, removals);
            if state.is(Mutant::AcknowledgedAtReceive) {
                for message in &messages {
                    state.judge_acknowledgement(message, generation, begun);
                    state.delete(message.id, message.handle);
                }
            }
        }
        let line = Line { sim: Arc::clone(&self.sim), invocation: id, worker };
        let parts = Parts {
            ledger: SimLedger(line.clone()),
            objects: SimObjects(line.clone()),
            extractor: SimExtractor(line.clone()),
            queue: SimSender(line.clone()),
            clock: SimClock(line),
        };
        let settings = IngestSettings {
            generation,
            attempt_limit: self.scenario.attempt_limit,
            wait_limit: self.scenario.wait_limit,
            max_receive_count: self.scenario.max_receive_count(),
            effect_receivers: self.scenario.receivers.clone(),
            ..SETTINGS.clone()
        };
        let pipeline = Arc::new(Pipeline::new(parts, settings));
        let ends_at_ms = now_ms + FUNCTION_TIMEOUT_MS;
        let told_ms =
            if self.scenario.own_deadlines { ends_at_ms.saturating_add_signed(skew_ms) } else { ends_at_ms };
        let payload = lambda_event(&messages);
        let task = tokio::spawn(async move { handle(&pipeline, &payload, EpochMs(told_ms)).await });
        self.invocations.push(Invocation {
            id,
            worker,
            generation,
            messages,
            begun,
            ends_at_ms,
            paused_until_ms: None,
            timers_held_until_ms: 0,
            given_up: false,
            task,
        });
        self.settle().await;
    }

    /// Takes the answers of invocations that have ended.
    pub async fn collect(&mut self) {
        while let Some(at) = self.invocations.iter().position(|one| one.task.is_finished()) {
            let mut invocation = self.invocations.remove(at);
            let answer = (&mut invocation.task).await;
            let mut state = self.sim.lock();
            let id = invocation.id;
            state.timers.retain(|timer| timer.invocation != id);
            state.gates.retain(|gate| gate.invocation != id);
            match answer {
                Ok(Ok(answer)) => {
                    answered(&mut state, &invocation, answer, self.scenario.faults_permille / 2)
                }
                Ok(Err(error)) => state.fail(|| format!("#{id} ended with {error}")),
                Err(error) => state.fail(|| format!("#{id} ended with {error}")),
            }
        }
    }

    async fn open_a_gate(&mut self) {
        let gate = {
            let mut state = self.sim.lock();
            let open: Vec<usize> = (0..state.gates.len())
                .filter(|at| {
                    let invocation = state.gates[*at].invocation;
                    self.invocations.iter().any(|one| one.id == invocation && one.paused_until_ms.is_none())
                })
                .collect();
            let at = open[state.dice.place(open.len())];
            state.gates.remove(at)
        };
        let invocation = gate.invocation;
        match self.fate(gate.store) {
            Fate::Verdict(verdict) => {
                self.sim.lock().coverage.count("fault", verdict.name());
                let after = format!("after {}", gate.name);
                gate.open(verdict);
                self.settle().await;
                if verdict == Verdict::DiesAfter {
                    self.kill(invocation, &after).await;
                }
            }
            Fate::Killed => {
                let before = format!("before {}", gate.name);
                drop(gate);
                self.kill(invocation, &before).await;
            }
            Fate::Paused => {
                self.sim.lock().gates.push(gate);
                self.pause(invocation);
            }
        }
    }

    /// Ends a process.
    pub async fn kill(&mut self, invocation: u32, why: &str) {
        let Some(at) = self.invocations.iter().position(|one| one.id == invocation) else { return };
        let killed = self.invocations.remove(at);
        killed.task.abort();
        {
            let mut state = self.sim.lock();
            state.gates.retain(|gate| gate.invocation != invocation);
            state.timers.retain(|timer| timer.invocation != invocation);
            state.coverage.count("fault", "killed");
            state.note(|| format!("#{invocation} is killed {why}"));
        }
        self.settle().await;
    }

    /// Freezes a process until its leases are over.
    pub fn pause(&mut self, invocation: u32) {
        let mut state = self.sim.lock();
        let until_ms = state.now_ms + FUNCTION_TIMEOUT_MS + LEASE_MARGIN_MS + state.dice.roll(240_000);
        if let Some(paused) = self.invocations.iter_mut().find(|one| one.id == invocation) {
            paused.paused_until_ms = Some(until_ms);
            state.coverage.count("fault", "paused");
            state.note(|| format!("#{invocation} freezes"));
        }
    }
}

/// What befalls a request, or who sent it.
pub enum Fate {
    Verdict(Verdict),
    Killed,
    Paused,
}

/// What the service does with an answer: it deletes what was not returned.
fn answered(state: &mut State, invocation: &Invocation, answer: BatchAnswer, lost_permille: u64) {
    let id = invocation.id;
    let mut failures: Vec<String> =
        answer.response.batch_item_failures.iter().map(|failure| failure.item_identifier.clone()).collect();
    for message in &answer.messages {
        for record in &message.records {
            state.coverage.count("outcome", record.outcome.metric());
            if record.outcome == RecordOutcome::NothingParked {
                state.coverage.count("decision", "nothing parked");
            }
        }
        if state.is(Mutant::InFlightIsAcknowledged)
            && message.records.iter().all(|record| matches!(record.outcome, RecordOutcome::InFlight { .. }))
        {
            failures.retain(|failure| Some(failure) != message.message_id.as_ref());
        }
    }
    state.note(|| {
        let outcomes: Vec<_> = answer
            .messages
            .iter()
            .flat_map(|message| message.records.iter().map(|record| &record.outcome))
            .map(|outcome| format!("{} {}", outcome.metric(), outcome.detail().unwrap_or_default()))
            .collect();
        format!("#{id} answers {}", outcomes.join(", "))
    });
    if state.is(Mutant::ResponseOmitsOne) {
        failures.pop();
    }
    if invocation.given_up {
        state.coverage.count("fault", "answered too late");
        return state.note(|| format!("#{id} answers too late"));
    }
    if state.dice.befalls(lost_permille) {
        state.coverage.count("fault", "answer lost");
        return state.note(|| format!("#{id} and the answer is lost"));
    }
    judge_groups(state, &invocation.messages, &failures);
    for message in &invocation.messages {
        if !failures.contains(&format!("m{}", message.id)) {
            if !state.is(Mutant::AcknowledgedAtReceive) {
                state.judge_acknowledgement(message, invocation.generation, invocation.begun);
            }
            state.delete(message.id, message.handle);
        }
    }
}

/// Of a group nothing is acknowledged behind a message that comes again.
fn judge_groups(state: &mut State, messages: &[Message], failures: &[String]) {
    let is_returned = |message: &Message| failures.contains(&format!("m{}", message.id));
    for (place, message) in messages.iter().enumerate() {
        let group = &message.letter.group;
        let mut earlier = messages[..place].iter().filter(|earlier| earlier.letter.group == *group);
        let overtakes = group.is_some() && !is_returned(message) && earlier.any(is_returned);
        state.require(!overtakes, || format!("m{} overtakes its group", message.id));
    }
}
