//! What was measured, as medians of the rounds, and the rounds' ratios.

use super::ON_BARE;
use super::call::Call;
use super::place::Place;
use crate::bench::{median, rate};
use crate::load::Measured;
use std::fmt;

pub struct Table {
    places: usize,
    /// By call, place and round.
    rounds: Vec<Vec<Measured>>,
}

/// The ratio of one rate to another in the same round.
pub struct Ratio {
    pub median: f64,
    lowest: f64,
    highest: f64,
}

impl Table {
    pub fn new(places: usize) -> Self {
        let cells = places * Call::ALL.len();
        Self {
            places,
            rounds: (0..cells).map(|_| Vec::new()).collect(),
        }
    }

    /// The first round is not counted.
    pub fn add(&mut self, round: usize, call: Call, place: usize, measured: Measured) {
        if round > 0 {
            let cell = self.cell(call, place);
            self.rounds[cell].push(Measured {
                bodies: Vec::new(),
                ..measured
            });
        }
    }

    pub fn ratio(&self, call: Call, of: usize, to: usize) -> Ratio {
        Ratio::of(self.of(call, of), self.of(call, to))
    }

    pub fn print(&self, places: &[Place]) {
        for call in Call::ALL {
            let rounds = self.of(call, ON_BARE).len();
            println!(
                "\n{call} over {} connections, medians of {rounds} rounds",
                call.connections()
            );
            for (which, place) in places.iter().enumerate() {
                let ratio = self.ratio(call, which, ON_BARE);
                println!(
                    "  {:<26}{}   ratio {ratio}",
                    place.name,
                    rate(self.of(call, which))
                );
            }
            let (one, two) = (places.len() - 3, places.len() - 1);
            let ratio = self.ratio(call, two, one);
            println!("  {} to {}: {ratio}", places[two].name, places[one].name);
        }
    }

    fn of(&self, call: Call, place: usize) -> &[Measured] {
        &self.rounds[self.cell(call, place)]
    }

    fn cell(&self, call: Call, place: usize) -> usize {
        let row = Call::ALL.iter().position(|one| *one == call);
        row.unwrap_or_default() * self.places + place
    }
}

impl Ratio {
    fn of(of: &[Measured], to: &[Measured]) -> Self {
        let ratios: Vec<f64> = of
            .iter()
            .zip(to)
            .map(|(of, to)| of.per_second / to.per_second)
            .collect();
        Self {
            lowest: ratios.iter().copied().fold(f64::MAX, f64::min),
            highest: ratios.iter().copied().fold(0.0, f64::max),
            median: median(ratios),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            median,
            lowest,
            highest,
        } = self;
        write!(formatter, "{median:.2} ({lowest:.2} to {highest:.2})")
    }
}
