//! Which contenders use a setting.

use crate::plan::settings::declared::Setting;
use crate::protocols::PROTOCOLS;
use protocol::{Family, Protocol};

/// Which contenders use a setting. It is refused for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedBy {
    /// All.
    Everyone,
    /// Those with connections that tiebreak opens.
    Connected,
    /// HTTP.
    Requests,
    /// HTTP and messages.
    Headers,
    /// Servers of messages.
    Messages,
    /// Those that can have several operations in flight on a connection.
    Deep,
    /// Stores that our own codecs drive.
    Stores,
    /// Those whose keys can be spread over several servers.
    Sharded,
    /// Servers that are already running.
    Running,
    /// Those whose protocols declare it as a setting of their own.
    Own,
    /// Databases that are queried in SQL.
    Databases,
    /// Those whose protocol has consistency levels.
    Replicated,
}

impl Setting {
    /// Whether contenders of a protocol can use it.
    pub fn fits(&self, protocol: &Protocol) -> bool {
        let family = &protocol.family;
        match self.used_by {
            UsedBy::Everyone => true,
            UsedBy::Connected | UsedBy::Running => {
                !matches!(family, Family::Files(_) | Family::Program)
            }
            UsedBy::Requests => matches!(family, Family::Requests(_)),
            UsedBy::Headers => matches!(family, Family::Requests(_) | Family::Messages(_)),
            UsedBy::Messages => matches!(family, Family::Messages(_)),
            UsedBy::Deep => matches!(family, Family::Store(_) | Family::Messages(_)),
            UsedBy::Stores => matches!(family, Family::Store(_)),
            UsedBy::Sharded => protocol.is_sharded(),
            UsedBy::Own => protocol.own.iter().any(|own| own.key == self.key),
            UsedBy::Databases => matches!(family, Family::Sql(_)),
            UsedBy::Replicated => !protocol.consistency.is_empty(),
        }
    }

    /// Whether a protocol of this build can use it.
    pub fn is_used(&self) -> bool {
        PROTOCOLS.iter().any(|row| self.fits(row))
    }

    /// An example of a value, or the words that each protocol has, for the help of `--set`.
    pub fn full_example(&self) -> String {
        match (self.words, self.protocols()) {
            (Some(of), _) => PROTOCOLS.words_by_protocol(of),
            (None, Some(protocols)) => format!("{} ({protocols})", self.example),
            (None, None) => self.example.to_owned(),
        }
    }

    /// The protocols that have the setting, if only these do.
    pub fn protocols(&self) -> Option<String> {
        match self.used_by {
            UsedBy::Own | UsedBy::Sharded | UsedBy::Replicated => {
                Some(PROTOCOLS.titles(|row| self.fits(row)))
            }
            _ => None,
        }
    }
}
