//! The steps of `cargo xtask test`.

use crate::command::cargo;
use crate::engine::Engines;
use crate::outcome::Outcome;
use crate::{Result, command, repo, screens, service, suite, tool, torture};
use std::process::{Command, Stdio};
use workbench::postgres::{self, Postgres};

/// One row of `ALL` is all that it takes to have one more.
pub struct Step {
    /// For `--only`, and in the summary.
    pub name: &'static str,
    /// What is installed before the first step, where it is missing.
    pub needs: &'static [Need],
    run: fn(&Engines, &mut Outcome) -> Result<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Browsers,
    Postgres,
}

/// In the order in which they run.
#[rustfmt::skip]
pub static ALL: [Step; 13] = [
    Step { name: "fmt", needs: &[], run: fmt },
    Step { name: "clippy", needs: &[], run: clippy },
    Step { name: "docs", needs: &[], run: docs },
    Step { name: "native", needs: &[Need::Postgres], run: native },
    Step { name: "torture", needs: &[Need::Postgres, Need::Browsers], run: torture },
    Step { name: "package", needs: &[Need::Browsers], run: suite::package },
    Step { name: "guide", needs: &[Need::Browsers], run: suite::guide },
    Step { name: "privacy", needs: &[Need::Browsers], run: suite::privacy },
    Step { name: "hostile", needs: &[Need::Browsers], run: suite::hostile },
    Step { name: "browser", needs: &[Need::Browsers], run: suite::browser },
    Step { name: "e2e", needs: &[Need::Browsers], run: suite::end_to_end },
    Step { name: "screens", needs: &[Need::Browsers], run: screens::check },
    Step { name: "tabs", needs: &[Need::Browsers], run: suite::tabs },
];

const WASM: [&str; 4] = [
    "--target",
    "wasm32-unknown-unknown",
    "--package",
    "pos-connect",
];

impl Step {
    pub fn run(&self, engines: &Engines) -> Outcome {
        let mut outcome = Outcome::default();
        let result = (self.run)(engines, &mut outcome);
        outcome.note(result);
        outcome
    }
}

pub fn names() -> String {
    ALL.each_ref().map(|step| step.name).join(", ")
}

pub fn parse_list(names: &str) -> Result<Vec<&'static Step>> {
    let parse = |name: &str| ALL.iter().find(|step| step.name == name);
    names
        .split(',')
        .map(|name| {
            parse(name.trim())
                .ok_or_else(|| format!("there is no step `{name}`; there are {}", self::names()))
        })
        .collect()
}

fn fmt(_: &Engines, _: &mut Outcome) -> Result<()> {
    command::run(cargo().args(["fmt", "--all", "--check"]))
}

/// The workspace for this machine and the SDK for the browser, both to the end.
fn clippy(_: &Engines, outcome: &mut Outcome) -> Result<()> {
    const STRICT: [&str; 4] = ["--all-targets", "--", "-D", "warnings"];
    // Without it, cargo passes over the tests that require it.
    const ALL_TESTS: [&str; 2] = ["--features", suite::RIG_TESTS];
    outcome.note(command::run(
        cargo().args(["clippy", "--workspace"]).args(STRICT),
    ));
    tool::wasm_target()?;
    command::run(
        cargo()
            .arg("clippy")
            .args(WASM)
            .args(ALL_TESTS)
            .args(STRICT),
    )
}

fn docs(_: &Engines, outcome: &mut Outcome) -> Result<()> {
    let doc = || {
        let mut cargo = cargo();
        cargo
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "--no-deps"]);
        cargo
    };
    outcome.note(command::run(doc().arg("--workspace")));
    tool::wasm_target()?;
    command::run(doc().args(WASM))
}

/// Tests that need more of the machine than PostgreSQL. Where that is missing they are counted as ignored, with the
/// reason that stands beside them.
struct Demanding {
    /// As libtest picks them.
    name: &'static str,
    can_run: fn() -> bool,
}

const DEMANDING: [Demanding; 3] = [
    Demanding {
        name: "proxies::a_till_connects_behind_nginx",
        can_run: || is_there("nginx", "POS_TEST_NGINX"),
    },
    Demanding {
        name: "proxies::a_till_connects_behind_caddy",
        can_run: || is_there("caddy", "POS_TEST_CADDY"),
    },
    Demanding {
        name: "full_tablespace::",
        can_run: || can_mount() && postgres::is_installed(),
    },
];

fn is_there(program: &str, variable: &str) -> bool {
    std::env::var_os(variable).is_some() || command::find(program).is_some()
}

/// Root in a container often cannot.
fn can_mount() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "true"]).stderr(Stdio::null());
    unshare.status().is_ok_and(|status| status.success())
}

/// Everything on SQLite, then once more on PostgreSQL what can run there, with the tests that are ignored without it.
fn native(_: &Engines, outcome: &mut Outcome) -> Result<()> {
    let tests = |more: &[&str]| {
        let mut cargo = cargo();
        cargo
            .args(["test", "--workspace"])
            .args(more)
            .env_remove(postgres::VARIABLE);
        cargo
    };
    let server = Postgres::start();
    let names = |can_run: bool| {
        let tests = DEMANDING.iter();
        tests
            .filter(move |test| (test.can_run)() == can_run)
            .map(|test| test.name)
    };
    let skip = |name| ["--skip", name];
    let mut everything = vec!["--no-fail-fast", "--"];
    if server.is_ok() {
        // Counted where they run, and not as ignored as well.
        let on_postgres = ["postgres::", "pooler::", "killed::"].into_iter();
        everything.extend(on_postgres.chain(names(true)).flat_map(skip));
    }
    outcome.tests("cargo test", &mut tests(&everything));
    let server = server.map_err(|error| format!("the tests on PostgreSQL did not run: {error}"))?;
    // The programs that just ran: for a single package cargo would compile other features of the dependencies, and so
    // all anew.
    let messages = ["--no-run", "--message-format=json-render-diagnostics"];
    let messages = command::output(command::quiet_unless_terminal(&mut tests(&messages)))?;
    for name in ["service", "relay"] {
        println!("--- the {name} on PostgreSQL");
        let program = service::test_program(&messages, name);
        let program = program.ok_or_else(|| format!("cargo built no `{name}` tests"))?;
        outcome.tests(
            &format!("the {name} on PostgreSQL"),
            Command::new(program)
                .arg("--include-ignored")
                .args(names(false).flat_map(skip))
                .current_dir(repo::root().join(name))
                .env(postgres::VARIABLE, &server.url),
        );
    }
    Ok(())
}

fn torture(_: &Engines, outcome: &mut Outcome) -> Result<()> {
    torture::check(outcome);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_an_unknown_step_refused() {
        let names =
            parse_list("fmt, e2e").map(|steps| steps.iter().map(|step| step.name).collect());
        assert_eq!(names, Ok(vec!["fmt", "e2e"]));
        assert!(parse_list("lint").is_err_and(|message| message.contains("lint")));
    }

    #[test]
    fn the_help_lists_every_step() {
        assert!(crate::HELP.contains(&names()));
    }
}
