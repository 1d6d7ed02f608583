//! Lists in sentences.

/// Names or figures as a list: `a, b and c`. Empty if there are none.
pub fn listed<T: AsRef<str>>(items: &[T]) -> String {
    joined(items, "and")
}

/// Names or figures of which one is meant: `a, b or c`. Empty if there are none.
pub fn either<T: AsRef<str>>(items: &[T]) -> String {
    joined(items, "or")
}

fn joined<T: AsRef<str>>(items: &[T], word: &str) -> String {
    let texts: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match texts[..] {
        [] => String::new(),
        [only] => only.to_owned(),
        [ref first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// The first `most` of these as a list, and how many others there are, in the words of `others`: `a, b and 3 others`.
pub fn first_listed(items: &[String], most: usize, others: impl FnOnce(u64) -> String) -> String {
    let more = items.len().saturating_sub(most);
    let others = (more > 0).then(|| others(more as u64));
    listed(&items.iter().take(most).cloned().chain(others).collect::<Vec<String>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_are_joined_by_a_word() {
        let names = ["a", "b", "c"];
        for (n, text) in [(0, ""), (1, "a"), (2, "a and b"), (3, "a, b and c")] {
            assert_eq!(listed(&names[..n]), text);
        }
    }

    #[test]
    fn one_of_them_is_meant() {
        let names = ["a", "b", "c"];
        for (n, text) in ["", "a", "a or b", "a, b or c"].into_iter().enumerate() {
            assert_eq!(either(&names[..n]), text);
        }
    }

    #[test]
    fn others_are_counted() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let others = |n: u64| format!("{n} more");
        for (most, text) in [(1, "a and 2 more"), (2, "a, b and 1 more"), (3, "a, b and c")] {
            assert_eq!(first_listed(&names, most, others), text);
        }
    }
}
