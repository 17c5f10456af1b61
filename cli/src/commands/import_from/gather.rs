//! Reads the chosen sources at their paths.

use std::{env, path::Path};

use recall_kit_client::RecallKitClient;
use recall_kit_memories::{
    Base, OUTSIDE, ReadError, SOURCES, Skipped, Source, leads_out, source_of,
};

use super::{batch::Batch, history};
use crate::{args::ImportFromArgs, diagnostics::Complaint};

/// Stands for every source at its usual places, except for the history.
pub(super) const AUTO: &str = "auto";

/// Returns the names of all sources.
pub(super) fn names() -> Vec<&'static str> {
    let sources = SOURCES.iter().map(|source| source.name());
    [AUTO]
        .into_iter()
        .chain(sources)
        .chain([history::NAME])
        .collect()
}

/// Reads what the command line names.
///
/// *Errors*: an unknown source, a path that does not exist or cannot be read, nothing at the usual places of
/// a source that was named.
pub(super) fn batches(
    args: &ImportFromArgs,
    client: &RecallKitClient,
) -> anyhow::Result<Vec<Batch>> {
    let base = base()?;
    let path = args.path.as_deref();
    if args.source == history::NAME {
        return Ok(vec![history::batch(client, &base, path, args.since)?]);
    }
    if args.source == AUTO {
        if path.is_some() {
            return Err(anyhow::Error::new(Complaint::Usage {
                message: "auto looks at the usual places, so it takes no path".to_owned(),
                hint: "name the source instead of auto",
            }));
        }
        let found = SOURCES
            .into_iter()
            .map(|source| everywhere(source, &base).0);
        return Ok(found.filter(|batch| !batch.places.is_empty()).collect());
    }
    let Some(source) = source_of(&args.source) else {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: format!(
                "there is no source `{}`; the sources are {}",
                args.source,
                names().join(", ")
            ),
            hint: "`recall-kit-client import-from --help` describes them",
        }));
    };
    if let Some(path) = path {
        return Ok(vec![at(source, path)?]);
    }
    let (batch, error) = everywhere(source, &base);
    if let Some(error) = error.filter(|_| batch.records.is_empty()) {
        return Err(error.into());
    }
    if batch.places.is_empty() {
        let places = source.places(&base);
        let places: Vec<String> = places.iter().map(|it| it.display().to_string()).collect();
        return Err(anyhow::Error::new(Complaint::Failed {
            message: match places.is_empty() {
                true => format!("{} has no usual place on this machine", args.source),
                false => format!("found nothing of {} at {}", args.source, places.join(", ")),
            },
            hint: "give the path: recall-kit-client import-from NAME PATH",
        }));
    }
    Ok(vec![batch])
}

fn base() -> anyhow::Result<Base> {
    let home = directories::BaseDirs::new().ok_or_else(|| Complaint::Failed {
        message: "this user has no home folder".to_owned(),
        hint: "set HOME",
    })?;
    Ok(Base {
        home: home.home_dir().to_owned(),
        project: env::current_dir()?,
        variable: |name| env::var(name).ok(),
    })
}

/// Reads the places of a source that exist. A place that cannot be read is named, and the others are read;
/// the last such error is returned, too.
fn everywhere(source: &'static dyn Source, base: &Base) -> (Batch, Option<ReadError>) {
    let mut batch = Batch::new(source.name());
    let mut failure = None;
    for place in source.places(base) {
        if !place.exists() {
            continue;
        }
        let read = match leads_out(&place, &base.project) {
            true => Err(OUTSIDE.to_owned()),
            false => at(source, &place).map_err(|error| failure.insert(error).to_string()),
        };
        match read {
            Ok(found) => {
                batch.records.extend(found.records);
                batch.skipped.extend(found.skipped);
                batch.warnings.extend(found.warnings);
            }
            Err(reason) => batch.skipped.push(Skipped {
                id: place.display().to_string(),
                reason,
            }),
        }
        batch.places.push(place);
    }
    (batch, failure)
}

fn at(source: &'static dyn Source, path: &Path) -> Result<Batch, ReadError> {
    let reading = source.read(path)?;
    Ok(Batch {
        places: vec![path.to_owned()],
        records: reading.records,
        skipped: reading.skipped,
        warnings: reading.warnings,
        ..Batch::new(source.name())
    })
}
