//! What a call sends.

/// The body of a call.
pub struct Body {
    /// What is sent.
    pub text: String,
    /// Its media type.
    pub kind: &'static str,
    /// Makes a repeated call the same call.
    pub key: Option<String>,
}

impl Body {
    /// JSON, under a key if it is to be one call however often it is made.
    pub const fn json(text: String, key: Option<String>) -> Self {
        Self {
            text,
            kind: "application/json",
            key,
        }
    }
}
