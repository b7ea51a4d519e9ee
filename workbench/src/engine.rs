//! The three browser engines, their drivers, and how to get them.

use crate::{Result, command, debian, tool};
use std::path::PathBuf;
use std::process::Command;

/// Runs a program on a display of its own.
const DISPLAY: &str = include_str!("display.sh");

/// A browser engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Chrome, Edge, Opera.
    Chromium,
    /// Gecko.
    Firefox,
    /// Safari, and every browser on iOS.
    WebKit,
}

/// An engine that can run here.
#[derive(Clone)]
pub struct Driver {
    /// Which one it drives.
    pub engine: Engine,
    /// Its program.
    pub path: PathBuf,
    /// Where that matters and is known.
    pub browser: Option<PathBuf>,
}

impl Engine {
    /// In the order in which tests run.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// Reads `chromium,firefox`.
    pub fn parse_list(names: &str) -> Result<Vec<Self>> {
        names
            .split(',')
            .map(|name| Self::parse(name.trim()))
            .collect()
    }

    fn parse(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|engine| engine.name() == name)
            .ok_or_else(|| {
                format!("there is no engine `{name}`; there are chromium, firefox, webkit")
            })
    }

    /// The variable that tells tests where the driver is: those that wasm-bindgen's runner reads.
    fn driver_variable(self) -> &'static str {
        match self {
            Self::Chromium => "CHROMEDRIVER",
            Self::Firefox => "GECKODRIVER",
            Self::WebKit => "SAFARIDRIVER",
        }
    }

    /// The variable that tells them which browser to start; WebKit's driver brings its own.
    fn browser_variable(self) -> Option<&'static str> {
        match self {
            Self::Chromium => Some("POS_CHROMIUM"),
            Self::Firefox => Some("POS_FIREFOX"),
            Self::WebKit => None,
        }
    }

    fn browser(self) -> Option<PathBuf> {
        let names = self.browser_variable().and(
            self.programs()
                .first()
                .filter(|_| cfg!(target_os = "linux")),
        )?;
        names.iter().find_map(|name| command::find(name))
    }

    /// What must be on `PATH`, the browser first, each as a list of names of which one will do. Only on Linux is the
    /// browser looked for too:
    /// elsewhere it is an application that its driver finds by itself.
    fn programs(self) -> &'static [&'static [&'static str]] {
        const CHROMIUM: &[&str] = &[
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
        ];
        match (self, cfg!(target_os = "linux")) {
            (Self::Chromium, true) => &[CHROMIUM, &["chromedriver"]],
            (Self::Firefox, true) => &[&["firefox-esr", "firefox"]],
            // No headless mode: it needs a display, if only a virtual one.
            (Self::WebKit, true) => &[&["Xvfb"], &["WebKitWebDriver"]],
            (Self::Chromium, false) => &[&["chromedriver"]],
            (Self::Firefox, false) => &[],
            (Self::WebKit, false) => &[&["safaridriver"]],
        }
    }

    fn debian_packages(self) -> &'static [&'static str] {
        match self {
            Self::Chromium => &["chromium", "chromium-driver"],
            Self::Firefox => &["firefox-esr"],
            Self::WebKit => &["webkit2gtk-driver", "xvfb"],
        }
    }

    fn missing(self) -> Vec<&'static str> {
        let found = |names: &&[&str]| names.iter().any(|name| command::find(name).is_some());
        self.programs()
            .iter()
            .filter(|names| !found(names))
            .map(|names| names[0])
            .collect()
    }

    fn driver(self) -> Result<PathBuf> {
        let missing = self.missing();
        if !missing.is_empty() {
            let hint = if cfg!(target_os = "linux") {
                format!(
                    "; on Debian, as root: apt-get install {}",
                    self.debian_packages().join(" ")
                )
            } else {
                String::new()
            };
            return Err(format!(
                "{} cannot be tested: {} not found{hint}",
                self.name(),
                missing.join(", ")
            ));
        }
        match self {
            Self::Firefox => tool::install(&tool::GECKODRIVER),
            _ => {
                let name = self.programs().last().map_or("", |names| names[0]);
                command::find(name).ok_or_else(|| format!("{name} not found"))
            }
        }
    }
}

impl Driver {
    /// A command that runs `program` where this engine's browser finds a display.
    pub fn command(&self, program: &str) -> Command {
        if self.engine == Engine::WebKit && cfg!(target_os = "linux") {
            // It ends with this process, as its display ends with it.
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "TERM", "sh", "-c", DISPLAY, "display.sh"]);
            command.arg(program);
            // Painting by OpenGL in several threads, without a graphics card, has ended the browser (Mesa's
            // swrast_dri).
            command.env("WEBKIT_SKIA_ENABLE_CPU_RENDERING", "1");
            command
        } else {
            Command::new(program)
        }
    }

    /// Node, told where this engine's driver and browser are.
    pub fn node(&self) -> Command {
        self.told(self.command("node"))
    }

    /// A command that knows where this engine's driver and browser are.
    pub fn told(&self, mut command: Command) -> Command {
        // wasm-bindgen's runner takes the first driver that a variable names.
        for engine in Engine::ALL {
            command.env_remove(engine.driver_variable());
        }
        command
            .env("POS_ENGINE", self.engine.name())
            .env(self.engine.driver_variable(), &self.path);
        if let (Some(variable), Some(browser)) = (self.engine.browser_variable(), &self.browser) {
            command.env(variable, browser);
        }
        command
    }
}

/// Installs what is missing where that is possible, and says where the driver is or why the engine cannot run.
pub fn prepare(engine: Engine) -> Result<Driver> {
    if !engine.missing().is_empty()
        && let Err(error) = debian::install(engine.debian_packages())
    {
        println!("tools: {error}");
    }
    Ok(Driver {
        engine,
        path: engine.driver()?,
        browser: engine.browser(),
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    /// Whoever holds the fifth file is still there.
    #[test]
    fn a_display_and_its_program_end_with_a_shell_that_is_killed() {
        let folder =
            std::env::temp_dir().join(format!("pos-connect-no-display-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let server = folder.join("Xvfb");
        fs::write(&server, "#!/bin/sh\necho 7 >&3\nexec tail -f /dev/null\n").unwrap();
        fs::set_permissions(&server, Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh")
            .args(["-c", &format!("exec 5>&1\n{DISPLAY}"), "display.sh"])
            .args(["sh", "-c", "echo \"$DISPLAY\"; exec tail -f /dev/null"])
            .env("PATH", path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(shell.stdout.take().unwrap());
        let mut display = String::new();
        said.read_line(&mut display).unwrap();
        assert_eq!(display, ":7\n");
        shell.kill().unwrap();
        shell.wait().unwrap();
        let (ended, end) = mpsc::channel();
        thread::spawn(move || ended.send(said.read_to_end(&mut Vec::new())));
        end.recv_timeout(Duration::from_secs(60)).unwrap().unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
