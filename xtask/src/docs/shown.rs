//! What is made from the demo as it looks and sounds now: the pictures, the screens, the words of a screen reader.

use crate::engine::{self, Engine};
use crate::{Result, command, demo, files, npm, package, repo, service, test};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use workbench::debian;

/// Orca, with the buses and the display that it needs.
const SCREEN_READER: &[&str] = &["orca", "at-spi2-core", "dbus", "xvfb", "xauth"];

/// What makes a film of pictures.
const FILM: &[&str] = &["webp"];

/// What the pictures are set in. It is not installed: it would be seen by all other pages, too.
const TYPEFACE: &str = "fonts-noto-core";
const FONTS: &str = r#"<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <alias><family>sans-serif</family><prefer><family>Noto Sans</family></prefer></alias>
</fontconfig>
"#;

/// The demo till with its service.
struct Demo {
    till: PathBuf,
    service: PathBuf,
    /// With the driver that its scripts need.
    scripts: PathBuf,
}

impl Demo {
    fn build() -> Result<Self> {
        package::build()?;
        let scripts = repo::root().join("tests/e2e");
        npm::install(&scripts)?;
        Ok(Self {
            till: demo::assemble_till()?,
            service: service::program(service::NAME)?,
            scripts,
        })
    }

    fn told<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command
            .env("POS_SERVICE_BIN", &self.service)
            .env("POS_TILL_DIR", &self.till)
    }
}

/// The configuration for browsers that know [`TYPEFACE`] alone.
fn typeface() -> Result<PathBuf> {
    let folder = repo::cache()?.join(TYPEFACE);
    let configuration = folder.join("fonts.conf");
    if !configuration.is_file() {
        files::create_folder(&folder)?;
        debian::unpack(TYPEFACE, &folder)?;
        files::write(&configuration, FONTS)?;
    }
    Ok(configuration)
}

/// The pictures in `docs/`.
pub fn picture() -> Result<()> {
    let demo = Demo::build()?;
    debian::install(FILM)?;
    let pictures = repo::root().join("docs");
    let mut node = engine::prepare(Engine::Chromium)?.node();
    node.current_dir(&demo.scripts)
        .args([OsStr::new("picture.mjs"), pictures.as_os_str()])
        .env("FONTCONFIG_FILE", typeface()?);
    command::run(demo.told(&mut node))
}

/// What Orca says of one connection and one order, into `docs/screen-reader.md`.
pub fn speech() -> Result<()> {
    let demo = Demo::build()?;
    if command::find("orca").is_none() {
        debian::install(SCREEN_READER)?;
    }
    let page = repo::root().join("docs/screen-reader.md");
    // A display and a session bus of its own: nothing of the desktop's is heard, and nothing is left.
    let mut run = engine::prepare(Engine::Firefox)?.told(Command::new("sh"));
    run.arg(repo::root().join("workbench/src/display.sh"))
        .args("dbus-run-session -- node speech.mjs".split(' '))
        .arg(&page)
        .current_dir(&demo.scripts)
        .env("GNOME_ACCESSIBILITY", "1");
    command::run(demo.told(&mut run))
}

/// Every view of each state, with a page that shows the pictures.
pub fn screens() -> Result<()> {
    let demo = Demo::build()?;
    let pictures = repo::made("screens");
    files::remove(&pictures)?;
    files::create_folder(&pictures)?;
    let mut node = engine::prepare(Engine::Chromium)?.node();
    node.current_dir(repo::root().join("tests/screens"))
        .args(["--test", "--test-concurrency=1"])
        .env("POS_SCREENS", "all")
        .env("POS_LANGUAGES", test::languages())
        .env("POS_SCREENSHOTS", &pictures)
        .env("POS_PACKAGE_DIR", repo::package());
    let result = command::run(demo.told(&mut node));
    println!("screens: open {}", pictures.join("index.html").display());
    result
}
