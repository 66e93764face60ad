//! Exactly-once ingestion of documents (map follows).

pub mod identity;
pub mod posting;
pub mod ports;
