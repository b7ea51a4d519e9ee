//! Reads the bodies that a client sends (extension): strictly, member by member, so that the one that is wrong can be
//! named. A misspelled member would otherwise be dropped in silence.

use crate::json::Json;
use crate::problem::ProblemCode;
use crate::text::is_control;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Longest pointer that an answer repeats, in characters: the names in it are the caller's.
const LONGEST_POINTER: usize = 200;

/// Money is never a fraction: 11.91 is 1191 cents.
const AMOUNT: &str = "a whole number in the currency's smallest unit, such as 1191 for 11.91";

/// Members of one object that are looked at. No body of ours has a tenth of them, and each is compared with all others.
const MOST_MEMBERS: usize = 100;

/// Why a body is refused, and which member is to blame.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BodyFault {
    /// [`ProblemCode::MissingMember`], `UnknownMember`, `RepeatedMember` or `InvalidMember`.
    pub code: ProblemCode,
    /// The member, as a JSON pointer (RFC 6901): `/lines/0/amount`; `""` for the whole body.
    pub pointer: String,
    /// What the member must be: `a whole number`. Empty if the code says it all.
    pub rule: Cow<'static, str>,
}

impl BodyFault {
    /// A member that is not what it must be.
    pub fn invalid(pointer: &str, rule: impl Into<Cow<'static, str>>) -> Self {
        Self {
            rule: rule.into(),
            ..Self::new(ProblemCode::InvalidMember, pointer)
        }
    }

    /// A member that this code says all about.
    pub fn new(code: ProblemCode, pointer: &str) -> Self {
        let pointer = pointer.chars().take(LONGEST_POINTER).collect();
        Self {
            code,
            pointer,
            rule: Cow::Borrowed(""),
        }
    }
}

/// The members of one object. Every method names the member that it reads; [`Members::end`] refuses all others.
pub struct Members<'j> {
    pointer: String,
    members: &'j [(String, Json)],
    known: Vec<&'static str>,
}

impl<'j> Members<'j> {
    /// The members of an object at this place of the body. Fails if one is repeated.
    pub fn of(json: &'j Json, pointer: &str) -> Result<Self, BodyFault> {
        let Json::Object(members) = json else {
            return Err(BodyFault::invalid(pointer, "an object"));
        };
        if let Some((name, _)) = members.get(MOST_MEMBERS) {
            let pointer = joined(pointer, name);
            return Err(BodyFault::new(ProblemCode::UnknownMember, &pointer));
        }
        for (at, (name, _)) in members.iter().enumerate() {
            if members[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(BodyFault::new(
                    ProblemCode::RepeatedMember,
                    &joined(pointer, name),
                ));
            }
        }
        Ok(Self {
            pointer: pointer.to_owned(),
            members,
            known: Vec::new(),
        })
    }

    /// Where a member is.
    pub fn pointer(&self, name: &str) -> String {
        joined(&self.pointer, name)
    }

    /// That a member which was read is not what it must be.
    pub fn invalid(&self, name: &str, rule: impl Into<Cow<'static, str>>) -> BodyFault {
        BodyFault::invalid(&self.pointer(name), rule)
    }

    /// A member that may be absent, or `null`, which means the same.
    pub fn optional(&mut self, name: &'static str) -> Option<&'j Json> {
        self.given(name).filter(|value| **value != Json::Null)
    }

    /// A member that may be absent; `null` is a value of it.
    pub fn given(&mut self, name: &'static str) -> Option<&'j Json> {
        self.known.push(name);
        let found = self.members.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// A member that must be there.
    pub fn required(&mut self, name: &'static str) -> Result<&'j Json, BodyFault> {
        let found = self.optional(name);
        found.ok_or_else(|| BodyFault::new(ProblemCode::MissingMember, &self.pointer(name)))
    }

    /// A text of 1 to `longest` characters without control characters.
    pub fn text(&mut self, name: &'static str, longest: usize) -> Result<String, BodyFault> {
        let value = self.required(name)?;
        self.checked_text(name, value, longest)
    }

    /// Likewise, if it is there.
    pub fn optional_text(
        &mut self,
        name: &'static str,
        longest: usize,
    ) -> Result<Option<String>, BodyFault> {
        let value = self.optional(name);
        value
            .map(|value| self.checked_text(name, value, longest))
            .transpose()
    }

    /// An amount of money: any integer of 64 bits.
    pub fn amount(&mut self, name: &'static str) -> Result<i64, BodyFault> {
        self.required(name)?;
        self.optional_amount(name).map(Option::unwrap_or_default)
    }

    /// Likewise, if it is there.
    pub fn optional_amount(&mut self, name: &'static str) -> Result<Option<i64>, BodyFault> {
        match self.optional(name) {
            None => Ok(None),
            Some(Json::Integer(value)) => Ok(Some(*value)),
            Some(_) => Err(self.invalid(name, AMOUNT)),
        }
    }

    /// `true` or `false`; absent is `false`.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, BodyFault> {
        match self.optional(name) {
            None => Ok(false),
            Some(Json::Bool(value)) => Ok(*value),
            Some(_) => Err(self.invalid(name, "true or false")),
        }
    }

    /// Reads each item of a list with `count` items.
    pub fn list<T>(
        &mut self,
        name: &'static str,
        count: RangeInclusive<usize>,
        read: impl Fn(&Json, &str) -> Result<T, BodyFault>,
    ) -> Result<Vec<T>, BodyFault> {
        let items = match self.required(name)? {
            Json::List(items) if count.contains(&items.len()) => items,
            _ => {
                let rule = format!("a list of {} to {} items", count.start(), count.end());
                return Err(self.invalid(name, rule));
            }
        };
        let pointer = self.pointer(name);
        let items = items.iter().enumerate();
        items
            .map(|(at, item)| read(item, &format!("{pointer}/{at}")))
            .collect()
    }

    /// Reads an object, if it is there.
    pub fn optional_object<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Json, &str) -> Result<T, BodyFault>,
    ) -> Result<Option<T>, BodyFault> {
        let value = self.optional(name);
        value
            .map(|value| read(value, &self.pointer(name)))
            .transpose()
    }

    /// Refuses a member that nothing has read.
    pub fn end(self) -> Result<(), BodyFault> {
        let unknown = self
            .members
            .iter()
            .find(|(name, _)| !self.known.contains(&name.as_str()));
        match unknown {
            Some((name, _)) => Err(BodyFault::new(
                ProblemCode::UnknownMember,
                &self.pointer(name),
            )),
            None => Ok(()),
        }
    }

    fn checked_text(&self, name: &str, value: &Json, longest: usize) -> Result<String, BodyFault> {
        match value {
            Json::Text(text) if is_text(text, longest) => Ok(text.clone()),
            _ => {
                let rule =
                    format!("a text of 1 to {longest} characters, without control characters");
                Err(self.invalid(name, rule))
            }
        }
    }
}

/// Whether a text has 1 to `longest` characters, none of them a control character.
pub fn is_text(text: &str, longest: usize) -> bool {
    let length = text.chars().count();
    (1..=longest).contains(&length) && !text.contains(is_control)
}

/// RFC 6901 §3: `~` and `/` in a name are escaped.
pub fn joined(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<(String, Vec<i64>, bool), BodyFault> {
        let json: Json = serde_json::from_str(body).unwrap();
        let mut members = Members::of(&json, "")?;
        let item = |json: &Json, pointer: &str| Members::of(json, pointer)?.amount("n");
        let all = (
            members.text("name", 3)?,
            members.list("items", 1..=2, item)?,
            members.flag("on")?,
        );
        members.end()?;
        Ok(all)
    }

    #[test]
    fn what_is_right_is_read() {
        let body = r#"{"items":[{"n":1.0},{"n":9}],"name":"שלו","on":null}"#;
        assert_eq!(read(body), Ok(("שלו".to_owned(), vec![1, 9], false)));
    }

    #[test]
    fn the_member_that_is_wrong_is_named() {
        use ProblemCode::{InvalidMember, MissingMember, RepeatedMember, UnknownMember};
        for (members, code, pointer) in [
            ("", MissingMember, "/name"),
            (r#""name":null"#, MissingMember, "/name"),
            (r#""name":"""#, InvalidMember, "/name"),
            (r#""name":"abcd""#, InvalidMember, "/name"),
            (r#""name":"a\n""#, InvalidMember, "/name"),
            (r#""name":1"#, InvalidMember, "/name"),
            (r#""name":"a""#, MissingMember, "/items"),
            (r#"GOOD,"items":[]"#, InvalidMember, "/items"),
            (r#"GOOD,"items":{}"#, InvalidMember, "/items"),
            (r#"GOOD,"items":[1]"#, InvalidMember, "/items/0"),
            (
                r#"GOOD,"items":[ONE,{"n":"1"}]"#,
                InvalidMember,
                "/items/1/n",
            ),
            (r#"GOOD,"items":[{"n":1.5}]"#, InvalidMember, "/items/0/n"),
            (
                r#"GOOD,"items":[{"n":1,"n":1}]"#,
                RepeatedMember,
                "/items/0/n",
            ),
            (r#"GOOD,"items":[ONE],"on":1"#, InvalidMember, "/on"),
            (r#"GOOD,"items":[ONE],"a/b~c":1"#, UnknownMember, "/a~1b~0c"),
        ] {
            let members = members
                .replace("GOOD", r#""name":"a""#)
                .replace("ONE", r#"{"n":1}"#);
            let body = format!("{{{members}}}");
            let fault = read(&body).unwrap_err();
            assert_eq!((fault.code, &*fault.pointer), (code, pointer), "{body}");
            assert_eq!(fault.rule.is_empty(), code != InvalidMember, "{body}");
        }
        let fault = read("[]").unwrap_err();
        assert_eq!((fault.code, &*fault.pointer), (InvalidMember, ""));
    }

    #[test]
    fn a_long_name_is_cut_short() {
        let body = format!(
            r#"{{"name":"a","items":[{{"n":1}}],"{}":1}}"#,
            "é".repeat(999)
        );
        let fault = read(&body).unwrap_err();
        assert_eq!(fault.pointer.chars().count(), LONGEST_POINTER);
    }

    /// A megabyte of members would otherwise take the service minutes.
    #[test]
    fn an_object_with_very_many_members_is_refused_at_once() {
        let members: Vec<String> = (0..130_000).map(|n| format!("\"{n}\":1")).collect();
        let body = format!("{{{}}}", members.join(","));
        let fault = read(&body).unwrap_err();
        // Whoever had compared them all would miss the name.
        assert_eq!(
            (fault.code, &*fault.pointer),
            (ProblemCode::UnknownMember, "/100")
        );
    }
}
