//! The numbers that a region calls possible, as far as that decides anything about mobile ones.
//!
//! Upstream asks the general pattern only when it takes off a calling code without `+`, or a national prefix. For most
//! numbers the answer makes no difference then; the tree says of those whatever makes it small.

use super::automaton::{Automaton, States};
use super::metadata::{Code, Region};
use super::prefix::{self, Action, Actions};
use super::regex::Regex;
use super::tree::{DEAD, Edge, Forest, Target};
use std::collections::BTreeSet;
use workbench::Result;

/// Where the general pattern of a region decides anything.
struct Relevance {
    /// By how much taking off a national prefix may change the length.
    changes: BTreeSet<isize>,
    /// What makes whole numbers of shorter ones.
    inserts: Vec<Action>,
    /// The lengths of the calling code's mobile numbers.
    mobile: BTreeSet<usize>,
    general: BTreeSet<usize>,
    /// The length of the calling code.
    code: isize,
}

/// Sets of lengths, one bit each.
#[derive(Clone, Copy, Default)]
struct Answers {
    yes: u32,
    no: u32,
}

impl Answers {
    fn with(self, other: Self) -> Self {
        Self {
            yes: self.yes | other.yes,
            no: self.no | other.no,
        }
    }

    /// Whether the length says it all.
    fn agree(self) -> bool {
        self.yes & self.no == 0
    }
}

/// Longer than any number that matters.
const LONGEST: usize = 17;

/// The patterns of a region by their numbers in the automaton.
struct Patterns {
    automaton: Automaton,
    general: usize,
    /// Its calling code.
    own: usize,
    /// Its national prefixes.
    prefix: Vec<usize>,
    inserts: Vec<(usize, Action)>,
}

/// What a number begins with.
struct Begins {
    own: bool,
    prefix: bool,
    /// With what was inserted into a shorter number.
    inserted: bool,
}

/// Whether the general pattern matches; the label says nothing.
pub fn tree(code: &Code, region: &Region, prefixes: &[&[Edge<Actions>]]) -> Result<Vec<Edge<()>>> {
    let digits = code.code.to_string();
    let mut relevance = Relevance {
        changes: BTreeSet::from([0]),
        inserts: Vec::new(),
        mobile: lengths(code),
        general: region.general.lengths.iter().copied().collect(),
        code: digits.len().cast_signed(),
    };
    for prefix in prefixes {
        relevance.add(prefix);
    }
    let patterns = Patterns::new(region, &digits, &relevance)?;
    let (prefixed, root) = patterns.forest(&relevance, &|length, begins| {
        begins.prefix && relevance.prefixed(length)
    });
    let prefixed = answers(&prefixed, root, 0).yes != 0;
    let (forest, root) = patterns.forest(&relevance, &|length, begins| {
        begins.inserted
            || relevance.after_code(length)
            || begins.own && relevance.with_code(length)
            || begins.prefix && relevance.prefixed(length)
            || prefixed && relevance.without_prefix(length)
    });
    Ok(edges(&forest, root, 0))
}

impl Patterns {
    fn new(region: &Region, code: &str, relevance: &Relevance) -> Result<Self> {
        let mut automaton = Automaton::default();
        let general = automaton.add(&region.general.pattern, false);
        let own = automaton.add(&Regex::parse(code)?, true);
        let prefix = match &region.prefix {
            Some(prefix) => prefix::alternatives(prefix)?,
            None => Vec::new(),
        };
        let mut add = |regex: &Regex| automaton.add(regex, !regex.is_whole());
        let prefix = prefix.iter().map(&mut add).collect();
        let mut insert =
            |action: &Action| Ok((add(&Regex::parse(&action.insert)?), action.clone()));
        let inserts = relevance.inserts.iter().map(&mut insert);
        Ok(Self {
            inserts: inserts.collect::<Result<_>>()?,
            automaton,
            general,
            own,
            prefix,
        })
    }

    /// Whether the general pattern matches, where that is wanted.
    fn forest(
        &self,
        relevance: &Relevance,
        wanted: &dyn Fn(usize, &Begins) -> bool,
    ) -> (Forest<bool>, usize) {
        let mut forest = Forest::new();
        let label = |states: &States, length: usize| {
            let is = |pattern: usize| self.automaton.accepts(states, pattern);
            let inserted = |(pattern, action): &(usize, Action)| {
                is(*pattern) && relevance.inserted(length, action)
            };
            let begins = Begins {
                own: is(self.own),
                prefix: self.prefix.iter().any(|prefix| is(*prefix)),
                inserted: self.inserts.iter().any(inserted),
            };
            wanted(length, &begins).then(|| is(self.general))
        };
        let alive = |_: &States, length: usize| length <= LONGEST;
        let root = forest.add(&self.automaton, &alive, &label);
        (forest, root)
    }
}

fn answers(forest: &Forest<bool>, node: usize, depth: usize) -> Answers {
    if node == DEAD {
        return Answers::default();
    }
    let node = &forest.nodes[node];
    let own = match node.label {
        None => Answers::default(),
        Some(true) => Answers {
            yes: 1 << depth,
            no: 0,
        },
        Some(false) => Answers {
            yes: 0,
            no: 1 << depth,
        },
    };
    let mut next = node.next.to_vec();
    next.sort_unstable();
    next.dedup();
    next.iter()
        .map(|next| answers(forest, *next, depth + 1))
        .fold(own, Answers::with)
}

fn leaf(answers: Answers) -> Target<()> {
    let lengths = (0..32).filter(|length| answers.yes >> length & 1 == 1);
    Target::Leaf(lengths.map(|length| (length, ())).collect())
}

/// The tree of a node that is neither all yes nor all no.
fn edges(forest: &Forest<bool>, node: usize, depth: usize) -> Vec<Edge<()>> {
    let all = answers(forest, node, depth);
    if all.yes == 0 {
        return Vec::new();
    }
    if all.agree() {
        let to = leaf(all);
        return vec![Edge { mask: 0, to }];
    }
    // Digits that go well together share an edge.
    let mut leaves: Vec<(u16, Answers)> = Vec::new();
    let mut nodes: Vec<(u16, usize)> = Vec::new();
    for (digit, next) in forest.nodes[node].next.iter().enumerate() {
        let bit = 1 << digit;
        let found = answers(forest, *next, depth + 1);
        if !found.agree() {
            match nodes.iter_mut().find(|(_, node)| node == next) {
                Some((mask, _)) => *mask |= bit,
                None => nodes.push((bit, *next)),
            }
        } else if found.yes != 0 {
            match leaves
                .iter_mut()
                .find(|(_, other)| other.with(found).agree())
            {
                Some((mask, other)) => {
                    *mask |= bit;
                    *other = other.with(found);
                }
                None => leaves.push((bit, found)),
            }
        }
    }
    let leaves = leaves.into_iter().map(|(mask, answers)| Edge {
        mask,
        to: leaf(answers),
    });
    let nodes = nodes.into_iter().map(|(mask, node)| Edge {
        mask,
        to: Target::Node(edges(forest, node, depth + 1)),
    });
    let mut edges: Vec<Edge<()>> = leaves.chain(nodes).collect();
    edges.sort_by_key(|edge| edge.mask.trailing_zeros());
    edges
}

impl Relevance {
    fn add(&mut self, tree: &[Edge<Actions>]) {
        for edge in tree {
            let labels = match &edge.to {
                Target::Node(edges) => {
                    self.add(edges);
                    continue;
                }
                Target::Leaf(labels) => labels,
            };
            for (length, action) in labels
                .iter()
                .flat_map(|(length, actions)| actions.iter().map(move |action| (*length, action)))
            {
                if action.whole && !action.insert.is_empty() {
                    let strip = Some(length);
                    self.inserts.push(Action {
                        strip,
                        ..action.clone()
                    });
                }
                let gone = action.strip.unwrap_or(0) + action.cut;
                let change = action.insert.len().cast_signed() - gone.cast_signed();
                self.changes.insert(change);
            }
        }
        self.inserts.sort();
        self.inserts.dedup();
    }

    fn any(&self, length: isize, set: &BTreeSet<usize>) -> bool {
        self.changes.iter().any(|change| {
            usize::try_from(length + change).is_ok_and(|length| set.contains(&length))
        })
    }

    fn longest(&self) -> isize {
        self.general.last().copied().unwrap_or(0).cast_signed()
    }

    /// What is left of a number after its own calling code, without `+`, and a national prefix.
    fn after_code(&self, length: usize) -> bool {
        let length = length.cast_signed();
        let shorter = self.changes.iter().filter(|change| **change <= 0);
        shorter
            .map(|change| length - change + self.code)
            .any(|whole| self.decides(length, whole))
    }

    /// The same, where a national prefix rule made it longer.
    fn inserted(&self, length: usize, action: &Action) -> bool {
        let before = action.strip.unwrap_or(0);
        length == before + action.insert.len()
            && self.decides(length.cast_signed(), before.cast_signed() + self.code)
    }

    fn decides(&self, length: isize, whole: isize) -> bool {
        whole <= self.longest() && (self.any(length, &self.mobile) || self.any(whole, &self.mobile))
    }

    /// A number that begins with its own calling code, without `+`.
    fn with_code(&self, length: usize) -> bool {
        let length = length.cast_signed();
        let rest = length - self.code;
        length <= self.longest()
            && self.any(rest, &self.general)
            && (self.any(length, &self.mobile)
                || self
                    .changes
                    .iter()
                    .any(|change| self.any(rest + change, &self.mobile)))
    }

    /// A number that begins with a national prefix.
    fn prefixed(&self, length: usize) -> bool {
        let relevant = |length: usize| self.mobile.contains(&length) || self.after_code(length);
        relevant(length)
            || self
                .changes
                .iter()
                .any(|change| usize::try_from(length.cast_signed() + change).is_ok_and(relevant))
    }

    /// The same without it.
    fn without_prefix(&self, length: usize) -> bool {
        self.mobile.contains(&length)
            || self.changes.iter().any(|change| {
                usize::try_from(length.cast_signed() - change)
                    .is_ok_and(|length| self.mobile.contains(&length))
            })
    }
}

/// The lengths that a mobile number of the code may have.
pub fn lengths(code: &Code) -> BTreeSet<usize> {
    let mobile = code.regions[0].mobile.as_ref();
    mobile
        .map(|mobile| {
            let local = |length: &&usize| !mobile.local.contains(length);
            mobile.lengths.iter().filter(local).copied().collect()
        })
        .unwrap_or_default()
}
