//! Codes of replies that are not a success, for [`Class::Error`], [`Reply::code`] and
//! [`Codec::refused`].
//!
//! Redis has words, not numbers: an error begins with one. These numbers are ours and never change,
//! because journals contain them. All are from 2000 to 2999, so that they differ from those of
//! other protocols.
//!
//! [`Class::Error`]: crate::Class::Error
//! [`Reply::code`]: crate::Reply::code
//! [`Codec::refused`]: crate::Codec::refused

/// An error of a kind without its own code.
pub const OTHER: u16 = 2000;
/// `ERR`.
pub const ERR: u16 = 2001;
/// `WRONGTYPE`: the key holds another kind of value.
pub const WRONGTYPE: u16 = 2002;
/// `OOM`: above `maxmemory`.
pub const OOM: u16 = 2003;
/// `LOADING`: the server is loading its dataset.
pub const LOADING: u16 = 2004;
/// `NOAUTH`: a password is needed.
pub const NOAUTH: u16 = 2005;
/// `WRONGPASS`.
pub const WRONGPASS: u16 = 2006;
/// `NOPERM`: the user may not run the command.
pub const NOPERM: u16 = 2007;
/// `NOPROTO`: the server does not speak this version of RESP.
pub const NOPROTO: u16 = 2008;
/// `MOVED`: another node of the cluster has the key.
pub const MOVED: u16 = 2009;
/// `ASK`: another node of the cluster may have the key.
pub const ASK: u16 = 2010;
/// `TRYAGAIN`: keys are being moved to another node.
pub const TRYAGAIN: u16 = 2011;
/// `CROSSSLOT`: keys of one command lie on several nodes.
pub const CROSSSLOT: u16 = 2012;
/// `CLUSTERDOWN`.
pub const CLUSTERDOWN: u16 = 2013;
/// `READONLY`: a replica does not accept writes.
pub const READONLY: u16 = 2014;
/// `MASTERDOWN`: a replica without its master serves no data.
pub const MASTERDOWN: u16 = 2015;
/// `NOREPLICAS`: too few of them for a write.
pub const NOREPLICAS: u16 = 2016;
/// `BUSY`: a script is running.
pub const BUSY: u16 = 2017;
/// `NOSCRIPT`.
pub const NOSCRIPT: u16 = 2018;
/// `MISCONF`: no writes, because the server cannot save them.
pub const MISCONF: u16 = 2019;
/// `EXECABORT`.
pub const EXECABORT: u16 = 2020;
/// `BUSYKEY`.
pub const BUSYKEY: u16 = 2021;
/// `BUSYGROUP`.
pub const BUSYGROUP: u16 = 2022;
/// `NOGROUP`.
pub const NOGROUP: u16 = 2023;
/// `DENIED`: protected mode.
pub const DENIED: u16 = 2024;
/// `ERR max number of clients reached`; the server closes.
pub const MAX_CLIENTS: u16 = 2025;
/// Null in reply to a SET whose condition does not hold.
pub const NOT_SET: u16 = 2026;

/// Every code and its name in a report.
pub const TABLE: &[(u16, &str)] = &[
    (OTHER, "other_error"),
    (ERR, "err"),
    (WRONGTYPE, "wrongtype"),
    (OOM, "oom"),
    (LOADING, "loading"),
    (NOAUTH, "noauth"),
    (WRONGPASS, "wrongpass"),
    (NOPERM, "noperm"),
    (NOPROTO, "noproto"),
    (MOVED, "moved"),
    (ASK, "ask"),
    (TRYAGAIN, "tryagain"),
    (CROSSSLOT, "crossslot"),
    (CLUSTERDOWN, "clusterdown"),
    (READONLY, "readonly"),
    (MASTERDOWN, "masterdown"),
    (NOREPLICAS, "noreplicas"),
    (BUSY, "busy"),
    (NOSCRIPT, "noscript"),
    (MISCONF, "misconf"),
    (EXECABORT, "execabort"),
    (BUSYKEY, "busykey"),
    (BUSYGROUP, "busygroup"),
    (NOGROUP, "nogroup"),
    (DENIED, "denied"),
    (MAX_CLIENTS, "max_clients"),
    (NOT_SET, "not_set"),
];

/// The name of a code. Returns None if it is not of this protocol.
pub fn name(code: u16) -> Option<&'static str> {
    TABLE.iter().find(|entry| entry.0 == code).map(|entry| entry.1)
}

/// How much of an error's text is needed for its code.
pub(super) const CODE_BYTES: usize = 64;

/// The code of an error, from the first bytes of its text. The word that it
/// begins with is the code's name in capitals.
pub(super) fn of(text: &[u8]) -> u16 {
    let text = &text[..text.len().min(CODE_BYTES)];
    if text.starts_with(b"ERR max number of clients") {
        return MAX_CLIENTS;
    }
    let word = text.split(|byte| *byte == b' ').next().unwrap_or_default();
    let shouted = word.iter().all(u8::is_ascii_uppercase);
    let named = |entry: &&(u16, &str)| entry.1.as_bytes().eq_ignore_ascii_case(word);
    let found = if shouted { TABLE.iter().find(named) } else { None };
    found.map_or(OTHER, |entry| entry.0)
}
