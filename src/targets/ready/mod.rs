//! Checks whether a target is ready, that is, whether it answers in its protocol. For a target that
//! we did not launch any complete reply is enough, even a 404: the audit judges that.

use protocol::secrets::quote;
use protocol::{NotReady, Protocol};
use record::{Failure, Reasons, RequestPlan, Seen};

/// The pauses between the attempts with a target that refuses: about two seconds in all.
pub(crate) const PAUSES_MS: [u64; 2] = [500, 1500];

/// The result of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A complete reply.
    Ready,
    /// Not ready yet; another attempt may succeed.
    NotYet(&'static str),
    /// Another attempt would not help.
    Never(&'static str),
    /// The TLS handshake failed; another attempt would not help.
    NoTls,
    /// The request could not be sent because we ran out of ports, descriptors or memory.
    Ours(&'static str),
}

/// The server sent another message.
const NO_ECHO: Answer = Answer::Never(
    "its reply differs from the message that was sent: tiebreak requires a server \
                   that echoes",
);

/// The server sent the members of a room another message.
const OTHER_COPY: Answer = Answer::Never(
    "it sends the members of a room (?room=NAME) a message that differs from what was sent",
);

/// Some members of a room got nothing in time.
const NO_COPIES: Answer = Answer::Never(
    "not every member of a room (?room=NAME) got the message within the timeout: chat needs a \
     server that sends it to all of them, the sender included",
);

/// What the reply must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedReply {
    /// Complete.
    Reply,
    /// A success, for stores and databases.
    SayYes,
    /// The message that was sent, after an upgrade.
    Echo,
    /// A copy of the message for every member of the room, after an upgrade.
    Copies,
}

impl ExpectedReply {
    /// What the reply to this request must be.
    pub(crate) fn of(asks: &RequestPlan) -> ExpectedReply {
        if asks.members() > 1 {
            ExpectedReply::Copies
        } else if asks.messages().is_some() {
            ExpectedReply::Echo
        } else if asks.is_store() || asks.sql().is_some() {
            ExpectedReply::SayYes
        } else {
            ExpectedReply::Reply
        }
    }
}

/// Interprets the trial of a single request, or of one to each of several servers, all of which
/// must answer.
pub(crate) fn answer(seen: &Seen, must: ExpectedReply, protocol: Option<&Protocol>) -> Answer {
    match (must, seen.outcomes.unexpected.keys().next()) {
        (ExpectedReply::SayYes | ExpectedReply::Echo | ExpectedReply::Copies, Some(code)) => {
            return match protocol.map_or(NotReady::ERROR, |protocol| (protocol.not_ready)(*code)) {
                NotReady::NotYet(why) => Answer::NotYet(why),
                NotReady::Never(why) => Answer::Never(why),
            };
        }
        (ExpectedReply::Echo, None) if seen.outcomes.wrong > 0 => return NO_ECHO,
        (ExpectedReply::Copies, None) if seen.outcomes.wrong > 0 => return OTHER_COPY,
        (ExpectedReply::Copies, None) if seen.outcomes.failed.contains_key(&Failure::Timeout) => {
            return NO_COPIES;
        }
        _ => {}
    }
    let Some(failure) = seen.outcomes.failed.keys().next() else {
        let has_answered = seen.codes.values().sum::<u64>() > 0;
        return if has_answered { Answer::Ready } else { Answer::NotYet("it sent no reply") };
    };
    match failure {
        Failure::Refused => Answer::NotYet("it refused the connection"),
        Failure::Reset => Answer::NotYet("it reset the connection"),
        Failure::Closed => Answer::NotYet("it closed the connection before its reply was complete"),
        Failure::Unreachable => Answer::NotYet("it cannot be reached from here"),
        Failure::Timeout | Failure::Waiting => {
            Answer::Never("it sent no complete reply within the timeout")
        }
        Failure::Exit => Answer::Never("it cannot be run, or exits with a status other than 0"),
        Failure::Signal => Answer::Never("it was killed by a signal"),
        Failure::Starved => Answer::Never("no connection of its pool became free"),
        Failure::TooLarge => Answer::Never(
            "its reply is longer than reply.max allows (raise it with --set NAME.reply.max=100MB)",
        ),
        Failure::Protocol => Answer::Never("it does not speak this protocol there"),
        Failure::Tls => Answer::NoTls,
        Failure::Full => Answer::Never("it has no space left"),
        Failure::Denied => Answer::Never("it denies read or write access"),
        Failure::Io => Answer::Never("it could not read or write"),
        Failure::NoPort => Answer::Ours("no local port was left"),
        Failure::NoDescriptor => Answer::Ours("no file descriptor was left"),
        Failure::NoMemory => Answer::Ours("no buffer memory was left"),
    }
}

/// Why a request failed, in the words of the target or else in ours. Returns None if nothing is known.
pub(crate) fn in_words(reasons: &Reasons) -> Option<String> {
    let said = reasons.said.first().map(|said| format!("it says \"{}\"", quote(&said.text)));
    said.or_else(|| reasons.faults.keys().next().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_complete_reply_is_ready_and_failures_say_what_was_seen() {
        let mut replied = Seen::default();
        replied.codes.insert(404, 1);
        assert_eq!(answer(&replied, ExpectedReply::Reply, None), Answer::Ready);
        assert!(matches!(answer(&Seen::default(), ExpectedReply::Reply, None), Answer::NotYet(_)));
        for failure in Failure::ALL {
            let mut seen = Seen::default();
            seen.outcomes.failed.insert(failure, 1);
            let again = matches!(answer(&seen, ExpectedReply::Reply, None), Answer::NotYet(_));
            let ours = matches!(answer(&seen, ExpectedReply::Reply, None), Answer::Ours(_));
            assert_eq!(ours, failure.fault_owner() == record::FaultOwner::Generator, "{failure:?}");
            let passing = matches!(
                failure,
                Failure::Refused | Failure::Reset | Failure::Closed | Failure::Unreachable
            );
            assert_eq!(again, passing, "{failure:?}");
        }
    }
}
