//! The project's commands, run as `cargo xtask COMMAND`. Each sets up what it needs on a machine that has only Rust
//! and Node.

mod bench;
mod demo;
mod dist;
mod docs;
mod fingerprint;
mod load;
mod package;
mod relay;
mod release;
mod sbom;
mod simulation;
mod size;
mod test;
mod torture;

use args::Args;
use std::process::ExitCode;
// As if they were modules of this crate.
use workbench::{Result, args, command, engine, files, lock, npm, repo, service, tool};

const HELP: &str = "\
cargo xtask demo     build everything, start the service and the demo till, print where to open it
                       --listen ADDR, --till-listen ADDR   other addresses than 127.0.0.1:8080 and :8081
                       --relay                             the till talks to a relay, and has no secret
                       --static                            instead, the till over a simulated service: a folder for
                                                           any web server, in target/simulation/try/
cargo xtask test     what a person waits for: every check, in Chromium and on SQLite
                       --all                               everything: three engines, both databases
                       --nightly                           everything, with fresh seeds, and what takes hours
                       --changed                           only what the uncommitted changes can break;
                                                           --since COMMIT: what changed since then
                       --only STEP[,STEP/FILE]             all of a step, or one file of it:
                       fmt, clippy, native, browser, package, torture, postgres, docs, wasm-pack, night,
                       e2e, screens, tabs, hostile, field, privacy, conformance, matrix, guide
                       --engines NAME[,NAME]               chromium, firefox, webkit
                       --repeat N                          each of them N times
                       --under-load                        beside as many busy threads as there are processors
cargo xtask lint     the sentences of the pages: how long they are, and in which voice
cargo xtask package  the npm package, in pkg/
                       --bless                             accept its files, and write the options into types and docs
cargo xtask docs     the pages of docs/ as a site, in target/site/, with the demo of --static
                       --picture                           instead, the pictures in docs/: the demo as it looks now
                       --speech                            instead, docs/screen-reader.md: what Orca says of it (Debian)
                       --texts                             instead, target/texts.md: every text in each language
                       --screens                           instead, every screen of keypad and connect page, in
                                                           target/screens/
cargo xtask dist     service and relay as programs and as Debian packages, with units, man pages and completions,
                     in target/dist/
                       --images                            container images, too, for amd64 and arm64
                       --check                             install, start, upgrade, remove and purge the packages in a
                                                           container with systemd, and run the images' programs with
                                                           nothing but their files: needs root on a Debian
cargo xtask release  with --dry-run: everything that a release consists of, and what is missing for one. It publishes
                     nothing
cargo xtask bench    the service's calls against a bare handler. The bytes of each part and crate in the download.
                     In Chromium: phone numbers against libphonenumber-js, the keypad against bare buttons,
                     import → ready against an assembly from npm, and the wait for the tokens. Orders: kept in the
                     page, behind faults beside TanStack's offline transactions, and accepted by the service
                       --only PART[,PART]                  service, orders, sizes, browser (phone, keypad, ready),
                                                           connect, outbox, faults, till
                       --against PATH                      another package, folder or tarball, in the same browser
                       --rounds N                          at least 5 (default 7)
cargo xtask torture  the SDK in tabs that die, behind a proxy that fails. Storms of random calls, hands and faults in
                     a page. Calls made up from /openapi.json. Months in minutes. All attackers at once, beside shops
                     that sell
                       --only PART[,PART]                  proxy, outbox (orders), page, fuzz, siege, soak
                       --runs N                            how often (default 20; proxy, fuzz: 50; outbox: 30; siege,
                                                           soak: 10 minutes)
                       --seed S                            the random choices of an earlier run
                       --run I                             only this one of the runs (proxy, outbox, page)
                       --sqlite                            siege: without PostgreSQL
                       --sample first|all                  instead, what `test` runs, with the seeds of
                                                           tests/torture/seeds.txt
                       --broken [--only NAME]              instead, whether proxy and outbox see the builds of
                                                           tests/torture/broken
cargo xtask phone-data  the table of phone numbers, from the metadata of libphonenumber
                       --check                             only compare with what is committed
                       --version X.Y.Z                     pin another release first
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let rest: Vec<String> = words.collect();
    if is_help(&command) || rest.iter().any(|word| is_help(word)) {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let args = Args::new(rest.iter().cloned());
    workbench::ended(match command.as_str() {
        "demo" => demo::run(args),
        "test" => test::run(args),
        "lint" => args.finish().and_then(|()| lint()),
        "package" => package::run(args),
        "bench" => bench::run(args),
        "torture" => torture::run(rest),
        "dist" => dist::run(args),
        "release" => release::run(args),
        "docs" => docs::run(args),
        "phone-data" => command::run(member("phone-data").args(rest)),
        "" => Err(format!("which command?\n\n{HELP}")),
        other => Err(format!("there is no command `{other}`\n\n{HELP}")),
    })
}

fn is_help(word: &str) -> bool {
    ["help", "--help", "-h"].contains(&word)
}

/// textlint says what to change; `lint/` has its rules.
fn lint() -> Result<()> {
    let folder = repo::root().join("lint");
    npm::install(&folder)?;
    let mut npm = command::npm();
    command::run(npm.args(["run", "--silent", "prose"]).current_dir(folder))
}

/// A program of this workspace that only runs when it is asked for, and so is not compiled before.
fn member(name: &str) -> std::process::Command {
    let mut cargo = command::cargo();
    cargo.args(["run", "--quiet", "--package", name, "--"]);
    cargo
}
