//! The mode of a vendor or an account, as its row has it.

use super::StoreError;
use pos_connect_foundation::database::Row;
use pos_connect_protocol::Mode;

/// Reads the column at an index. A word that is no mode fails: nothing is taken for a test that is none.
pub(super) fn read_mode(row: &Row<'_>, index: usize) -> Result<Mode, StoreError> {
    known(&row.get::<String>(index)?)
}

/// Reads a column that may be null.
pub(super) fn read_any_mode(row: &Row<'_>, index: usize) -> Result<Option<Mode>, StoreError> {
    let word: Option<String> = row.get(index)?;
    word.as_deref().map(known).transpose()
}

fn known(word: &str) -> Result<Mode, StoreError> {
    Mode::parse(word).ok_or_else(|| StoreError::Fault("a row with an unknown mode".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_is_no_mode() {
        assert!(matches!(known("test"), Ok(Mode::Test)));
        for word in ["", "Test", "demo"] {
            assert!(known(word).is_err(), "{word}");
        }
    }
}
