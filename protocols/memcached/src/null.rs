//! What a null memcached answers: `get` and `set` of one key, in both dialects. Pure except for the
//! versions.

use testserver::null::{Consumed, Data, NullService, decimal, line};

/// A service of the null server.
pub(crate) struct Memcached(pub(crate) Data);

impl NullService for Memcached {
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        let Some((line, rest)) = line(input) else { return Consumed::NotAll };
        let mut words = line.split(|byte| *byte == b' ');
        let (verb, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let last = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        match verb {
            b"get" if self.0.read(key) => {
                out.extend_from_slice(b"VALUE ");
                out.extend_from_slice(key);
                out.extend_from_slice(b" 0 ");
                self.0.sized(out);
                out.extend_from_slice(b"END\r\n");
            }
            b"mg" if self.0.read(key) => {
                out.extend_from_slice(b"VA ");
                self.0.sized(out);
            }
            b"set" | b"ms" => {
                let Some(length) = decimal(last) else { return Consumed::Unknown };
                if rest.len() < length + 2 {
                    return Consumed::NotAll;
                }
                if !self.0.write(key, &rest[..length]) {
                    return Consumed::Unknown;
                }
                out.extend_from_slice(if verb == b"ms" { b"HD\r\n" } else { b"STORED\r\n" });
                return Consumed::Bytes(line.len() + 2 + length + 2);
            }
            _ => return Consumed::Unknown,
        }
        Consumed::Bytes(line.len() + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::testing::{null_data, null_refuses, null_store_reads_what_it_wrote};

    fn store() -> Memcached {
        Memcached(null_data())
    }

    #[test]
    fn it_reads_what_it_wrote() {
        #[rustfmt::skip]
        let cases: [[&[u8]; 5]; 2] = [
            [b"get k:000000000007\r\n", b"set k:000000000007 0 0 32\r\n", b"STORED\r\n",
             b"VALUE k:000000000007 0 32\r\n", b"\r\nEND\r\n"],
            [b"mg k:000000000007 v\r\n", b"ms k:000000000007 32\r\n", b"HD\r\n",
             b"VA 32\r\n", b"\r\n"],
        ];
        for requests in cases {
            null_store_reads_what_it_wrote(&mut store(), requests);
        }
    }

    #[test]
    fn what_no_lane_says_is_refused() {
        let requests: [&[u8]; 4] = [
            b"flush_all\r\n",
            b"get k:000000000010\r\n",
            b"get short\r\n",
            b"set k:000000000001 0 0 3\r\nabc\r\n",
        ];
        null_refuses(|| Box::new(store()), &requests);
    }
}
