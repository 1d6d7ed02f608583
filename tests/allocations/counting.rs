//! Counts allocations of the whole test program, for test programs that include this file: the
//! others keep the system's allocator.

use record::Arrivals;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static OF_THREAD: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: passes everything to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        OF_THREAD.set(OF_THREAD.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns how many there were so far.
pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.load(Ordering::Relaxed)
}

/// Returns how many the calling thread made so far.
pub(crate) fn allocations_of_thread() -> u64 {
    OF_THREAD.get()
}

/// Checks that ten times the operations make no more allocations. `allocations_of` returns how
/// many a run of this many operations makes.
pub(crate) fn no_more_for_ten_times_the_operations(allocations_of: impl Fn(Arrivals, u64) -> u64) {
    for arrivals in [Arrivals::Closed, Arrivals::Constant(20_000.0)] {
        // The first run also includes what is allocated once in a process.
        allocations_of(arrivals, 100);
        let few = allocations_of(arrivals, 2_000);
        let many = allocations_of(arrivals, 20_000);
        // Threads of the server start at any time, which makes a difference of a few
        // allocations; operations that allocate would make a difference of thousands.
        assert!(many <= few + 40, "{arrivals:?}: {few} for 2000, {many} for 20000");
    }
}
