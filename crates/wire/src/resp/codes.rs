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

use crate::code_table::code_table;

code_table! {
    /// An error of a kind without its own code.
    OTHER = (2000, "other_error"),
    /// `ERR`.
    ERR = (2001, "err"),
    /// `WRONGTYPE`: the key holds another kind of value.
    WRONGTYPE = (2002, "wrongtype"),
    /// `OOM`: above `maxmemory`.
    OOM = (2003, "oom"),
    /// `LOADING`: the server is loading its dataset.
    LOADING = (2004, "loading"),
    /// `NOAUTH`: a password is needed.
    NOAUTH = (2005, "noauth"),
    /// `WRONGPASS`.
    WRONGPASS = (2006, "wrongpass"),
    /// `NOPERM`: the user may not run the command.
    NOPERM = (2007, "noperm"),
    /// `NOPROTO`: the server does not speak this version of RESP.
    NOPROTO = (2008, "noproto"),
    /// `MOVED`: another node of the cluster has the key.
    MOVED = (2009, "moved"),
    /// `ASK`: another node of the cluster may have the key.
    ASK = (2010, "ask"),
    /// `TRYAGAIN`: keys are being moved to another node.
    TRYAGAIN = (2011, "tryagain"),
    /// `CROSSSLOT`: keys of one command lie on several nodes.
    CROSSSLOT = (2012, "crossslot"),
    /// `CLUSTERDOWN`.
    CLUSTERDOWN = (2013, "clusterdown"),
    /// `READONLY`: a replica does not accept writes.
    READONLY = (2014, "readonly"),
    /// `MASTERDOWN`: a replica without its master serves no data.
    MASTERDOWN = (2015, "masterdown"),
    /// `NOREPLICAS`: too few of them for a write.
    NOREPLICAS = (2016, "noreplicas"),
    /// `BUSY`: a script is running.
    BUSY = (2017, "busy"),
    /// `NOSCRIPT`.
    NOSCRIPT = (2018, "noscript"),
    /// `MISCONF`: no writes, because the server cannot save them.
    MISCONF = (2019, "misconf"),
    /// `EXECABORT`.
    EXECABORT = (2020, "execabort"),
    /// `BUSYKEY`.
    BUSYKEY = (2021, "busykey"),
    /// `BUSYGROUP`.
    BUSYGROUP = (2022, "busygroup"),
    /// `NOGROUP`.
    NOGROUP = (2023, "nogroup"),
    /// `DENIED`: protected mode.
    DENIED = (2024, "denied"),
    /// `ERR max number of clients reached`; the server closes.
    MAX_CLIENTS = (2025, "max_clients"),
    /// Null in reply to a SET whose condition does not hold.
    NOT_SET = (2026, "not_set"),
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
