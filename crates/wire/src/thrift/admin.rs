//! Queries about a cluster and changes of its schema. None of them is sent during a measurement.

use super::exceptions::Exceptions;
use super::message::{field, i32_field, list, map, stop, string, string_field, types};
use super::route::Success;
use alloc::vec::Vec;

/// The reply is not compressed.
const NO_COMPRESSION: u32 = 2;
/// The consistency level of a query.
const ONE: u32 = 1;

/// A query about the cluster or a change of its schema.
#[derive(Clone, Copy, Debug)]
pub enum Admin<'a> {
    /// The name of the cluster; the body is the text.
    ClusterName,
    /// The class that spreads keys over nodes; the body is the text.
    Partitioner,
    /// The tokens of all nodes, in any order, each an item.
    TokenMap,
    /// The versions of the schema that nodes have, each an item. Nodes that cannot be reached
    /// have the version `UNREACHABLE`.
    SchemaVersions,
    /// The description of a keyspace; the body is read by
    /// [`Keyspace::read`](super::Keyspace::read). A miss means that it does not exist.
    Keyspace(&'a str),
    /// Makes a keyspace without column families.
    AddKeyspace {
        /// Its name.
        name: &'a str,
        /// How many copies of each row there are, placed by `SimpleStrategy`.
        replication: &'a str,
    },
    /// Makes a column family.
    AddFamily {
        /// The keyspace.
        keyspace: &'a str,
        /// Its name.
        name: &'a str,
        /// Its comment.
        comment: &'a str,
        /// Whether it has super columns, named by texts, whose columns are named by numbers of 8
        /// bytes, big-endian. Otherwise it has columns named by texts.
        is_super: bool,
    },
    /// Removes all rows of a column family of the selected keyspace.
    Truncate(&'a str),
    /// One statement in CQL 3 (from 1.2 on); the body is the values of its rows.
    Cql(&'a str),
}

impl Admin<'_> {
    /// The name of the call.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Admin::ClusterName => "describe_cluster_name",
            Admin::Partitioner => "describe_partitioner",
            Admin::TokenMap => "describe_token_map",
            Admin::SchemaVersions => "describe_schema_versions",
            Admin::Keyspace(_) => "describe_keyspace",
            Admin::AddKeyspace { .. } => "system_add_keyspace",
            Admin::AddFamily { .. } => "system_add_column_family",
            Admin::Truncate(_) => "truncate",
            Admin::Cql(_) => "execute_cql3_query",
        }
    }

    /// What its reply has.
    pub(super) fn answer(&self) -> (Success, Exceptions) {
        match self {
            Admin::ClusterName | Admin::Partitioner => (Success::Text, Exceptions::Nothing),
            Admin::TokenMap | Admin::SchemaVersions => (Success::Keys, Exceptions::Invalid),
            Admin::Keyspace(_) => (Success::Struct, Exceptions::Describe),
            Admin::AddKeyspace { .. } | Admin::AddFamily { .. } => {
                (Success::Text, Exceptions::Schema)
            }
            Admin::Truncate(_) => (Success::Void, Exceptions::Usual),
            Admin::Cql(_) => (Success::Rows, Exceptions::Usual),
        }
    }
}

/// Writes the arguments.
pub(super) fn write(admin: &Admin<'_>, to: &mut Vec<u8>) {
    match admin {
        Admin::ClusterName | Admin::Partitioner | Admin::TokenMap | Admin::SchemaVersions => {}
        Admin::Keyspace(name) | Admin::Truncate(name) => string_field(to, 1, name.as_bytes()),
        Admin::AddKeyspace { name, replication } => add_keyspace(to, name, replication),
        Admin::AddFamily { keyspace, name, comment, is_super } => {
            add_family(to, keyspace, name, comment, *is_super);
        }
        Admin::Cql(statement) => {
            string_field(to, 1, statement.as_bytes());
            i32_field(to, 2, NO_COMPRESSION);
            i32_field(to, 3, ONE);
        }
    }
}

/// A `KsDef`.
fn add_keyspace(to: &mut Vec<u8>, name: &str, replication: &str) {
    field(to, types::STRUCT, 1);
    string_field(to, 1, name.as_bytes());
    string_field(to, 2, b"org.apache.cassandra.locator.SimpleStrategy");
    field(to, types::MAP, 3);
    map(to, types::STRING, types::STRING, 1);
    string(to, b"replication_factor");
    string(to, replication.as_bytes());
    field(to, types::LIST, 5);
    list(to, types::STRUCT, 0);
    stop(to);
}

/// A `CfDef`.
fn add_family(to: &mut Vec<u8>, keyspace: &str, name: &str, comment: &str, is_super: bool) {
    field(to, types::STRUCT, 1);
    string_field(to, 1, keyspace.as_bytes());
    string_field(to, 2, name.as_bytes());
    if is_super {
        string_field(to, 3, b"Super");
    }
    string_field(to, 5, b"UTF8Type");
    if is_super {
        string_field(to, 6, b"LongType");
    }
    string_field(to, 8, comment.as_bytes());
    stop(to);
}
