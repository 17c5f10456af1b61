//! The language map: moves the model's vectors to where texts about one thing are alike in any two
//! languages, and tells a text's language.
//!
//! Vectors of the model say much about the language of a text: among records in several languages,
//! those in the question's own lie nearer, whatever they are about. One matrix, trained on texts and
//! their translations, takes that out of the centred vectors of questions and of records. A linear
//! classifier tells the language, from the vector as it was before.
//!
//! `server/embed/models/training` makes the file, and says from what.

use std::sync::LazyLock;

use super::{
    blocks::f32_from_f16,
    kernel::{Kernel, Operation},
};
use crate::centre::normalized;

static MAP: &[u8] = include_bytes!("../../../models/multilingual-e5-small-map.bin");

const MAGIC: &[u8; 8] = b"RKMAP001";
/// Outputs that are summed up together.
const LANES: usize = 64;
/// Bytes of a language's name.
const NAME: usize = 2;
/// How much likelier a language must be than the next, in log odds, to be told.
const LEAST_MARGIN: f32 = 1.0;

/// Why a file is no map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MapError {
    /// It begins otherwise: something else, or of another version.
    #[error("it is no language map that this program reads")]
    Foreign,
    /// It is shorter or longer than it says.
    #[error("it is cut short, or has more than it should")]
    Length,
    /// Its checksum is another.
    #[error("it is damaged: its checksum differs")]
    Damaged,
}

/// A map and a classifier for vectors of one model.
#[derive(Debug)]
pub(crate) struct LanguageMap {
    dimensions: usize,
    kernel: Kernel,
    /// The matrix in blocks of [`LANES`] outputs: of each block the factors of the first input, then
    /// those of the second.
    blocks: Vec<[f32; LANES]>,
    /// The weights of the languages, in such blocks too.
    weights: Vec<[f32; LANES]>,
    /// One of each language.
    biases: Vec<f32>,
    checksum: u32,
}

impl LanguageMap {
    /// Returns the map of the built-in model.
    pub(crate) fn builtin() -> &'static Self {
        static LOADED: LazyLock<LanguageMap> =
            LazyLock::new(|| LanguageMap::parse(MAP).expect("the shipped map is whole"));
        &LOADED
    }

    /// Reads a map; `server/embed/models/README.md` has the layout.
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
        // The names are for whoever looks at the file.
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

    /// Returns what tells this map from others.
    pub(crate) fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Maps a centred vector. *Shape*: `(dimensions,)`, L2-normalised; a vector of another size stays as
    /// it is.
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

    /// Returns which of the file's languages a text is in, counted from 0, by its centred vector before it
    /// was mapped; `None` where no language stands out, and for a vector of another size.
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

/// Lays a matrix out in blocks whose rows have so many inputs.
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
    /// Rows of the matrix.
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
