//! One integration-test crate: it links once and is found in one place.

#![allow(clippy::unwrap_used, reason = "a test fails by it, and so do its helpers")]

mod attack;
mod cases;
mod eval;
mod events;
mod histories;
mod isolation;
mod ocr;
mod mutations;
mod played;
mod protocol;
mod published;
mod queue_rules;
mod readme;
mod scans;
mod sim;
mod support;
mod template;
mod tidiness;
mod tool;
