//! Chapters of the guide that `tiebreak help TOPIC` shows.

use crate::protocols::PROTOCOLS;

const GUIDE: &str = include_str!("../../../docs/guide.md");

/// A chapter and the word that selects it.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Topic {
    /// The word that the user types.
    pub(in crate::cli) name: &'static str,
    /// The heading of the chapter in the guide.
    pub(in crate::cli) heading: &'static str,
}

const fn topic(name: &'static str, heading: &'static str) -> Topic {
    Topic { name, heading }
}

/// Chapters that are about no single protocol.
const TOPICS: [Topic; 13] = [
    topic("verdicts", "Verdicts and exit codes"),
    topic("launching", "Launching servers"),
    topic("workloads", "Workloads"),
    topic("stores", "Stores"),
    topic("databases", "Databases"),
    topic("suites", "Suites"),
    topic("operations", "Custom operations"),
    topic("groups", "Groups"),
    topic("sweeps", "Sweeps"),
    topic("interleaving", "Interleaving"),
    topic("revisions", "Revisions"),
    topic("ci", "CI"),
    topic("machines", "More than one machine"),
];

/// All topics, in the order of the guide: those of protocols are there if this build speaks the protocol.
pub(in crate::cli) fn all() -> Vec<Topic> {
    let of_protocols = PROTOCOLS.iter().filter_map(|row| row.chapter);
    let of_protocols = of_protocols.map(|(name, heading)| topic(name, heading));
    let mut all: Vec<Topic> = TOPICS.into_iter().chain(of_protocols).collect();
    all.sort_by_key(|topic| GUIDE.find(&format!("\n## {}\n", topic.heading)));
    all
}

/// The topic of this name, or None if there is no such topic.
pub(in crate::cli) fn find(name: &str) -> Option<Topic> {
    all().into_iter().find(|topic| topic.name == name)
}

impl Topic {
    /// The chapter, from its heading to the next one of the same level. None if the guide
    /// has no such heading.
    pub(in crate::cli) fn chapter(self) -> Option<String> {
        cut(GUIDE, self.heading)
    }
}

fn cut(guide: &str, heading: &str) -> Option<String> {
    let mut lines = guide.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading));
    let first = lines.next()?;
    let rest = lines.take_while(|line| !line.starts_with("## "));
    let chapter: Vec<&str> = [first].into_iter().chain(rest).collect();
    Some(chapter.join("\n").trim_end().to_owned() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_a_chapter() {
        for topic in all() {
            let chapter = topic.chapter().unwrap_or_else(|| panic!("no {}", topic.heading));
            assert!(chapter.starts_with(&format!("## {}\n", topic.heading)), "{chapter}");
            assert!(chapter.lines().count() > 3, "{}: {chapter}", topic.name);
        }
    }

    #[test]
    fn a_chapter_ends_where_the_next_begins() {
        let guide = "# Guide\n\n## One\n\ntext\n\n### Part\n\nmore\n\n## Two\n\nlast\n";
        assert_eq!(cut(guide, "One").as_deref(), Some("## One\n\ntext\n\n### Part\n\nmore\n"));
        assert_eq!(cut(guide, "Two").as_deref(), Some("## Two\n\nlast\n"));
        assert_eq!(cut(guide, "On"), None);
        assert_eq!(cut(guide, "Part"), None);
    }
}
