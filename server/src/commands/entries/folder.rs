//! `entries import` and `export`: a folder of Markdown notes.

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

use super::{in_words, print_json};
use crate::{
    args::DatabaseArgs,
    commands::{print, table::visible, tell},
};

/// How deep a folder is walked.
const MAX_DEPTH: usize = 16;
/// Notes of one folder, and bytes of all of them: they are stored together.
const MAX_NOTES: usize = 10_000;
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Flags of `entries import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A folder of notes (*.md), with what is below it; names that begin with a dot are left out
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
    /// Where to write the notes; made when it is not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Replace notes that say something else
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Imports; fails when a note says something else than the entry that is there.
pub(super) async fn import(app: &Arc<App>, args: &ImportArgs) -> anyhow::Result<()> {
    let mut notes = Vec::new();
    let mut room = MAX_BYTES;
    walk(&args.folder, &args.folder, MAX_DEPTH, &mut |path, file| {
        if notes.len() >= MAX_NOTES {
            bail!("there are more than {MAX_NOTES} notes; import them folder by folder");
        }
        let text = read(file, room)?;
        room -= text.len() as u64;
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
        if imported + updated > 0 && app.embedder.is_some() {
            tell("a server makes their vectors and suggestions in the background");
        }
    }
    for (path, id) in &report.conflicts {
        tell(&format!(
            "{}: conflict: entry {id} changed too since this note was written, and is kept; export to \
             another folder, bring the two together, and take over its updated_at",
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
            let mut words = String::from("nothing was imported");
            for (path, problems) in files {
                for problem in problems {
                    let place = format!("{}:{}", visible(&path), problem.line);
                    words.push_str(&format!("\n  {place}: {}", problem.message));
                }
            }
            anyhow!(words)
        }
        ImportError::Service(error) => in_words(error),
        other @ (ImportError::Circle | ImportError::Changed(_)) => other.into(),
    }
}

/// Hands every note below a folder to `found`, by name; links are not followed.
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
                "{} lies too deep; {MAX_DEPTH} folders are read",
                below.display()
            );
        } else if kind.is_dir() {
            walk(root, &path, depth - 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "md") {
            let below = below.to_str();
            let below = below.ok_or_else(|| anyhow!("{} is no text", path.display()))?;
            found(below.replace(std::path::MAIN_SEPARATOR, "/"), &path)?;
        }
    }
    Ok(())
}

fn read(file: &Path, room: u64) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {}", file.display());
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).with_context(cannot)?;
    opened
        .take(room + 1)
        .read_to_end(&mut bytes)
        .with_context(cannot)?;
    if bytes.len() as u64 > room {
        bail!("the notes have more than {MAX_BYTES} bytes; import them folder by folder");
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.as_bytes().get(..error.utf8_error().valid_up_to());
        let line = good
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

/// What became of one note.
#[derive(PartialEq)]
enum Found {
    Missing,
    Same,
    Other,
}

/// Exports. Notes that say something else are found before anything is written.
pub(super) async fn export(app: &Arc<App>, args: &ExportArgs) -> anyhow::Result<()> {
    let mut others = Vec::new();
    let look = |path: &str, text: &str| {
        if present(&args.folder.join(path), text)? == Found::Other {
            others.push(path.to_owned());
        }
        anyhow::Ok(())
    };
    notes::export(app, look).await?;
    if let (Some(first), false) = (others.first(), args.force) {
        bail!(
            "nothing was exported: {} notes say something else, such as {}; give --force to replace \
             them",
            others.len(),
            visible(first)
        );
    }
    let (mut written, mut unchanged) = (0, 0);
    let put = |path: &str, text: &str| {
        let target = args.folder.join(path);
        match present(&target, text)? {
            Found::Same => unchanged += 1,
            Found::Missing | Found::Other => {
                put(&target, text)?;
                written += 1;
            }
        }
        anyhow::Ok(())
    };
    let count = notes::export(app, put).await?;
    if args.json {
        return print_json(&json!({ "notes": count, "written": written, "unchanged": unchanged }));
    }
    print(&format!(
        "exported {count} notes: {written} written, {unchanged} unchanged"
    ))?;
    Ok(())
}

fn present(target: &Path, text: &str) -> anyhow::Result<Found> {
    match fs::read(target) {
        Ok(bytes) if bytes == text.as_bytes() => Ok(Found::Same),
        Ok(_) => Ok(Found::Other),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Found::Missing),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", target.display())),
    }
}

/// Writes a note whole or not at all.
fn put(target: &Path, text: &str) -> anyhow::Result<()> {
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

/// A file that whoever may read the folder's other files may read.
fn new_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".note");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
