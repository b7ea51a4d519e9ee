//! The range coder that packs the trees; the engine has the other half. As in LZMA, but for how fast the odds change.

#[path = "../../phone/src/model.rs"]
mod model;

use model::{CONTEXTS, EVEN, Level, learn};
use std::slice::Iter;

struct Coder {
    low: u64,
    range: u32,
    /// The odds that the bit is 0, of 32768, by context.
    odds: Vec<u32>,
    bytes: Vec<u8>,
}

impl Coder {
    fn bit(&mut self, one: usize, other: usize, bit: u32) -> u32 {
        let bound = (self.range >> 16) * (self.odds[one] + self.odds[other]);
        if bit == 0 {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        for context in [one, other] {
            learn(&mut self.odds[context], bit);
        }
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }

    fn node(&mut self, edges: &mut Iter<u32>, depth: usize, label: &mut u32) {
        let mut level = Level::new(depth);
        while let Some(edge) = edges.next() {
            let mut bit = |one, other, bit| self.bit(one, other, bit);
            model::edge(&mut level, label, *edge, &mut bit);
            if edge >> 17 == 0 {
                self.node(edges, depth + 1, label);
            }
            if edge >> 16 & 1 == 1 {
                return;
            }
        }
    }

    /// Moves the top byte of `low` out, with the carry that may have come.
    fn shift(&mut self) {
        if self.low >> 32 != 0 {
            for byte in self.bytes.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
        self.bytes.push((self.low >> 24).to_le_bytes()[0]);
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

/// Packs trees that stand one after the other.
pub fn pack(edges: &[u32]) -> Vec<u8> {
    let mut coder = Coder {
        low: 0,
        range: u32::MAX,
        odds: vec![EVEN; CONTEXTS],
        bytes: Vec::new(),
    };
    let mut label = 0;
    let mut edges = edges.iter();
    while !edges.as_slice().is_empty() {
        coder.node(&mut edges, 0, &mut label);
    }
    for _ in 0..4 {
        coder.shift();
    }
    // The reader takes what is missing at the end for zeros.
    while coder.bytes.last() == Some(&0) {
        coder.bytes.pop();
    }
    coder.bytes
}
