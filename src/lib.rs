//! Exactly-once ingestion of documents (map follows).

pub mod event;
pub mod extract;
pub mod fetch;
pub mod identity;
pub mod lease;
pub mod ports;
pub mod posting;
