//! What must hold for every codec and any bytes that a server sends, however
//! they are cut. The tests and the fuzz targets (`fuzz/`) share this file.

mod seen_events;

pub(crate) use seen_events::{SeenEvent, SeenEvents};
use wire::{Class, Codec, ConnectionState, Fault, Out, Tag};

/// Sizes of the pieces that a stream is cut into, over and over: whole, byte
/// by byte, in 7-byte and in 16 KiB pieces, and unevenly.
#[cfg(not(miri))]
pub(crate) const CUTS: [&[usize]; 5] = [&[usize::MAX], &[1], &[7], &[16 * 1024], &[2, 1, 11, 3]];
/// The same in larger pieces, since Miri is a hundred times slower than the machine.
#[cfg(miri)]
pub(crate) const CUTS: [&[usize]; 5] =
    [&[usize::MAX], &[101], &[70], &[16 * 1024], &[2, 1, 311, 3]];

/// A codec under test, and the operations that are sent through it.
pub(crate) trait Subject {
    type Codec: Codec;

    /// A codec for a fresh connection, on which nothing was sent or received.
    fn fresh(&self) -> Self::Codec;

    /// Makes a used codec a fresh one.
    fn renew(&self, codec: &mut Self::Codec) {
        codec.reset();
    }

    /// Sends the operations that the stream answers.
    fn ask(&self, codec: &mut Self::Codec) -> Result<Tag, Fault>;

    /// Sends any operation.
    fn ask_one(&self, codec: &mut Self::Codec) -> Result<Tag, Fault> {
        self.ask(codec)
    }

    /// A valid reply, which must cause no event after a fault.
    fn reply(&self) -> &[u8];

    /// Fewer bytes than this are held back.
    fn holds(&self) -> usize;

    /// Whether the protocol itself answers what it receives, such as a pong to a ping.
    fn answers(&self) -> bool {
        false
    }

    /// Asserts what only holds for this protocol.
    fn inspect(&self, _seen_events: &SeenEvents) {}
}

/// Writes all operations, and returns the tag of the last one.
pub(crate) fn write_all<C: Codec>(codec: &mut C, ops: &[C::Op<'static>]) -> Result<Tag, Fault> {
    let mut last = Ok(Tag(0));
    for op in ops {
        last = codec.write(op, &mut Out::default());
        last?;
    }
    last
}

/// Opens a connection whose login the server has already answered with `welcome`. None if the
/// stream holds the answer.
pub(crate) fn open<C: Codec>(codec: &mut C, welcome: Option<&[u8]>) {
    codec.open(&mut Out::default());
    if let Some(welcome) = welcome {
        let mut seen_events = SeenEvents::default();
        codec.read(welcome, &mut Out::default(), &mut seen_events).expect("welcome");
        assert_eq!(seen_events.events, [], "a login is not an operation");
    }
}

/// Asserts that every code has a name, that errors and only they have one, and that a miss
/// holds nothing.
pub(crate) fn inspect_codes(seen_events: &SeenEvents, name: fn(u16) -> Option<&'static str>) {
    for event in &seen_events.events {
        let SeenEvent::Done(reply) = event else { continue };
        assert!(reply.code == 0 || name(reply.code).is_some(), "{reply:?}");
        assert_eq!(reply.code != 0, matches!(reply.class, Class::Error(_)));
        if reply.class == Class::Miss {
            assert_eq!((reply.items, reply.body_len), (0, 0), "a miss holds nothing");
        }
    }
}

/// The most bytes that a codec left unconsumed, and so held back.
pub(crate) type Held = usize;

/// Sends the operations, feeds the stream in pieces and then ends it.
pub(crate) fn listen<S: Subject>(subject: &S, stream: &[u8], cuts: &[usize]) -> (SeenEvents, Held) {
    let mut codec = subject.fresh();
    subject.ask(&mut codec).expect("a fresh connection takes a request");
    let (mut seen_events, held) = feed(subject, &mut codec, stream, cuts);
    end(subject, &mut codec, &mut seen_events);
    (seen_events, held)
}

/// Feeds the stream as the engine would: what is not consumed is shown again,
/// with more behind it.
pub(crate) fn feed<S: Subject>(
    subject: &S,
    codec: &mut S::Codec,
    stream: &[u8],
    cuts: &[usize],
) -> (SeenEvents, Held) {
    let mut seen_events = SeenEvents::default();
    let (mut consumed, mut shown, mut held) = (0, 0usize, 0);
    let mut out = Out::default();
    for size in cuts.iter().cycle() {
        shown = shown.saturating_add(*size).min(stream.len());
        let input = &stream[consumed..shown];
        match codec.read(input, &mut out, &mut seen_events) {
            Ok(progress) => {
                assert!(progress.consumed <= input.len(), "consumed more than there was");
                consumed += progress.consumed;
                held = held.max(shown - consumed);
                seen_events.state = Ok(progress.state);
            }
            Err(fault) => {
                seen_events.state = Err(fault);
                break;
            }
        }
        if shown == stream.len() {
            break;
        }
    }
    assert!(out.is_empty() || subject.answers(), "this protocol never answers by itself");
    if let Err(fault) = seen_events.state {
        assert_silent(subject, codec, fault);
    }
    subject.inspect(&seen_events);
    (seen_events, held)
}

/// The peer closes.
pub(crate) fn end<S: Subject>(subject: &S, codec: &mut S::Codec, seen_events: &mut SeenEvents) {
    let ended = codec.end(seen_events);
    seen_events.ended = Some(ended);
    if let Err(fault) = ended {
        assert_silent(subject, codec, fault);
    }
    subject.inspect(seen_events);
}

/// After a fault there are no more events, and it stays the same.
fn assert_silent<S: Subject>(subject: &S, codec: &mut S::Codec, fault: Fault) {
    let mut after = SeenEvents::default();
    let read = codec.read(subject.reply(), &mut Out::default(), &mut after);
    assert_eq!(read.map(|progress| progress.state), Err(fault), "a fault is for good");
    let nothing = codec.read(b"", &mut Out::default(), &mut after);
    assert_ne!(
        nothing.map(|progress| progress.state),
        Ok(ConnectionState::Ready),
        "not ready after a fault"
    );
    assert_eq!(codec.end(&mut after), Err(fault), "a fault is for good");
    assert_eq!(subject.ask_one(codec), Err(fault), "no request after a fault");
    assert_eq!(after.events, [], "no event after a fault");
}

/// All that must hold for any stream.
pub(crate) fn check<S: Subject>(subject: &S, stream: &[u8]) -> SeenEvents {
    let whole = same_however_cut(subject, stream);
    if whole.state == Ok(ConnectionState::Ready) && matches!(whole.ended, Some(Ok(()))) {
        same_after_reset(subject, stream);
    }
    whole
}

/// Asserts that the cuts do not matter, and returns the events.
pub(crate) fn same_however_cut<S: Subject>(subject: &S, stream: &[u8]) -> SeenEvents {
    let (whole, _) = listen(subject, stream, CUTS[0]);
    for cuts in CUTS {
        let (seen_events, held) = listen(subject, stream, cuts);
        assert_eq!(seen_events, whole, "cut into {cuts:?}");
        assert!(held < subject.holds(), "{held} bytes were held back, cut into {cuts:?}");
    }
    whole
}

/// A connection that was reset reports the same events again.
fn same_after_reset<S: Subject>(subject: &S, stream: &[u8]) {
    let mut codec = subject.fresh();
    subject.ask(&mut codec).expect("fresh");
    let (first, _) = feed(subject, &mut codec, stream, CUTS[0]);
    for cuts in [CUTS[2], CUTS[1]] {
        subject.renew(&mut codec);
        subject.ask(&mut codec).expect("reset");
        assert_eq!(feed(subject, &mut codec, stream, cuts).0, first, "reset");
    }
}

/// Checks that a stream causes the expected events: whole and in pieces, and cut in two at
/// every byte.
pub(crate) fn expect<S: Subject>(
    subject: &S,
    name: &str,
    stream: &[u8],
    expected: &str,
) -> SeenEvents {
    let whole = check(subject, stream);
    assert_eq!(whole.to_string(), expected, "{name}");
    // As with the pieces.
    let step = if cfg!(miri) { 29 } else { 1 };
    for at in (1..stream.len()).step_by(step) {
        let (seen_events, _) = listen(subject, stream, &[at, usize::MAX]);
        assert_eq!(seen_events, whole, "{name}, cut at byte {at}");
    }
    whole
}

/// Replies that were complete without the end of the stream stay what they
/// were, and the bytes behind them are a fault.
pub(crate) fn with_bytes_behind<S: Subject>(
    subject: &S,
    name: &str,
    stream: &[u8],
    behind: &[u8],
    fault: Fault,
) {
    let mut codec = subject.fresh();
    subject.ask(&mut codec).expect("fresh");
    let (alone, _) = feed(subject, &mut codec, stream, CUTS[0]);
    let complete = alone.state.is_ok() && matches!(alone.events.last(), Some(SeenEvent::Done(_)));
    if !complete || codec.end(&mut SeenEvents::default()).is_err() {
        return;
    }
    let seen_events = same_however_cut(subject, &[stream, behind].concat());
    assert_eq!(seen_events.events, alone.events, "{name}, with bytes behind it");
    assert_eq!(seen_events.state, Err(fault), "{name}, with bytes behind it");
}
