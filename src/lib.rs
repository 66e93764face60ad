//! Exactly-once ingestion of documents (map follows).

pub mod batch;
pub mod claim;
pub mod commit;
pub mod config;
pub mod effect;
pub mod event;
pub mod fetch;
pub mod handler;
pub mod identity;
pub mod outcome;
pub mod pipeline;
pub mod pointer;
pub mod ports;
pub mod posting;
pub mod telemetry;

pub mod aws;
#[cfg(feature = "embedded")]
pub mod embedded;
