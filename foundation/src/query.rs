//! Strict reading of query strings and form bodies (`application/x-www-form-urlencoded`).

use pos_connect_protocol::ProblemCode;
use std::borrow::Cow;

/// Longest query string that is read.
pub const MAX_LENGTH: usize = 8 * 1024;
const MAX_PARAMETERS: usize = 32;

/// Why a query is not read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QueryFault {
    /// What is wrong.
    pub code: ProblemCode,
    /// With which of the known parameters.
    pub parameter: Option<&'static str>,
}

impl From<ProblemCode> for QueryFault {
    fn from(code: ProblemCode) -> Self {
        Self {
            code,
            parameter: None,
        }
    }
}

/// The parameters that an operation knows, in the order it names them.
#[derive(Debug)]
pub struct Parameters<'q, const N: usize> {
    names: [&'static str; N],
    values: [Option<Cow<'q, str>>; N],
    repeated: Option<&'static str>,
}

impl<'q, const N: usize> Parameters<'q, N> {
    /// Reads a query string; whatever has another name is ignored, but has to be well-formed all the same.
    pub fn parse(raw: &'q str, names: [&'static str; N]) -> Result<Self, QueryFault> {
        let mut parameters = Self {
            names,
            values: [const { None }; N],
            repeated: None,
        };
        for (count, pair) in raw.split('&').filter(|pair| !pair.is_empty()).enumerate() {
            if count >= MAX_PARAMETERS {
                return Err(ProblemCode::MalformedRequest.into());
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).ok_or(ProblemCode::MalformedRequest)?;
            let index = names.iter().position(|known| *known == name);
            let Some(value) = decode(value) else {
                let parameter = index.map(|index| names[index]);
                return Err(QueryFault {
                    parameter,
                    ..ProblemCode::MalformedRequest.into()
                });
            };
            if let Some(index) = index.filter(|_| !value.is_empty())
                && parameters.values[index].replace(value).is_some()
            {
                parameters.repeated.get_or_insert(names[index]);
            }
        }
        Ok(parameters)
    }

    /// The values, if each of the first `count` is there and none twice; of the rest, what is not there is empty.
    /// An empty one counts as missing (RFC 6749 §3.1).
    pub fn required(self, count: usize) -> Result<[Cow<'q, str>; N], QueryFault> {
        let missing = self.values.iter().take(count).position(Option::is_none);
        if let Some(index) = missing {
            return Err(QueryFault {
                code: ProblemCode::MissingParameter,
                parameter: Some(self.names[index]),
            });
        }
        self.once()
            .map(|values| values.map(Option::unwrap_or_default))
    }

    /// The values, if none is there twice.
    pub fn once(self) -> Result<[Option<Cow<'q, str>>; N], QueryFault> {
        match self.repeated {
            Some(name) => Err(QueryFault {
                code: ProblemCode::RepeatedParameter,
                parameter: Some(name),
            }),
            None => Ok(self.values),
        }
    }
}

/// Percent-decodes; `None` for broken encoding, bytes that must be encoded, and what is not UTF-8.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.is_ascii() {
        return None;
    }
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => hex(bytes.next()?)? << 4 | hex(bytes.next()?)?,
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(raw: &str) -> Result<[Cow<'_, str>; 2], (ProblemCode, Option<&'static str>)> {
        Parameters::parse(raw, ["a", "b"])
            .and_then(|parameters| parameters.required(2))
            .map_err(|fault| (fault.code, fault.parameter))
    }

    #[test]
    fn well_formed_queries_are_read() {
        for (raw, a, b) in [
            ("a=1&b=2", "1", "2"),
            ("b=2&a=1", "1", "2"),
            ("&a=1&&b=2&", "1", "2"),
            ("a=1&b=2&c=3&c=4&d", "1", "2"),
            ("%61=1&b=%32", "1", "2"),
            ("a=%2B+%20&b==", "+  ", "="),
            ("a=%D7%A9&b=%00%0D%0A", "ש", "\0\r\n"),
            ("a=%2525&b=%e2%80%8f", "%25", "\u{200f}"),
            ("a=&a=1&b=2", "1", "2"),
            ("A=9&a=1&b=2&a[]=7", "1", "2"),
            ("a=1;b=3&b=2", "1;b=3", "2"),
        ] {
            assert_eq!(read(raw), Ok([a.into(), b.into()]), "{raw}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        use ProblemCode::{MalformedRequest, MissingParameter, RepeatedParameter};
        let many = "x&".repeat(31) + "a=1&b=2";
        for (raw, code, parameter) in [
            ("", MissingParameter, Some("a")),
            ("a=1", MissingParameter, Some("b")),
            ("a=1&b=", MissingParameter, Some("b")),
            ("a=1&b", MissingParameter, Some("b")),
            ("a=1&a=1", MissingParameter, Some("b")),
            ("a=1&b=2&b=2", RepeatedParameter, Some("b")),
            ("a=1&%61=2&b=2", RepeatedParameter, Some("a")),
            ("a=%zz&b=2", MalformedRequest, Some("a")),
            ("a=1&b=%", MalformedRequest, Some("b")),
            ("a=1&b=%2", MalformedRequest, Some("b")),
            ("a=1&b=%+1", MalformedRequest, Some("b")),
            ("a=%ff&b=2", MalformedRequest, Some("a")),
            ("a=%C0%AF&b=2", MalformedRequest, Some("a")),
            ("a=%ED%A0%80&b=2", MalformedRequest, Some("a")),
            ("a=1&b=2&other=%zz", MalformedRequest, None),
            ("a=1&b=2&%zz", MalformedRequest, None),
            ("a=é&b=2", MalformedRequest, Some("a")),
            (many.as_str(), MalformedRequest, None),
        ] {
            assert_eq!(read(raw), Err((code, parameter)), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_never_panics(raw in any::<String>()) {
            let _ = read(&raw);
        }

        #[test]
        fn what_the_protocol_writes_is_read_back(a in ".+", b in ".+") {
            let mut url = String::new();
            pos_connect_protocol::query::append(&mut url, "a", &a);
            pos_connect_protocol::query::append(&mut url, "b", &b);
            prop_assert_eq!(read(&url[1..]), Ok([a.as_str().into(), b.as_str().into()]));
        }
    }
}
