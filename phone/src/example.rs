//! A number that shows how a region's mobile numbers are written. It is nobody's in particular.

use super::data::{Table, table};
use super::number::Number;
use super::walk::walk;
use super::{Phone, Region};

/// The digits, in the order in which they are tried.
const ORDER: [u8; 10] = [2, 3, 4, 5, 6, 7, 8, 9, 0, 1];
/// After the digits that decide.
const LONGEST_REST: u8 = 10;

/// `052-234-5678`: a mobile number of a region, in which the digits that may be any go up.
///
/// ```
/// use pos_connect_phone::{Region, example};
///
/// let region = Region::parse("IL");
/// assert_eq!(region.and_then(example).as_deref(), Some("052-234-5678"));
/// ```
pub fn example(region: Region) -> Option<String> {
    let table = table();
    let code = table.code_of(usize::from(region.0));
    let main = Region(table.main_region(code) as u8);
    // A few have no mobile numbers of their own.
    [region, main]
        .into_iter()
        .find_map(|region| table.exemplify(code, region, &mut Vec::new()))
}

impl Table {
    /// Tries the digits after these in their order, and then each length.
    fn exemplify(&self, code: usize, region: Region, digits: &mut Vec<u8>) -> Option<String> {
        let walk = walk(self, code, digits);
        if walk.inside {
            for digit in ORDER {
                digits.push(digit);
                let found = self.exemplify(code, region, digits);
                digits.pop();
                if found.is_some() {
                    return found;
                }
            }
        }
        if walk.labels.is_empty() {
            return None;
        }
        let last = digits.last().copied().unwrap_or_default();
        (0..=LONGEST_REST).find_map(|length| {
            let mut national = digits.clone();
            national.extend((1..=length).map(|step| (last + step) % 10));
            let phone = Phone::of(&Number { code, national });
            phone.national.filter(|_| phone.region == Some(region))
        })
    }
}
