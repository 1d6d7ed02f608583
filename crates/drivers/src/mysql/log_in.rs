//! Inspects the packets of a server during a login: whether it requests the password in a way that
//! lets it, or an impostor in its place, read the password. Does no I/O.

use std::fmt;

/// A packet begins with its length, three bytes little endian, and a number.
const HEAD: usize = 4;
/// No packet of a login is longer: a public key takes some hundred bytes.
const LONGEST: usize = 64 << 10;

/// First bytes of packets.
const OK: u8 = 0x00;
const MORE: u8 = 0x01;
const SWITCH: u8 = 0xfe;
const ERROR: u8 = 0xff;
/// After [`MORE`], with caching_sha2_password: the server requests the whole password.
const WHOLE_PASSWORD: u8 = 0x04;

/// Methods that send the password itself, or encrypted with a key that the server sends. Other
/// methods only send a hash of it and of the server's challenge.
const BY_PASSWORD: [&[u8]; 3] = [b"mysql_clear_password", b"sha256_password", b"dialog"];

/// What is protected in a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Nothing: there is no password, or it is sent over TLS.
    Nothing,
    /// The password must not be readable by anybody.
    Password,
    /// The password is not sent in clear text, but may be encrypted with the server's own key.
    PasswordAsItIs,
}

/// The progress of a login.
#[derive(Debug)]
pub(super) struct LogIn {
    guard: Guard,
    /// An incomplete packet.
    begun: Vec<u8>,
    state: LoginState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoginState {
    /// The server's greeting comes first.
    Greeting,
    /// The user name was sent.
    Answering,
    /// The login has ended: what follows are answers to questions.
    Over,
    /// The login was refused: nothing more is passed on.
    Refused,
}

/// Why the login is aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoginRefusal {
    /// The server requests the password by a method that sends it in clear text.
    ByPassword,
    /// The server requests the password encrypted with a key that it would send.
    ByItsOwnKey,
    /// The server sends more than any login needs.
    TooLong,
}

impl fmt::Display for LoginRefusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            LoginRefusal::ByPassword => {
                "the server requests the password in clear text (mysql_clear_password or similar), \
                 which tiebreak does not send: configure the user for caching_sha2_password, \
                 mysql_native_password or ed25519"
            }
            LoginRefusal::ByItsOwnKey => {
                "the server requests the password encrypted with a public key that it sends \
                 itself; without TLS, an impostor in its place could read it: use TLS \
                 (?sslmode=verify-full), or allow it (?allow-public-key-retrieval=true)"
            }
            LoginRefusal::TooLong => "the server sends more than a login needs",
        })
    }
}

impl LogIn {
    pub(super) fn guarded(guard: Guard) -> LogIn {
        let state = if guard == Guard::Nothing { LoginState::Over } else { LoginState::Greeting };
        LogIn { guard, begun: Vec::new(), state }
    }

    /// Takes the next bytes from the server, and returns what may be passed on.
    ///
    /// # Errors
    /// Returns an error if the server requests the password.
    pub(super) fn pass(&mut self, piece: &[u8]) -> Result<Vec<u8>, LoginRefusal> {
        let mut passed = Vec::new();
        self.begun.extend_from_slice(piece);
        while !matches!(self.state, LoginState::Over | LoginState::Refused) {
            let Some(length) = packet(&self.begun)? else { return Ok(passed) };
            self.state = self.after(&self.begun[HEAD..length])?;
            passed.extend(self.begun.drain(..length));
        }
        if self.state == LoginState::Over {
            passed.append(&mut self.begun);
        }
        Ok(passed)
    }

    /// The state after a packet with this content.
    fn after(&self, bytes: &[u8]) -> Result<LoginState, LoginRefusal> {
        match (self.state, bytes) {
            (_, [ERROR, ..]) => Ok(LoginState::Refused),
            (LoginState::Greeting, _) => Ok(LoginState::Answering),
            (_, [OK, ..]) => Ok(LoginState::Over),
            (_, [MORE, WHOLE_PASSWORD, ..]) if self.guard == Guard::Password => {
                Err(LoginRefusal::ByItsOwnKey)
            }
            (_, [SWITCH, method @ ..]) => {
                let method = method.split(|byte| *byte == 0).next().unwrap_or_default();
                if BY_PASSWORD.contains(&method) {
                    Err(LoginRefusal::ByPassword)
                } else {
                    Ok(LoginState::Answering)
                }
            }
            _ => Ok(LoginState::Answering),
        }
    }
}

/// Bytes of the first packet with its head, or None if it is not complete.
fn packet(bytes: &[u8]) -> Result<Option<usize>, LoginRefusal> {
    let [a, b, c, _, ..] = *bytes else { return Ok(None) };
    let length = HEAD + u32::from_le_bytes([a, b, c, 0]) as usize;
    if length > LONGEST {
        return Err(LoginRefusal::TooLong);
    }
    Ok((bytes.len() >= length).then_some(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet_of(bytes: &[u8]) -> Vec<u8> {
        let mut packet = (bytes.len() as u32).to_le_bytes()[..3].to_vec();
        packet.push(0);
        packet.extend_from_slice(bytes);
        packet
    }

    /// All packets, in pieces of this many bytes.
    fn passed(packets: &[&[u8]], piece: usize) -> Result<Vec<u8>, LoginRefusal> {
        passed_by(Guard::Password, packets, piece)
    }

    fn passed_by(guard: Guard, packets: &[&[u8]], piece: usize) -> Result<Vec<u8>, LoginRefusal> {
        let all: Vec<u8> = packets.iter().flat_map(|bytes| packet_of(bytes)).collect();
        let mut log_in = LogIn::guarded(guard);
        let mut passed = Vec::new();
        for piece in all.chunks(piece) {
            passed.extend(log_in.pass(piece)?);
        }
        Ok(passed)
    }

    const GREETING: &[u8] = b"\x0a8.0.36\0and its challenge";

    #[test]
    fn what_answers_a_challenge_is_passed_on_whole() {
        let good: [&[&[u8]]; 5] = [
            &[GREETING, b"\0ok", b"\x01\x04 is the beginning of an answer"],
            &[GREETING, b"\x01\x03", b"\0ok"],
            &[GREETING, b"\xfemysql_native_password\0challenge", b"\0ok"],
            &[GREETING, b"\xfeclient_ed25519\0challenge", b"\0ok"],
            &[GREETING, b"\xfeparsec\0challenge", b"P\0salt", b"\0ok"],
        ];
        for packets in good {
            let all: Vec<u8> = packets.iter().flat_map(|bytes| packet_of(bytes)).collect();
            for piece in [1, 3, 1000] {
                assert_eq!(passed(packets, piece), Ok(all.clone()), "in pieces of {piece}");
            }
        }
    }

    #[test]
    fn requests_for_the_password_are_cut_off() {
        let bad: [(&[&[u8]], LoginRefusal); 6] = [
            (&[GREETING, b"\x01\x04"], LoginRefusal::ByItsOwnKey),
            (&[GREETING, b"\xfecaching_sha2_password\0x", b"\x01\x04"], LoginRefusal::ByItsOwnKey),
            (&[GREETING, b"\xfemysql_clear_password\0"], LoginRefusal::ByPassword),
            (&[GREETING, b"\xfemysql_clear_password"], LoginRefusal::ByPassword),
            (&[GREETING, b"\xfesha256_password\0x"], LoginRefusal::ByPassword),
            (&[GREETING, &[1; LONGEST + 1]], LoginRefusal::TooLong),
        ];
        for (packets, why) in bad {
            for piece in [1, 1000] {
                assert_eq!(passed(packets, piece), Err(why));
            }
        }
    }

    /// The library skips progress reports, which begin like errors.
    #[test]
    fn nothing_is_passed_on_behind_an_error() {
        let refused = passed(&[GREETING, b"\xff\xff\xffprogress", b"\x01\x04"], 1000);
        let events = [packet_of(GREETING), packet_of(b"\xff\xff\xffprogress")].concat();
        assert_eq!(refused, Ok(events));
    }
    #[test]
    fn the_servers_own_key_may_be_allowed_and_the_plain_password_never() {
        let key: &[&[u8]] = &[GREETING, b"\x01\x04", b"\x01-----BEGIN", b"\0ok"];
        let all: Vec<u8> = key.iter().flat_map(|bytes| packet_of(bytes)).collect();
        assert_eq!(passed_by(Guard::PasswordAsItIs, key, 7), Ok(all));
        let plain: &[&[u8]] = &[GREETING, b"\xfemysql_clear_password\0"];
        assert_eq!(passed_by(Guard::PasswordAsItIs, plain, 7), Err(LoginRefusal::ByPassword));
        assert!(passed_by(Guard::Nothing, plain, 7).is_ok());
    }
}
