//! One integration-test crate: it links once and is found in one place.

mod cases;
mod eval;
mod events;
mod played;
mod protocol;
mod published;
mod readme;
mod queue_rules;
mod support;
mod template;
mod tidiness;
mod tool;
