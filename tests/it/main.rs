//! One integration-test crate: it links once and is found in one place.

#![allow(clippy::unwrap_used, reason = "a test fails by it, and so do its helpers")]

mod attack;
mod cases;
mod contract;
mod eval;
mod events;
#[path = "../../fuzz/entries.rs"]
mod fuzz_entries;
mod fuzz_seeds;
mod histories;
mod isolation;
mod kills;
mod mutations;
mod network;
mod ocr;
mod played;
mod processes;
mod protocol;
mod published;
mod queue_rules;
mod readme;
mod rig;
mod scans;
mod secrecy;
mod sim;
mod stale;
mod support;
mod template;
mod tidiness;
mod tool;
