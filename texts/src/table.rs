//! How a table and the languages are written down.

/// A table of texts. A row has the comment that says where the text appears, its field, its `TextKey` and its name.
macro_rules! texts {
    (
        #[doc = $about:literal]
        $table:ident {
            $(#[doc = $place:literal] $field:ident $word:ident $name:literal,)*
        }
    ) => {
        #[doc = $about]
        pub struct $table {
            $(#[doc = $place] pub $field: &'static str,)*
        }

        impl $table {
            /// A text by its word.
            pub const fn get(&self, word: TextKey) -> &'static str {
                match word {
                    $(TextKey::$word => self.$field,)*
                }
            }
        }

        /// One of the texts.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum TextKey {
            $(#[doc = $place] $word,)*
        }

        impl TextKey {
            /// Every text, in the order of the table.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$word),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$word => $name,)*
                }
            }

            /// Where it appears.
            pub const fn place(self) -> &'static str {
                match self {
                    $(Self::$word => $place.trim_ascii(),)*
                }
            }
        }
    };
}

/// The languages. A row has the language, its module, its tag, and its name in itself.
macro_rules! languages {
    ($($language:ident $module:ident $tag:literal $own_name:literal,)*) => {
        $(mod $module;)*

        /// A language that everything is written in. English is the default.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum Language {
            $(#[doc = concat!("`", $tag, "`")] $language,)*
        }

        impl Language {
            /// Every language.
            pub const ALL: [Self; [$($tag),*].len()] = [$(Self::$language),*];

            /// Its tag.
            pub const fn tag(self) -> &'static str {
                match self {
                    $(Self::$language => $tag,)*
                }
            }

            /// Its name in itself, for who looks for it.
            pub const fn own_name(self) -> &'static str {
                match self {
                    $(Self::$language => $own_name,)*
                }
            }
        }

        languages!(@of Keypad KEYPAD: $($language $module)*);
        languages!(@of Frame FRAME: $($language $module)*);
        languages!(@of Connect CONNECT: $($language $module)*);
        languages!(@of Receipt RECEIPT: $($language $module)*);
    };
    (@of $table:ident $texts:ident: $($language:ident $module:ident)*) => {
        impl $table {
            /// Those of a language.
            pub const fn of(language: Language) -> &'static Self {
                match language {
                    $(Language::$language => &$module::$texts,)*
                }
            }
        }
    };
}
