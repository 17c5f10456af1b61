//! `keys`: stores and removes the key of a server, at a terminal or in a script, and lists the servers that have one.

use std::io::{self, IsTerminal as _, Read as _};

use recall_kit_client::{ApiKey, Error, RemovedKey, ServerKeys, ServerUrl};
use serde_json::{Value, json};

use super::init::server;
use crate::{
    args::{GlobalArgs, KeysArgs, KeysCommand},
    diagnostics::Complaint,
    terminal::{
        interrupt,
        printer::{DIM, Printer, styled},
        prompt,
    },
    words::{Words, filled},
};

/// The maximum number of bytes that are read from standard input.
const MAX_INPUT: u64 = 64 << 10;

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &KeysArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    match args.command {
        KeysCommand::Set {
            no_check,
            unencrypted,
        } => set(global, no_check, unencrypted, printer).await,
        KeysCommand::List => list(printer),
        KeysCommand::Remove => remove(global, printer).await,
    }
}

async fn set(
    global: &GlobalArgs,
    no_check: bool,
    unencrypted: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let url = chosen(global, printer)?;
    let server = with_key(&url)?;
    if server::is_open_to_others(&server) && !unencrypted {
        return Err(anyhow::Error::new(Complaint::Failed {
            message: format!(
                "the connection to {server} is not encrypted: others on the network could read the key"
            ),
            hint: "use https://, or agree with --unencrypted",
        }));
    }
    let key = read(&server)?;
    let settled = match no_check {
        true => server::Settled::with_key(url, key),
        false => server::checked_key(url, key, printer).await?,
    };
    let place = settled.keep_key(printer).await?;
    if printer.is_json() {
        let kind = place.map(|place| place.kind().as_str());
        printer.json(&json!({"server": server.to_string(), "stored_in": kind}))?;
    }
    Ok(())
}

/// Removes a key from this machine. What the keyring does not give up stays listed, so that it is not forgotten there.
async fn remove(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<()> {
    let server = with_key(&chosen(global, printer)?)?;
    let removed = match ServerKeys::of_user() {
        Some(keys) => keys.remove(&server).await.map_err(Error::from)?,
        None => RemovedKey::Nothing,
    };
    let failed = |message: String, hint| anyhow::Error::new(Complaint::Failed { message, hint });
    let kind = match removed {
        RemovedKey::From(kind) => kind,
        RemovedKey::Nothing => {
            let hint = "recall-kit-client keys list shows the servers that have one";
            return Err(failed(format!("no key of {server} is stored"), hint));
        }
        RemovedKey::KeptByKeyring => {
            let message = format!("the keyring does not answer or keeps the key of {server}");
            return Err(failed(message, "unlock the keyring and try again"));
        }
    };
    if printer.is_json() {
        let kind = kind.as_str();
        printer.json(&json!({"server": server.to_string(), "removed_from": kind}))?;
    } else {
        let words = Words::from_locale().setup;
        printer.info(&filled(words.key_removed, &[&server]));
    }
    Ok(())
}

/// Parses the URL of a server that may have a key.
fn with_key(url: &str) -> anyhow::Result<ServerUrl> {
    let server: ServerUrl = url.parse().map_err(Error::from)?;
    match server {
        ServerUrl::Local => Err(anyhow::Error::new(Complaint::Usage {
            message: "the program on this machine takes no key".to_owned(),
            hint: "name the server with --server URL",
        })),
        server => Ok(server),
    }
}

/// Returns the URL of `--server`, else that of the configuration.
fn chosen(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<String> {
    if let Some(url) = &global.server {
        return Ok(url.clone());
    }
    let config = global.load_config(printer)?.config;
    match config.servers.is_empty() {
        true => Ok(config.server.url),
        false => Err(anyhow::Error::new(Complaint::Usage {
            message: "the configuration names several servers".to_owned(),
            hint: "name the one that the key is for with --server URL",
        })),
    }
}

/// Asks for the key at a terminal, else reads it from standard input.
fn read(server: &ServerUrl) -> anyhow::Result<ApiKey> {
    if prompt::is_possible() {
        interrupt::leave_to_prompts()?;
        let words = Words::from_locale().setup;
        let question = filled(words.key, &[&server::host(server)]);
        let key = prompt::secret(&question, |text| match ServerKeys::is_key(text) {
            true => Ok(()),
            false => Err(words.not_a_key.to_owned()),
        })?;
        return Ok(ApiKey::new(key));
    }
    let refused = |message: &str| {
        anyhow::Error::new(Complaint::Usage {
            message: message.to_owned(),
            hint: "pass the key alone: recall-kit-client keys set --server URL < FILE",
        })
    };
    if io::stdin().is_terminal() {
        return Err(refused("the key would be shown while it is typed"));
    }
    let mut text = Vec::new();
    io::stdin().take(MAX_INPUT).read_to_end(&mut text)?;
    let text = String::from_utf8(text).unwrap_or_default();
    let key = text.trim();
    match ServerKeys::is_key(key) {
        true => Ok(ApiKey::new(key)),
        false if key.is_empty() => Err(refused("standard input has no key")),
        false => Err(refused("standard input has something else than a key")),
    }
}

fn list(printer: &Printer) -> anyhow::Result<()> {
    let stored = match ServerKeys::of_user() {
        Some(keys) => keys.list().map_err(Error::from)?,
        None => Vec::new(),
    };
    if printer.is_json() {
        let keys = stored.iter();
        let keys = keys.map(|(server, kind)| json!({"server": server, "stored_in": kind.as_str()}));
        printer.json(&json!({"keys": keys.collect::<Vec<Value>>()}))?;
        return Ok(());
    }
    if stored.is_empty() {
        printer.info(Words::from_locale().setup.no_keys);
    }
    for (server, kind) in stored {
        let place = styled(DIM, format!("({})", kind.as_str()));
        printer.data(&format!("{server}  {place}"))?;
    }
    Ok(())
}
