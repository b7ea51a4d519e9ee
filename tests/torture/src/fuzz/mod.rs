//! Calls that follow the documents of service and relay, and calls that break them, from Schemathesis: no answer is a
//! fault of the program, and none is missing in its document. Every operation did at least once what it is for.

mod caller;
mod fuzzer;
mod maker;
mod reached;

use crate::Orders;
use crate::programs::{Account, Relay, Vendor, start_service};
use caller::Caller;
use fuzzer::{Fuzzer, python};
use maker::{AtRelay, AtService};
use std::path::Path;
use workbench::{Result, files, repo, service};

const ORIGIN: &str = "http://127.0.0.1:1";
const LOGO: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>"#;

/// `orders.runs` is the number of calls that are made up for each operation.
pub fn run(orders: &Orders) -> Result<()> {
    let python = python()?;
    let folder = repo::made("torture").join("fuzz");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let logo = folder.join("logo.svg");
    files::write(&logo, LOGO)?;
    let logo = logo.display().to_string();
    // The fuzzer is one caller of many, and what it creates stays.
    let options = [
        ["--creates-per-second", "1000"],
        ["--creates-per-address", "1000"],
        ["--pending-per-vendor", "8000"],
        ["--brand-logo", &logo],
    ];
    let demo = start_service(&folder, ORIGIN, options.as_flattened())?;
    let scene = Scene {
        vendor: Vendor::of(&demo.hello)?,
        account: Account::of(&demo.hello)?,
        folder: &folder,
        fuzzer: Fuzzer {
            python: &python,
            folder: &folder,
            orders,
        },
    };
    scene.service()?;
    let program = service::program(service::RELAY)?;
    scene.relay(&program, "relay", &[], &[])?;
    // Only what is handed out can be acknowledged.
    let handed_out = ["pickUpTokens", "acknowledgeTokens"];
    scene.relay(&program, "relay-hand-out", &["--hand-out"], &handed_out)
}

/// Who takes part.
struct Scene<'a> {
    vendor: Vendor,
    account: Account,
    folder: &'a Path,
    fuzzer: Fuzzer<'a>,
}

impl Scene<'_> {
    fn service(&self) -> Result<()> {
        let caller = Caller {
            address: self.vendor.service,
            bearer: None,
            keys: vec![
                ("client_id", self.vendor.client_id.clone()),
                ("client_secret", self.vendor.client_secret.clone()),
            ],
            account: self.account.clone(),
        };
        let tokens = caller.tokens(&[])?;
        let access = tokens["accessToken"].as_str().unwrap_or_default();
        let mut settings = vec![format!(
            "[parameters]\nintegration_token = {:?}",
            caller.integration()?
        )];
        for (name, value) in &caller.keys {
            settings.push(format!("[auth.openapi.{name}]\napi_key = {value:?}"));
        }
        settings.push(format!("[auth.openapi.access_token]\nbearer = {access:?}"));
        let maker = AtService::prepare(caller, access, self.folder)?;
        let address = self.vendor.service;
        self.fuzzer.fuzz("service", address, &settings, maker, &[])
    }

    /// `only`: its operations that are called; all of them without one.
    fn relay(&self, program: &Path, name: &str, options: &[&str], only: &[&str]) -> Result<()> {
        let upstream = format!("http://{}", self.vendor.service);
        let folder = self.folder.join(name);
        let relay = Relay::start(program, folder, ORIGIN, &upstream, &self.vendor, options)?;
        let key = relay.till("fuzz")?;
        let caller = Caller {
            address: relay.address,
            bearer: Some(key.clone()),
            keys: vec![("client_id", self.vendor.client_id.clone())],
            account: self.account.clone(),
        };
        let settings = [
            format!(
                "[parameters]\nclient_id = {:?}\nintegration_token = {:?}",
                self.vendor.client_id,
                caller.integration()?
            ),
            format!("[auth.openapi.till_key]\nbearer = {key:?}"),
        ];
        self.fuzzer
            .fuzz(name, relay.address, &settings, AtRelay(caller), only)
    }
}
