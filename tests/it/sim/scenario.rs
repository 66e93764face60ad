//! What a schedule is drawn from: one seed, one scenario.

use crate::support::slip::{slip, slow_slip};

use crate::support::dice::Dice;

/// The longest property id is 512 bytes; this one is longer.
const LONG_PROPERTY_BYTES: usize = 600;

/// What can happen in a schedule, and how often.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub keeps_versions: bool,
    /// Whether versioning is switched on and off on the way.
    pub switches: bool,
    pub has_sequencers: bool,
    pub keys: Vec<&'static str>,
    pub contents: Vec<String>,
    pub changes: u64,
    pub skews_ms: Vec<i64>,
    /// Whether the deadline is read on the worker's own clock rather than told by the service.
    pub own_deadlines: bool,
    /// Chances in a thousand that something befalls a request.
    pub faults_permille: u64,
    /// Whether the queue keeps the order of a key's messages, and hands none out twice.
    pub is_fifo: bool,
    pub duplicates_permille: u64,
    pub loses_events: bool,
    pub wipes_claims: bool,
    pub raises_generation: bool,
    pub stale_reads: bool,
    pub receivers: Vec<String>,
    pub attempt_limit: u32,
    pub wait_limit: u32,
}

impl Scenario {
    pub fn draw(dice: &mut Dice) -> Self {
        let workers = 2 + dice.place(2);
        let keeps_versions = dice.roll(2) == 0;
        let wrong_clocks = dice.roll(3) == 0;
        let skew = |dice: &mut Dice| {
            if wrong_clocks {
                dice.one_of(&[0, 5_000, -5_000, 60_000, -60_000, 300_000, -300_000])
            } else {
                0
            }
        };
        let is_fifo = dice.roll(10) == 0;
        let count = 2 + dice.place(3);
        let contents = (0..count).map(|_| content(dice)).collect();
        let receivers = if dice.roll(3) == 0 { vec!["events", "desk"] } else { vec!["events"] };
        Self {
            keeps_versions,
            switches: dice.roll(6) == 0,
            has_sequencers: dice.roll(8) != 0,
            keys: ["a", "b", "c"][..1 + dice.place(3)].to_vec(),
            contents,
            changes: 4 + dice.roll(7),
            skews_ms: (0..workers).map(|_| skew(dice)).collect(),
            own_deadlines: dice.roll(2) == 0,
            faults_permille: dice.one_of(&[0, 20, 60, 120, 250]),
            is_fifo,
            duplicates_permille: if is_fifo { 0 } else { dice.one_of(&[0, 100, 300]) },
            loses_events: dice.roll(3) == 0,
            wipes_claims: dice.roll(5) == 0,
            raises_generation: dice.roll(4) == 0,
            stale_reads: dice.roll(2) == 0,
            receivers: receivers.into_iter().map(str::to_owned).collect(),
            attempt_limit: 2 + u32::try_from(dice.roll(2)).unwrap(),
            wait_limit: 1,
        }
    }

    /// After how many receives the queue gives up, by the rule of the settings.
    pub fn max_receive_count(&self) -> u32 {
        2 * (self.attempt_limit + self.wait_limit) + 5
    }

    /// How long an object may be out of sight: longer than a version that is missing is waited for, but not where
    /// nothing but events may be needed.
    pub fn lag_max_ms(&self) -> u64 {
        if self.is_lossless() { 4 * 60 * 1000 } else { 60 * 60 * 1000 }
    }

    /// Whether every version's event arrives and no marker is lost, so that nothing needs the reconciler.
    pub fn is_lossless(&self) -> bool {
        !self.loses_events && !self.wipes_claims && !self.raises_generation
    }
}

/// The bytes of a document.
fn content(dice: &mut Dice) -> String {
    let amount = u32::try_from(1 + dice.roll(4)).unwrap();
    match dice.roll(24) {
        0..=14 => slip(amount),
        15 | 16 => slow_slip(10 + amount, amount),
        17 => "fail".to_owned(),
        18 => "incomplete".to_owned(),
        19 => "unusable".to_owned(),
        20 => String::new(),
        21 => "panic".to_owned(),
        22 => r#"{"under":"P-1","amount":7,"confidence":0.5}"#.to_owned(),
        _ => r#"{"under":"P-3","amount":8}"#.to_owned(),
    }
}

/// What an object's metadata says it is filed under.
pub fn property(dice: &mut Dice) -> Option<String> {
    match dice.roll(32) {
        0..=2 => Some("P-2".to_owned()),
        3 => Some("P".repeat(LONG_PROPERTY_BYTES)),
        _ => None,
    }
}
