//! Random digits from a generator that is always the same.

/// SplitMix64: a few lines, and good enough to choose digits.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, name: &str) -> Self {
        Self(name.bytes().fold(seed, |seed, byte| {
            seed.wrapping_mul(31).wrapping_add(u64::from(byte))
        }))
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ mixed >> 31) % limit as u64).unwrap()
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn digits(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap()))
            .collect()
    }

    /// One digit more, less, or another one.
    pub fn mutate(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        if chars.is_empty() {
            return self.digits(1);
        }
        let at = self.below(chars.len());
        let digit = char::from(b'0' + u8::try_from(self.below(10)).unwrap());
        match self.below(3) {
            0 => chars[at] = digit,
            1 => chars.insert(at, digit),
            _ => {
                chars.remove(at);
            }
        }
        chars.into_iter().collect()
    }
}
