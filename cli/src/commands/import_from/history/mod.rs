//! The transcripts of agents on this machine: problems that were solved in them become experiences.
//!
//! Files with a record on each line are read in pieces, so that the memory that is needed does not grow with
//! their size. The same error counts once; what occurred most often comes first.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use recall_kit_client::{Conversation, Draft, Episode, RecallKitClient};
use recall_kit_memories::{
    Base, Body, NOT_REGULAR, Record, SYMBOLIC_LINK, Skipped, leads_to_folder,
};
use sha2::{Digest as _, Sha256};

use super::batch::Batch;
use crate::diagnostics::Complaint;

/// The name on the command line.
pub(super) const NAME: &str = "history";

/// The size of a piece of a file. *Unit*: bytes.
const PIECE_BYTES: usize = 8 << 20;
/// How much of the end of a piece is read again with the next one, for what is solved in there. *Unit*: bytes.
const OVERLAP_BYTES: usize = 512 << 10;
/// The maximum size of a file that is read as a whole. *Unit*: bytes.
const MAX_WHOLE_BYTES: u64 = 64 << 20;

/// The folders of an agent below the home folder, and how the names of its transcripts end.
const PLACES: [(&str, &str); 10] = [
    (".claude/projects", ".jsonl"),
    (".codex/sessions", ".jsonl"),
    (".gemini/tmp", ".json"),
    (".continue/sessions", ".json"),
    (
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        "api_conversation_history.json",
    ),
    (
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        "api_conversation_history.json",
    ),
    (
        "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        "api_conversation_history.json",
    ),
    (
        "Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        "api_conversation_history.json",
    ),
    (
        "AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        "api_conversation_history.json",
    ),
    (
        "AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        "api_conversation_history.json",
    ),
];

/// A solved problem, with how often it occurred.
struct Solved {
    draft: Draft,
    fingerprint: String,
    /// In how many transcripts.
    times: usize,
    failures: usize,
    written_at: Option<String>,
}

/// A solved problem of one transcript.
struct Found {
    /// `None` if another transcript has the same error.
    draft: Option<Draft>,
    failures: usize,
}

/// Reads the transcripts at a path, else those of the agents on this machine that changed within `since`.
pub(super) fn batch(
    client: &RecallKitClient,
    base: &Base,
    path: Option<&Path>,
    since: Duration,
) -> anyhow::Result<Batch> {
    let mut batch = Batch::new(NAME);
    let mut files = Vec::new();
    match path {
        Some(path) if path.is_dir() => add_files(path, "", &mut files, &mut batch.skipped)?,
        Some(path) => files.push(path.to_owned()),
        None => {
            for (folder, ending) in PLACES {
                let folder = base.home.join(folder);
                if folder.is_dir() {
                    if let Err(error) = add_files(&folder, ending, &mut files, &mut batch.skipped) {
                        batch.skipped.push(skipped(&folder, &error));
                    }
                    batch.places.push(folder);
                }
            }
        }
    }
    match path {
        Some(path) => batch.places.push(path.to_owned()),
        None if batch.places.is_empty() => {
            return Err(anyhow::Error::new(Complaint::Failed {
                message: "found no transcripts of an agent in the home folder".to_owned(),
                hint: "give the path: recall-kit-client import-from history PATH",
            }));
        }
        None => {}
    }
    let oldest = SystemTime::now().checked_sub(since);
    let mut solved = HashMap::new();
    for file in files {
        let changed = changed_at(&file);
        let read =
            changed.and_then(
                |changed| match oldest.is_none_or(|oldest| changed >= oldest) {
                    true => read_file(client, &file, changed, &mut solved, &mut batch),
                    false => Ok(()),
                },
            );
        match read {
            Err(error) if path == Some(file.as_path()) => return Err(error.into()),
            Err(error) => batch.skipped.push(skipped(&file, &error)),
            Ok(()) => {}
        }
    }
    let mut solved: Vec<Solved> = solved.into_values().collect();
    solved.sort_by(|a, b| {
        let rank = |it: &Solved| (it.times, it.failures);
        rank(b)
            .cmp(&rank(a))
            .then_with(|| a.fingerprint.cmp(&b.fingerprint))
    });
    for one in solved {
        add(one, &mut batch);
    }
    Ok(batch)
}

/// Returns when a file was written last; a pipe or a device is an error, because reading it may never end.
fn changed_at(file: &Path) -> Result<SystemTime, Complaint> {
    let about = fs::metadata(file).map_err(|error| unreadable(file, &error))?;
    match about.is_file() {
        true => about.modified().map_err(|error| unreadable(file, &error)),
        false => Err(Complaint::Failed {
            message: format!("cannot read {}: {NOT_REGULAR}", file.display()),
            hint: "name a transcript, or a folder of them",
        }),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Complaint {
    Complaint::Failed {
        message: format!("cannot read {}: {error}", path.display()),
        hint: "check the path, and that you may read it",
    }
}

fn skipped(path: &Path, reason: &dyn std::fmt::Display) -> Skipped {
    Skipped {
        id: path.display().to_string(),
        reason: reason.to_string(),
    }
}

/// Adds the files below a folder whose names end so. What cannot be read below it, symbolic links to such files and to
/// folders, and a pipe or a device with such a name, are named as skipped.
fn add_files(
    folder: &Path,
    ending: &str,
    files: &mut Vec<PathBuf>,
    left_out: &mut Vec<Skipped>,
) -> Result<(), Complaint> {
    let failed = |error| unreadable(folder, &error);
    let mut items: Vec<fs::DirEntry> = fs::read_dir(folder)
        .and_then(Iterator::collect)
        .map_err(failed)?;
    items.sort_by_key(fs::DirEntry::file_name);
    for item in items {
        let path = item.path();
        let is_named_so = item.file_name().to_string_lossy().ends_with(ending);
        match item.file_type() {
            Ok(kind) if kind.is_dir() => {
                if let Err(error) = add_files(&path, ending, files, left_out) {
                    left_out.push(skipped(&path, &error));
                }
            }
            Ok(kind) if kind.is_symlink() => {
                if is_named_so || leads_to_folder(&path) {
                    left_out.push(skipped(&path, &SYMBOLIC_LINK));
                }
            }
            Ok(_) if !is_named_so => {}
            Ok(kind) if kind.is_file() => files.push(path),
            Ok(_) => left_out.push(skipped(&path, &NOT_REGULAR)),
            Err(error) => left_out.push(skipped(&path, &unreadable(&path, &error))),
        }
    }
    Ok(())
}

/// Reads a transcript and adds what was solved in it; a file that is none is named.
fn read_file(
    client: &RecallKitClient,
    file: &Path,
    changed: SystemTime,
    solved: &mut HashMap<String, Solved>,
    batch: &mut Batch,
) -> Result<(), Complaint> {
    let failed = |error| unreadable(file, &error);
    let name = file.file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let mut of_file = HashMap::new();
    let is_lines = file.extension().is_some_and(|it| it == "jsonl");
    if is_lines {
        let mut reader = BufReader::new(fs::File::open(file).map_err(failed)?);
        let mut piece = Vec::new();
        let mut error = None;
        let mut is_transcript = false;
        while read_piece(&mut reader, &mut piece).map_err(failed)? {
            match Conversation::read(&String::from_utf8_lossy(&piece)) {
                Ok(conversation) => {
                    is_transcript = true;
                    collect(client, conversation.episodes(), solved, &mut of_file);
                }
                Err(failure) => error = Some(failure),
            }
            keep_end(&mut piece);
        }
        if let Some(error) = error.filter(|_| !is_transcript) {
            let reason = error.to_string();
            batch.skipped.push(Skipped { id: name, reason });
            return Ok(());
        }
    } else if fs::metadata(file).map_err(failed)?.len() > MAX_WHOLE_BYTES {
        let reason = format!(
            "the transcript is longer than {} MiB",
            MAX_WHOLE_BYTES >> 20
        );
        batch.skipped.push(Skipped { id: name, reason });
        return Ok(());
    } else {
        let bytes = fs::read(file).map_err(failed)?;
        match Conversation::read(&String::from_utf8_lossy(&bytes)) {
            Ok(conversation) => collect(client, conversation.episodes(), solved, &mut of_file),
            Err(error) => {
                let reason = error.to_string();
                batch.skipped.push(Skipped { id: name, reason });
                return Ok(());
            }
        }
    }
    let written_at = Timestamp::try_from(changed).ok();
    let written_at = written_at.map(|time| format!("{}", time.strftime("%Y-%m-%d")));
    for (fingerprint, found) in of_file {
        match (solved.get_mut(&fingerprint), found.draft) {
            (Some(known), _) => {
                known.times += 1;
                let reason = "it is the same error as another one".to_owned();
                let id = format!("{name}: {fingerprint}");
                batch.skipped.push(Skipped { id, reason });
            }
            (None, Some(draft)) => {
                let one = Solved {
                    draft,
                    fingerprint: fingerprint.clone(),
                    times: 1,
                    failures: found.failures,
                    written_at: written_at.clone(),
                };
                solved.insert(fingerprint, one);
            }
            (None, None) => {}
        }
    }
    Ok(())
}

/// Returns the id of an error: the beginning of a hash of its fingerprint.
fn id_of(fingerprint: &str) -> String {
    let hash = Sha256::digest(fingerprint.as_bytes());
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Adds the episodes of a part of a transcript. Of the same error the last one counts. Only drafts are kept, because an
/// episode may be large.
fn collect(
    client: &RecallKitClient,
    episodes: Vec<Episode>,
    solved: &HashMap<String, Solved>,
    of_file: &mut HashMap<String, Found>,
) {
    let episodes = episodes.into_iter();
    let last: HashMap<String, Episode> = episodes
        .map(|episode| (id_of(&client.fingerprint_of(&episode)), episode))
        .collect();
    for (fingerprint, episode) in last {
        let is_known = solved.contains_key(&fingerprint);
        let found = Found {
            draft: (!is_known).then(|| client.draft_of(&episode)),
            failures: episode.failures,
        };
        of_file.insert(fingerprint, found);
    }
}

/// Reads whole lines until the piece is full; returns false at the end. A line that is longer than a piece is
/// left out.
fn read_piece(reader: &mut impl BufRead, piece: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut has_read = false;
    while piece.len() < PIECE_BYTES {
        let before = piece.len();
        let mut line = std::io::Read::take(&mut *reader, PIECE_BYTES as u64);
        let read = line.read_until(b'\n', piece)?;
        if read == 0 {
            break;
        }
        has_read = true;
        if read == PIECE_BYTES && !piece.ends_with(b"\n") {
            piece.truncate(before);
            reader.skip_until(b'\n')?;
        }
    }
    Ok(has_read)
}

/// Keeps the whole lines at the end of a piece.
fn keep_end(piece: &mut Vec<u8>) {
    let from = piece.len().saturating_sub(OVERLAP_BYTES);
    let end = piece.get(from..).unwrap_or_default();
    let line = end.iter().position(|byte| *byte == b'\n');
    let whole = line.map_or(piece.len(), |at| from + at + 1);
    piece.drain(..whole);
}

fn add(one: Solved, batch: &mut Batch) {
    let Draft {
        title,
        problem_description,
        root_cause,
        solution,
        context,
        mut keywords,
        // Nobody is shown it record by record; servers read it from the texts.
        applies: _,
    } = one.draft;
    let id = one.fingerprint;
    if solution.trim().is_empty() || title.trim().is_empty() {
        let reason = "the transcript does not say what solved it".to_owned();
        return batch.skipped.push(Skipped { id, reason });
    }
    if one.times > 1 {
        keywords.push(format!("seen-{}-times", one.times));
    }
    batch.records.push(Record {
        id,
        written_at: one.written_at,
        title,
        project: None,
        tags: keywords,
        body: Body::Experience {
            problem: problem_description,
            root_cause,
            solution,
            context,
        },
        related: Vec::new(),
    });
}
