//! From typed digits to a number: what libphonenumber's `parse` does, in the same order.

use super::Region;
use super::data::{Action, Table, at, entry, table};
use super::walk::walk;

/// What was typed.
pub struct Typed {
    /// The digits' values.
    pub digits: Vec<u8>,
    pub plus: bool,
    /// Those that are dialed once the call is answered.
    pub extension: Vec<u8>,
    /// Whether all of it is a plus, digits and what is written between them.
    pub is_plain: bool,
}

/// A calling code, by its number in the table, and what stands after it.
pub struct Number {
    pub code: usize,
    pub national: Vec<u8>,
}

/// Is told digits and what may be done to them.
pub type Visit<'a> = &'a mut dyn FnMut(&[u8], &Action);

impl Typed {
    /// The number that this is, if it can be one.
    pub fn number(&self, region: Option<Region>) -> Option<Number> {
        let table = table();
        let digits = self.digits.as_slice();
        if digits.len() < 3 {
            return None;
        }
        let abroad = if self.plus {
            table.split_code(digits)
        } else {
            None
        };
        let (code, reader, rest) = match abroad {
            Some((code, rest)) => (code, table.main_region(code), rest.to_vec()),
            None => self.at_home(table, region?)?,
        };
        if rest.len() < 2 {
            return None;
        }
        let short = table.strip(reader, &rest);
        let lengths = at(table.general_lengths, reader);
        let possible =
            table.has_length(lengths, short.len()) || short.len() > table.longest(lengths);
        let national = if possible { short } else { rest };
        (2..18)
            .contains(&national.len())
            .then_some(Number { code, national })
    }

    /// Without a `+`, or with one that no calling code follows: the code, the region whose rules are asked, the rest.
    fn at_home(&self, table: &Table, region: Region) -> Option<(usize, usize, Vec<u8>)> {
        let digits = self.digits.as_slice();
        let region = usize::from(region.0);
        if let Some(rest) = table.after_international_prefix(region, digits) {
            if rest.len() < 3 {
                return None;
            }
            let (code, rest) = table.split_code(&rest)?;
            return Some((code, table.main_region(code), rest.to_vec()));
        }
        if self.plus {
            return None;
        }
        let code = table.code_of(region);
        if let Some((other, rest)) = table.split_code(digits)
            && other == code
        {
            let rest = table.strip(region, rest);
            let longest = table.longest(at(table.general_lengths, region));
            if digits.len() > longest
                || !table.is_general(region, digits) && table.is_general(region, &rest)
            {
                return Some((code, table.main_region(code), rest));
            }
        }
        Some((code, region, digits.to_vec()))
    }
}

impl Table {
    pub fn code(&self, code: usize) -> u32 {
        entry(&self.codes, code) & 0x3ff
    }

    pub fn main_region(&self, code: usize) -> usize {
        (entry(&self.codes, code) >> 10 & 0x3ff) as usize
    }

    pub fn code_of(&self, region: usize) -> usize {
        entry(&self.region_codes, region) as usize
    }

    /// The calling code that digits begin with, and the rest.
    pub fn split_code<'a>(&self, digits: &'a [u8]) -> Option<(usize, &'a [u8])> {
        let mut value = 0;
        for (number, digit) in digits.iter().take(3).enumerate() {
            value = value * 10 + u32::from(*digit);
            if value == 0 {
                return None;
            }
            // They are in order.
            let found = self.codes.binary_search_by_key(&value, |code| code & 0x3ff);
            if let Ok(code) = found {
                return Some((code, digits.get(number + 1..).unwrap_or_default()));
            }
        }
        None
    }

    /// What follows an international prefix, as it is dialed in a region.
    pub fn after_international_prefix(&self, region: usize, digits: &[u8]) -> Option<Vec<u8>> {
        let tree = self.first_international + at(self.international, region);
        let mut rest = None;
        self.prefixes(tree, digits, &mut |digits, action| {
            action.keep(digits, &mut rest)
        });
        let rest = rest?;
        // No calling code begins so.
        (rest.first() != Some(&0)).then_some(rest)
    }

    /// Without national prefix and carrier code, if there are any.
    pub fn without_prefixes(&self, region: usize, digits: &[u8]) -> Option<Vec<u8>> {
        let mut rest = None;
        self.national_prefixes(region, digits, &mut |digits, action| {
            action.keep(digits, &mut rest);
        });
        rest
    }

    /// Calls with each way of taking them off, now or after more digits. Says whether all digits may be the beginning
    /// of a prefix.
    pub fn national_prefixes(&self, region: usize, digits: &[u8], visit: Visit) -> bool {
        let number = at(self.national, region);
        let tree = self.first_national + number;
        if number == self.assumed && digits.first() != Some(&0) {
            let mut all = Vec::with_capacity(digits.len() + 1);
            all.push(0);
            all.extend_from_slice(digits);
            return self.prefixes(tree, &all, visit);
        }
        self.prefixes(tree, digits, visit)
    }

    /// Likewise, of any tree of prefixes.
    pub fn prefixes(&self, tree: usize, digits: &[u8], visit: Visit) -> bool {
        let walk = walk(self, tree, digits);
        for label in &walk.labels {
            self.actions(*label, &mut |action| {
                if !action.whole || action.length >= digits.len() {
                    visit(digits, action);
                }
            });
        }
        walk.inside
    }

    pub fn is_general(&self, region: usize, digits: &[u8]) -> bool {
        walk(self, self.first_general + at(self.general, region), digits)
            .labels
            .iter()
            .any(|set| self.has_length(*set as usize, digits.len()))
    }

    /// Without national prefix and carrier code, where upstream takes them off.
    fn strip(&self, region: usize, digits: &[u8]) -> Vec<u8> {
        match self.without_prefixes(region, digits) {
            Some(short) if !self.is_general(region, digits) || self.is_general(region, &short) => {
                short
            }
            _ => digits.to_vec(),
        }
    }
}

impl Action {
    /// Puts what it leaves into `rest`, if there are digits enough: the rule of upstream.
    fn keep(&self, digits: &[u8], rest: &mut Option<Vec<u8>>) {
        if self.length <= digits.len() {
            *rest = Some(self.apply(digits));
        }
    }

    pub fn apply(&self, digits: &[u8]) -> Vec<u8> {
        let mut result = Vec::with_capacity(digits.len() + 4);
        for power in &[1000, 100, 10, 1] {
            // The first digit is the 1 that keeps zeros.
            if self.insert >= *power * 10 {
                result.push((self.insert / *power % 10) as u8);
            }
        }
        let middle = (self.length - self.cut).min(digits.len());
        result.extend_from_slice(digits.get(self.strip..middle).unwrap_or_default());
        result.extend_from_slice(digits.get(self.length..).unwrap_or_default());
        result
    }
}
