//! Virtual time: one clock a worker, more or less wrong, and dice that the seed has thrown.

use lease_ingest::identity::EpochMs;
use lease_ingest::ports::clock::Clock;

use super::mutants::Mutant;
use super::world::Line;

/// A worker's clock.
pub struct SimClock(pub Line);

impl Clock for SimClock {
    fn now(&self) -> EpochMs {
        self.0.now()
    }

    async fn sleep_ms(&self, duration_ms: u64) {
        self.0.sleep(duration_ms).await;
    }

    fn fresh_id(&self) -> String {
        let mut state = self.0.sim.lock();
        if state.is(Mutant::TokensRepeat) {
            return format!("w{}", self.0.worker);
        }
        state.ids += 1;
        format!("t{}", state.ids)
    }

    fn random_up_to(&self, most: u64) -> u64 {
        match most.checked_add(1) {
            Some(sides) => self.0.sim.lock().dice.roll(sides),
            None => 0,
        }
    }
}
