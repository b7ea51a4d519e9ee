//! Following digits through a tree of the table.

use super::data::{Table, entry};

/// How far the digits led.
pub struct Walk {
    /// The labels on the way, the farthest last.
    pub labels: Vec<u32>,
    /// Where it ended: the first edge of a node.
    pub node: usize,
    /// Whether there were too few digits to get to a leaf, rather than one that leads nowhere.
    pub inside: bool,
}

const NONE: u32 = 127;

pub fn walk(table: &Table, root: usize, digits: &[u8]) -> Walk {
    let mut at = entry(&table.roots, root) as usize;
    let mut labels = Vec::new();
    let mut rest = digits.iter();
    loop {
        let node = at;
        let digit = rest.next();
        // The bit of no digit is none of the ten.
        let bit = digit.map_or(0, |digit| 1 << digit);
        loop {
            let edge = entry(&table.edges, at);
            let label = edge >> 17;
            let taken = edge & bit != 0;
            if label != 0 && (taken || edge & 0x3ff == 0) {
                if label != NONE {
                    labels.push(label - 1);
                }
                if taken {
                    return Walk {
                        labels,
                        node,
                        inside: false,
                    };
                }
            } else if taken {
                at += 1;
                break;
            }
            if edge >> 16 & 1 == 1 {
                return Walk {
                    labels,
                    node,
                    inside: digit.is_none(),
                };
            }
            at = next(table, at);
        }
    }
}

/// The edge after this one in the same node.
pub fn next(table: &Table, at: usize) -> usize {
    entry(&table.nexts, at) as usize
}

/// The first label that can be reached from an edge.
pub fn first_label(table: &Table, mut at: usize) -> u32 {
    loop {
        let label = entry(&table.edges, at) >> 17;
        if label != 0 || at >= table.edges.len() {
            return label.saturating_sub(1);
        }
        at += 1;
    }
}
