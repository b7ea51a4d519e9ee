//! The tests that Node runs, one file at a time: each says in its first lines where it runs.

use super::Tier;
use super::job::Job;
use super::product::{Product, Products};
use super::step::Plan;
use crate::engine::Engine;
use crate::{Result, files, repo};
use pos_connect_texts::Language;
use std::path::{Path, PathBuf};
use workbench::postgres;

/// For a file of tests as a whole, too: only there so that a test which hangs ends the run some day.
const HANG_LIMIT_MS: u32 = 900_000;
const HANG_LIMIT_AT_NIGHT_MS: u32 = 4 * HANG_LIMIT_MS;

/// A folder of test files.
pub struct Folder {
    pub step: &'static str,
    pub path: &'static str,
    /// Beside the driver and the package, which all need.
    pub needs: &'static [Product],
    /// Paths beside its own, the package's and [`EVERYWHERE`] that can break it.
    pub watches: &'static [&'static str],
}

/// What the package is made from.
pub const PACKAGE: &[&str] = &[
    "src",
    "protocol",
    "phone",
    "texts",
    "pkg-template",
    "xtask/js",
    "xtask/npm",
];
/// What every folder's tests use.
const EVERYWHERE: [&str; 1] = ["tests/e2e/support"];
const FOR_ALL: [Product; 2] = [Product::Npm("tests/e2e"), Product::Package];

pub const FOLDERS: [Folder; 10] = [
    Folder {
        step: "e2e",
        path: "tests/e2e",
        needs: &[Product::Programs],
        watches: &[
            "www",
            "service",
            "relay",
            "foundation",
            "examples",
            "docs",
            "README.md",
        ],
    },
    Folder {
        step: "screens",
        path: "tests/screens",
        needs: &[Product::Programs],
        watches: &["www", "service", "foundation"],
    },
    Folder {
        step: "tabs",
        path: "tests/tabs",
        needs: &[Product::Programs],
        watches: &["service", "foundation"],
    },
    Folder {
        step: "hostile",
        path: "tests/hostile",
        needs: &[Product::Npm("tests/hostile")],
        watches: &["tests/flow", "tests/package"],
    },
    Folder {
        step: "field",
        path: "tests/field",
        needs: &[Product::Npm("tests/field")],
        watches: &["docs/testing.md", "tests/docs/pages.js", "tests/package"],
    },
    Folder {
        step: "privacy",
        path: "tests/privacy",
        needs: &[],
        watches: &["tests/flow", "tests/package", "tests/hostile"],
    },
    Folder {
        step: "conformance",
        path: "tests/conformance",
        needs: &[Product::Programs],
        watches: &["conformance", "service", "foundation", "tests/rig"],
    },
    Folder {
        step: "package",
        path: "tests/package",
        needs: &[Product::Npm("tests/package")],
        watches: &[
            "README.md",
            "CHANGELOG.md",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "docs/back-end.md",
            "docs/frameworks.md",
            "tests/docs/pages.js",
            "tests/flow",
        ],
    },
    Folder {
        step: "matrix",
        path: "tests/matrix",
        needs: &[],
        watches: &[
            "docs/frameworks.md",
            "examples",
            "tests/docs/pages.js",
            "tests/package",
        ],
    },
    Folder {
        step: "guide",
        path: "tests/docs",
        needs: &[Product::Npm("tests/package"), Product::Programs],
        // The pages name things of every part.
        watches: &["."],
    },
];

impl Folder {
    /// The files that the tier `last` has.
    pub fn jobs(&'static self, last: Tier, plan: &Plan) -> Result<Vec<Job>> {
        let mut jobs = Vec::new();
        for file in test_files(self.path)? {
            let place = Place::read(&repo::root().join(self.path).join(&file))?;
            if place.tier > last {
                continue;
            }
            let engines = plan.engines.iter().copied();
            let engines =
                engines.filter(|&engine| engine == Engine::Chromium || !place.is_chromiums);
            jobs.extend(engines.map(|engine| self.job(&file, &place, engine, plan.tier)));
        }
        Ok(jobs)
    }

    fn job(&'static self, file: &Path, place: &Place, engine: Engine, tier: Tier) -> Job {
        let name = file.display().to_string();
        let own = format!("{}/{name}", self.path);
        let file = file.to_owned();
        let limit = match place.tier {
            Tier::Nightly => HANG_LIMIT_AT_NIGHT_MS,
            _ => HANG_LIMIT_MS,
        };
        let job = Job::new(self.step, name.clone(), move |products, outcome| {
            let mut node = products.driver(engine)?.node();
            node.current_dir(repo::root().join(self.path))
                // One form of output wherever it goes: the counts are read from it.
                .args(["--test", "--test-reporter=spec"])
                .arg(format!("--test-timeout={limit}"))
                .arg(&file)
                .env("NO_COLOR", "1")
                .env_remove("FORCE_COLOR")
                .envs(self.variables(products, engine)?);
            if tier == Tier::Nightly {
                node.env("POS_NIGHTLY", "1");
            }
            outcome.tests(&name, [&mut node])
        });
        job.engine(engine)
            .needs(FOR_ALL)
            .needs(self.needs.iter().chain(&place.needs).copied())
            .watches([own])
            .watches(self.support())
            .watches(EVERYWHERE)
            .watches(self.watches.iter().chain(PACKAGE).copied())
    }

    /// What is in the folder beside its test files.
    fn support(&self) -> Vec<String> {
        let root = repo::root().join(self.path);
        let names = std::fs::read_dir(root).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let names = names.filter(|name| !is_test_file(name) && name != "node_modules");
        names.map(|name| format!("{}/{name}", self.path)).collect()
    }

    fn variables(&self, products: &Products, engine: Engine) -> Result<super::Variables> {
        let mut all = super::Variables::new();
        let screenshots = repo::made("screenshots")
            .join(self.step)
            .join(engine.name());
        files::create_folder(&screenshots)?;
        all.insert("POS_SCREENSHOTS", screenshots.into());
        all.insert("POS_LANGUAGES", languages().into());
        all.insert("POS_PACKAGE", repo::tarball().into());
        all.insert("POS_PACKAGE_DIR", repo::package().into());
        all.insert("POS_TILL_DIR", repo::made("till").into());
        all.insert("POS_SIMULATION_DIR", repo::made("simulation").into());
        if self.needs.contains(&Product::Programs) {
            let [service, relay, _] = products.programs()?;
            all.insert("POS_SERVICE_BIN", service.into());
            all.insert("POS_RELAY_BIN", relay.into());
        }
        if let Some(site) = products.site() {
            all.insert("POS_SITE", site.into());
        }
        if let Ok(server) = products.postgres() {
            all.insert(postgres::VARIABLE, (&server.url).into());
        }
        Ok(all)
    }
}

/// `en:ltr he:rtl`: the shipped languages, and how they are written.
pub fn languages() -> String {
    let all = Language::ALL.map(|language| format!("{}:{}", language.tag(), language.direction()));
    all.join(" ")
}

/// Where a test file runs, as its first comments say.
struct Place {
    tier: Tier,
    is_chromiums: bool,
    needs: Vec<Product>,
}

impl Place {
    /// How many lines may say it.
    const LINES: usize = 8;

    fn read(file: &Path) -> Result<Self> {
        Self::parse(&files::read_text(file)?)
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut place = Self {
            tier: Tier::All,
            is_chromiums: false,
            needs: Vec::new(),
        };
        let lines = text.lines().take(Self::LINES);
        for words in lines.filter_map(|line| line.strip_prefix("// @")) {
            match words.split_once(' ') {
                Some(("tier", "first")) => place.tier = Tier::First,
                Some(("tier", "nightly")) => place.tier = Tier::Nightly,
                Some(("needs", "site")) => place.needs.push(Product::Site),
                Some(("needs", "postgres")) => place.needs.push(Product::Postgres),
                Some(("engines", why)) if why.starts_with("chromium: ") => {
                    place.is_chromiums = true
                }
                _ => return Err(format!("`@{words}` says nothing: {DIRECTIVES}")),
            }
        }
        Ok(place)
    }
}

const DIRECTIVES: &str = "there are `@tier first`, `@tier nightly`, `@engines chromium: WHY`, `@needs site` and \
    `@needs postgres`";

fn test_files(folder: &str) -> Result<Vec<PathBuf>> {
    let mut all = files::list(&repo::root().join(folder))?;
    all.retain(|file| file.to_str().is_some_and(is_test_file));
    Ok(all)
}

fn is_test_file(name: &str) -> bool {
    name.ends_with(".test.js")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_where_it_runs() {
        let place =
            Place::parse("// What it is for.\n// @tier first\n// @engines chromium: Node alone.\n")
                .unwrap();
        assert!(place.tier == Tier::First && place.is_chromiums && place.needs.is_empty());
        let place = Place::parse("// @tier nightly\n").unwrap();
        assert_eq!(place.tier, Tier::Nightly);
        let place = Place::parse("import assert from \"node:assert\";\n").unwrap();
        assert!(place.tier == Tier::All && !place.is_chromiums);
        for wrong in [
            "// @tier second",
            "// @engines chromium",
            "// @engines webkit: faster",
        ] {
            assert!(
                Place::parse(wrong).is_err_and(|error| error.contains(DIRECTIVES)),
                "{wrong}"
            );
        }
    }
}
