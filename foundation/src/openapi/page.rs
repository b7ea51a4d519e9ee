//! The document as a page.

use super::{About, Answer, Body, Operation};
use askama::Template;
use serde_json::Value;

/// An object of the bodies, for people.
struct Shape {
    name: String,
    about: String,
    members: Vec<Member>,
}

struct Member {
    name: String,
    kind: String,
    required: bool,
    about: String,
}

#[derive(Template)]
#[template(path = "openapi.html")]
pub(super) struct Page<'a> {
    about: &'a About,
    operations: &'a [Operation],
    schemas: Vec<Shape>,
}

impl<'a> Page<'a> {
    pub(super) fn of(
        about: &'a About,
        operations: &'a [Operation],
        schemas: &Value,
    ) -> Result<String, String> {
        let page = Self {
            about,
            operations,
            schemas: shapes(schemas),
        };
        page.render().map_err(|error| error.to_string())
    }
}

impl Body {
    /// The name of its schema.
    fn shape(&self) -> Option<String> {
        reference(&self.schema)
    }
}

impl Answer {
    /// The name of its body's schema.
    fn shape(&self) -> Option<String> {
        let (_, schema) = self.body.as_ref()?;
        reference(schema)
    }
}

fn shapes(schemas: &Value) -> Vec<Shape> {
    let all = schemas.as_object().into_iter().flatten();
    all.map(|(name, schema)| Shape {
        name: name.clone(),
        about: text(schema, "description"),
        members: members(schema),
    })
    .collect()
}

fn members(schema: &Value) -> Vec<Member> {
    let required = |name: &str| {
        let names = schema["required"].as_array().into_iter().flatten();
        names.into_iter().any(|known| known == name)
    };
    if let Some(members) = schema["properties"].as_object() {
        let member = |(name, schema): (&String, &Value)| Member {
            name: name.clone(),
            kind: kind(schema),
            required: required(name),
            about: text(schema, "description"),
        };
        return members.iter().map(member).collect();
    }
    // The words of an enumeration.
    let words = schema["oneOf"].as_array().into_iter().flatten();
    let word = |schema: &Value| Member {
        name: text(schema, "const"),
        kind: "word".into(),
        required: false,
        about: text(schema, "description"),
    };
    words.map(word).collect()
}

/// `string`, `list of OrderLine`, `Order`.
fn kind(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return name;
    }
    let first = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match first {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some(kind) => kind.to_owned(),
        None => String::new(),
    }
}

/// The name of the schema that is meant, alone or as one of several.
fn reference(schema: &Value) -> Option<String> {
    let several = ["anyOf", "allOf"].into_iter();
    let several = several.filter_map(|name| schema[name].as_array()).flatten();
    let mut all = std::iter::once(schema).chain(several);
    let path = all.find_map(|schema| schema["$ref"].as_str())?;
    path.rsplit('/').next().map(str::to_owned)
}

fn text(schema: &Value, name: &str) -> String {
    schema[name].as_str().unwrap_or_default().to_owned()
}
