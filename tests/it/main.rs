//! One integration-test crate: it links once and is found in one place.

mod events;
mod protocol;
mod queue_rules;
mod support;
mod template;
mod tidiness;
