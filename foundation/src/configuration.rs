//! Where the options of `serve` come from: the command line, else the environment, else a file.
//!
//! The names are those of the options, so there is one list of them: the program's own. The other commands take from
//! the file what they have in common with `serve`: the database, its key.

use crate::database::holds_password;
use crate::private::is_shared;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, Parser};
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use toml::{Table, Value};

/// The command whose options it is about.
const SERVE: &str = "serve";
/// Examines what those options name, so it reads them in the same way.
const DOCTOR: &str = "doctor";
const CONFIG: &str = "config";
/// What the environment cannot say: where answers go, and what reads a variable of its own.
const APART: [&str; 4] = ["json", "database", "help", CONFIG];

/// Options that name a file with a secret, and the variable that holds that secret itself, without the program's prefix
/// where it begins with an underscore.
const SECRETS: [(&str, &str); 3] = [
    ("key-file", "_KEY"),
    ("client-secret-file", "POS_CONNECT_CLIENT_SECRET"),
    ("messages-secret-file", "POS_CONNECT_MESSAGES_SECRET"),
];

/// What the file says of the database: it may hold a password, which does not belong among the words.
static DATABASE: OnceLock<String> = OnceLock::new();

/// The environment: a variable, if it is set.
type Variables<'v> = &'v dyn Fn(&str) -> Option<OsString>;

/// What the file makes of the command line.
#[derive(Debug, PartialEq)]
struct WithFile {
    words: Vec<OsString>,
    database: Option<String>,
}

/// The database that the file names, for whoever has found none on the command line or in the environment.
pub fn database() -> Option<String> {
    DATABASE.get().cloned()
}

/// Reads the command line of a program. `prefix` begins its variables: `POS_CONNECT_SERVICE`.
pub fn parse<P: Parser>(prefix: &'static str) -> P {
    let mut command = command::<P>(prefix);
    let words: Vec<OsString> = std::env::args_os().collect();
    let variables = |name: &str| std::env::var_os(name);
    let file = named(&words);
    let WithFile { words, database } = match with_file(&command, prefix, words, &variables) {
        Ok(read) => read,
        Err(why) => command.error(ErrorKind::InvalidValue, why).exit(),
    };
    if let Some(database) = database {
        DATABASE.get_or_init(|| database);
    }
    let matches = command.clone().try_get_matches_from(words);
    let mut matches = matches.unwrap_or_else(|error| refuse(error, file));
    P::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

/// Says what is wrong, and ends. What is missing can be missing in the file.
fn refuse(mut error: clap::Error, file: Option<OsString>) -> ! {
    let is_missing = error.kind() == ErrorKind::MissingRequiredArgument;
    if let Some(file) = file.filter(|_| is_missing) {
        let file = Path::new(&file).display();
        eprintln!("tip: they can be set in {file}, by these names without the dashes\n");
    }
    if !error.use_stderr() {
        error.exit();
    }
    hide_values(&mut error);
    eprint!("{error}");
    std::process::exit(error.exit_code())
}

/// What was typed may be a secret in the wrong place: only a plain word is repeated.
fn hide_values(error: &mut clap::Error) {
    let of_argument =
        (error.kind() == ErrorKind::UnknownArgument).then_some(ContextKind::InvalidArg);
    let kinds = [ContextKind::InvalidValue, ContextKind::InvalidSubcommand];
    for kind in kinds.into_iter().chain(of_argument) {
        if let Some(ContextValue::String(value)) = error.get(kind)
            && !is_plain(value)
        {
            error.insert(kind, ContextValue::String("…".to_owned()));
        }
    }
}

/// A number, an option's name, or a word such as of a list of choices: no address, no key, no path.
fn is_plain(value: &str) -> bool {
    let is_plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    value.len() <= 24 && value.chars().all(is_plain)
}

/// The command line as it is shown and read.
pub fn command<P: Parser>(prefix: &'static str) -> Command {
    P::command().mut_subcommands(|command| match command.get_name() {
        SERVE | DOCTOR => with_variables(command, prefix),
        _ => beside(command),
    })
}

/// A command whose options the environment and the file can set.
fn with_variables(command: Command, prefix: &'static str) -> Command {
    let file = file("A file (TOML) with options, such as listen = \"127.0.0.1:80\"");
    command
        .arg(file)
        .args_override_self(true)
        .after_help(format!(
            "Each option can also be set by a variable, such as {prefix}_LISTEN (a comma between several values), \
             and in the file. The command line comes first, then the environment, then the file."
        ))
        .mut_args(|arg| match set_elsewhere(&arg) {
            false => arg,
            true => {
                let name = variable(prefix, &arg);
                // The environment has no other way to say several.
                let is_list = matches!(arg.get_action(), ArgAction::Append);
                let arg = if is_list { arg.value_delimiter(',') } else { arg };
                arg.env(name).hide_env(true)
            }
        })
}

/// A command that works on the database beside `serve`: it finds that where `serve` does.
fn beside(command: Command) -> Command {
    match option(&command, "database") {
        Some(_) => command
            .arg(file("The file (TOML) of serve: what it says of this command's options counts, such as the database")),
        None => command.mut_subcommands(beside),
    }
}

fn file(help: &'static str) -> Arg {
    let arg = Arg::new(CONFIG).long(CONFIG).value_name("FILE");
    arg.help(help)
}

fn option<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    let mut arguments = command.get_arguments();
    arguments.find(|arg| arg.get_long() == Some(name))
}

fn set_elsewhere(arg: &Arg) -> bool {
    let is_apart = |name| APART.contains(&name);
    arg.get_long().is_some_and(|name| !is_apart(name)) && !arg.is_hide_set()
}

fn variable(prefix: &str, arg: &Arg) -> String {
    let name = arg.get_long().unwrap_or_default();
    format!("{prefix}_{}", name.replace('-', "_").to_uppercase())
}

/// The words of a command line with the file's options right behind the command's name, so that a later one counts.
fn with_file(
    command: &Command,
    prefix: &str,
    mut words: Vec<OsString>,
    variables: Variables<'_>,
) -> Result<WithFile, String> {
    let (called, behind) = called(command, &words);
    let given = words.get(behind..).unwrap_or_default();
    let takes_one = option(called, CONFIG).is_some();
    let Some(file) = named(given).filter(|_| takes_one) else {
        return Ok(WithFile {
            words,
            database: None,
        });
    };
    let path = Path::new(&file);
    let wrong = |why: &dyn std::fmt::Display| format!("--config {}: {why}", path.display());
    let table = table(path).map_err(|why| wrong(&why))?;
    let serve = command.find_subcommand(SERVE).ok_or("no such command")?;
    let mut options = Vec::new();
    let mut database = None;
    for (name, value) in &table {
        let arg = option(serve, name).filter(|arg| set_elsewhere(arg) || name == "database");
        let arg = arg.ok_or_else(|| wrong(&format!("there is no setting `{name}`")))?;
        let value = written(arg, value).map_err(|why| wrong(&format!("`{name}` {why}")))?;
        if name == "database" {
            database = value.into_iter().next();
        } else if option(called, name).is_some() && !is_said(prefix, arg, given, variables) {
            let word = |value| match value {
                Some(value) => format!("--{name}={value}"),
                None => format!("--{name}"),
            };
            options.extend(value.into_iter().map(word).map(OsString::from));
        }
    }
    let database = database.flatten();
    if database.as_deref().is_some_and(holds_password) && is_shared(path) {
        return Err(wrong(
            &"holds a password, and everybody on this machine can read it; `chmod 640` it",
        ));
    }
    words.splice(behind..behind, options);
    Ok(WithFile { words, database })
}

/// The command that the words call, such as `vendor list`, and how many of them name it.
fn called<'c>(command: &'c Command, words: &[OsString]) -> (&'c Command, usize) {
    let (mut called, mut behind) = (command, 1);
    while let Some(next) = words
        .get(behind)
        .and_then(|word| called.find_subcommand(word))
    {
        (called, behind) = (next, behind + 1);
    }
    (called, behind)
}

fn table(path: &Path) -> Result<Table, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    // The parser's message quotes the line, which may hold what nobody should read.
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.lines().count().max(1));
        format!("line {line} is not TOML")
    })
}

/// Whether the command line or the environment says it. Of an option that may come several times, the file's would else
/// be added.
fn is_said(prefix: &str, arg: &Arg, words: &[OsString], variables: Variables<'_>) -> bool {
    let name = arg.get_long().unwrap_or_default();
    let option = format!("--{name}");
    let is_it = |word: &OsString| {
        let value = word.to_str().and_then(|word| word.strip_prefix(&option));
        value.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let secret = SECRETS.iter().find(|(file, _)| *file == name);
    let holds_secret = secret.is_some_and(|(_, variable)| {
        let variable = match variable.starts_with('_') {
            true => format!("{prefix}{variable}"),
            false => (*variable).to_owned(),
        };
        variables(&variable).is_some_and(|value| !value.is_empty())
    });
    words.iter().any(is_it) || variables(&variable(prefix, arg)).is_some() || holds_secret
}

/// The file that the words name.
fn named(words: &[OsString]) -> Option<OsString> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--config") => return words.next().cloned(),
            Some(word) => {
                if let Some(file) = word.strip_prefix("--config=") {
                    return Some(file.into());
                }
            }
            None => {}
        }
    }
    None
}

/// The values of an option; a flag that is set has none.
fn written(arg: &Arg, value: &Value) -> Result<Vec<Option<String>>, &'static str> {
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let one = |value: &Value| match value {
        Value::String(text) => Ok(Some(text.clone())),
        Value::Integer(number) => Ok(Some(number.to_string())),
        _ => Err("must be a text or a number"),
    };
    match (is_flag, value) {
        (true, Value::Boolean(true)) => Ok(vec![None]),
        (true, Value::Boolean(false)) => Ok(Vec::new()),
        (true, _) => Err("must be true or false"),
        (false, Value::Array(values)) if matches!(arg.get_action(), ArgAction::Append) => {
            values.iter().map(one).collect()
        }
        (false, value) => Ok(vec![one(value)?]),
    }
}

#[cfg(test)]
mod tests;
