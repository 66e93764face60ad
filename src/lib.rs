//! Exactly-once ingestion of documents (map follows).

pub mod batch;
pub mod event;
pub mod fetch;
pub mod identity;
pub mod ports;
pub mod posting;
