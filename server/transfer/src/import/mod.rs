//! Imports the records of an export.
//!
//! One thread reads and validates the next batch while the database stores the previous one; each batch is
//! one transaction. An import that failed is simply run again: records that are stored are skipped.

mod knowledge;
mod outcomes;

use std::{
    io::{self, BufRead},
    time::{Duration, Instant},
};

use recall_kit_core::vectors::MAX_VECTORS;
use recall_kit_embed::Embedder;
use recall_kit_sanitizer::without_invisible;
use recall_kit_search::{UnfitVector, check_stored};
use recall_kit_store::{
    Experience, Import, KnowledgeRecord, Store, StoreError, StoredExperience, StoredOutcome,
};
use tokio::sync::mpsc;

pub(crate) use self::knowledge::entry_differences;
use super::{
    MAX_LINE_BYTES,
    line::{self, Header, HeaderError, LineError, Record},
    lines::{Found, Lines},
};

/// Records stored in one transaction.
const BATCH: usize = 500;
/// Bytes of lines after which a batch is full even with fewer records.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;

/// The longest pause between two transactions, in which others can write.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The lines of the input.
type Input = Lines<Box<dyn BufRead + Send>>;

/// Why an import failed; records that were imported until then stay.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The lines could not be read.
    #[error("the file could not be read")]
    Read(#[from] io::Error),
    /// The file is not an export that this program can read.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The database failed.
    #[error("the records could not be stored")]
    Store(#[from] StoreError),
    /// The task that reads the file panicked or was cancelled.
    #[error("reading the file stopped unexpectedly")]
    Broken,
}

/// An event of a running import.
#[derive(Debug)]
pub enum Event<'a> {
    /// A line was rejected.
    Refused {
        /// The line's number, counted from 1.
        line: u64,
        /// Why.
        reason: &'a LineError,
    },
    /// Another record has the line's id; it is kept.
    Conflict {
        /// The line's number, counted from 1.
        line: u64,
        /// The id.
        id: String,
        /// The fields in which they differ.
        differs: Vec<&'static str>,
    },
    /// A line's vector cannot be used; the record is stored without one, and the vector is computed
    /// later.
    UnfitVector {
        /// The line's number, counted from 1.
        line: u64,
        /// Why.
        reason: UnfitVector,
    },
    /// A batch was stored.
    Progress {
        /// Lines processed so far.
        records: u64,
        /// Bytes read so far.
        bytes: u64,
    },
}

/// The result of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Records that were stored.
    pub imported: u64,
    /// Of these, records that get their vectors later.
    pub without_vector: u64,
    /// Lines whose vector could not be used.
    pub unfit_vectors: u64,
    /// Records that were stored already.
    pub already_there: u64,
    /// Records whose id belongs to another record.
    pub conflicts: u64,
    /// Lines that were rejected.
    pub refused: u64,
}

impl ImportReport {
    /// Returns the number of processed lines.
    pub fn lines(&self) -> u64 {
        self.imported + self.already_there + self.conflicts + self.refused
    }
}

/// Lines that were read and validated.
struct Batch {
    numbers: Vec<u64>,
    records: Vec<StoredExperience>,
    /// Records of the knowledge base with their line numbers, in order.
    knowledge: Vec<(u64, KnowledgeRecord)>,
    /// Outcomes with their line numbers.
    outcomes: Vec<(u64, StoredOutcome)>,
    refused: Vec<(u64, LineError)>,
    /// Bytes read so far.
    bytes: u64,
    /// Whether there is nothing more to read.
    is_last: bool,
}

/// Imports what an export wrote.
///
/// Vectors are imported if they are from the database's model, or from the `configured` one if the
/// database has none yet, and have the model's dimensions; other records are stored without vectors.
/// `on_event` is called with each event, in order.
pub async fn import(
    store: &dyn Store,
    configured: Option<&dyn Embedder>,
    input: Box<dyn BufRead + Send>,
    on_event: impl FnMut(Event<'_>),
) -> Result<ImportReport, ImportError> {
    let (header, lines) = blocking(move || read_header(input)).await??;
    let model = usable_model(store, header.embedding_model, configured).await?;
    let mut importer = Importer {
        store,
        dimensions: dimensions(store, model.as_deref(), configured).await?,
        model,
        report: ImportReport::default(),
        on_event,
    };
    let (sender, mut batches) = mpsc::channel(1);
    let reading = tokio::task::spawn_blocking(move || read_batches(lines, &sender));
    while let Some(mut batch) = batches.recv().await {
        importer.store_batch(&mut batch).await?;
    }
    reading.await.map_err(|_| ImportError::Broken)??;
    Ok(importer.report)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ImportError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| ImportError::Broken)
}

fn read_header(input: Box<dyn BufRead + Send>) -> Result<(Header, Input), ImportError> {
    let mut lines = Lines::new(input, MAX_LINE_BYTES);
    let first = match lines.next()? {
        Found::Line(line) => line,
        Found::TooLong => return Err(HeaderError::Foreign.into()),
        Found::End => return Err(HeaderError::Empty.into()),
    };
    Ok((Header::read(&first)?, lines))
}

/// Returns the model of the file if its vectors can be used.
async fn usable_model(
    store: &dyn Store,
    of_file: Option<String>,
    configured: Option<&dyn Embedder>,
) -> Result<Option<String>, StoreError> {
    let Some(of_file) = of_file else {
        return Ok(None);
    };
    let mut of_database = store.embedding_model().await?;
    let is_configured = configured.is_some_and(|embedder| embedder.model() == of_file);
    if of_database.is_none() && is_configured {
        store.claim_embedding_model(&of_file).await?;
        of_database = store.embedding_model().await?;
    }
    Ok(of_database.filter(|model| *model == of_file))
}

/// Returns the dimensions of a model's vectors, if the model or the database knows them.
async fn dimensions(
    store: &dyn Store,
    model: Option<&str>,
    configured: Option<&dyn Embedder>,
) -> Result<Option<usize>, StoreError> {
    let Some(model) = model else {
        return Ok(None);
    };
    let configured = configured.filter(|embedder| embedder.model() == model);
    if let Some(known) = configured.and_then(Embedder::dimensions) {
        return Ok(Some(known));
    }
    let stored = store.any_vector(model).await?;
    Ok(stored.and_then(|stored| check_stored(&stored, None, MAX_VECTORS).ok()))
}

/// Reads to the end, or until the receiver is dropped.
fn read_batches(mut lines: Input, batches: &mpsc::Sender<Batch>) -> io::Result<()> {
    loop {
        let batch = read_batch(&mut lines)?;
        let is_last = batch.is_last;
        if batches.blocking_send(batch).is_err() || is_last {
            return Ok(());
        }
    }
}

fn read_batch(lines: &mut Input) -> io::Result<Batch> {
    let mut batch = Batch {
        numbers: Vec::new(),
        records: Vec::new(),
        knowledge: Vec::new(),
        outcomes: Vec::new(),
        refused: Vec::new(),
        bytes: 0,
        is_last: false,
    };
    let full_at = lines.bytes() + BATCH_BYTES;
    let size = |batch: &Batch| {
        let others = batch.outcomes.len() + batch.refused.len();
        batch.records.len() + batch.knowledge.len() + others
    };
    while size(&batch) < BATCH && lines.bytes() < full_at {
        let read = match lines.next()? {
            Found::End => {
                batch.is_last = true;
                break;
            }
            Found::TooLong => Err(LineError::TooLong),
            Found::Line(line) if line.trim_ascii().is_empty() => continue,
            Found::Line(line) => line::read(&line),
        };
        match read {
            Ok(Record::Experience(record)) => {
                batch.numbers.push(lines.number());
                batch.records.push(*record);
            }
            Ok(Record::Knowledge(record)) => batch.knowledge.push((lines.number(), record)),
            Ok(Record::Outcome(outcome)) => batch.outcomes.push((lines.number(), outcome)),
            Err(reason) => batch.refused.push((lines.number(), reason)),
        }
    }
    batch.bytes = lines.bytes();
    Ok(batch)
}

/// Stores batches in a database.
struct Importer<'a, F> {
    store: &'a dyn Store,
    /// The model of the file, if its vectors can be used.
    model: Option<String>,
    /// The dimensions of its vectors; while unknown, the first vector sets them.
    dimensions: Option<usize>,
    report: ImportReport,
    on_event: F,
}

impl<F: FnMut(Event<'_>)> Importer<'_, F> {
    async fn store_batch(&mut self, batch: &mut Batch) -> Result<(), StoreError> {
        self.drop_unfit_vectors(batch);
        let started = Instant::now();
        let model = self.model.as_deref();
        let imports = self.store.import_experiences(model, &batch.records).await?;
        self.store_outcomes(&mut batch.outcomes).await?;
        self.store_knowledge(&mut batch.knowledge).await?;
        // Other writers poll for a gap only now and then, so half of the time is left to them.
        let pause = tokio::time::sleep(started.elapsed().min(LONGEST_PAUSE));
        for (line, reason) in &batch.refused {
            self.report.refused += 1;
            (self.on_event)(Event::Refused {
                line: *line,
                reason,
            });
        }
        for ((import, record), line) in imports.iter().zip(&batch.records).zip(&batch.numbers) {
            self.report_experience(import, record, *line);
        }
        (self.on_event)(Event::Progress {
            records: self.report.lines(),
            bytes: batch.bytes,
        });
        pause.await;
        Ok(())
    }

    /// Removes the vectors that cannot be compared with others; they are computed again later.
    fn drop_unfit_vectors(&mut self, batch: &mut Batch) {
        if self.model.is_none() {
            return;
        }
        for (record, line) in batch.records.iter_mut().zip(&batch.numbers) {
            let Some(vector) = &record.vector else {
                continue;
            };
            match check_stored(vector, self.dimensions, MAX_VECTORS) {
                Ok(dimensions) => self.dimensions = Some(dimensions),
                Err(reason) => {
                    record.vector = None;
                    self.report.unfit_vectors += 1;
                    (self.on_event)(Event::UnfitVector {
                        line: *line,
                        reason,
                    });
                }
            }
        }
    }

    fn report_experience(&mut self, import: &Import, record: &StoredExperience, line: u64) {
        let Import::Existing(existing) = import else {
            self.report.imported += 1;
            let lacks_vector = self.model.is_none() || record.vector.is_none();
            self.report.without_vector += u64::from(lacks_vector);
            return;
        };
        let differs = experience_differences(existing, &record.experience);
        if differs.is_empty() {
            self.report.already_there += 1;
        } else {
            self.report.conflicts += 1;
            (self.on_event)(Event::Conflict {
                line,
                id: existing.id.to_string(),
                differs,
            });
        }
    }
}

/// Whether two texts are equal, ignoring invisible characters, which older programs did not remove.
fn is_same(one: &str, other: &str) -> bool {
    one == other || without_invisible(one) == without_invisible(other)
}

fn is_same_if_any(one: &Option<String>, other: &Option<String>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_same(one, other),
        (one, other) => one == other,
    }
}

fn are_same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| is_same(one, other))
}

/// Returns the fields in which two experiences with the same id differ. Counts may differ, since one was
/// queried more often.
pub(crate) fn experience_differences(one: &Experience, other: &Experience) -> Vec<&'static str> {
    let (a, b) = (&one.content, &other.content);
    let same = [
        ("title", is_same(&a.title, &b.title)),
        (
            "problem_description",
            is_same(&a.problem_description, &b.problem_description),
        ),
        ("root_cause", is_same_if_any(&a.root_cause, &b.root_cause)),
        ("solution", is_same(&a.solution, &b.solution)),
        ("context", is_same_if_any(&a.context, &b.context)),
        ("keywords", are_same(&a.keywords, &b.keywords)),
        ("applies", a.applies == b.applies),
        ("created_at", one.created_at == other.created_at),
    ];
    let different = same.into_iter().filter(|(_, same)| !same);
    different.map(|(field, _)| field).collect()
}
