//! A till, or its back end: goes through one integration after the other, and after each restart looks whether what it
//! knows still holds.

use super::record::row;
use super::stage::{Halt, Stage, Step};
use crate::dice::Dice;
use crate::http::{Line, Message};
use serde_json::Value;
use std::thread;
use std::time::Duration;

/// How many of its past integrations a client looks at after each restart; at the end it looks at all.
const LOOKED_BACK_AT: usize = 3;

/// One integration's way, which a kill may interrupt anywhere.
pub trait Life {
    /// Goes on from where it stands; true at the end. After [`Halt::Lost`] it is called again.
    fn step(&mut self, client: &mut Client<'_>) -> Step<bool>;
    /// Whether all that was answered still holds.
    fn check(&mut self, client: &mut Client<'_>) -> Step<()>;
}

pub struct Client<'s> {
    pub stage: &'s Stage,
    pub dice: Dice,
    line: Line,
    start: u64,
}

/// An answer, read.
pub struct Reply {
    pub status: u16,
    pub body: String,
}

impl Reply {
    pub fn value(&self, name: &str) -> Value {
        serde_json::from_str::<Value>(&self.body).map_or(Value::Null, |mut body| body[name].take())
    }

    pub fn text(&self, name: &str) -> String {
        self.value(name).as_str().unwrap_or_default().to_owned()
    }

    /// For a violation's text: no body, which may hold tokens.
    pub fn shown(&self) -> String {
        format!("{} {}", self.status, self.text("code"))
    }

    /// A violation, unless this is the status that was expected.
    pub fn expect(self, status: u16, what: &str) -> Step<Self> {
        match self.status == status {
            true => Ok(self),
            false => Err(Halt::Wrong(format!("{what}: {}", self.shown()))),
        }
    }
}

impl<'s> Client<'s> {
    pub fn new(stage: &'s Stage, dice: Dice) -> Self {
        Self {
            stage,
            dice,
            line: Line::new(stage.address),
            start: 0,
        }
    }

    /// Asks, and asks again while the program says that it is busy.
    pub fn ask(&mut self, what: &'static str, request: &Message) -> Step<Reply> {
        loop {
            let answer = self.stage.ask(&mut self.line, self.start, what, request)?;
            if !matches!(answer.status(), 429 | 502..=504) {
                return Ok(Reply {
                    status: answer.status(),
                    body: answer.text(),
                });
            }
            self.stage.count(row::LATER);
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lives until the stage's end; `begin` makes the next life.
    pub fn run<L: Life>(mut self, name: &str, mut begin: impl FnMut(&mut Dice) -> L) {
        let mut past: Vec<L> = Vec::new();
        while !self.stage.is_over() {
            let mut life = begin(&mut self.dice);
            match self.live(&mut life, &mut past) {
                Some(Ok(())) => past.push(life),
                Some(Err(what)) => self.blame(&format!("{name}, {}", past.len()), &what),
                None => return,
            }
        }
        let Some(start) = self.stage.pass() else {
            return;
        };
        self.start = start;
        for (number, life) in past.iter_mut().enumerate() {
            if let Err(halt) = life.check(&mut self) {
                self.blame(
                    &format!("{name}, {number} at the end"),
                    &format!("{halt:?}"),
                );
            }
        }
    }

    fn blame(&self, who: &str, what: &str) {
        self.stage.record().violation(format!("{who}: {what}"));
    }

    /// To the end of one life, or to a violation; nothing if the run broke off.
    fn live<L: Life>(&mut self, life: &mut L, past: &mut [L]) -> Option<Result<(), String>> {
        loop {
            let start = self.stage.pass()?;
            let looked = match start == self.start {
                true => Ok(()),
                false => {
                    self.start = start;
                    self.line = Line::new(self.stage.address);
                    self.look_around(life, past)
                }
            };
            match looked.and_then(|()| life.step(self)) {
                Ok(true) => return Some(Ok(())),
                Ok(false) | Err(Halt::Lost | Halt::Down) => {}
                Err(Halt::Wrong(what)) => return Some(Err(what)),
            }
        }
    }

    fn look_around<L: Life>(&mut self, life: &mut L, past: &mut [L]) -> Step<()> {
        life.check(self)?;
        let from = past.len().saturating_sub(LOOKED_BACK_AT);
        past[from..].iter_mut().try_for_each(|old| old.check(self))
    }

    /// Which start of the program this client knows of: between two of them lies a kill.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// One more fact that a restart left as it was.
    pub fn checked(&self) {
        self.stage.count(row::CHECKED);
    }
}
