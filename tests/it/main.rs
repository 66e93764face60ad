//! The integration tests, as one crate.

mod events;
mod protocol;
mod support;
