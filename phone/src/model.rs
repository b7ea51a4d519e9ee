//! How the edges of the table's trees are packed: bit by bit, each with the odds that its surroundings gave it so
//! far: the mean of what two contexts say.
//!
//! Tried and rejected, for 6,292 edges, by the size after brotli at its highest quality: three columns of plain bytes
//! (7,451), two bytes an edge one after the other (7,075) or in two columns (7,111), numbers of the 255 most frequent
//! digit sets beside a column of kinds (6,919). Subtrees by reference: nine in ten edges are in none that is there
//! twice. One context for each bit: 5,460. Two save 240 more; a third one 30, and what stood in the node before at
//! that depth 60, less than their code. `xtask` includes this file, so that both sides agree.

/// How many contexts there are.
pub const CONTEXTS: usize = LASTS + PLACES;

/// What comes before an edge, and where: `before` and `depth`.
const PLACES: usize = 48;

const LEAF: usize = 0;
const LEAVES: usize = LEAF + 48;
const SAME: usize = LEAVES + PLACES;
const SAMES: usize = SAME + 12;
const LABEL: usize = SAMES + PLACES;
const MASK: usize = LABEL + 128;
const MASKS: usize = MASK + 480;
const LAST: usize = MASKS + PLACES * 6;
const LASTS: usize = LAST + 66;

/// The odds that a bit is 0, of 32,768, before anything is known.
pub const EVEN: u32 = 1 << 14;

/// What a bit does to the odds of its contexts; they never become 0 nor certain.
pub fn learn(odds: &mut u32, bit: u32) {
    *odds = *odds - (*odds >> 4) + 2047 * (1 - bit);
}

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
    /// How many nodes are above, at most 15.
    depth: usize,
}

impl Level {
    pub fn new(depth: usize) -> Self {
        Self {
            used: 0,
            least: 0,
            before: 2,
            count: 0,
            depth: depth.min(15),
        }
    }
}

/// Reads or writes an edge: 10 bits for its digits, bit 16 for the last one of a node, the label of a leaf from bit
/// 17 on. `bit` takes two contexts and the bit to write, and gives the bit that stands there. `label` is the label
/// before.
pub fn edge(
    level: &mut Level,
    label: &mut u32,
    known: u32,
    bit: &mut dyn FnMut(usize, usize, u32) -> u32,
) -> u32 {
    let wanted = known >> 17;
    let place = level.before * 16 + level.depth;
    let context = LEAF + level.depth * 3 + level.count;
    let leaf = bit(context, LEAVES + place, u32::from(wanted != 0));
    let mut edge = 0;
    if leaf == 1 {
        let context = SAME + (*label).min(3) as usize * 3 + level.before;
        if bit(context, SAMES + place, u32::from(wanted == *label)) == 0 {
            let mut number = 1;
            for shift in (0..7).rev() {
                let context = LABEL + number as usize;
                number = number << 1 | bit(context, context, wanted >> shift & 1);
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
            let other = (place * 2 + (history >> 1 & 1) as usize) * 3 + taken as usize;
            let here = bit(MASK + context as usize, MASKS + other, known >> digit & 1);
            history |= here;
            taken = (taken + here).min(2);
            edge |= here << digit;
        }
    }
    level.used |= edge & 0x3ff;
    if edge & 0x3ff != 0 {
        level.least = edge.trailing_zeros() + 1;
    }
    let context = LAST + (leaf * 11 + level.least) as usize * 3 + level.count;
    if level.least > 9 || level.used == 0x3ff || bit(context, LASTS + place, known >> 16 & 1) == 1 {
        edge |= 1 << 16;
    }
    level.before = leaf as usize;
    level.count = (level.count + 1).min(2);
    edge
}
