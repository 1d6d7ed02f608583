//! The limit of file sizes (`ulimit -f`).

use std::io;

/// Makes a write beyond the limit of file sizes fail like one on a full disk, instead of ending the
/// process by SIGXFSZ. A handler is used instead of `SIG_IGN`, because programs that we start then
/// get the default.
///
/// # Errors
/// If the system refuses the handler.
pub fn survive_a_file_size_limit() -> io::Result<()> {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: an all-zero sigaction is valid, and the handler does nothing.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGXFSZ, &action, std::ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
