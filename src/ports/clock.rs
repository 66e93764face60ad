//! Port: time and randomness, so that a test or a simulation owns both.

use std::future::Future;

use crate::identity::EpochMs;

/// The clock and the dice.
pub trait Clock: Send + Sync + 'static {
    /// Wall-clock time. It may be wrong by minutes; no decision that could post twice rests on it.
    fn now(&self) -> EpochMs;
    /// Returns after this many milliseconds.
    fn sleep_ms(&self, duration_ms: u64) -> impl Future<Output = ()> + Send;
    /// A fresh text that no other attempt anywhere has: the fencing token of one attempt.
    fn fresh_id(&self) -> String;
    /// A number in `0..=most`, evenly spread.
    fn random_up_to(&self, most: u64) -> u64;
}

impl<C: Clock> Clock for std::sync::Arc<C> {
    fn now(&self) -> EpochMs {
        C::now(self)
    }
    fn sleep_ms(&self, duration_ms: u64) -> impl Future<Output = ()> + Send {
        C::sleep_ms(self, duration_ms)
    }
    fn fresh_id(&self) -> String {
        C::fresh_id(self)
    }
    fn random_up_to(&self, most: u64) -> u64 {
        C::random_up_to(self, most)
    }
}

/// The real clock and the operating system's random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where real time enters")]
    fn now(&self) -> EpochMs {
        let since_epoch =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        EpochMs(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place where real time enters")]
    async fn sleep_ms(&self, duration_ms: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(duration_ms)).await;
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place where randomness enters")]
    fn fresh_id(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place where randomness enters")]
    fn random_up_to(&self, most: u64) -> u64 {
        let (high, low) = uuid::Uuid::new_v4().as_u64_pair();
        // The version and variant bits of the two halves are fixed at different places, so their mix is even enough for jitter.
        let mixed = high.rotate_left(32) ^ low;
        most.checked_add(1).map_or(mixed, |bound| mixed % bound)
    }
}
