//! The table of protocols, and how an address finds its row.

use crate::{Protocol, Scheme, TargetKind};
use text::shown::shown;
use text::{lists, near};

/// The protocols of a program.
pub struct Protocols {
    /// Those that are built in.
    pub built_in: &'static [&'static Protocol],
    /// Schemes that only another build supports, and the command that makes it.
    pub left_out: &'static [(&'static str, &'static str)],
    /// Beginnings that users expect and that belong to no protocol, and what to do instead.
    pub not_supported: &'static [(&'static str, &'static str)],
}

impl Protocols {
    /// All that are built in.
    pub fn iter(&self) -> impl Iterator<Item = &'static Protocol> + use<> {
        self.built_in.iter().copied()
    }

    /// Why no address begins like this although users expect it, or None if nothing is known of its
    /// scheme. A name that is only similar would lead to something else.
    pub fn why_not_supported(&self, address: &str) -> Option<String> {
        let (scheme, _) = address.split_once(':')?;
        let of_rows = self.iter().flat_map(|row| row.not_supported);
        let mut known = of_rows.chain(self.not_supported);
        let (name, how) = known.find(|(name, _)| scheme.eq_ignore_ascii_case(name))?;
        Some(format!("`{name}:` is not supported: {how}"))
    }

    /// Returns the protocol and the scheme of addresses that begin with this word, in lower case.
    ///
    /// # Errors
    /// When there is no such scheme; the message lists those that exist.
    pub fn of_scheme(&self, word: &str) -> Result<(&'static Protocol, &'static Scheme), String> {
        let all =
            || self.iter().flat_map(|row| row.schemes.iter().map(move |scheme| (row, scheme)));
        if let Some(found) = all().find(|(_, scheme)| scheme.name == word) {
            return Ok(found);
        }
        if let Some((_, how)) = self.left_out.iter().find(|(name, _)| *name == word) {
            return Err(format!("{word}:// is not built in: {how}"));
        }
        let names: Vec<&str> = all().map(|(_, scheme)| scheme.name).collect();
        let known = names.join(", ");
        let meant = near::did_you_mean(word, names);
        Err(format!("the scheme `{}` is not known; supported schemes: {known}{meant}", shown(word)))
    }

    /// Returns the protocol of a recorded address, or None if this build does not support it: a journal
    /// may come from another build.
    pub fn of_recorded(&self, address: &str) -> Option<&'static Protocol> {
        let (word, _) = address.split_once(':')?;
        self.of_scheme(word).ok().map(|(row, _)| row)
    }

    /// Returns the protocol whose addresses lead to this kind of target, which is no server.
    ///
    /// # Panics
    /// When there is none.
    pub fn of_kind(&self, to: TargetKind) -> &'static Protocol {
        let mut rows = self.iter();
        rows.find(|row| row.schemes[0].to == to).expect("files and programs are in every build")
    }

    /// Returns the words that protocols have for a setting, each once.
    pub fn words(&self, of: fn(&Protocol) -> Vec<&'static str>) -> Vec<&'static str> {
        let mut words: Vec<&str> = Vec::new();
        for word in self.iter().flat_map(of) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    /// Lists the words of each protocol that has several: `text or meta (memcached); resp2 or resp3 (Redis)`.
    pub fn words_by_protocol(&self, of: fn(&Protocol) -> Vec<&'static str>) -> String {
        let of_row = |row: &Protocol| {
            let words = of(row);
            // One word alone is no choice.
            (words.len() > 1).then(|| format!("{} ({})", lists::either(&words), row.title))
        };
        self.iter().filter_map(of_row).collect::<Vec<_>>().join("; ")
    }

    /// Reads a word that a protocol has for a setting. `what` says what it is, such as `a kind of table`.
    ///
    /// # Errors
    /// When no protocol has it; the message lists those that there are.
    pub fn word(
        &self,
        text: &str,
        of: fn(&Protocol) -> Vec<&'static str>,
        what: &str,
    ) -> Result<&'static str, String> {
        let words = self.words(of);
        words.iter().copied().find(|word| *word == text).ok_or_else(|| {
            let (known, meant) = (self.words_by_protocol(of), near::did_you_mean(text, words));
            format!("`{}` is not {what}: {known}{meant}", shown(text))
        })
    }

    /// Returns the usual names of these protocols, for a list.
    pub fn titles(&self, which: impl Fn(&Protocol) -> bool) -> String {
        let rows = self.iter().filter(|row| which(row));
        rows.map(|row| row.title).collect::<Vec<_>>().join(", ")
    }

    /// Returns how addresses of these protocols begin: `redis://, postgres://`.
    pub fn written_as(&self, which: impl Fn(&Protocol) -> bool) -> String {
        let begins = |row: &Protocol| match row.schemes[0].to {
            TargetKind::Host | TargetKind::Socket => format!("{}://", row.name),
            TargetKind::Directory => format!("{}:///", row.name),
            TargetKind::Program => format!("{}:", row.name),
        };
        let rows = self.iter().filter(|row| which(row));
        rows.map(begins).collect::<Vec<_>>().join(", ")
    }
}
