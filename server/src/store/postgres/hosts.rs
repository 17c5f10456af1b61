//! Addresses of a cluster: one or several servers, of which one takes writes.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use crate::store::{Result, StoreError, shown};

/// Parameters that other clients know and that say here what is done anyhow.
const UNDERSTOOD: [&str; 2] = ["target_session_attrs", "load_balance_hosts"];

/// Reads `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?PARAMETERS`; the options of each host.
///
/// *Errors*: [`StoreError::Address`], without user and password.
pub(super) fn of_url(url: &str) -> Result<Vec<PgConnectOptions>> {
    let refused = || StoreError::Address(shown(url));
    let (scheme, rest) = url.split_once("://").ok_or_else(refused)?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), authority),
    };
    let tail = without_understood(tail);
    let options = |host: &str| {
        let options = PgConnectOptions::from_str(&format!("{scheme}://{user}{host}{tail}"));
        // What the parser says may repeat the password.
        let options = options.map_err(|_| refused())?;
        Ok(options.application_name("recall-kit-server"))
    };
    hosts.split(',').map(options).collect()
}

/// Takes parameters out of path and parameters that nothing needs to be done about.
fn without_understood(tail: &str) -> String {
    let Some((path, parameters)) = tail.split_once('?') else {
        return tail.to_owned();
    };
    let name = |parameter: &str| parameter.split('=').next().unwrap_or_default().to_owned();
    let kept: Vec<&str> = parameters
        .split('&')
        .filter(|parameter| !UNDERSTOOD.contains(&name(parameter).as_str()))
        .collect();
    if kept.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", kept.join("&"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_host_has_the_same_user_database_and_parameters() {
        let url = "postgres://me@one:5433,two,[::1]:7/memory\
            ?target_session_attrs=read-write&sslmode=disable";
        let hosts = of_url(url).unwrap();
        let seen: Vec<_> = hosts
            .iter()
            .map(|host| (host.get_host(), host.get_port(), host.get_database()))
            .collect();
        let database = Some("memory");
        assert_eq!(
            seen,
            [
                ("one", 5433, database),
                ("two", 5432, database),
                ("[::1]", 7, database)
            ]
        );
        assert!(hosts.iter().all(|host| host.get_username() == "me"));
    }

    #[test]
    fn what_is_no_address_is_shown_without_its_password() {
        let word = ["hush", "hush"].concat();
        for url in [
            format!("postgres://me:{word}@one:port/x"),
            format!("postgres://me:{word}@one/x?sslmode=perhaps"),
        ] {
            let message = of_url(&url).unwrap_err().to_string();
            assert!(
                message.contains("one") && !message.contains(&word),
                "{message}"
            );
        }
    }
}
