//! Reads `region<TAB>input` lines and prints what the SDK makes of each, as a line of JSON: for `compare.py`.

use pos_connect::phone::{self, Phone, Region};
use serde_json::json;
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some((region, input)) = line.split_once('\t') else {
            return Err(io::Error::other("a line without a tab"));
        };
        let phone = phone::parse(input, Region::parse(region));
        writeln!(out, "{}", answer(&phone))?;
    }
    out.flush()
}

fn answer(phone: &Phone) -> String {
    json!([
        phone.verdict.as_str(),
        phone.e164,
        phone.national,
        phone.international,
        phone.region.map(Region::code),
        phone.kind.map(phone::Kind::as_str),
        phone.e164.as_ref().and(phone.extension.as_deref()),
    ])
    .to_string()
}
