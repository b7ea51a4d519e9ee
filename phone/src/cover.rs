//! Inputs that take every transition of the table's automata, for the comparison with the reference. Not in the SDK's
//! module.

use super::data::{Table, at, entry, table};
use super::format;
use super::number::Number;
use super::walk::{next, walk};
use super::{Region, Verdict};

/// Longer than any mobile number.
const LONGEST: usize = 14;

/// Calls with a region, if the input needs one, and the input: for each state and digit, with ends of all lengths.
pub fn transitions(visit: &mut dyn FnMut(Option<Region>, &str)) {
    let table = table();
    for code in 0..table.codes.len() {
        let prefix = format::code(table.code(code));
        let mut ends = |digits: &[u8]| {
            let mut input = prefix.clone();
            format::digits(digits, &mut input);
            visit(None, &input);
        };
        table.states(table.root(code), &mut Vec::new(), &mut |access| {
            table.endings(code, access, &mut ends);
        });
    }
    for region in 0..table.region_codes.len() {
        let code = table.code_of(region);
        let mobile = table.example(code);
        let mut whole = format::code(table.code(code)).split_off(1);
        format::digits(&mobile, &mut whole);
        let mut national = String::new();
        format::digits(&mobile, &mut national);
        let trees = [
            (table.first_national + at(table.national, region), national),
            (
                table.first_international + at(table.international, region),
                whole,
            ),
        ];
        for (tree, rest) in trees {
            table.states(table.root(tree), &mut Vec::new(), &mut |access| {
                for digit in 0..10 {
                    let mut input = String::new();
                    format::digits(access, &mut input);
                    format::digits(&[digit], &mut input);
                    input.push_str(&rest);
                    visit(Some(Region(region as u8)), &input);
                }
            });
        }
    }
}

/// A kind of words that the table knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// The region's mobile numbers, less those digits of the end that may be any.
    Mobile,
    /// National prefixes and carrier codes.
    National,
    /// International prefixes.
    International,
}

/// Some word of a kind; `pick` chooses a number below the one given.
pub fn word(words: Words, region: Region, pick: &mut dyn FnMut(usize) -> usize) -> String {
    let table = table();
    let region = usize::from(region.0);
    let tree = match words {
        Words::Mobile => table.code_of(region),
        Words::National => table.first_national + at(table.national, region),
        Words::International => table.first_international + at(table.international, region),
    };
    let mut word = Vec::new();
    let mut node = table.root(tree);
    loop {
        let edges = table.edges_of(node);
        let Some(chosen) = edges.get(pick(edges.len())) else {
            break;
        };
        let edge = entry(&table.edges, *chosen);
        let digits: Vec<u8> = (0..10).filter(|digit| edge >> digit & 1 == 1).collect();
        if !digits.is_empty() {
            word.extend(digits.get(pick(digits.len())));
        }
        if edge >> 17 != 0 {
            break;
        }
        node = chosen + 1;
    }
    let mut text = String::new();
    format::digits(&word, &mut text);
    text
}

impl Table {
    /// The edges of a node.
    fn edges_of(&self, node: usize) -> Vec<usize> {
        let mut edges = vec![node];
        let mut at = node;
        while entry(&self.edges, at) >> 16 & 1 == 0 {
            at = next(self, at);
            edges.push(at);
        }
        edges
    }

    fn root(&self, tree: usize) -> usize {
        entry(&self.roots, tree) as usize
    }

    /// Calls with the digits that lead to each node.
    fn states(&self, node: usize, access: &mut Vec<u8>, visit: &mut dyn FnMut(&[u8])) {
        visit(access);
        for at in self.edges_of(node) {
            let edge = entry(&self.edges, at);
            let Some(digit) = (0..10).find(|digit| edge >> digit & 1 == 1) else {
                continue;
            };
            access.push(digit);
            if edge >> 17 == 0 {
                self.states(at + 1, access, visit);
            } else {
                visit(access);
            }
            access.pop();
        }
    }

    /// Each digit after these, and then the way to a number, or digits that may be none, up to every length.
    fn endings(&self, code: usize, access: &[u8], visit: &mut dyn FnMut(&[u8])) {
        for digit in 0..10 {
            let mut good = access.to_vec();
            good.push(digit);
            let mut other = good.clone();
            self.lead_on(code, &mut good);
            while other.len() < LONGEST {
                visit(&good);
                visit(&other);
                good.push((other.len() as u8 * 7 + digit) % 10);
                other.push((other.len() as u8 * 3 + digit + 1) % 10);
            }
        }
    }

    /// Adds digits until only the length counts.
    fn lead_on(&self, code: usize, digits: &mut Vec<u8>) {
        loop {
            let walk = walk(self, code, digits);
            if !walk.inside {
                return;
            }
            let edge = entry(&self.edges, walk.node);
            let Some(digit) = (0..10).find(|digit| edge >> digit & 1 == 1) else {
                return;
            };
            digits.push(digit);
        }
    }

    /// Some mobile number of a calling code.
    fn example(&self, code: usize) -> Vec<u8> {
        let mut national = Vec::new();
        self.lead_on(code, &mut national);
        while national.len() < LONGEST {
            let number = Number { code, national };
            if super::Phone::of(&number).verdict == Verdict::Valid {
                return number.national;
            }
            national = number.national;
            national.push(1);
        }
        national
    }
}
