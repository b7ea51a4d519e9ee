//! What may stand before a national number: international prefixes, national prefixes, carrier codes.

use super::automaton::Automaton;
use super::regex::Regex;
use super::tree::{Edge, Forest};
use workbench::Result;

/// What is done with a number that begins with a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// The number must be as long as what the pattern matched, not only that long.
    pub whole: bool,
    /// So many digits go; all that matched if there is none.
    pub strip: Option<usize>,
    /// So many of the last digits that matched go, too.
    pub cut: usize,
    /// This comes first.
    pub insert: String,
}

/// The engine takes the last one that it can.
pub type Actions = Vec<Action>;

impl Action {
    fn strip(strip: Option<usize>) -> Self {
        Self {
            whole: false,
            strip,
            cut: 0,
            insert: String::new(),
        }
    }
}

/// An international prefix is only taken off.
pub fn international(pattern: &str) -> Result<Vec<Edge<Actions>>> {
    Ok(tree(&[(Regex::parse(pattern)?, Action::strip(None))]))
}

/// With `true`, a number that does not begin with 0 is to be read as if it did: that halves the tree of Argentina.
pub fn national(pattern: &str, transform: Option<&str>) -> Result<(Vec<Edge<Actions>>, bool)> {
    let mut actions = Vec::new();
    let mut alternatives = alternatives(pattern)?;
    let zero = Regex::Digit(1);
    let optional = Regex::Repeat(Box::new(zero.clone()), 0, 1);
    let mut assumed = false;
    if let [Regex::All(parts)] = alternatives.as_mut_slice()
        && let Some(first) = parts.first_mut()
        && *first == optional
    {
        *first = zero;
        assumed = true;
    }
    for alternative in alternatives {
        for path in expand(alternative) {
            let action = action(&path, transform)
                .ok_or_else(|| format!("the national prefix {pattern} is of a new shape"))?;
            actions.push((Regex::All(path), action));
        }
    }
    Ok((tree(&actions), assumed))
}

/// What may stand on its own.
pub fn alternatives(pattern: &str) -> Result<Vec<Regex>> {
    Ok(match Regex::parse(pattern)? {
        Regex::OneOf(alternatives) => alternatives,
        single => vec![single],
    })
}

/// The ways through a pattern that differ in which groups take part, or in where they begin.
fn expand(regex: Regex) -> Vec<Vec<Regex>> {
    let parts = match regex {
        Regex::All(parts) => parts,
        single => vec![single],
    };
    let grouped = parts.iter().any(Regex::has_group);
    let mut paths = vec![Vec::new()];
    for part in parts {
        let choices: Vec<Vec<Regex>> = match part {
            Regex::Repeat(inner, 0, 1) if grouped => {
                let mut choices = expand(*inner);
                choices.push(Vec::new());
                choices
            }
            Regex::OneOf(parts) if grouped => parts.into_iter().flat_map(expand).collect(),
            other => vec![vec![other]],
        };
        paths = paths
            .iter()
            .flat_map(|path| {
                choices.iter().map(|choice| {
                    let mut path: Vec<Regex> = path.clone();
                    path.extend(choice.iter().cloned());
                    path
                })
            })
            .collect();
    }
    paths
}

fn action(path: &[Regex], transform: Option<&str>) -> Option<Action> {
    let last = path
        .iter()
        .rposition(|part| matches!(part, Regex::Group(_)));
    let (Some(last), Some(transform)) = (last, transform) else {
        // A carrier code is a group, too, but nothing is made of it.
        return Some(Action::strip(None));
    };
    let insert = transform.get(..transform.find('\\')?)?;
    let fixed = |parts: &[Regex]| {
        let lengths: Vec<_> = parts.iter().map(Regex::lengths).collect();
        lengths
            .iter()
            .all(|(least, most)| least == most)
            .then(|| lengths.iter().map(|(least, _)| least).sum())
    };
    Some(Action {
        whole: path.iter().any(Regex::is_whole),
        strip: Some(fixed(&path[..last])?),
        cut: fixed(&path[last + 1..])?,
        insert: insert.to_owned(),
    })
}

/// If several patterns match, upstream takes the first; the engine takes the longest. The oracle shows that they
/// are the same.
fn tree(actions: &[(Regex, Action)]) -> Vec<Edge<Actions>> {
    let mut automaton = Automaton::default();
    for (pattern, _) in actions {
        automaton.add(pattern, false);
    }
    let mut forest = Forest::new();
    let root = forest.add(
        &automaton,
        &|states, _| !states.is_empty(),
        &|states, depth| {
            let mut matching = Vec::new();
            for (pattern, (_, action)) in actions.iter().enumerate() {
                if automaton.accepts(states, pattern) {
                    let strip = Some(action.strip.unwrap_or(depth));
                    matching.push(Action {
                        strip,
                        ..action.clone()
                    });
                    if !action.whole {
                        break;
                    }
                }
            }
            matching.reverse();
            (!matching.is_empty()).then_some(matching)
        },
    );
    forest.tree(root)
}
