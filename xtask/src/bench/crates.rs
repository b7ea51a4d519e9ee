//! What each crate costs in the module that ships, and in its glue.

use super::glue;
use super::module::Module;
use super::origin::{self, Origin};
use crate::{Result, command, files, repo, size, tool};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const PHONE_TABLE: &str = "data: table of phone numbers";
const CONSTANTS: &str = "data: texts and constants";
const SECTIONS: &str = "types, imports, exports, headers";

#[derive(Clone, Copy, Default)]
struct Cost {
    functions: u64,
    /// Of the module.
    bytes: u64,
    imports: u64,
    /// Of the glue.
    glue: u64,
    /// Estimated, of both.
    brotli: f64,
}

type Costs = BTreeMap<Origin, Cost>;

/// Some part of the download, raw and compressed on its own.
struct Part {
    raw: u64,
    brotli: f64,
}

impl Part {
    /// The same share of the compressed bytes as of the raw ones.
    fn share(&self, bytes: u64) -> f64 {
        bytes as f64 * self.brotli / self.raw.max(1) as f64
    }
}

/// Takes apart what cargo compiled last: the module as published. `shipped` is the same one without its names.
pub fn report(shipped: &Path) -> Result<()> {
    let folder = repo::made("bench-wasm/names");
    let named = with_names(&folder)?;
    let bytes = files::read(&named)?;
    let module = Module::read(&bytes)?;
    let mut costs = Costs::new();
    of_module(&mut costs, &module, &folder)?;
    let whole = (module.code.len() + module.data.len() + module.other.len()) as u64;
    let counted: u64 = costs.values().map(|cost| cost.bytes).sum();
    assert_eq!(counted, whole, "the rows do not add up to the module");
    let glue = of_glue(&mut costs, &module, &folder)?;
    let counted: u64 = costs.values().map(|cost| cost.glue).sum();
    assert_eq!(counted, glue.raw, "the rows do not add up to the glue");
    print(&costs);
    let shipped = (
        files::read(shipped)?.len() as u64,
        bytes.len() as u64 - whole,
    );
    println!(
        "measured on the module as published before its names go: {whole} bytes and {} of names; published: {}",
        shipped.1, shipped.0
    );
    println!("brotli is an estimate: of code and of glue the same share as of their raw bytes");
    println!(
        "an inlined function counts for its caller, a generic one for the crate that wrote it"
    );
    println!("glue is counted before the bundler minifies it, and compressed after");
    Ok(())
}

/// The last steps of wasm-pack, told to keep the names; gives the module.
fn with_names(folder: &Path) -> Result<PathBuf> {
    let metadata = metadata()?;
    let target = metadata["target_directory"].as_str().unwrap_or_default();
    let compiled = Path::new(target).join("wasm32-unknown-unknown/wasm-release/pos_connect.wasm");
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages
        .into_iter()
        .find(|package| package["name"] == "pos-connect");
    let options =
        package.map(|package| &package["metadata"]["wasm-pack"]["profile"]["custom"]["wasm-opt"]);
    let options = options
        .and_then(Value::as_array)
        .ok_or("Cargo.toml says no options for wasm-opt")?;
    let path = tool::for_wasm()?;
    files::remove(folder)?;
    let mut bindgen = Command::new("wasm-bindgen");
    bindgen
        .env("PATH", &path)
        .args("--target web --no-typescript --no-demangle --omit-default-module-path".split(' '))
        .args("--out-name pos_connect --out-dir".split(' '))
        .args([folder, &compiled]);
    command::run(&mut bindgen)?;
    let module = folder.join("named.wasm");
    let mut optimizer = Command::new("wasm-opt");
    optimizer
        .env("PATH", &path)
        .args([
            &folder.join("pos_connect_bg.wasm"),
            Path::new("-o"),
            &module,
        ])
        .args(options.iter().filter_map(Value::as_str))
        .arg("-g");
    command::run(&mut optimizer)?;
    Ok(module)
}

fn metadata() -> Result<Value> {
    let text =
        command::output(command::cargo().args("metadata --no-deps --format-version 1".split(' ')))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn of_module(costs: &mut Costs, module: &Module, folder: &Path) -> Result<()> {
    let phone_table = files::read(&repo::root().join("phone/src/table.bin"))?;
    let constants = module.data_without(&phone_table)?;
    let whole = [module.code, module.data, &module.other].concat();
    let whole = part(folder, "whole", &whole)?;
    let mut parts = [
        part(folder, "code", module.code)?,
        part(folder, "constants", &constants)?,
        part(folder, "table", &phone_table)?,
        part(folder, "other", &module.other)?,
    ];
    // Compressed apart they are a little more than together.
    let apart: f64 = parts.iter().map(|part| part.brotli).sum();
    for part in &mut parts {
        part.brotli *= whole.brotli / apart;
    }
    let [code, constants, table, other] = parts;
    let mut bodies = 0;
    for function in &module.functions {
        let origin = Origin::of_symbol(function.symbol.as_deref());
        let cost = costs.entry(origin).or_default();
        cost.functions += 1;
        cost.bytes += function.bytes;
        cost.brotli += code.share(function.bytes);
        bodies += function.bytes;
    }
    let data = module.data_bytes();
    let headers = code.raw - bodies;
    for (name, bytes, brotli) in [
        (PHONE_TABLE, data - constants.raw, table.brotli),
        (CONSTANTS, constants.raw, constants.brotli),
        (
            SECTIONS,
            other.raw + headers + module.data.len() as u64 - data,
            other.brotli + code.share(headers),
        ),
    ] {
        let cost = costs.entry(Origin::of(name)).or_default();
        cost.bytes += bytes;
        cost.brotli += brotli;
    }
    Ok(())
}

fn of_glue(costs: &mut Costs, module: &Module, folder: &Path) -> Result<Part> {
    let text = files::read_text(&folder.join("pos_connect.js"))?;
    let sizes = glue::imports(&text);
    let snippets = if folder.join("snippets").is_dir() {
        files::list(&folder.join("snippets"))?
    } else {
        Vec::new()
    };
    let mut own = 0;
    for snippet in &snippets {
        own += files::read(&folder.join("snippets").join(snippet))?.len() as u64;
    }
    let part = Part {
        raw: text.len() as u64 + own,
        brotli: minified(folder, &snippets)?,
    };
    let mut rest = text.len() as u64;
    for import in &module.imports {
        let bytes = sizes.get(&import.field).copied().unwrap_or_default();
        let cost = costs
            .entry(Origin::of_symbol(import.symbol.as_deref()))
            .or_default();
        cost.imports += 1;
        add_glue(cost, &part, bytes);
        rest -= bytes;
    }
    add_glue(
        costs.entry(Origin::of(origin::BINDGEN)).or_default(),
        &part,
        rest,
    );
    add_glue(costs.entry(Origin::own_scripts()).or_default(), &part, own);
    Ok(part)
}

fn add_glue(cost: &mut Cost, part: &Part, bytes: u64) {
    cost.glue += bytes;
    cost.brotli += part.share(bytes);
}

/// The glue and our own JavaScript, minified as the bundler does it: bytes of brotli.
fn minified(folder: &Path, snippets: &[PathBuf]) -> Result<f64> {
    let mut esbuild = Command::new("esbuild");
    esbuild
        .current_dir(folder)
        .env("PATH", tool::for_wasm()?)
        .args("--minify --format=esm --target=es2022 --charset=utf8 --log-level=error".split(' '))
        .args(["--outdir=minified", "--outbase=.", "pos_connect.js"])
        .args(
            snippets
                .iter()
                .map(|snippet| Path::new("snippets").join(snippet)),
        );
    command::run(&mut esbuild)?;
    let minified = folder.join("minified");
    let mut together = Vec::new();
    for file in files::list(&minified)? {
        together.extend(files::read(&minified.join(file))?);
    }
    Ok(part(folder, "glue", &together)?.brotli)
}

fn part(folder: &Path, name: &str, bytes: &[u8]) -> Result<Part> {
    let name = format!("part-{name}");
    files::write(&folder.join(&name), bytes)?;
    Ok(Part {
        raw: bytes.len() as u64,
        brotli: size::brotli(folder, &name)? as f64,
    })
}

fn print(costs: &Costs) {
    let total = sum(costs.values());
    let mut groups: Vec<(&str, Vec<(&Origin, &Cost)>)> = Vec::new();
    for (origin, cost) in costs {
        match groups.last_mut() {
            Some((group, members)) if *group == origin.group => members.push((origin, cost)),
            _ => groups.push((&origin.group, vec![(origin, cost)])),
        }
    }
    groups.sort_by(|(_, a), (_, b)| brotli_of(b).total_cmp(&brotli_of(a)));
    println!("\nthe module and its glue, by crate");
    println!(
        "{:<44}{:>10}{:>10}{:>9}{:>8}{:>9}{:>8}",
        "", "functions", "module", "imports", "glue", "brotli", "share"
    );
    for (group, mut members) in groups {
        row(group, &sum(members.iter().map(|(_, cost)| *cost)), &total);
        members.sort_by(|(_, a), (_, b)| b.brotli.total_cmp(&a.brotli));
        for (origin, cost) in members {
            if let Some(module) = &origin.module {
                row(&format!("  {module}"), cost, &total);
            }
        }
    }
    row("in total", &total, &total);
}

fn brotli_of(members: &[(&Origin, &Cost)]) -> f64 {
    members.iter().map(|(_, cost)| cost.brotli).sum()
}

fn sum<'a>(costs: impl Iterator<Item = &'a Cost>) -> Cost {
    costs.fold(Cost::default(), |a, b| Cost {
        functions: a.functions + b.functions,
        bytes: a.bytes + b.bytes,
        imports: a.imports + b.imports,
        glue: a.glue + b.glue,
        brotli: a.brotli + b.brotli,
    })
}

fn row(name: &str, cost: &Cost, total: &Cost) {
    println!(
        "  {name:<42}{:>10}{:>10}{:>9}{:>8}{:>9.0}{:>7.1}%",
        cost.functions,
        cost.bytes,
        cost.imports,
        cost.glue,
        cost.brotli,
        100.0 * cost.brotli / total.brotli
    );
}
