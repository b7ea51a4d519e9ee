//! `doctor`.

use super::serve::{MIB, Serve};
use super::{Failure, output};
use crate::clock::Clock;
use crate::doctor::{Installation, Outcome, Report, examine};
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
        let mut report = Report::default();
        let settings = self.settings(&mut report);
        let installation = Installation {
            database: named.url().to_owned(),
            reserve: u64::from(serve.disk_reserve_mib) * MIB,
            settings,
            destination: serve.messages.destination.clone(),
            listen: serve.listen,
        };
        examine(&installation, Clock::system(), &mut report).await;
        let findings = report.findings;
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

    /// What `serve` would run with; reports what it would refuse.
    fn settings(&self, report: &mut Report) -> Settings {
        let serve = &self.serve;
        let mut refused = |why: Failure| {
            let advice = "correct the option, its variable, or the file of `--config`";
            report.fault("settings", why.to_string(), advice);
        };
        let brand = serve.brand.brand(serve.demo);
        let brand = brand.map_err(&mut refused).unwrap_or_default();
        let providers = serve.providers().map_err(&mut refused).unwrap_or_default();
        let _ = serve.messages.check(serve.demo).map_err(&mut refused);
        if report.findings.is_empty() {
            report.ok("settings", "`serve` starts with them");
        }
        Settings {
            brand,
            providers,
            storage_key: serve.common.storage_key(),
            ..serve.settings()
        }
    }
}
