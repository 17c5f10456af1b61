//! Checks the index on disk against the database, and rebuilds it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use recall_kit_core::{
    app::App,
    clock::Clock,
    error::OpenError,
    indexing::{
        family::Family,
        index_folder::{self, FolderUse},
    },
};
use recall_kit_search::{Index, IndexError, Row};
use recall_kit_settings::{SearchEngine, Settings};
use recall_kit_store::{Store, StoreError};
use recall_kit_telemetry::chain;

use super::{Verdict, fails, remedy, works};

/// The newest writes, whose records are looked up one by one; older records are only counted.
const LOOKED_UP: u32 = 10_000;
const REPAIR: &str = "the next start rebuilds it; to do it now, stop every server on this database and run \
     `recall-kit-server doctor --repair`";

const REPAIR_DATABASE: &str = "`recall-kit-server doctor --repair` empties these tables, and the next server fills \
     them again";

/// Why the index could not be checked or rebuilt.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Start(#[from] OpenError),
    #[error("cannot lock {0}")]
    Lock(PathBuf, #[source] std::io::Error),
    #[error("reading it failed unexpectedly")]
    Broken,
}

/// Checks the index of each family, or rebuilds all of them.
pub(super) async fn verdicts(
    store: &Arc<dyn Store>,
    settings: &Settings,
    repair: bool,
) -> Vec<Verdict> {
    let folder = match store.database_id().await {
        Ok(id) => index_folder::index_folder(settings, id),
        Err(error) => return vec![fails(chain(&error), remedy(&error))],
    };
    let Ok(folder) = folder else {
        return vec![fails(
            "the folder of the index is unknown",
            "give --data-dir",
        )];
    };
    let families = in_memory(settings);
    if repair {
        return match rebuild(store, settings, &folder).await {
            Ok(verdicts) => verdicts,
            Err(failure) => vec![failed(failure, &folder)],
        };
    }
    let mut verdicts = Vec::new();
    if settings.search.engine == SearchEngine::Postgres {
        verdicts.push(database_search(store.as_ref()).await);
    }
    for family in families {
        let folder = family.folder(&folder);
        let checked = check(store.as_ref(), family, &folder).await;
        verdicts.push(checked.unwrap_or_else(|failure| failed(failure, &folder)));
    }
    verdicts
}

/// Returns the families that have an index outside of the database.
fn in_memory(settings: &Settings) -> Vec<Family> {
    let mut families = Family::ALL.to_vec();
    if settings.search.engine == SearchEngine::Postgres {
        families.retain(|family| *family != Family::Experiences);
    }
    families
}

/// Checks the tables with which PostgreSQL searches experiences.
async fn database_search(store: &dyn Store) -> Verdict {
    let checked = async {
        let state = store.search_state(&[]).await?;
        let expected = store.experience_count(state.up_to).await?;
        Ok::<_, StoreError>((state, expected))
    };
    match checked.await {
        // While it is behind, it may still find previous versions of records.
        Ok((state, expected))
            if state.records < expected || (state.behind() == 0 && state.records > expected) =>
        {
            let found = format!(
                "the database finds {} experiences up to write {}, it should find {expected}",
                state.records, state.up_to
            );
            fails(found, REPAIR_DATABASE)
        }
        Ok((state, found)) => works(format!(
            "the database finds {found} experiences up to write {}; a running server adds {} more writes",
            state.up_to,
            state.behind()
        )),
        Err(error) => fails(chain(&error), search_remedy(&error)),
    }
}

fn search_remedy(error: &StoreError) -> &'static str {
    match error {
        StoreError::SearchUnavailable(_) | StoreError::PostgresOnly(_) => {
            "follow the message, or set search.engine = \"memory\""
        }
        error => remedy(error),
    }
}

fn failed(failure: Failure, folder: &Path) -> Verdict {
    match failure {
        Failure::Store(error) => fails(chain(&error), remedy(&error)),
        Failure::Lock(..) => fails(
            chain(&failure),
            "make the data directory writable for this user",
        ),
        other => fails(format!("{}: {}", folder.display(), chain(&other)), REPAIR),
    }
}

/// Returns the number of the last write of a family.
async fn head_seq(store: &dyn Store, family: Family) -> Result<u64, StoreError> {
    match family {
        Family::Experiences => store.head_seq().await,
        Family::Entries => store.entry_head_seq().await,
        Family::Chunks => store.chunk_head_seq().await,
    }
}

/// Returns how many records of a family were written up to a `seq`.
async fn count(store: &dyn Store, family: Family, up_to: u64) -> Result<u64, StoreError> {
    match family {
        Family::Experiences => store.experience_count(up_to).await,
        Family::Entries => store.entry_count(up_to).await,
        Family::Chunks => store.chunk_count(up_to).await,
    }
}

async fn check(store: &dyn Store, family: Family, folder: &Path) -> Result<Verdict, Failure> {
    if !folder.exists() {
        return Ok(works("none yet; the next start builds it"));
    }
    let path = folder.to_owned();
    let opened = tokio::task::spawn_blocking(move || Index::open(Some(path))).await;
    let index = opened.map_err(|_| Failure::Broken)??;
    let (base_seq, head) = (index.base_seq(), head_seq(store, family).await?);
    let shown = folder.display();
    if base_seq > head {
        return Ok(fails(
            format!(
                "{shown} goes up to write {base_seq}, the database only to {head}, as after a \
                 restored backup"
            ),
            REPAIR,
        ));
    }
    let expected = count(store, family, base_seq).await?;
    if index.base_len() < expected {
        let found = index.base_len();
        return Ok(fails(
            format!("{shown} holds {found} records, it should hold {expected}"),
            REPAIR,
        ));
    }
    let looked_up = look_up(store, family, &index).await?;
    let later = count(store, family, head).await?.saturating_sub(expected);
    Ok(works(format!(
        "{shown}, {expected} records up to write {base_seq}, the newest {looked_up} looked up and \
         found; the next start adds {later} more"
    )))
}

/// Looks up the newest records in the index, and returns how many there are.
async fn look_up(store: &dyn Store, family: Family, index: &Index) -> Result<usize, Failure> {
    let base_seq = index.base_seq();
    let after = base_seq.saturating_sub(u64::from(LOOKED_UP));
    let rows = match family {
        Family::Experiences => store.index_rows(after, base_seq, LOOKED_UP).await?,
        Family::Entries => store.entry_rows(after, base_seq, LOOKED_UP).await?,
        Family::Chunks => store.chunk_rows(after, base_seq, LOOKED_UP).await?,
    };
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|row| Row {
            seq: row.seq,
            id: row.id,
            created_at: row.created_at.as_second(),
            query_count: row.query_count,
            popularity: row.popularity,
            vector: None,
            language: Default::default(),
            is_gone: row.is_gone,
        })
        .collect();
    index.restore(&rows)?;
    Ok(rows.len())
}

/// Removes the folders and rebuilds them, as a start without them does.
async fn rebuild(
    store: &Arc<dyn Store>,
    settings: &Settings,
    folder: &Path,
) -> Result<Vec<Verdict>, Failure> {
    let lock = FolderUse::alone(folder).map_err(|error| Failure::Lock(folder.to_owned(), error))?;
    let Some(lock) = lock else {
        return Ok(vec![fails(
            format!(
                "{} is used by a server; nothing was changed",
                folder.display()
            ),
            "stop every server on this database, then repair again",
        )]);
    };
    for family in Family::ALL {
        Index::erase(&family.folder(folder))?;
    }
    drop(lock);
    let on_disk = in_memory(settings);
    let mut built = Vec::new();
    if on_disk.len() < Family::ALL.len() {
        store.prepare_search().await?;
        store.reset_search().await?;
        built.push(works(
            "the database's search tables for experiences were emptied; the next server fills them again",
        ));
    }
    let clock = Clock::system();
    let app = App::with(settings.clone(), Arc::clone(store), None, clock).await?;
    let families = on_disk.clone();
    let app = tokio::task::spawn_blocking(move || {
        for family in families {
            app.records(family).index()?.extend_base()?;
        }
        Ok::<_, IndexError>(app)
    });
    let app = app.await.map_err(|_| Failure::Broken)??;
    built.extend(on_disk.into_iter().map(|family| {
        let status = app.records(family).status();
        let on_disk = status.records - status.delta_records;
        works(format!(
            "{} was removed and rebuilt: {} records, {on_disk} of them on disk; the next start adds \
             the rest",
            family.folder(folder).display(),
            status.records
        ))
    }));
    Ok(built)
}
