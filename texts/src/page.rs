//! All texts as a page that a translator can check.

use crate::{Connect, Frame, Keypad, Language, Receipt, connect, frame, keypad, receipt};

/// A table of texts, for the page.
pub struct Surface {
    /// Heads it.
    pub heading: &'static str,
    /// What stands in a text for a name or a number.
    pub blank: &'static str,
    about: &'static str,
    /// Its texts.
    pub rows: Vec<Row>,
}

/// A text: its name, where it appears, and what it is in a language.
pub type Row = (
    &'static str,
    &'static str,
    Box<dyn Fn(Language) -> &'static str>,
);

macro_rules! rows {
    ($module:ident, $table:ident) => {
        $module::TextKey::ALL
            .into_iter()
            .map(|word| -> Row {
                let text = move |language| $table::of(language).get(word);
                (word.name(), word.place(), Box::new(text))
            })
            .collect()
    };
}

/// Every table.
pub fn surfaces() -> [Surface; 4] {
    [
        Surface {
            heading: "The keypad",
            blank: "#",
            about: "`#` stands for a number, or for seconds. The names are those of `ReceiptLabels`.",
            rows: rows!(keypad, Keypad),
        },
        Surface {
            heading: "The connect dialog",
            blank: "#",
            about: "`#` stands for the four digits. The names are those of `FrameLabels`.",
            rows: rows!(frame, Frame),
        },
        Surface {
            heading: "The connect page",
            blank: "{}",
            about: "`{}` stands for a name, an email address or minutes.",
            rows: rows!(connect, Connect),
        },
        Surface {
            heading: "The receipt and its text message",
            blank: "{}",
            about: "`{}` stands for the name of the store, or a day.",
            rows: rows!(receipt, Receipt),
        },
    ]
}

const HEAD: &str = "\
# Texts

This page has all that shoppers and merchants read. `texts/src` has a file for each language: change the texts there.
";

/// The page.
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    for surface in surfaces() {
        for text in ["\n## ", surface.heading, "\n\n", surface.about, "\n\n"] {
            page.push_str(text);
        }
        let names = Language::ALL.map(Language::own_name);
        row(&mut page, &["name", "where it appears"], &names);
        page.push_str(&"|---".repeat(2 + Language::ALL.len()));
        page.push_str("|\n");
        for (name, place, text) in surface.rows {
            let name = ["`", name, "`"].concat();
            row(&mut page, &[&name, place], &Language::ALL.map(text));
        }
    }
    page
}

fn row(page: &mut String, first: &[&str], then: &[&str]) {
    for cell in first.iter().chain(then) {
        page.push_str("| ");
        page.push_str(cell);
        page.push(' ');
    }
    page.push_str("|\n");
}
