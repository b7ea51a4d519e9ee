//! Headless Chromium, through its driver.

use crate::http::{Line, Message};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use workbench::engine::{self, Driver, Engine};
use workbench::{Result, command, files};

/// Chromium asks its maker for updates, experiments and a component list; a test must not talk to anybody. As root it
/// has no sandbox.
const ARGUMENTS: [&str; 8] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Shows a page until dropped.
pub struct Browser {
    driver: Child,
    line: Line,
    session: String,
}

impl Browser {
    pub fn open(folder: &Path) -> Result<Self> {
        let driver = engine::prepare(&[Engine::Chromium]).into_iter().next();
        let Driver { path, browser, .. } = driver.ok_or("no engine")??;
        let profile = folder.join("profile");
        files::create_folder(&profile)?;
        let mut command = Command::new(path);
        command
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut driver = command::spawn(&mut command)?;
        let stdout = driver.stdout.take().map(BufReader::new);
        let port = stdout.and_then(|stdout| {
            stdout
                .lines()
                .map_while(std::result::Result::ok)
                .find_map(|line| port(&line))
        });
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        let mut this = Self {
            driver,
            line: Line::new(address),
            session: String::new(),
        };
        let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.display()));
        let mut options = json!({ "args": arguments });
        if let Some(browser) = browser {
            options["binary"] = browser.display().to_string().into();
        }
        let wanted = json!({"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}});
        let answer = this.ask("POST", "/session", &wanted)?;
        let session = answer["sessionId"]
            .as_str()
            .ok_or("the driver gave no session")?;
        this.session = format!("/session/{session}");
        Ok(this)
    }

    pub fn show(&mut self, url: &str) -> Result<()> {
        let target = format!("{}/url", self.session);
        self.ask("POST", &target, &json!({ "url": url })).map(drop)
    }

    fn ask(&mut self, method: &str, target: &str, body: &Value) -> Result<Value> {
        let mut request =
            Message::request(method, target).header("content-type", "application/json");
        request.body = body.to_string().into_bytes();
        let answer = self
            .line
            .ask(&request, || {})
            .map_err(|error| format!("chromedriver: {error}"))?;
        let mut body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match answer.status() {
            200 => Ok(body["value"].take()),
            status => Err(format!(
                "chromedriver: {status}: {}",
                body["value"]["message"].as_str().unwrap_or_default()
            )),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let target = std::mem::take(&mut self.session);
        if !target.is_empty() {
            self.ask("DELETE", &target, &json!({})).ok();
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

/// Of `ChromeDriver was started successfully on port 12345.`
fn port(line: &str) -> Option<u16> {
    let (_, port) = line.split_once("successfully on port ")?;
    port.trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_driver_says_its_port() {
        assert_eq!(
            super::port("ChromeDriver was started successfully on port 41234."),
            Some(41234)
        );
        assert_eq!(super::port("Starting ChromeDriver 1.2 on port 0"), None);
    }
}
