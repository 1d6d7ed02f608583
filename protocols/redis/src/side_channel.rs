//! Queries Redis or Valkey about itself.

use protocol::secrets::quote;
use protocol::side_channel::{
    About, Kept, ServerStart, SideChannel, StoreConnection, StoreReply, TIMEOUT, check_own_keys,
};
use record::{Address, Fact, Workload};
use wire::resp::codes;
use wire::resp::{Limits, Op, Opening, Resp, Set, When};
use wire::{Class, List};

/// The longest string in a reply.
const LONGEST_STRING: u64 = 256 << 10;

/// Index of the last byte that is read of a possible note; notes are not longer.
const LAST_OF_NOTE: &[u8] = b"999";

/// Letters of a `run_id`.
const RUN_ID: usize = 40;

/// One database of a server. It has no `Debug` because it may contain a password.
pub(super) struct Server {
    pub(super) address: Address,
    pub(super) opening: Opening,
}

impl Server {
    fn connect(&self) -> Result<StoreConnection<Resp>, String> {
        let codec = Resp::new(self.opening.clone(), Limits { bulk_bytes: LONGEST_STRING }, 1);
        StoreConnection::open(&self.address, codec, codes::name, TIMEOUT)
    }
}

impl SideChannel for Server {
    fn query(&self) -> Result<About, String> {
        about(&mut self.connect()?)
    }

    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        self.connect()?.ask(&Op::Get(key.as_bytes()))?.into_value()
    }

    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        let (key, value) = (key.as_bytes(), text.as_bytes().into());
        let set = Set { key, value, when: When::Always };
        self.connect()?.ask(&Op::Set(set))?.good()
    }

    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        self.connect()?.ask(&Op::Del(List::Slices(&[key.as_bytes()])))?.good()
    }

    fn create_tables(&self, workload: &Workload) -> Result<(), String> {
        let Ok(mut connection) = self.connect() else { return Ok(()) };
        let elsewhere = "another database, such as redis://HOST:PORT/1";
        check_own_keys(workload, elsewhere, |key| kept(&mut connection, key))
    }
}

fn about(connection: &mut StoreConnection<Resp>) -> Result<About, String> {
    let info = command(connection, &[b"INFO"])?;
    info.good()?;
    let items = command(connection, &[b"DBSIZE"])?;
    let items = items.good().ok().and_then(|()| text(&items.into_first())?.parse().ok());
    let settings = ["appendonly", "appendfsync", "save"].map(|name| setting(connection, name));
    let durable = synced(&settings);
    let info = Info(String::from_utf8_lossy(&info.into_first()).into_owned());
    Ok(About {
        items,
        bytes: info.number("used_memory_dataset"),
        reuses_room: true,
        room: info.number("maxmemory").filter(|most| *most > 0),
        evictions: info.number("evicted_keys"),
        start: info.run_id().map(ServerStart::Run),
        durable,
        facts: vec![info.fact(), durability(&info, settings.into_iter().flatten().collect())],
    })
}

/// The answer to INFO: lines of `name:value`.
struct Info(String);

impl Info {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    fn run_id(&self) -> Option<String> {
        let id = self.text("run_id")?;
        let plain = id.len() == RUN_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain.then(|| id.to_owned())
    }

    /// The version, and what happens when memory is full.
    fn fact(&self) -> Fact {
        let name = quote(self.text("server_name").unwrap_or("redis"));
        let version = self.text(&format!("{name}_version"));
        let version = quote(version.unwrap_or("of an unknown version"));
        let memory = match (self.number("maxmemory"), self.text("maxmemory_policy")) {
            (None, _) => String::new(),
            (Some(0), _) => ", no maxmemory".to_owned(),
            (Some(most), policy) => {
                format!(", maxmemory {most} {}", quote(policy.unwrap_or_default()))
            }
        };
        Fact { command: "INFO".to_owned(), line: Some(format!("{name} {version}{memory}")) }
    }
}

/// A setting, such as `appendonly no`. Returns None if the server does not show its settings.
fn setting(connection: &mut StoreConnection<Resp>, name: &str) -> Option<String> {
    let reply = command(connection, &[b"CONFIG", b"GET", name.as_bytes()]).ok()?;
    reply.good().ok()?;
    let [first, rest @ ..] = reply.items.as_slice() else { return None };
    // An empty value produces no item.
    let value = rest.first().map_or(String::new(), quote);
    let plain = !value.is_empty() && !value.contains(' ');
    let value = if plain { value } else { format!("'{value}'") };
    (first == name.as_bytes()).then(|| format!("{name} {value}"))
}

/// Whether a write waits for the disk. Returns None if the server does not show its settings.
fn synced(settings: &[Option<String>; 3]) -> Option<bool> {
    let [appends, syncs, _] = settings;
    Some(appends.as_deref()? == "appendonly yes" && syncs.as_deref()? == "appendfsync always")
}

/// What it keeps on disk, according to its settings or, if it does not show those, to INFO.
fn durability(info: &Info, settings: Vec<String>) -> Fact {
    let (command, line) = if settings.is_empty() {
        ("INFO", info.text("aof_enabled").map(|on| format!("aof_enabled {}", quote(on))))
    } else {
        ("CONFIG GET", Some(settings.join(", ")))
    };
    Fact { command: command.to_owned(), line }
}

/// The value of a key; the first bytes if it is a string.
fn kept(connection: &mut StoreConnection<Resp>, key: &str) -> Result<Kept, String> {
    let reply = command(connection, &[b"GETRANGE", key.as_bytes(), b"0", LAST_OF_NOTE])?;
    if reply.class() == Some(Class::Error(codes::WRONGTYPE)) {
        return Ok(Kept::Other);
    }
    reply.good()?;
    let text = reply.into_first();
    Ok(if text.is_empty() { Kept::Nothing } else { Kept::Text(text) })
}

fn command(connection: &mut StoreConnection<Resp>, words: &[&[u8]]) -> Result<StoreReply, String> {
    connection.ask(&Op::Command(List::Slices(words)))
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
