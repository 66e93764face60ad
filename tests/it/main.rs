//! The integration tests, as one crate.

mod cases;
mod events;
mod protocol;
mod published;
mod queue_rules;
mod support;
mod template;
