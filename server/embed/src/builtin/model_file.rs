//! Parses a model file: shape, vocabulary, normalisation table and tensor directory.
//!
//! Every length is checked before it is used, so a truncated, foreign or damaged file gives a [`ModelError`] and
//! never a panic. `server/embed/models/README.md` describes the layout. The tokenizer and the encoder interpret
//! the values.

use std::collections::HashMap;

const MAGIC: &[u8; 4] = b"E5S1";
const VERSION: u32 = 1;

/// Weights of one 4-bit block: a scale and 32 nibbles (ggml's `Q4_0`).
pub(super) const BLOCK: usize = 32;
/// Bytes of one 4-bit block: an f16 scale and 16 bytes of nibbles.
pub(super) const BLOCK_BYTES: usize = 18;

/// Upper bounds on the sizes in a file, far above every model of this family.
const MAX_LAYERS: usize = 64;
const MAX_WIDTH: usize = 8192;
const MAX_POSITIONS: usize = 8192;
const MAX_PIECES: usize = 1 << 22;
const MAX_TABLE: usize = 1 << 17;
const MAX_TENSORS: usize = 4096;

/// Why a model file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    /// The file does not start with the format's magic bytes.
    #[error("not an embedding model file")]
    Foreign,
    /// The file's format version is not the one that this program reads.
    #[error("model file version {found}, this program reads version {VERSION}")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// The file ends inside the named part.
    #[error("model file ends inside its {part}")]
    Truncated {
        /// The part that is incomplete.
        part: &'static str,
    },
    /// A part of the file has invalid contents.
    #[error("model file is damaged: {detail}")]
    Damaged {
        /// What is wrong.
        detail: String,
    },
    /// A tensor that the architecture needs is not in the file.
    #[error("model file has no tensor `{name}`")]
    MissingTensor {
        /// The tensor's name.
        name: String,
    },
}

fn damaged(detail: impl Into<String>) -> ModelError {
    ModelError::Damaged {
        detail: detail.into(),
    }
}

/// The encoder's dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Width of a token's vector.
    pub(super) hidden: usize,
    /// Transformer layers.
    pub(super) layers: usize,
    /// Attention heads of a layer.
    pub(super) heads: usize,
    /// Width between the two matrices of the feed-forward half.
    pub(super) feed_forward: usize,
    /// The number of word embeddings, at least one for every piece of the tokenizer.
    pub(super) vocabulary: usize,
    /// Longest input, in tokens.
    pub(super) positions: usize,
    /// Token types; only the first is used.
    pub(super) types: usize,
}

/// The tokenizer's pieces, in the order of their ids.
#[derive(Debug)]
pub(super) struct Vocabulary<'a> {
    /// UTF-8 of each piece.
    pub(super) pieces: Vec<&'a str>,
    /// Log probability of each piece.
    pub(super) scores: Vec<f32>,
    /// Ids that do not occur in a text itself: those for the beginning and the end of a text, padding, and a
    /// character that no piece covers.
    pub(super) special: [u32; 4],
}

#[derive(Debug, Clone, Copy)]
struct TensorEntry<'a> {
    kind: u8,
    elements: usize,
    bytes: &'a [u8],
}

/// A validated model file that borrows its bytes.
#[derive(Debug)]
pub(super) struct ModelFile<'a> {
    /// The encoder's dimensions.
    pub(super) shape: Shape,
    /// Added to the variance in every layer norm.
    pub(super) epsilon: f32,
    /// The tokenizer's pieces.
    pub(super) vocabulary: Vocabulary<'a>,
    /// The replacement of each character that is not kept, in ascending order of the characters.
    pub(super) normalisation: Vec<(char, String)>,
    tensors: HashMap<&'a str, TensorEntry<'a>>,
}

impl<'a> ModelFile<'a> {
    /// Parses and validates a whole file.
    ///
    /// # Errors
    /// [`ModelError`], which says what is wrong with the file.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let mut reader = Reader {
            file: bytes,
            rest: bytes,
            part: "header",
        };
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(ModelError::Foreign);
        }
        reader.take(MAGIC.len())?;
        let found = reader.u32()?;
        if found != VERSION {
            return Err(ModelError::Version { found });
        }
        let shape = shape(&mut reader)?;
        let epsilon = reader.f32()?;
        if !(0.0..0.1).contains(&epsilon) {
            return Err(damaged(format!("layer norm epsilon {epsilon}")));
        }
        if reader.count(MAX_WIDTH)? != BLOCK {
            return Err(damaged("4-bit block size is not 32"));
        }
        Ok(Self {
            shape,
            epsilon,
            vocabulary: vocabulary(&mut reader, shape.vocabulary)?,
            normalisation: normalisation(&mut reader)?,
            tensors: tensors(&mut reader)?,
        })
    }

    /// Returns an f32 tensor of exactly `elements` finite numbers.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] or [`ModelError::Damaged`].
    pub(super) fn floats(&self, name: &str, elements: usize) -> Result<Vec<f32>, ModelError> {
        let bytes = self.tensor(name, 0, elements, elements * 4)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let values: Vec<f32> = numbers.iter().map(|&n| f32::from_le_bytes(n)).collect();
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(damaged(format!("tensor `{name}` is not finite")))
        }
    }

    /// Returns the blocks of the word embeddings, a row for every piece, followed by padding rows.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] or [`ModelError::Damaged`].
    pub(super) fn words(&self) -> Result<&'a [u8], ModelError> {
        self.blocks("emb.word", self.shape.vocabulary, self.shape.hidden)
    }

    /// Returns the blocks of a 4-bit matrix, `rows` × `columns / 32` blocks of 18 bytes.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] or [`ModelError::Damaged`].
    pub(super) fn blocks(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<&'a [u8], ModelError> {
        let elements = rows * columns;
        self.tensor(name, 1, elements, elements / BLOCK * BLOCK_BYTES)
    }

    fn tensor(
        &self,
        name: &str,
        kind: u8,
        elements: usize,
        length: usize,
    ) -> Result<&'a [u8], ModelError> {
        let entry = self
            .tensors
            .get(name)
            .ok_or_else(|| ModelError::MissingTensor {
                name: name.to_owned(),
            })?;
        if (entry.kind, entry.elements, entry.bytes.len()) == (kind, elements, length) {
            Ok(entry.bytes)
        } else {
            Err(damaged(format!(
                "tensor `{name}` has the wrong type or size"
            )))
        }
    }
}

fn shape(reader: &mut Reader<'_>) -> Result<Shape, ModelError> {
    let shape = Shape {
        hidden: reader.count(MAX_WIDTH)?,
        layers: reader.count(MAX_LAYERS)?,
        heads: reader.count(MAX_WIDTH)?,
        feed_forward: reader.count(MAX_WIDTH)?,
        vocabulary: reader.count(MAX_PIECES)?,
        positions: reader.count(MAX_POSITIONS)?,
        types: reader.count(MAX_LAYERS)?,
    };
    let widths = [shape.hidden, shape.feed_forward];
    let wrong = widths
        .iter()
        .any(|&width| width == 0 || width % super::kernel::GROUP != 0)
        || shape.heads * super::attention::HEAD != shape.hidden
        || shape.positions < 2
        || shape.types == 0;
    if wrong {
        return Err(damaged(format!("unsupported dimensions {shape:?}")));
    }
    Ok(shape)
}

fn vocabulary<'a>(
    reader: &mut Reader<'a>,
    embeddings: usize,
) -> Result<Vocabulary<'a>, ModelError> {
    reader.part = "vocabulary";
    let count = reader.count(MAX_PIECES)?;
    // The original file pads its word embeddings with rows that belong to no piece.
    if count > embeddings {
        return Err(damaged("more pieces than word embeddings"));
    }
    let special = [
        reader.id(count)?,
        reader.id(count)?,
        reader.id(count)?,
        reader.id(count)?,
    ];
    let length = usize::try_from(reader.u64()?).map_err(|_| reader.truncated())?;
    let (offsets, _) = reader.take((count + 1) * 4)?.as_chunks::<4>();
    let (scores, _) = reader.take(count * 4)?.as_chunks::<4>();
    let blob = std::str::from_utf8(reader.take(length)?)
        .map_err(|_| damaged("a vocabulary piece is not UTF-8"))?;
    let offset = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes) as usize;
    let pieces = offsets
        .array_windows::<2>()
        .map(|[from, to]| blob.get(offset(from)..offset(to)))
        .collect::<Option<Vec<&str>>>()
        .ok_or_else(|| damaged("vocabulary offsets"))?;
    let scores: Vec<f32> = scores.iter().map(|&n| f32::from_le_bytes(n)).collect();
    if !scores.iter().all(|score| score.is_finite()) {
        return Err(damaged("a vocabulary score is not finite"));
    }
    Ok(Vocabulary {
        pieces,
        scores,
        special,
    })
}

fn normalisation(reader: &mut Reader<'_>) -> Result<Vec<(char, String)>, ModelError> {
    reader.part = "normalisation table";
    let count = reader.count(MAX_TABLE)?;
    let _bytes = reader.u32()?;
    let mut table: Vec<(char, String)> = Vec::with_capacity(count);
    for _ in 0..count {
        let from = reader.char()?;
        let length = reader.u8()?;
        let to = (0..length)
            .map(|_| reader.char())
            .collect::<Result<String, _>>()?;
        if table.last().is_some_and(|(last, _)| *last >= from) {
            return Err(damaged("normalisation table is not sorted"));
        }
        table.push((from, to));
    }
    Ok(table)
}

fn tensors<'a>(reader: &mut Reader<'a>) -> Result<HashMap<&'a str, TensorEntry<'a>>, ModelError> {
    reader.part = "tensor directory";
    let count = reader.count(MAX_TENSORS)?;
    let mut tensors = HashMap::with_capacity(count);
    for _ in 0..count {
        let length = usize::from(reader.u16()?);
        let name = std::str::from_utf8(reader.take(length)?)
            .map_err(|_| damaged("a tensor name is not UTF-8"))?;
        let kind = reader.u8()?;
        let elements = reader.u32()? as usize;
        let (offset, length) = (reader.u64()?, reader.u64()?);
        let bytes = reader
            .slice(offset, length)
            .ok_or(ModelError::Truncated { part: "tensors" })?;
        let entry = TensorEntry {
            kind,
            elements,
            bytes,
        };
        if tensors.insert(name, entry).is_some() {
            return Err(damaged(format!(
                "two tensors named `{}`",
                name.escape_debug()
            )));
        }
    }
    Ok(tensors)
}

struct Reader<'a> {
    file: &'a [u8],
    rest: &'a [u8],
    part: &'static str,
}

impl<'a> Reader<'a> {
    fn truncated(&self) -> ModelError {
        ModelError::Truncated { part: self.part }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or_else(|| self.truncated())?;
        self.rest = rest;
        Ok(taken)
    }

    fn slice(&self, offset: u64, length: u64) -> Option<&'a [u8]> {
        let from = usize::try_from(offset).ok()?;
        let to = from.checked_add(usize::try_from(length).ok()?)?;
        self.file.get(from..to)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let (array, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| self.truncated())?;
        self.rest = rest;
        Ok(*array)
    }

    fn u8(&mut self) -> Result<u8, ModelError> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, ModelError> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, ModelError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, ModelError> {
        self.array().map(u64::from_le_bytes)
    }

    fn f32(&mut self) -> Result<f32, ModelError> {
        self.array().map(f32::from_le_bytes)
    }

    fn char(&mut self) -> Result<char, ModelError> {
        char::from_u32(self.u32()?)
            .ok_or_else(|| damaged(format!("a code point in the {}", self.part)))
    }

    /// Reads a count and rejects one above `limit`; negative numbers are read as very large ones.
    fn count(&mut self, limit: usize) -> Result<usize, ModelError> {
        let count = self.u32()? as usize;
        if count > limit {
            return Err(damaged(format!("{count} in the {}", self.part)));
        }
        Ok(count)
    }

    fn id(&mut self, count: usize) -> Result<u32, ModelError> {
        let id = self.u32()?;
        if id as usize >= count {
            return Err(damaged(format!("special piece {id} of {count}")));
        }
        Ok(id)
    }
}
