//! The integration tests, as one crate.

mod cases;
mod events;
mod protocol;
mod queue_rules;
mod support;
mod template;
