//! The options after a command.

use crate::Result;
use std::ffi::OsString;

/// What stands behind the command's name; each option is taken once.
pub struct Args(pico_args::Arguments);

impl Args {
    /// All the words behind the command's name.
    pub fn new(words: impl Iterator<Item = String>) -> Self {
        let words = words.map(OsString::from).collect();
        Self(pico_args::Arguments::from_vec(words))
    }

    /// Takes `--name value` or `--name=value`.
    pub fn value(&mut self, name: &'static str) -> Result<Option<String>> {
        let value = self.0.opt_value_from_str(name);
        value.map_err(|error| error.to_string())
    }

    /// Takes `--name number`.
    pub fn number(&mut self, name: &'static str) -> Result<Option<u64>> {
        let number = self.0.opt_value_from_str(name);
        number.map_err(|error| format!("{name}: {error}"))
    }

    /// Takes `--name`.
    pub fn flag(&mut self, name: &'static str) -> bool {
        self.0.contains(name)
    }

    /// Refuses whatever nobody took.
    pub fn finish(self) -> Result<()> {
        match self.0.finish().first() {
            None => Ok(()),
            Some(word) => Err(format!(
                "unknown option `{}`; `cargo xtask help` lists them",
                word.display()
            )),
        }
    }
}
