//! The README says what is so.

use std::fs;
use std::path::{Path, PathBuf};

use lease_ingest::config::SETTINGS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

#[test]
fn the_settings_are_those_of_the_code() {
    let text = readme();
    let table = text.split("<!-- settings -->").nth(1).unwrap().split("<!-- /settings -->").next().unwrap();
    let expected: String = SETTINGS
        .iter()
        .map(|setting| {
            let default = match setting.default {
                None => "must be set".to_owned(),
                Some("") => "empty".to_owned(),
                Some(default) => format!("`{default}`"),
            };
            format!("| `{}` | {default} | {} |\n", setting.name, setting.meaning)
        })
        .collect();
    let expected = format!("\n| variable | default | meaning |\n| --- | --- | --- |\n{expected}");
    assert_eq!(table, expected, "the table should read:\n{expected}");
}

#[test]
fn every_file_that_is_named_is_there() {
    let text = readme();
    let code = text.split('`').skip(1).step_by(2).chain(text.lines());
    let mut seen = 0;
    for word in code.flat_map(str::split_whitespace) {
        if let Some(path) = word.strip_prefix("events/").filter(|rest| rest.ends_with(".json")) {
            assert!(root().join("events").join(path).is_file(), "events/{path}");
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
    let samples: Vec<_> =
        fs::read_dir(root().join("samples")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    for sample in samples {
        let name = sample.to_string_lossy();
        let name = name.strip_suffix(".versions").unwrap_or(&name);
        assert!(text.contains(name), "the README does not say what {name} shows");
    }
}

#[test]
fn the_questions_are_those_of_the_code() {
    let code = fs::read_to_string(root().join("src/extract/unexplained/mod.rs")).unwrap();
    let list = code.split("const QUESTIONS").nth(1).unwrap().split("\n    ];").next().unwrap();
    let asked: Vec<&str> =
        list.lines().filter_map(|line| line.trim_start().strip_prefix("(\"")?.split('"').next()).collect();
    let text = readme();
    let table = text.split("<!-- questions -->").nth(1).unwrap().split("<!-- /questions -->").next().unwrap();
    let told: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(asked.len() > 20, "{asked:?}");
    assert_eq!(told, asked, "the README's table has a row for each question, in their order");
}
