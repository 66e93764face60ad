//! Ports: what the pipeline asks of the world, one trait a file. Adapters are in `aws` and `embedded`.

pub mod clock;
pub mod extractor;
pub mod ledger;
pub mod objects;
pub mod ocr;
pub mod queue;
