//! `leasectl`: what people do with lease-ingest. It works on a local state folder, with no account and no network.

mod eval;
mod ingest;
mod invoke;
mod show;

use std::path::{Path, PathBuf};
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

/// State folder where none is named.
const DEFAULT_STATE: &str = ".lease-ingest";

/// Where the local state lies.
#[derive(Debug, Args)]
struct StateArgs {
    /// State folder; everything is kept in it.
    #[arg(long, default_value = DEFAULT_STATE, value_name = "FOLDER")]
    state: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl StateArgs {
    /// A call of `show` on this state folder as a person types it, of one document or of all.
    fn show_command(&self, key: Option<&str>) -> String {
        let program = std::env::args_os().next().map_or_else(|| "leasectl".into(), PathBuf::from);
        // Cargo sets a variable for what it runs.
        let is_run_by_cargo = std::env::var_os("CARGO").is_some();
        show_command(if is_run_by_cargo { None } else { Some(&program) }, &self.state, key)
    }
}

/// A call of `show`, by the name of the program or, without one, through cargo.
fn show_command(program: Option<&Path>, state: &Path, key: Option<&str>) -> String {
    let mut words =
        vec![program.map_or_else(|| "cargo run --".to_owned(), |program| quoted(&program.to_string_lossy()))];
    words.push("show".to_owned());
    if state != Path::new(DEFAULT_STATE) {
        words.extend(["--state".to_owned(), quoted(&state.to_string_lossy())]);
    }
    if let Some(key) = key {
        // What begins like an option is none behind two dashes.
        words.extend(key.starts_with('-').then(|| "--".to_owned()));
        words.push(quoted(key));
    }
    words.join(" ")
}

/// A word as a shell takes it: in quotes where it holds more than letters, figures and harmless signs. What does not print is
/// written as its escape, so that it reaches no terminal.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/+@%:,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if word.chars().any(char::is_control) {
        let escaped: String = word
            .chars()
            .map(|c| match c {
                '\'' | '\\' => format!("\\{c}"),
                _ if c.is_control() => format!("\\u{:04x}", u32::from(c)),
                _ => c.to_string(),
            })
            .collect();
        return format!("$'{escaped}'");
    }
    format!("'{}'", word.replace('\'', r"'\''"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_show_can_be_typed_as_it_is_printed() {
        // Program, state folder and key, and the call.
        let table = [
            (None, ".lease-ingest", Some("a.txt"), "cargo run -- show a.txt"),
            (None, "st", Some("a.txt"), "cargo run -- show --state st a.txt"),
            (Some("leasectl"), ".lease-ingest", None, "leasectl show"),
            (Some("target/debug/leasectl"), "st", None, "target/debug/leasectl show --state st"),
            (
                Some("leasectl"),
                "my state",
                Some("suite 2.pdf"),
                "leasectl show --state 'my state' 'suite 2.pdf'",
            ),
            (Some("leasectl"), "st", Some("-x.txt"), "leasectl show --state st -- -x.txt"),
            (Some("leasectl"), ".lease-ingest", Some("Lea's.txt"), r"leasectl show 'Lea'\''s.txt'"),
            (
                Some("leasectl"),
                ".lease-ingest",
                Some("a'\u{1b}[2J.txt"),
                r"leasectl show $'a\'\u001b[2J.txt'",
            ),
            (Some("leasectl"), ".lease-ingest", Some("$(x).txt"), "leasectl show '$(x).txt'"),
        ];
        for (program, state, key, expected) in table {
            assert_eq!(show_command(program.map(Path::new), Path::new(state), key), expected);
        }
    }
}
