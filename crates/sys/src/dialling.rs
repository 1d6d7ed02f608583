//! Lets the standard library dial only some addresses.
//!
//! The module defines the C function `connect`, by which TCP sockets are connected, and passes on to the kernel what
//! is not refused. Whether it has an effect depends on how the program was linked: see [`is_restricted`].

use libc::{AF_INET, AF_INET6, c_int, sockaddr, sockaddr_in, sockaddr_in6, socklen_t};
use std::cell::RefCell;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

type Allows = Box<dyn Fn(SocketAddr) -> bool>;

thread_local! {
    /// Which addresses may be dialled on this thread. None: all.
    static ALLOWS: RefCell<Option<Allows>> = const { RefCell::new(None) };
}

/// Ends the restriction, even after a panic.
struct Restricted;

impl Drop for Restricted {
    fn drop(&mut self) {
        ALLOWS.take();
    }
}

/// Calls this while only some addresses can be dialled on this thread: dialling another one fails with EACCES.
pub fn only<T>(allows: impl Fn(SocketAddr) -> bool + 'static, call: impl FnOnce() -> T) -> T {
    ALLOWS.set(Some(Box::new(allows)));
    let _restricted = Restricted;
    call()
}

/// Whether the restriction has an effect, which depends on how the program was linked.
///
/// # Errors
/// Returns an error if this machine has no loopback.
pub fn is_restricted() -> io::Result<bool> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let to = listener.local_addr()?;
    Ok(only(|_| false, || TcpStream::connect(to)).is_err())
}

fn is_allowed(to: SocketAddr) -> bool {
    // While a thread ends, nothing logs in on it.
    let allowed = ALLOWS.try_with(|of| of.borrow().as_ref().is_none_or(|allows| allows(to)));
    allowed.unwrap_or(true)
}

/// The address of an internet socket.
///
/// # Safety
/// `address` are so many readable bytes.
unsafe fn read(address: *const sockaddr, length: socklen_t) -> Option<SocketAddr> {
    let length = length as usize;
    if length < size_of::<sockaddr_in>() {
        return None;
    }
    // SAFETY: the caller promises the bytes, and these are enough for what is read, aligned or not.
    unsafe {
        match c_int::from((&raw const (*address).sa_family).read_unaligned()) {
            AF_INET => {
                let of = address.cast::<sockaddr_in>().read_unaligned();
                let ip = Ipv4Addr::from_bits(u32::from_be(of.sin_addr.s_addr));
                Some((ip, u16::from_be(of.sin_port)).into())
            }
            AF_INET6 if length >= size_of::<sockaddr_in6>() => {
                let of = address.cast::<sockaddr_in6>().read_unaligned();
                let ip = Ipv6Addr::from(of.sin6_addr.s6_addr);
                Some((ip, u16::from_be(of.sin6_port)).into())
            }
            _ => None,
        }
    }
}

/// Takes the place of the C library's function in this program.
///
/// # Safety
/// As for the C function: `address` are so many readable bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn connect(socket: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    // SAFETY: the caller promises a valid address of this length.
    let to = unsafe { read(address, length) };
    if to.is_some_and(|to| !is_allowed(to)) {
        // SAFETY: the pointer is to this thread's own errno, which lives as long as the thread.
        unsafe { *libc::__errno_location() = libc::EACCES };
        return -1;
    }
    // SAFETY: these are the arguments of `connect`, which the kernel checks.
    unsafe { libc::syscall(libc::SYS_connect, socket, address, length) as c_int }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn only_what_is_allowed_is_dialled_and_only_on_this_thread() {
        let at = |ip: &str| TcpListener::bind((ip, 0)).expect("a port");
        let [allowed, refused] = [at("127.0.0.1"), at("127.0.0.2")];
        let [yes, no] = [&allowed, &refused].map(|of| of.local_addr().expect("bound"));
        only(
            move |to| to == yes,
            || {
                TcpStream::connect(yes).expect("it is allowed");
                let error = TcpStream::connect(no).expect_err("it is not");
                assert_eq!(error.kind(), ErrorKind::PermissionDenied);
                let elsewhere = std::thread::spawn(move || TcpStream::connect(no));
                elsewhere.join().expect("no panic").expect("another thread");
            },
        );
        TcpStream::connect(no).expect("afterwards all may be dialled");
        assert!(is_restricted().expect("loopback"));
    }

    #[test]
    fn ipv6_addresses_are_read() {
        let to: SocketAddr = "[2001:db8::1]:1521".parse().expect("an address");
        let asked = std::rc::Rc::new(RefCell::new(Vec::new()));
        let asks = asked.clone();
        let refuses = move |to| {
            asks.borrow_mut().push(to);
            false
        };
        only(refuses, || TcpStream::connect(to)).expect_err("it is not allowed");
        // Without IPv6 there is no socket that could be connected.
        if TcpListener::bind("[::1]:0").is_ok() {
            assert_eq!(*asked.borrow(), [to]);
        }
    }
}
