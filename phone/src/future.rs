//! Whether what was typed may still become a valid number.
//!
//! Every way of reading it is asked on its own, and each can only ever lose hope as digits are added.

use super::Region;
use super::data::{Table, at, table};
use super::format;
use super::number::Typed;
use super::walk::walk;

impl Typed {
    pub fn may_become_valid(&self, region: Option<Region>) -> bool {
        let table = table();
        let digits = self.digits.as_slice();
        if self.plus && table.abroad(digits) {
            return true;
        }
        let Some(Region(region)) = region else {
            return digits.is_empty();
        };
        let region = usize::from(region);
        let tree = table.first_international + at(table.international, region);
        let mut hope = false;
        let inside = table.prefixes(tree, digits, &mut |digits, action| {
            hope = hope || table.abroad(&action.apply(digits));
        });
        if hope || inside {
            return true;
        }
        if self.plus {
            return false;
        }
        let code = table.code_of(region);
        let own = match table.split_code(digits) {
            // Upstream takes national prefixes off before and after it looks at the code.
            Some((other, rest)) => {
                other == code && table.at_home(code, &[region, table.main_region(code)], rest)
            }
            None => table.begins_code(digits, Some(code)),
        };
        own || table.at_home(code, &[region], digits)
    }
}

impl Table {
    /// With the calling code.
    fn abroad(&self, digits: &[u8]) -> bool {
        match self.split_code(digits) {
            Some((code, rest)) => self.at_home(code, &[self.main_region(code)], rest),
            None => self.begins_code(digits, None),
        }
    }

    /// Whether a calling code, or this one, begins with these digits.
    fn begins_code(&self, digits: &[u8], only: Option<usize>) -> bool {
        let (value, unknown) = match digits {
            [] => return true,
            // None begins with 0.
            [0, ..] => return false,
            [first] => (u32::from(*first), 100),
            [first, second] => (u32::from(*first) * 10 + u32::from(*second), 10),
            _ => return false,
        };
        // One that has no further digits is not begun but complete.
        let leads = |code: u32| code / unknown == value || unknown == 100 && code / 10 == value;
        match only {
            Some(code) => leads(self.code(code)),
            None => self.codes.iter().any(|code| leads(code & 0x3ff)),
        }
    }

    /// With or without a national prefix, by the rules of these regions in turn.
    fn at_home(&self, code: usize, regions: &[usize], digits: &[u8]) -> bool {
        let Some((region, others)) = regions.split_first() else {
            return self.mobile(code, digits);
        };
        if self.at_home(code, others, digits) {
            return true;
        }
        let mut hope = false;
        let inside = self.national_prefixes(*region, digits, &mut |digits, action| {
            hope = hope || self.at_home(code, others, &action.apply(digits));
        });
        hope || inside
    }

    /// As it stands.
    fn mobile(&self, code: usize, digits: &[u8]) -> bool {
        let walk = walk(self, code, digits);
        walk.inside
            || walk.labels.iter().any(|label| {
                self.label(code, *label)
                    .any(|place| format::lengths(self.layout_of(place)).0 >= digits.len())
            })
    }
}
