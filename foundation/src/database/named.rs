//! The database of a program's commands: how it is found, and what all programs do with it.

use super::backup::remove_plain;
use super::url::{holds_password, is_postgres, shown};
use crate::command::Failure;
use crate::configuration;
use crate::sqlite::{Exclusive, Reserve, sqlite_file};
use tokio::sync::watch;

/// How a program names its database.
pub struct Naming {
    /// The variable with the URL. It may hold a password: a command line can be read by everybody on the machine.
    pub variable: &'static str,
    /// Where neither the command line nor the environment nor the file of options has one.
    pub default: &'static str,
    /// Its tables' schema on PostgreSQL.
    pub schema: &'static str,
}

/// The database that a command is about.
pub struct Named {
    url: String,
    schema: &'static str,
}

impl Naming {
    /// The database that was `given` on the command line, else the program's.
    pub fn find(&self, given: Option<&str>) -> Result<Named, Failure> {
        if given.is_some_and(holds_password) {
            let variable = self.variable;
            let why = format!(
                "a database URL with a password does not belong on the command line; put it into {variable}"
            );
            return Err(why.into());
        }
        let url = given
            .map(str::to_owned)
            .or_else(|| std::env::var(self.variable).ok())
            .or_else(configuration::database)
            .unwrap_or_else(|| self.default.into());
        let schema = self.schema;
        Ok(Named { url, schema })
    }
}

impl Named {
    /// Where it is; it may hold a password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its tables' schema on PostgreSQL.
    pub const fn schema(&self) -> &'static str {
        self.schema
    }

    /// What of the URL can be printed.
    pub fn shown(&self) -> &str {
        shown(&self.url)
    }

    /// Why it cannot be opened; whatever the URL holds, that does not repeat it.
    pub fn unopened(&self, error: impl std::fmt::Display) -> Failure {
        format!("cannot open {}: {error}", self.shown()).into()
    }

    /// Makes sure that nobody else serves this database. On PostgreSQL, any number of programs may.
    pub fn exclusive(&self) -> Result<Option<Exclusive>, Failure> {
        if is_postgres(&self.url) {
            return Ok(None);
        }
        let taken = Exclusive::take(&self.url).map_err(|error| error.to_string())?;
        remove_plain(&sqlite_file(&self.url)?);
        Ok(Some(taken))
    }

    /// Keeps a [`Reserve`] beside it, until `stop` turns true. PostgreSQL's disk is the server's.
    pub async fn keep_reserve(&self, mib: u32, stop: watch::Receiver<bool>) {
        if let (false, Ok(reserve)) = (is_postgres(&self.url), Reserve::beside(&self.url)) {
            reserve.keep(u64::from(mib) * 1024 * 1024, stop).await;
        }
    }
}
