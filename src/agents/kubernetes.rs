//! The manifest of a comparison that Kubernetes launches: an Indexed Job, and a headless Service
//! that gives its coordinator a name.

use record::limits::MOST_AGENTS;

const TEMPLATE: &str = include_str!("kubernetes.yaml");

/// A host name has at most this many characters, and that of a process ends in its index.
const LONGEST_HOST_NAME: usize = 63;
/// More than any registry, path, tag and digest together have.
const LONGEST_IMAGE: usize = 512;

/// The manifest of a coordinator and so many agents, each of which gets so many cores. Its values are checked, so they
/// can be inserted into YAML as they are. The name is that of the Job, the Service, the Secret and the ConfigMap.
pub(crate) fn manifest(agents: u32, name: &Name, image: &Image, cores: u32) -> String {
    let values = [
        ("@AGENTS@", &agents.to_string()),
        ("@PROCESSES@", &(agents + 1).to_string()),
        ("@NAME@", &name.0),
        ("@CORES@", &cores.to_string()),
        ("@VERSION@", &env!("CARGO_PKG_VERSION").to_owned()),
        // The last one, because a reference may contain `@`.
        ("@IMAGE@", &image.0),
    ];
    values.iter().fold(TEMPLATE.to_owned(), |text, (place, value)| text.replace(place, value))
}

/// What Kubernetes accepts as a name of a Service: a DNS label that begins with a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// # Errors
    /// If it is no such name, or too long for the host names that are made of it.
    pub(crate) fn of(text: &str) -> Result<Name, String> {
        let longest = LONGEST_HOST_NAME - format!("-{MOST_AGENTS}").len();
        let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let good = text.len() <= longest
            && text.bytes().all(known)
            && text.starts_with(|first: char| first.is_ascii_lowercase())
            && !text.ends_with('-');
        if good {
            Ok(Name(text.to_owned()))
        } else {
            Err(format!(
                "the name must be a DNS label of at most {longest} characters: lower-case letters, digits and \
             hyphens; the first one is a letter, and the last one is not a hyphen"
            ))
        }
    }
}

/// A reference to an image, such as `registry.example.org/tiebreak:0.1.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image(String);

impl Image {
    /// Accepts the characters of references; whether the image exists is for the nodes to find out.
    ///
    /// # Errors
    /// If it has other characters, or does not begin or end as a reference does.
    pub(crate) fn of(text: &str) -> Result<Image, String> {
        let known = |c: char| c.is_ascii_alphanumeric() || "._/:@-".contains(c);
        let edge = |c: char| c.is_ascii_alphanumeric();
        let good = text.len() <= LONGEST_IMAGE
            && text.starts_with(edge)
            && text.ends_with(edge)
            && text.chars().all(known);
        if good {
            Ok(Image(text.to_owned()))
        } else {
            Err(format!(
                "the image must be a reference of at most {LONGEST_IMAGE} letters, digits and ._/:@-, such as \
             registry.example.org/tiebreak:{}",
                env!("CARGO_PKG_VERSION")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nightly(agents: u32) -> String {
        let name = Name::of("nightly").expect("a name");
        let image = Image::of("registry.example.org:5000/a/tiebreak:0.1.0").expect("an image");
        manifest(agents, &name, &image, 4)
    }

    #[test]
    fn every_place_of_the_template_gets_its_value() {
        let yaml = nightly(8);
        assert!(!yaml.contains('@'), "{yaml}");
        for line in [
            "  completions: 9",
            "  parallelism: 9",
            "  backoffLimit: 0",
            "      subdomain: \"nightly\"",
            "          image: \"registry.example.org:5000/a/tiebreak:0.1.0\"",
            "              value: \"nightly-0.nightly:9311\"",
            "              cpu: \"4\"",
        ] {
            assert!(yaml.lines().any(|found| found == line), "{line}: {yaml}");
        }
        assert_eq!(yaml.matches("cpu: \"4\"").count(), 2, "requests are limits");
    }

    #[test]
    fn a_name_is_a_dns_label_that_leaves_room_for_the_index() {
        let longest = "a".repeat(59);
        for good in ["tiebreak", "a", "t-1", &longest] {
            assert!(Name::of(good).is_ok(), "{good}");
        }
        let long = "a".repeat(60);
        for bad in ["", "1a", "-a", "a-", "A", "a.b", "a_b", "a\nb", "a\"", "a b", "ä", &long] {
            assert!(Name::of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_image_has_the_characters_of_a_reference() {
        let digest = format!("h:5000/x/tiebreak@sha256:{}", "0".repeat(64));
        for good in ["tiebreak", "tiebreak:0.1.0", "registry.example.org/a/b_c:latest", &digest] {
            assert!(Image::of(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "a\nb", "a\"b", "a'", "a\\", ":a", "a:", "-a", "a#b", "$(a)"] {
            assert!(Image::of(bad).is_err(), "{bad}");
        }
    }
}
