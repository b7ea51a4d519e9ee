//! Where options of `serve` come from.

use crate::folder::Folder;
use crate::program::{Program, failure};

use std::process::Command;

/// The command line, then the environment, then the file.
#[tokio::test]
async fn options_come_from_a_file_unless_somebody_says_otherwise() {
    let folder = Folder::new();
    let file = folder.path().join("service.toml");
    std::fs::write(&file, "interval-seconds = 7\nlisten = \"127.0.0.1:1\"\n").unwrap();
    let demo = ["--demo", "--till-listen", "127.0.0.1:0", "--config"];
    let with = |more: &[&'static str]| [&demo, &[file.to_str().unwrap()][..], more].concat();
    // Nobody looks at it: the command line has it, too.
    let listen = ("POS_CONNECT_SERVICE_LISTEN", "nowhere");
    let asked = ("POS_CONNECT_SERVICE_INTERVAL_SECONDS", "8");
    for (options, variables, interval) in [
        (with(&[]), &[listen][..], 7),
        (with(&[]), &[listen, asked], 8),
        (with(&["--interval-seconds", "9"]), &[listen, asked], 9),
    ] {
        let program = Program::serve_with(&folder, &options, None, variables);
        let created = program
            .call("POST", crate::world::INTEGRATION, "")
            .await
            .json();
        assert_eq!(created["interval"], interval);
    }
    std::fs::write(&file, "intervall = 7\n").unwrap();
    let error = failure(&folder, &["serve", "--config", file.to_str().unwrap()]);
    assert!(error.contains("no setting `intervall`"), "{error}");
}

/// It is read, and the server that it names is looked for.
#[cfg(unix)]
#[test]
fn a_password_of_the_database_is_taken_from_a_file_that_not_everybody_reads() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.path().join("service.toml");
    std::fs::write(&file, "database = \"postgres://u:hunter2@127.0.0.1:9/x\"\n").unwrap();
    for (mode, why) in [
        (0o640, "cannot open postgres"),
        (
            0o644,
            "holds a password, and everybody on this machine can read it",
        ),
    ] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut serve = Command::new(env!("CARGO_BIN_EXE_pos-connect-service"));
        serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
        serve.arg(&file);
        let output = serve.arg("--key-file").arg(folder.key()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(why), "{error}");
        assert!(!error.contains("hunter2") && !error.contains("command line"));
    }
}

/// As on Debian: one settings file, whose database the commands beside the service find.
#[test]
fn commands_beside_the_service_find_its_database_in_its_file() {
    let folder = Folder::prepared();
    let file = folder.path().join("service.toml");
    let settings = format!(
        "public-url = \"https://auth.example.com\"\ndatabase = \"{}\"\n",
        folder.database()
    );
    std::fs::write(&file, settings).unwrap();
    let said = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pos-connect-service"));
        command.args(words).arg("--config").arg(&file);
        command.env_remove("POS_CONNECT_SERVICE_DATABASE");
        if folder.is_on_a_server() {
            command.arg("--key-file").arg(folder.key());
        }
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said(&["account", "list"]), "none\n");
    said(&[
        "account",
        "add",
        "--email",
        "a@b.example",
        "--name",
        "Bakery",
    ]);
    // By its ID, which the audit has, too.
    let listed = said(&["account", "list"]);
    let (_, id) = listed.lines().next().unwrap().rsplit_once("  ").unwrap();
    assert!(id.starts_with("acc_"), "{listed}");
    assert!(said(&["audit", "--subject", id]).contains("account.added"));
}

#[test]
fn a_url_that_is_refused_is_named_without_its_secrets() {
    let folder = Folder::new();
    for (option, url) in [
        ("--messages", "webhook:http://sus'an:hunter2@sms.example/x"),
        ("--public-url", "https://susan:hun/hunter2@a.example"),
        ("--demo-origin", "https://susan@x:hunter2@a.example"),
        ("--support-url", "ftp://susan:hunter2@a.example"),
        ("--hunter", "https://susan:hunter2@a.example"),
        ("--hunter", "postgres://a.example/x?password=hunter2"),
        ("--public-url", "https:/susan:hunter2@a.example"),
        ("--support-url", "susan:hunter2@a.example"),
    ] {
        let option_and_url = format!("{option}={url}");
        let error = failure(&folder, &["serve", "--demo", &option_and_url]);
        assert!(error.contains(option), "{error}");
        assert!(
            !error.contains("hunter2") && !error.contains("sus"),
            "{error}"
        );
    }
}

#[test]
fn a_secret_in_the_wrong_place_is_not_repeated() {
    let folder = Folder::prepared();
    let key = "AGE-SECRET-KEY-1HUNTER2";
    for words in [
        ["backup", "copy", "--recipient", key],
        ["restore", "copy", "--identity", key],
        ["serve", "--demo", "--key-file", "pck_HUNTER2"],
        ["vendor", "list", "pcs_HUNTER2", "--json"],
    ] {
        let error = failure(&folder, &words);
        assert!(!error.contains("HUNTER2"), "{error}");
    }
}
