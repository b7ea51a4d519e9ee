//! How large a program and its files are, and whether they stay so.

use std::fs;
use std::path::Path;
use workbench::{Result, files};

const MIB: u64 = 1 << 20;

#[derive(Clone, Copy, Eq, PartialEq)]
pub enum Gauge {
    Memory,
    Database,
    Wal,
}

impl Gauge {
    pub const ALL: [Self; 3] = [Self::Memory, Self::Database, Self::Wal];

    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "resident memory",
            Self::Database => "the database file",
            Self::Wal => "its -wal",
        }
    }

    /// What may be more in the second half than at the end of the first: in hundredths, and in bytes.
    fn tolerance(self) -> (u64, u64) {
        match self {
            Self::Memory => (10, 2 * MIB),
            Self::Database => (5, MIB),
            Self::Wal => (10, MIB),
        }
    }

    /// In bytes.
    pub fn read(self, process: u32, database: &Path) -> Result<u64> {
        let size = |path: &Path| fs::metadata(path).map(|data| data.len());
        match self {
            Self::Memory => resident(process),
            Self::Database => size(database).map_err(|error| format!("the database: {error}")),
            // It is there while the service runs.
            Self::Wal => {
                let wal = database.with_extension("db-wal");
                size(&wal).map_err(|error| format!("the -wal: {error}"))
            }
        }
    }
}

fn resident(process: u32) -> Result<u64> {
    let status = files::read_text(Path::new(&format!("/proc/{process}/status")))?;
    let kilobytes = status.lines().find_map(|line| {
        let value = line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?;
        value.parse::<u64>().ok()
    });
    kilobytes
        .map(|kilobytes| kilobytes * 1024)
        .ok_or_else(|| "this system does not tell how large a program is".to_owned())
}

/// One of each gauge, each second.
#[derive(Default)]
pub struct Samples([Vec<u64>; 3]);

impl Samples {
    pub fn add(&mut self, gauge: Gauge, bytes: u64) {
        self.0[gauge as usize].push(bytes);
    }

    /// The medians at the end of the first half and of the second half; a fault if that is larger than it may be.
    pub fn verdict(&self, gauge: Gauge) -> (String, Option<String>) {
        let all = &self.0[gauge as usize];
        let half = all.len() / 2;
        let (before, after) = (median(&all[half * 4 / 5..half]), median(&all[half..]));
        let (hundredths, bytes) = gauge.tolerance();
        let limit = before + before * hundredths / 100 + bytes;
        let mib = |bytes: u64| bytes as f64 / MIB as f64;
        let most = all.iter().copied().max().unwrap_or_default();
        let line = format!(
            "{}: {:.1} MiB at the end of the first half, {:.1} in the second ({:.1} at most); {:.1} would be red",
            gauge.name(),
            mib(before),
            mib(after),
            mib(most),
            mib(limit)
        );
        let fault = (after > limit || before == 0).then(|| format!("not flat: {line}"));
        (line, fault)
    }
}

fn median(all: &[u64]) -> u64 {
    let mut all = all.to_vec();
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_flat(sizes: impl Iterator<Item = u64>) -> bool {
        let mut samples = Samples::default();
        for size in sizes {
            samples.add(Gauge::Database, size * MIB);
        }
        samples.verdict(Gauge::Database).1.is_none()
    }

    #[test]
    fn what_grows_in_the_first_half_only_is_flat() {
        assert!(is_flat((0..600).map(|second| 10 + second.min(200))));
        assert!(is_flat((0..600).map(|second| 50 + second % 3)));
    }

    #[test]
    fn what_goes_on_growing_is_not() {
        assert!(!is_flat((0..600).map(|second| 10 + second / 10)));
        assert!(!is_flat(
            (0..600).map(|second| 50 + 10 * u64::from(second > 320))
        ));
        assert!(!is_flat((0..600).map(|_| 0)), "nothing was measured");
    }
}
