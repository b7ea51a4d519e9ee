//! Enums that are words on the wire.

/// Writes an enum whose variants are words: both directions, [`Field`](crate::Field) included.
macro_rules! words {
    ($(#[$about:meta])* $kind:ident; $($(#[$doc:meta])* $name:ident = $word:literal;)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
        pub enum $kind { $($(#[$doc])* #[serde(rename = $word)] $name,)+ }

        impl $kind {
            /// Every one, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$name),+];
            /// The word on the wire.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $word),+ } }
            /// Reads the word on the wire; letter case counts. `None` for any other.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name),)+ _ => None }
            }
        }

        impl $crate::field::Member for $kind {
            fn read(raw: $crate::field::Raw) -> $crate::Field<Self> {
                match raw {
                    $crate::field::Raw::Text(word) if word.is_empty() => $crate::Field::Missing,
                    $crate::field::Raw::Text(word) => match Self::parse(&word) {
                        Some(value) => $crate::Field::Value(value),
                        None => $crate::Field::Unreadable,
                    },
                    _ => $crate::Field::WrongType,
                }
            }
        }
    };
}

pub(crate) use words;
