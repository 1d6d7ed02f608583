//! Queries memcached about itself: one server, or several that each hold some of the keys.

use protocol::secrets::quote;
use protocol::side_channel::{
    About, Kept, ServerStart, SideChannel, StoreConnection, TIMEOUT, check_own_keys,
};
use record::{Address, Fact, Workload};
use wire::memcached::{Dialect, Limits, Memcached, Mode, Op, Store, codes};

/// The maximum length of a note.
const LONGEST_NOTE: u64 = 4096;

/// The default maximum size of an item in bytes (`-I`).
const LONGEST_ITEM: u32 = 1 << 20;

/// The servers of one contender.
///
/// Several servers do not keep a note: it would have to contain the start of each server, which is
/// not supported yet. Their keys are loaded in every run.
pub(super) struct Servers {
    each: Vec<Address>,
}

impl Servers {
    /// The servers at this address.
    pub(super) fn at(address: &Address) -> Servers {
        let each = match address {
            Address::Nodes(nodes) => nodes.iter().map(|node| Address::Tcp(*node)).collect(),
            Address::Tcp(_) | Address::Unix(_) | Address::Directory(_) | Address::Program => {
                vec![address.clone()]
            }
        };
        Servers { each }
    }

    /// The server, if it is the only one.
    fn only(&self) -> Option<&Address> {
        match self.each.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl SideChannel for Servers {
    /// The sum of what they report.
    fn query(&self) -> Result<About, String> {
        let reports = self.each.iter().map(|server| about(&mut connection(server, 0)?));
        let reports: Vec<About> = reports.collect::<Result<_, _>>()?;
        match <[About; 1]>::try_from(reports) {
            Ok([only]) => Ok(only),
            Err(several) => Ok(sum(&several)),
        }
    }

    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        match self.only() {
            Some(server) => read_fingerprint(&mut connection(server, 0)?, key),
            None => Ok(None),
        }
    }

    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        let server = self.only().ok_or("a load of several servers cannot be recorded in them")?;
        let (key, value) = (key.as_bytes(), text.as_bytes().into());
        let store = Store { mode: Mode::Set, key, value };
        connection(server, 0)?.ask(&Op::Store(store))?.good()
    }

    /// Removes a note. One that another run left on any server must not be trusted.
    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        let forget = |server| connection(server, 0)?.ask(&Op::Delete(key.as_bytes()))?.good();
        self.each.iter().try_for_each(forget)
    }

    /// Checks that the existing keys of this workload were written by tiebreak. A server that does
    /// not answer has nothing to lose.
    fn create_tables(&self, workload: &Workload) -> Result<(), String> {
        let most = workload.value.most().max(LONGEST_ITEM);
        self.each.iter().try_for_each(|server| {
            let Ok(mut connection) = connection(server, most) else { return Ok(()) };
            check_own_keys(workload, "another store", |key| {
                Ok(read_fingerprint(&mut connection, key)?.map_or(Kept::Nothing, Kept::Text))
            })
        })
    }
}

/// A connection whose replies may contain values of this many bytes. It speaks the text protocol,
/// which every version understands.
fn connection(server: &Address, bytes: u32) -> Result<StoreConnection<Memcached>, String> {
    let value_bytes = LONGEST_NOTE.max(u64::from(bytes));
    let codec = Memcached::new(Dialect::Text, Limits { value_bytes }, 1);
    Ok(StoreConnection::open(server, codec, codes::name, TIMEOUT)?.with_values_of(bytes))
}

/// The sum over several servers. A figure that one of them does not report is not known.
fn sum(reports: &[About]) -> About {
    let total = |count: fn(&About) -> Option<u64>| reports.iter().map(count).sum();
    About {
        items: total(|of| of.items),
        bytes: total(|of| of.bytes),
        room: total(|of| of.room),
        reuses_room: false,
        evictions: total(|of| of.evictions),
        start: None,
        durable: Some(false),
        facts: reports.iter().flat_map(|of| of.facts.iter().cloned()).collect(),
    }
}

fn about(connection: &mut StoreConnection<Memcached>) -> Result<About, String> {
    let reply = connection.ask(&Op::Stats)?;
    reply.good()?;
    Ok(read(&reply.items))
}

/// The lines of `stats`, each `NAME VALUE`.
fn read(lines: &[Vec<u8>]) -> About {
    let text = |name: &str| {
        let values =
            lines.iter().filter_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "));
        values.into_iter().next().and_then(|value| std::str::from_utf8(value).ok())
    };
    let number = |name: &str| text(name)?.parse::<u64>().ok();
    let began = number("time").zip(number("uptime")).and_then(|(now, up)| now.checked_sub(up));
    let version = text("version").map_or("of an unknown version".to_owned(), quote);
    let memory = number("limit_maxbytes");
    let limit = memory.map(|bytes| format!(", {bytes} bytes at most")).unwrap_or_default();
    // Values can also be in files (`-o ext_path`).
    let in_files = number("extstore_limit_maxbytes").unwrap_or(0);
    About {
        items: number("curr_items"),
        bytes: number("bytes"),
        // Its memory is divided into pages for items of similar sizes, which do not change hands at once.
        reuses_room: false,
        room: memory.filter(|most| *most > 0).map(|most| most.saturating_add(in_files)),
        evictions: number("evictions"),
        start: number("pid").zip(began).map(|(pid, began)| ServerStart::Process { pid, began }),
        durable: Some(false),
        facts: vec![Fact {
            command: "stats".to_owned(),
            line: Some(format!("memcached {version}, in memory only{limit}")),
        }],
    }
}

fn read_fingerprint(
    connection: &mut StoreConnection<Memcached>,
    key: &str,
) -> Result<Option<Vec<u8>>, String> {
    connection.ask(&Op::Get(key.as_bytes()))?.into_value()
}
