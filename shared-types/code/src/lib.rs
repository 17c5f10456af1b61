//! Programming languages: their names and the tags at code fences, the language of code without a tag, the
//! language that a question mentions, and the tokens of code, for highlighting.

mod guess;
mod mention;
mod tag;
#[cfg(test)]
mod tests;
mod tokens;

pub use self::{
    guess::guess,
    mention::{AskedLanguage, named_in},
    tag::{Tag, names, of_fence, of_tag},
    tokens::{MAX_BYTES, Token, tokens},
};
