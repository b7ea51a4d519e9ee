//! What others can read or change is said at the start, and where it is registered.

use crate::folder::Folder;
use crate::program::{Program, run};
use std::os::unix::fs::PermissionsExt;

#[test]
fn what_others_can_read_or_change_is_named_at_the_start() {
    let folder = Folder::prepared();
    let add = [
        "vendor",
        "add",
        "--name",
        "Till Co",
        "--origin",
        "http://till.example",
        "--origin",
    ];
    let output = run(&folder, &[&add[..], &["http://localhost:8080"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("http://till.example") && !said.contains("localhost"),
        "{said}"
    );
    let messages = folder.path().join("messages.jsonl");
    std::fs::write(&messages, "").unwrap();
    std::fs::set_permissions(&messages, PermissionsExt::from_mode(0o644)).unwrap();
    let outlet = format!("file:{}", messages.display());
    let start = |listen: &str, options: &[&str]| {
        let given = [
            "--listen",
            listen,
            "--messages",
            &outlet,
            "--message-region",
            "IL",
        ];
        drop(Program::serve(
            &folder,
            &[&given[..], options].concat(),
            Some("warn"),
        ));
        std::fs::read_to_string(folder.path().join("log")).unwrap()
    };
    let log = start("0.0.0.0:0", &[]);
    assert!(log.contains("http://till.example"), "{log}");
    assert!(
        log.contains("messages.jsonl") && log.contains("chmod 600"),
        "{log}"
    );
    assert!(log.contains("--public-url"), "{log}");
    assert!(!start("127.0.0.1:0", &[]).contains("--public-url"));
    let behind = ["--public-url", "https://auth.example"];
    assert!(!start("0.0.0.0:0", &behind).contains("--public-url"));
}
