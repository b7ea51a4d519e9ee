//! What a database URL says, and what of it can be printed.

/// Whether PostgreSQL is meant. Anything else is SQLite's, or an error of its own.
pub fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// Whether there is a password in it, as the driver reads it: the user ends at the first `@`, whatever stands before.
pub fn holds_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let user = rest.split_once('@').map(|(user, _)| user);
    is_postgres(url) && (url.contains("password=") || user.is_some_and(|user| user.contains(':')))
}

/// The part of a database URL that can be printed.
pub fn shown(url: &str) -> &str {
    match url.split_once("://") {
        Some(("sqlite", _)) => url,
        Some((scheme, _)) => scheme,
        None => "the database",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_noticed_and_never_shown() {
        for url in [
            "postgres://user:hunter2@db.example/relay",
            "postgres://db.example/relay?password=hunter2",
            "postgresql://user:hunter2@db.example/relay",
            "postgres://user:hun/hunter2@db.example/relay",
            "postgres://user:hunter2?/@db.example/relay",
        ] {
            assert!(holds_password(url), "{url}");
            assert!(!shown(url).contains("hunter2"));
        }
        for url in [
            "sqlite://a.db",
            "sqlite:///tmp/password=x/a@b:c.db",
            "postgres://user@db.example:5432/relay",
            "x",
        ] {
            assert!(!holds_password(url), "{url}");
        }
    }
}
