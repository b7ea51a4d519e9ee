//! The options after a command.

use crate::Result;

/// What stands behind the command's name; each option is taken once.
pub struct Args(Vec<String>);

impl Args {
    /// All the words behind the command's name.
    pub fn new(words: impl Iterator<Item = String>) -> Self {
        Self(words.collect())
    }

    /// Takes `--name value` or `--name=value`.
    pub fn value(&mut self, name: &str) -> Result<Option<String>> {
        let prefix = format!("{name}=");
        let Some(at) = self
            .0
            .iter()
            .position(|word| word == name || word.starts_with(&prefix))
        else {
            return Ok(None);
        };
        let word = self.0.remove(at);
        if let Some(value) = word.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.0.len() {
            return Err(format!("{name} needs a value"));
        }
        Ok(Some(self.0.remove(at)))
    }

    /// Takes `--name`.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|word| word != name);
        self.0.len() < before
    }

    /// Refuses whatever nobody took.
    pub fn finish(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(word) => Err(format!(
                "unknown option `{word}`; `cargo xtask help` lists them"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(String::from))
    }

    #[test]
    fn takes_both_spellings_of_a_value() {
        assert_eq!(args("--only fmt").value("--only"), Ok(Some("fmt".into())));
        assert_eq!(args("--only=fmt").value("--only"), Ok(Some("fmt".into())));
        assert_eq!(args("--bless").value("--only"), Ok(None));
        assert!(args("--only").value("--only").is_err());
    }

    #[test]
    fn refuses_what_nobody_took() {
        let mut rest = args("--bless --blest");
        assert!(rest.flag("--bless"));
        assert!(!rest.flag("--bless"));
        assert!(
            rest.finish()
                .is_err_and(|message| message.contains("--blest"))
        );
    }
}
