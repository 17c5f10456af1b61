//! The embedded multilingual model: multilingual-e5-small with 4-bit weights.
//!
//! Computes vectors in this process and without a network. The caller adds prefixes (`query: `, `passage: `) and
//! decides about batching and threads.

mod attention;
mod blocks;
mod encoder;
mod kernel;
mod language_map;
mod math;
mod model_file;
#[cfg(test)]
mod tests;
mod tokenizer;

use std::borrow::Cow;

use encoder::Encoder;
use kernel::Kernel;
pub(crate) use language_map::LanguageMap;
pub(crate) use model_file::ModelError;
use model_file::ModelFile;
use tokenizer::Tokenizer;

/// A loaded embedding model; immutable, so it can be shared by threads.
#[derive(Debug)]
pub(crate) struct BuiltinModel {
    tokenizer: Tokenizer,
    encoder: Encoder,
}

impl BuiltinModel {
    /// Loads a model file of the same family (layout: `server/embed/models/README.md`).
    ///
    /// # Errors
    /// [`ModelError`], which says what is wrong with the file.
    pub(crate) fn load(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        Self::load_for(Kernel::best(), bytes)
    }

    fn load_for(kernel: Kernel, bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        match bytes {
            // The word embeddings, most of the file, stay in the mapped program.
            Cow::Borrowed(bytes) => {
                let file = ModelFile::parse(bytes)?;
                Self::build(&file, Cow::Borrowed(file.words()?), kernel)
            }
            Cow::Owned(bytes) => {
                let file = ModelFile::parse(&bytes)?;
                Self::build(&file, Cow::Owned(file.words()?.to_vec()), kernel)
            }
        }
    }

    fn build(
        file: &ModelFile<'_>,
        words: Cow<'static, [u8]>,
        kernel: Kernel,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            tokenizer: Tokenizer::new(file)?,
            encoder: Encoder::new(file, words, kernel)?,
        })
    }

    /// Returns the vector of a text that already has its prefix: 384 numbers, L2-normalised. Everything after
    /// 512 tokens is ignored.
    pub(crate) fn embed(&self, text: &str) -> Vec<f32> {
        let ids = self.tokenizer.encode(text, self.encoder.limit());
        self.encoder.embed(&ids)
    }

    /// Returns the number of tokens of a text, counted up to one more than the model reads.
    pub(crate) fn token_count(&self, text: &str) -> usize {
        self.tokenizer.count(text, self.encoder.limit() + 1)
    }
}
