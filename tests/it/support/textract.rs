//! What Textract answers of a scanned lease.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

/// A lease in which every value that is posted stands twice.
const RECOGNISED_LEASE: &[&str] = &[
    "OFFICE LEASE",
    "This Lease is made as of May 1, 2020 between Alder Hall LLC (\"Landlord\") and Birch Tools Inc. (\"Tenant\").",
    "1. Premises. Landlord leases to Tenant Suite 4 of the building at 9 Elm Row, Austin, Texas.",
    "Property ID: ALDER-4",
    "2. Term. The term is sixty (60) months, commencing on June 1, 2020 and ending on May 31, 2025.",
    "3. Rent. Tenant shall pay base rent of $5,250.00 per month ($63,000.00 per year).",
    "IN WITNESS WHEREOF the parties have signed.",
    "Property ID: ALDER-4",
    "LANDLORD: Alder Hall LLC",
    "TENANT: Birch Tools Inc.",
];
/// Every other page of it.
const FILLER: &[&str] = &["This page is intentionally left blank."];

/// A page as Textract answers it.
fn blocks(page: usize, lines: &[&str]) -> Vec<Value> {
    let mut blocks = vec![json!({ "BlockType": "PAGE", "Id": format!("p{page}"), "Page": page })];
    for (row, line) in lines.iter().enumerate() {
        let top = 0.05 + row as f64 * 0.02;
        let words: Vec<&str> = line.split(' ').collect();
        let id = |word: usize| format!("{page}-{row}-{word}");
        let ids: Vec<String> = (0..words.len()).map(id).collect();
        blocks.push(json!({
            "BlockType": "LINE", "Id": format!("{page}-{row}"), "Page": page, "Text": line, "Confidence": 99.0,
            "Relationships": [{ "Type": "CHILD", "Ids": ids }],
            "Geometry": { "BoundingBox": { "Left": 0.05, "Top": top, "Width": 0.9, "Height": 0.01 } },
        }));
        blocks.extend(words.iter().enumerate().map(|(word, text)| {
            let left = 0.05 + word as f64 * 0.04;
            json!({
                "BlockType": "WORD", "Id": id(word), "Page": page, "Text": text, "Confidence": 99.0,
                "Geometry": { "BoundingBox": { "Left": left, "Top": top, "Width": 0.035, "Height": 0.01 } },
            })
        }));
    }
    blocks
}

/// The answer of a job that has ended, for some of its pages: the lease stands on the first.
pub fn pages_answered(numbers: RangeInclusive<usize>, pages: usize, next: Option<&str>) -> Value {
    let lines = |page| if page == 1 { RECOGNISED_LEASE } else { FILLER };
    let blocks: Vec<Value> = numbers.flat_map(|page| blocks(page, lines(page))).collect();
    json!({ "JobStatus": "SUCCEEDED", "DocumentMetadata": { "Pages": pages }, "Blocks": blocks, "NextToken": next })
}
