//! A WebAssembly module whose functions still have names, taken apart.

use crate::Result;
use std::collections::HashMap;
use std::ops::Range;
use wasmparser::{BinaryReaderError, DataKind, FunctionBody, KnownCustom, Name, Operator, Parser};
use wasmparser::{DataSectionReader, NameSectionReader, Payload, TypeRef};

pub struct Function {
    pub symbol: Option<String>,
    /// Its body, and the number before it that says how long that is.
    pub bytes: u64,
}

pub struct Import {
    /// As the glue has it.
    pub field: String,
    pub symbol: Option<String>,
}

struct Segment<'a> {
    address: u64,
    data: &'a [u8],
}

#[derive(Default)]
pub struct Module<'a> {
    pub functions: Vec<Function>,
    pub imports: Vec<Import>,
    segments: Vec<Segment<'a>>,
    /// The sections, for compressing each apart.
    pub code: &'a [u8],
    pub data: &'a [u8],
    /// All of the module but code, data and names.
    pub other: Vec<u8>,
    names: HashMap<u32, String>,
}

fn unreadable(error: BinaryReaderError) -> String {
    format!("the module cannot be read: {error}")
}

impl<'a> Module<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut module = Self::default();
        let mut sections = Vec::new();
        let mut bodies = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(unreadable)?;
            if let Some((_, range)) = payload.as_section() {
                sections.push((kind(&payload), range));
            }
            match payload {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import.map_err(unreadable)?;
                        if matches!(import.ty, TypeRef::Func(_)) {
                            let (field, symbol) = (import.name.to_owned(), None);
                            module.imports.push(Import { field, symbol });
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(length(&body)),
                Payload::DataSection(section) => module.segments = segments(section)?,
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(names) = section.as_known() {
                        module.names = function_names(names)?;
                    }
                }
                _ => {}
            }
        }
        module.cut(bytes, &sections);
        module.name(bodies)?;
        Ok(module)
    }

    /// Each section goes with its header, so that the parts add up to the file.
    fn cut(&mut self, bytes: &'a [u8], sections: &[(Kind, Range<u64>)]) {
        let mut begins = 0;
        for (kind, range) in sections {
            let part = bytes.get(begins..range.end as usize).unwrap_or_default();
            begins = range.end as usize;
            match kind {
                Kind::Code => self.code = part,
                Kind::Data => self.data = part,
                Kind::Names => {}
                Kind::Other => self.other.extend(part),
            }
        }
    }

    /// The imported functions are numbered first.
    fn name(&mut self, bodies: Vec<u64>) -> Result<()> {
        if self.names.is_empty() {
            return Err(
                "the module has no name section: does its profile strip more than debuginfo?"
                    .to_owned(),
            );
        }
        let mut symbols = (0..).map(|index| self.names.remove(&index));
        for import in &mut self.imports {
            import.symbol = symbols.next().flatten();
        }
        for (bytes, symbol) in bodies.into_iter().zip(symbols) {
            self.functions.push(Function { symbol, bytes });
        }
        Ok(())
    }

    /// The data but for `text`, which must be there. Linkers and optimizers leave out zeros, and cut segments there.
    pub fn data_without(&self, text: &[u8]) -> Result<Vec<u8>> {
        let end = |segment: &Segment| segment.address as usize + segment.data.len();
        let mut memory = vec![0; self.segments.iter().map(end).max().unwrap_or_default()];
        for segment in &self.segments {
            memory[segment.address as usize..end(segment)].copy_from_slice(segment.data);
        }
        let begins = memory
            .windows(text.len())
            .position(|window| window == text)
            .ok_or("the table of phone numbers is not in the module's data")?;
        let found = begins..begins + text.len();
        let mut rest = Vec::new();
        for segment in &self.segments {
            let bytes = (segment.address as usize..).zip(segment.data);
            rest.extend(
                bytes
                    .filter(|(at, _)| !found.contains(at))
                    .map(|(_, byte)| *byte),
            );
        }
        Ok(rest)
    }

    /// The data's bytes, without what says where they go.
    pub fn data_bytes(&self) -> u64 {
        self.segments
            .iter()
            .map(|segment| segment.data.len() as u64)
            .sum()
    }
}

enum Kind {
    Code,
    Data,
    Names,
    Other,
}

fn kind(payload: &Payload) -> Kind {
    match payload {
        Payload::CodeSectionStart { .. } => Kind::Code,
        Payload::DataSection(_) => Kind::Data,
        Payload::CustomSection(section) if section.name() == "name" => Kind::Names,
        _ => Kind::Other,
    }
}

fn length(body: &FunctionBody) -> u64 {
    let Range { start, end } = body.range();
    let bytes = end - start;
    // LEB128: seven bits a byte.
    let digits = (u64::BITS - bytes.leading_zeros()).div_ceil(7).max(1);
    bytes + u64::from(digits)
}

fn segments(section: DataSectionReader<'_>) -> Result<Vec<Segment<'_>>> {
    let mut segments = Vec::new();
    for item in section {
        let item = item.map_err(unreadable)?;
        if let DataKind::Active { offset_expr, .. } = &item.kind {
            let first = offset_expr.get_operators_reader().read();
            let Operator::I32Const { value } = first.map_err(unreadable)? else {
                return Err("a data segment has no fixed address".to_owned());
            };
            segments.push(Segment {
                address: u64::from(value.cast_unsigned()),
                data: item.data,
            });
        }
    }
    Ok(segments)
}

fn function_names(section: NameSectionReader) -> Result<HashMap<u32, String>> {
    let mut names = HashMap::new();
    for part in section {
        if let Name::Function(functions) = part.map_err(unreadable)? {
            for naming in functions {
                let naming = naming.map_err(unreadable)?;
                names.insert(naming.index, naming.name.to_owned());
            }
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Imports a function, has one of its own, and four bytes at address 8.
    const SMALL: &[u8] = b"\0asm\x01\0\0\0\
        \x01\x04\x01\x60\0\0\
        \x02\x07\x01\x01a\x01b\0\0\
        \x03\x02\x01\0\
        \x05\x03\x01\0\x01\
        \x0a\x04\x01\x02\0\x0b\
        \x0b\x0a\x01\0\x41\x08\x0b\x04wxyz";
    const NAMES: &[u8] = b"\0\x10\x04name\x01\x09\x02\0\x02im\x01\x02fn";

    #[test]
    fn the_parts_add_up_to_the_module_without_its_names() {
        let bytes = [SMALL, NAMES].concat();
        let module = Module::read(&bytes).unwrap();
        assert_eq!(
            module.code.len() + module.data.len() + module.other.len(),
            SMALL.len()
        );
        assert_eq!(module.code.len(), 6);
        let [function] = module.functions.as_slice() else {
            panic!("not one function");
        };
        assert_eq!(
            (function.symbol.as_deref(), function.bytes),
            (Some("fn"), 3)
        );
        let [import] = module.imports.as_slice() else {
            panic!("not one import");
        };
        assert_eq!(
            (import.field.as_str(), import.symbol.as_deref()),
            ("b", Some("im"))
        );
    }

    #[test]
    fn the_data_is_told_from_what_is_known_of_it() {
        let bytes = [SMALL, NAMES].concat();
        let module = Module::read(&bytes).unwrap();
        assert_eq!(module.data_bytes(), 4);
        assert_eq!(module.data_without(b"xy"), Ok(b"wz".to_vec()));
        assert!(module.data_without(b"yx").is_err());
    }

    #[test]
    fn a_module_without_names_is_refused() {
        assert!(Module::read(SMALL).is_err());
    }
}
