#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lease_ingest_fuzz::text(bytes));
