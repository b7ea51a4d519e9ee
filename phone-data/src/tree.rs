//! Minimal automata of finite digit languages whose words carry a label, and the trees that they are written down as.

use super::automaton::{Automaton, States};
use std::collections::HashMap;
use std::hash::Hash;

/// Longer than any number, national prefix and carrier code included.
const DEEPEST: usize = 24;

/// No word leads through here.
pub const DEAD: usize = 0;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Node<L> {
    pub label: Option<L>,
    pub next: [usize; 10],
}

/// Nodes without doubles: equal numbers mean equal futures.
pub struct Forest<L> {
    pub nodes: Vec<Node<L>>,
    numbers: HashMap<Node<L>, usize>,
}

/// What is written for a node: which digits lead where.
pub struct Edge<L> {
    /// No digit at all: the label of whoever stops here.
    pub mask: u16,
    pub to: Target<L>,
}

pub enum Target<L> {
    Node(Vec<Edge<L>>),
    /// From here on only the length counts: the labels by the length of the whole word.
    Leaf(Vec<(usize, L)>),
}

impl<L: Clone + Eq + Hash> Forest<L> {
    pub fn new() -> Self {
        let mut forest = Self {
            nodes: Vec::new(),
            numbers: HashMap::new(),
        };
        forest.number(Node {
            label: None,
            next: [DEAD; 10],
        });
        forest
    }

    fn number(&mut self, node: Node<L>) -> usize {
        let next = self.nodes.len();
        let number = *self.numbers.entry(node.clone()).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    /// The words that the automaton may still read and `label` has a label for, given its states and their length.
    /// `alive` says whether there may be any.
    pub fn add(
        &mut self,
        automaton: &Automaton,
        alive: &dyn Fn(&States, usize) -> bool,
        label: &dyn Fn(&States, usize) -> Option<L>,
    ) -> usize {
        let mut known = HashMap::new();
        self.visit(automaton, automaton.start(), 0, alive, label, &mut known)
    }

    fn visit(
        &mut self,
        automaton: &Automaton,
        states: States,
        depth: usize,
        alive: &dyn Fn(&States, usize) -> bool,
        label: &dyn Fn(&States, usize) -> Option<L>,
        known: &mut HashMap<(States, usize), usize>,
    ) -> usize {
        if depth > DEEPEST || !alive(&states, depth) {
            return DEAD;
        }
        if let Some(number) = known.get(&(states.clone(), depth)) {
            return *number;
        }
        let next = std::array::from_fn(|digit| {
            let states = automaton.step(&states, digit);
            self.visit(automaton, states, depth + 1, alive, label, known)
        });
        let node = Node {
            label: label(&states, depth),
            next,
        };
        let number = self.number(node);
        known.insert((states, depth), number);
        number
    }

    /// The labels by the number of digits still to come, if that is all that matters.
    fn profile(&self, node: usize) -> Option<Vec<Option<L>>> {
        let Node { label, next } = &self.nodes[node];
        if next.iter().any(|other| *other != next[0]) {
            return None;
        }
        let mut profile = vec![label.clone()];
        if next[0] != DEAD {
            profile.extend(self.profile(next[0])?);
        }
        Some(profile)
    }

    pub fn tree(&self, node: usize) -> Vec<Edge<L>> {
        self.edges(node, 0)
    }

    fn edges(&self, node: usize, depth: usize) -> Vec<Edge<L>> {
        if let Some(leaf) = self.leaf(node, depth) {
            let nothing = matches!(&leaf, Target::Leaf(labels) if labels.is_empty());
            let edge = Edge { mask: 0, to: leaf };
            return if nothing { Vec::new() } else { vec![edge] };
        }
        let Node { label, next } = &self.nodes[node];
        let mut edges: Vec<Edge<L>> = label
            .iter()
            .map(|label| Edge {
                mask: 0,
                to: Target::Leaf(vec![(depth, label.clone())]),
            })
            .collect();
        for (digit, child) in next.iter().enumerate() {
            if *child == DEAD || next[..digit].contains(child) {
                continue;
            }
            let mask = (digit..10)
                .filter(|digit| next[*digit] == *child)
                .fold(0, |mask, digit| mask | 1 << digit);
            let to = self
                .leaf(*child, depth + 1)
                .unwrap_or_else(|| Target::Node(self.edges(*child, depth + 1)));
            edges.push(Edge { mask, to });
        }
        edges
    }

    fn leaf(&self, node: usize, depth: usize) -> Option<Target<L>> {
        let profile = self.profile(node)?;
        let labels: Vec<(usize, L)> = profile
            .into_iter()
            .enumerate()
            .filter_map(|(more, label)| Some((depth + more, label?)))
            .collect();
        Some(Target::Leaf(labels))
    }
}
