//! The system's keyring, which stores this program's secrets, each under the name of an account. The modules
//! below access each system's keyring.

#[cfg(windows)]
mod credentials;
#[cfg(any(test, not(windows)))]
mod program;

#[cfg(any(test, not(windows)))]
use std::path::PathBuf;

const SERVICE: &str = "recall-kit";

/// One secret of the user's keyring.
#[derive(Debug, Clone)]
pub(crate) struct Keyring {
    access: Access,
    item: Item,
}

/// The name of a secret.
#[derive(Debug, Clone)]
struct Item {
    /// The account, which with the service finds the secret.
    account: String,
    /// The text that a program for people shows, where there is one.
    #[cfg_attr(
        all(windows, not(test)),
        expect(dead_code, reason = "the Credential Manager has no labels")
    )]
    label: String,
}

/// How the keyring is accessed.
#[derive(Debug, Clone)]
enum Access {
    /// The system's own program: `secret-tool` or `security`.
    #[cfg(any(test, not(windows)))]
    Program(PathBuf),
    /// The Credential Manager of Windows.
    #[cfg(windows)]
    Credentials,
}

/// The keyring's answer to a lookup.
pub(crate) enum Stored {
    Secret(String),
    /// It has no such secret.
    Nothing,
    /// It is missing, locked, slow or broken.
    Unknown,
}

impl Keyring {
    /// Returns the secret of an account in the system's keyring.
    pub(crate) fn of_system(account: impl Into<String>, label: impl Into<String>) -> Self {
        #[cfg(windows)]
        let access = Access::Credentials;
        #[cfg(not(windows))]
        let access = Access::Program(program::OF_SYSTEM.into());
        let (account, label) = (account.into(), label.into());
        Self {
            access,
            item: Item { account, label },
        }
    }

    /// Accesses the keyring through this program.
    #[cfg(test)]
    pub(crate) fn through_program(self, program: impl Into<PathBuf>) -> Self {
        Self {
            access: Access::Program(program.into()),
            ..self
        }
    }

    /// Reads the secret.
    pub(crate) async fn lookup(&self) -> Stored {
        match &self.access {
            #[cfg(any(test, not(windows)))]
            Access::Program(program) => program::lookup(program, &self.item).await,
            #[cfg(windows)]
            Access::Credentials => credentials::lookup(&self.item).await,
        }
    }

    /// Stores the secret, which must not contain white space or quotes, in place of the old one; `None` if that
    /// failed.
    pub(crate) async fn store(&self, secret: String) -> Option<()> {
        match &self.access {
            #[cfg(any(test, not(windows)))]
            Access::Program(program) => program::store(program, &self.item, &secret).await,
            #[cfg(windows)]
            Access::Credentials => credentials::store(&self.item, secret).await,
        }
    }

    /// Removes the secret, if there is one; [`Keyring::lookup`] tells whether that succeeded.
    pub(crate) async fn remove(&self) {
        match &self.access {
            #[cfg(any(test, not(windows)))]
            Access::Program(program) => program::remove(program, &self.item).await,
            #[cfg(windows)]
            Access::Credentials => credentials::remove(&self.item).await,
        }
    }
}
