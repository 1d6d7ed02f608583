//! Removes what terminals, continuous integration, containers, editors and articles put around a
//! line, before any tool's reader sees it.

/// How many prefixes a line may have, one inside the other.
const MOST: usize = 4;

/// Removes the prefixes with which no tool begins a line.
pub(crate) fn without_prefix(line: &str) -> &str {
    let mut line = line;
    for _ in 0..MOST {
        let trimmed = line.trim_start_matches('\u{feff}').trim();
        let Some(rest) = PREFIXES.iter().find_map(|prefix| prefix(trimmed)) else {
            return trimmed;
        };
        line = rest;
    }
    line.trim()
}

/// The possible readings of a line: with its first mark, which may be the tool's own, and without it.
pub(crate) fn readings(line: &str) -> Vec<&str> {
    let plain = without_emphasis(line);
    let mut all = vec![plain];
    // A remark of the author behind the line.
    let remark =
        ["  #", "\t#", " // ", " <-", " ←", "（", " ("].iter().find_map(|mark| plain.find(mark));
    if let Some(at) = remark {
        all.push(plain[..at].trim_end());
    }
    // The end of a cell, of a line, or of a block of code in Markdown.
    if let Some(line) = [" |", "\\", "```"].iter().find_map(|end| plain.strip_suffix(end)) {
        all.push(line.trim_end());
    }
    let unmarked = MARKS.iter().find_map(|mark| plain.strip_prefix(mark)).or_else(|| {
        // The number of the line, or the name of the process.
        let at = plain.find([':', '|', '\t', ']', '>'])?;
        let (name, rest) = (&plain[..at], &plain[at + 1..]);
        let short = name.len() <= 40 && !name.contains([' ', '"', '{']);
        let known = short || name.starts_with('[');
        (known && plain[at..].starts_with([' ', '\t']) | rest.starts_with([' ', '\t']))
            .then_some(rest)
    });
    if let Some(unmarked) = unmarked {
        let unmarked = unmarked.trim().trim_end_matches('|').trim_end();
        all.push(without_emphasis(unmarked));
        all.push(without_prefix(unmarked));
    }
    all
}

/// The line without its first mark, if it has one.
pub(crate) fn unmarked(line: &str) -> &str {
    readings(line).pop().unwrap_or(line)
}

/// Marks of lists, comments, changes and cells.
const MARKS: &[&str] =
    &["- ", "* ", "+ ", "• ", "// ", "# ", "-- ", ";; ", "; ", "| ", "│ ", "║ ", ": ", "% "];

/// Bold, italic, and code in Markdown.
fn without_emphasis(line: &str) -> &str {
    // A line of stars is cassandra-stress's own.
    if line.starts_with("*****") {
        return line;
    }
    for mark in ["**", "__", "```", "``", "`", "*"] {
        if let Some(inside) = line.strip_prefix(mark) {
            return inside.strip_suffix(mark).unwrap_or(inside).trim();
        }
    }
    // A carriage return may have separated the other mark.
    line.strip_suffix("**").unwrap_or(line)
}

type Prefix = fn(&str) -> Option<&str>;

const PREFIXES: &[Prefix] =
    &[quoted_mail, numbered, time, in_brackets, container, job, system_log, string];

fn quoted_mail(line: &str) -> Option<&str> {
    line.strip_prefix("> ")
}

/// `    12<TAB>`, as `cat -n` prints it.
fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once('\t')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

/// `2026-11-24T10:00:00.123Z `, `2026/11/24 10:00:00 `, `10:00:00.123 `
fn time(line: &str) -> Option<&str> {
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut rest = line;
    if let Some(after) = pattern(rest, "0000-00-00").or_else(|| pattern(rest, "0000/00/00")) {
        rest = after.strip_prefix(['T', ' ', 't'])?;
    }
    let rest = pattern(rest, "00:00:00")?;
    let rest = match rest.strip_prefix(['.', ',', ':']) {
        Some(part) => part.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let zone = rest.strip_prefix(['Z', 'z']).or_else(|| {
        let zone = rest.strip_prefix(['+', '-'])?;
        pattern(zone, "00:00").or_else(|| pattern(zone, "0000"))
    });
    // After the time of a progress line a tool prints a comma or a colon.
    zone.unwrap_or(rest).strip_prefix([' ', '\t', '|']).map(str::trim_start)
}

/// `[10:00:00] `, `[2026-11-24 10:00:00,123] `, `[pod/bench-x/wrk] `, `[bench] ` before a text
/// that is not a count of hey's.
fn in_brackets(line: &str) -> Option<&str> {
    let (inside, rest) = line.strip_prefix('[')?.split_once(']')?;
    let is_time = time(&format!("{inside} ")).is_some();
    (is_time || inside.starts_with("pod/")).then(|| rest.trim_start_matches([':', ' ', '\t']))
}

/// `bench-1  | ` of Docker Compose.
fn container(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once('|')?;
    let (name, rest) = (name.strip_suffix([' ', '\t'])?.trim_end(), rest.strip_prefix(' ')?);
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let known = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(of_name);
    known.then_some(rest)
}

/// `bench<TAB>Run wrk<TAB>2026-11-24T10:00:00Z …`, as `gh run view --log` prints it.
fn job(line: &str) -> Option<&str> {
    let mut columns = line.splitn(3, '\t');
    let (_, _, rest) = (columns.next()?, columns.next()?, columns.next()?);
    time(rest.trim_start_matches('\u{feff}'))
}

/// `Nov 24 10:00:00 host wrk[123]: `
fn system_log(line: &str) -> Option<&str> {
    let months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = line.get(..3)?;
    if months.find(month).is_none_or(|at| at % 3 != 0) {
        return None;
    }
    let rest = line[3..].trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = pattern(rest.trim_start(), "00:00:00")?;
    rest.split_once("]: ").map(|(_, rest)| rest)
}

/// `"line",`, as Ansible prints it.
fn string(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('"')?;
    let inside = inside.strip_suffix("\",").or_else(|| inside.strip_suffix('"'))?;
    (!inside.contains('"')).then_some(inside)
}

/// The rest of a text behind a pattern, in which `0` is any digit.
fn pattern<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    let fits = |(c, of): (char, char)| c == of || of == '0' && c.is_ascii_digit();
    let fit = text.chars().zip(pattern.chars()).all(fits);
    (fit && text.len() >= pattern.len()).then(|| &text[pattern.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "Requests/sec:  4396.01";

    #[test]
    fn prefixes_are_removed_and_lines_of_tools_are_not_changed() {
        for before in [
            "",
            "> ",
            "12\t",
            "2026-11-24T10:00:00.1234567Z ",
            "2026-11-24T10:00:00+01:00 ",
            "2026/11/24 10:00:00 ",
            "10:00:00.5 ",
            "[10:00:00] ",
            "[2026-11-24 10:00:00,123] ",
            "[pod/bench-abc/wrk] ",
            "bench-1  | ",
            "bench\tRun wrk\t2026-11-24T10:00:00.1Z ",
            "Nov 24 10:00:00 host wrk[12]: ",
            "bench-1  | 2026-11-24T10:00:00Z ",
        ] {
            assert_eq!(without_prefix(&format!("{before}{LINE}")), LINE, "{before}");
        }
        assert_eq!(without_prefix(&format!("\"{LINE}\",")), LINE);
        for line in [
            "[200] 1000 responses",
            "\"SET\",\"1000.00\"",
            "00:00:12",
            "[ 1s ] thds: 4 tps: 20.1",
            "GET      /      12     0(0.00%) |     12",
            "progress: 1.0 s, 2.0 tps",
            "0.512 |****   12",
        ] {
            assert_eq!(without_prefix(line), line);
        }
    }

    #[test]
    fn marks_are_read_in_both_ways() {
        for line in [
            "- Requests/sec:  4396.01",
            "**Requests/sec:  4396.01**",
            "`Requests/sec:  4396.01`",
            "| Requests/sec:  4396.01 |",
            "12: Requests/sec:  4396.01",
            "[wrk] Requests/sec:  4396.01",
            "stdout: Requests/sec:  4396.01",
            "# Requests/sec:  4396.01",
            "Requests/sec:  4396.01 (four thousand)",
            "Requests/sec:  4396.01   # four thousand",
            "Requests/sec:  4396.01  ##four thousand",
            "Requests/sec:  4396.01 // four thousand",
            "Requests/sec:  4396.01 <-- four thousand",
            "Requests/sec:  4396.01\t#four thousand",
        ] {
            let readings = readings(line);
            assert!(readings.contains(&LINE), "{line}: {readings:?}");
        }
    }

    proptest! {
        #[test]
        fn any_line_has_a_reading(line in "[\\[\\]0-9:|> \"Z.\t#*-]{0,40}", other: String) {
            for line in [line, other] {
                prop_assert!(line.contains(without_prefix(&line)));
                prop_assert!(readings(&line).iter().all(|reading| line.contains(reading)));
            }
        }
    }
}
