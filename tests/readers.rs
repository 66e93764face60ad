//! What a reader can do that a hostile document has taken over. Its deeds are no document's, so a worker must serve a
//! work of its own for them, from its `main`: this is a test without a harness, and the program of its own workers.

#![allow(clippy::unwrap_used, reason = "a test fails by it, and so do its helpers")]
#![allow(clippy::disallowed_methods, reason = "limits on a child's time are held against the real clock")]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::io::{Read, Write};
    use std::path::PathBuf;
    use std::thread;
    use std::time::Duration;

    use bytes::Bytes;
    use lease_ingest::isolation::{Isolation, Limits, Lost, Work, serve_if_asked};
    use rustix::process::{
        Pid, Signal, WaitOptions, geteuid, getpid, getppid, kill_process, set_child_subreaper, setsid,
        waitpid,
    };
    use serde::{Deserialize, Serialize};

    /// What a forger has others believe.
    const FORGED: u64 = 666;
    /// Longer than any row takes.
    const FOR_EVER: Duration = Duration::from_secs(600);
    /// How long a caller waits that then gives up, and somebody who is left behind before it reads.
    const PATIENCE: Duration = Duration::from_millis(300);
    /// Pause between two looks whether everybody has ended, and how many there are.
    const LOOK_PAUSE: Duration = Duration::from_millis(50);
    const LOOKS_MAX_COUNT: u32 = 200;

    /// What a reader does.
    #[derive(Debug, Clone, Copy, Serialize, Deserialize)]
    enum Deed {
        /// Answers with what it was given.
        Answer,
        /// Uses processor time.
        Spin,
        /// Waits.
        Wait,
        /// Writes whole answers, with their marks, wherever it can.
        Forge,
        /// Answers how much it can open of its worker and of who started that.
        Peek,
        /// Answers, and leaves a process behind that reads whatever it can.
        Leave,
        /// The same, and that process is in a session of its own.
        LeaveGroup,
    }

    /// Readers that do as they are told.
    struct Hostile;

    impl Work for Hostile {
        type Task = Deed;
        type Answer = u64;

        fn run(deed: Deed, bytes: Bytes) -> (u64, Vec<Vec<u8>>) {
            match deed {
                Deed::Answer => {}
                Deed::Spin => loop {
                    std::hint::spin_loop();
                },
                Deed::Wait => thread::sleep(FOR_EVER),
                Deed::Forge => forge(),
                Deed::Peek => return (peek(), Vec::new()),
                Deed::Leave => leave(false),
                Deed::LeaveGroup => leave(true),
            }
            (bytes.len() as u64, Vec::new())
        }
    }

    /// The same in a worker that is not alone.
    struct Threaded;

    impl Work for Threaded {
        type Task = Deed;
        type Answer = u64;

        fn run(deed: Deed, bytes: Bytes) -> (u64, Vec<Vec<u8>>) {
            Hostile::run(deed, bytes)
        }

        fn prepare() {
            thread::spawn(|| thread::sleep(FOR_EVER));
        }
    }

    /// Every file that this process holds, as a path.
    fn held() -> Vec<PathBuf> {
        fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    fn forge() {
        let text = FORGED.to_string();
        let mut answer = (8 + text.len() as u64).to_be_bytes().to_vec();
        answer.extend((text.len() as u64).to_be_bytes());
        answer.extend(text.as_bytes());
        answer.extend(b"answered");
        for path in held() {
            if let Ok(mut file) = File::options().write(true).open(path) {
                let _ = file.write_all(&answer.repeat(2));
            }
        }
    }

    fn peek() -> u64 {
        let worker = getppid().unwrap().to_string();
        let status = fs::read_to_string(format!("/proc/{worker}/status")).unwrap();
        let starter = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim();
        let of = |pid: &str| {
            let secrets = ["environ", "mem"].map(|name| File::open(format!("/proc/{pid}/{name}")));
            secrets.iter().filter(|secret| secret.is_ok()).count() as u64
        };
        of(&worker) + of(starter)
    }

    fn leave(is_apart: bool) {
        let (mut ready, mut tell) = std::io::pipe().unwrap();
        if fork::fork().unwrap().is_parent() {
            ready.read_exact(&mut [0]).unwrap();
            return;
        }
        if is_apart {
            setsid().unwrap();
        }
        tell.write_all(&[0]).unwrap();
        // Not the answer that it leaves behind, which would only cost its own document.
        thread::sleep(PATIENCE);
        for path in held() {
            thread::spawn(|| File::open(path).map(|mut file| file.read(&mut [0; 4096])));
        }
        thread::sleep(FOR_EVER);
    }

    /// Those who descend from this process and were not collected.
    fn children() -> Vec<Pid> {
        let threads = fs::read_dir("/proc/self/task").unwrap();
        let lists =
            threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("children")).unwrap());
        let numbers: Vec<i32> = lists
            .flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>())
            .collect();
        numbers.into_iter().filter_map(Pid::from_raw).collect()
    }

    async fn ask<W: Work<Task = Deed, Answer = u64>>(
        isolation: &Isolation<W>,
        deed: Deed,
        length: u64,
    ) -> Result<u64, Lost> {
        isolation.run(&deed, &vec![b'x'; usize::try_from(length).unwrap()]).await.map(|(answer, _)| answer)
    }

    async fn until_left(name: &str, count: usize) {
        for _ in 0..LOOKS_MAX_COUNT {
            if children().len() == count {
                return;
            }
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        panic!("{name}: {:?} are left and not {count}", children());
    }

    #[tokio::main(flavor = "current_thread")]
    async fn test() {
        // Orphans come here, where nobody collects them, and not to a PID 1 that may.
        set_child_subreaper(Some(getpid())).unwrap();
        let limits = Limits::default();
        // Only root can start somebody under the limits.
        let by_root = |lost| if geteuid().is_root() { lost } else { Err(Lost::Crashed) };
        // Name, deed, limits, what comes of it, how many it leaves behind.
        let table = [
            ("answer", Deed::Answer, limits, Ok(1), 0),
            ("processor time", Deed::Spin, Limits { cpu_max_s: 1, ..limits }, Err(Lost::OutOfTime), 0),
            ("time by the clock", Deed::Wait, Limits { wall_max_ms: 300, ..limits }, Err(Lost::OutOfTime), 0),
            (
                "impossible limits",
                Deed::Answer,
                Limits { open_files_max: 1 << 40, ..limits },
                Err(Lost::NotStarted),
                0,
            ),
            // It may answer as it likes for itself.
            ("forged answers", Deed::Forge, limits, Ok(FORGED), 0),
            ("others of its user", Deed::Peek, limits, Ok(if geteuid().is_root() { 4 } else { 0 }), 0),
            ("a process left", Deed::Leave, limits, by_root(Ok(1)), 0),
            (
                "a session left",
                Deed::LeaveGroup,
                limits,
                by_root(Err(Lost::Crashed)),
                usize::from(geteuid().is_root()),
            ),
        ];
        for (name, deed, limits, expected, left) in table {
            let isolation: Isolation<Hostile> = Isolation::of_this_program(Limits::default()).unwrap();
            // The longest is more than pipes hold.
            for length in [2, 1 << 22] {
                assert_eq!(ask(&isolation, Deed::Answer, length).await, Ok(length), "{name}: before");
            }
            assert_eq!(ask(&isolation.clone().with_limits(limits), deed, 1).await, expected, "{name}");
            for length in [3, 1 << 22, 4] {
                assert_eq!(ask(&isolation, Deed::Answer, length).await, Ok(length), "{name}: after");
            }
            drop(isolation);
            until_left(name, left).await;
            for pid in children() {
                kill_process(pid, Signal::KILL).unwrap();
                waitpid(Some(pid), WaitOptions::empty()).unwrap();
            }
            println!("{name} ... ok");
        }

        let isolation: Isolation<Hostile> = Isolation::of_this_program(limits).unwrap();
        let asked = tokio::time::timeout(PATIENCE, ask(&isolation, Deed::Wait, 1)).await;
        assert!(asked.is_err(), "{asked:?}");
        until_left("a caller that gives up", 0).await;
        println!("a caller that gives up ... ok");

        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("threaded");
        std::os::unix::fs::symlink(std::env::current_exe().unwrap(), &program).unwrap();
        let isolation: Isolation<Threaded> = Isolation::new(program, limits);
        assert_eq!(ask(&isolation, Deed::Answer, 1).await, Ok(1));
        assert_eq!(ask(&isolation, Deed::Answer, 1).await, Err(Lost::NotStarted));
        println!("a thread left ... ok");
    }

    pub fn main() {
        let is_threaded = std::env::args().next().is_some_and(|program| program.ends_with("threaded"));
        let is_worker = if is_threaded { serve_if_asked::<Threaded>() } else { serve_if_asked::<Hostile>() };
        if !is_worker {
            test();
        }
    }
}
