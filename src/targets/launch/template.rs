//! Texts of an experiment file. They are literal, except that `${NAME}` is replaced by a variable
//! of the environment, and placeholders such as `{port}` by values that a launch determines.

use protocol::secrets;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use text::near;
use text::shown::shown;

/// Looks up a variable of the environment.
pub type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Looks up a variable in the environment of this process. Its value is a secret from then on.
pub(crate) fn environment(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name)?;
    if let Some(value) = value.to_str() {
        secrets::declare(value);
    }
    Some(value)
}

/// A value of the environment. It cannot be printed or serialised; it is displayed as the
/// `${NAME}` that was written.
#[derive(Clone)]
pub struct Secret {
    name: String,
    value: String,
}

impl Secret {
    /// A secret that no experiment file names.
    pub(crate) fn unnamed(value: String) -> Secret {
        Secret { name: "…".to_owned(), value }
    }

    /// The value itself, for the process or request that needs it.
    pub fn reveal(&self) -> &str {
        &self.value
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${{{}}}", self.name)
    }
}

/// A value that a launch determines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// `{port}`: the port of this process.
    Port,
    /// `{NAME.port}`: the port of the process of that name.
    PortOf(String),
    /// `{choice.NAME}`: the text of what was chosen for NAME.
    Choice(String),
    /// `{url}`: the address of the target.
    Url,
    /// `{process}`: the name of this process.
    Process,
    /// `{host}`: the host of this process: 127.0.0.1, or that of its node in the address.
    Host,
    /// `{software}`: the directory of the software that the launch needs.
    Software,
    /// `{cache}`: the directory into which the experiment builds.
    Cache,
    /// `{temp}`: the temporary directory of the launch, where its files are.
    Temp,
    /// `{site}`: the directory that is served.
    Site,
    /// `{folder}`: the directory of the experiment file.
    Directory,
    /// `{workers}`: the number of cores of the target.
    Workers,
    /// `{descriptors}`: the number of file descriptors that each of its processes may open.
    Descriptors,
}

/// The placeholders that consist of one word.
const WORDS: [(&str, Placeholder); 11] = [
    ("port", Placeholder::Port),
    ("url", Placeholder::Url),
    ("process", Placeholder::Process),
    ("host", Placeholder::Host),
    ("software", Placeholder::Software),
    ("cache", Placeholder::Cache),
    ("temp", Placeholder::Temp),
    ("site", Placeholder::Site),
    ("folder", Placeholder::Directory),
    ("workers", Placeholder::Workers),
    ("descriptors", Placeholder::Descriptors),
];

impl Placeholder {
    fn named(word: &str) -> Option<Placeholder> {
        let simple = WORDS.iter().find(|(name, _)| *name == word).map(|(_, place)| place.clone());
        simple.or_else(|| match (word.strip_suffix(".port"), word.strip_prefix("choice.")) {
            (Some(name), _) if !name.is_empty() => Some(Placeholder::PortOf(name.to_owned())),
            (_, Some(name)) if !name.is_empty() => Some(Placeholder::Choice(name.to_owned())),
            _ => None,
        })
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placeholder::PortOf(name) => write!(f, "{{{name}.port}}"),
            Placeholder::Choice(name) => write!(f, "{{choice.{name}}}"),
            other => {
                let word =
                    WORDS.iter().find(|(_, place)| place == other).map_or("", |(word, _)| word);
                write!(f, "{{{word}}}")
            }
        }
    }
}

/// The values of the placeholders in one launch.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// `{port}`.
    pub port: u16,
    /// `{NAME.port}`.
    pub ports: BTreeMap<String, u16>,
    /// `{choice.NAME}`.
    pub choices: BTreeMap<String, String>,
    /// `{url}`.
    pub url: String,
    /// `{process}`.
    pub process: String,
    /// `{host}`.
    pub host: String,
    /// `{software}`.
    pub software: PathBuf,
    /// `{cache}`.
    pub cache: PathBuf,
    /// `{temp}`.
    pub temp: PathBuf,
    /// `{site}`.
    pub site: PathBuf,
    /// `{folder}`.
    pub directory: PathBuf,
    /// `{workers}`.
    pub workers: usize,
    /// The limit that targets inherit. `{descriptors}` is at most [`MOST_DESCRIPTORS`].
    pub descriptors: u64,
}

/// The largest value of `{descriptors}`. Servers allocate tables of this size, and with the limit
/// of a billion that containers have they would use up the memory.
pub const MOST_DESCRIPTORS: u64 = 16_384;

impl Values {
    fn of(&self, placeholder: &Placeholder) -> String {
        match placeholder {
            Placeholder::Port => self.port.to_string(),
            Placeholder::PortOf(name) => self.ports.get(name).copied().unwrap_or(0).to_string(),
            Placeholder::Choice(name) => self.choices.get(name).cloned().unwrap_or_default(),
            Placeholder::Url => self.url.clone(),
            Placeholder::Process => self.process.clone(),
            Placeholder::Host => self.host.clone(),
            Placeholder::Software => self.software.display().to_string(),
            Placeholder::Cache => self.cache.display().to_string(),
            Placeholder::Temp => self.temp.display().to_string(),
            Placeholder::Site => self.site.display().to_string(),
            Placeholder::Directory => self.directory.display().to_string(),
            Placeholder::Workers => self.workers.to_string(),
            Placeholder::Descriptors => self.descriptors.min(MOST_DESCRIPTORS).to_string(),
        }
    }
}

#[derive(Clone)]
enum TextPiece {
    Plain(String),
    Secret(Secret),
    Placeholder(Placeholder),
}

/// A text of the file. It is displayed as it was written. It has no `Debug`, because it can
/// contain secrets.
#[derive(Clone, Default)]
pub struct Text {
    pieces: Vec<TextPiece>,
}

impl Text {
    /// A text without secrets and placeholders.
    pub fn plain(text: &str) -> Text {
        Text { pieces: vec![TextPiece::Plain(text.to_owned())] }
    }

    /// Parses a text. `${NAME}` is looked up, and placeholders such as `{port}` are kept.
    /// `$${` is the text `${`, and `{{port}}` is the text `{port}`. Other braces are literal.
    ///
    /// # Errors
    /// If a variable is not set, is too short for a secret, or has an invalid name.
    pub fn parse(text: &str, environment: EnvLookup<'_>) -> Result<Text, String> {
        let mut reader = Reader { pieces: Vec::new(), plain: String::new(), environment };
        let mut rest = text;
        while let Some(at) = rest.find(['$', '{']) {
            reader.plain.push_str(&rest[..at]);
            rest = reader.special(&rest[at..])?;
        }
        reader.plain.push_str(rest);
        reader.flush();
        Ok(Text { pieces: reader.pieces })
    }

    /// Parses the placeholders of a text, in which `${NAME}` is literal.
    pub(crate) fn with_placeholders(text: &str) -> Text {
        let text = text.replace("${", "$${");
        Text::parse(&text, &|_| None).expect("no variable is named")
    }

    /// The text with all secrets and values in it.
    pub fn fill(&self, values: &Values) -> String {
        let mut filled = String::new();
        for piece in &self.pieces {
            match piece {
                TextPiece::Plain(text) => filled.push_str(text),
                TextPiece::Secret(secret) => filled.push_str(secret.reveal()),
                TextPiece::Placeholder(placeholder) => filled.push_str(&values.of(placeholder)),
            }
        }
        filled
    }

    /// The secrets in it.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Secret(secret) => Some(secret),
            _ => None,
        })
    }

    /// The placeholders in it.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Placeholder(placeholder) => Some(placeholder),
            _ => None,
        })
    }

    /// A word in braces that is probably a misspelt placeholder, and the placeholder that was
    /// meant. None if there is none. Only for texts in which braces have no other use.
    pub(crate) fn slip(&self) -> Option<(String, &'static str)> {
        self.pieces.iter().find_map(|piece| {
            let TextPiece::Plain(text) = piece else { return None };
            let words = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
            let mut unknown = words.filter(|(word, _)| Placeholder::named(word).is_none());
            unknown.find_map(|(word, _)| {
                let meant = near::nearest(word, WORDS.iter().map(|(word, _)| *word))?;
                Some((shown(word), meant))
            })
        })
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                TextPiece::Plain(text) => f.write_str(text)?,
                TextPiece::Secret(secret) => secret.fmt(f)?,
                TextPiece::Placeholder(placeholder) => placeholder.fmt(f)?,
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    pieces: Vec<TextPiece>,
    plain: String,
    environment: EnvLookup<'a>,
}

impl Reader<'_> {
    /// Reads what begins with `$` or `{`, and returns the text after it.
    fn special<'t>(&mut self, text: &'t str) -> Result<&'t str, String> {
        if let Some(rest) = text.strip_prefix("$${") {
            self.plain.push_str("${");
            return Ok(rest);
        }
        if let Some(rest) = text.strip_prefix("${") {
            return self.secret(rest);
        }
        if let Some((word, rest)) = text.strip_prefix("{{").and_then(|rest| rest.split_once("}}"))
            && Placeholder::named(word).is_some()
        {
            self.plain.push_str(&text[1..word.len() + 3]);
            return Ok(rest);
        }
        let placeholder = text.strip_prefix('{').and_then(|rest| {
            let (word, rest) = rest.split_once('}')?;
            Some((Placeholder::named(word).filter(|_| is_name(word))?, rest))
        });
        if let Some((placeholder, rest)) = placeholder {
            self.flush();
            self.pieces.push(TextPiece::Placeholder(placeholder));
            return Ok(rest);
        }
        self.plain.push_str(&text[..1]);
        Ok(&text[1..])
    }

    fn secret<'t>(&mut self, text: &'t str) -> Result<&'t str, String> {
        let named = text.split_once('}');
        let Some((name, rest)) =
            named.filter(|(name, _)| is_name(name) && !name.contains(['.', '-']))
        else {
            return Err("`${` begins the name of an environment variable: write ${NAME}, or $${ \
                        for the two characters themselves"
                .to_owned());
        };
        let value = match (self.environment)(name).map(OsString::into_string) {
            Some(Ok(value)) => value,
            Some(Err(_)) => return Err(format!("the environment variable `{name}` is not UTF-8")),
            None => {
                return Err(format!(
                    "the environment variable `{name}` is not set: export it, or write $${{{name}}} \
                     for the text itself"
                ));
            }
        };
        secrets::check(&value).map_err(|why| format!("the environment variable `{name}` {why}"))?;
        self.flush();
        self.pieces.push(TextPiece::Secret(Secret { name: name.to_owned(), value }));
        Ok(rest)
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.pieces.push(TextPiece::Plain(std::mem::take(&mut self.plain)));
        }
    }
}

/// The variables that a text names as `${NAME}`, whether they are set or not.
pub(crate) fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("${").filter_map(|(at, _)| {
        let name = text[at + 2..].split_once('}')?.0;
        (!text[..at].ends_with('$') && is_name(name)).then_some(name)
    })
}

/// Whether this has only letters, digits, `_`, and characters that process names may have.
fn is_name(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn environment(name: &str) -> Option<OsString> {
        use std::os::unix::ffi::OsStringExt;
        match name {
            "TOKEN" => Some("CANARY".into()),
            "SHORT" => Some("abc".into()),
            "BYTES" => Some(OsString::from_vec(vec![0xff])),
            _ => None,
        }
    }

    fn values() -> Values {
        Values {
            port: 8080,
            ports: BTreeMap::from([("web".to_owned(), 8081)]),
            temp: "/tmp/t".into(),
            site: "/srv".into(),
            directory: "/here".into(),
            choices: BTreeMap::from([("heap".to_owned(), "1G".to_owned())]),
            url: "http://127.0.0.1:8080/".to_owned(),
            process: "node2".to_owned(),
            host: "127.0.0.2".to_owned(),
            software: "/opt/it".into(),
            cache: "/var/built".into(),
            workers: 2,
            descriptors: 1_000_000,
        }
    }

    #[test]
    fn texts_are_filled_and_show_as_they_were_written() {
        // (written, filled); shown as written unless it says otherwise.
        for (written, filled) in [
            ("", ""),
            ("plain $1 $ { } {}", "plain $1 $ { } {}"),
            ("{port}", "8080"),
            (
                "{process} {host} -Xmx{choice.heap} {software}/lib",
                "node2 127.0.0.2 -Xmx1G /opt/it/lib",
            ),
            ("127.0.0.1:{port}/{web.port}", "127.0.0.1:8080/8081"),
            ("{temp}/a {site} {folder} {workers}", "/tmp/t/a /srv /here 2"),
            ("{cache}/release", "/var/built/release"),
            ("-c {descriptors}", "-c 16384"),
            ("server { listen {port}; }", "server { listen 8080; }"),
            ("{ port }", "{ port }"),
            ("{unknown} ${TOKEN}", "{unknown} CANARY"),
            ("a${TOKEN}b${TOKEN}", "aCANARYbCANARY"),
            ("$uri {other.word}", "$uri {other.word}"),
        ] {
            let text = Text::parse(written, &environment).expect("good");
            assert_eq!(text.fill(&values()), filled, "{written}");
            assert_eq!(text.to_string(), written);
        }
    }

    #[test]
    fn braces_and_dollars_can_stand_for_themselves() {
        for (written, filled) in [
            ("const {{port}} = x", "const {port} = x"),
            ("$${TOKEN}", "${TOKEN}"),
            ("{{unknown}}", "{{unknown}}"),
            ("{{port}", "{8080"),
        ] {
            let text = Text::parse(written, &environment).expect("good");
            assert_eq!(text.fill(&values()), filled, "{written}");
        }
    }

    #[test]
    fn what_is_no_variable_is_an_error() {
        let how = "`${` begins the name of an environment variable: write ${NAME}, or $${ for \
                   the two characters themselves";
        for (written, message) in [
            (
                "${MISSING}",
                "the environment variable `MISSING` is not set: export it, or write $${MISSING} for the text itself",
            ),
            (
                "${SHORT}",
                "the environment variable `SHORT` has 3 bytes, but a secret must have at least 4: \
                 a shorter one would be masked in every word and number that happens to contain it",
            ),
            ("${BYTES}", "the environment variable `BYTES` is not UTF-8"),
            ("${}", how),
            ("${a.b}", how),
            ("${1}", how),
            ("${TOKEN", how),
            ("${a b}", how),
        ] {
            assert_eq!(Text::parse(written, &environment).err().as_deref(), Some(message));
        }
    }

    #[test]
    fn a_text_can_have_placeholders_alone() {
        let text = Text::with_placeholders("{port} ${TOKEN} $${MISSING} ${}");
        assert_eq!(text.fill(&values()), "8080 ${TOKEN} $${MISSING} ${}");
        assert_eq!(text.secrets().count(), 0);
    }

    #[test]
    fn slips_are_seen() {
        let slip = |text| Text::parse(text, &environment).expect("good").slip();
        assert_eq!(slip("--port {prot}"), Some(("prot".to_owned(), "port")));
        assert_eq!(slip("{port} {print} {} {x y}"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics_and_plain_text_stays(text in "[${}a-z. ]{0,20}", plain in "[^${]*") {
            let _ = Text::parse(&text, &environment).map(|text| text.fill(&values()));
            let same = Text::parse(&plain, &environment).map(|text| text.fill(&values()));
            prop_assert_eq!(same, Ok(plain));
        }
    }
}
