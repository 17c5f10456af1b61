//! What a record says about where it applies, read from the wire and written back.

use recall_kit_shared_types::applicability::{
    Applies, AppliesSource,
    applicability_limits::{MAX_APPLIES, MAX_RANGE_CHARS, MAX_WORD_CHARS},
};

use crate::{
    purl::PackageName,
    range::{InvalidRange, Range},
    scheme::Scheme,
    subject::Subject,
};

/// One thing that a record is about, and versions of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What has the versions.
    pub subject: Subject,
    /// The versions; without a range, it only says that the record is about the subject.
    pub range: Option<Range>,
    /// How it is known.
    pub source: AppliesSource,
    /// How many independent voices support it.
    pub support: Option<u32>,
    /// Whether the record is known *not* to work with the versions. On the wire, such a claim is the complement of its
    /// range, as [`AppliesSource::Inferred`].
    pub excluded: bool,
}

/// What a record says about where it applies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims(Vec<Claim>);

/// Why a list of [`Applies`] cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("applies[{index}].{field}: {reason}")]
pub struct InvalidApplies {
    /// The place in the list.
    pub index: usize,
    /// The field.
    pub field: &'static str,
    /// What is wrong, and what to do.
    pub reason: String,
}

/// Why a text is no name of a runtime, a tool, an operating system or an architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWord {
    /// It is blank.
    #[error("is empty; leave it out or name it")]
    Empty,
    /// It has too many characters.
    #[error("is longer than {MAX_WORD_CHARS} characters")]
    TooLong,
    /// It has characters that no name has.
    #[error("has characters that no name has; write letters, digits and `.+-_`")]
    WrongCharacters,
}

impl Claims {
    /// Reads what the wire says.
    ///
    /// *Errors*: [`InvalidApplies`] for the first item that is wrong.
    pub fn read(items: &[Applies]) -> Result<Self, InvalidApplies> {
        if items.len() > MAX_APPLIES {
            let reason =
                format!("more than {MAX_APPLIES} items; keep those that the experience depends on");
            return Err(InvalidApplies {
                index: MAX_APPLIES,
                field: "applies",
                reason,
            });
        }
        let claims = items.iter().enumerate().map(|(index, item)| {
            claim_of(item).map_err(|(field, reason)| InvalidApplies {
                index,
                field,
                reason,
            })
        });
        claims.collect::<Result<_, _>>().map(Self)
    }

    /// Reads what is stored or comes from a server, without what cannot be read: a later version may have written it.
    pub fn read_known<'a>(items: impl IntoIterator<Item = &'a Applies>) -> Self {
        let claims = items.into_iter().filter_map(|item| claim_of(item).ok());
        Self(claims.collect())
    }

    /// Writes the claims for the wire.
    pub fn to_wire(&self) -> Vec<Applies> {
        self.0
            .iter()
            .filter_map(Claim::to_wire)
            .take(MAX_APPLIES)
            .collect()
    }

    /// Returns whether nothing is claimed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of claims.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Goes through the claims.
    pub fn iter(&self) -> std::slice::Iter<'_, Claim> {
        self.0.iter()
    }
}

impl From<Vec<Claim>> for Claims {
    fn from(claims: Vec<Claim>) -> Self {
        Self(claims)
    }
}

impl<'a> IntoIterator for &'a Claims {
    type Item = &'a Claim;
    type IntoIter = std::slice::Iter<'a, Claim>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Claim {
    /// Says that a record is about versions of a subject, as its author or its text states.
    pub fn stated(subject: Subject, range: Range) -> Self {
        let range = subject.comparable_range(&range).unwrap_or(range);
        Self {
            subject,
            range: Some(range),
            source: AppliesSource::Stated,
            support: None,
            excluded: false,
        }
    }

    /// Writes the claim for the wire; `None` if it excludes every version.
    pub fn to_wire(&self) -> Option<Applies> {
        let range = match (&self.range, self.excluded) {
            (Some(range), true) => Some(range.complement()?),
            (None, true) => return None,
            (range, false) => range.clone(),
        };
        let source = if self.excluded {
            AppliesSource::Inferred
        } else {
            self.source
        };
        let mut item = Applies {
            source,
            support: self.support,
            ..Applies::default()
        };
        item.range = range
            .map(|range| range.to_string())
            .filter(|text| text.len() <= MAX_RANGE_CHARS);
        if item.range.is_none() && self.range.is_some() {
            return None;
        }
        match &self.subject {
            Subject::Package(package) => item.purl = Some(package.to_string()),
            Subject::Runtime(name) => item.runtime = Some(name.clone()),
            Subject::Tool(name) => item.tool = Some(name.clone()),
            Subject::Os(name) => item.os = Some(name.clone()),
        }
        Some(item)
    }
}

/// Reads one item; the error is the field and what is wrong with it.
fn claim_of(item: &Applies) -> Result<Claim, (&'static str, String)> {
    let named = [
        ("runtime", &item.runtime),
        ("tool", &item.tool),
        ("os", &item.os),
        ("purl", &item.purl),
    ];
    let mut given = named
        .into_iter()
        .filter_map(|(field, value)| Some((field, value.as_deref()?)));
    let Some((field, value)) = given.next() else {
        return Err((
            "purl",
            "one of purl, runtime, tool and os is missing; name what the range is about".to_owned(),
        ));
    };
    if let Some((second, _)) = given.next() {
        let reason = format!("{field} and {second} are both given; use one item for each");
        return Err((second, reason));
    }
    let subject = match field {
        "purl" => Subject::Package(
            PackageName::parse(value).map_err(|reason| (field, reason.to_string()))?,
        ),
        _ => {
            check_word(value).map_err(|reason| (field, reason.to_string()))?;
            match field {
                "runtime" => Subject::runtime(value),
                "tool" => Subject::tool(value),
                _ => Subject::os(value),
            }
        }
    };
    let range = item
        .range
        .as_deref()
        .map(|text| range_for(&subject, text))
        .transpose();
    let range = range.map_err(|reason| ("range", reason.to_string()))?;
    Ok(Claim {
        subject,
        range,
        source: item.source,
        support: item.support,
        excluded: false,
    })
}

/// Reads a VERS string about the versions of a subject.
pub(crate) fn range_for(subject: &Subject, text: &str) -> Result<Range, InvalidRange> {
    let range: Range = text.parse()?;
    let scheme = subject.scheme();
    // Runtimes may be given in their ecosystem's scheme, and a generic range suits every subject.
    if scheme != Scheme::Generic && range.scheme() != Scheme::Generic && range.scheme() != scheme {
        return Err(InvalidRange::OtherType {
            range: range.scheme().name(),
            package: scheme.name(),
        });
    }
    let comparable = subject.comparable_range(&range);
    comparable.ok_or(InvalidRange::NotOfType(scheme.name()))
}

/// Checks the name of a runtime, a tool or an operating system.
pub(crate) fn check_word(word: &str) -> Result<(), InvalidWord> {
    let is_in_names = |c: char| c.is_ascii_alphanumeric() || " .+#_-/".contains(c);
    match word {
        word if word.trim().is_empty() => Err(InvalidWord::Empty),
        word if word.chars().count() > MAX_WORD_CHARS => Err(InvalidWord::TooLong),
        word if !word.chars().all(is_in_names) => Err(InvalidWord::WrongCharacters),
        _ => Ok(()),
    }
}
