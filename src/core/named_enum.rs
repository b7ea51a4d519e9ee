//! Enums whose variants have names, for JavaScript, for messages and for what is kept.

/// Writes such an enum.
macro_rules! named_enum {
    ($(#[$about:meta])* $kind:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum $kind { $($(#[$doc])* $variant,)+ }

        impl $kind {
            /// Every one, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The one of that name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == name)
            }
        }

        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        // Not derived: a reader of enums is no small one.
        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(name: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(name)?;
                Self::named(&name).ok_or_else(|| serde::de::Error::custom(stringify!($kind)))
            }
        }
    };
}

pub(crate) use named_enum;
