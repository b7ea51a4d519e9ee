//! The table of the engine: columns of bytes, each of one kind of thing, which is what compresses best, and packed
//! trees.

use super::coder;
use super::general;
use super::layout;
use super::metadata::{Code, Metadata, Region};
use super::mobile::{self, Final};
use super::prefix::{self, Actions};
use super::tree::{Edge, Target};
use std::collections::{BTreeMap, BTreeSet};
use workbench::Result;

/// What goes into the engine.
pub struct Table {
    pub bytes: Vec<u8>,
    /// Two letters each; `00` for the world.
    pub regions: String,
}

/// A tree as the engine reads it: see `model.rs`.
type Tree = Vec<u32>;

/// The number of a leaf.
type Numbering<'a, L> = &'a mut dyn FnMut(&[(usize, L)]) -> Result<u8>;

/// The label of a leaf where there is none: of a tree without words.
const NONE: u8 = 126;

/// Things by number.
struct Numbers<T>(Vec<T>);

impl<T: PartialEq> Numbers<T> {
    fn number(&mut self, thing: T) -> Result<u8> {
        let known = self.0.iter().position(|other| *other == thing);
        let number = known.unwrap_or(self.0.len());
        if known.is_none() {
            self.0.push(thing);
        }
        byte(number)
    }
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// By region or by calling code, in their order.
#[derive(Default)]
struct Columns {
    codes: Vec<u8>,
    region_counts: Vec<u8>,
    mobile_lengths: Vec<u8>,
    national: Vec<u8>,
    international: Vec<u8>,
    general: Vec<u8>,
    general_lengths: Vec<u8>,
}

#[derive(Default)]
struct Encoder {
    columns: Columns,
    regions: String,
    /// The rule that takes a 0 for granted.
    assumed: Option<u8>,
    mobile: Tree,
    national: Numbers<Tree>,
    international: Numbers<Tree>,
    general: Numbers<Tree>,
    lengths: Numbers<u16>,
    actions: Numbers<Vec<[u8; 4]>>,
    labels: Vec<Vec<(usize, Final)>>,
}

pub fn encode(metadata: &Metadata) -> Result<Table> {
    let mut encoder = Encoder::default();
    let mut before = 0;
    for code in &metadata.codes {
        // A code without mobile numbers is as good as one that nobody has.
        if encoder.mobile_numbers(code)? {
            encoder
                .columns
                .codes
                .push(byte(usize::from(code.code - before))?);
            before = code.code;
            encoder.code(code)?;
        }
    }
    encoder.finish()
}

fn byte(number: usize) -> Result<u8> {
    u8::try_from(number).map_err(|_| "the metadata have outgrown the table's bytes".to_owned())
}

fn mask(lengths: &BTreeSet<usize>) -> u16 {
    // Numbers of fewer than two digits are none, nor are those of more than seventeen.
    lengths
        .iter()
        .fold(0, |mask, length| mask | 1 << (length - 2))
}

fn national(region: &Region) -> Result<(Vec<Edge<Actions>>, bool)> {
    match &region.prefix {
        Some(pattern) => prefix::national(pattern, region.transform.as_deref()),
        None => Ok((Vec::new(), false)),
    }
}

/// Adds a tree, its nodes before what follows them.
fn write<L>(tree: &[Edge<L>], label: Numbering<L>, edges: &mut Tree) -> Result<()> {
    if tree.is_empty() {
        edges.push(u32::from(NONE + 1) << 17 | 1 << 16);
    }
    for (number, edge) in tree.iter().enumerate() {
        let last = u32::from(number + 1 == tree.len()) << 16;
        match &edge.to {
            Target::Node(below) => {
                edges.push(u32::from(edge.mask) | last);
                write(below, label, edges)?;
            }
            Target::Leaf(labels) => {
                let label = label(labels)?;
                if label >= NONE {
                    return Err("too many labels for the table".to_owned());
                }
                edges.push(u32::from(edge.mask) | last | u32::from(label + 1) << 17);
            }
        }
    }
    Ok(())
}

impl Encoder {
    /// Adds the numbers of a calling code, if there are any.
    fn mobile_numbers(&mut self, code: &Code) -> Result<bool> {
        let tree = mobile::tree(code)?;
        let mut labels = Numbers::default();
        if !tree.is_empty() {
            let number = &mut |label: &[_]| labels.number(label.to_vec());
            write(&tree, number, &mut self.mobile)?;
        }
        self.labels.append(&mut labels.0);
        Ok(!tree.is_empty())
    }

    fn code(&mut self, code: &Code) -> Result<()> {
        self.columns.region_counts.push(byte(code.regions.len())?);
        let lengths = self.lengths.number(mask(&general::lengths(code)))?;
        self.columns.mobile_lengths.push(lengths);
        let (main, _) = national(&code.regions[0])?;
        code.regions
            .iter()
            .try_for_each(|region| self.region(code, region, &main))
    }

    fn region(&mut self, code: &Code, region: &Region, main: &[Edge<Actions>]) -> Result<()> {
        self.regions.push_str(&region.id[..2]);
        let (own, assumed) = national(region)?;
        let mut edges = Tree::new();
        let number = &mut |labels: &[_]| action(&mut self.actions, labels);
        write(&own, number, &mut edges)?;
        let number = self.national.number(edges)?;
        self.columns.national.push(number);
        if assumed
            && self
                .assumed
                .replace(number)
                .is_some_and(|other| other != number)
        {
            return Err("a second national prefix begins with an optional 0".to_owned());
        }
        let idd = match &region.idd {
            Some(pattern) => prefix::international(pattern)?,
            None => Vec::new(),
        };
        let mut edges = Tree::new();
        let number = &mut |labels: &[_]| action(&mut self.actions, labels);
        write(&idd, number, &mut edges)?;
        self.columns
            .international
            .push(self.international.number(edges)?);
        let tree = general::tree(code, region, &[&own, main])?;
        let mut edges = Tree::new();
        let number = &mut |labels: &[(usize, ())]| {
            self.lengths
                .number(mask(&labels.iter().map(|(length, ())| *length).collect()))
        };
        write(&tree, number, &mut edges)?;
        self.columns.general.push(self.general.number(edges)?);
        let lengths = region.general.lengths.iter().copied().collect();
        self.columns
            .general_lengths
            .push(self.lengths.number(mask(&lengths))?);
        Ok(())
    }

    fn finish(mut self) -> Result<Table> {
        let columns = &self.columns;
        let mut bytes = vec![byte(columns.codes.len())?];
        bytes.extend(
            columns
                .codes
                .iter()
                .chain(&columns.region_counts)
                .chain(&columns.mobile_lengths),
        );
        bytes.extend(columns.national.iter().chain(&columns.international));
        bytes.extend(columns.general.iter().chain(&columns.general_lengths));
        bytes.push(byte(self.national.0.len())?);
        bytes.push(byte(self.international.0.len())?);
        bytes.push(byte(self.general.0.len())?);
        bytes.push(self.assumed.unwrap_or(u8::MAX));
        bytes.push(byte(self.lengths.0.len())?);
        for half in 0..2 {
            bytes.extend(self.lengths.0.iter().map(|mask| mask.to_le_bytes()[half]));
        }
        let actions: Vec<[u8; 4]> = self.actions.0.concat();
        bytes.push(byte(actions.len())?);
        for column in 0..4 {
            bytes.extend(actions.iter().map(|action| action[column]));
        }
        self.layouts(&mut bytes)?;
        for tree in [&self.national.0, &self.international.0, &self.general.0] {
            self.mobile.extend(tree.iter().flatten());
        }
        bytes.extend(coder::pack(&self.mobile));
        Ok(Table {
            bytes,
            regions: self.regions,
        })
    }

    /// The labels of mobile numbers: a layout and whether it is the last of its label, a region and whether fixed
    /// lines are like this, too; then the layouts.
    fn layouts(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let finals = || self.labels.iter().flatten().map(|(_, label)| label);
        let texts: BTreeSet<String> = finals().map(text).collect();
        let numbers: BTreeMap<&str, usize> = texts.iter().map(String::as_str).zip(0..).collect();
        bytes.extend(
            u16::try_from(finals().count())
                .map_err(|_| "too many labels")?
                .to_le_bytes(),
        );
        for labels in &self.labels {
            for (place, (_, label)) in labels.iter().enumerate() {
                let last = usize::from(place + 1 == labels.len());
                bytes.push(byte(numbers[text(label).as_str()] << 1 | last)?);
            }
        }
        for label in finals() {
            bytes.push(byte(label.region << 1 | usize::from(label.fixed))?);
        }
        for text in texts {
            bytes.extend(text.bytes());
            bytes.push(b'\n');
        }
        // An empty line is the end.
        bytes.push(b'\n');
        Ok(())
    }
}

/// Both layouts of a number in one.
fn text(label: &Final) -> String {
    if layout::without_prefix(&label.national) == label.international {
        label.national.clone()
    } else {
        format!("{}|{}", label.national, label.international)
    }
}

/// The number of a list of actions. Where several are possible, the engine takes the last one.
fn action(all: &mut Numbers<Vec<[u8; 4]>>, labels: &[(usize, Actions)]) -> Result<u8> {
    let small = |number: usize| u8::try_from(number).ok().filter(|number| *number < 16);
    let each = |(length, actions): &(usize, Actions)| {
        let length = *length;
        actions
            .clone()
            .into_iter()
            .map(move |action| (length, action))
    };
    let mut list: Vec<(usize, prefix::Action)> = labels.iter().flat_map(each).collect();
    // What is true of a shorter beginning needs no second mention.
    list.dedup_by(|(_, later), (_, former)| !later.whole && later == former);
    let last = list.len() - 1;
    let encode = |(number, (length, action)): (usize, &(usize, prefix::Action))| {
        let whole = u8::from(action.whole) << 6;
        let end = u8::from(number == last) << 7;
        let insert: u16 = match action.insert.as_str() {
            "" => 0,
            // A leading zero counts.
            digits => format!("1{digits}").parse().ok()?,
        };
        let [low, high] = insert.to_le_bytes();
        let strip = small(action.strip.unwrap_or(0))?;
        Some([
            small(*length)? | whole | end,
            strip << 4 | small(action.cut)?,
            low,
            high,
        ])
    };
    let list: Option<Vec<[u8; 4]>> = list.iter().enumerate().map(encode).collect();
    let number = all.number(list.ok_or("a national prefix is too long for the table")?)?;
    // Written one after the other, so the number is that of the first action.
    byte(all.0.iter().take(usize::from(number)).map(Vec::len).sum())
}
