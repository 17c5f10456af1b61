//! TLS to the servers of a cluster: checks the TLS parameters of the address before connecting, and turns
//! TLS failures into errors that say what to do.

use std::{io::ErrorKind, path::Path};

use rustls::{
    CertificateError,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use sqlx::{
    PgConnection, Row as _,
    postgres::{PgConnectOptions, PgSslMode},
};

use crate::{Encryption, EncryptionError, Result, StoreError};

/// The parameters that name the file of certificate authorities.
const AUTHORITIES: [&str; 3] = ["sslrootcert", "ssl-root-cert", "ssl-ca"];
/// The parameters that name the client's own certificate and key.
const OWN: [&str; 4] = ["sslcert", "ssl-cert", "sslkey", "ssl-key"];
/// The beginning of a value that is not a file name but the certificate itself.
const INLINE: &str = "-----BEGIN";
/// PostgreSQL's error code invalid_authorization_specification.
const NOT_LET_IN: &str = "28000";

/// Checks the files that the parameters of an address name, and gives modes the meaning that they have
/// in other clients: if an authority is named, certificates are verified even with `require`; `allow`
/// encrypts if the server supports it.
///
/// *Errors*: [`EncryptionError::File`], [`EncryptionError::NoCertificate`].
pub(crate) fn checked(
    options: PgConnectOptions,
    address: &str,
) -> Result<PgConnectOptions, EncryptionError> {
    let parameters = address.split_once('?').map_or("", |(_, tail)| tail);
    let mut names_authority = false;
    for (name, value) in url::form_urlencoded::parse(parameters.as_bytes()) {
        let is_authority = AUTHORITIES.contains(&&*name);
        names_authority |= is_authority;
        if value.starts_with(INLINE) || !(is_authority || OWN.contains(&&*name)) {
            continue;
        }
        let path = Path::new(&*value);
        let pem = std::fs::read(path).map_err(|source| EncryptionError::File {
            parameter: name.into_owned(),
            path: path.to_owned(),
            source,
        })?;
        if is_authority && !matches!(CertificateDer::pem_slice_iter(&pem).next(), Some(Ok(_))) {
            return Err(EncryptionError::NoCertificate(path.to_owned()));
        }
    }
    Ok(match options.get_ssl_mode() {
        PgSslMode::Require if names_authority => options.ssl_mode(PgSslMode::VerifyCa),
        PgSslMode::Allow => options.ssl_mode(PgSslMode::Prefer),
        _ => options,
    })
}

/// Turns a connection error into an [`EncryptionError`] if encryption was the cause.
pub(crate) fn explained(error: sqlx::Error, host: &PgConnectOptions) -> StoreError {
    let name = || host.get_host().to_owned();
    match error {
        sqlx::Error::Io(error) => match refused(&error) {
            Some(source) => certificate(name(), source).into(),
            None => sqlx::Error::Io(error).into(),
        },
        sqlx::Error::Tls(error) if error.to_string().contains("does not support TLS") => {
            EncryptionError::NotOffered(name()).into()
        }
        sqlx::Error::Database(error)
            if error.code().as_deref() == Some(NOT_LET_IN)
                // The message contains this file name in every language.
                && error.message().contains("pg_hba.conf")
                && matches!(host.get_ssl_mode(), PgSslMode::Disable) =>
        {
            EncryptionError::Demanded {
                host: name(),
                reason: error.message().to_owned(),
            }
            .into()
        }
        other => other.into(),
    }
}

fn certificate(host: String, source: rustls::Error) -> EncryptionError {
    match source {
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => EncryptionError::OtherName { host, source },
        source => EncryptionError::Untrusted { host, source },
    }
}

/// Returns the TLS error if a connection failed because a certificate was rejected.
fn refused(error: &std::io::Error) -> Option<rustls::Error> {
    if error.kind() != ErrorKind::InvalidData {
        return None;
    }
    let tls_error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    matches!(tls_error, rustls::Error::InvalidCertificate(_)).then(|| tls_error.clone())
}

/// Returns how a connection is protected: as the address demands, or, if it leaves a choice, as the server
/// reports.
pub(crate) async fn encryption(
    connection: &mut PgConnection,
    host: &PgConnectOptions,
) -> Result<Encryption> {
    if host.get_socket().is_some() || host.get_host().starts_with('/') {
        return Ok(Encryption::Socket);
    }
    Ok(match host.get_ssl_mode() {
        PgSslMode::VerifyFull => Encryption::Full,
        PgSslMode::VerifyCa => Encryption::Authority,
        PgSslMode::Require => Encryption::Unverified,
        PgSslMode::Disable => Encryption::Plain,
        PgSslMode::Prefer | PgSslMode::Allow => {
            let row = sqlx::query(
                "select coalesce(bool_or(ssl), false) from pg_stat_ssl where pid = pg_backend_pid()",
            )
            .fetch_one(connection)
            .await?;
            match row.try_get(0)? {
                true => Encryption::Unverified,
                false => Encryption::Plain,
            }
        }
    })
}
