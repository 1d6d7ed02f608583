//! What users of other tools type by habit, where it would mean something else here.

use crate::exit::Error;
use std::ffi::OsString;
use text::quantities;
use text::shown::shown;

/// The commands that send requests.
const SENDING: [&str; 3] = ["run", "compare", "check"];

/// Refuses `-d 5s`, the duration of wrk and hey, which would be sent as a body.
///
/// # Errors
/// If a body reads as a time, unless it was given as `--data=5s`.
pub(super) fn check(arguments: &[OsString]) -> Result<(), Error> {
    let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    if !words.first().is_some_and(|command| SENDING.contains(command)) {
        return Ok(());
    }
    let apart = words.windows(2).filter(|pair| matches!(pair[0], "-d" | "--data"));
    let attached = words.iter().filter_map(|word| word.strip_prefix("-d"));
    let mut bodies = apart.map(|pair| pair[1]).chain(attached);
    match bodies.find(|body| reads_as_a_time(body)) {
        None => Ok(()),
        Some(body) => {
            let body = shown(body);
            Err(Error::usage(format!(
                "-d {body} would send the body `{body}`: did you mean --duration {body}? For this \
                 body, write --data={body}"
            )))
        }
    }
}

fn reads_as_a_time(body: &str) -> bool {
    let has_unit = body.ends_with(|last: char| last.is_ascii_alphabetic());
    has_unit && quantities::duration(body).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        check(&words).err().map(|error| error.text)
    }

    #[test]
    fn a_body_that_reads_as_a_time_is_refused() {
        for line in ["run u -d 5s", "compare a b -d 100ms -c 8", "run u -d5s", "run u --data 2m"] {
            let text = refused(&format!("tiebreak {line}")).expect(line);
            assert!(text.contains("did you mean --duration "), "{text}");
        }
        for line in
            ["run u --data=5s", "run u -d a=5s", "run u -d 5", "demo -d 5s", "run u --duration 5s"]
        {
            assert_eq!(refused(&format!("tiebreak {line}")), None, "{line}");
        }
    }
}
