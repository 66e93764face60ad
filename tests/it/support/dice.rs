//! A small generator, so that a number names a history for ever.
//!
//! Source of the step: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.

/// Numbers that look random and are the same for a seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Begins at the seed itself.
    pub fn at(seed: u64) -> Self {
        Self(seed)
    }

    /// Begins elsewhere: neighbouring seeds must not run through each other's numbers, so the seed is mixed first.
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed ^ 0x5851_F42D_4C95_7F2D);
        Self(dice.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number under `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.next() % sides
    }

    /// Whether something befalls that has this many chances in a thousand.
    pub fn befalls(&mut self, permille: u64) -> bool {
        self.roll(1000) < permille
    }

    /// The place of one of `count` things.
    pub fn place(&mut self, count: usize) -> usize {
        usize::try_from(self.roll(count as u64)).unwrap()
    }

    /// One of these.
    pub fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.place(things.len())]
    }
}
