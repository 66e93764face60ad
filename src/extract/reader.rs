//! The extractor that is deployed: leases are read in a child process, under limits.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::extract::LeaseExtractor;
use crate::isolation::{Isolation, Limits, Lost, Work};
use crate::lease::LeaseAbstraction;
use crate::ports::extractor::{ExtractRequest, Extraction, Extractor};
use crate::posting::Reason;

/// What the child is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReadTask {
    /// Read a document.
    Document {
        /// What it is filed under, when metadata or key say so.
        filed_under: Option<String>,
    },
}

/// What the child answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReadAnswer {
    /// It was read.
    Done(Box<Extraction<LeaseAbstraction>>),
}

/// The work of reading leases, for a child process.
#[derive(Debug, Clone, Copy)]
pub struct LeaseWork;

impl Work for LeaseWork {
    type Task = ReadTask;
    type Answer = ReadAnswer;

    fn run(task: ReadTask, bytes: Bytes) -> (ReadAnswer, Vec<Vec<u8>>) {
        match task {
            ReadTask::Document { filed_under } => {
                let extraction = LeaseExtractor::default().read(&bytes, filed_under.as_deref());
                (ReadAnswer::Done(Box::new(extraction)), Vec::new())
            }
        }
    }
}

/// Reads leases in child processes of this program.
#[derive(Debug, Clone)]
pub struct LeaseReader {
    isolation: Isolation<LeaseWork>,
}

impl LeaseReader {
    /// A reader whose children are this program; its `main` begins with
    /// [`serve_if_asked::<LeaseWork>`](crate::isolation::serve_if_asked).
    pub fn of_this_program(limits: Limits) -> std::io::Result<Self> {
        Ok(Self { isolation: Isolation::of_this_program(limits)? })
    }

    /// A reader whose children are another program, for tests.
    pub fn new(isolation: Isolation<LeaseWork>) -> Self {
        Self { isolation }
    }
}

impl Extractor for LeaseReader {
    type Document = LeaseAbstraction;

    fn name_and_version(&self) -> String {
        LeaseExtractor::default().name_and_version()
    }

    async fn extract(&self, request: ExtractRequest) -> Extraction<LeaseAbstraction> {
        let task = ReadTask::Document { filed_under: request.filed_under };
        match self.isolation.run(&task, &request.bytes).await {
            Ok((ReadAnswer::Done(extraction), _)) => *extraction,
            Err(lost) => lost_reader(lost),
        }
    }
}

/// A reader that died costs the record an attempt; in the end the document is dead-lettered under this reason.
fn lost_reader(lost: Lost) -> Extraction<LeaseAbstraction> {
    Extraction::Failed(Reason::new(
        lost.code(),
        format!("{lost}: the document may be damaged or built to do harm"),
    ))
}
