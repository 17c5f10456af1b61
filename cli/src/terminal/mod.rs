//! The terminal: output, questions and interrupts.

pub(crate) mod controls;
pub(crate) mod highlight;
pub(crate) mod interrupt;
pub(crate) mod layout;
pub(crate) mod line_editor;
pub(crate) mod preview;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod prompt;
