//! The port of recognisers on the tesseract program, where it is installed.
//!
//! Source of the command line and of the table it answers with: the manual page `tesseract(1)`, 5.3.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use super::{nothing_asked, permille_of};
use crate::extract::pictures::doubled;
use crate::ports::ocr::{
    Ocr, OcrAnswer, OcrRequest, PageImage, RecognisedLine, RecognisedPage, RecognisedWord,
};
use crate::posting::Reason;

/// The program's name.
const PROGRAM: &str = "tesseract";
/// The language of the data that is read with. Leases in others give words all the same, but poorer ones.
const LANGUAGE: &str = "eng";
/// The data that tell which way a page lies.
const ORIENTATION: &str = "osd";
/// How the program is told to find out first which way a page lies.
const FIND_ORIENTATION: &[&str] = &["--psm", "1"];
/// Mean confidence below which a page may lie on its side or head, in thousandths: read the wrong way, a page reached
/// 240, and a very poor one the right way 650.
const LYING_BELOW_PERMILLE: u64 = 500;
/// Resolution below which a picture is doubled, in dots per inch. The program is made for 300, and reads 4 words in 5
/// at 100 but nearly all of them in the same picture doubled.
const DOUBLED_BELOW_DOTS_PER_INCH: u32 = 180;
/// What the program needs of the environment: where its data and its libraries lie, if not in the usual places.
const KEPT_VARIABLES: &[&str] = &["TESSDATA_PREFIX", "LD_LIBRARY_PATH"];
/// How long the program may take to say its version and languages, in milliseconds.
const INTRODUCTION_MAX_MS: u64 = 10_000;
/// Largest introduction that is read, in bytes.
const INTRODUCTION_MAX_BYTES: u64 = 64 * 1024;
/// The word that begins a row of the table which stands for a word.
const WORD_LEVEL: &str = "5";

/// What recognising may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TesseractLimits {
    /// Time by the clock for one reading of a page, in milliseconds; a page that lies is read twice.
    pub page_max_ms: u64,
    /// Most table of one page, in bytes.
    pub page_answer_max_bytes: u64,
    /// Address space of one child, in bytes; held where the kernel can.
    pub memory_max_bytes: u64,
    /// Pages that are worked on at once; at least 1. Each takes one processor.
    pub pages_at_once_max_count: usize,
}

impl Default for TesseractLimits {
    fn default() -> Self {
        Self {
            page_max_ms: 60_000,
            page_answer_max_bytes: 8 * 1024 * 1024,
            memory_max_bytes: 1024 * 1024 * 1024,
            pages_at_once_max_count: 2,
        }
    }
}

/// Recognises with a child process for each page. The pictures are ones that this project encoded, so that the
/// program's own decoders see nothing hostile; its environment is empty but for what it needs.
#[derive(Debug, Clone)]
pub struct Tesseract {
    installed: Option<Installed>,
    limits: TesseractLimits,
}

#[derive(Debug, Clone)]
struct Installed {
    program: PathBuf,
    version: String,
    has_language: bool,
    has_orientation: bool,
}

impl Tesseract {
    /// Looks the program up on the search path, once. Where it is not there, every request is answered with that
    /// as the reason, and nothing fails.
    pub async fn find() -> Self {
        let limits = TesseractLimits::default();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program =
            std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|program| program.is_file());
        match program {
            Some(program) => Self::at(&program, limits).await,
            None => Self { installed: None, limits },
        }
    }

    /// The program at a place. One that does not say its version is as good as none.
    pub async fn at(program: &Path, limits: TesseractLimits) -> Self {
        let introduction = introduction(program, "--version").await;
        let version = introduction.as_deref().and_then(version_of);
        let installed = match version {
            Some(version) => {
                let languages = introduction_of_languages(program).await;
                let has = |name: &str| languages.lines().any(|line| line.trim() == name);
                let (has_language, has_orientation) = (has(LANGUAGE), has(ORIENTATION));
                Some(Installed { program: program.to_owned(), version, has_language, has_orientation })
            }
            None => None,
        };
        Self { installed, limits }
    }

    /// Whether it can recognise anything.
    pub fn is_ready(&self) -> bool {
        self.installed.as_ref().is_some_and(|installed| installed.has_language)
    }

    /// Reads a page, a second time where the first gave words that are hardly any, and keeps the surer reading.
    async fn recognise_page(
        &self,
        installed: &Installed,
        page: &PageImage,
    ) -> Result<RecognisedPage, Reason> {
        let larger = made_larger(page).await;
        let is_larger = larger.is_some();
        let page = larger.as_ref().unwrap_or(page);
        let lines = self.read(&installed.program, page, &[]).await?;
        let sure = mean_permille(&lines);
        let lines = if installed.has_orientation && sure.is_some_and(|sure| sure < LYING_BELOW_PERMILLE) {
            let turned = self.read(&installed.program, page, FIND_ORIENTATION).await?;
            if mean_permille(&turned) > sure { turned } else { lines }
        } else {
            lines
        };
        let lines = if is_larger { lines.into_iter().map(halved).collect() } else { lines };
        Ok(RecognisedPage { number: page.number, lines })
    }

    async fn read(
        &self,
        program: &Path,
        page: &PageImage,
        manner: &[&str],
    ) -> Result<Vec<RecognisedLine>, Reason> {
        let mut child = self.start(program, page.dots_per_inch, manner).map_err(|_| {
            Reason::new("ocr_not_started", "The text recogniser could not be started; it is tried again.")
        })?;
        limit_memory(&child, self.limits.memory_max_bytes);
        let limit = Duration::from_millis(self.limits.page_max_ms);
        match tokio::time::timeout(limit, self.converse(&mut child, page)).await {
            Ok(table) => Ok(lines_of(&table?)),
            Err(_elapsed) => {
                // Dropping the child kills it; waiting for its end leaves no zombie behind.
                let _ = child.kill().await;
                Err(Reason::new(
                    "ocr_out_of_time",
                    "The text recogniser took too long for a page; it is tried again.",
                ))
            }
        }
    }

    fn start(&self, program: &Path, dots_per_inch: u32, manner: &[&str]) -> std::io::Result<Child> {
        command(program)
            .args(["stdin", "stdout", "--dpi", &dots_per_inch.to_string(), "-l", LANGUAGE])
            .args(manner)
            .arg("tsv")
            .stdin(Stdio::piped())
            .spawn()
    }

    async fn converse(&self, child: &mut Child, page: &PageImage) -> Result<String, Reason> {
        let crashed =
            || Reason::new("ocr_crashed", "The text recogniser failed on a page; it is tried again.");
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(crashed());
        };
        let say = async {
            // A child that died no longer reads; its end says so, and a broken pipe says nothing new.
            let _ = input.write_all(&page.png).await;
            drop(input);
        };
        let mut table = Vec::new();
        let most = self.limits.page_answer_max_bytes;
        let mut capped = output.take(most.saturating_add(1));
        // A child that has said all, or too much, need not have read all: then nothing more is written.
        let heard = {
            let hear = capped.read_to_end(&mut table);
            tokio::pin!(hear, say);
            tokio::select! {
                heard = &mut hear => heard,
                () = &mut say => hear.await,
            }
        };
        heard.map_err(|_| crashed())?;
        if table.len() as u64 > most {
            let _ = child.kill().await;
            return Err(Reason::new(
                "ocr_answer_too_large",
                "The text recogniser found more words than a page can hold; it is tried again.",
            ));
        }
        let status = child.wait().await.map_err(|_| crashed())?;
        if status.success() { String::from_utf8(table).map_err(|_| crashed()) } else { Err(crashed()) }
    }
}

impl Ocr for Tesseract {
    fn name_and_version(&self) -> String {
        match &self.installed {
            Some(installed) => format!("{PROGRAM}/{}", installed.version),
            None => format!("{PROGRAM}/none"),
        }
    }

    async fn recognise(&self, request: OcrRequest<'_>) -> OcrAnswer {
        let Some(installed) = &self.installed else {
            return OcrAnswer::Unavailable(Reason::new(
                "ocr_not_installed",
                "The document is a scan and no text recogniser is installed: install tesseract and raise the \
                 generation, or upload a JSON abstraction.",
            ));
        };
        if !installed.has_language {
            return OcrAnswer::Unavailable(Reason::new(
                "ocr_language_missing",
                "The text recogniser lacks its data for English: install them and raise the \
                 generation, or upload a JSON abstraction.",
            ));
        }
        if request.pages.is_empty() {
            return OcrAnswer::Unavailable(nothing_asked());
        }
        let work: Vec<_> = request.pages.iter().map(|page| self.recognise_page(installed, page)).collect();
        // The first failure drops the others, which kills their children.
        let pages = stream::iter(work)
            .buffered(self.limits.pages_at_once_max_count.max(1))
            .try_collect::<Vec<_>>()
            .await;
        match pages {
            Ok(pages) => OcrAnswer::Text(pages),
            Err(reason) => OcrAnswer::Failed(reason),
        }
    }
}

/// A call of the program that inherits nothing but what it needs, and does not outlive its handle.
fn command(program: &Path) -> Command {
    let kept = KEPT_VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let kept: Vec<(&str, OsString)> = kept.collect();
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(kept)
        // Its threads wait for each other more than they work: one page, one processor.
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

/// The program's words about itself; `None` when it has none, or not in time.
async fn introduction(program: &Path, question: &str) -> Option<String> {
    let mut child = command(program).arg(question).spawn().ok()?;
    let output = child.stdout.take()?;
    let mut words = String::new();
    let mut capped = output.take(INTRODUCTION_MAX_BYTES);
    let listen = async {
        capped.read_to_string(&mut words).await.ok()?;
        child.wait().await.ok().filter(std::process::ExitStatus::success)
    };
    tokio::time::timeout(Duration::from_millis(INTRODUCTION_MAX_MS), listen).await.ok()??;
    Some(words)
}

async fn introduction_of_languages(program: &Path) -> String {
    introduction(program, "--list-langs").await.unwrap_or_default()
}

/// The version in the first line, `tesseract 5.3.0`; only what can be one.
fn version_of(introduction: &str) -> Option<String> {
    const VERSION_MAX_CHARS: usize = 32;
    let version = introduction.lines().next()?.strip_prefix(PROGRAM)?.trim();
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-');
    (!version.is_empty() && version.len() <= VERSION_MAX_CHARS && version.chars().all(plain))
        .then(|| version.to_owned())
}

/// Bounds the child's memory right after its start. Where the kernel cannot, or the child is gone already, the time
/// limit is what is left.
#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, most_bytes: u64) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(id) = id {
        let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
        let _ = prlimit(Some(id), Resource::As, to(most_bytes));
        let _ = prlimit(Some(id), Resource::Core, to(0));
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_child: &Child, _most_bytes: u64) {}

/// A coarse picture doubled, off the threads that wait for others.
async fn made_larger(page: &PageImage) -> Option<PageImage> {
    if page.dots_per_inch >= DOUBLED_BELOW_DOTS_PER_INCH {
        return None;
    }
    let page = page.clone();
    tokio::task::spawn_blocking(move || doubled(&page)).await.ok().flatten()
}

/// A line of a doubled picture, with places in pixels of the picture that was given.
fn halved(mut line: RecognisedLine) -> RecognisedLine {
    for word in &mut line.words {
        for pixels in [&mut word.left_px, &mut word.top_px, &mut word.width_px, &mut word.height_px] {
            *pixels /= 2;
        }
    }
    line
}

/// How sure the program was of all words, in thousandths; `None` without words.
fn mean_permille(lines: &[RecognisedLine]) -> Option<u64> {
    let words = lines.iter().flat_map(|line| &line.words);
    let (sum, count) =
        words.fold((0u64, 0u64), |(sum, count), word| (sum + u64::from(word.confidence_permille), count + 1));
    sum.checked_div(count)
}

/// Reads the table: a row for each word, with its block, paragraph and line, its box in pixels and how sure it is.
/// Rows that are not understood are left out.
fn lines_of(table: &str) -> Vec<RecognisedLine> {
    let mut lines: Vec<RecognisedLine> = Vec::new();
    let mut last_place: Option<[&str; 4]> = None;
    for row in table.lines() {
        let mut cells = row.splitn(12, '\t');
        if cells.next() != Some(WORD_LEVEL) {
            continue;
        }
        let cells: Vec<&str> = cells.collect();
        let [page, block, paragraph, line, _word, left, top, width, height, confidence, text] = cells[..]
        else {
            continue;
        };
        let Some(word) = word_of([left, top, width, height], confidence, text) else { continue };
        let place = [page, block, paragraph, line];
        match lines.last_mut() {
            Some(line) if last_place == Some(place) => line.words.push(word),
            _ => lines.push(RecognisedLine { words: vec![word] }),
        }
        last_place = Some(place);
    }
    lines
}

fn word_of(place: [&str; 4], confidence: &str, text: &str) -> Option<RecognisedWord> {
    let text = text.trim();
    let confidence: f32 = confidence.parse().ok()?;
    if text.is_empty() || !(0.0..=100.0).contains(&confidence) {
        return None;
    }
    let [left_px, top_px, width_px, height_px] = place.map(|pixels| pixels.parse().ok());
    Some(RecognisedWord {
        text: text.to_owned(),
        left_px: left_px?,
        top_px: top_px?,
        width_px: width_px?,
        height_px: height_px?,
        confidence_permille: permille_of(confidence),
        // It does not tell.
        is_handwritten: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_becomes_lines_of_words() {
        const HEAD: &str = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
                            1\t1\t0\t0\t0\t0\t0\t0\t1700\t2200\t-1\t\n4\t1\t1\t1\t1\t0\t94\t99\t752\t27\t-1\t\n";
        type Lines = &'static [&'static [(&'static str, u16)]];
        let rows: &[(&str, &str, Lines)] = &[
            ("nothing", "", &[]),
            ("a word", "5\t1\t1\t1\t1\t1\t94\t100\t112\t22\t92.19\tLEASE\n", &[&[("LEASE", 921)]]),
            (
                "lines",
                "5\t1\t1\t1\t1\t1\t1\t2\t3\t4\t100\ta\n5\t1\t1\t1\t1\t2\t1\t2\t3\t4\t0\tb\n\
                 5\t1\t1\t1\t2\t1\t1\t2\t3\t4\t50\tc\n5\t1\t1\t2\t2\t1\t1\t2\t3\t4\t50\td\n",
                &[&[("a", 1000), ("b", 0)], &[("c", 500)], &[("d", 500)]],
            ),
            ("carriage returns", "5\t1\t1\t1\t1\t1\t1\t2\t3\t4\t96\tx\r\n", &[&[("x", 960)]]),
            ("blank", "5\t1\t1\t1\t1\t1\t1\t2\t3\t4\t96\t \n", &[]),
            ("no confidence", "5\t1\t1\t1\t1\t1\t1\t2\t3\t4\t-1\tx\n", &[]),
            (
                "no number",
                "5\t1\t1\t1\t1\t1\t1\t-2\t3\t4\t96\tx\n5\t1\t1\t1\t1\t1\t1\t2\t3\t4\tNaN\tx\n",
                &[],
            ),
            ("cut", "5\t1\t1\t1\t1\t1\t1\t2\t3", &[]),
        ];
        for (case, table, expected) in rows {
            let lines = lines_of(&format!("{HEAD}{table}"));
            let found: Vec<Vec<(&str, u16)>> = lines
                .iter()
                .map(|line| {
                    line.words.iter().map(|word| (word.text.as_str(), word.confidence_permille)).collect()
                })
                .collect();
            assert_eq!(found, expected.iter().map(|line| line.to_vec()).collect::<Vec<_>>(), "{case}");
        }
        let lines = lines_of("5\t1\t1\t1\t1\t1\t94\t100\t112\t22\t92\tLEASE\n");
        let word = &lines[0].words[0];
        assert_eq!((word.left_px, word.top_px, word.width_px, word.height_px), (94, 100, 112, 22));
    }

    #[test]
    fn a_version_is_believed_when_it_can_be_one() {
        let rows = [
            ("tesseract 5.3.0\n leptonica-1.82.0\n", Some("5.3.0")),
            ("tesseract v5.4.1-20-g0e5b\n", Some("v5.4.1-20-g0e5b")),
            ("tesseract\n", None),
            ("usage: something\n", None),
            ("tesseract a b\n", None),
            ("", None),
        ];
        for (words, expected) in rows {
            assert_eq!(version_of(words).as_deref(), expected, "{words:?}");
        }
    }
}
