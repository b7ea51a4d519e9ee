//! The long-term limit on guesses: the operator hears of it.

use crate::folder::Folder;
use crate::program::Program;
use crate::world::INTEGRATION;

#[tokio::test]
async fn the_operator_is_told_when_an_account_has_no_guesses_left() {
    let folder = Folder::new();
    let options = [
        "--demo",
        "--till-listen",
        "127.0.0.1:0",
        "--trusted-proxy",
        "127.0.0.1",
    ];
    let program = Program::serve(&folder, &options, Some("info"));
    let email = program.first_line["account"]["email"]
        .as_str()
        .unwrap()
        .to_owned();
    let said = || {
        let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
        log.lines()
            .filter(|line| line.contains("somebody guesses a password"))
            .count()
    };
    let mut token = String::new();
    for number in 0..30 {
        assert_eq!(said(), 0, "after {number}");
        // An integration has five guesses of its own, and so has each address.
        if number % 5 == 0 {
            let created = program.call("POST", INTEGRATION, "").await.json();
            token = created["integrationToken"].as_str().unwrap().to_owned();
        }
        let form = program.sign_in_form(&token, &email).await;
        let form = form.header("X-Forwarded-For", format!("203.0.113.{number}"));
        let answer = form.send(program.address("baseUrl")).await;
        assert_eq!(answer.data("page"), "sign-in", "{}", answer.body);
    }
    assert_eq!(said(), 1);
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let line = log
        .lines()
        .find(|line| line.contains("somebody guesses a password"))
        .unwrap();
    assert!(
        line.contains("ERROR") && !line.contains(&email) && !line.contains("a guess"),
        "{line}"
    );
}
