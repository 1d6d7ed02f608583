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

/// Whether a pattern has no wildcards, so that it fits one name.
pub fn is_name(pattern: &str) -> bool {
    parts(pattern).into_iter().all(|part| matches!(part, Part::Char(_)))
}

/// The pattern that fits this name and no other one.
pub fn of_name(name: &str) -> String {
    let escaped = |c: char| if "*?\\".contains(c) { vec!['\\', c] } else { vec![c] };
    name.chars().flat_map(escaped).collect()
}

/// The pattern with which these names are searched: the one that was written if it fits a name, otherwise with any last
/// part in parentheses, which may be left out, such as the package in `BenchmarkParse (slug)`.
pub fn completed<'a>(pattern: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let fits_one = names.into_iter().any(|name| fits(pattern, name));
    if fits_one { pattern.to_owned() } else { format!("{pattern} (*)") }
}

/// The names that the pattern, or the completed one, fits.
pub fn fitting<'a>(
    pattern: &str,
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> Vec<&'a str> {
    let pattern = completed(pattern, names.clone());
    names.into_iter().filter(|name| fits(&pattern, name)).collect()
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
    use super::{fits, fitting, is_name, literal, of_name};

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
    fn a_last_part_in_parentheses_may_be_left_out() {
        let names = ["Sum (a)", "Sum/x (a)", "Sum/x (b, hits)", "Max", "Max (a)", "Min(a)"];
        let table: [(&str, &[&str]); 8] = [
            ("Sum", &["Sum (a)"]),
            ("Sum (a)", &["Sum (a)"]),
            ("Sum/x", &["Sum/x (a)", "Sum/x (b, hits)"]),
            ("*/?", &["Sum/x (a)", "Sum/x (b, hits)"]),
            ("Max", &["Max"]),
            ("M*x", &["Max"]),
            ("Min", &[]),
            ("Su", &[]),
        ];
        for (pattern, wanted) in table {
            assert_eq!(fitting(pattern, names), wanted, "{pattern}");
        }
    }

    #[test]
    fn the_pattern_of_a_name_fits_it_alone() {
        for name in [r"a*b", r"a\b?", "mul<int*>/8"] {
            let pattern = of_name(name);
            assert!(is_name(&pattern) && fits(&pattern, name), "{pattern}");
            assert_eq!(literal(&pattern), name);
        }
        assert!(!fits(&of_name("a*"), "ab") && !is_name("a*") && !is_name("a?"));
    }

    #[test]
    fn many_stars_take_no_time() {
        assert!(!fits(&"*a".repeat(500), &"a".repeat(499)));
        assert!(fits(&"*a".repeat(500), &"a".repeat(2000)));
    }
}
