//! What users of other tools type by habit, where it would mean something else here.

use protocol::Error;
use std::ffi::OsString;
use text::quantities;
use text::shown::shown;

/// The commands that send requests, and the flag that says how long each drives a target at a time.
const SENDING: [(&str, &str); 5] = [
    ("run", "--duration"),
    ("compare", "--round"),
    ("rank", "--round"),
    ("plan", "--round"),
    ("check", "--round"),
];

/// Refuses `-d 5s`, the duration of wrk and hey, which would be sent as a body, and the duration of `tiebreak run`
/// where there are rounds; and `--path`, for which a flag of another meaning would be suggested.
///
/// # Errors
/// If a body reads as a time, unless it was given as `--data=5s`; or if a comparison has a duration, or
/// anything a path.
pub(super) fn check(arguments: &[OsString]) -> Result<(), Error> {
    let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let known = |command: &&str| SENDING.iter().find(|(name, _)| name == command);
    let Some((command, length)) = words.first().and_then(known) else { return Ok(()) };
    let options = words.iter().take_while(|word| **word != "--");
    let names = options.map(|word| word.split_once('=').map_or(*word, |(name, _)| name));
    if *length != "--duration" && names.clone().any(|name| name == "--duration") {
        return Err(Error::usage(format!(
            "`tiebreak {command}` has no --duration, because it drives all contenders in rounds: \
             --round TIME is how long each of them is driven in a round, and --rounds N how many \
             rounds there are; `tiebreak run` drives one target for a --duration"
        )));
    }
    if names.clone().any(|name| name == "--path") {
        return Err(Error::usage(
            "there is no --path: the path is part of the address, such as http://127.0.0.1:8080/path",
        ));
    }
    let apart = words.windows(2).filter(|pair| matches!(pair[0], "-d" | "--data"));
    let attached = words.iter().filter_map(|word| word.strip_prefix("-d"));
    let mut bodies = apart.map(|pair| pair[1]).chain(attached);
    match bodies.find(|body| reads_as_a_time(body)) {
        None => Ok(()),
        Some(body) => {
            let body = shown(body);
            Err(Error::usage(format!(
                "-d {body} would send the body `{body}`: did you mean {length} {body}? For this \
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
        for (line, meant) in [
            ("run u -d 5s", "--duration 5s"),
            ("compare a b -d 100ms -c 8", "--round 100ms"),
            ("run u -d5s", "--duration 5s"),
            ("run u --data 2m", "--duration 2m"),
        ] {
            let text = refused(&format!("tiebreak {line}")).expect(line);
            assert!(text.contains(&format!("did you mean {meant}?")), "{text}");
        }
        for line in
            ["run u --data=5s", "run u -d a=5s", "run u -d 5", "demo -d 5s", "run u --duration 5s"]
        {
            assert_eq!(refused(&format!("tiebreak {line}")), None, "{line}");
        }
    }
    #[test]
    fn a_comparison_with_a_duration_is_told_of_its_rounds() {
        for line in ["compare a b --duration 5s", "check a b --duration=5s"] {
            let text = refused(&format!("tiebreak {line}")).expect(line);
            assert!(text.contains("has no --duration") && text.contains("--round TIME"), "{text}");
        }
        assert_eq!(refused("tiebreak compare a b --set a.duration=5s"), None);
    }

    #[test]
    fn a_path_belongs_to_the_address() {
        let text = refused("tiebreak run u --path /x").expect("no such flag");
        assert!(text.contains("part of the address"), "{text}");
    }
}
