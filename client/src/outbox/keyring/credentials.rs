//! The Credential Manager of Windows, which encrypts its entries for the signed-in user. The key stays on
//! the machine, like the files that it encrypts.

use std::collections::HashMap;

use keyring_core::{Entry, Error, api::CredentialStoreApi as _};
use tokio::task::spawn_blocking;
use windows_native_keyring_store::Store;

use super::{ACCOUNT, Lookup, SERVICE};

/// Reads the key.
pub(super) async fn lookup() -> Lookup {
    match spawn_blocking(|| entry()?.get_password()).await {
        Ok(Ok(key)) => Lookup::read(&key),
        Ok(Err(Error::NoEntry)) => Lookup::Nothing,
        Ok(Err(_)) | Err(_) => Lookup::Unknown,
    }
}

/// Stores the key; `None` if that failed.
pub(super) async fn store(key: String) -> Option<()> {
    let storing = spawn_blocking(move || entry()?.set_password(&key));
    storing.await.ok()?.ok()
}

fn entry() -> Result<Entry, Error> {
    // With the default persistence the key would roam to the user's other machines.
    let local = HashMap::from([("persistence", "Local")]);
    Store::new()?.build(SERVICE, ACCOUNT, Some(&local))
}
