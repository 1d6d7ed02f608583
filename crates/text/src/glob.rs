//! Patterns of names.

/// Whether a name fits a pattern: `*` stands for any characters, `?` for one, and `\` takes the next one as it is.
/// Takes time in proportion to the lengths of both at most.
pub fn fits(pattern: &str, name: &str) -> bool {
    let pattern = parts(pattern);
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut of_name) = (0, 0);
    // Where to go on if the last `*` has to stand for one more character.
    let mut again = None;
    loop {
        let is_at_end = of_name == name.len();
        match pattern.get(at) {
            None if is_at_end => return true,
            Some(Part::Any) => {
                again = Some((at + 1, of_name));
                at += 1;
                continue;
            }
            Some(part) if !is_at_end && part.fits(name[of_name]) => {
                (at, of_name) = (at + 1, of_name + 1);
                continue;
            }
            _ => {}
        }
        match again {
            Some((after, from)) if from < name.len() => {
                again = Some((after, from + 1));
                (at, of_name) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

/// The pattern without its wildcards.
pub fn literal(pattern: &str) -> String {
    let of = |part: Part| if let Part::Char(c) = part { Some(c) } else { None };
    parts(pattern).into_iter().filter_map(of).collect()
}

/// A part of a pattern.
#[derive(Clone, Copy)]
enum Part {
    Char(char),
    One,
    Any,
}

impl Part {
    fn fits(self, c: char) -> bool {
        match self {
            Part::Char(own) => own == c,
            Part::One | Part::Any => true,
        }
    }
}

fn parts(pattern: &str) -> Vec<Part> {
    let mut chars = pattern.chars();
    let mut parts = Vec::new();
    while let Some(c) = chars.next() {
        parts.push(match c {
            '*' => Part::Any,
            '?' => Part::One,
            '\\' => Part::Char(chars.next().unwrap_or('\\')),
            _ => Part::Char(c),
        });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{fits, literal};

    #[test]
    fn patterns_fit_whole_names() {
        let table = [
            ("parse/*", "parse/large", true),
            ("parse/*", "parse/a/b", true),
            ("parse/*", "reparse/large", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a", "", false),
            ("*/large", "parse/large", true),
            ("*/large", "parse/larger", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("p?rse", "pärse", true),
            ("p?rse", "prse", false),
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            (r"a\", r"a\", true),
            ("a**", "a", true),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        assert_eq!(literal(r"pa?se/*\*"), "pase/*");
    }

    #[test]
    fn many_stars_take_no_time() {
        assert!(!fits(&"*a".repeat(500), &"a".repeat(499)));
        assert!(fits(&"*a".repeat(500), &"a".repeat(2000)));
    }
}
