//! The seeds of the fuzz targets, and every input that ever broke one, through the targets' own functions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fuzz_entries::ENTRIES;
use crate::support::files_below;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The samples and the sample events are seeds too: a fuzzer is given their folders beside the seeds of the target.
#[test]
fn every_seed_keeps_what_its_target_promises() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = [files_below(&root.join("samples")), files_below(&root.join("events"))].concat();
    for (name, entry) in ENTRIES {
        let seeds = files_below(&folder().join("seeds").join(name));
        assert!(seeds.len() >= 3, "{name} has {} seeds", seeds.len());
        for seed in seeds.iter().chain(&shared) {
            // A panic belongs to the file that was printed last.
            println!("{}", seed.display());
            entry(&fs::read(seed).unwrap());
        }
    }
}

#[test]
fn every_target_is_a_program_with_seeds_and_every_folder_of_seeds_has_a_target() {
    let names: BTreeSet<String> = ENTRIES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let listed = |below: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(folder().join(below)).unwrap();
        entries
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect()
    };
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let programs =
        manifest.lines().filter_map(|line| line.strip_prefix("path = \"targets/")?.strip_suffix(".rs\""));
    assert_eq!(listed("targets"), names);
    assert_eq!(listed("seeds"), names);
    assert_eq!(programs.map(str::to_owned).collect::<BTreeSet<_>>(), names);
}
