//! Tells the tests at compile time whether there is a PostgreSQL server for them, so that those that need one are counted as ignored
//! where there is none.

fn main() {
    println!("cargo::rerun-if-env-changed=POS_TEST_POSTGRES");
    println!("cargo::rustc-check-cfg=cfg(postgres_named)");
    if std::env::var_os("POS_TEST_POSTGRES").is_some() {
        println!("cargo::rustc-cfg=postgres_named");
    }
}
