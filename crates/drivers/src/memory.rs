//! Detects a client library that reserves too much memory.
//!
//! scylla reserves memory for a reply when it has read its length, up to 4 GiB, and has no setting
//! to limit that. It opens its sockets itself, so nothing can be put between it and the server.
//! But the reservation is visible before it is filled: the writable address space of the process
//! grows by it.

use engine::clock;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;

/// What a lane may reserve besides replies: stacks of threads, records.
const BESIDE_BYTES: u64 = 256 << 20;

/// How long the library may take to release memory: some turns of its runtime.
const RELEASING_NS: u64 = 50_000_000;
/// Index of the number in the file that counts what can be written. The whole address space also
/// grows by what the allocator reserves for each thread and which cannot be written yet.
const DATA: usize = 5;
/// The line of a mapping with the size of its pages, in KiB.
const PAGE_SIZE: &str = "KernelPageSize:";

/// Watches the address space of the process while one lane runs.
pub(crate) struct Watch {
    /// `/proc/self/statm`, and the bytes of its unit.
    of: Option<(File, u64)>,
    most: u64,
    /// The size before the lane ran, without what it had reserved earlier.
    before: u64,
    /// What the lane has reserved by the end of its last run.
    reserved: u64,
    looks_from: u64,
}

impl Watch {
    /// Watches a lane that may receive this many bytes of replies at the same time. If the system
    /// does not report the size of the address space, the limit is never exceeded.
    pub(crate) fn new(reply_bytes: u64) -> Watch {
        let most = BESIDE_BYTES.saturating_add(reply_bytes);
        let mut watch = Watch { of: opened(), most, before: 0, reserved: 0, looks_from: 0 };
        watch.begin();
        watch
    }

    /// Starts to attribute memory to the lane.
    pub(crate) fn begin(&mut self) {
        self.before = self.read().saturating_sub(self.reserved);
    }

    /// Stops attributing memory to the lane, which rests from now on.
    pub(crate) fn end(&mut self) {
        self.reserved = self.read().saturating_sub(self.before);
    }

    /// Whether the lane has reserved more than it may.
    pub(crate) fn is_over(&mut self) -> bool {
        if clock::now() < self.looks_from {
            return false;
        }
        let now = self.read();
        self.before = self.before.min(now);
        now - self.before > self.most
    }

    /// Suspends the watch after the lane has abandoned everything, because the library needs some
    /// time to release the memory.
    pub(crate) fn given_up(&mut self) {
        self.looks_from = clock::now() + RELEASING_NS;
    }

    /// Bytes that are reserved and can be written. Returns 0 if the system does not report it.
    fn read(&self) -> u64 {
        let pages = || {
            let (file, unit) = self.of.as_ref()?;
            let mut text = [0; 128];
            let read = file.read_at(&mut text, 0).ok()?;
            let data = text[..read].split(|byte| *byte == b' ').nth(DATA)?;
            Some(first_number(data)? * unit)
        };
        pages().unwrap_or(0)
    }
}

/// The unit of the file is a page, whose size is not in the file.
fn opened() -> Option<(File, u64)> {
    let file = File::open("/proc/self/statm").ok()?;
    let lines = BufReader::new(File::open("/proc/self/smaps").ok()?).lines();
    let line = lines.map_while(Result::ok).find(|line| line.starts_with(PAGE_SIZE))?;
    Some((file, first_number(line[PAGE_SIZE.len()..].trim().as_bytes())? << 10))
}

fn first_number(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Other tests of this process reserve memory meanwhile, but far less. This is one test,
    /// because several would see each other's memory.
    #[test]
    fn what_is_reserved_while_the_lane_runs_is_its_own() {
        let reserve = || black_box(Vec::<u8>::with_capacity(1 << 30));
        let mut watch = Watch::new(1 << 20);
        assert!(watch.read() > 1 << 20 && !watch.is_over());
        let held = reserve();
        assert!(watch.is_over());
        watch.end();
        let of_another_lane = reserve();
        watch.begin();
        assert!(watch.is_over(), "it still has what it had reserved");
        drop((held, of_another_lane));
        assert!(!watch.is_over());

        watch.end();
        let of_another_lane = reserve();
        watch.begin();
        assert!(!watch.is_over());
        drop(of_another_lane);
        assert!(!watch.is_over());

        let held = reserve();
        assert!(watch.is_over());
        watch.given_up();
        assert!(!watch.is_over(), "not yet again");
        std::thread::sleep(std::time::Duration::from_nanos(RELEASING_NS));
        assert!(watch.is_over(), "it was not released");
        drop(held);
        assert!(!watch.is_over());
    }
}
