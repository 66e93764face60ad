//! The house stays as it is drawn: a module uses only what stands above it in `lib.rs`, so there is no circle.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lease_ingest::extract::money::FoundAmount;
use lease_ingest::lease::{BaseRent, Money};
use rust_decimal::Decimal;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Every `crate::name` of a file, tests and documentation left out.
fn uses(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    code.match_indices("crate::")
        .map(|(at, found)| {
            let rest = &code[at + found.len()..];
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        })
        .collect()
}

#[test]
fn a_module_uses_only_what_stands_above_it() {
    let map = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let order: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(order.len() > 15, "{order:?}");
    let place: BTreeMap<&str, usize> = order.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let mut against = Vec::new();
    let mut arrows = 0;
    for (name, &at) in &place {
        let folder = root().join("src").join(name);
        let mut files = if folder.is_dir() { rust_files(&folder) } else { Vec::new() };
        files.extend([folder.with_extension("rs")].into_iter().filter(|file| file.is_file()));
        assert!(!files.is_empty(), "{name}");
        for file in files {
            for used in uses(&fs::read_to_string(&file).unwrap()) {
                match place.get(used.as_str()) {
                    Some(&above) if above < at => arrows += 1,
                    Some(&above) if above == at => {}
                    _ => {
                        against.push(format!("{} uses {used}", file.strip_prefix(root()).unwrap().display()))
                    }
                }
            }
        }
    }
    assert!(against.is_empty(), "{against:#?}");
    assert!(arrows > 50, "only {arrows} arrows were seen");
}

#[test]
fn stages_do_no_io_and_ports_know_no_adapter() {
    for stage in [
        "identity",
        "posting",
        "event",
        "fetch",
        "claim",
        "pointer",
        "effect",
        "commit",
        "outcome",
        "dead_letter",
        "batch",
    ] {
        let text = fs::read_to_string(root().join("src").join(stage).with_extension("rs")).unwrap();
        for world in ["aws_sdk", "aws_config", "std::fs", "std::env", "tokio::net", "tokio::fs", "reqwest"] {
            assert!(!text.contains(world), "{stage} touches {world}");
        }
    }
    for file in rust_files(&root().join("src/ports")) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("aws_sdk"), "{}", file.display());
    }
}

#[test]
fn no_float_stands_where_money_passes() {
    // What a rent is, by its type; whoever makes it a float fails to compile here.
    let _: fn(&BaseRent) -> Decimal = |rent| rent.amount;
    let _: fn(&Money) -> Decimal = |money| money.amount;
    let _: fn(&FoundAmount) -> Decimal = |found| found.amount;
    // Places on a page, shades of a picture, how sure a recogniser is, and the statistics of measuring are floats.
    let elsewhere = ["extract/pdf/", "extract/pictures.rs", "extract/recognised.rs", "ocr/", "eval"];
    let src = root().join("src");
    let mut seen = 0;
    for file in rust_files(&src) {
        let name = file.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let has_float = words.any(|word| word == "f32" || word == "f64" || word == "as_f64");
        seen += usize::from(has_float);
        let allowed = elsewhere.iter().any(|place| name.starts_with(place));
        assert!(!has_float || allowed, "{name} has a float");
    }
    assert!(seen >= 3, "the floats that are known were not seen");
}

#[test]
fn nothing_reads_as_unfinished() {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("examples")));
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for word in ["todo!(", "unimplemented!(", concat!("TO", "DO"), concat!("FIX", "ME"), "#[ignore"] {
            assert!(!text.contains(word), "{} says {word}", file.display());
        }
    }
}
