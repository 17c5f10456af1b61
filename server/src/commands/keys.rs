//! `recall-kit-server keys`: creates, lists and revokes API keys, also while servers run on the database.
//! Standard output has only the key, the table or the JSON; messages go to standard error.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use recall_kit_core::access::{
    self, Caller,
    api_keys::{self, ApiKey, KeyName, Lifetime, NewKey, Revocation, Scope},
};
use recall_kit_store::Store;
use serde_json::{Value, json};

use super::{
    eprint, now, print,
    table::{moment, or_never, table},
};
use crate::database_args::DatabaseArgs;

/// The subcommands of `keys`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Create a key and print it only once, since only its hash is stored
    Create(CreateArgs),
    /// List keys with scope, last use and state
    List(ListArgs),
    /// Revoke a key: servers refuse it from the next request on
    Revoke(RevokeArgs),
}

/// Flags of `keys create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The key's name, such as the program or person that gets it
    #[arg(long)]
    name: KeyName,
    /// What the key allows; each scope includes the one before
    #[arg(long, default_value = "write", value_parser = ["read", "write", "admin"])]
    scope: String,
    /// Limit the key to a project; repeat for several [default: every project]
    #[arg(long = "project", value_name = "PROJECT")]
    projects: Vec<String>,
    /// Count outcomes that are reported with the key in full, from the first one on
    #[arg(long)]
    trusted: bool,
    /// When the key expires: in 12h, 90d, 2w, 1y, or on a date, 2031-12-31 [default: never]
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// Print JSON, which includes the key
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `keys list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List revoked keys too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `keys revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The key's name, prefix (or its beginning) or id
    #[arg(value_name = "NAME|PREFIX|ID")]
    key: String,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Runs the subcommand.
pub(crate) async fn run(command: &KeysCommand) -> anyhow::Result<ExitCode> {
    let database = match command {
        KeysCommand::Create(args) => &args.database,
        KeysCommand::List(args) => &args.database,
        KeysCommand::Revoke(args) => &args.database,
    };
    let (store, shown) = super::open(&database.load()?).await?;
    let done = match command {
        KeysCommand::Create(args) => create(store.as_ref(), args, &shown).await,
        KeysCommand::List(args) => list(store.as_ref(), args, &shown).await,
        KeysCommand::Revoke(args) => revoke(store.as_ref(), args).await,
    };
    store.close().await;
    done?;
    Ok(ExitCode::SUCCESS)
}

async fn create(store: &dyn Store, args: &CreateArgs, database: &str) -> anyhow::Result<()> {
    let new = NewKey {
        name: args.name.clone(),
        scope: args.scope.parse::<Scope>()?,
        expires: args.expires,
        projects: access::limit_to(&args.projects)?,
        is_trusted: args.trusted,
    };
    let (key, secret) = api_keys::create(store, &Caller::local(), new, now()).await?;
    let ApiKey {
        name,
        scope,
        projects,
        ..
    } = &key;
    let limit = match projects.names() {
        None => String::new(),
        Some(_) => format!(", limited to {projects},"),
    };
    let end = key.expires_at.map_or_else(
        || "it never expires".to_owned(),
        |end| format!("it expires {}", moment(end)),
    );
    eprint(&format!(
        "created the key {name:?} with scope {scope}{limit} in {database}; {end}"
    ));
    eprint("it is shown once: save it now, only its hash is stored");
    let answer = if args.json {
        let mut record = json_of(&key, key.created_at);
        record["key"] = json!(secret.expose());
        format!("{record:#}")
    } else {
        secret.expose().to_owned()
    };
    if let Err(error) = print(&answer) {
        store.revoke_api_key(key.id, now(), None).await?;
        return Err(error).context("the key could not be printed and was therefore revoked");
    }
    Ok(())
}

async fn list(store: &dyn Store, args: &ListArgs, database: &str) -> anyhow::Result<()> {
    let now = now();
    let every = api_keys::list(store).await?;
    let revoked = every.iter().filter(|key| key.revoked_at.is_some()).count();
    let keys: Vec<&ApiKey> = every
        .iter()
        .filter(|key| args.all || key.revoked_at.is_none())
        .collect();
    if args.json {
        let records = keys.iter().map(|key| json_of(key, now)).collect();
        return Ok(print(&format!("{:#}", Value::Array(records)))?);
    }
    if !keys.is_empty() {
        print(&columns(&keys, now))?;
    } else if revoked == 0 {
        eprint(&format!(
            "no keys in {database}; `recall-kit-server keys create --name NAME` creates one"
        ));
    }
    if revoked > 0 && !args.all {
        eprint(&format!("not listed: {revoked} revoked; --all lists them"));
    }
    Ok(())
}

async fn revoke(store: &dyn Store, args: &RevokeArgs) -> anyhow::Result<()> {
    let revocation = api_keys::revoke(store, &Caller::local(), &args.key, now()).await?;
    let (key, what) = match &revocation {
        Revocation::Done(key) => (
            key,
            "is revoked: every request with it is refused from now on",
        ),
        Revocation::Before(key) => (key, "was revoked already; nothing changed"),
    };
    eprint(&format!("the key {:?} ({}) {what}", key.name, key.prefix));
    Ok(())
}

/// Returns keys as a table.
fn columns(keys: &[&ApiKey], now: Timestamp) -> String {
    let head = [
        "NAME",
        "PREFIX",
        "SCOPE",
        "PROJECTS",
        "CREATED",
        "EXPIRES",
        "LAST USED",
        "STATE",
    ];
    let row = |key: &&ApiKey| {
        [
            key.name.clone(),
            key.prefix.clone(),
            key.scope.to_string(),
            key.projects.to_string(),
            moment(key.created_at),
            or_never(key.expires_at),
            or_never(key.last_used_at),
            state(key, now).to_owned(),
        ]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    table(head, &rows)
}

/// Returns a key as JSON: the table's columns and the id. Times are RFC 3339, `null` means never; for
/// projects `null` means every project.
fn json_of(key: &ApiKey, now: Timestamp) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "scope": key.scope.as_str(),
        "projects": key.projects.names(),
        "trusted": key.is_trusted,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
        "revoked_at": key.revoked_at,
        "state": state(key, now),
    })
}

fn state(key: &ApiKey, now: Timestamp) -> &'static str {
    if key.revoked_at.is_some() {
        "revoked"
    } else if key.is_expired(now) {
        "expired"
    } else {
        "active"
    }
}
