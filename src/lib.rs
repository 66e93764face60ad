//! Exactly-once ingestion of documents (map follows).

pub mod event;
pub mod fetch;
pub mod identity;
pub mod ports;
pub mod posting;

pub mod aws;
#[cfg(feature = "embedded")]
pub mod embedded;
