//! Enums whose values have names.

/// Declares an enum whose values have names, as they are written in settings and in the journal.
macro_rules! named {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $text)] $value,)*
        }

        impl $name {
            /// All values.
            pub const ALL: [$name; [$($text),*].len()] = [$($name::$value),*];

            /// Its name, as it is written in settings and in the journal.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$value => $text,)*
                }
            }
        }
    };
}

pub(crate) use named;
