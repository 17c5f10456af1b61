//! Text that others wrote, so that it cannot deceive whoever reads it: what pages show goes through
//! [`visible`].

pub(crate) use recall_kit_sanitizer::visible;
