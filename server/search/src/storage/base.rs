//! The base: postings on disk, memory-mapped, up to a known `seq`.
//!
//! It is a tantivy index with one text field. The commit payload has the `seq` up to which it is complete, so
//! any process may read it, and the process that gets the writer lock may extend it. Scoring is not done here:
//! [`crate::text`] reads the postings of base and delta with shared statistics.

use std::{ops::RangeInclusive, path::Path, sync::Arc};

use tantivy::{
    Directory as _, Index, IndexReader, IndexWriter, InvertedIndexReader, ReloadPolicy,
    SegmentReader, TantivyDocument, TantivyError, Term,
    directory::{META_LOCK, MmapDirectory, error::LockError},
    fieldnorm::FieldNormReader,
    postings::TermInfo,
    schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{PreTokenizedString, Token},
};

use uuid::Uuid;

use super::{delta::Delta, records::SlotsBySeq};
use crate::{IndexError, window::Postings};

/// Memory of the writer while it extends the base, in bytes; tantivy requires at least 15 MB per thread.
const WRITER_MEMORY: usize = 50_000_000;
/// Bytes at the end of each file that hold the length of its footer.
const FOOTER_END: u64 = 8;
/// The file that lists the segments of an index.
const META: &str = "meta.json";
/// The extensions of the files that every segment has.
const NEEDED: [&str; 6] = ["fast", "fieldnorm", "idx", "pos", "store", "term"];
/// Marks a document of the base that no live record points to.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// A record's terms, in the delta or about to be written into the base.
#[derive(Clone)]
pub(crate) struct TermDocument {
    pub(crate) seq: u64,
    /// See [`short_id`].
    pub(crate) id: u64,
    pub(crate) terms: Arc<[String]>,
}

/// An opened base and the mapping of its documents to the records of this process.
pub(crate) struct Base {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    snapshot: Snapshot,
}

/// The contents of a base at one point in time.
#[derive(Default)]
pub(crate) struct Snapshot {
    seq: u64,
    segments: Vec<Arc<Segment>>,
    tokens: u64,
}

/// A segment of the base with cached data of its documents.
#[derive(Clone)]
pub(crate) struct Segment {
    reader: SegmentReader,
    inverted: Arc<InvertedIndexReader>,
    /// Document → length id.
    lengths: Vec<u8>,
    /// Document → slot, or [`NO_SLOT`]; empty until it is mapped.
    slots: Vec<u32>,
    /// Documents with a slot.
    mapped: usize,
}

impl Segment {
    fn open(reader: &SegmentReader, text: Field) -> Result<Self, IndexError> {
        let lengths = reader.get_fieldnorms_reader(text)?;
        let documents = 0..reader.max_doc();
        Ok(Self {
            inverted: reader.inverted_index(text)?,
            lengths: documents.map(|d| lengths.fieldnorm_id(d)).collect(),
            reader: reader.clone(),
            slots: Vec::new(),
            mapped: 0,
        })
    }

    /// Returns whether a reader has the same documents.
    fn is_same(&self, reader: &SegmentReader) -> bool {
        self.reader.segment_id() == reader.segment_id()
            && self.reader.num_deleted_docs() == reader.num_deleted_docs()
    }

    /// Returns the postings of a term that [`Base::term_infos`] found here.
    pub(crate) fn postings(&self, term: &TermInfo) -> Result<Postings<'static>, IndexError> {
        let option = IndexRecordOption::WithFreqs;
        let postings = self
            .inverted
            .read_block_postings_from_terminfo(term, option)?;
        Ok(Postings::Base(Box::new(postings)))
    }

    /// Returns the length id of every document.
    pub(crate) fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    /// Returns the slot of a document, if a record points to it.
    pub(crate) fn slot(&self, document: u32) -> Option<u32> {
        let slot = self.slots.get(document as usize).copied();
        slot.filter(|slot| *slot != NO_SLOT)
    }

    /// See [`Snapshot::map_slots`].
    fn map(&mut self, records: &SlotsBySeq) -> Result<(), IndexError> {
        let seqs = self
            .reader
            .fast_fields()
            .u64("seq")?
            .first_or_default_col(0);
        let ids = self.reader.fast_fields().u64("id")?.first_or_default_col(0);
        let mut lookup = records.lookup();
        self.slots = (0..self.reader.max_doc())
            .map(|document| {
                let slot = lookup.slot(seqs.get_val(document), ids.get_val(document));
                let slot = slot.filter(|_| !self.reader.is_deleted(document));
                slot.unwrap_or(NO_SLOT)
            })
            .collect();
        self.mapped = self.slots.iter().filter(|slot| **slot != NO_SLOT).count();
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Fields {
    text: Field,
    seq: Field,
    id: Field,
}

impl Base {
    /// Opens the base in a folder, or an empty one in memory.
    pub(crate) fn open(folder: Option<&Path>) -> Result<Self, IndexError> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(true);
        let text = schema.add_text_field(
            "text",
            TextOptions::default().set_indexing_options(indexing),
        );
        let seq = schema.add_u64_field("seq", FAST | INDEXED);
        let id = schema.add_u64_field("id", FAST);
        let schema = schema.build();
        let index = match folder {
            Some(folder) => {
                std::fs::create_dir_all(folder)?;
                if !folder.join(META).exists() && folder.read_dir()?.next().is_some() {
                    return Err(IndexError::Foreign);
                }
                let directory = MmapDirectory::open(folder).map_err(TantivyError::from)?;
                Index::open_or_create(directory, schema)?
            }
            None => Index::create_in_ram(schema),
        };
        if let Some(folder) = folder {
            check_files(&index, folder)?;
        }
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let mut base = Self {
            index,
            reader,
            fields: Fields { text, seq, id },
            snapshot: Snapshot::default(),
        };
        if let Some(snapshot) = base.view().newer(0..=u64::MAX)? {
            base.show(snapshot);
        }
        Ok(base)
    }

    /// Returns the `seq` up to which the base is complete.
    pub(crate) fn seq(&self) -> u64 {
        self.snapshot.seq
    }

    /// Returns how many documents the base holds, including replaced ones.
    pub(crate) fn len(&self) -> u64 {
        let documents = self.segments().iter().map(|s| s.reader.num_docs());
        documents.map(u64::from).sum()
    }

    /// Returns how many weighted terms the base holds, including those of replaced documents.
    pub(crate) fn token_count(&self) -> u64 {
        self.snapshot.tokens
    }

    /// Returns the segments of the base.
    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.snapshot.segments
    }

    /// Looks up a term in every segment.
    pub(crate) fn term_infos(&self, term: &str) -> Result<Vec<Option<TermInfo>>, IndexError> {
        let term = Term::from_field_text(self.fields.text, term);
        let infos = self
            .segments()
            .iter()
            .map(|segment| segment.inverted.get_term_info(&term));
        Ok(infos.collect::<std::io::Result<_>>()?)
    }

    /// Adds documents, removes stale ones and makes the base complete up to `seq`. Does nothing if another
    /// process is extending the base, or has done so since this process last read it.
    pub(crate) fn extend(
        handle: &BaseHandle,
        documents: &[TermDocument],
        seq: u64,
    ) -> Result<(), IndexError> {
        // This is checked twice: before creating the writer, which is expensive, and under its lock, where the
        // result is reliable.
        let view = &handle.view;
        if payload_seq(&view.index)? != view.seq {
            return Ok(());
        }
        let mut writer: IndexWriter = match view.index.writer_with_num_threads(1, WRITER_MEMORY) {
            Ok(writer) => writer,
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if payload_seq(&view.index)? != view.seq {
            return Ok(());
        }
        for stale in &handle.stale {
            writer.delete_term(Term::from_field_u64(view.fields.seq, *stale));
        }
        for document in documents {
            let mut row = TantivyDocument::default();
            row.add_pre_tokenized_text(view.fields.text, pre_tokenized(&document.terms));
            row.add_u64(view.fields.seq, document.seq);
            row.add_u64(view.fields.id, document.id);
            writer.add_document(row)?;
        }
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&seq.to_string());
        commit.commit()?;
        writer.wait_merging_threads()?;
        Ok(())
    }

    /// Returns what [`Base::extend`] needs, so that extending holds no lock on the base.
    pub(crate) fn handle(&self, delta: &Delta) -> Result<BaseHandle, IndexError> {
        Ok(BaseHandle {
            stale: self.stale(delta)?,
            view: self.view(),
        })
    }

    /// Returns a cheap copy of what is needed to read a newer state from disk.
    fn view(&self) -> BaseView {
        BaseView {
            index: self.index.clone(),
            reader: self.reader.clone(),
            fields: self.fields,
            seq: self.snapshot.seq,
            segments: self.snapshot.segments.clone(),
        }
    }

    /// Returns the `seq` of each document that no record points to, or whose newer version is in the delta.
    fn stale(&self, delta: &Delta) -> Result<Vec<u64>, IndexError> {
        let mut stale = Vec::new();
        for segment in self.segments() {
            let Segment { reader, slots, .. } = &**segment;
            let seqs = reader.fast_fields().u64("seq")?.first_or_default_col(0);
            let documents = (0_u32..)
                .zip(slots)
                .filter(|(document, _)| !reader.is_deleted(*document));
            let outdated =
                documents.filter(|(_, slot)| **slot == NO_SLOT || delta.contains(**slot));
            stale.extend(outdated.map(|(document, _)| seqs.get_val(document)));
        }
        Ok(stale)
    }

    /// Replaces the snapshot; returns the previous one, because dropping it takes a while.
    pub(crate) fn show(&mut self, snapshot: Snapshot) -> Snapshot {
        std::mem::replace(&mut self.snapshot, snapshot)
    }

    /// See [`Snapshot::map_slots`].
    pub(crate) fn map_slots(&mut self, records: &SlotsBySeq) -> Result<usize, IndexError> {
        self.snapshot.map_slots(records)
    }

    /// Returns `seq` and id of every document; the slot of each is its number in its segment.
    pub(crate) fn documents(&self) -> Result<SlotsBySeq, IndexError> {
        let mut columns = Vec::with_capacity(self.segments().len());
        for segment in self.segments() {
            let reader = &segment.reader;
            let seqs = reader.fast_fields().u64("seq")?.first_or_default_col(0);
            let ids = reader.fast_fields().u64("id")?.first_or_default_col(0);
            columns.push((reader, seqs, ids));
        }
        let documents = columns.iter().flat_map(|(reader, seqs, ids)| {
            let alive = (0..reader.max_doc()).filter(|document| !reader.is_deleted(*document));
            alive.map(|document| (seqs.get_val(document), ids.get_val(document), document))
        });
        Ok(SlotsBySeq::of(documents))
    }
}

impl Snapshot {
    /// Returns the `seq` up to which it is complete.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// Maps documents that have no slots yet to those of the records with the same `seq` and id,
    /// and returns how many documents have one in all.
    ///
    /// Documents that were mapped before stay right: the version that a record had then is either still its
    /// newest, or it was replaced by one in the delta, or it was deleted, and then the segment differs.
    pub(crate) fn map_slots(&mut self, records: &SlotsBySeq) -> Result<usize, IndexError> {
        let is_new = |segment: &&mut Arc<Segment>| segment.slots.is_empty();
        for segment in self.segments.iter_mut().filter(is_new) {
            Arc::make_mut(segment).map(records)?;
        }
        Ok(self.segments.iter().map(|segment| segment.mapped).sum())
    }
}

/// The state of a base at one point in time, independent of the locks around it.
struct BaseView {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    seq: u64,
    segments: Vec<Arc<Segment>>,
}

impl BaseView {
    /// Opens the state on disk if its `seq` is in the allowed range; new documents have no slots until
    /// [`Snapshot::map_slots`] is called.
    fn newer(&self, allowed: RangeInclusive<u64>) -> Result<Option<Snapshot>, IndexError> {
        let seq = loop {
            let before = payload_seq(&self.index)?;
            self.reader.reload()?;
            if payload_seq(&self.index)? == before {
                break before;
            }
        };
        if !allowed.contains(&seq) {
            return Ok(None);
        }
        let mut newer = Snapshot {
            seq,
            ..Snapshot::default()
        };
        for reader in self.reader.searcher().segment_readers() {
            let known = self.segments.iter().find(|known| known.is_same(reader));
            let segment = match known {
                Some(known) => Arc::clone(known),
                None => Arc::new(Segment::open(reader, self.fields.text)?),
            };
            newer.tokens += segment.inverted.total_num_tokens();
            newer.segments.push(segment);
        }
        Ok(Some(newer))
    }
}

/// What is needed to extend a base.
pub(crate) struct BaseHandle {
    view: BaseView,
    stale: Vec<u64>,
}

impl BaseHandle {
    /// Returns the `seq` up to which the base was complete.
    pub(crate) fn seq(&self) -> u64 {
        self.view.seq
    }

    /// Opens the state on disk if it is newer than the handle and not newer than `last_seq`; its new documents
    /// are mapped by [`Snapshot::map_slots`]. This is slow but needs no lock.
    pub(crate) fn newer(&self, last_seq: u64) -> Result<Option<Snapshot>, IndexError> {
        self.view.newer(self.view.seq + 1..=last_seq)
    }
}

/// Returns the half of an id that is stored in the base. `seq` alone could match the record of another database,
/// for example after a database file was copied and both copies were written to.
pub(crate) fn short_id(id: Uuid) -> u64 {
    id.as_u64_pair().1
}

/// Rounds a length to the byte that the base stores, so that the delta gives the same scores.
pub(crate) fn length_id(length: u32) -> u8 {
    FieldNormReader::fieldnorm_to_id(length)
}

/// Returns the length that a [`length_id`] represents.
pub(crate) fn length_of(id: u8) -> u32 {
    FieldNormReader::id_to_fieldnorm(id)
}

/// Compares every file with its checksum. tantivy trusts the files that it maps: a damaged file would make it
/// panic or return wrong results. Some missing files it would notice only later.
fn check_files(index: &Index, folder: &Path) -> Result<(), IndexError> {
    // While this lock is held, no process removes files, for example after a merge.
    let lock = index.directory().acquire_lock(&META_LOCK);
    let _held = lock.map_err(|error| TantivyError::LockFailure(error, None))?;
    let mut files = 0;
    for path in index.load_metas()?.list_segment_files() {
        let is_intact = match folder.join(&path).metadata() {
            // tantivy panics on a file that is too short for the end of a footer.
            Ok(file) if file.len() < FOOTER_END => false,
            Ok(_) => {
                let checked = index.directory().validate_checksum(&path);
                checked.map_err(TantivyError::from)?
            }
            Err(_) => !NEEDED
                .iter()
                .any(|kind| path.extension() == Some(kind.as_ref())),
        };
        files += usize::from(!is_intact);
    }
    match files {
        0 => Ok(()),
        files => Err(IndexError::Torn { files }),
    }
}

/// Reads the `seq` of the last commit.
fn payload_seq(index: &Index) -> Result<u64, IndexError> {
    match index.load_metas()?.payload {
        None => Ok(0),
        Some(payload) => payload.parse().map_err(|_| IndexError::Foreign),
    }
}

/// Wraps terms for tantivy; positions and offsets are not indexed.
fn pre_tokenized(terms: &[String]) -> PreTokenizedString {
    let tokens = terms.iter().enumerate().map(|(position, term)| Token {
        offset_from: 0,
        offset_to: 0,
        position,
        text: term.clone(),
        position_length: 1,
    });
    PreTokenizedString {
        text: String::new(),
        tokens: tokens.collect(),
    }
}
