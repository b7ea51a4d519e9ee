//! Where the options of `serve` come from: the command line, else the environment, else a file.
//!
//! The names are those of the options, so there is one list of them: the program's own.

use crate::database::holds_password;
use crate::private::is_for_others;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, Parser};
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use toml::{Table, Value};

/// The command whose options it is about.
const SERVE: &str = "serve";
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
    let WithFile { words, database } = match with_file(&command, prefix, words, &variables) {
        Ok(read) => read,
        Err(why) => command.error(ErrorKind::InvalidValue, why).exit(),
    };
    if let Some(database) = database {
        DATABASE.get_or_init(|| database);
    }
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
    variables: Variables<'_>,
) -> Result<WithFile, String> {
    let as_given = |words| WithFile {
        words,
        database: None,
    };
    let Some(at) = words.iter().skip(1).position(|word| word == SERVE) else {
        return Ok(as_given(words));
    };
    let behind = at + 2;
    let given = words.get(behind..).unwrap_or_default();
    let Some(file) = named(given) else {
        return Ok(as_given(words));
    };
    let path = Path::new(&file);
    let wrong = |why: &dyn std::fmt::Display| format!("--config {}: {why}", path.display());
    let table = table(path).map_err(|why| wrong(&why))?;
    let serve = command.find_subcommand(SERVE).ok_or("no such command")?;
    let mut options = Vec::new();
    let mut database = None;
    for (name, value) in &table {
        let arg = serve
            .get_arguments()
            .find(|arg| arg.get_long() == Some(name));
        let arg = arg.filter(|arg| set_elsewhere(arg) || name == "database");
        let arg = arg.ok_or_else(|| wrong(&format!("there is no setting `{name}`")))?;
        let value = written(arg, value).map_err(|why| wrong(&format!("`{name}` {why}")))?;
        if name == "database" {
            database = value.into_iter().next();
        } else if !is_said(prefix, arg, given, variables) {
            let word = |value| match value {
                Some(value) => format!("--{name}={value}"),
                None => format!("--{name}"),
            };
            options.extend(value.into_iter().map(word).map(OsString::from));
        }
    }
    let database = database.flatten();
    if database.as_deref().is_some_and(holds_password) && is_for_others(path) {
        return Err(wrong(
            &"holds a password, and everybody on this machine can read it; `chmod 640` it",
        ));
    }
    words.splice(behind..behind, options);
    Ok(WithFile { words, database })
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
        key_file: Option<String>,
        #[arg(long)]
        database: Option<String>,
        #[arg(long)]
        json: bool,
    }

    const PREFIX: &str = "POS_CONNECT_TEST";

    /// A file of its own, gone with its owner.
    struct File(std::path::PathBuf);

    impl File {
        fn new(text: &str) -> Self {
            static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let name = format!("pos-connect-config-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, text).unwrap();
            Self(path)
        }

        /// As whoever serves with these options and variables reads it.
        fn with(&self, options: &str, variables: &[(&str, &str)]) -> Result<WithFile, String> {
            let line = format!("program serve {options} --config {}", self.0.display());
            let words = line.split_whitespace().map(OsString::from).collect();
            let set = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            };
            with_file(&command::<Program>(PREFIX), PREFIX, words, &set)
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            std::fs::remove_file(&self.0).unwrap();
        }
    }

    fn read(file: &str, options: &str) -> Result<Serve, String> {
        read_with(file, options, &[])
    }

    fn read_with(file: &str, options: &str, variables: &[(&str, &str)]) -> Result<Serve, String> {
        let WithFile { words, .. } = File::new(file).with(options, variables)?;
        let matches = command::<Program>(PREFIX).try_get_matches_from(words);
        let mut matches = matches.map_err(|error| error.to_string())?;
        match Program::from_arg_matches_mut(&mut matches) {
            Ok(Program {
                command: Commands::Serve(serve),
            }) => Ok(serve),
            other => Err(format!("{other:?}")),
        }
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
            key_file: None,
            database: None,
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
        let command = command::<Program>(PREFIX);
        let error = with_file(&command, PREFIX, words.into(), &|_| None).unwrap_err();
        assert!(error.contains("/nowhere/x.toml"), "{error}");
    }

    #[test]
    fn a_list_of_the_files_is_not_added_to_one_of_the_command_line() {
        let file = "listen = \"a:1\"\norigin = [\"https://x\", \"https://y\"]\n";
        for options in ["--origin https://z", "--origin=https://z"] {
            assert_eq!(read(file, options).unwrap().origins, ["https://z"]);
        }
        let other = read(file, "--max-requests 2").unwrap();
        assert_eq!(other.origins, ["https://x", "https://y"]);
        let variables = [("POS_CONNECT_TEST_ORIGIN", "https://z")];
        let left_out = read_with(file, "", &variables).unwrap();
        assert!(left_out.origins.is_empty(), "clap reads the variable");
    }

    #[test]
    fn a_secret_in_a_variable_comes_before_a_file_that_the_file_names() {
        let file = "listen = \"a:1\"\nkey-file = \"/k\"\n";
        assert_eq!(read(file, "").unwrap().key_file.as_deref(), Some("/k"));
        for (value, key_file) in [("psk_x", None), ("", Some("/k"))] {
            let variables = [("POS_CONNECT_TEST_KEY", value)];
            let serve = read_with(file, "", &variables).unwrap();
            assert_eq!(serve.key_file.as_deref(), key_file);
        }
        let serve = read_with(file, "--key-file /o", &[("POS_CONNECT_TEST_KEY", "psk_x")]);
        assert_eq!(serve.unwrap().key_file.as_deref(), Some("/o"));
    }

    #[cfg(unix)]
    #[test]
    fn a_database_with_a_password_is_taken_from_a_private_file_and_is_in_no_word() {
        use std::os::unix::fs::PermissionsExt;
        let url = "postgres://user:hunter2@db.example/x";
        let file = File::new(&format!("listen = \"a:1\"\ndatabase = \"{url}\"\n"));
        let permit = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&file.0, permissions).unwrap();
        };
        for mode in [0o600, 0o640] {
            permit(mode);
            let read = file.with("", &[]).unwrap();
            assert_eq!(read.database.as_deref(), Some(url));
            let words = format!("{:?}", read.words);
            assert!(words.contains("a:1") && !words.contains("hunter2"));
        }
        permit(0o644);
        let error = file.with("", &[]).unwrap_err();
        assert!(
            error.contains("holds a password") && !error.contains("hunter2"),
            "{error}"
        );
    }

    #[test]
    fn only_serve_is_configured() {
        let words: Vec<OsString> = ["program", "other"].map(OsString::from).into();
        let same = with_file(&command::<Program>(PREFIX), PREFIX, words.clone(), &|_| {
            None
        });
        assert_eq!(same.unwrap().words, words);
    }
}
