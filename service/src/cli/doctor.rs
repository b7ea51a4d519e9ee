//! `doctor`.

use super::serve::{MIB, Serve};
use super::{Failure, output};
use crate::clock::Clock;
use crate::doctor::{Finding, Installation, Outcome, examine};
use crate::service::Settings;
use clap::Args;
use serde_json::json;

#[derive(Args)]
pub(super) struct Doctor {
    #[command(flatten)]
    serve: Serve,
}

impl Doctor {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let serve = &self.serve;
        let named = serve.common.named()?;
        let (settings, mut findings) = self.settings();
        let installation = Installation {
            database: named.url().to_owned(),
            shown: named.shown().to_owned(),
            reserve: u64::from(serve.disk_reserve_mib) * MIB,
            settings,
            destination: serve.messages.destination.clone(),
            listen: serve.listen,
            public_url: serve.public_url.as_ref().map(|public| public.url.clone()),
        };
        findings.extend(examine(&installation, Clock::system()).await);
        let count = |outcome| {
            let these = findings.iter().filter(|finding| finding.outcome == outcome);
            these.count()
        };
        let (faults, warnings) = (count(Outcome::Fault), count(Outcome::Warning));
        let value = json!({ "checks": findings, "faults": faults, "warnings": warnings });
        output::print(serve.common.json, &value, || {
            let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
            lines.join("\n")
        })?;
        match faults {
            0 => Ok(()),
            1 => Err("1 check found a fault".into()),
            _ => Err(format!("{faults} checks found faults").into()),
        }
    }

    /// What `serve` would run with, and what it would refuse.
    fn settings(&self) -> (Settings, Vec<Finding>) {
        let serve = &self.serve;
        let mut findings = Vec::new();
        let mut refused = |why: Failure| findings.push(Finding::refused(&why.to_string()));
        let brand = serve.brand.brand(serve.demo);
        let brand = brand.map_err(&mut refused).unwrap_or_default();
        let providers = serve.providers().map_err(&mut refused).unwrap_or_default();
        let _ = serve.messages.check(serve.demo).map_err(&mut refused);
        if findings.is_empty() {
            findings.push(Finding::accepted());
        }
        let settings = Settings {
            brand,
            providers,
            storage_key: serve.common.storage_key(),
            ..serve.settings()
        };
        (settings, findings)
    }
}
