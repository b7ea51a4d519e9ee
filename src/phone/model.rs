//! How the edges of the table's trees are packed: bit by bit, each with the odds that its surroundings gave it so far.
//!
//! Tried and rejected, for 6,292 edges, by the size after brotli at its highest quality: three columns of plain bytes
//! (7,451), two bytes an edge one after the other (7,075) or in two columns (7,111), numbers of the 255 most frequent digit
//! sets beside a column of kinds (6,919). Subtrees by reference: nine in ten edges are in none that is there twice.
//! This: 5,460. The mean of the odds of three contexts would save 110 bytes more, and cost as many of code.
//! `xtask` includes this file, so that both sides agree.

/// How many contexts there are.
pub const CONTEXTS: usize = LAST + 72;

const LEAF: usize = 0;
const SAME: usize = LEAF + 12;
const LABEL: usize = SAME + 10;
const MASK: usize = LABEL + 128;
const LAST: usize = MASK + 480;

/// What is known of the node whose edges are being read.
pub struct Level {
    /// The digits that its edges have taken.
    used: u32,
    /// The first digit that the next edge may take: edges come in the order of their first digits.
    least: u32,
    /// What the last edge led to: 0 a node, 1 a leaf, 2 there was none.
    before: usize,
    /// How many edges there were, at most 2.
    count: usize,
    /// How many nodes are above, at most 3.
    depth: usize,
}

impl Level {
    pub fn new(depth: usize) -> Self {
        Self {
            used: 0,
            least: 0,
            before: 2,
            count: 0,
            depth: depth.min(3),
        }
    }
}

/// Reads or writes an edge: 10 bits for its digits, bit 16 for the last one of a node, the label of a leaf from bit 17 on.
/// `bit` takes a context and the bit to write, and gives the bit that stands there. `label` is the label before.
pub fn edge(
    level: &mut Level,
    label: &mut u32,
    known: u32,
    bit: &mut dyn FnMut(usize, u32) -> u32,
) -> u32 {
    let wanted = known >> 17;
    let place = level.before * 4 + level.depth;
    let leaf = bit(LEAF + place, u32::from(wanted != 0));
    let mut edge = 0;
    if leaf == 1 {
        let context = SAME + (*label).min(4) as usize * 2 + level.count.min(1);
        if bit(context, u32::from(wanted == *label)) == 0 {
            let mut number = 1;
            for shift in (0..7).rev() {
                number = number << 1 | bit(LABEL + number as usize, wanted >> shift & 1);
            }
            *label = number & 127;
        }
        edge = *label << 17;
    }
    let (mut history, mut taken) = (0, 0);
    for digit in level.least..10 {
        history <<= 1;
        if level.used >> digit & 1 == 0 {
            let context = ((leaf * 10 + digit) * 8 + (history >> 1 & 7)) * 3 + taken;
            let here = bit(MASK + context as usize, known >> digit & 1);
            history |= here;
            taken = (taken + here).min(2);
            edge |= here << digit;
        }
    }
    level.used |= edge & 0x3ff;
    if edge & 0x3ff != 0 {
        level.least = edge.trailing_zeros() + 1;
    }
    let context = LAST + (leaf as usize * 12 + place) * 3 + level.count;
    if level.least > 9 || level.used == 0x3ff || bit(context, known >> 16 & 1) == 1 {
        edge |= 1 << 16;
    }
    level.before = leaf as usize;
    level.count = (level.count + 1).min(2);
    edge
}
