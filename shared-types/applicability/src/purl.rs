//! Names of packages: package URLs without version, qualifiers and subpath, and by which spelling two mentions of a
//! package are recognised as the same.
//!
//! *Source*: the package URL specification and its rules by type; PEP 503 and PEP 508 for Python; crates.io for Cargo.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

use recall_kit_shared_types::applicability::applicability_limits::MAX_PURL_CHARS;

use crate::scheme::Scheme;

/// A package of an ecosystem. Two are equal if the registry takes their names for the same: `serde_json` and `serde-json`
/// of Cargo. Each is shown as it was written, as far as the package URL of its type allows.
#[derive(Debug, Clone)]
pub struct PackageName {
    kind: Box<str>,
    namespace: Option<Box<str>>,
    name: Box<str>,
    /// The name as the registry compares it, if it is written in another way.
    compared: Option<Box<str>>,
}

/// Why a text names no package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// It does not start with `pkg:` and a type.
    #[error("not a package URL; write `pkg:TYPE/NAME`, such as `pkg:npm/react`")]
    NoPackageUrl,
    /// It has a version, qualifiers or a subpath.
    #[error(
        "a package URL without version, `?` and `#` is expected; give versions in the field beside it"
    )]
    MoreThanAName,
    /// The type needs a namespace: `pkg:maven/GROUP/ARTIFACT`.
    #[error("packages of this type have a namespace: `pkg:TYPE/NAMESPACE/NAME`")]
    NoNamespace,
    /// The type has no namespaces.
    #[error("packages of this type have no namespace: `pkg:TYPE/NAME`")]
    NoNamespaceExpected,
    /// It is empty, or has characters that no registry allows.
    #[error("the name is empty or has characters that no package has")]
    WrongName,
    /// It is too long.
    #[error("the package URL is longer than {MAX_PURL_CHARS} characters")]
    TooLong,
}

impl PackageName {
    /// Reads a package URL such as `pkg:npm/%40babel/core`; a scope may also be written `@babel`.
    ///
    /// *Errors*: [`InvalidName`] says what is wrong.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        if text.len() > MAX_PURL_CHARS {
            return Err(InvalidName::TooLong);
        }
        let rest = text
            .trim()
            .strip_prefix("pkg:")
            .ok_or(InvalidName::NoPackageUrl)?;
        let (kind, path) = rest
            .trim_start_matches('/')
            .split_once('/')
            .ok_or(InvalidName::NoPackageUrl)?;
        if path.contains(['?', '#']) {
            return Err(InvalidName::MoreThanAName);
        }
        let (namespace, name) = match path.trim_end_matches('/').rsplit_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, path),
        };
        if name.contains('@') {
            return Err(InvalidName::MoreThanAName);
        }
        let namespace = namespace.map(decode).transpose()?;
        Self::new(kind, namespace.as_deref(), &decode(name)?)
    }

    /// Names a package by its type, its namespace and its name, neither of them percent-encoded.
    ///
    /// *Errors*: [`InvalidName`] says what is wrong.
    pub fn new(kind: &str, namespace: Option<&str>, name: &str) -> Result<Self, InvalidName> {
        let kind = kind.to_ascii_lowercase();
        let is_kind = kind.starts_with(|c: char| c.is_ascii_lowercase())
            && kind
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c));
        if !is_kind {
            return Err(InvalidName::NoPackageUrl);
        }
        let namespace = namespace.filter(|namespace| !namespace.is_empty());
        match (kind.as_str(), namespace) {
            ("maven" | "composer" | "github" | "bitbucket", None) => {
                return Err(InvalidName::NoNamespace);
            }
            ("pypi" | "cargo" | "gem" | "nuget", Some(_)) => {
                return Err(InvalidName::NoNamespaceExpected);
            }
            ("npm", Some(scope)) if !scope.starts_with('@') || scope.contains('/') => {
                return Err(InvalidName::WrongName);
            }
            _ => {}
        }
        let named = |part: &str, first: &[char]| {
            let body = part.strip_prefix(first).unwrap_or(part);
            body.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                && body
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".-_~+".contains(c))
                && !body.contains("..")
        };
        let scope: &[char] = if kind == "npm" { &['@'] } else { &[] };
        let is_alphanumeric = |c: char| c.is_ascii_alphanumeric();
        let has_ends = name.starts_with(is_alphanumeric) && name.ends_with(is_alphanumeric);
        let valid = named(name, &[])
            && (kind != "pypi" || has_ends)
            && namespace.is_none_or(|path| path.split('/').all(|part| named(part, scope)));
        if !valid {
            return Err(InvalidName::WrongName);
        }
        // As it is written: the type, two slashes, and three characters for each that is encoded.
        let parts = namespace.unwrap_or("").len() + name.len();
        let encoded = namespace
            .into_iter()
            .chain([name])
            .flat_map(str::chars)
            .filter(|c| "@+".contains(*c))
            .count();
        if "pkg:".len() + kind.len() + 2 + parts + 2 * encoded > MAX_PURL_CHARS {
            return Err(InvalidName::TooLong);
        }
        // A package URL has the normalised name, except for crates, whose registry shows them as they were published.
        let compared = compared_name(&kind, name);
        let (name, compared) = match kind.as_str() {
            "cargo" if compared != name => (name.to_owned(), Some(compared)),
            _ => (compared, None),
        };
        Ok(Self {
            namespace: namespace.map(|path| compared_name(&kind, path).into()),
            name: name.into(),
            compared: compared.map(Into::into),
            kind: kind.into(),
        })
    }

    /// Names a package as people of its ecosystem write it, see [`PackageName::familiar`]; a group of Maven may also
    /// end with a slash.
    ///
    /// *Errors*: [`InvalidName`] says what is wrong.
    pub fn of_familiar(kind: &str, name: &str) -> Result<Self, InvalidName> {
        let separator: &[char] = match kind {
            "maven" => &[':', '/'],
            _ => &['/'],
        };
        match name.rsplit_once(separator) {
            Some((namespace, name)) => Self::new(kind, Some(namespace), name),
            None => Self::new(kind, None, name),
        }
    }

    /// Returns whether it is one of the popular packages that this crate knows by name, so that its name tells nothing
    /// about who uses it.
    pub fn is_popular(&self) -> bool {
        crate::known::is_popular(self)
    }

    /// Returns the type: `npm`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the namespace, not percent-encoded: `@babel`, `org.apache.mina`.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns what two names of a package have in common, however they are written.
    fn key(&self) -> (&str, Option<&str>, &str) {
        let name = self.compared.as_deref().unwrap_or(&self.name);
        (&self.kind, self.namespace(), name)
    }

    /// Returns the name without its namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the scheme of the package's versions.
    pub fn scheme(&self) -> Scheme {
        Scheme::of_purl_type(&self.kind)
    }

    /// Returns the name as people of its ecosystem write it: `react`, `@babel/core`, `org.apache.mina:mina-core`.
    pub fn familiar(&self) -> String {
        match &self.namespace {
            None => self.name.to_string(),
            Some(namespace) if &*self.kind == "maven" => format!("{namespace}:{}", self.name),
            Some(namespace) => format!("{namespace}/{}", self.name),
        }
    }
}

impl PartialEq for PackageName {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for PackageName {}

impl Hash for PackageName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for PackageName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PackageName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pkg:{}/", self.kind)?;
        for part in self.namespace.iter().flat_map(|path| path.split('/')) {
            write!(f, "{}/", encode(part))?;
        }
        f.write_str(&encode(&self.name))
    }
}

/// Returns a name, or a namespace, in the spelling in which the registry of a type compares it.
pub fn compared_name(kind: &str, name: &str) -> String {
    match kind {
        "pypi" => python_name(name),
        "cargo" => name.to_ascii_lowercase().replace('_', "-"),
        // The registries of these types do not tell cases apart.
        "npm" | "composer" | "golang" | "github" | "bitbucket" | "nuget" | "hex" | "pub"
        | "deb" => name.to_ascii_lowercase(),
        _ => name.to_owned(),
    }
}

/// Returns a name as PEP 503 compares it: in lower case, with one `-` for each run of `-`, `_` and `.`.
fn python_name(name: &str) -> String {
    let mut compared = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '-' | '_' | '.' if compared.ends_with('-') => {}
            '-' | '_' | '.' => compared.push('-'),
            c => compared.extend(c.to_lowercase()),
        }
    }
    compared
}

fn encode(text: &str) -> String {
    text.replace('@', "%40").replace('+', "%2B")
}

/// Decodes `%40` and its like.
fn decode(text: &str) -> Result<String, InvalidName> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(InvalidName::WrongName);
        };
        decoded.push(u8::try_from(high * 16 + low).map_err(|_| InvalidName::WrongName)?);
    }
    // A decoded slash would move a part of the name into the namespace.
    String::from_utf8(decoded)
        .ok()
        .filter(|name| !text.contains("%2F") && !text.contains("%2f") && !name.is_empty())
        .ok_or(InvalidName::WrongName)
}
