//! Facts of the machine.

use record::Host;
use std::fs::read_to_string;
use std::io::{self, Read};
use sys::clock::{Discipline, discipline};

/// What the system reports about itself; the rest stays empty. The machine's name is left out
/// because a journal may be shown to others.
pub fn facts(cores: &[u32], descriptors: u64) -> Host {
    Host {
        kernel: kernel(),
        cpu: field(&read("/proc/cpuinfo"), "model name").unwrap_or_default(),
        cores: cores.to_vec(),
        memory_bytes: memory(&read("/proc/meminfo")),
        clock: read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        descriptors,
        client_ports: client_ports().unwrap_or_default(),
    }
}

/// The ports that the kernel gives to clients. None if it does not say.
pub fn client_ports() -> Option<(u16, u16)> {
    ports(&read("/proc/sys/net/ipv4/ip_local_port_range"))
}

/// A random number that most likely no other run has drawn. It has 32 bits, so that it is short
/// enough to be typed again.
///
/// # Errors
/// If the system returns no random bytes.
pub fn draw_seed() -> io::Result<u64> {
    random_bytes().map(|bytes| u64::from(u32::from_ne_bytes(bytes)))
}

/// Random bytes that nobody can guess.
///
/// # Errors
/// If the system returns none.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// What the kernel reports about the discipline of its clock (NTP, chrony, PTP): whether it is
/// synchronised, and how wrong it may be. Returns an empty text if the kernel reports nothing.
pub(crate) fn clock_discipline() -> String {
    match discipline() {
        None => String::new(),
        Some(Discipline::Unsynchronised) => "not synchronised".to_owned(),
        Some(Discipline::Within(us)) => format!("synchronised, with a maximum error of {us} µs"),
    }
}

fn read(file: &str) -> String {
    read_to_string(file).unwrap_or_default().trim().to_owned()
}

fn kernel() -> String {
    let parts = ["/proc/sys/kernel/ostype", "/proc/sys/kernel/osrelease"].map(read);
    parts.join(" ").trim().to_owned()
}

/// The value of the first line `name : value`.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

fn memory(text: &str) -> u64 {
    let value = field(text, "MemTotal").unwrap_or_default();
    let kilobytes = value.split(' ').next().and_then(|digits| digits.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn ports(text: &str) -> Option<(u16, u16)> {
    let mut ports = text.split_whitespace().map_while(|digits| digits.parse().ok());
    ports.next().zip(ports.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_texts_are_read() {
        let cpu = "processor\t: 0\nmodel name\t: A Processor @ 2.0GHz\nmodel name\t: Another\n";
        assert_eq!(field(cpu, "model name").as_deref(), Some("A Processor @ 2.0GHz"));
        assert_eq!(field(cpu, "absent"), None);
        assert_eq!(memory("MemTotal:       8000 kB\nMemFree: 1 kB"), 8_192_000);
        assert_eq!(memory(""), 0);
        assert_eq!(ports("32768\t60999\n"), Some((32768, 60999)));
        assert_eq!(ports("garbage"), None);
        assert_eq!(ports("32768"), None);
    }

    #[test]
    fn this_machine_says_something() {
        let host = facts(&[0], sys::limits::raise_descriptors().expect("Linux"));
        assert!(host.kernel.starts_with("Linux "), "{host:?}");
        assert!(host.memory_bytes > 0 && host.descriptors > 0, "{host:?}");
    }
}
