//! The mobile numbers of a calling code: which region each belongs to, of what kind it is and how it is written.

use super::automaton::{Automaton, States};
use super::layout::{self, Layout};
use super::metadata::{Code, Format, Kind, Region};
use super::tree::{Edge, Forest};
use workbench::Result;

/// What is known of a complete number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Final {
    /// The number of the region among those of the code.
    pub region: usize,
    /// Whether it may be a fixed line, too.
    pub fixed: bool,
    pub national: Layout,
    pub international: Layout,
}

/// The patterns of a region by their numbers in the automaton.
struct Patterns<'a> {
    region: &'a Region,
    leading: Option<usize>,
    general: usize,
    fixed: Option<usize>,
    mobile: Option<usize>,
    others: Vec<usize>,
}

/// A list of formats, likewise: its leading digits and its pattern.
struct Formats<'a>(Vec<(&'a Format, Option<usize>, usize)>);

pub fn tree(code: &Code) -> Result<Vec<Edge<Final>>> {
    let mut automaton = Automaton::default();
    let regions: Vec<Patterns> = code
        .regions
        .iter()
        .map(|region| Patterns::add(region, &mut automaton))
        .collect();
    let main = &code.regions[0];
    let national = Formats::add(&main.formats, &mut automaton);
    let intl = match main.intl_formats.as_slice() {
        [] => &main.formats,
        formats => formats,
    };
    let intl = Formats::add(intl, &mut automaton);
    let failed = std::cell::RefCell::new(None);
    let mut forest = Forest::new();
    let root = forest.add(
        &automaton,
        &|states, _| {
            let alive = |pattern: &usize| automaton.alive(states, *pattern);
            regions.iter().any(|region| region.mobile.iter().any(alive))
        },
        &|states, length| {
            let (region, fixed) = classify(&regions, &automaton, states, length)?;
            let labels = national
                .layout(&automaton, states, length, true)
                .and_then(|national| {
                    Ok((national, intl.layout(&automaton, states, length, false)?))
                });
            match labels {
                Ok((national, international)) => Some(Final {
                    region,
                    fixed,
                    national,
                    international,
                }),
                Err(error) => {
                    failed.replace(Some(error));
                    None
                }
            }
        },
    );
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(forest.tree(root)),
    }
}

/// `region_code_for_number` and `number_type`: the region and whether it may be a fixed line; none if it is not mobile.
fn classify(
    regions: &[Patterns],
    automaton: &Automaton,
    states: &States,
    length: usize,
) -> Option<(usize, bool)> {
    let number = if regions.len() == 1 {
        0
    } else {
        regions.iter().position(|region| match region.leading {
            Some(leading) => automaton.accepts(states, leading),
            None => region.kind(automaton, states, length) != Is::Nothing,
        })?
    };
    match regions[number].kind(automaton, states, length) {
        Is::Mobile => Some((number, false)),
        Is::FixedOrMobile => Some((number, true)),
        Is::Other | Is::Nothing => None,
    }
}

#[derive(PartialEq)]
enum Is {
    Nothing,
    Other,
    Mobile,
    FixedOrMobile,
}

impl<'a> Patterns<'a> {
    fn add(region: &'a Region, automaton: &mut Automaton) -> Self {
        Self {
            region,
            leading: region
                .leading
                .as_ref()
                .map(|leading| automaton.add(leading, true)),
            general: automaton.add(&region.general.pattern, false),
            fixed: region
                .fixed
                .as_ref()
                .map(|kind| automaton.add(&kind.pattern, false)),
            mobile: region
                .mobile
                .as_ref()
                .map(|kind| automaton.add(&kind.pattern, false)),
            others: region
                .others
                .iter()
                .map(|kind| automaton.add(&kind.pattern, false))
                .collect(),
        }
    }

    /// `_number_type_helper`
    fn kind(&self, automaton: &Automaton, states: &States, length: usize) -> Is {
        let matches = |kind: &Kind, pattern: usize| {
            (kind.lengths.is_empty() || kind.lengths.contains(&length))
                && automaton.accepts(states, pattern)
        };
        let is = |kind: &Option<Kind>, pattern: Option<usize>| {
            kind.as_ref()
                .zip(pattern)
                .is_some_and(|(kind, pattern)| matches(kind, pattern))
        };
        let mut others = self.region.others.iter().zip(&self.others);
        if !matches(&self.region.general, self.general) {
            return Is::Nothing;
        }
        if others.any(|(kind, pattern)| matches(kind, *pattern)) {
            return Is::Other;
        }
        let mobile = is(&self.region.mobile, self.mobile);
        match (is(&self.region.fixed, self.fixed), self.region.same) {
            (true, true) => Is::FixedOrMobile,
            (true, false) if mobile => Is::FixedOrMobile,
            (true, false) => Is::Other,
            (false, false) if mobile => Is::Mobile,
            (false, _) => Is::Nothing,
        }
    }
}

impl<'a> Formats<'a> {
    fn add(formats: &'a [Format], automaton: &mut Automaton) -> Self {
        Self(
            formats
                .iter()
                .map(|format| {
                    let leading = format
                        .leading
                        .as_ref()
                        .map(|leading| automaton.add(leading, true));
                    (format, leading, automaton.add(&format.pattern, false))
                })
                .collect(),
        )
    }

    fn layout(
        &self,
        automaton: &Automaton,
        states: &States,
        length: usize,
        national: bool,
    ) -> Result<Layout> {
        let format = self.0.iter().find(|(_, leading, pattern)| {
            leading.is_none_or(|leading| automaton.accepts(states, leading))
                && automaton.accepts(states, *pattern)
        });
        match format {
            Some((format, ..)) => layout::layout(format, length, national),
            None => Ok(layout::plain(length)),
        }
    }
}
