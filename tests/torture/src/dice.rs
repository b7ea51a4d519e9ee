//! Random choices that can be made again: SplitMix64.

pub struct Dice(u64);

impl Dice {
    /// Another row of numbers for each `name`, so that parts and clients do not copy each other.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut dice = Self(seed);
        for byte in name.bytes() {
            dice.0 ^= u64::from(byte);
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.0 = self.0.rotate_left(1) ^ mixed;
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `limit` - 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Letters and digits of which a `pickup_id` may consist.
    pub fn text(&mut self, length: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijkmnopqrstuvwxyz2345678";
        (0..length)
            .map(|_| char::from(LETTERS[self.below(32) as usize]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_choices_and_another_gives_others() {
        let text = |seed, name| Dice::new(seed, name).text(43);
        assert_eq!(text(7, "a"), text(7, "a"));
        assert_ne!(text(7, "a"), text(8, "a"));
        assert_ne!(text(7, "a"), text(7, "b"));
    }
}
