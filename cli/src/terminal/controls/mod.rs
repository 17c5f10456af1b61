//! Makes text from others safe to display, so that it can neither control the terminal nor hide anything:
//! commands pass it through [`visible`].

#[cfg(test)]
mod tests;

pub(crate) use recall_kit_sanitizer::visible;
