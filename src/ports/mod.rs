//! Ports: one trait a file.

pub mod extractor;
