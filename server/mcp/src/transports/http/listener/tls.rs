//! TLS from certificate files, through rustls.

use std::{path::PathBuf, sync::Arc};

use recall_kit_settings::TlsSettings;
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio_rustls::TlsAcceptor;

use crate::error::TlsError;

/// Checks certificate and key, so that the server can fail before it announces its address.
///
/// *Errors*: [`TlsError`].
pub fn check_tls(settings: &TlsSettings) -> Result<(), TlsError> {
    acceptor(settings).map(drop)
}

/// Returns the acceptor for TLS connections; `None` when the settings name no files.
///
/// *Errors*: [`TlsError`].
pub(super) fn acceptor(settings: &TlsSettings) -> Result<Option<TlsAcceptor>, TlsError> {
    let (certificate, key) = match (&settings.certificate, &settings.key) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => (certificate, key),
        _ => return Err(TlsError::Half),
    };
    let unreadable = |path: &PathBuf| {
        let path = path.clone();
        move |source| TlsError::Unreadable { path, source }
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(unreadable(certificate))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(certificate.clone()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(unreadable(key))?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(TlsError::Mismatch)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}
