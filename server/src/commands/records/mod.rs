//! `recall-kit-server records`: lists and changes experiences, also while servers run on the database.
//! Standard output has only the table or the JSON; messages go to standard error.

mod id;

use std::{process::ExitCode, sync::Arc};

use clap::{Args, Subcommand, ValueEnum};
use recall_kit_core::{
    access::Caller,
    app::App,
    error::ServiceError,
    experiences::{self, Edited},
    validation::applies_in_options,
};
use recall_kit_store::{
    ExperienceBrief, ExperienceContent, ExperienceListing, ExperienceOrder, ExperienceState, Page,
    Standing,
};
use uuid::Uuid;

use super::{entries::described, eprint, print, table::table};
use crate::database_args::DatabaseArgs;

/// The subcommands of `records`.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordsCommand {
    /// List experiences
    List(ListArgs),
    /// Show an experience as JSON with its version, also one that is hidden or deleted
    Show(ShowArgs),
    /// Edit an experience; fields that are not given stay as they are
    Edit(EditArgs),
    /// Hide an experience: it is no longer found
    Hide(ChangeArgs),
    /// Unhide a hidden experience: it is found again
    Unhide(ChangeArgs),
    /// Delete an experience: it is no longer found, and removed for good after 30 days
    Delete(ChangeArgs),
    /// Restore a deleted experience as it was
    Restore(ChangeArgs),
}

/// The state of the listed experiences.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Visible,
    Hidden,
    Deleted,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    Newest,
    Oldest,
    MostSeen,
}

/// Flags of `records list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Which experiences: visible ones, hidden or deleted ones
    #[arg(long, value_enum, default_value = "visible")]
    state: State,
    /// Which come first
    #[arg(long, value_enum, default_value = "newest")]
    order: Order,
    /// How many to skip
    #[arg(long, default_value_t = 0)]
    offset: u64,
    /// How many at most, 1 to 1000
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `records show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The experience's id, or at least its first 5 characters
    id: String,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of the commands that change whether an experience is found.
#[derive(Debug, Args)]
pub(crate) struct ChangeArgs {
    /// The experience's id, or at least its first 5 characters
    id: String,
    /// Only if it is still at this version
    #[arg(long, value_name = "VERSION")]
    if_version: Option<u64>,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `records edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// What it is about, in at most 500 characters
    #[arg(long)]
    title: Option<String>,
    /// What happened
    #[arg(long, value_name = "TEXT")]
    problem_description: Option<String>,
    /// Why it happened; "" removes it
    #[arg(long, value_name = "TEXT")]
    root_cause: Option<String>,
    /// What fixed it
    #[arg(long, value_name = "TEXT")]
    solution: Option<String>,
    /// Versions, surroundings, code; "" removes it
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Keywords, separated by commas
    #[arg(long, value_delimiter = ',')]
    keywords: Option<Vec<String>>,
    /// Where it applies, such as 'npm react >=18 <19', 'python 3.9' or linux, once for each; ""
    /// withdraws it, so that its texts say it; none: no version matters
    #[arg(long, value_name = "WHERE")]
    applies: Vec<String>,
    #[command(flatten)]
    change: ChangeArgs,
}

impl RecordsCommand {
    const fn database(&self) -> &DatabaseArgs {
        match self {
            Self::List(args) => &args.database,
            Self::Show(args) => &args.database,
            Self::Edit(args) => &args.change.database,
            Self::Hide(args) | Self::Unhide(args) | Self::Delete(args) | Self::Restore(args) => {
                &args.database
            }
        }
    }
}

/// Runs the subcommand.
pub(crate) async fn run(command: &RecordsCommand) -> anyhow::Result<ExitCode> {
    let app = App::open(command.database().load()?).await?;
    let done = execute(&app, command).await;
    app.store.close().await;
    done?;
    Ok(ExitCode::SUCCESS)
}

async fn execute(app: &Arc<App>, command: &RecordsCommand) -> anyhow::Result<()> {
    let by = Caller::local();
    let state = match command {
        RecordsCommand::List(args) => return list(app, args).await,
        RecordsCommand::Show(args) => return show(app, &args.id).await,
        RecordsCommand::Edit(args) => {
            let at = named(app, &args.change).await?;
            edit(app, args, at).await.map(|edited| {
                edited.notes.iter().for_each(|note| eprint(note));
                edited.state
            })
        }
        RecordsCommand::Hide(args) => {
            experiences::hide(&app.experiences, &by, named(app, args).await?).await
        }
        RecordsCommand::Unhide(args) => {
            experiences::unhide(&app.experiences, &by, named(app, args).await?).await
        }
        RecordsCommand::Delete(args) => {
            experiences::delete(&app.experiences, &by, named(app, args).await?).await
        }
        RecordsCommand::Restore(args) => {
            experiences::restore(&app.experiences, &by, named(app, args).await?).await
        }
    };
    let state = state.map_err(described)?;
    eprint(&format!("{}, version {}", standing(&state), state.version));
    Ok(())
}

/// Returns the id of the experience to change, and the version that it must have.
async fn named(app: &Arc<App>, args: &ChangeArgs) -> anyhow::Result<(Uuid, Option<u64>)> {
    Ok((id::resolve(app, &args.id).await?, args.if_version))
}

async fn list(app: &Arc<App>, args: &ListArgs) -> anyhow::Result<()> {
    let listing = ExperienceListing {
        standing: match args.state {
            State::Visible => Standing::Visible,
            State::Hidden => Standing::Hidden,
            State::Deleted => Standing::Deleted,
        },
        order: match args.order {
            Order::Newest => ExperienceOrder::Newest,
            Order::Oldest => ExperienceOrder::Oldest,
            Order::MostSeen => ExperienceOrder::MostSeen,
        },
        page: Page {
            offset: args.offset,
            limit: args.limit,
        },
    };
    let list = experiences::list(&app.experiences, &listing)
        .await
        .map_err(described)?;
    let row = |one: &ExperienceBrief| {
        [
            one.id.to_string(),
            format!("{:.0}", one.created_at),
            one.query_count.to_string(),
            one.state.version.to_string(),
            one.title.clone(),
        ]
    };
    let rows: Vec<[String; 5]> = list.records.iter().map(row).collect();
    print(&table(["ID", "CREATED", "SEEN", "VERSION", "TITLE"], &rows))?;
    eprint(&format!("{} of {}", rows.len(), list.total));
    Ok(())
}

async fn show(app: &Arc<App>, id: &str) -> anyhow::Result<()> {
    let id = id::resolve(app, id).await?;
    let shown = experiences::inspect(&app.experiences, &Caller::local(), id)
        .await
        .map_err(described)?;
    print(experiences::as_json(&shown).trim_end())?;
    let state = shown.state;
    eprint(&format!("{}, version {}", standing(&state), state.version));
    Ok(())
}

async fn edit(
    app: &Arc<App>,
    args: &EditArgs,
    (id, if_version): (Uuid, Option<u64>),
) -> Result<Edited, ServiceError> {
    let shown = experiences::inspect(&app.experiences, &Caller::local(), id).await?;
    let before = shown.record.content;
    let or_none = |new: &Option<String>, before| match new {
        Some(new) => Some(new.clone()).filter(|text| !text.is_empty()),
        None => before,
    };
    let content = ExperienceContent {
        title: args.title.clone().unwrap_or(before.title),
        problem_description: args
            .problem_description
            .clone()
            .unwrap_or(before.problem_description),
        root_cause: or_none(&args.root_cause, before.root_cause),
        solution: args.solution.clone().unwrap_or(before.solution),
        context: or_none(&args.context, before.context),
        keywords: args.keywords.clone().unwrap_or(before.keywords),
        applies: applies_in_options(&args.applies, before.applies)?,
    };
    let version = if_version.unwrap_or(shown.state.version);
    experiences::edit(&app.experiences, &Caller::local(), (id, version), content).await
}

fn standing(state: &ExperienceState) -> &'static str {
    match state.standing() {
        Standing::Visible => "visible",
        Standing::Hidden => "hidden",
        Standing::Deleted => "deleted",
    }
}
