//! Every lease document that is dropped into a bucket becomes exactly one abstraction in the books, however
//! often S3, SNS, SQS and Lambda deliver the event, in whatever order, and whoever crashes halfway.
//!
//! Deliveries are at least once and unordered, so exactly-once is a property of this consumer: every write is
//! conditional on a key that names the *work*, never the attempt. Two barriers are independent of each other:
//!
//! * the **claim** ([`claim`]) stops a repeated event before a byte of the object is read;
//! * the **commit** ([`commit`]), keyed on the SHA-256 of the bytes, makes a second posting impossible even when
//!   the claims table is lost, a version id is missing, or two events race.
//!
//! # The map
//!
//! Data flows one way, and each module uses only what stands above it in this file: a message becomes events, an event names its work,
//! the work is claimed, the version is fetched, its content extracted, the document committed, the outcome told
//! to the queue. Stages are values and pure rules; ports are traits; one file drives them; adapters touch the
//! world; binaries only wire. The protocol knows nothing of leases: what is posted is a type parameter
//! ([`posting::Posted`]), of which [`lease`] with [`extract`] is one instance.
//!
//! # What always holds
//!
//! 1. At most one commit per content and generation, for ever.
//! 2. No message is acknowledged without a finished marker, except the benign kinds that [`event::Benign`] names.
//! 3. Every object version ends in a finished claim or in the dead-letter queue.
//! 4. The active pointer of a key never moves backwards.
//! 5. Commit, marker, pointer and intents appear together or not at all.
//! 6. A holder whose claim was taken over or finished can write nothing.
//! 7. An effect's identity is made of what it is about: a receiver sees one distinct id per commit.
//! 8. With the store unreachable nothing is committed, skipped or acknowledged.
//! 9. Deleting the claims table and replaying everything adds no commit and no effect for content already posted.
//! 10. No log line or metric carries an object key, a tenant, a property or an amount.
//!
//! Deliberately absent: no fall-back to the latest version of an object, no comparison of an ETag with a digest,
//! no counter that an event increments, no write without a condition, no clock that could post twice.

// Stages: values and pure rules, no I/O. Each uses only what stands above it.
pub mod identity;
pub mod posting;
pub mod event;
pub mod fetch;
pub mod claim;
pub mod pointer;
pub mod effect;
pub mod commit;
pub mod outcome;
pub mod dead_letter;
pub mod batch;

// Ports: what the pipeline asks of the world, one trait a file.
pub mod ports;

// Settings, the one place with control flow for a record, the one for a batch, and signs of life.
pub mod config;
pub mod pipeline;
pub mod handler;
pub mod telemetry;

// Work on hostile bytes, elsewhere.
pub mod isolation;

// The one kind of document that is posted here.
pub mod lease;
pub mod extract;
// How right it is read, measured on documents whose values somebody knows.
pub mod eval;

// Adapters.
pub mod aws;
pub mod ocr;
#[cfg(feature = "embedded")]
pub mod embedded;
