//! Enums whose variants are words, for JavaScript and for messages.

/// Writes such an enum.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every one, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The one of that word.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}

pub(crate) use words;
