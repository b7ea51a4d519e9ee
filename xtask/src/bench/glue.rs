//! The JavaScript that wasm-bindgen writes for the module's imports.

use std::collections::HashMap;

const BEGIN: &str = "function __wbg_get_imports(";

/// The bytes of each import's function, by its name.
pub fn imports(glue: &str) -> HashMap<String, u64> {
    let mut sizes = HashMap::new();
    let object = glue.split_once(BEGIN).map_or("", |(_, object)| object);
    let mut name = None;
    for line in object.lines().take_while(|line| *line != "}") {
        // A line of the object itself, not of a function in it.
        let member = line
            .strip_prefix("        ")
            .filter(|rest| !rest.starts_with([' ', '}']));
        if let Some((found, _)) = member.and_then(|rest| rest.split_once(": ")) {
            name = Some(found.to_owned());
        }
        if let Some(name) = &name {
            *sizes.entry(name.clone()).or_default() += line.len() as u64 + 1;
        }
        if line.starts_with("        }") {
            name = None;
        }
    }
    sizes.remove("__proto__");
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = r#"import { a } from './snippets/a.js';
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        __wbg_get_1: function(arg0) {
            const options = {
                a: 1,
            };
            return arg0;
        },
        __wbg_set_2: function() { return logError(function (arg0) {
            return arg0;
        }, arguments); },
    };
    return {
        "./pos_connect_bg.js": import0,
    };
}
function helper() {}
"#;

    #[test]
    fn each_import_has_its_lines() {
        let sizes = imports(GLUE);
        let line = |number: usize| {
            GLUE.lines()
                .nth(number)
                .map_or(0, |line| line.len() as u64 + 1)
        };
        assert_eq!(sizes["__wbg_get_1"], (4..10).map(line).sum::<u64>());
        assert_eq!(sizes["__wbg_set_2"], (10..13).map(line).sum::<u64>());
        assert_eq!(
            sizes.keys().filter(|name| name.starts_with("__")).count(),
            2
        );
    }
}
