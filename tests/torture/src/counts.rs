//! How often each kind of fault was done.

use std::collections::BTreeMap;

pub struct Counts {
    kinds: &'static [&'static str],
    done: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// Of these kinds.
    pub fn new(kinds: &'static [&'static str]) -> Self {
        Self {
            kinds,
            done: BTreeMap::new(),
        }
    }

    /// Takes names of these kinds; others are a fault of the page.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        let known = self.kinds.iter().find(|known| **known == name);
        let known =
            known.ok_or_else(|| format!("the page did `{name}`, which is nothing it was told"))?;
        *self.done.entry(known).or_default() += 1;
        Ok(())
    }

    pub fn of(&self, name: &str) -> u64 {
        self.done.get(name).copied().unwrap_or(0)
    }

    pub fn missing(&self) -> Vec<&'static str> {
        let kinds = self.kinds.iter().copied();
        kinds.filter(|name| self.of(name) == 0).collect()
    }

    pub fn print(&self) {
        println!("\ndone to them:");
        for name in self.kinds {
            println!("{:>7}  {name}", self.of(name));
        }
    }
}
