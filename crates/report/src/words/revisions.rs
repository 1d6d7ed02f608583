//! The revisions that are compared, in words. Subjects and authors are texts of strangers.

use record::{Contender, Plan, Revision, WorkTree};
use text::shown::{shown, shown_sentence};
use text::units::counted;

/// One sentence for each contender that was built from a revision.
pub(crate) fn revisions(plan: &Plan) -> Vec<String> {
    let named = |of: &Contender| {
        let revision = of.revision.as_ref()?;
        Some(format!("{} is {}", shown(&of.name), what(revision, &|text| shown_sentence(text))))
    };
    plan.contenders.iter().filter_map(named).collect()
}

/// A revision: `3f2a1c9 (subject; author, date)`. `quote` makes a text of a stranger harmless.
pub fn what(of: &Revision, quote: &dyn Fn(&str) -> String) -> String {
    let date = of.authored.split('T').next().unwrap_or_default();
    let commit = format!(
        "{} ({}; {}, {})",
        quote(&of.short),
        quote(&of.subject),
        quote(&of.author),
        quote(date)
    );
    let tree = match of.work_tree {
        None => commit,
        Some(changes) if changes == WorkTree::default() => {
            format!("the working tree, which is {commit}")
        }
        Some(WorkTree { changed_files, untracked_files }) => {
            let changed = counted(changed_files, "changed file");
            let untracked = counted(untracked_files, "untracked file");
            format!("the working tree: {commit} with {changed} and {untracked}")
        }
    };
    match of.rebuilds {
        0 => tree,
        times => format!("{tree}, built {times} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_tree_says_what_was_added() {
        let commit = Revision {
            id: "3f2a1c9".repeat(5),
            short: "3f2a1c9".into(),
            subject: "faster\u{1b}[2J".into(),
            author: "Ada".into(),
            authored: "2026-11-28T10:00:00+01:00".into(),
            work_tree: None,
            rebuilds: 0,
        };
        let tree = |changed_files, untracked_files| {
            let work_tree = Some(WorkTree { changed_files, untracked_files });
            // Numbers stay on the line of what they count.
            what(&Revision { work_tree, ..commit.clone() }, &|text| shown(text))
                .replace('\u{a0}', " ")
        };
        let said = r"3f2a1c9 (faster\u{1b}[2J; Ada, 2026-11-28)";
        assert_eq!(what(&commit, &|text| shown(text)), said);
        assert_eq!(tree(0, 0), format!("the working tree, which is {said}"));
        assert_eq!(
            tree(1, 2),
            format!("the working tree: {said} with 1 changed file and 2 untracked files")
        );
        let built = Revision { rebuilds: 8, ..commit };
        assert_eq!(what(&built, &|text| shown(text)), format!("{said}, built 8 times"));
    }
}
