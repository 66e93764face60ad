//! Exactly-once ingestion of documents (map follows).

pub mod batch;
pub mod claim;
pub mod commit;
pub mod effect;
pub mod event;
pub mod fetch;
pub mod identity;
pub mod pointer;
pub mod ports;
pub mod posting;

pub mod aws;
#[cfg(feature = "embedded")]
pub mod embedded;
