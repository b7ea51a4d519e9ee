//! A number that shows how a region's mobile numbers are written. It is nobody's in particular.

use super::data::{Table, table};
use super::walk::walk;
use super::{Region, valid};

/// The digits, in the order in which they are tried, and in which they follow those that decide.
const ORDER: [u8; 10] = [2, 3, 4, 5, 6, 7, 8, 9, 0, 1];

/// `052-223-4567`: a mobile number of a region, most of whose digits go up.
///
/// ```
/// use pos_connect_phone::{Region, example};
///
/// let region = Region::parse("IL");
/// assert_eq!(region.and_then(example).as_deref(), Some("052-223-4567"));
/// ```
pub fn example(region: Region) -> Option<String> {
    let table = table();
    let code = table.code_of(usize::from(region.0));
    let main = Region(table.main_region(code) as u8);
    // A few have no mobile numbers of their own.
    let of = |region| table.exemplify(code, region, &mut Vec::new());
    of(region).or_else(|| of(main))
}

impl Table {
    /// Tries the digits after these in their order, and then each length.
    fn exemplify(&self, code: usize, region: Region, digits: &mut Vec<u8>) -> Option<String> {
        if walk(self, code, digits).inside {
            for digit in ORDER {
                digits.push(digit);
                let found = self.exemplify(code, region, digits);
                digits.pop();
                if found.is_some() {
                    return found;
                }
            }
        }
        for length in 0..=ORDER.len() {
            let phone = valid(code, digits, ORDER.get(..length)?);
            if let Some(phone) = phone
                && phone.region == Some(region)
            {
                return phone.national;
            }
        }
        None
    }
}
