//! The index on disk against the database: what it should hold, whether it does, building it anew.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;

use super::{Verdict, fails, remedy, works};
use crate::{
    app::{self, App},
    error::{StartError, chain},
    search::{Index, IndexError, Row},
    service::index_folder::FolderUse,
    settings::Settings,
    store::{Store, StoreError},
};

/// The newest writes whose records are looked up one by one; older ones are counted.
const LOOKED_UP: u32 = 10_000;
const REPAIR: &str = "the next start builds it anew; to do it now, stop every server on this database and run \
     `recall-kit-server doctor --repair`";

/// Why the index could not be checked or built.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("{0} cannot be used alone")]
    Lock(PathBuf, #[source] std::io::Error),
    #[error("reading it broke down")]
    Broken,
}

/// Checks the index, or builds it anew.
pub(super) async fn verdict(store: &Arc<dyn Store>, settings: &Settings, repair: bool) -> Verdict {
    let folder = match store.database_id().await {
        Ok(id) => app::index_folder(settings, id),
        Err(error) => return fails(chain(&error), remedy(&error)),
    };
    let Ok(folder) = folder else {
        return fails("the folder of the index is unknown", "give --data-dir");
    };
    let done = if repair {
        rebuild(store, settings, &folder).await
    } else {
        check(store.as_ref(), &folder).await
    };
    done.unwrap_or_else(|failure| match failure {
        Failure::Store(error) => fails(chain(&error), remedy(&error)),
        Failure::Lock(..) => fails(
            chain(&failure),
            "make the data directory writable for this user",
        ),
        other => fails(format!("{}: {}", folder.display(), chain(&other)), REPAIR),
    })
}

async fn check(store: &dyn Store, folder: &Path) -> Result<Verdict, Failure> {
    if !folder.exists() {
        return Ok(works("none yet; the next start builds it"));
    }
    let path = folder.to_owned();
    let opened = tokio::task::spawn_blocking(move || Index::open(Some(path))).await;
    let index = opened.map_err(|_| Failure::Broken)??;
    let (base_seq, head) = (index.base_seq(), store.head_seq().await?);
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
    let expected = store.experience_count(base_seq).await?;
    if index.base_len() < expected {
        let held = index.base_len();
        return Ok(fails(
            format!("{shown} holds {held} records, it should hold {expected}"),
            REPAIR,
        ));
    }
    let looked_up = look_up(store, &index).await?;
    let later = store.experience_count(head).await?.saturating_sub(expected);
    Ok(works(format!(
        "{shown}, {expected} records up to write {base_seq}, the newest {looked_up} looked up and \
         found; {later} more are read in by a start"
    )))
}

/// Looks the newest records of the index up in it, and returns how many.
async fn look_up(store: &dyn Store, index: &Index) -> Result<usize, Failure> {
    let base_seq = index.base_seq();
    let after = base_seq.saturating_sub(u64::from(LOOKED_UP));
    let rows = store.index_rows(after, base_seq, LOOKED_UP).await?;
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|row| Row {
            seq: row.seq,
            id: row.id,
            created_at: row.created_at.as_second(),
            query_count: row.query_count,
            vector: None,
        })
        .collect();
    index.restore(&rows)?;
    Ok(rows.len())
}

/// Removes the folder and builds it as a start without one does.
async fn rebuild(
    store: &Arc<dyn Store>,
    settings: &Settings,
    folder: &Path,
) -> Result<Verdict, Failure> {
    let shown = folder.display();
    let alone =
        FolderUse::alone(folder).map_err(|error| Failure::Lock(folder.to_owned(), error))?;
    let Some(alone) = alone else {
        return Ok(fails(
            format!("{shown} is used by a server; nothing was changed"),
            "stop every server on this database, then repair again",
        ));
    };
    Index::erase(folder)?;
    drop(alone);
    let clock = Arc::new(Timestamp::now);
    let app = App::with(settings.clone(), Arc::clone(store), None, clock).await?;
    let app = tokio::task::spawn_blocking(move || {
        app.experiences.index.extend_base()?;
        Ok::<_, IndexError>(app)
    });
    let app = app.await.map_err(|_| Failure::Broken)??;
    let status = app.experiences.index.status();
    let on_disk = status.records - status.delta_records;
    Ok(works(format!(
        "{shown} was removed and built anew: {} records, {on_disk} of them on disk; the rest is \
         read in by a start",
        status.records
    )))
}
