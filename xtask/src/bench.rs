//! bench
use crate::Result;
use crate::args::Args;
pub fn run(_args: Args) -> Result<()> {
    Ok(())
}
