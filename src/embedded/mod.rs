//! The local default: everything a deployment uses, on this machine and without an account.
//!
//! * The tables live in a DynamoDB engine inside this process, reached over loopback by the same client and the
//!   same expressions as in a deployment.
//! * Objects are versioned files in a folder.
//! * The queue is in memory.
//!
//! One state folder holds it all. Several processes may use the same folder at once.

pub mod objects;
pub mod queue;
pub mod world;

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dynoxide::Database;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::aws::clients::{ClientTimeouts, local_dynamodb};
use crate::aws::tables::{TablesError, create_missing};
use crate::config::TableNames;
use crate::ports::clock::{Clock, SystemClock};

use self::objects::FolderObjects;
use self::queue::{MemoryQueue, QueueSettings};

/// Version of the state folder's layout that this build writes. A folder of an older version would be carried
/// over here; there is none yet.
pub const FORMAT_VERSION: u32 = 1;

/// First line of the format file; it tells a state folder from any other.
const FORMAT_NAME: &str = "lease-ingest state";
const FORMAT_FILE: &str = "format";
const FORMAT_FILE_MAX_BYTES: u64 = 4096;
const LOCK_FILE: &str = "lock";
const DATABASE_FILE: &str = "tables.sqlite";
const OBJECTS_FOLDER: &str = "objects";
const DEAD_LETTERS_FOLDER: &str = "dead-letters";
/// Prefix of the table names in the embedded engine.
const TABLE_PREFIX: &str = "lease-ingest-";
/// How long a lock that another holds is waited for, in milliseconds.
const LOCK_WAIT_MAX_MS: u64 = 30_000;
/// Pause between two tries for a lock, in milliseconds.
const LOCK_PAUSE_MS: u64 = 2;
/// How long a stopping engine is waited for, in milliseconds; then it is abandoned.
const STOP_MAX_MS: u64 = 5_000;

/// Why the embedded stores cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder was written by a newer version of this program.
    #[error(
        "the state folder has format {found}, this version reads up to {FORMAT_VERSION}: \
         use the newer version that wrote it, or another folder"
    )]
    NewerFormat {
        /// The folder's format.
        found: u32,
    },
    /// The folder holds something else.
    #[error(
        "the folder is not empty and holds no lease-ingest state: choose an empty or a new folder, nothing was changed"
    )]
    ForeignFolder,
    /// The format file is damaged.
    #[error("the state folder's format file cannot be read as one: restore it, or use another folder")]
    UnreadableFormat,
    /// There are objects and no tables.
    #[error(
        "the state folder holds objects but its tables are gone: restore them, or delete the folder to start over"
    )]
    TablesGone,
    /// The path is not valid UTF-8, which the engine needs.
    #[error("the state folder's path is not valid UTF-8")]
    PathNotText,
    /// A file could not be read or written.
    #[error("the state folder cannot be used: {0}")]
    Io(#[from] io::Error),
    /// The engine did not start.
    #[error("the embedded engine did not start: {0}")]
    Engine(String),
    /// The tables could not be created.
    #[error(transparent)]
    Tables(#[from] TablesError),
}

/// The embedded stores, open. Dropping it stops the engine.
pub struct Embedded {
    database: Database,
    dynamodb: aws_sdk_dynamodb::Client,
    tables: TableNames,
    address: SocketAddr,
    endpoint: String,
    objects_folder: PathBuf,
    engine: Mutex<Option<Engine>>,
    /// Removes the object folder of an in-memory instance.
    _temporary: Option<TemporaryFolder>,
}

#[derive(Debug)]
struct Engine {
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Engine {
    fn serve(listener: TcpListener, database: Database) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move {
            // A sender that is dropped asks for the same.
            let _ = stopped.await;
        };
        let serving = tokio::spawn(async move {
            if let Err(error) = dynoxide::server::serve_with_shutdown(listener, database, shutdown).await {
                tracing::error!(error, "the embedded engine ended");
            }
        });
        Self { stop, serving }
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Embedded {
    /// Opens (or creates) a state folder, starts the engine on a free port of 127.0.0.1 and creates the tables.
    ///
    /// Must run inside a Tokio runtime, which the engine is served on.
    pub async fn open(folder: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(folder, ClientTimeouts::default()).await
    }

    /// As [`Embedded::open`], with the client's waits and attempts as given.
    pub async fn open_with(folder: impl AsRef<Path>, timeouts: ClientTimeouts) -> Result<Self, OpenError> {
        let folder = folder.as_ref().to_owned();
        let prepared = tokio::task::spawn_blocking(move || prepare(&folder)).await;
        let (database, lock, objects_folder) =
            prepared.map_err(|error| OpenError::Engine(error.to_string()))??;
        let embedded = Self::start(database, objects_folder, None, timeouts).await?;
        // Held until the tables exist, so that of two processes one creates and the other finds.
        drop(lock);
        Ok(embedded)
    }

    /// An instance that leaves nothing behind, for tests: tables in memory, objects in a temporary folder.
    pub async fn memory() -> Result<Self, OpenError> {
        Self::memory_with(ClientTimeouts::default()).await
    }

    /// As [`Embedded::memory`], with the client's waits and attempts as given.
    pub async fn memory_with(timeouts: ClientTimeouts) -> Result<Self, OpenError> {
        let temporary = TemporaryFolder::create()?;
        let objects_folder = temporary.0.join(OBJECTS_FOLDER);
        fs::create_dir(&objects_folder)?;
        let database = Database::memory().map_err(engine_error)?;
        Self::start(database, objects_folder, Some(temporary), timeouts).await
    }

    async fn start(
        database: Database,
        objects_folder: PathBuf,
        temporary: Option<TemporaryFolder>,
        timeouts: ClientTimeouts,
    ) -> Result<Self, OpenError> {
        // Only loopback, and a port the system chooses: two instances never meet, and nobody else can connect.
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let endpoint = format!("http://{address}");
        let engine = Engine::serve(listener, database.clone());
        let tables = TableNames::with_prefix(TABLE_PREFIX);
        let dynamodb = local_dynamodb(&endpoint, timeouts);
        let embedded = Self {
            database,
            dynamodb,
            tables,
            address,
            endpoint,
            objects_folder,
            engine: Mutex::new(Some(engine)),
            _temporary: temporary,
        };
        create_missing(&embedded.dynamodb, &embedded.tables).await?;
        Ok(embedded)
    }

    /// A client of the engine; clones share its connections.
    pub fn dynamodb(&self) -> &aws_sdk_dynamodb::Client {
        &self.dynamodb
    }

    /// Names of the tables.
    pub fn tables(&self) -> &TableNames {
        &self.tables
    }

    /// Where the engine listens, for a client with settings of its own.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Where the objects lie.
    pub fn objects_folder(&self) -> &Path {
        &self.objects_folder
    }

    /// The object store, on the real clock.
    pub fn objects(&self) -> FolderObjects {
        FolderObjects::new(&self.objects_folder)
    }

    /// An empty queue whose dead letters lie in the state folder, where later runs find them.
    ///
    /// # Errors
    /// When the folder for them cannot be created.
    pub fn queue(&self, settings: QueueSettings) -> Result<MemoryQueue, OpenError> {
        let folder = self.objects_folder.with_file_name(DEAD_LETTERS_FOLDER);
        Ok(MemoryQueue::keeping_dead_letters(settings, Arc::new(SystemClock), folder)?)
    }

    /// Removes the items whose time to live is over, which the engine does only when asked. Answers how many.
    ///
    /// # Errors
    /// When the engine's file cannot be written.
    pub async fn sweep_expired(&self) -> Result<usize, OpenError> {
        let database = self.database.clone();
        let swept = tokio::task::spawn_blocking(move || database.sweep_ttl()).await;
        swept.map_err(|error| OpenError::Engine(error.to_string()))?.map_err(engine_error)
    }

    fn engine(&self) -> MutexGuard<'_, Option<Engine>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a stopped engine again, at the same address and with the same data, also that in memory. Harmless
    /// when it runs.
    ///
    /// # Errors
    /// When another program has taken the port meanwhile.
    pub async fn restart(&self) -> Result<(), OpenError> {
        if self.engine().is_some() {
            return Ok(());
        }
        let listener = TcpListener::bind(self.address).await?;
        *self.engine() = Some(Engine::serve(listener, self.database.clone()));
        Ok(())
    }

    /// Stops the engine: requests that run are answered, later ones find nobody. Stopping twice is harmless.
    pub async fn stop(&self) {
        let engine = self.engine().take();
        if let Some(Engine { stop, serving }) = engine {
            // An engine that ended by itself has nobody to tell.
            let _ = stop.send(());
            // Its end is waited for, not for ever: a client may hold a half-sent request open.
            let _ = tokio::time::timeout(Duration::from_millis(STOP_MAX_MS), serving).await;
        }
    }
}

fn engine_error(error: dynoxide::DynoxideError) -> OpenError {
    OpenError::Engine(error.to_string())
}

/// Checks or writes the folder's format and opens the database, under the folder's lock.
fn prepare(folder: &Path) -> Result<(Database, File, PathBuf), OpenError> {
    fs::create_dir_all(folder)?;
    // Looked at before anything is written, so that a folder of somebody else stays as it is.
    match read_format(folder)? {
        Some(format) => accept_format(format)?,
        None => refuse_foreign(folder)?,
    }
    let lock = lock_file(&folder.join(LOCK_FILE))?;
    match read_format(folder)? {
        Some(format) => accept_format(format)?,
        None => write_atomically(
            &folder.join(FORMAT_FILE),
            format!("{FORMAT_NAME}\n{FORMAT_VERSION}\n").as_bytes(),
        )?,
    }
    let objects_folder = folder.join(OBJECTS_FOLDER);
    fs::create_dir_all(&objects_folder)?;
    let path = folder.join(DATABASE_FILE);
    if !path.exists() && fs::read_dir(&objects_folder)?.next().is_some() {
        return Err(OpenError::TablesGone);
    }
    let path = path.to_str().ok_or(OpenError::PathNotText)?;
    let database = Database::new(path).map_err(engine_error)?;
    // Chooses `synchronous = NORMAL`: with the write-ahead log a killed process loses nothing that was
    // acknowledged, and updates are forty times as fast as with a flush each.
    database.disable_bulk_loading().map_err(engine_error)?;
    Ok((database, lock, objects_folder))
}

fn accept_format(found: u32) -> Result<(), OpenError> {
    match found {
        FORMAT_VERSION => Ok(()),
        newer if newer > FORMAT_VERSION => Err(OpenError::NewerFormat { found: newer }),
        _ => Err(OpenError::UnreadableFormat),
    }
}

/// Refuses a folder without a format file that holds something else.
fn refuse_foreign(folder: &Path) -> Result<(), OpenError> {
    for entry in fs::read_dir(folder)? {
        // Another process may be creating this same state just now: its lock file, and the format file it has
        // not yet moved into place, are no strangers.
        let name = entry?.file_name();
        let own =
            name == LOCK_FILE || name == FORMAT_FILE || name.to_string_lossy().starts_with(TEMPORARY_PREFIX);
        if !own && !folder.join(FORMAT_FILE).exists() {
            return Err(OpenError::ForeignFolder);
        }
    }
    Ok(())
}

/// The folder's format, `None` when it is new.
fn read_format(folder: &Path) -> Result<Option<u32>, OpenError> {
    let file = match File::open(folder.join(FORMAT_FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut text = String::new();
    match file.take(FORMAT_FILE_MAX_BYTES).read_to_string(&mut text) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(OpenError::ForeignFolder),
        Err(error) => return Err(error.into()),
    }
    let mut lines = text.lines();
    if lines.next() != Some(FORMAT_NAME) {
        return Err(OpenError::ForeignFolder);
    }
    // Later lines are for later versions: only the number decides who may read the folder.
    let version = lines.next().and_then(|line| line.trim().parse().ok());
    version.map(Some).ok_or(OpenError::UnreadableFormat)
}

/// Takes the lock that a file stands for; it is released when the answer is dropped, or when the process ends in
/// whatever way. It also excludes other threads of this process.
///
/// # Errors
/// `TimedOut` when another holds it for longer than [`LOCK_WAIT_MAX_MS`].
fn lock_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    for _ in 0..LOCK_WAIT_MAX_MS / LOCK_PAUSE_MS {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(LOCK_PAUSE_MS)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "another process holds the lock"))
}

/// Prefix of files that are being written and not yet in place.
const TEMPORARY_PREFIX: &str = ".writing-";

/// Writes a file whole or not at all: a reader, or a crash, sees the old bytes or the new ones.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("a file without a folder"))?;
    let temporary = folder.join(format!("{TEMPORARY_PREFIX}{}", fresh_name()));
    let written = (|| {
        let mut file = OpenOptions::new().create_new(true).write(true).open(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The name was not reached; what was begun is of no use to anybody.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    sync_folder(folder)
}

/// Makes a rename durable. Where a folder cannot be opened as a file there is nothing to flush.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn fresh_name() -> String {
    SystemClock.fresh_id()
}

/// A folder that is removed when dropped.
#[derive(Debug)]
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn create() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("lease-ingest-{}", fresh_name()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Nothing can be done about files that do not go away; they lie where temporary files lie.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A clock that stands still until it is moved.
#[cfg(test)]
pub(crate) mod hand_clock {
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::identity::EpochMs;
    use crate::ports::clock::Clock;

    #[derive(Debug)]
    pub(crate) struct HandClock {
        now_ms: AtomicU64,
        ids: AtomicU64,
    }

    impl HandClock {
        pub(crate) fn at(now_ms: u64) -> Self {
            Self { now_ms: AtomicU64::new(now_ms), ids: AtomicU64::new(0) }
        }

        pub(crate) fn set(&self, now_ms: u64) {
            self.now_ms.store(now_ms, Ordering::SeqCst);
        }

        pub(crate) fn pass_s(&self, seconds: u64) {
            self.now_ms.fetch_add(seconds * 1000, Ordering::SeqCst);
        }
    }

    impl Clock for HandClock {
        fn now(&self) -> EpochMs {
            EpochMs(self.now_ms.load(Ordering::SeqCst))
        }

        async fn sleep_ms(&self, duration_ms: u64) {
            self.now_ms.fetch_add(duration_ms, Ordering::SeqCst);
        }

        fn fresh_id(&self) -> String {
            format!("id-{}", self.ids.fetch_add(1, Ordering::SeqCst))
        }

        fn random_up_to(&self, _most: u64) -> u64 {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue;

    use super::*;

    fn text(value: &str) -> AttributeValue {
        AttributeValue::S(value.to_owned())
    }

    async fn put_claim(embedded: &Embedded, key: &str) -> Result<(), String> {
        let put = embedded
            .dynamodb()
            .put_item()
            .table_name(&embedded.tables().claims)
            .item("claim_key", text(key))
            .item("generation", AttributeValue::N("1".to_owned()))
            .condition_expression("attribute_not_exists(claim_key)");
        put.send().await.map(drop).map_err(|error| crate::aws::error_code(&error))
    }

    fn one_attempt() -> ClientTimeouts {
        ClientTimeouts { max_attempts: 1, ..ClientTimeouts::default() }
    }

    #[tokio::test]
    async fn the_tables_have_their_keys_and_creating_them_again_changes_nothing() {
        let embedded = Embedded::memory().await.unwrap();
        create_missing(embedded.dynamodb(), embedded.tables()).await.unwrap();
        let table = [
            ("claims", "claim_key HASH, generation RANGE", "open_items: open_kind HASH, opened_at RANGE"),
            ("commits", "content_hash HASH, generation RANGE", ""),
            ("documents", "document_key HASH", "by_property: filed_under HASH, filing_order RANGE"),
            ("effects", "effect_id HASH", "unsent: unsent_kind HASH, recorded_at RANGE"),
        ];
        let keys = |keys: &[aws_sdk_dynamodb::types::KeySchemaElement]| {
            let named: Vec<_> =
                keys.iter().map(|key| format!("{} {}", key.attribute_name(), key.key_type())).collect();
            named.join(", ")
        };
        for (role, expected_keys, expected_index) in table {
            let name = format!("{TABLE_PREFIX}{role}");
            let answer = embedded.dynamodb().describe_table().table_name(&name).send().await.unwrap();
            let found = answer.table.unwrap();
            assert_eq!(keys(found.key_schema()), expected_keys, "{role}");
            let indexes: Vec<_> = found
                .global_secondary_indexes()
                .iter()
                .map(|index| format!("{}: {}", index.index_name().unwrap(), keys(index.key_schema())))
                .collect();
            assert_eq!(indexes.join("; "), expected_index, "{role}");
        }
    }

    #[tokio::test]
    async fn a_table_with_other_keys_is_named() {
        let embedded = Embedded::memory().await.unwrap();
        // The commits have a sort key, the documents have none.
        let names = TableNames { documents: embedded.tables().commits.clone(), ..embedded.tables().clone() };
        let refused = create_missing(embedded.dynamodb(), &names).await;
        assert_eq!(refused, Err(TablesError::KeysDiffer { role: "documents" }));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn two_openings_at_once_share_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let (first, second) = tokio::join!(Embedded::open(&path), Embedded::open(&path));
        let (first, second) = (first.unwrap(), second.unwrap());
        assert_ne!(first.endpoint(), second.endpoint());
        let both = tokio::join!(put_claim(&first, "one"), put_claim(&second, "one"));
        let refused = Err("ConditionalCheckFailedException".to_owned());
        assert!(both == (Ok(()), refused.clone()) || both == (refused, Ok(())), "{both:?}");
        // What was written survives both engines.
        first.stop().await;
        second.stop().await;
        let again = Embedded::open(&path).await.unwrap();
        assert_eq!(put_claim(&again, "one").await, Err("ConditionalCheckFailedException".to_owned()));
    }

    #[tokio::test]
    async fn a_stopped_engine_answers_nobody_and_stopping_again_is_harmless() {
        let embedded = Embedded::memory_with(one_attempt()).await.unwrap();
        assert_eq!(put_claim(&embedded, "one").await, Ok(()));
        embedded.stop().await;
        assert_eq!(put_claim(&embedded, "two").await, Err("connection_failed".to_owned()));
        embedded.stop().await;

        // The same client finds the same data afterwards.
        embedded.restart().await.unwrap();
        embedded.restart().await.unwrap();
        assert_eq!(put_claim(&embedded, "one").await, Err("ConditionalCheckFailedException".to_owned()));
        assert_eq!(put_claim(&embedded, "two").await, Ok(()));
    }

    #[tokio::test]
    async fn only_claims_expire_and_only_when_their_time_is_over() {
        let embedded = Embedded::memory().await.unwrap();
        let far = "9999999999";
        for (table, key, expires_at) in [
            (&embedded.tables().claims, "claim_key", "1"),
            (&embedded.tables().claims, "claim_key", far),
            (&embedded.tables().commits, "content_hash", "1"),
        ] {
            let put = embedded
                .dynamodb()
                .put_item()
                .table_name(table)
                .item(key, text(&format!("until {expires_at}")))
                .item("generation", AttributeValue::N("1".to_owned()))
                .item("expires_at", AttributeValue::N(expires_at.to_owned()));
            put.send().await.unwrap();
        }
        assert_eq!(embedded.sweep_expired().await.unwrap(), 1);
        assert_eq!(put_claim(&embedded, "until 1").await, Ok(()));
        assert!(put_claim(&embedded, &format!("until {far}")).await.is_err());
    }

    #[tokio::test]
    async fn dead_letters_are_found_by_a_later_run() {
        let folder = tempfile::tempdir().unwrap();
        let settings = QueueSettings { max_receive_count: 0, ..QueueSettings::default() };
        let first = Embedded::open(folder.path()).await.unwrap();
        let queue = first.queue(settings).unwrap();
        queue.send("poison");
        assert!(queue.receive(1).unwrap().is_empty());
        drop((first, queue));
        let second = Embedded::open(folder.path()).await.unwrap();
        let dead = second.queue(settings).unwrap().dead_letters().unwrap();
        assert_eq!(dead.len(), 1);
        assert_eq!(dead[0].body, "poison");
    }

    #[tokio::test]
    async fn an_instance_in_memory_leaves_nothing_behind() {
        let embedded = Embedded::memory().await.unwrap();
        let objects_folder = embedded.objects_folder().to_owned();
        assert!(objects_folder.is_dir());
        drop(embedded);
        assert!(!objects_folder.exists());
    }

    #[test]
    fn a_folder_of_another_kind_is_refused_and_left_as_it_was() {
        type Check = fn(&OpenError) -> bool;
        let table: [(&str, &str, &[u8], Check); 6] = [
            ("a stranger's file", "thesis.txt", b"text", |error| matches!(error, OpenError::ForeignFolder)),
            ("a stranger's format file", FORMAT_FILE, b"LSM 7", |error| {
                matches!(error, OpenError::ForeignFolder)
            }),
            ("no text", FORMAT_FILE, b"\xff\xfe", |error| matches!(error, OpenError::ForeignFolder)),
            ("a newer version", FORMAT_FILE, b"lease-ingest state\n2\nmore\n", |error| {
                matches!(error, OpenError::NewerFormat { found: 2 })
            }),
            ("no version", FORMAT_FILE, b"lease-ingest state\n", |error| {
                matches!(error, OpenError::UnreadableFormat)
            }),
            ("version zero", FORMAT_FILE, b"lease-ingest state\n0\n", |error| {
                matches!(error, OpenError::UnreadableFormat)
            }),
        ];
        for (name, file, bytes, expected) in table {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(file), bytes).unwrap();
            let error = prepare(folder.path()).err().unwrap();
            assert!(expected(&error), "{name}: {error:?}");
            assert!(!error.to_string().contains(&folder.path().display().to_string()), "{name}");
            assert_eq!(fs::read(folder.path().join(file)).unwrap(), bytes, "{name}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
        }
    }

    #[test]
    fn a_folder_that_is_being_opened_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let held = lock_file(&path.join(LOCK_FILE)).unwrap();
        let opening = thread::spawn(move || prepare(&path).map(drop));
        thread::sleep(Duration::from_millis(50));
        assert!(!opening.is_finished());
        assert!(!folder.path().join(FORMAT_FILE).exists());
        drop(held);
        opening.join().unwrap().unwrap();
        assert!(folder.path().join(FORMAT_FILE).exists());
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_lying_about() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // A folder stands in the way of the rename.
        fs::create_dir(folder.path().join("taken")).unwrap();
        fs::write(folder.path().join("taken").join("inner"), b"x").unwrap();
        assert!(write_atomically(&folder.path().join("taken"), b"three").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
