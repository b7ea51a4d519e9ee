//! The certificates that servers are known by: those of the system, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR`
//! name. A file of the operator's can stand in their place.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_native_certs::CertificateResult;
use std::path::Path;

/// The system's certificates. Where there are none, the text says what is missing: a machine that calls nobody by TLS
/// does not need any.
pub fn system() -> Result<RootCertStore, String> {
    of(rustls_native_certs::load_native_certs())
}

/// The certificates of a file in PEM.
pub fn file(path: &Path) -> Result<RootCertStore, String> {
    let unread = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", path.display());
    let text = std::fs::read(path).map_err(|error| unread(&error))?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates.map_err(|error| unread(&error))?);
    match roots.is_empty() {
        false => Ok(roots),
        true => Err(format!("there is no certificate in {}", path.display())),
    }
}

fn of(CertificateResult { certs, errors, .. }: CertificateResult) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certs);
    if !roots.is_empty() {
        return Ok(roots);
    }
    let causes: Vec<String> = errors.iter().map(|error| format!("; {error}")).collect();
    Err(format!(
        "this machine has no certificates to know a server by: install ca-certificates, or name a file in \
         SSL_CERT_FILE{}",
        causes.concat()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_has_a_name_and_no_debug_text() {
        let nowhere = Path::new("/nowhere/certificates.pem");
        let loaded = rustls_native_certs::load_certs_from_paths(Some(nowhere), Some(nowhere));
        let why = of(loaded).unwrap_err();
        assert!(why.contains("SSL_CERT_FILE; "), "{why}");
        assert!(why.contains("at '/nowhere/certificates.pem'"), "{why}");
        assert!(!why.contains("Error") && !why.contains('{'), "{why}");
        let why = file(nowhere).unwrap_err();
        assert!(why.starts_with("cannot read /nowhere/"), "{why}");
        let none = file(Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/Cargo.toml"
        )));
        assert!(none.unwrap_err().starts_with("there is no certificate in "));
    }
}
