//! Time passes only here, with everything that happens by itself: sleepers wake, frozen processes go on, the service
//! ends what is at its deadline, and what was on its way arrives.

use super::driver::Driver;

impl Driver {
    /// Lets a little time pass, or all of it until something happens.
    pub async fn pass_some_time(&mut self, must_jump: bool) {
        let duration_ms = {
            let mut state = self.sim.lock();
            match state.dice.roll(16) {
                0 => state.dice.roll(90_000),
                1 | 2 => state.dice.roll(10_000),
                _ => state.dice.roll(800),
            }
        };
        let now_ms = self.sim.lock().now_ms;
        let to_ms = if must_jump { self.next_moment_ms().max(now_ms) } else { now_ms + duration_ms };
        self.pass_until(to_ms).await;
    }

    /// When something happens by itself next.
    pub fn next_moment_ms(&self) -> u64 {
        let state = self.sim.lock();
        let is_awake = |invocation| {
            self.invocations.iter().any(|one| one.id == invocation && one.paused_until_ms.is_none())
        };
        let timers = state.timers.iter().filter(|timer| !timer.is_forgotten() && is_awake(timer.invocation));
        let moments = timers
            .map(|timer| timer.at_ms)
            .chain(state.queue.messages.iter().map(|message| message.visible_at_ms))
            .chain(state.late.iter().map(|(due_ms, ..)| *due_ms))
            .chain(self.invocations.iter().filter_map(|one| one.paused_until_ms))
            .chain(self.invocations.iter().filter(|one| !one.given_up).map(|one| one.ends_at_ms))
            .chain(
                self.invocations
                    .iter()
                    .map(|one| one.timers_held_until_ms)
                    .filter(|held| *held > state.now_ms),
            );
        moments.filter(|moment| *moment > state.now_ms).min().unwrap_or(state.now_ms + 1000)
    }

    /// Lets time pass, with all that happens by itself.
    pub async fn pass_until(&mut self, to_ms: u64) {
        self.sim.lock().now_ms = to_ms;
        for one in &mut self.invocations {
            if one.paused_until_ms.is_some_and(|until_ms| until_ms <= to_ms) {
                one.paused_until_ms = None;
                let mut state = self.sim.lock();
                one.timers_held_until_ms = to_ms + state.dice.roll(20_000);
                state.note(|| format!("#{} goes on", one.id));
            }
        }
        let over = self.invocations.iter().filter(|one| one.ends_at_ms <= to_ms && !one.given_up);
        let over: Vec<(u32, bool)> = over.map(|one| (one.id, one.paused_until_ms.is_some())).collect();
        for (id, is_paused) in over {
            if is_paused {
                // The service has given it up; the process is frozen and will not know.
                if let Some(one) = self.invocations.iter_mut().find(|one| one.id == id) {
                    one.given_up = true;
                }
            } else {
                self.kill(id, "at its deadline").await;
            }
        }
        self.sim.lock().arrive();
        self.wake().await;
    }

    async fn wake(&mut self) {
        let due = {
            let mut state = self.sim.lock();
            let now_ms = state.now_ms;
            let mut due = Vec::new();
            let mut at = 0;
            while at < state.timers.len() {
                let timer = &state.timers[at];
                let sleeper = self.invocations.iter().find(|one| one.id == timer.invocation);
                let may = sleeper
                    .is_some_and(|one| one.paused_until_ms.is_none() && one.timers_held_until_ms <= now_ms);
                if timer.is_forgotten() {
                    state.timers.remove(at);
                } else if may && timer.at_ms <= now_ms {
                    due.push(state.timers.remove(at));
                } else {
                    at += 1;
                }
            }
            due
        };
        for timer in due {
            timer.wake();
            self.settle().await;
        }
    }
}
