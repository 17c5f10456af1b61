//! What stands between `‹` and `›`: `[=?][^!]list[/fit][~disguise[:argument]]`, or a run such as `9*4`.

/// How the text of a slot is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It has to go.
    Secret,
    /// It has to stay.
    Kept,
    /// Either is right.
    Open,
}

/// How the letters of a value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    AsIs,
    Capital,
    Upper,
}

/// A place for a value.
#[derive(Debug)]
pub(crate) struct Slot<'f> {
    pub(crate) role: Role,
    pub(crate) case: Case,
    pub(crate) list: &'f str,
    pub(crate) fit: Option<&'f str>,
    pub(crate) disguise: Option<&'f str>,
}

impl<'f> Slot<'f> {
    /// Reads what stands between the marks.
    pub(crate) fn read(inner: &'f str) -> Self {
        let (role, inner) = match inner.chars().next() {
            Some('=') => (Role::Kept, &inner[1..]),
            Some('?') => (Role::Open, &inner[1..]),
            _ => (Role::Secret, inner),
        };
        let (case, inner) = match inner.chars().next() {
            Some('^') => (Case::Capital, &inner[1..]),
            Some('!') => (Case::Upper, &inner[1..]),
            _ => (Case::AsIs, inner),
        };
        let (inner, disguise) = match inner.split_once('~') {
            Some((inner, disguise)) => (inner, Some(disguise)),
            None => (inner, None),
        };
        let (list, fit) = match inner.split_once('/') {
            Some((list, fit)) => (list, Some(fit)),
            None => (inner, None),
        };
        Self {
            role,
            case,
            list,
            fit,
            disguise,
        }
    }

    /// Whether a place takes a value: an unquoted place ends at a space, a URL at a slash.
    pub(crate) fn takes(&self, value: &str) -> bool {
        let takes = |one: char| match self.fit {
            None => true,
            Some("bare") => {
                one.is_alphanumeric() || matches!(one, '!' | '@' | '.' | '_' | '-' | '+')
            }
            Some("url") => one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-'),
            Some("ascii") => one.is_ascii_graphic(),
            Some(other) => panic!("no place is called {other}"),
        };
        // A sign at the end belongs to the sentence, and a mark on a letter is alphanumeric to nobody.
        let ends = self.fit.is_none() || !value.ends_with(['.', '-']);
        ends && value.chars().all(takes)
    }
}

/// The parts of a text: what stands as it is, and what stands in slots.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = (&str, Option<Slot<'_>>)> {
    text.split_inclusive('›')
        .map(|part| match part.split_once('‹') {
            Some((before, inner)) => (before, Some(Slot::read(inner.trim_end_matches('›')))),
            None => (part, None),
        })
}
