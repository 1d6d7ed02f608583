//! Settings of Cassandra's client library, only for contenders with cassandra://.

use crate::plan::settings::Settings;
use record::CassandraSettings;
use record::cassandra::{Batch, Compression, Routing};
use std::ops::RangeInclusive;
use text::near;
use text::quantities;
use text::shown::shown;

const PAGE: RangeInclusive<u32> = 1..=1_000_000;
const BATCH: RangeInclusive<u32> = 1..=10_000;
const SOCKETS: RangeInclusive<u32> = 1..=64;

impl Settings {
    /// Returns the settings of Cassandra's client library, with defaults for those not given.
    pub(in crate::plan) fn cassandra(&self) -> CassandraSettings {
        let usual = CassandraSettings::default();
        CassandraSettings {
            routing: self.routing.unwrap_or(usual.routing),
            compression: self.compression.unwrap_or(usual.compression),
            page_size: self.page_size.unwrap_or(usual.page_size),
            batch: self.batch.unwrap_or(usual.batch),
            batch_size: self.batch_size.unwrap_or(usual.batch_size),
            write_coalescing: self.write_coalescing.unwrap_or(usual.write_coalescing),
            sockets_per_node: self.sockets_per_node.unwrap_or(usual.sockets_per_node),
        }
    }
}

pub(super) fn routing(text: &str) -> Result<Routing, String> {
    one_of(text, Routing::ALL, Routing::name, "a way to choose nodes")
}

pub(super) fn compression(text: &str) -> Result<Compression, String> {
    one_of(text, Compression::ALL, Compression::name, "a compression")
}

pub(super) fn batch(text: &str) -> Result<Batch, String> {
    one_of(text, Batch::ALL, Batch::name, "a kind of batch")
}

pub(super) fn write_coalescing(text: &str) -> Result<bool, String> {
    let wrong =
        || format!("`{}`: write write_coalescing=true or write_coalescing=false", shown(text));
    text.parse().map_err(|_| wrong())
}

pub(super) fn page_size(text: &str) -> Result<u32, String> {
    number(text, PAGE, "rows of a page")
}

pub(super) fn batch_size(text: &str) -> Result<u32, String> {
    number(text, BATCH, "times that statements are in a batch")
}

pub(super) fn sockets_per_node(text: &str) -> Result<u32, String> {
    number(text, SOCKETS, "sockets to a node")
}

fn number(text: &str, fits: RangeInclusive<u32>, what: &str) -> Result<u32, String> {
    let number = quantities::count(text).ok().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| fits.contains(number)).ok_or_else(|| {
        format!(
            "`{}` is not a number of {what} from {} to {}",
            shown(text),
            fits.start(),
            fits.end()
        )
    })
}

fn one_of<T: Copy>(
    text: &str,
    all: &[T],
    name: fn(T) -> &'static str,
    what: &str,
) -> Result<T, String> {
    all.iter().copied().find(|of| name(*of) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|of| name(*of)).collect();
        let meant = near::did_you_mean(text, names.iter().copied());
        format!("`{}` is not {what}: {}{meant}", shown(text), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::declared::Declared;

    #[test]
    fn what_is_not_given_is_the_usual() {
        let mut settings = Settings::default();
        assert_eq!(settings.cassandra(), CassandraSettings::default());
        for (key, value) in [
            ("routing", "round-robin"),
            ("compression", "lz4"),
            ("page_size", "100"),
            ("batch", "unlogged"),
            ("batch_size", "10"),
            ("write_coalescing", "true"),
            ("sockets_per_node", "2"),
        ] {
            settings.set(key, value).unwrap_or_else(|message| panic!("{message}"));
        }
        let wanted = CassandraSettings {
            routing: Routing::RoundRobin,
            compression: Compression::Lz4,
            page_size: 100,
            batch: Batch::Unlogged,
            batch_size: 10,
            write_coalescing: true,
            sockets_per_node: 2,
        };
        assert_eq!(settings.clone().over(&Settings::default()).cassandra(), wanted);
    }

    #[test]
    fn bad_values_name_the_remedy() {
        for (key, value, message) in [
            ("routing", "token", "`token` is not a way to choose nodes: token-aware, round-robin"),
            ("compression", "snappy", "`snappy` is not a compression: none, lz4"),
            (
                "batch",
                "loged",
                "`loged` is not a kind of batch: none, logged, unlogged; did you mean `logged`?",
            ),
            ("page_size", "0", "`0` is not a number of rows of a page from 1 to 1000000"),
            (
                "batch_size",
                "0",
                "`0` is not a number of times that statements are in a batch from 1 to 10000",
            ),
            ("sockets_per_node", "65", "`65` is not a number of sockets to a node from 1 to 64"),
            (
                "write_coalescing",
                "on",
                "`on`: write write_coalescing=true or write_coalescing=false",
            ),
        ] {
            let result = Settings::default().set(key, value);
            assert_eq!(result, Err(message.to_owned()), "{key}={value}");
        }
    }
}
