//! Texts of others for display: [`visible`] shows their control and invisible characters, so that they
//! cannot deceive a reader.

pub(crate) use recall_kit_sanitizer::visible;
