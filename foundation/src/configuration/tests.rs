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
    #[command(subcommand)]
    Thing(Things),
}

#[derive(Debug, Subcommand)]
enum Things {
    List(List),
}

#[derive(Args, Debug, PartialEq)]
struct List {
    #[arg(long)]
    key_file: Option<String>,
    #[arg(long)]
    database: Option<String>,
    #[arg(long)]
    name: Option<String>,
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
        self.of(&line, variables)
    }

    fn of(&self, line: &str, variables: &[(&str, &str)]) -> Result<WithFile, String> {
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
fn other_commands_take_from_the_file_what_they_share_with_serve() {
    let text =
        "listen = \"a:1\"\nmax-requests = 7\ndatabase = \"sqlite:///x\"\nkey-file = \"/k\"\n";
    let file = File::new(text);
    let list = |options: &str, variables| {
        let line = format!("program thing list {options} --config {}", file.0.display());
        let read = file.of(&line, variables).unwrap();
        let matches = command::<Program>(PREFIX).try_get_matches_from(read.words);
        match Program::from_arg_matches_mut(&mut matches.unwrap())
            .unwrap()
            .command
        {
            Commands::Thing(Things::List(list)) => (read.database, list.key_file, list.name),
            other => panic!("{other:?}"),
        }
    };
    let text = |text: &str| Some(text.to_owned());
    let database = text("sqlite:///x");
    assert_eq!(list("", &[]), (database.clone(), text("/k"), None));
    let own = list("--key-file /o --name serve", &[]);
    assert_eq!(own, (database.clone(), text("/o"), text("serve")));
    let held = list("", &[("POS_CONNECT_TEST_KEY", "psk_x")]);
    assert_eq!(held, (database, None, None));
}

#[test]
fn a_command_that_opens_no_database_takes_no_file() {
    let words: Vec<OsString> = ["program", "other"].map(OsString::from).into();
    let same = with_file(&command::<Program>(PREFIX), PREFIX, words.clone(), &|_| {
        None
    });
    assert_eq!(same.unwrap().words, words);
}
