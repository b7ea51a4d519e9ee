//! Options of `serve` about whose page merchants see.

use super::{Failure, name};
use crate::brand::{Brand, Color, link};
use crate::demo;
use crate::logo::Logo;
use clap::Args;

#[derive(Args)]
pub(super) struct BrandOptions {
    /// Your name on the connect page
    #[arg(long, value_name = "NAME", value_parser = name)]
    brand_name: Option<String>,
    /// Your logo on the connect page: a PNG or SVG file
    // Read later: `doctor` names a file that cannot be, and examines the rest.
    #[arg(long, value_name = "FILE")]
    brand_logo: Option<String>,
    /// Its color, as #1b5fc1
    #[arg(long, value_name = "COLOR", value_parser = Color::parse)]
    brand_color: Option<Color>,
    /// Where merchants find help: https:// or mailto:
    #[arg(long, value_name = "URL", value_parser = link)]
    support_url: Option<String>,
    /// Where merchants get a new password: https:// or mailto:
    #[arg(long, value_name = "URL", value_parser = link)]
    reset_url: Option<String>,
}

impl BrandOptions {
    pub(super) fn brand(&self, is_demo: bool) -> Result<Brand, Failure> {
        let read =
            |file: &String| Logo::read(file).map_err(|why| format!("--brand-logo {file}: {why}"));
        let named = Brand {
            name: self.brand_name.clone(),
            logo: self.brand_logo.as_ref().map(read).transpose()?,
            color: self.brand_color,
            ..Brand::default()
        };
        let is_named = named.is_shown() || named.color.is_some();
        let shown = match is_demo && !is_named {
            true => demo::brand(),
            false => named,
        };
        Ok(Brand {
            support_url: self.support_url.clone(),
            reset_url: self.reset_url.clone(),
            ..shown
        })
    }
}
