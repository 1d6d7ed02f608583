//! Lists in sentences.

/// Names or figures as a list: `a, b and c`. Empty if there are none.
pub fn listed<T: AsRef<str>>(items: &[T]) -> String {
    let texts: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match texts[..] {
        [] => String::new(),
        [only] => only.to_owned(),
        [ref first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
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
}
