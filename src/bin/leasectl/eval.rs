//! `leasectl eval`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use lease_ingest::embedded::world::LocalReader;
use lease_ingest::eval::{
    DocumentReading, FieldLine, Finding, LabelledDocument, Labels, Ratio, Report, Verdict,
};
use lease_ingest::extract::reader::LeaseReader;
use lease_ingest::isolation::Limits;
use lease_ingest::ocr::tesseract::Tesseract;
use lease_ingest::ports::extractor::{ExtractRequest, Extractor};
use lease_ingest::posting::Confidence;
use serde_json::{Map, json};

use crate::{Done, Mistake, say};

/// What every document is filed under here: labels say nothing of it, and without it nothing would be posted.
const FILED_UNDER: &str = "measured";
/// Longest passage that is printed, in characters.
const PASSAGE_MAX_CHARS: usize = 200;

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Labels, as JSON; the files that they name lie below their folder.
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Measure twins in another format as well: for `html/NAME.htm` and `pdf`, that is `pdf/NAME.pdf`.
    #[arg(long, value_name = "FORMAT")]
    also: Vec<String>,
    /// Confidence from 0 to 1 from which on a value counts as given.
    #[arg(long, value_name = "CONFIDENCE", default_value = "0.85", value_parser = confidence)]
    threshold: Confidence,
    /// Print, rule by rule, how often it was right, and what the other documents let expect of it.
    #[arg(long)]
    by_rule: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn confidence(raw: &str) -> Result<Confidence, String> {
    raw.parse()
        .ok()
        .and_then(Confidence::from_decimal)
        .ok_or_else(|| "it is no number from 0 to 1".to_owned())
}

pub async fn run(args: EvalArgs) -> Result<Done, Mistake> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", args.labels.display());
    let source = fs::read_to_string(&args.labels).map_err(|error| told(&error))?;
    let labels = Labels::parse(&source).map_err(|error| told(&error))?;
    if labels.documents.is_empty() {
        return Err(told(&"it labels no documents").into());
    }
    if !labels.unknown.is_empty() {
        return Err(told(&labels.unknown.join("; ")).into());
    }
    for field in &labels.unmeasured {
        eprintln!("leasectl: {}", told(&format!("{field} is not measured")));
    }
    let folder = args.labels.parent().unwrap_or(Path::new(""));
    // Reading takes long: what is not there is told before it begins.
    for format in &args.also {
        for document in &labels.documents {
            let twin = folder.join(twin(&document.file, format));
            if let Err(error) = fs::metadata(&twin) {
                return Err(format!(
                    "{}: {error}; `--also {format}` reads it as the twin of {}",
                    twin.display(),
                    document.file
                )
                .into());
            }
        }
    }
    // As `ingest` reads: in child processes, scans included.
    let reader = LeaseReader::of_this_program(Limits::default(), Tesseract::find().await)?;
    let mut reports = Map::new();
    for format in std::iter::once(None).chain(args.also.iter().map(Some)) {
        let mut readings = Vec::new();
        for document in &labels.documents {
            readings.push(read(&reader, folder, document, format.map(String::as_str)).await?);
        }
        let report = Report::of(&readings, args.threshold);
        let name = format.map_or("as labelled", String::as_str);
        if args.json {
            reports.insert(name.to_owned(), serde_json::to_value(&report)?);
        } else {
            print_report(name, &report)?;
            if args.by_rule {
                print_rules(&report)?;
            }
        }
    }
    if args.json {
        say(serde_json::to_string_pretty(&json!({ "threshold": args.threshold, "reports": reports }))?)?;
    }
    Ok(Done::Well)
}

async fn read(
    reader: &LocalReader,
    folder: &Path,
    document: &LabelledDocument,
    format: Option<&str>,
) -> Result<DocumentReading, Mistake> {
    let file = match format {
        Some(format) => twin(&document.file, format),
        None => document.file.clone(),
    };
    let path = folder.join(&file);
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let request = ExtractRequest::of_bytes(bytes.into(), Some(FILED_UNDER.to_owned()));
    let extraction = reader.extract(request).await;
    Ok(DocumentReading::of(&LabelledDocument { file, ..document.clone() }, &extraction))
}

/// The same document in another format: in the folder beside its own that bears the format's name.
fn twin(file: &str, format: &str) -> String {
    let path = Path::new(file);
    let above = path.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    let name = Path::new(path.file_name().unwrap_or_default()).with_extension(format);
    above.join(format).join(name).to_string_lossy().into_owned()
}

fn print_report(name: &str, report: &Report) -> Result<(), Mistake> {
    let documents = report.documents;
    say(format!("== {name}: {} documents, threshold {}\n", documents.documents, report.threshold))?;
    for (heading, lines) in [
        ("Posted without a person", &report.posted),
        ("Shown to a person in review", &report.in_review),
        ("Both together", &report.together),
    ] {
        say(format!("{heading}\n{}\n", field_table(lines)))?;
    }
    say(format!(
        "Documents: {} posted and right, {} posted with an optional field wrong, {} posted with a required field wrong,\n\
         {} sent to review though plain, {} sent to review rightly ({} of these two could not be read)\n",
        documents.posted_right,
        documents.posted_with_wrong_optional,
        documents.posted_with_wrong_required,
        documents.reviewed_though_plain,
        documents.reviewed_rightly,
        documents.rejected,
    ))?;
    let mut table = new_table(&["document", "outcome", "because of"]);
    for line in &report.document_lines {
        let reason = line.reason.as_deref().unwrap_or("");
        table.add_row([clean(&line.file), line.fate.replace('_', " "), clean(reason)]);
    }
    say(format!("{table}\n"))?;
    let mut table = new_table(&["confidence from", "values right", "at least", "documents posted right"]);
    for point in &report.curve {
        table.add_row([
            point.threshold.to_string(),
            shown(point.fields),
            at_least(point.fields),
            shown(point.documents),
        ]);
    }
    say(format!("{table}\n"))?;
    for finding in &report.findings {
        say(finding_text(finding))?;
    }
    say("")
}

fn print_rules(report: &Report) -> Result<(), Mistake> {
    let mut table =
        new_table(&["field", "rule", "accepted, right", "given, right", "claims", "expected by the others"]);
    for line in &report.rules {
        table.add_row([
            line.field.replace('_', " "),
            clean(&line.rule),
            shown(line.accepted),
            shown(line.given),
            line.claims.to_string(),
            line.expected_by_others.to_string(),
        ]);
    }
    let left = report.left_one_out.counts;
    say(format!(
        "Rules\n{table}\nIf each value were only as sure as the other documents make its rule: {} right, {} wrong, {} given \
         though none is right.\n",
        left.right, left.wrong, left.given_against,
    ))
}

fn new_table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(columns.iter().copied());
    table
}

fn field_table(lines: &[FieldLine]) -> Table {
    const COLUMNS: [&str; 10] = [
        "field",
        "right",
        "wrong",
        "given, none right",
        "tempted",
        "missed",
        "left out",
        "abstained",
        "precision",
        "coverage",
    ];
    let mut table = new_table(&COLUMNS);
    for line in lines {
        let counts = line.counts;
        let mut row = vec![line.field.replace('_', " ")];
        row.extend(
            [
                counts.right,
                counts.wrong,
                counts.given_against,
                counts.tempted,
                counts.missed,
                counts.left_out,
                counts.abstained,
            ]
            .map(|count| count.to_string()),
        );
        row.push(format!("{} {}", shown(line.precision), at_least(line.precision)));
        row.push(shown(line.coverage));
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Counts beside the percentage: few documents prove little.
fn shown(ratio: Ratio) -> String {
    match ratio.percent() {
        Some(percent) => format!("{} of {} = {percent} %", ratio.count, ratio.of),
        None => "none".to_owned(),
    }
}

fn at_least(ratio: Ratio) -> String {
    ratio.at_least_percent().map(|percent| format!("(\u{2265} {percent} %)")).unwrap_or_default()
}

fn finding_text(finding: &Finding) -> String {
    let what = match finding.verdict {
        Verdict::Missed => "missed",
        Verdict::GivenAgainst => "given though none is right",
        _ => "wrong",
    };
    let place = match (finding.verdict, finding.is_posted) {
        (Verdict::Missed, _) => "",
        (_, true) => ", POSTED",
        (_, false) => ", in review",
    };
    let warned = if finding.is_tempting { ", as the labels warn" } else { "" };
    let mut lines = vec![format!("{}: {} {what}{place}{warned}", clean(&finding.file), finding.field)];
    if let Some(given) = &finding.given {
        let confidence = finding.confidence.unwrap_or_default();
        let rule = finding.rule.as_deref().unwrap_or_default();
        lines.push(format!("    given     {} at {confidence} by {rule}", clean(given)));
    }
    if !finding.expected.is_empty() {
        lines.push(format!("    right     {}", clean(&finding.expected.join(" or "))));
    }
    if let Some(passage) = &finding.passage {
        lines.push(format!("    passage   {}", clean(passage)));
    }
    lines.join("\n")
}

/// Text out of a document may hold anything; a terminal is shown only what prints.
fn clean(text: &str) -> String {
    text.chars().take(PASSAGE_MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_lies_in_the_folder_of_its_format() {
        for (file, expected) in
            [("html/a.b.htm", "pdf/a.b.pdf"), ("x/html/a.htm", "x/pdf/a.pdf"), ("a.htm", "pdf/a.pdf")]
        {
            assert_eq!(twin(file, "pdf"), expected);
        }
    }

    #[test]
    fn a_threshold_is_a_number_from_0_to_1() {
        assert_eq!(confidence("0.9"), Ok(Confidence::percent(90)));
        for raw in ["1.1", "-0.1", "high", ""] {
            assert!(confidence(raw).is_err(), "{raw}");
        }
    }
}
