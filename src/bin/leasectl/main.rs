//! `leasectl`: what people do with lease-ingest. It works on a local state folder, with no account and no network.

mod eval;
mod ingest;
mod invoke;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use lease_ingest::config::{IngestSettings, environment};
use lease_ingest::embedded::queue::QueueSettings;
use lease_ingest::embedded::world::{LOCAL_BUCKET, LocalWorld};
use lease_ingest::extract::reader::LeaseWork;
use lease_ingest::isolation::serve_if_asked;

/// How long an invocation may take locally, in milliseconds: a long scan takes two seconds a page. Claims of a run that
/// was killed are free again after it.
const FUNCTION_TIMEOUT_MS: u64 = 120_000;
/// Time that must be left for a record to be begun locally, in milliseconds. Nobody waits for a slow one but its person.
const START_MARGIN_MS: u64 = 5_000;
/// How long a received message is hidden locally, in seconds: as long as an invocation may take.
const VISIBILITY_TIMEOUT_S: u32 = 120;
/// The longest a message stays hidden locally by request, in seconds.
const HIDE_MAX_S: u32 = 2;
/// How often a message is received locally before the queue itself gives up on it. High, since a short-lived
/// queue asks often.
const MAX_RECEIVE_COUNT: u32 = 1000;

/// Ingests lease documents exactly once, locally.
#[derive(Debug, Parser)]
#[command(name = "leasectl", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Puts files in as versioned objects, makes their S3 notifications and runs the handler over them.
    ///
    /// A folder is read with all folders below it; keys are the paths below it. A folder whose name ends in
    /// `.versions` stands for one object: its files are that object's versions, in the order of their names.
    Ingest(ingest::IngestArgs),
    /// Runs the handler on one Lambda event and prints its batch response.
    Invoke(invoke::InvokeArgs),
    /// Shows the tables, or one document with its claims and its commit.
    Show(show::ShowArgs),
    /// Measures the extractor on documents whose values you know, and prints each miss with its passage.
    Eval(eval::EvalArgs),
}

/// Where the local state lies.
#[derive(Debug, Args)]
struct StateArgs {
    /// State folder; everything is kept in it.
    #[arg(long, default_value = ".lease-ingest", value_name = "FOLDER")]
    state: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What a command ends with.
enum Done {
    /// All is well.
    Well,
    /// Something needs a person: exit code 1.
    NeedsAttention,
}

/// A mistake that a person can mend, told in one line.
type Mistake = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    // A child that reads a document needs no runtime, and must not wait for one.
    if serve_if_asked::<LeaseWork>() {
        return ExitCode::SUCCESS;
    }
    serve_person()
}

#[tokio::main]
async fn serve_person() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, anything else is a mistake.
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let done = match cli.command {
        Command::Ingest(args) => ingest::run(args).await,
        Command::Invoke(args) => invoke::run(args).await,
        Command::Show(args) => show::run(args).await,
        Command::Eval(args) => eval::run(args).await,
    };
    match done {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::NeedsAttention) => ExitCode::from(1),
        Err(mistake) => {
            eprintln!("leasectl: {mistake}");
            ExitCode::from(2)
        }
    }
}

/// Prints a line. A reader that has seen enough (`| head`) closes the pipe, which is no mistake of anybody's.
fn say(line: impl std::fmt::Display) -> Result<(), Mistake> {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

async fn open(state: &StateArgs) -> Result<LocalWorld, Mistake> {
    let settings = IngestSettings::read(environment(), &[LOCAL_BUCKET])?;
    // A claim that a killed run left behind is free again soon: nobody's clock differs here.
    let settings = IngestSettings {
        lease_margin_ms: 0,
        start_margin_ms: START_MARGIN_MS,
        backoff_base_ms: 200,
        max_receive_count: MAX_RECEIVE_COUNT,
        ..settings
    };
    let queue = QueueSettings {
        max_receive_count: MAX_RECEIVE_COUNT,
        hide_max_s: HIDE_MAX_S,
        // What was not begun in one invocation is there for the next.
        visibility_timeout_s: VISIBILITY_TIMEOUT_S,
        ..QueueSettings::default()
    };
    LocalWorld::open(&state.state, settings, queue)
        .await
        .map_err(|error| format!("{}: {error}", state.state.display()).into())
}
