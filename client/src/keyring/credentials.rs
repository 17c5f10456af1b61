//! The Credential Manager of Windows, which encrypts its entries for the signed-in user. Its secrets
//! stay on the machine, like the files of this program.

use std::collections::HashMap;

use keyring_core::{Entry, Error, api::CredentialStoreApi as _};
use tokio::task::spawn_blocking;
use windows_native_keyring_store::Store;

use super::{Item, SERVICE, Stored};

/// Reads the secret.
pub(super) async fn lookup(item: &Item) -> Stored {
    let account = item.account.clone();
    match spawn_blocking(move || entry(&account)?.get_password()).await {
        Ok(Ok(secret)) => Stored::Secret(secret),
        Ok(Err(Error::NoEntry)) => Stored::Nothing,
        Ok(Err(_)) | Err(_) => Stored::Unknown,
    }
}

/// Stores the secret; `None` if that failed.
pub(super) async fn store(item: &Item, secret: String) -> Option<()> {
    let account = item.account.clone();
    let storing = spawn_blocking(move || entry(&account)?.set_password(&secret));
    storing.await.ok()?.ok()
}

/// Removes the secret, if the Credential Manager does it.
pub(super) async fn remove(item: &Item) {
    let account = item.account.clone();
    let removing = spawn_blocking(move || entry(&account)?.delete_credential());
    let _ = removing.await;
}

fn entry(account: &str) -> Result<Entry, Error> {
    // With the default persistence the secret would roam to the user's other machines.
    let local = HashMap::from([("persistence", "Local")]);
    Store::new()?.build(SERVICE, account, Some(&local))
}
