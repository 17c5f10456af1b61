//! `entries import` and `export`: entries as a folder of Markdown notes.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use recall_kit_core::app::App;
use recall_kit_transfer::notes::{self, ImportError};
use serde_json::json;

use super::{described, print_json};
use crate::{
    commands::{eprint, print, table::visible},
    database_args::DatabaseArgs,
};

/// The most levels of folders that are read.
const MAX_DEPTH: usize = 16;
/// The most notes of one import, and the most bytes of all of them, since they are stored together.
const MAX_NOTES: usize = 10_000;
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Flags of `entries import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A folder of notes (*.md), with its subfolders; names that begin with a dot are skipped
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `entries export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Where to write the notes; the folder is created if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Replace notes whose text differs
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Imports notes; fails if a note conflicts with its entry.
pub(super) async fn import(app: &Arc<App>, args: &ImportArgs) -> anyhow::Result<()> {
    let mut notes = Vec::new();
    let mut bytes_left = MAX_BYTES;
    walk(&args.folder, &args.folder, MAX_DEPTH, &mut |path, file| {
        if notes.len() >= MAX_NOTES {
            bail!("there are more than {MAX_NOTES} notes; import them folder by folder");
        }
        let text = read(file, bytes_left)?;
        bytes_left -= text.len() as u64;
        notes.push((path, text));
        Ok(())
    })?;
    let report = notes::import(app, &notes).await.map_err(refused)?;
    if args.json {
        let named = |notes: &[(String, _)]| {
            let notes = notes.iter();
            let notes = notes.map(
                |(path, id): &(String, ulid::Ulid)| json!({ "file": path, "id": id.to_string() }),
            );
            notes.collect::<Vec<_>>()
        };
        print_json(&json!({
            "imported": named(&report.imported),
            "updated": named(&report.updated),
            "already_there": report.already_there,
            "conflicts": named(&report.conflicts),
        }))?;
    } else {
        let (imported, updated) = (report.imported.len(), report.updated.len());
        let (there, conflicts) = (report.already_there, report.conflicts.len());
        print(&format!(
            "imported {imported}, updated {updated}, already there {there}, conflicts {conflicts}"
        ))?;
        if imported + updated > 0 && app.embedding.model().is_some() {
            eprint("a server computes their vectors and suggestions in the background");
        }
    }
    for (path, id) in &report.conflicts {
        eprint(&format!(
            "{}: conflict: entry {id} has changed, too, since this note was written, and is unchanged; \
             export to another folder, merge the two, and use the new updated_at",
            visible(path)
        ));
    }
    match report.conflicts.len() {
        0 => Ok(()),
        count => bail!("{count} notes were not imported; `entries export` shows what is stored"),
    }
}

fn refused(error: ImportError) -> anyhow::Error {
    match error {
        ImportError::Notes(files) => {
            let mut message = String::from("nothing was imported");
            for (path, problems) in files {
                for problem in problems {
                    let place = format!("{}:{}", visible(&path), problem.line);
                    message.push_str(&format!("\n  {place}: {}", problem.message));
                }
            }
            anyhow!(message)
        }
        ImportError::Service(error) => described(error),
        other @ (ImportError::LinkCycle | ImportError::Changed(_)) => other.into(),
    }
}

/// Calls `found` with the path and file of every note below a folder, ordered by name; does not follow
/// links.
fn walk(
    root: &Path,
    folder: &Path,
    depth: usize,
    found: &mut impl FnMut(String, &Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot read the folder {}", folder.display());
    let entries = fs::read_dir(folder).with_context(cannot)?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.with_context(cannot)?;
        paths.push((entry.path(), entry.file_type().with_context(cannot)?));
    }
    paths.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (path, kind) in paths {
        let below = path.strip_prefix(root).unwrap_or(&path);
        let name = path.file_name().unwrap_or_default();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        if kind.is_dir() && depth == 0 {
            bail!(
                "{} is nested too deeply; at most {MAX_DEPTH} levels of folders are read",
                below.display()
            );
        } else if kind.is_dir() {
            walk(root, &path, depth - 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "md") {
            let below = below.to_str();
            let below = below.ok_or_else(|| anyhow!("the name {} is not UTF-8", path.display()))?;
            found(below.replace(std::path::MAIN_SEPARATOR, "/"), &path)?;
        }
    }
    Ok(())
}

fn read(file: &Path, limit: u64) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {}", file.display());
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).with_context(cannot)?;
    opened
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .with_context(cannot)?;
    if bytes.len() as u64 > limit {
        bail!("the notes have more than {MAX_BYTES} bytes; import them folder by folder");
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to());
        let line = valid
            .unwrap_or_default()
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1;
        anyhow!(
            "{}:{line}: the text is not UTF-8; save it as UTF-8",
            file.display()
        )
    })
}

/// The state of a note on disk, compared with its entry.
#[derive(PartialEq)]
enum NoteState {
    Missing,
    Same,
    Different,
}

/// Exports entries as notes. Checks for notes with a different text before anything is written.
pub(super) async fn export(app: &Arc<App>, args: &ExportArgs) -> anyhow::Result<()> {
    let mut different = Vec::new();
    let check = |path: &str, text: &str| {
        if state(&args.folder.join(path), text)? == NoteState::Different {
            different.push(path.to_owned());
        }
        anyhow::Ok(())
    };
    notes::export(app, check).await?;
    if let (Some(first), false) = (different.first(), args.force) {
        bail!(
            "nothing was exported: {} notes have a different text, such as {}; use --force to replace \
             them",
            different.len(),
            visible(first)
        );
    }
    let (mut written, mut unchanged) = (0, 0);
    let write = |path: &str, text: &str| {
        let target = args.folder.join(path);
        match state(&target, text)? {
            NoteState::Same => unchanged += 1,
            NoteState::Missing | NoteState::Different => {
                write_note(&target, text)?;
                written += 1;
            }
        }
        anyhow::Ok(())
    };
    let count = notes::export(app, write).await?;
    if args.json {
        return print_json(&json!({ "notes": count, "written": written, "unchanged": unchanged }));
    }
    print(&format!(
        "exported {count} notes: {written} written, {unchanged} unchanged"
    ))?;
    Ok(())
}

fn state(target: &Path, text: &str) -> anyhow::Result<NoteState> {
    match fs::read(target) {
        Ok(bytes) if bytes == text.as_bytes() => Ok(NoteState::Same),
        Ok(_) => Ok(NoteState::Different),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(NoteState::Missing),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", target.display())),
    }
}

/// Writes a note completely or not at all.
fn write_note(target: &Path, text: &str) -> anyhow::Result<()> {
    let write = || {
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = new_file().tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(target)?;
        std::io::Result::Ok(())
    };
    write().with_context(|| format!("cannot write {}", target.display()))
}

/// Returns a builder of temporary files with the permissions of ordinary files, which the umask limits.
fn new_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".note");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
