//! Holds a thread that has exhausted its stack, in place of ending the process.

use super::{Exceeded, hold, limits};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// How far from the lowest address of a stack an access shows that the stack is exhausted. Compilers touch
/// each page of a large frame, so that the guard page below the stack is not skipped.
const NEAR: usize = 64 << 10;

/// What handled the signal before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Handles the signals of forbidden accesses from now on. Threads of std have a stack of their own for
/// such handlers.
pub(super) fn prepare() {
    BEFORE.get_or_init(|| {
        let mut before = MaybeUninit::zeroed();
        // SAFETY: an all-zero sigaction is valid, and so are both pointers. The handler only reads what
        // belongs to its thread, waits, and installs what was there before.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGSEGV, &action, before.as_mut_ptr());
            before.assume_init()
        }
    });
}

thread_local! {
    /// 0 until it is known. Finding it takes system calls, and a lane enters its library between any two slices.
    static LOWEST: Cell<usize> = const { Cell::new(0) };
}

/// The lowest address of the calling thread's stack.
pub(super) fn lowest() -> usize {
    if LOWEST.get() == 0 {
        LOWEST.set(find_lowest());
    }
    LOWEST.get()
}

/// Returns 0 if the system does not say.
fn find_lowest() -> usize {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::zeroed();
    let (mut address, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: the calling thread exists; the attributes are initialised by the first call and destroyed.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &mut address, &mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    address as usize
}

extern "C" fn on_fault(_: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid pointer.
    let address = unsafe { (*about).si_addr() } as usize;
    if let Some(limits) = limits().filter(|limits| limits.stack.abs_diff(address) < NEAR) {
        hold(limits, Exceeded::Stack);
    }
    // Not ours: the access is made again, and handled as before.
    if let Some(before) = BEFORE.get() {
        // SAFETY: a sigaction that was installed before.
        unsafe { libc::sigaction(libc::SIGSEGV, before, std::ptr::null_mut()) };
    }
}
