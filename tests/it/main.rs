//! One integration-test crate: it links once and is found in one place.

mod events;
mod queue_rules;
mod template;
