//! Text that others wrote, so that it cannot steer the terminal it is shown on nor hide anything:
//! what commands show goes through [`visible`].

#[cfg(test)]
mod tests;

pub(crate) use recall_kit_sanitizer::visible;
