//! The small part of regular expressions that upstream's metadata uses: digits, classes, groups, alternatives, counts.

use workbench::Result;

/// A set of digits, one bit each.
pub type Mask = u16;

pub const ANY: Mask = 0x3ff;

#[derive(Clone, Debug, PartialEq)]
pub enum Regex {
    Digit(Mask),
    All(Vec<Regex>),
    OneOf(Vec<Regex>),
    Repeat(Box<Regex>, usize, usize),
    /// A capturing group.
    Group(Box<Regex>),
    /// `$`
    End,
}

impl Regex {
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser {
            text: text.as_bytes(),
            at: 0,
        };
        let regex = parser.alternatives().ok_or_else(|| {
            format!("cannot read the pattern {text}: something new in upstream's metadata")
        })?;
        if parser.at == text.len() {
            Ok(regex)
        } else {
            Err(format!("cannot read the pattern {text} to its end"))
        }
    }

    /// The fewest and the most digits that it matches.
    pub fn lengths(&self) -> (usize, usize) {
        match self {
            Self::Digit(_) => (1, 1),
            Self::End => (0, 0),
            Self::Group(inner) => inner.lengths(),
            Self::All(parts) => parts
                .iter()
                .map(Self::lengths)
                .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1)),
            Self::OneOf(parts) => parts
                .iter()
                .map(Self::lengths)
                .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
                .unwrap_or_default(),
            Self::Repeat(inner, least, most) => {
                let (low, high) = inner.lengths();
                (low * least, high * most)
            }
        }
    }

    /// Whether it ends with `$`.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::End => true,
            Self::All(parts) => parts.last().is_some_and(Self::is_whole),
            _ => false,
        }
    }

    pub fn has_group(&self) -> bool {
        match self {
            Self::Digit(_) | Self::End => false,
            Self::Group(_) => true,
            Self::All(parts) | Self::OneOf(parts) => parts.iter().any(Self::has_group),
            Self::Repeat(inner, ..) => inner.has_group(),
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: &str) -> bool {
        let found = self.text[self.at..].starts_with(wanted.as_bytes());
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn alternatives(&mut self) -> Option<Regex> {
        let mut parts = vec![self.sequence()?];
        while self.take("|") {
            parts.push(self.sequence()?);
        }
        Some(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Regex::OneOf(parts)
        })
    }

    fn sequence(&mut self) -> Option<Regex> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let atom = self.atom()?;
            parts.push(self.counted(atom)?);
        }
        Some(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Regex::All(parts)
        })
    }

    fn atom(&mut self) -> Option<Regex> {
        if self.take("\\d") {
            return Some(Regex::Digit(ANY));
        }
        if self.take("(?:") {
            let inner = self.alternatives()?;
            return self.take(")").then_some(inner);
        }
        if self.take("(") {
            let inner = self.alternatives()?;
            return self.take(")").then(|| Regex::Group(Box::new(inner)));
        }
        if self.take("[") {
            return self.class();
        }
        if self.take("$") {
            return Some(Regex::End);
        }
        self.digit().map(|digit| Regex::Digit(1 << digit))
    }

    fn class(&mut self) -> Option<Regex> {
        let mut mask = 0;
        while !self.take("]") {
            if self.take("\\d") {
                mask = ANY;
                continue;
            }
            let from = self.digit()?;
            let to = if self.take("-") { self.digit()? } else { from };
            mask |= (from..=to).fold(0, |mask, digit| mask | 1 << digit);
        }
        Some(Regex::Digit(mask))
    }

    fn digit(&mut self) -> Option<u8> {
        let digit = self.peek()?.checked_sub(b'0').filter(|digit| *digit < 10)?;
        self.at += 1;
        Some(digit)
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = usize::from(self.digit()?);
        while let Some(digit) = self.digit() {
            number = number * 10 + usize::from(digit);
        }
        Some(number)
    }

    fn counted(&mut self, atom: Regex) -> Option<Regex> {
        if self.take("?") {
            return Some(Regex::Repeat(Box::new(atom), 0, 1));
        }
        if !self.take("{") {
            return Some(atom);
        }
        let least = self.number()?;
        let most = if self.take(",") {
            self.number()?
        } else {
            least
        };
        self.take("}")
            .then(|| Regex::Repeat(Box::new(atom), least, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_upstream_writes() {
        assert_eq!(Regex::parse("[2-46]").unwrap(), Regex::Digit(0b101_1100));
        assert_eq!(
            Regex::parse("0(?:1\\d)?").unwrap(),
            Regex::All(vec![
                Regex::Digit(1),
                Regex::Repeat(
                    Box::new(Regex::All(vec![Regex::Digit(2), Regex::Digit(ANY)])),
                    0,
                    1
                )
            ])
        );
        assert_eq!(Regex::parse("1|2{3}\\d{2,4}").unwrap().lengths(), (1, 7));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for text in ["a", "1+", "(1", "1)", "[1", ".", "1{2", "(?!1)"] {
            assert!(Regex::parse(text).is_err(), "{text}");
        }
    }
}
