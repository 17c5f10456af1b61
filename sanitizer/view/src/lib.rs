//! Texts as people, programs and terminals read them, not as they are written.
//!
//! [`views()`] undoes escapes, entities, colours, line breaks and the like, and knows where each character is
//! written. [`invisible`] finds characters that nobody sees; [`visible`](visible()) writes them as marks.

pub mod invisible;
mod views;
mod visible;

pub use views::{ROUNDS, View, base64, goes_on_behind, views};
pub use visible::{escaped_json, visible, visible_json, visible_line};
