//! `cargo xtask docs`: the pages of `docs/` as a site, and what is made for them from the demo: its picture, and
//! what a screen reader says of it. The texts come from the code.

mod llms;
mod shown;

use crate::args::Args;
use crate::{Result, command, files, npm, package, repo, simulation, tool};
use pos_connect_texts::page;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(mut args: Args) -> Result<()> {
    let [picture, speech, texts] = ["--picture", "--speech", "--texts"].map(|name| args.flag(name));
    let screens = args.flag("--screens");
    args.finish()?;
    if texts {
        let texts = repo::made("texts.md");
        files::write(&texts, page::markdown())?;
        println!("docs: open {}", texts.display());
    }
    if picture {
        shown::picture()?;
    }
    if speech {
        shown::speech()?;
    }
    if screens {
        shown::screens()?;
    }
    if texts || picture || speech || screens {
        return Ok(());
    }
    println!("docs: open {}", build()?.join("index.html").display());
    Ok(())
}

/// The folder of the site that no page of `docs/` is in.
const REFERENCE: &str = "reference";

/// Makes the site, and gives its folder. A warning of mdBook's is an error.
pub fn build() -> Result<PathBuf> {
    let docs = repo::root().join("docs");
    check_links(&docs)?;
    let mdbook = tool::install(&tool::MDBOOK)?;
    let site = repo::made("site");
    // mdBook leaves what an earlier book had.
    files::remove(&site)?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&docs).arg("--dest-dir").arg(&site);
    let (log, result) = command::watch(&mut build)?;
    result?;
    if let Some(warning) = log.lines().find(|line| line.contains(" WARN ")) {
        return Err(format!("mdBook warns: {}", warning.trim()));
    }
    // Over the sources that mdBook has copied.
    package::build()?;
    simulation::assemble(&site.join("try"))?;
    llms::write(&docs, &site)?;
    write_reference(&site.join(REFERENCE))?;
    Ok(site)
}

/// The public API, from the declarations of the package. A name that they use and do not export is an error.
fn write_reference(folder: &Path) -> Result<()> {
    let tools = repo::root().join("xtask/typedoc");
    npm::install(&tools)?;
    let mut typedoc = Command::new("node");
    typedoc
        .current_dir(&tools)
        .args("node_modules/typedoc/bin/typedoc --logLevel Warn --out".split(' '))
        .arg(folder);
    command::run(&mut typedoc)
}

/// mdBook does not look where a link goes. A file outside of `docs/` is not in the site.
fn check_links(docs: &Path) -> Result<()> {
    let files = files::list(docs)?;
    let mut dead = Vec::new();
    for page in files.iter().filter(|file| is_page(file)) {
        let text = files::read_text(&docs.join(page))?;
        dead.extend(
            targets(&text)
                .filter(|target| !files.contains(&PathBuf::from(target)))
                .filter(|target| !Path::new(target).starts_with(REFERENCE))
                .map(|target| format!("  {}: {target}", page.display())),
        );
    }
    if dead.is_empty() {
        return Ok(());
    }
    Err(format!(
        "links to what is not in docs/:\n{}",
        dead.join("\n")
    ))
}

fn is_page(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "md")
}

/// The files that a page links to, and its pictures.
fn targets(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    page.lines()
        .filter(move |line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence
        })
        .flat_map(|line| between(line, "](", ')').chain(between(line, "src=\"", '"')))
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split_once('#').map_or(target, |(file, _)| file))
}

fn between<'a>(line: &'a str, start: &'a str, end: char) -> impl Iterator<Item = &'a str> {
    line.split(start)
        .skip(1)
        .filter_map(move |rest| rest.split_once(end).map(|(target, _)| target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_pictures_are_found_and_code_is_not() {
        let page = "[a](a.md#part), [b](../B.md) [c](https://c.example/)\n```js\nf[x](y)\n```\n\
                    [d](#d) <img src=\"e.png\">";
        let found: Vec<_> = targets(page).collect();
        assert_eq!(found, ["a.md", "../B.md", "e.png"]);
    }

    #[test]
    fn the_pages_have_no_dead_link() {
        check_links(&repo::root().join("docs")).unwrap();
    }
}
