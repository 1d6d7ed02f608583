//! What must hold for every codec and any bytes that a server sends, however
//! they are cut. The tests and the fuzz targets (`fuzz/`) share this file.

mod seen_events;

pub(crate) use seen_events::{SeenEvent, SeenEvents};
use wire::{Codec, Fault, Out, State, Tag};

/// Sizes of the pieces that a stream is cut into, over and over: whole, byte
/// by byte, in 7-byte and in 16 KiB pieces, and unevenly.
pub(crate) const CUTS: [&[usize]; 5] = [&[usize::MAX], &[1], &[7], &[16 * 1024], &[2, 1, 11, 3]];

/// A codec under test, and what it is asked.
pub(crate) trait Subject {
    type Codec: Codec;

    /// A codec for a fresh connection, on which nothing was said.
    fn fresh(&self) -> Self::Codec;

    /// Makes a used codec a fresh one.
    fn renew(&self, codec: &mut Self::Codec);

    /// Asks for what the stream answers.
    fn ask(&self, codec: &mut Self::Codec) -> Result<Tag, Fault>;

    /// Asks for anything at all.
    fn ask_one(&self, codec: &mut Self::Codec) -> Result<Tag, Fault> {
        self.ask(codec)
    }

    /// Sound bytes, which must not be heard after a fault.
    fn reply(&self) -> &[u8];

    /// Fewer bytes than this are held back.
    fn holds(&self) -> usize;

    /// The protocol has answers of its own to what comes, such as a pong to a ping.
    fn answers(&self) -> bool {
        false
    }

    /// Asserts what only holds for this protocol.
    fn inspect(&self, _heard: &SeenEvents) {}
}

/// The most bytes that a codec left unconsumed, and so held back.
pub(crate) type Held = usize;

/// Asks, feeds the stream in pieces and tells its end.
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
    assert_ne!(nothing.map(|progress| progress.state), Ok(State::Ready), "not ready after a fault");
    assert_eq!(codec.end(&mut after), Err(fault), "a fault is for good");
    assert_eq!(subject.ask_one(codec), Err(fault), "no request after a fault");
    assert_eq!(after.said, [], "no event after a fault");
}

/// All that must hold for any stream.
pub(crate) fn check<S: Subject>(subject: &S, stream: &[u8]) -> SeenEvents {
    let whole = same_however_cut(subject, stream);
    if whole.state == Ok(State::Ready) && matches!(whole.ended, Some(Ok(()))) {
        same_when_asked_again(subject, stream);
    }
    whole
}

/// Asserts that the cuts do not matter, and returns what was heard.
pub(crate) fn same_however_cut<S: Subject>(subject: &S, stream: &[u8]) -> SeenEvents {
    let (whole, _) = listen(subject, stream, CUTS[0]);
    for cuts in CUTS {
        let (seen_events, held) = listen(subject, stream, cuts);
        assert_eq!(seen_events, whole, "cut into {cuts:?}");
        assert!(held < subject.holds(), "{held} bytes were held back, cut into {cuts:?}");
    }
    whole
}

/// A connection that was reset hears the same again.
fn same_when_asked_again<S: Subject>(subject: &S, stream: &[u8]) {
    let mut codec = subject.fresh();
    subject.ask(&mut codec).expect("fresh");
    let (first, _) = feed(subject, &mut codec, stream, CUTS[0]);
    for cuts in [CUTS[2], CUTS[1]] {
        subject.renew(&mut codec);
        subject.ask(&mut codec).expect("reset");
        assert_eq!(feed(subject, &mut codec, stream, cuts).0, first, "reset");
    }
}

/// A stream with what must be heard: whole and in pieces, and cut in two at
/// every place.
pub(crate) fn expect<S: Subject>(
    subject: &S,
    name: &str,
    stream: &[u8],
    expected: &str,
) -> SeenEvents {
    let whole = check(subject, stream);
    assert_eq!(whole.to_string(), expected, "{name}");
    for at in 1..stream.len() {
        let (seen_events, _) = listen(subject, stream, &[at, usize::MAX]);
        assert_eq!(seen_events, whole, "{name}, cut at byte {at}");
    }
    whole
}

/// Replies that were complete without the end of the stream stay what they
/// were, and the bytes behind them are objected to.
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
    let complete = alone.state.is_ok() && matches!(alone.said.last(), Some(SeenEvent::Done(_)));
    if !complete || codec.end(&mut SeenEvents::default()).is_err() {
        return;
    }
    let seen_events = same_however_cut(subject, &[stream, behind].concat());
    assert_eq!(seen_events.said, alone.said, "{name}, with bytes behind it");
    assert_eq!(seen_events.state, Err(fault), "{name}, with bytes behind it");
}
