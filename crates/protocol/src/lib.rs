//! What a protocol is to tiebreak: its addresses, how its contenders are driven, how its servers are
//! checked, and what they report about themselves.
//!
//! Each protocol is a crate in `protocols/`, which has one [`Protocol`] and implements [`Access`]. The
//! program has one table of them, [`Protocols`].
#![forbid(unsafe_code)]

mod access;
pub mod address;
mod error;
mod files;
pub mod input;
mod messages;
mod own;
pub mod private;
mod protocols;
mod requests;
mod scheme;
pub mod secrets;
pub mod side_channel;
mod software;
mod sql;
mod store;
pub mod stream;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(test)]
#[path = "../../../tests/common/scratch.rs"]
mod scratch;

pub use access::{Access, NullLane};
pub use error::{Error, Exit, STOPPED_TWICE};
pub use files::Files;
pub use messages::{MessageParts, Messages};
pub use own::{Own, OwnSetting, OwnValues};
pub use protocols::Protocols;
pub use requests::{RequestHead, RequestOperation, RequestOperations, RequestParts, Requests};
pub use scheme::{Login, Path, Query, Scheme, TargetKind, is_identifier};
pub use software::{Artifact, Installed, Software};
pub use sql::{ALLOW_KEY, ClientLibrary, NO_DEPTH, Sql, SqlParts, SqlTls, TLS};
pub use store::{Store, StoreParts};

use record::{Consistency, Kind, OperationText};
use std::fmt;
use testserver::null::Service;

/// The properties of a protocol.
pub struct Protocol {
    /// Its name in messages: the scheme without TLS.
    pub name: &'static str,
    /// Its usual name, for reports.
    pub title: &'static str,
    /// The schemes of its addresses; the one without TLS comes first.
    pub schemes: &'static [Scheme],
    /// Schemes that users expect, and what to do instead.
    pub not_supported: &'static [(&'static str, &'static str)],
    /// The program that people use to ask its servers, for advice. Empty if there is none.
    pub client: &'static str,
    /// The setting of its servers that limits their memory, for advice. Empty if there is none.
    pub memory_setting: &'static str,
    /// An example of an address, for messages.
    pub example: &'static str,
    /// Which login an address may contain.
    pub login: Login,
    /// What may follow the port.
    pub path: Path,
    /// What may follow the `?`.
    pub query: Query,
    /// How its contenders are driven.
    pub family: Family,
    /// The settings that only some protocols have, and that it has.
    pub own: &'static [OwnSetting],
    /// How a launched server is checked for readiness.
    pub ready: ReadyRequest,
    /// What a reply with this code says about readiness.
    pub not_ready: fn(u16) -> NotReady,
    /// Codes with which a store reports that it has no space left.
    pub full: &'static [u16],
    /// Why a connection can have only one operation in flight, or None if it can have several.
    pub no_depth: Option<&'static str>,
    /// Why a contender cannot have groups, or None if it can.
    pub no_groups: Option<&'static str>,
    /// The consistency levels that an operation can ask for, the default first. Empty if
    /// the protocol has none.
    pub consistency: &'static [Consistency],
    /// Why an operation of this kind is not supported, or None if it is.
    pub lacks: fn(Kind) -> Option<&'static str>,
    /// The names of the codes under which its replies are counted.
    pub codes: fn() -> Vec<(u16, String)>,
    /// A directory that has the programs of its servers by version, in `VERSION/bin`, if they are in no
    /// directory of PATH, and the program that a client alone does not have.
    pub programs: Option<(&'static str, &'static str)>,
    /// The chapter of the guide about it, and the word that shows it (`tiebreak help WORD`).
    pub chapter: Option<(&'static str, &'static str)>,
    /// Examples for the help of `compare` and `load`.
    pub examples: Examples,
    /// Servers that can be launched by name.
    pub recipes: &'static [Recipe],
    /// Software of these servers that Debian does not package.
    pub software: &'static [Software],
    /// The service of the null server that speaks it, or None if there is none.
    pub null: Option<Service>,
    /// The variants whose cost `tiebreak conformance null` measures.
    pub null_variants: &'static [NullVariant],
}

/// Examples of commands: each has the words behind the command's name, and what they do.
pub struct Examples {
    /// Of `tiebreak compare`.
    pub compare: &'static [(&'static str, &'static str)],
    /// Of `tiebreak load`.
    pub load: &'static [(&'static str, &'static str)],
    /// Of `tiebreak setup`.
    pub setup: &'static [(&'static str, &'static str)],
}

/// A server that can be launched by name. It is written as one contender of an experiment file.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its name.
    pub name: &'static str,
    /// The text of the recipe, to print or to copy.
    pub text: &'static str,
}

/// A variant of a protocol whose cost is measured against the null server.
pub struct NullVariant {
    /// Its name.
    pub name: &'static str,
    /// Whether it is also measured with several operations in flight on a connection.
    pub deep: bool,
    /// Whether it is also measured with a fresh connection for each operation.
    pub fresh: bool,
    /// Returns the access without login and TLS.
    pub access: fn() -> Box<dyn Access>,
}

impl NullVariant {
    /// One that is measured with persistent connections and one operation in flight on each.
    pub const fn new(name: &'static str, access: fn() -> Box<dyn Access>) -> NullVariant {
        NullVariant { name, deep: false, fresh: false, access }
    }

    /// It is also measured with several operations in flight.
    pub const fn deep(self) -> NullVariant {
        NullVariant { deep: true, ..self }
    }

    /// It is also measured with fresh connections.
    pub const fn fresh(self) -> NullVariant {
        NullVariant { fresh: true, ..self }
    }
}

/// How contenders of a protocol are driven.
pub enum Family {
    /// Requests that the server answers.
    Requests(Requests),
    /// Messages that the server echoes.
    Messages(Messages),
    /// Keys and values, through our own codec.
    Store(Store),
    /// Statements, through a client library.
    Sql(Sql),
    /// Files in a directory.
    Files(Files),
    /// A whole program.
    Program,
}

/// What is sent to a server to see whether it is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadyRequest {
    /// A request for a page.
    Page,
    /// A request for an upgrade to messages, with these lines of a head.
    Upgrade(&'static str),
    /// These bytes, which the server answers whatever its settings are. Empty if the server sends
    /// the first bytes.
    Answers(&'static [u8]),
    /// There is no server.
    NoServer,
}

/// Why a server that answered with an error is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// Another attempt may succeed.
    NotYet(&'static str),
    /// Another attempt would not help.
    Never(&'static str),
}

impl NotReady {
    /// An error of which no more is known.
    pub const ERROR: NotReady = NotReady::Never("it answers with an error");
}

impl Protocol {
    /// What most protocols have in common. Each gives its own names, addresses, login, family and readiness.
    pub const USUAL: Protocol = Protocol {
        name: "",
        title: "",
        schemes: &[],
        not_supported: &[],
        client: "",
        memory_setting: "",
        example: "",
        login: Login::Never,
        path: Path::Nothing,
        query: Query::Words(&[]),
        family: Family::Program,
        own: &[],
        ready: ReadyRequest::NoServer,
        not_ready: |_| NotReady::ERROR,
        full: &[],
        no_depth: None,
        no_groups: None,
        consistency: &[],
        lacks: |_| None,
        codes: Vec::new,
        programs: None,
        chapter: None,
        examples: Examples { compare: &[], load: &[], setup: &[] },
        recipes: &[],
        software: &[],
        null: None,
        null_variants: &[],
    };

    /// Whether its contenders can hold keys and values.
    pub fn is_store(&self) -> bool {
        matches!(self.family, Family::Store(_) | Family::Sql(_) | Family::Files(_))
    }

    /// Returns its properties as an SQL database, or None if it is not one.
    pub fn sql(&self) -> Option<&Sql> {
        if let Family::Sql(sql) = &self.family { Some(sql) } else { None }
    }

    /// Returns its properties as a protocol of requests, or None if it is not one.
    pub fn requests(&self) -> Option<&Requests> {
        if let Family::Requests(requests) = &self.family { Some(requests) } else { None }
    }

    /// Returns its properties as files, or None if it is another protocol.
    pub fn files(&self) -> Option<&Files> {
        if let Family::Files(files) = &self.family { Some(files) } else { None }
    }

    /// Whether it is an SQL database.
    pub fn is_sql(&self) -> bool {
        self.sql().is_some()
    }

    /// Whether several nodes are independent servers, each of which holds some of the keys.
    pub fn is_sharded(&self) -> bool {
        matches!(&self.family, Family::Store(store) if store.is_sharded)
    }

    /// Whether a user-defined operation is supported.
    pub fn supports(&self, says: &OperationText) -> bool {
        match (says, &self.family) {
            (OperationText::Sql(_), Family::Sql(_))
            | (OperationText::Request { .. }, Family::Requests(_)) => true,
            (OperationText::Command(_), Family::Store(store)) => store.has_commands,
            _ => false,
        }
    }
}

impl PartialEq for Protocol {
    fn eq(&self, other: &Protocol) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name)
    }
}
