//! What reading costs, by format: pages a second, processor time a page, and what the child process adds.
//!
//! ```text
//! cargo bench --bench reading                  # the samples
//! cargo bench --bench reading -- FILE...       # documents of your own
//! ```
//!
//! Every figure of a run is measured side by side with the others, and only ratios between them travel to other
//! machines. A page is a page where the format has them, and else 3,000 characters of text.

#![allow(clippy::disallowed_methods, reason = "a measurement is taken by the real clock")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hayro_interpret::hayro_syntax::Pdf;
use lease_ingest::extract::pictures::{PictureCaps, PictureKind, WantedPages, pages_of};
use lease_ingest::extract::reader::{LeaseReader, LeaseWork};
use lease_ingest::extract::sniff::{Format, format_of};
use lease_ingest::extract::{LeaseExtractor, docx, html, plain};
use lease_ingest::isolation::{Limits, serve_if_asked};
use lease_ingest::ocr::tesseract::Tesseract;
use lease_ingest::ports::extractor::{ExtractRequest, Extractor};

/// How long each document is read over and over, in milliseconds.
const MEASURED_MS: u128 = 400;
/// Characters of text that count as a page where there are none.
const PAGE_CHARS: usize = 3_000;

/// Sums over the documents of a format.
#[derive(Default)]
struct Line {
    documents: usize,
    pages: usize,
    here: Cost,
    child: Cost,
}

/// Time by the clock and processor time of one reading.
#[derive(Default, Clone, Copy)]
struct Cost {
    wall: Duration,
    processor: Duration,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.processor += other.processor;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if serve_if_asked::<LeaseWork>() {
        return Ok(());
    }
    // Cargo adds an argument of its own.
    let named: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| arg != "--bench").map(PathBuf::from).collect();
    let mut paths = Vec::new();
    if named.is_empty() {
        files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"), &mut paths)?;
    } else {
        for path in &named {
            files_below(path, &mut paths)?;
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reader = runtime
        .block_on(async { LeaseReader::of_this_program(Limits::default(), Tesseract::find().await) })?;
    let mut lines: BTreeMap<&'static str, Line> = BTreeMap::new();
    for path in &paths {
        let bytes = fs::read(path)?;
        let Some((format, pages)) = pages_in(&bytes) else { continue };
        let line = lines.entry(format).or_default();
        line.documents += 1;
        line.pages += pages;
        line.here += measured(|| {
            std::hint::black_box(LeaseExtractor::default().read(&bytes, Some("P-1")));
        })?;
        line.child += measured(|| {
            let request = ExtractRequest::of_bytes(bytes.clone().into(), Some("P-1".to_owned()));
            std::hint::black_box(runtime.block_on(reader.extract(request)));
        })?;
    }
    println!(
        "{:<10} {:>9} {:>6} {:>12} {:>13} {:>14} {:>12} {:>12} {:>12}",
        "format",
        "documents",
        "pages",
        "ms/document",
        "pages/second",
        "processor ms/p",
        "in a child",
        "child adds",
        "processor"
    );
    for (format, line) in &lines {
        let documents = line.documents as f64;
        let (here, child) = (millis(line.here.wall) / documents, millis(line.child.wall) / documents);
        // Pictures are only read with their recogniser, which no reading in this process has.
        let whole = if *format == "scan" { line.child } else { line.here };
        println!(
            "{format:<10} {:>9} {:>6} {:>12.2} {:>13.0} {:>14.3} {:>9.2} ms {:>9.2} ms {:>9.2} ms",
            line.documents,
            line.pages,
            millis(whole.wall) / documents,
            line.pages as f64 / whole.wall.as_secs_f64(),
            millis(whole.processor) / line.pages as f64,
            child,
            child - here,
            millis(line.child.processor) / documents,
        );
    }
    Ok(())
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The cost of one run, as the mean of as many as fit into the time. The first two are left out: they warm caches, and
/// start and prepare a worker.
fn measured(mut run: impl FnMut()) -> std::io::Result<Cost> {
    run();
    run();
    let (begun, used) = (Instant::now(), processor_time()?);
    let mut runs = 0;
    while runs == 0 || begun.elapsed().as_millis() < MEASURED_MS {
        run();
        runs += 1;
    }
    Ok(Cost { wall: begun.elapsed() / runs, processor: (processor_time()? - used) / runs })
}

/// Processor time of this process, of the workers it has, and of the children of either that have ended. Source:
/// `proc_pid_stat(5)`; its unit is a hundredth of a second wherever Linux runs today.
fn processor_time() -> std::io::Result<Duration> {
    const TICK_MS: u64 = 10;
    let own = std::process::id().to_string();
    let mut ticks = 0;
    for process in fs::read_dir("/proc")? {
        // Whatever has ended by now is none of ours.
        let Ok(stat) = fs::read_to_string(process?.path().join("stat")) else { continue };
        let (number, behind_the_number) = stat.split_once(' ').unwrap_or_default();
        let behind_the_name = behind_the_number.rsplit(')').next().unwrap_or("");
        let fields: Vec<&str> = behind_the_name.split_whitespace().collect();
        if number == own || fields.get(1) == Some(&own.as_str()) {
            let times = fields.get(11..15).unwrap_or_default();
            ticks += times.iter().filter_map(|raw| raw.parse::<u64>().ok()).sum::<u64>();
        }
    }
    Ok(Duration::from_millis(ticks * TICK_MS))
}

/// The format's name and how many pages there are; nothing for what is no document.
fn pages_in(bytes: &[u8]) -> Option<(&'static str, usize)> {
    let by_length = |characters: usize| characters.div_ceil(PAGE_CHARS).max(1);
    Some(match format_of(bytes) {
        Format::Json => ("JSON", by_length(bytes.len())),
        Format::Text => ("text", by_length(plain::read(bytes).flow().len())),
        Format::Html => ("HTML", by_length(html::read(bytes).flow().len())),
        Format::Docx => ("DOCX", by_length(docx::read(bytes).ok()?.flow().len())),
        Format::Pdf => {
            let pages = Pdf::new(bytes.to_vec()).ok()?.pages().len();
            let with_text = LeaseExtractor::default().look(bytes, None);
            let is_scan = matches!(with_text, lease_ingest::extract::FirstLook::NeedsRecognition { .. });
            (if is_scan { "scan" } else { "PDF" }, pages)
        }
        Format::Picture(kind) => ("scan", pictures_in(bytes, kind)?),
        Format::Unread(_) | Format::Unknown => return None,
    })
}

fn pictures_in(bytes: &[u8], kind: PictureKind) -> Option<usize> {
    pages_of(bytes, kind, &WantedPages::All, &PictureCaps::default()).ok().map(|pages| pages.len())
}

fn files_below(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        files_below(&entry?.path(), files)?;
    }
    Ok(())
}
