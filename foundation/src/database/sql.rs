//! One text of a statement for both engines: SQLite's, whose places are `?1`, `?2` and so on.

/// A statement with PostgreSQL's places, `$1`. A question mark is nothing else in our statements.
pub(super) fn for_postgres(sql: &str) -> String {
    sql.replace('?', "$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_their_numbers() {
        let sql = "SELECT a FROM t WHERE b = ?2 AND c = ?1 OR d = ?12";
        assert_eq!(
            for_postgres(sql),
            "SELECT a FROM t WHERE b = $2 AND c = $1 OR d = $12"
        );
    }
}
