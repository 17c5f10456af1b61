//! The Credential Manager of Windows, which encrypts what it holds for the user who is signed in.
//! The key stays on the machine, as what it seals does.

use std::collections::HashMap;

use keyring_core::{Entry, Error, api::CredentialStoreApi as _};
use tokio::task::spawn_blocking;
use windows_native_keyring_store::Store;

use super::{ACCOUNT, Found, SERVICE};

/// Asks for the key.
pub(super) async fn lookup() -> Found {
    match spawn_blocking(|| entry()?.get_password()).await {
        Ok(Ok(key)) => Found::read(&key),
        Ok(Err(Error::NoEntry)) => Found::Nothing,
        Ok(Err(_)) | Err(_) => Found::Unknown,
    }
}

/// Has the key stored; none when that failed.
pub(super) async fn store(key: String) -> Option<()> {
    let storing = spawn_blocking(move || entry()?.set_password(&key));
    storing.await.ok()?.ok()
}

fn entry() -> Result<Entry, Error> {
    // Without it the key would follow the user to other machines.
    let stays = HashMap::from([("persistence", "Local")]);
    Store::new()?.build(SERVICE, ACCOUNT, Some(&stays))
}
