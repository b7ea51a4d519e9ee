//! Where calls are sent: the bare handler, or a service on a database that was filled before.

use super::CALLS;
use super::call::Call;
use super::material::Material;
use crate::load::{Measured, Server};
use crate::service::Listening;
use crate::{Result, files};
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use workbench::postgres::Postgres;
use workbench::process::Process;

/// Without an interval, or asking about the same integration again would be refused; and nobody is told to slow down.
const OPTIONS: &str = "serve --json --listen 127.0.0.1:0 --interval-seconds 0 --creates-per-second 100000 \
    --creates-per-address 100000 --pending-per-vendor 8000";

/// What places are made with.
pub struct Scene<'a> {
    pub service: &'a Path,
    pub seeder: &'a Path,
    pub folder: &'a Path,
    pub rounds: usize,
}

pub struct Place {
    pub name: &'static str,
    server: Server,
    material: Rc<Material>,
    /// Where its own batches begin.
    first: usize,
    /// Tokens of the integrations that were created in this round.
    created: Vec<String>,
    process: Option<Process>,
}

impl Scene<'_> {
    /// A service on a new file.
    pub fn on_sqlite(&self, name: &'static str, stored: usize) -> Result<Place> {
        let file = self.folder.join(format!("{stored}.db"));
        self.fill(name, &format!("sqlite://{}", file.display()), stored)
    }

    /// A service on an empty server.
    pub fn on_postgres(
        &self,
        name: &'static str,
        postgres: &Postgres,
        stored: usize,
    ) -> Result<Place> {
        self.fill(name, &postgres.url, stored)
    }

    /// One more service beside another one; connections take turns. It has batches of its own.
    pub fn replicas(
        &self,
        name: &'static str,
        postgres: &Postgres,
        other: &Place,
    ) -> Result<Place> {
        let (server, process) = self.serve(name, other.name, &postgres.url)?;
        Ok(Place {
            name,
            server: other.server.clone().beside(&server),
            material: other.material.clone(),
            first: self.rounds + 1,
            created: Vec::new(),
            process: Some(process),
        })
    }

    fn fill(&self, name: &'static str, database: &str, stored: usize) -> Result<Place> {
        println!("{name}: filling the database");
        let key = self.key(name);
        // Twice as many batches as rounds, counting the one that is not counted: for a replica.
        let batches = 2 * (self.rounds + 1);
        let material = Material::sow(self.seeder, database, &key, [stored, batches, CALLS])?;
        let (server, process) = self.serve(name, name, database)?;
        Ok(Place {
            name,
            server,
            material: Rc::new(material),
            first: 0,
            created: Vec::new(),
            process: Some(process),
        })
    }

    fn key(&self, name: &str) -> std::path::PathBuf {
        self.folder.join(format!("{name}.key"))
    }

    fn serve(&self, name: &str, key_of: &str, database: &str) -> Result<(Server, Process)> {
        let log = self.folder.join(format!("{name}.log"));
        let log = File::create(log).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.service);
        command
            .args(OPTIONS.split(' '))
            .args(["--database", database]);
        command.arg("--key-file").arg(self.key(key_of)).stderr(log);
        let (process, said): (_, Listening) = Process::start(&mut command)?;
        Ok((Server::new(&said.base_url)?, process))
    }
}

impl Place {
    /// The bare handler, asked the same as a service.
    pub fn bare(server: Server, as_place: &Self) -> Self {
        Self {
            name: "bare handler",
            server,
            material: as_place.material.clone(),
            first: 0,
            created: Vec::new(),
            process: None,
        }
    }

    /// The calls of one round.
    pub fn make(&mut self, call: Call, round: usize) -> Result<Measured> {
        let batch = &self.material.batches[self.first + round];
        let requests = call.requests(&self.material, batch, &self.created);
        let server = self.server.clone().over(call.connections());
        let measured = server
            .send(&requests)
            .map_err(|error| format!("{}, {call}: {error}", self.name))?;
        if call == Call::Create {
            self.created = tokens(&measured.bodies)?;
        }
        Ok(measured)
    }

    /// What the process holds in memory, where the system tells.
    pub fn print_memory(&self) -> Result<()> {
        let Some(process) = &self.process else {
            return Ok(());
        };
        let status = files::read_text(Path::new(&format!("/proc/{}/status", process.id())));
        let told = status.ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            line.trim().strip_suffix(" kB")?.parse::<f64>().ok()
        });
        match told {
            Some(kilobytes) => println!("{}: {:.0} MiB resident", self.name, kilobytes / 1024.0),
            None => println!("{}: this system tells no size", self.name),
        }
        Ok(())
    }
}

fn tokens(bodies: &[String]) -> Result<Vec<String>> {
    let token = |body: &String| {
        let value: Value = serde_json::from_str(body).ok()?;
        Some(value["integrationToken"].as_str()?.to_owned())
    };
    let all: Option<Vec<String>> = bodies.iter().map(token).collect();
    all.ok_or_else(|| "a create call was answered without an integration token".to_owned())
}
