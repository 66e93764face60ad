#![no_main]

// The fuzzer's own hook would end the process at a panic that is caught; one that is not caught still ends it.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| ())),
    |bytes: &[u8]| lease_ingest_fuzz::pictures(bytes)
);
