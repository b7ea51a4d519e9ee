//! What the command runs: a piece of a step, or what several pieces need.

use super::outcome::Outcome;
use super::product::{Product, Products};
use crate::Result;
use crate::engine::Engine;
use std::fmt;
use std::sync::Arc;

/// What a job uses, and so how many of a kind run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Cargo's target folder: one at a time.
    Cargo,
    /// The network, for the most part.
    Tools,
    /// A third of a processor or so: tests in a page wait most of the time.
    Tests,
}

/// What a job does.
type Work = dyn Fn(&Products, &mut Outcome) -> Result<()> + Send + Sync;

#[derive(Clone)]
pub struct Job {
    /// The step that it is a part of.
    pub step: &'static str,
    /// Which part; empty for a step of one.
    pub name: String,
    pub engine: Option<Engine>,
    /// Where the same runs several times: which time.
    pub turn: Option<u64>,
    pub lane: Lane,
    /// What a job makes that others wait for.
    pub provides: Option<Product>,
    pub needs: Vec<Product>,
    /// Paths in the repository; a change below one of them can break it.
    pub watches: Vec<String>,
    pub work: Arc<Work>,
}

impl Job {
    pub fn new(
        step: &'static str,
        name: impl Into<String>,
        work: impl Fn(&Products, &mut Outcome) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            step,
            name: name.into(),
            engine: None,
            turn: None,
            lane: Lane::Tests,
            provides: None,
            needs: Vec::new(),
            watches: Vec::new(),
            work: Arc::new(work),
        }
    }

    pub fn engine(mut self, engine: Engine) -> Self {
        self.needs.push(Product::Engine(engine));
        self.engine = Some(engine);
        self
    }

    pub fn needs(mut self, needs: impl IntoIterator<Item = Product>) -> Self {
        self.needs.extend(needs);
        self
    }

    pub fn watches<Path: Into<String>>(mut self, paths: impl IntoIterator<Item = Path>) -> Self {
        self.watches.extend(paths.into_iter().map(Into::into));
        self
    }

    pub fn lane(self, lane: Lane) -> Self {
        Self { lane, ..self }
    }

    /// What `--only` takes for this job and its like in the other engines.
    pub fn selector(&self) -> String {
        match self.name.is_empty() {
            true => self.step.to_owned(),
            false => format!("{}/{}", self.step, self.name),
        }
    }

    /// Whether `--only` means it: `e2e`, `e2e/connect.test.js`, or the beginning of that.
    pub fn is_named(&self, selector: &str) -> bool {
        match selector.split_once('/') {
            None => self.step == selector,
            Some((step, name)) => self.step == step && self.name.starts_with(name),
        }
    }

    /// The name under which its time is kept: the same in each turn.
    pub fn key(&self) -> String {
        match self.engine {
            None => self.selector(),
            Some(engine) => format!("{} {}", self.selector(), engine.name()),
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.key())?;
        self.turn
            .map_or(Ok(()), |turn| write!(formatter, " #{turn}"))
    }
}
