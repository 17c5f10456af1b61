//! The language map transforms the model's vectors so that texts about the same thing are similar in any two
//! languages, and recognizes the language of a text.
//!
//! The model's vectors say much about the language of a text: among records in several languages, those in the
//! question's language are nearer, whatever they are about. One matrix, trained on texts and their translations,
//! removes this from the centred vectors of questions and of records. A linear classifier recognizes the
//! language from the vector before it is mapped.
//!
//! `server/embed/models/training` creates the file and describes the training texts.

use std::sync::LazyLock;

use super::{
    blocks::f32_from_f16,
    kernel::{Kernel, Operation},
};
use crate::centre::normalized;

static MAP: &[u8] = include_bytes!("../../../models/multilingual-e5-small-map.bin");

const MAGIC: &[u8; 8] = b"RKMAP001";
/// The number of outputs that are computed together.
const LANES: usize = 64;
/// Bytes of a language's name.
const NAME: usize = 2;
/// By how much, in log odds, a language must be likelier than the next one to be recognized.
const LEAST_MARGIN: f32 = 1.0;

/// Why a file is not a usable map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MapError {
    /// It does not begin with the magic bytes: it is another file, or another version of the format.
    #[error("it is not a language map that this program can read")]
    Foreign,
    /// Its length does not match the sizes in its header.
    #[error("it is truncated, or longer than it should be")]
    Length,
    /// Its checksum does not match.
    #[error("it is damaged: its checksum does not match")]
    Damaged,
}

/// A map and a language classifier for vectors of one model.
#[derive(Debug)]
pub(crate) struct LanguageMap {
    dimensions: usize,
    kernel: Kernel,
    /// The matrix in blocks of [`LANES`] outputs: in each block first the factors of the first input, then those
    /// of the second.
    blocks: Vec<[f32; LANES]>,
    /// The weights of the language classifier, in blocks as above.
    weights: Vec<[f32; LANES]>,
    /// One for each language.
    biases: Vec<f32>,
    checksum: u32,
}

impl LanguageMap {
    /// Returns the map of the built-in model.
    pub(crate) fn builtin() -> &'static Self {
        static LOADED: LazyLock<LanguageMap> =
            LazyLock::new(|| LanguageMap::parse(MAP).expect("the built-in map is valid"));
        &LOADED
    }

    /// Parses a map; `server/embed/models/README.md` describes the layout.
    fn parse(file: &[u8]) -> Result<Self, MapError> {
        let (magic, sizes) = file.split_first_chunk::<8>().ok_or(MapError::Foreign)?;
        if magic != MAGIC {
            return Err(MapError::Foreign);
        }
        let (content, checksum) = file.split_last_chunk::<4>().ok_or(MapError::Length)?;
        let (sizes, _) = sizes.split_first_chunk::<8>().ok_or(MapError::Length)?;
        let [dimensions, languages] = [0, 4].map(|at| {
            let bytes = sizes
                .get(at..at + 4)
                .and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u32::from_le_bytes) as usize
        });
        let length = matrix_and_classifier(dimensions, languages).ok_or(MapError::Length)?;
        let parts = content.get(16..).filter(|parts| parts.len() == length);
        let parts = parts.ok_or(MapError::Length)?;
        let checksum = u32::from_le_bytes(*checksum);
        if crc32fast::hash(content) != checksum {
            return Err(MapError::Damaged);
        }
        // The names of the languages are only for people who inspect the file.
        let (_, parts) = parts.split_at(languages * NAME);
        let (matrix, classifier) = parts.split_at(2 * dimensions * dimensions);
        let (weights, biases) = classifier.split_at(4 * languages * dimensions);
        Ok(Self {
            dimensions,
            kernel: Kernel::best(),
            blocks: blocks(&halves(matrix).collect::<Vec<f32>>(), dimensions),
            weights: blocks(&singles(weights).collect::<Vec<f32>>(), dimensions),
            biases: singles(biases).collect(),
            checksum,
        })
    }

    /// Returns a checksum that identifies this map.
    pub(crate) fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Maps a centred vector. *Shape*: `(dimensions,)`, L2-normalised; a vector of another size is returned
    /// unchanged.
    pub(crate) fn map(&self, vector: &[f32]) -> Vec<f32> {
        if vector.len() != self.dimensions {
            return vector.to_vec();
        }
        normalized(self.kernel.run(Product {
            blocks: &self.blocks,
            outputs: self.dimensions,
            vector,
        }))
    }

    /// Returns in which of the file's languages a text is, counted from 0, from its centred vector before
    /// mapping; `None` if no language is clearly the likeliest, or the vector has another size.
    pub(crate) fn language(&self, vector: &[f32]) -> Option<u8> {
        if vector.len() != self.dimensions {
            return None;
        }
        let sums = self.kernel.run(Product {
            blocks: &self.weights,
            outputs: self.biases.len(),
            vector,
        });
        let scores = sums.iter().zip(&self.biases).map(|(sum, bias)| sum + bias);
        let (mut best, mut first, mut second) = (0, f32::MIN, f32::MIN);
        for (language, score) in (0_u8..).zip(scores) {
            if score > first {
                (best, first, second) = (language, score, first);
            } else {
                second = second.max(score);
            }
        }
        (first - second >= LEAST_MARGIN).then_some(best)
    }
}

/// Returns how many bytes names, matrix and classifier take.
fn matrix_and_classifier(dimensions: usize, languages: usize) -> Option<usize> {
    let matrix = dimensions.checked_mul(dimensions)?.checked_mul(2)?;
    let classifier = dimensions
        .checked_add(1)?
        .checked_mul(languages)?
        .checked_mul(4)?;
    let names = languages.checked_mul(NAME)?;
    (dimensions > 0 && languages < usize::from(u8::MAX))
        .then(|| matrix.checked_add(classifier)?.checked_add(names))?
}

/// Rearranges a matrix, whose rows have `inputs` values, into blocks.
fn blocks(matrix: &[f32], inputs: usize) -> Vec<[f32; LANES]> {
    let outputs = matrix.len() / inputs;
    let mut blocks = Vec::with_capacity(outputs.div_ceil(LANES) * inputs);
    for first in (0..outputs).step_by(LANES) {
        for input in 0..inputs {
            blocks.push(std::array::from_fn(|lane| {
                let factor = matrix.get((first + lane) * inputs + input);
                factor.copied().unwrap_or_default()
            }));
        }
    }
    blocks
}

/// The product of a matrix and a vector.
struct Product<'a> {
    blocks: &'a [[f32; LANES]],
    /// The number of rows of the matrix.
    outputs: usize,
    vector: &'a [f32],
}

impl Operation for Product<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.outputs.next_multiple_of(LANES));
        for block in self.blocks.chunks_exact(self.vector.len()) {
            let mut sums = [0.0; LANES];
            for (factors, x) in block.iter().zip(self.vector) {
                for (sum, factor) in sums.iter_mut().zip(factors) {
                    *sum += factor * x;
                }
            }
            out.extend_from_slice(&sums);
        }
        out.truncate(self.outputs);
        out
    }
}

fn singles(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32_from_f16(u16::from_le_bytes(*bytes)))
}

#[cfg(test)]
mod tests;
