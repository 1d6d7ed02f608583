//! Merges equal findings about several contenders into one entry.

use super::short_name;
use judge::verdict::Finding;
use text::shown::{shown, shown_sentence};
use unicode_width::UnicodeWidthStr;

/// Longest name of a contender in a list of them, in characters.
const LONGEST_NAME: usize = 28;

/// One or more findings that differ only in contender, evidence and figure.
pub struct FindingGroup<'a> {
    /// Used for everything that all of them have in common.
    pub first: &'a Finding,
    /// All of them, in their order.
    pub all: Vec<&'a Finding>,
}

/// Findings in groups, in the order of the first of each.
pub fn grouped<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<FindingGroup<'a>> {
    let mut groups: Vec<FindingGroup<'a>> = Vec::new();
    for finding in findings {
        match groups.iter_mut().find(|group| alike(group.first, finding)) {
            Some(group) => group.all.push(finding),
            None => groups.push(FindingGroup { first: finding, all: vec![finding] }),
        }
    }
    groups
}

fn alike(one: &Finding, other: &Finding) -> bool {
    let key = |of: &Finding| {
        [&of.rule, &of.short, &of.hint, &of.remedy].map(|text: &String| text.clone())
    };
    one.weight == other.weight && key(one) == key(other)
}

impl FindingGroup<'_> {
    /// The evidence: each sentence once, with the names of all contenders that it is about.
    pub fn evidence(&self) -> Vec<(Vec<String>, String)> {
        let mut sentences: Vec<(Vec<String>, String)> = Vec::new();
        for finding in &self.all {
            let evidence = shown_sentence(&finding.evidence);
            let names = finding.contender.as_ref().map(shown);
            match sentences.iter_mut().find(|(_, other)| *other == evidence) {
                Some((all, _)) => all.extend(names),
                None => sentences.push((names.into_iter().collect(), evidence)),
            }
        }
        sentences
    }

    /// One line of at most `room` columns: `operations failed (new 100 %): look at its
    /// log`. What does not fit is left out: figures first, then what to do, then names.
    pub fn line(&self, room: usize) -> String {
        let (names, figures) = (self.about(|_| None), self.about(|of| of.figure.as_ref()));
        line(&self.first.short, &names, &figures, &self.first.hint, room)
    }

    /// Each contender once, with this text about it.
    fn about<'b>(&'b self, figure: impl Fn(&'b Finding) -> Option<&'b String>) -> Vec<String> {
        let mut about = Vec::new();
        for finding in &self.all {
            let name = finding.contender.as_ref().map(|name| short_name(name, LONGEST_NAME));
            let entry: Vec<String> = name.into_iter().chain(figure(finding).map(shown)).collect();
            let entry = entry.join(" ");
            if !entry.is_empty() && !about.contains(&entry) {
                about.push(entry);
            }
        }
        about
    }
}

/// `short (old 2 %, new 3 %): hint` in at most `room` columns.
pub fn line(short: &str, names: &[String], figures: &[String], hint: &str, room: usize) -> String {
    let [short, hint] = [short, hint].map(shown);
    let mut all = vec![
        format!("{short}{}: {hint}", listed(figures, figures.len())),
        format!("{short}{}: {hint}", listed(names, names.len())),
        format!("{short}{}", listed(figures, figures.len())),
    ];
    // The first contenders, and how many more there are.
    let fewer =
        (1..names.len()).rev().map(|kept| format!("{short}{}: {hint}", listed(names, kept)));
    all.extend(fewer.chain([format!("{short}: {hint}"), short.clone()]));
    let fitting = all.into_iter().find(|line| line.width() <= room);
    fitting.unwrap_or_else(|| cut(&short, room))
}

/// ` (old, new and 3 more)`.
fn listed(about: &[String], kept: usize) -> String {
    if about.is_empty() {
        return String::new();
    }
    let more = match about.len() - kept {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(" ({}{more})", about[..kept].join(", "))
}

/// Cuts a text that is too long and marks the cut with an ellipsis.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        let next = c.encode_utf8(&mut [0; 4]).width();
        if kept.width() + next + 1 > room {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::verdict::Weight;

    fn finding(contender: Option<&str>, figure: Option<&str>) -> Finding {
        Finding {
            rule: "misses".to_owned(),
            weight: Weight::Caution,
            contender: contender.map(str::to_owned),
            evidence: "it lost some".to_owned(),
            remedy: "Give it more memory.".to_owned(),
            short: "keys were not found".to_owned(),
            figure: figure.map(str::to_owned),
            hint: "more memory".to_owned(),
            bearing: Default::default(),
        }
    }

    #[test]
    fn equal_findings_form_one_group() {
        let heavier = Finding { weight: Weight::Void, ..finding(Some("c"), None) };
        let all = [finding(Some("a"), Some("2 %")), heavier, finding(Some("b"), Some("3 %"))];
        let groups = grouped(&all);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].line(99), "keys were not found (a 2 %, b 3 %): more memory");
        let names = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(groups[0].evidence(), [(names, "it lost some".to_owned())]);
        assert_eq!(groups[1].line(99), "keys were not found (c): more memory");
    }

    #[test]
    fn a_line_leaves_out_figures_first_then_the_remedy_then_names() {
        let named = |name: &&str| finding(Some(name), Some("12.3 %"));
        let all: Vec<Finding> = ["one", "two", "three"].iter().map(named).collect();
        let groups = grouped(&all);
        let table = [
            (71, "keys were not found (one 12.3 %, two 12.3 %, three 12.3 %): more memory"),
            (70, "keys were not found (one, two, three): more memory"),
            (50, "keys were not found (one, two, three): more memory"),
            (49, "keys were not found (one and 2 more): more memory"),
            (32, "keys were not found: more memory"),
            (20, "keys were not found"),
            (10, "keys were…"),
        ];
        for (room, line) in table {
            assert_eq!(groups[0].line(room), line);
        }
        assert_eq!(grouped(&[finding(None, None)])[0].line(99), "keys were not found: more memory");
    }

    #[test]
    fn foreign_text_is_escaped() {
        let hostile = finding(Some("a\u{1b}"), Some("\u{202e}"));
        let line = grouped([&hostile])[0].line(99);
        assert_eq!(line, r"keys were not found (a\u{1b} \u{202e}): more memory");
    }
}
