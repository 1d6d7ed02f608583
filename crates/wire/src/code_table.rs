//! Codes of replies, with their names.

/// Declares the codes of a protocol, each with its number and its name in a report.
macro_rules! code_table {
    ($($(#[$doc:meta])* $code:ident = ($number:literal, $name:literal),)*) => {
        $($(#[$doc])* pub const $code: u16 = $number;)*

        /// Every code and its name in a report.
        pub const TABLE: &[(u16, &str)] = &[$(($code, $name)),*];

        /// The name of a code. Returns None if it is not of this protocol.
        pub fn name(code: u16) -> Option<&'static str> {
            TABLE.iter().find(|entry| entry.0 == code).map(|entry| entry.1)
        }
    };
}

pub(crate) use code_table;
