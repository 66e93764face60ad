//! How much memory the readers take at most, as the kernel counts it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often is looked, in milliseconds. The kernel keeps each process's peak, so that only what is taken in the last
/// moment of a process's life can be missed.
const LOOK_EVERY_MS: u64 = 5;

/// A thread that looks at the children of this process until it is dropped.
pub struct Peak {
    resident_kb: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Peak {
    /// Begins to look.
    pub fn watch() -> Self {
        let (resident_kb, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (most, over) = (Arc::clone(&resident_kb), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::SeqCst) {
                most.fetch_max(largest_reader_kb(), Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(LOOK_EVERY_MS));
            }
        });
        Self { resident_kb, is_over, thread: Some(thread) }
    }

    /// The largest that was seen, in bytes; 0 where the kernel does not tell it.
    pub fn resident_bytes(&self) -> u64 {
        self.resident_kb.load(Ordering::SeqCst) * 1024
    }
}

impl Drop for Peak {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // It only fails by a panic of its own, which it has printed.
            let _ = thread.join();
        }
    }
}

/// The most that any child alive has taken so far, in KiB. Source: `proc_pid_status(5)`, `VmHWM`.
fn largest_reader_kb() -> u64 {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return 0 };
    let children =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let numbers: Vec<String> = children
        .flat_map(|listed| listed.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let peak = |number: &String| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).ok()?;
        // Other tests of this process have children that are no readers.
        let is_reader = status.lines().next()?.ends_with("\tingest");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        is_reader.then(|| line.trim().trim_end_matches(" kB").parse::<u64>().ok())?
    };
    numbers.iter().filter_map(peak).max().unwrap_or(0)
}
