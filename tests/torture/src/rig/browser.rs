//! Headless Chromium, which shows one page until it is dropped.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use workbench::engine::{self, Engine};
use workbench::{Result, command, files};

/// Chromium asks its maker for updates, experiments and a component list; a test must not talk to anybody. As root it
/// has no sandbox. What no person looks at is not put to sleep.
const ARGUMENTS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
];
/// Names the browser where none is on `PATH`.
const VARIABLE: &str = "POS_CHROMIUM";

pub struct Browser(Child);

impl Browser {
    /// `folder` holds its profile.
    pub fn open(folder: &Path, url: &str) -> Result<Self> {
        let driver = engine::prepare(Engine::Chromium).ok();
        let found = driver.and_then(|driver| driver.browser);
        let program = std::env::var_os(VARIABLE).map(Into::into).or(found);
        let program =
            program.ok_or_else(|| format!("there is no Chromium; name one with {VARIABLE}"))?;
        let profile = folder.join("profile");
        files::create_folder(&profile)?;
        let mut command = Command::new(program);
        command
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command::spawn(&mut command).map(Self)
    }

    /// Whether it has ended by itself.
    pub fn is_gone(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
