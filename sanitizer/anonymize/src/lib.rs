//! Gives the names a snippet declares neutral ones: `var_001`, … consistently.
//!
//! Never in strings (but in what they interpolate), comments, properties, imports and keywords. In
//! Markdown only fenced code is touched; text that is no code of a known language is not touched.

mod annotated;
mod declarations;
mod elements;
mod language;
mod lexer;
mod rust;
mod scripting;
mod sigils;
mod strings;
mod typed;
mod variables;

pub use variables::{Variable, variables};
