//! Many patterns at once as one nondeterministic automaton, and what it knows after some digits.

use super::regex::{Mask, Regex};

/// The states an automaton may be in, in ascending order.
pub type States = Vec<u32>;

enum State {
    /// Where to go on one of these digits.
    Digit(Mask, u32),
    /// Where to go on no digit at all.
    Fork(Vec<u32>),
    /// A pattern has been read to its end. With `true`, whatever follows makes no difference.
    Accept(usize, bool),
}

/// Patterns by number.
#[derive(Default)]
pub struct Automaton {
    states: Vec<State>,
    /// The pattern that a state is a part of.
    owners: Vec<usize>,
    starts: Vec<u32>,
}

impl Automaton {
    /// Adds a pattern; `prefix` if it need only match the beginning. Gives its number.
    pub fn add(&mut self, regex: &Regex, prefix: bool) -> usize {
        let number = self.starts.len();
        let end = self.state(State::Accept(number, prefix));
        let start = self.compile(regex, end);
        self.starts.push(start);
        number
    }

    fn state(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.owners.push(self.starts.len());
        u32::try_from(self.states.len() - 1).expect("fewer states than that")
    }

    fn compile(&mut self, regex: &Regex, next: u32) -> u32 {
        match regex {
            Regex::Digit(mask) => self.state(State::Digit(*mask, next)),
            Regex::End => next,
            Regex::Group(inner) => self.compile(inner, next),
            Regex::All(parts) => parts
                .iter()
                .rev()
                .fold(next, |next, part| self.compile(part, next)),
            Regex::OneOf(parts) => {
                let starts = parts.iter().map(|part| self.compile(part, next)).collect();
                self.state(State::Fork(starts))
            }
            Regex::Repeat(inner, least, most) => {
                let mut start = next;
                for _ in *least..*most {
                    let once = self.compile(inner, start);
                    start = self.state(State::Fork(vec![once, next]));
                }
                (0..*least).fold(start, |next, _| self.compile(inner, next))
            }
        }
    }

    pub fn start(&self) -> States {
        self.close(self.starts.clone())
    }

    fn close(&self, mut open: Vec<u32>) -> States {
        let mut states = Vec::new();
        while let Some(state) = open.pop() {
            if let State::Fork(next) = &self.states[state as usize] {
                open.extend(next);
            } else {
                states.push(state);
            }
        }
        states.sort_unstable();
        states.dedup();
        states
    }

    pub fn step(&self, states: &[u32], digit: usize) -> States {
        let next = states
            .iter()
            .filter_map(|state| match &self.states[*state as usize] {
                State::Digit(mask, next) if mask & 1 << digit != 0 => Some(*next),
                State::Accept(_, true) => Some(*state),
                _ => None,
            });
        self.close(next.collect())
    }

    /// Whether more digits may, or none need, complete the pattern.
    pub fn alive(&self, states: &[u32], pattern: usize) -> bool {
        states
            .iter()
            .any(|state| self.owners[*state as usize] == pattern)
    }

    pub fn accepts(&self, states: &[u32], pattern: usize) -> bool {
        states.iter().any(
            |state| matches!(self.states[*state as usize], State::Accept(number, _) if number == pattern),
        )
    }
}
