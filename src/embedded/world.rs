//! The local default put together: the real pipeline over the embedded stores, for leases.

use std::path::Path;
use std::sync::Arc;

use crate::aws::ledger::DynamoLedger;
use crate::config::IngestSettings;
use crate::embedded::objects::{FolderObjects, Versioning};
use crate::embedded::queue::{MemoryQueue, QueueSettings};
use crate::embedded::{Embedded, OpenError};
use crate::extract::reader::LeaseReader;
use crate::isolation::Limits;
use crate::lease::LeaseAbstraction;
use crate::ocr::tesseract::Tesseract;
use crate::pipeline::{Parts, Pipeline};
use crate::ports::clock::SystemClock;

/// The bucket of the local default; the sample events name it.
pub const LOCAL_BUCKET: &str = "leases-in";

/// The extractor of the local default; what is a picture is recognised where the program is installed.
pub type LocalReader = LeaseReader<Tesseract>;

/// The pipeline of the local default.
pub type LocalPipeline =
    Pipeline<Parts<DynamoLedger<LeaseAbstraction>, FolderObjects, LocalReader, MemoryQueue, SystemClock>>;

/// The embedded stores and the pipeline over them.
#[derive(Debug)]
pub struct LocalWorld {
    /// The tables.
    pub embedded: Embedded,
    /// The objects.
    pub objects: FolderObjects,
    /// The queue of this process; its dead letters lie in the state folder.
    pub queue: MemoryQueue,
    /// The pipeline.
    pub pipeline: Arc<LocalPipeline>,
}

impl LocalWorld {
    /// Opens a state folder, creating it and the buckets of the settings where they are missing. Documents are read
    /// in child processes of this program, whose `main` must serve them.
    pub async fn open(
        folder: &Path,
        settings: IngestSettings,
        queue_settings: QueueSettings,
    ) -> Result<Self, OpenError> {
        let embedded = Embedded::open(folder).await?;
        let objects = embedded.objects();
        for bucket in &settings.policy.buckets {
            objects
                .create_bucket(bucket, Versioning::On)
                .await
                .map_err(|error| OpenError::Engine(error.to_string()))?;
        }
        let queue = embedded.queue(queue_settings)?;
        let parts = Parts {
            ledger: DynamoLedger::new(embedded.dynamodb().clone(), embedded.tables().clone(), None),
            objects: objects.clone(),
            extractor: LeaseReader::of_this_program(Limits::default(), Tesseract::find().await)?,
            queue: queue.clone(),
            clock: SystemClock,
        };
        let pipeline = Arc::new(Pipeline::new(parts, settings));
        Ok(Self { embedded, objects, queue, pipeline })
    }
}
