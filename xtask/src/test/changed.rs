//! `--changed`: what the changed files can break.

use super::job::Job;
use crate::{Result, command, repo};
use std::process::Command;

/// The files that differ from a commit, those that git does not know yet among them.
pub fn since(commit: &str) -> Result<Vec<String>> {
    let git = |arguments: &[&str]| {
        command::output(
            Command::new("git")
                .args(arguments)
                .current_dir(repo::root()),
        )
    };
    let different = git(&["diff", "--name-only", commit])?;
    let unknown = git(&["ls-files", "--others", "--exclude-standard"])?;
    let lines = different.lines().chain(unknown.lines());
    Ok(lines.map(str::to_owned).collect())
}

/// Whether one of these files can break it.
pub fn concerns(job: &Job, paths: &[String]) -> bool {
    paths.iter().any(|path| watches(job, path))
}

fn watches(job: &Job, path: &str) -> bool {
    job.watches.iter().any(|watched| is_below(watched, path))
}

/// `.` has everything below it, `*.rs` the files with that end, `tests/flow` its folder and `tests/flow.rs`.
fn is_below(watched: &str, path: &str) -> bool {
    let ends = watched
        .strip_prefix('*')
        .is_some_and(|end| path.ends_with(end));
    let begins = path.strip_prefix(watched);
    watched == "."
        || ends
        || begins.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::files;
    use crate::test::Tier;
    use crate::test::step::{self, Plan};

    fn jobs() -> Vec<Job> {
        let plan = Plan::new(Tier::Nightly, Engine::ALL.to_vec()).unwrap();
        step::jobs(&plan).unwrap()
    }

    fn concerned(path: &str) -> Vec<String> {
        let jobs = jobs().into_iter().filter(|job| watches(job, path));
        // Every job of the pages' tests watches everything.
        let jobs = jobs.filter(|job| !job.watches.iter().any(|watched| watched == "."));
        jobs.map(|job| job.selector()).collect()
    }

    #[test]
    fn a_change_runs_what_it_can_break() {
        let relay = concerned("relay/src/till.rs");
        assert!(relay.contains(&"native/pos-connect-relay".to_owned()));
        assert!(!relay.contains(&"native/pos-connect-service".to_owned()));
        let protocol = concerned("protocol/src/problem.rs");
        for step in [
            "native/pos-connect-service",
            "browser/flow",
            "e2e/connect.test.js",
        ] {
            assert!(
                protocol.contains(&step.to_owned()),
                "{step} is not in {protocol:?}"
            );
        }
        let test = concerned("tests/e2e/connect.test.js");
        assert!(
            test.iter()
                .all(|selector| selector == "e2e/connect.test.js"),
            "{test:?}"
        );
    }

    #[test]
    fn every_folder_is_watched_and_every_watched_path_is_there() {
        let files = files::list(&repo::root().join("tests")).unwrap();
        let jobs = jobs();
        for file in files.iter().map(|file| format!("tests/{}", file.display())) {
            // Measured, not tested.
            let is_apart = file.starts_with("tests/bench") || file.ends_with("README.md");
            let names = jobs.iter().flat_map(|job| &job.watches);
            let mut names = names.filter(|watched| *watched != ".");
            let is_watched = names.any(|watched| is_below(watched, &file));
            assert!(is_apart || is_watched, "nobody watches {file}");
        }
        for job in &jobs {
            for path in job.watches.iter().filter(|path| !path.starts_with('*')) {
                let places = [path.clone(), format!("{path}.rs")];
                assert!(
                    places.iter().any(|place| repo::root().join(place).exists()),
                    "{job} watches {path}, which is not there"
                );
            }
        }
    }
}
