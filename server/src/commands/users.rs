//! `recall-kit-server users`: creates and changes users of the web pages, also while servers run on the
//! database. Standard output has only the table or the JSON; messages go to standard error. A password is
//! entered at a prompt that does not show it, or read from standard input.

use std::{
    io::{self, IsTerminal as _, Read as _},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use recall_kit_core::{
    access::{
        self, Caller,
        people::{self, Change, NewUser, Password, People, User, UserName},
    },
    clock,
};
use recall_kit_store::Store;
use serde_json::{Value, json};

use super::{
    eprint, now, print,
    table::{moment, or_never, table},
};
use crate::database_args::DatabaseArgs;

/// The most bytes that are read for a password.
const INPUT_MAX: u64 = 4_096;

/// The subcommands of `users`.
#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Create a user; asks for the password
    Create(CreateArgs),
    /// List users with role, projects and when they were last seen
    List(ListArgs),
    /// Change a user's password; the user is signed out everywhere
    Password(PasswordArgs),
    /// Disable a user, who is signed out with the next request
    Disable(NamedArgs),
    /// Enable a disabled user again
    Enable(NamedArgs),
    /// Forget failed attempts to sign in, so that nobody has to wait
    ClearWaits(ClearWaitsArgs),
}

/// Flags of `users create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The user's name; names that differ only in case are the same
    name: UserName,
    /// What the user may do; each role includes the one before
    #[arg(long, value_parser = ["reader", "writer", "admin"])]
    role: String,
    /// Limit the user to a project; repeat for several [default: every project]
    #[arg(long = "project", value_name = "PROJECT")]
    projects: Vec<String>,
    /// Read the password from the first line of standard input
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `users list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `users password`.
#[derive(Debug, Args)]
pub(crate) struct PasswordArgs {
    /// The user's name, in any case
    name: String,
    /// Read the password from the first line of standard input
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `users disable` and `users enable`.
#[derive(Debug, Args)]
pub(crate) struct NamedArgs {
    /// The user's name, in any case
    name: String,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `users clear-waits`.
#[derive(Debug, Args)]
pub(crate) struct ClearWaitsArgs {
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Runs the subcommand.
pub(crate) async fn run(command: &UsersCommand) -> anyhow::Result<ExitCode> {
    let database = match command {
        UsersCommand::Create(args) => &args.database,
        UsersCommand::List(args) => &args.database,
        UsersCommand::Password(args) => &args.database,
        UsersCommand::Disable(args) | UsersCommand::Enable(args) => &args.database,
        UsersCommand::ClearWaits(args) => &args.database,
    };
    let (store, shown) = super::open(&database.load()?).await?;
    let done = match command {
        UsersCommand::Create(args) => create(store.as_ref(), args, &shown).await,
        UsersCommand::List(args) => list(store.as_ref(), args, &shown).await,
        UsersCommand::Password(args) => password(store.as_ref(), args).await,
        UsersCommand::Disable(args) => {
            let what = "is disabled: nobody can sign in with this name from now on";
            change(store.as_ref(), &args.name, Change::Disable, what).await
        }
        UsersCommand::Enable(args) => {
            change(store.as_ref(), &args.name, Change::Enable, "may sign in").await
        }
        UsersCommand::ClearWaits(_) => clear_waits(store.as_ref()).await,
    };
    store.close().await;
    done?;
    Ok(ExitCode::SUCCESS)
}

async fn create(store: &dyn Store, args: &CreateArgs, database: &str) -> anyhow::Result<()> {
    let role = people::role_of(&args.role).context("the role is unknown")?;
    let name = args.name.to_string();
    let new = NewUser {
        name: args.name.clone(),
        role,
        projects: access::limit_to(&args.projects)?,
        password: Some(ask(&name, args.password_stdin)?),
    };
    let user = people::create(store, &Caller::local(), new, now()).await?;
    let User { name, projects, .. } = &user;
    let limit = match projects.names() {
        None => String::new(),
        Some(_) => format!(", limited to {projects}"),
    };
    eprint(&format!(
        "created the {} {name:?}{limit} in {database}",
        args.role
    ));
    Ok(())
}

async fn list(store: &dyn Store, args: &ListArgs, database: &str) -> anyhow::Result<()> {
    let users = people::list(store, &Caller::local()).await?;
    if args.json {
        let records = users.iter().map(json_of).collect();
        return Ok(print(&format!("{:#}", Value::Array(records)))?);
    }
    if users.is_empty() {
        eprint(&format!(
            "no users in {database}; `recall-kit-server users create NAME --role admin` creates one"
        ));
        return Ok(());
    }
    let head = ["NAME", "ROLE", "PROJECTS", "CREATED", "LAST SEEN", "STATE"];
    let row = |user: &User| {
        [
            user.name.clone(),
            people::role_word(user.role).to_owned(),
            user.projects.to_string(),
            moment(user.created_at),
            or_never(user.last_seen_at),
            state(user).to_owned(),
        ]
    };
    let rows: Vec<_> = users.iter().map(row).collect();
    Ok(print(&table(head, &rows))?)
}

async fn password(store: &dyn Store, args: &PasswordArgs) -> anyhow::Result<()> {
    let user = people::named(store, &Caller::local(), &args.name).await?;
    let password = ask(&user.name, args.password_stdin)?;
    let what = "has a new password; the user's sessions have ended";
    change(store, &user.name, Change::Password(password), what).await
}

async fn clear_waits(store: &dyn Store) -> anyhow::Result<()> {
    // The time is precise to the microsecond, so that failures of this second are included.
    People::clear_waits(store, clock::now()).await?;
    eprint("every server on the database forgets the failed sign-in attempts up to now");
    Ok(())
}

async fn change(store: &dyn Store, name: &str, change: Change, what: &str) -> anyhow::Result<()> {
    let local = Caller::local();
    let user = people::named(store, &local, name).await?;
    let user = people::change(store, &local, (user.id, change), now()).await?;
    eprint(&format!("the user {:?} {what}", user.name));
    Ok(())
}

/// Reads a password from the terminal, twice, or from standard input.
fn ask(name: &str, from_stdin: bool) -> anyhow::Result<Password> {
    let text = if from_stdin {
        let mut text = String::new();
        let read = io::stdin().take(INPUT_MAX).read_to_string(&mut text);
        read.context("cannot read the password from standard input")?;
        text.lines().next().unwrap_or_default().to_owned()
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        dialoguer::Password::new()
            .with_prompt(format!("Password for {name}"))
            .with_confirmation("Repeat the password", "The passwords are different")
            .interact()
            .context("cannot ask for the password")?
    } else {
        bail!("there is no terminal to ask for the password; use --password-stdin");
    };
    Ok(Password::new(&text, name)?)
}

/// Returns a user as JSON: the table's columns and the id. Times are RFC 3339, `null` means never; for
/// projects `null` means every project.
fn json_of(user: &User) -> Value {
    json!({
        "id": user.id,
        "name": user.name,
        "role": people::role_word(user.role),
        "projects": user.projects.names(),
        "created_at": user.created_at,
        "last_seen_at": user.last_seen_at,
        "disabled_at": user.disabled_at,
        "state": state(user),
    })
}

fn state(user: &User) -> &'static str {
    match user.disabled_at {
        Some(_) => "disabled",
        None => "active",
    }
}
