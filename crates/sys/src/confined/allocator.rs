//! The system's allocator, which holds a thread that exceeds its limits.

use super::{Exceeded, hold, limits};
use std::alloc::{GlobalAlloc, Layout, System};

/// No thread is asked for its limits below this size.
const SMALL: usize = 16 << 20;
/// The longest block that may be reserved without being filled: a frame whose length has four bytes.
const RESERVED_BYTES: u64 = (4 << 30) + SMALL as u64;

/// The system's allocator. It holds the calling thread for ever if it is confined and requests too much.
#[derive(Clone, Copy, Debug)]
pub struct LimitedAllocator;

/// Holds the calling thread if it is confined and requests too much.
fn check(size: usize, fills: bool) {
    if size <= SMALL {
        return;
    }
    let Some(limits) = limits() else { return };
    let most = if fills { limits.filled_bytes } else { RESERVED_BYTES };
    if size as u64 > most {
        hold(limits, Exceeded::Memory(size as u64));
    }
}

/// Holds the calling thread if it is confined and got no memory: otherwise the process would end.
fn checked(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null()
        && let Some(limits) = limits()
    {
        hold(limits, Exceeded::Memory(size as u64));
    }
    block
}

// SAFETY: every call is passed on to the system's allocator unchanged, or never returns.
unsafe impl GlobalAlloc for LimitedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check(layout.size(), false);
        // SAFETY: the caller's promise is the system's condition; so below.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        check(layout.size(), true);
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A block grows once it is full.
        check(size, true);
        checked(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
