//! What the asker has installed, read from the wire and made ready for comparisons.

use recall_kit_shared_types::applicability::{
    Environment, NamedVersion, PackageVersion,
    applicability_limits::{MAX_ENVIRONMENT_ITEMS, MAX_WORD_CHARS},
};

use crate::{
    claims::check_word,
    purl::PackageName,
    range::{Interval, Range},
    scheme::Version,
    subject::Subject,
};

/// What is installed where a problem occurred.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Sorted by subject, for binary search.
    installed: Vec<Installed>,
    arch: Option<String>,
}

/// One thing that is installed.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) subject: Subject,
    /// As it was given.
    pub(crate) text: Option<String>,
    /// `None` if there is none, or none that the scheme knows, such as `latest`.
    pub(crate) version: Option<Version>,
    /// Of a runtime, a tool or a system that is given by its first numbers, every version that starts with them: `3.10`
    /// of Python is some `3.10.x`. Packages are given with the version that is installed.
    span: Option<Interval>,
}

/// Why an [`Environment`] cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment.{field}: {reason}")]
pub struct InvalidEnvironment {
    /// The field, with its place in a list: `packages[3].purl`.
    pub field: String,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl Surroundings {
    /// Reads what the wire says. A version that its scheme does not know, such as `latest`, counts as none.
    ///
    /// *Errors*: [`InvalidEnvironment`] for the first field that is wrong.
    pub fn read(environment: &Environment) -> Result<Self, InvalidEnvironment> {
        let lists = [
            ("packages", environment.packages.len()),
            ("runtimes", environment.runtimes.len()),
            ("tools", environment.tools.len()),
        ];
        for (field, count) in lists {
            if count > MAX_ENVIRONMENT_ITEMS {
                let reason = format!(
                    "more than {MAX_ENVIRONMENT_ITEMS}; give those that matter to the problem"
                );
                return Err(InvalidEnvironment {
                    field: field.to_owned(),
                    reason,
                });
            }
        }
        let mut installed = Vec::new();
        for (index, package) in environment.packages.iter().enumerate() {
            let name = PackageName::parse(&package.purl).map_err(|error| InvalidEnvironment {
                field: format!("packages[{index}].purl"),
                reason: error.to_string(),
            })?;
            let version = checked_version("packages", index, package.version.as_deref())?;
            installed.push(Installed::new(Subject::Package(name), version));
        }
        type Named = (&'static str, fn(&str) -> Subject);
        let named: [(Named, &[NamedVersion]); 2] = [
            (("runtimes", Subject::runtime), &environment.runtimes),
            (("tools", Subject::tool), &environment.tools),
        ];
        for ((field, subject), items) in named {
            for (index, item) in items.iter().enumerate() {
                check_word(&item.name).map_err(|reason| InvalidEnvironment {
                    field: format!("{field}[{index}].name"),
                    reason: reason.to_string(),
                })?;
                let version = checked_version(field, index, item.version.as_deref())?;
                installed.push(Installed::new(subject(&item.name), version));
            }
        }
        for (field, word) in [("os", &environment.os), ("arch", &environment.arch)] {
            if let Some(word) = word {
                check_word(word).map_err(|reason| InvalidEnvironment {
                    field: field.to_owned(),
                    reason: reason.to_string(),
                })?;
            }
        }
        if let Some(os) = &environment.os {
            let (name, version) = name_and_version(os);
            installed.push(Installed::new(Subject::os(name), version));
        }
        installed.sort_by(|left, right| left.subject.cmp(&right.subject));
        Ok(Self {
            installed,
            arch: environment
                .arch
                .as_ref()
                .map(|arch| arch.to_ascii_lowercase()),
        })
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.installed.is_empty() && self.arch.is_none()
    }

    /// Goes through the packages and their versions.
    pub fn packages(&self) -> impl Iterator<Item = (&PackageName, Option<&str>)> {
        self.installed
            .iter()
            .filter_map(|installed| match &installed.subject {
                Subject::Package(name) => Some((name, installed.text.as_deref())),
                _ => None,
            })
    }

    /// Goes through everything that is installed, and its version.
    pub fn iter(&self) -> impl Iterator<Item = (&Subject, Option<&str>)> {
        self.installed
            .iter()
            .map(|installed| (&installed.subject, installed.text.as_deref()))
    }

    /// Returns the operating system.
    pub fn os(&self) -> Option<&str> {
        self.installed
            .iter()
            .find_map(|installed| match &installed.subject {
                Subject::Os(name) => Some(name.as_str()),
                _ => None,
            })
    }

    /// Returns the processor.
    pub fn arch(&self) -> Option<&str> {
        self.arch.as_deref()
    }

    /// Adds what only the other one knows: subjects that this one lacks, or has without a version.
    pub fn merge(&mut self, other: Self) {
        let has_os = self.os().is_some();
        for installed in other.installed {
            let mine = self.of(&installed.subject);
            let known = mine
                .iter()
                .any(|mine| mine.version.is_some() || installed.version.is_none());
            if known || (has_os && matches!(installed.subject, Subject::Os(_))) {
                continue;
            }
            let place = self
                .installed
                .partition_point(|mine| mine.subject < installed.subject);
            self.installed.insert(place, installed);
        }
        if self.arch.is_none() {
            self.arch = other.arch;
        }
    }

    /// Writes it for the wire.
    pub fn to_wire(&self) -> Environment {
        let mut environment = Environment {
            arch: self.arch.clone(),
            ..Environment::default()
        };
        for Installed { subject, text, .. } in &self.installed {
            let version = text.clone();
            match subject {
                Subject::Package(name) => {
                    environment.packages.push(PackageVersion {
                        purl: name.to_string(),
                        version,
                    });
                }
                Subject::Runtime(name) => environment.runtimes.push(NamedVersion {
                    name: name.clone(),
                    version,
                }),
                Subject::Tool(name) => environment.tools.push(NamedVersion {
                    name: name.clone(),
                    version,
                }),
                Subject::Os(name) => {
                    environment.os = Some(
                        version.map_or_else(|| name.clone(), |version| format!("{name} {version}")),
                    );
                }
            }
        }
        environment
    }

    /// Goes through everything that is installed.
    pub(crate) fn installed(&self) -> &[Installed] {
        &self.installed
    }

    /// Returns all that is installed of a subject.
    pub(crate) fn of(&self, subject: &Subject) -> &[Installed] {
        let start = self
            .installed
            .partition_point(|installed| installed.subject < *subject);
        let count =
            self.installed[start..].partition_point(|installed| installed.subject == *subject);
        &self.installed[start..start + count]
    }
}

impl Installed {
    /// Returns whether a range contains the version; `false` if there is none.
    pub(crate) fn is_in(&self, range: &Range) -> bool {
        match (&self.span, &self.version) {
            (Some(span), _) => range.meets(span),
            (None, Some(version)) => range.contains_version(version),
            (None, None) => false,
        }
    }

    fn new(subject: Subject, version: Option<&str>) -> Self {
        let comparable = version.map(|version| subject.comparable_version(version));
        let parsed = comparable.and_then(|version| Version::parse(subject.scheme(), version));
        let is_prefix = |version: &Version| version.is_plain() && version.numbers().len() <= 2;
        let span = match (&subject, &parsed) {
            (Subject::Runtime(_) | Subject::Tool(_) | Subject::Os(_), Some(version))
                if is_prefix(version) =>
            {
                Interval::starting_with(subject.scheme(), version.text())
            }
            _ => None,
        };
        Self {
            subject,
            text: version.map(str::to_owned),
            version: parsed,
            span,
        }
    }
}

/// Checks the length of a version.
fn checked_version<'a>(
    list: &str,
    index: usize,
    version: Option<&'a str>,
) -> Result<Option<&'a str>, InvalidEnvironment> {
    match version {
        Some(version) if version.chars().count() > MAX_WORD_CHARS => Err(InvalidEnvironment {
            field: format!("{list}[{index}].version"),
            reason: format!("longer than {MAX_WORD_CHARS} characters"),
        }),
        version => Ok(version.map(str::trim).filter(|version| !version.is_empty())),
    }
}

/// Splits `ubuntu 22.04` into the system and its version.
fn name_and_version(os: &str) -> (&str, Option<&str>) {
    match os.trim().rsplit_once([' ', '-']) {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => {
            (name.trim(), Some(version))
        }
        _ => (os.trim(), None),
    }
}
