//! Where the options of `serve` come from: the command line, else the environment, else a file.
//!
//! The names are those of the options, so there is one list of them: the program's own.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, Parser};
use std::ffi::OsString;
use std::path::Path;
use toml::{Table, Value};

/// The command whose options it is about.
const SERVE: &str = "serve";
const CONFIG: &str = "config";
/// What the environment cannot say: where answers go, and what reads a variable of its own.
const APART: [&str; 4] = ["json", "database", "help", CONFIG];

/// Reads the command line of a program. `prefix` begins its variables: `POS_CONNECT_SERVICE`.
pub fn parse<P: Parser>(prefix: &'static str) -> P {
    let mut command = command::<P>(prefix);
    let words: Vec<OsString> = std::env::args_os().collect();
    let words = match with_file(&command, prefix, words) {
        Ok(words) => words,
        Err(why) => command.error(ErrorKind::InvalidValue, why).exit(),
    };
    let mut matches = command.clone().get_matches_from(words);
    P::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

/// The command line as it is shown and read.
pub fn command<P: Parser>(prefix: &'static str) -> Command {
    P::command().mut_subcommand(SERVE, |serve| {
        let file = Arg::new(CONFIG)
            .long(CONFIG)
            .value_name("FILE")
            .help("A file (TOML) with options, such as listen = \"127.0.0.1:80\"");
        serve
            .arg(file)
            .args_override_self(true)
            .after_help(format!(
                "Each option can also be set by a variable, such as {prefix}_LISTEN (a comma between several \
                 values), and in the file. The command line comes first, then the environment, then the file."
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
    })
}

fn set_elsewhere(arg: &Arg) -> bool {
    let is_apart = |name| APART.contains(&name);
    arg.get_long().is_some_and(|name| !is_apart(name)) && !arg.is_hide_set()
}

fn variable(prefix: &str, arg: &Arg) -> String {
    let name = arg.get_long().unwrap_or_default();
    format!("{prefix}_{}", name.replace('-', "_").to_uppercase())
}

/// The same words, with the file's options right behind `serve`, so that a later one counts.
fn with_file(
    command: &Command,
    prefix: &str,
    mut words: Vec<OsString>,
) -> Result<Vec<OsString>, String> {
    let Some(at) = words.iter().skip(1).position(|word| word == SERVE) else {
        return Ok(words);
    };
    let behind = at + 2;
    let Some(file) = named(&words[behind..]) else {
        return Ok(words);
    };
    let path = Path::new(&file);
    let wrong = |why: &dyn std::fmt::Display| format!("--config {}: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    // The parser's message quotes the line, which may hold what nobody should read.
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map_or(1, |span| text[..span.start].lines().count().max(1));
        wrong(&format!("line {line} is not TOML"))
    })?;
    let serve = command.find_subcommand(SERVE).ok_or("no such command")?;
    let mut options = Vec::new();
    for (name, value) in &table {
        let arg = serve
            .get_arguments()
            .find(|arg| arg.get_long() == Some(name));
        let arg = arg.filter(|arg| set_elsewhere(arg) || name == "database");
        let arg = arg.ok_or_else(|| wrong(&format!("there is no setting `{name}`")))?;
        if std::env::var_os(variable(prefix, arg)).is_none() {
            let value = written(arg, value);
            options.extend(value.map_err(|why| wrong(&format!("`{name}` {why}")))?);
        }
    }
    words.splice(behind..behind, options.into_iter().map(OsString::from));
    Ok(words)
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

/// As words of the command line.
fn written(arg: &Arg, value: &Value) -> Result<Vec<String>, &'static str> {
    let name = arg.get_long().unwrap_or_default();
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let one = |value: &Value| match value {
        Value::String(text) => Ok(format!("--{name}={text}")),
        Value::Integer(number) => Ok(format!("--{name}={number}")),
        _ => Err("must be a text or a number"),
    };
    match (is_flag, value) {
        (true, Value::Boolean(true)) => Ok(vec![format!("--{name}")]),
        (true, Value::Boolean(false)) => Ok(Vec::new()),
        (true, _) => Err("must be true or false"),
        (false, Value::Array(values)) if matches!(arg.get_action(), ArgAction::Append) => {
            values.iter().map(one).collect()
        }
        (false, value) => Ok(vec![one(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches, Subcommand};

    #[derive(Debug, Parser)]
    struct Program {
        #[command(subcommand)]
        command: Commands,
    }

    #[derive(Debug, Subcommand)]
    enum Commands {
        Serve(Serve),
        Other,
    }

    #[derive(Args, Debug, PartialEq)]
    struct Serve {
        #[arg(long)]
        listen: String,
        #[arg(long, default_value_t = 5)]
        max_requests: u32,
        #[arg(long)]
        demo: bool,
        #[arg(long = "origin")]
        origins: Vec<String>,
        #[arg(long, hide = true)]
        client_secret: Option<String>,
        #[arg(long)]
        json: bool,
    }

    fn read(file: &str, options: &str) -> Result<Serve, String> {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("pos-connect-config-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, file).unwrap();
        let line = format!("program serve {options} --config {}", path.display());
        let words = line.split_whitespace().map(OsString::from).collect();
        let command = command::<Program>("POS_CONNECT_TEST");
        let read = with_file(&command, "POS_CONNECT_TEST", words).and_then(|words| {
            let matches = command.try_get_matches_from(words);
            let mut matches = matches.map_err(|error| error.to_string())?;
            match Program::from_arg_matches_mut(&mut matches) {
                Ok(Program {
                    command: Commands::Serve(serve),
                }) => Ok(serve),
                other => Err(format!("{other:?}")),
            }
        });
        std::fs::remove_file(path).unwrap();
        read
    }

    #[test]
    fn the_file_says_what_the_command_line_leaves_out() {
        let file = "listen = \"a:1\"\nmax-requests = 7\ndemo = true\norigin = [\"https://x\", \"https://y\"]\n";
        let serve = read(file, "--max-requests 9").unwrap();
        let expected = Serve {
            listen: "a:1".into(),
            max_requests: 9,
            demo: true,
            origins: vec!["https://x".into(), "https://y".into()],
            client_secret: None,
            json: false,
        };
        assert_eq!(serve, expected);
    }

    #[test]
    fn what_is_wrong_in_the_file_is_named_and_not_repeated() {
        for (file, why) in [
            ("listen = \"a\"\nlisen = \"hunter2\"", "no setting `lisen`"),
            ("client-secret = \"hunter2\"", "no setting `client-secret`"),
            ("json = true", "no setting `json`"),
            ("demo = \"hunter2\"", "`demo` must be true or false"),
            ("listen = { a = \"hunter2\" }", "`listen` must be a text"),
            ("listen = \"a\"\nsecret hunter2", "line 2 is not TOML"),
        ] {
            let error = read(file, "").unwrap_err();
            assert!(error.contains(why) && !error.contains("hunter2"), "{error}");
        }
        let words = ["program", "serve", "--config=/nowhere/x.toml"].map(OsString::from);
        let command = command::<Program>("POS_CONNECT_TEST");
        let error = with_file(&command, "POS_CONNECT_TEST", words.into()).unwrap_err();
        assert!(error.contains("/nowhere/x.toml"), "{error}");
    }

    #[test]
    fn only_serve_is_configured() {
        let words: Vec<OsString> = ["program", "other"].map(OsString::from).into();
        let command = command::<Program>("POS_CONNECT_TEST");
        let same = with_file(&command, "POS_CONNECT_TEST", words.clone());
        assert_eq!(same, Ok(words));
    }
}
