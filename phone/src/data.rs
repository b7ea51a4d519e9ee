//! The table in memory. It holds nothing of any number, so it stays there.

use super::model::{self, CONTEXTS, EVEN, Level};
use super::table::{self, BYTES};
use std::sync::OnceLock;

/// Unpacked at the first use, in well under a millisecond: no index has to be downloaded then.
static TABLE: OnceLock<Table> = OnceLock::new();

/// Every list is of the same type, so that there is one copy of the code for lists.
#[derive(Default)]
pub struct Table {
    /// The trees, one after the other: see `model.rs`.
    pub edges: Vec<u32>,
    /// Behind each edge and all that it leads to: where the next one of the same node stands, if it is not the last.
    pub nexts: Vec<u32>,
    /// Where each tree begins: those of the calling codes come first.
    pub roots: Vec<u32>,
    /// The calling codes: each is itself, then from bit 10 on the number of its main region, then from bit 20 on that
    /// of its first label.
    pub codes: Vec<u32>,
    /// The number of each region's calling code.
    pub region_codes: Vec<u32>,
    /// Where the labels of mobile numbers begin among `layouts` and `kinds`.
    pub labels: Vec<u32>,
    pub mobile_lengths: &'static [u8],
    pub national: &'static [u8],
    pub international: &'static [u8],
    pub general: &'static [u8],
    pub general_lengths: &'static [u8],
    /// Where the trees of these three begin among the roots.
    pub first_national: usize,
    pub first_international: usize,
    pub first_general: usize,
    /// The tree of national prefixes that takes a 0 at the beginning for granted.
    pub assumed: usize,
    pub layouts: &'static [u8],
    pub kinds: &'static [u8],
    lengths: &'static [u8],
    actions: &'static [u8],
    /// The layouts' texts.
    texts: Vec<&'static [u8]>,
    /// The regions' numbers and 1, by their letters.
    by_letters: Vec<u32>,
}

/// What follows from having read so many digits of a prefix.
pub struct Action {
    /// How many digits that takes.
    pub length: usize,
    /// Whether there must not be any more.
    pub whole: bool,
    /// How many of the first digits go.
    pub strip: usize,
    /// How many of the last ones go.
    pub cut: usize,
    /// What comes first: digits after a 1. 0 for nothing.
    pub insert: usize,
}

pub fn table() -> &'static Table {
    TABLE.get_or_init(unpack)
}

/// A byte of a column; 0 past its end, which a table never asks for.
pub fn at(column: &[u8], index: usize) -> usize {
    usize::from(column.get(index).copied().unwrap_or(0))
}

/// An entry of a list, likewise.
pub fn entry(list: &[u32], index: usize) -> u32 {
    list.get(index).copied().unwrap_or(0)
}

/// The place of a region among `by_letters`; past their end if these are not two letters.
fn place(letters: &[u8]) -> usize {
    let letter = |index| at(letters, index) & !32;
    match (letter(0), letter(1), letters.len()) {
        (one @ 65..=90, two @ 65..=90, 2) => (one - 65) * 26 + two - 65,
        _ => usize::MAX,
    }
}

struct Reader(&'static [u8]);

impl Reader {
    #[inline(never)]
    fn bytes(&mut self, count: usize) -> &'static [u8] {
        let (bytes, rest) = self.0.split_at_checked(count).unwrap_or_default();
        self.0 = rest;
        bytes
    }

    fn line(&mut self) -> &'static [u8] {
        let end = self.0.iter().position(|byte| *byte == b'\n');
        let line = self.bytes(end.unwrap_or(0));
        self.bytes(1);
        line
    }

    /// The next one; 0 at the end.
    fn byte(&mut self) -> usize {
        at(self.bytes(1), 0)
    }
}

fn unpack() -> Table {
    let mut reader = Reader(BYTES);
    let mut table = Table::default();
    let code_count = reader.byte();
    let deltas = reader.bytes(code_count);
    let region_counts = reader.bytes(code_count);
    table.mobile_lengths = reader.bytes(code_count);
    let count = region_counts.iter().map(|count| usize::from(*count)).sum();
    table.national = reader.bytes(count);
    table.international = reader.bytes(count);
    table.general = reader.bytes(count);
    table.general_lengths = reader.bytes(count);
    table.first_national = code_count;
    table.first_international = code_count + reader.byte();
    table.first_general = table.first_international + reader.byte();
    let trees = table.first_general + reader.byte();
    table.assumed = reader.byte();
    let count = reader.byte();
    table.lengths = reader.bytes(count * 2);
    let count = reader.byte();
    table.actions = reader.bytes(count * 4);
    let count = reader.byte() | reader.byte() << 8;
    table.layouts = reader.bytes(count);
    table.kinds = reader.bytes(count);
    loop {
        let line = reader.line();
        if line.is_empty() {
            break;
        }
        table.texts.push(line);
    }
    table.unpack_trees(trees, reader, deltas, region_counts);
    table.by_letters.resize(26 * 26, 0);
    for (number, code) in (1..).zip(table::REGIONS.as_bytes().chunks_exact(2)) {
        if let Some(place) = table.by_letters.get_mut(place(code)) {
            *place = number;
        }
    }
    table.labels.push(0);
    for (number, layout) in (1..).zip(table.layouts) {
        if layout & 1 == 1 {
            table.labels.push(number);
        }
    }
    table
}

/// Unpacks the trees. As in LZMA, but for how fast the odds change.
struct Coder {
    reader: Reader,
    range: u32,
    code: u32,
    /// The odds that a bit is 0, of 32768, by context.
    odds: Vec<u32>,
    /// The last label.
    label: u32,
    /// The highest label of this tree.
    most: u32,
}

impl Coder {
    fn next(&mut self) {
        self.code = self.code << 8 | self.reader.byte() as u32;
    }

    fn bit(&mut self, one: usize, other: usize) -> u32 {
        let bound = (self.range >> 16) * (entry(&self.odds, one) + entry(&self.odds, other));
        let bit = u32::from(self.code >= bound);
        if bit == 0 {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        for context in &[one, other] {
            if let Some(odds) = self.odds.get_mut(*context) {
                model::learn(odds, bit);
            }
        }
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.next();
        }
        bit
    }

    fn node(&mut self, depth: usize, table: &mut Table) {
        let mut level = Level::new(depth);
        loop {
            let mut label = self.label;
            let edge = model::edge(&mut level, &mut label, 0, &mut |one, other, _| {
                self.bit(one, other)
            });
            self.label = label;
            let at = table.edges.len();
            table.edges.push(edge);
            table.nexts.push(0);
            if edge >> 17 == 0 {
                self.node(depth + 1, table);
            } else {
                self.most = self.most.max(edge >> 17);
            }
            if let Some(next) = table.nexts.get_mut(at) {
                *next = table.edges.len() as u32;
            }
            if edge >> 16 & 1 == 1 {
                return;
            }
        }
    }
}

impl Table {
    fn unpack_trees(&mut self, count: usize, reader: Reader, deltas: &[u8], region_counts: &[u8]) {
        let mut coder = Coder {
            reader,
            range: u32::MAX,
            code: 0,
            odds: Vec::new(),
            label: 0,
            most: 0,
        };
        coder.odds.resize(CONTEXTS, EVEN);
        for _ in 0..4 {
            coder.next();
        }
        let (mut code, mut label) = (0, 0);
        for tree in 0..count {
            self.roots.push(self.edges.len() as u32);
            coder.most = 0;
            coder.node(0, self);
            let Some(delta) = deltas.get(tree) else {
                continue;
            };
            code += u32::from(*delta);
            let region = self.region_codes.len() as u32;
            self.codes.push(code | region << 10 | label << 20);
            label += coder.most;
            for _ in 0..at(region_counts, tree) {
                self.region_codes.push(tree as u32);
            }
        }
    }

    /// The number of the region with these letters, in whatever case.
    pub fn region(&self, letters: &[u8]) -> Option<usize> {
        let found = entry(&self.by_letters, place(letters)) as usize;
        found.checked_sub(1)
    }

    /// Whether a set of lengths holds this one.
    pub fn has_length(&self, set: usize, length: usize) -> bool {
        (2..18).contains(&length) && self.length_set(set) >> (length - 2) & 1 == 1
    }

    /// The longest of a set.
    pub fn longest(&self, set: usize) -> usize {
        (self.length_set(set).max(1).ilog2() + 2) as usize
    }

    fn length_set(&self, set: usize) -> usize {
        at(self.lengths, set) | at(self.lengths, set + self.lengths.len() / 2) << 8
    }

    /// Calls with each action of a label, in order.
    pub fn actions(&self, label: u32, visit: &mut dyn FnMut(&Action)) {
        let count = self.actions.len() / 4;
        let mut number = label as usize;
        loop {
            let byte = |column: usize| at(self.actions, number + column * count);
            let first = byte(0);
            visit(&Action {
                length: first & 15,
                whole: first & 64 != 0,
                strip: byte(1) >> 4,
                cut: byte(1) & 15,
                insert: byte(2) | byte(3) << 8,
            });
            if first & 128 != 0 {
                return;
            }
            number += 1;
        }
    }

    /// A line of the list of layouts.
    pub fn layout(&self, number: usize) -> &'static [u8] {
        self.texts.get(number).copied().unwrap_or_default()
    }
}
