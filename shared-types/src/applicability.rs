//! Where an experience applies: packages, runtimes, tools and platforms with versions, of the one who asks and of what
//! is stored.
//!
//! These types only give the shapes. `recall-kit-applicability` reads them, compares versions and explains.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of environments and of what records say; lengths count characters, not bytes.
pub mod applicability_limits {
    /// The most packages, runtimes and tools of one environment, of each.
    pub const MAX_ENVIRONMENT_ITEMS: usize = 500;
    /// The most things of one record.
    pub const MAX_APPLIES: usize = 50;
    /// The maximum length of a package URL.
    pub const MAX_PURL_CHARS: usize = 300;
    /// The maximum length of a version, and of the name of a runtime, a tool, an operating system or an architecture.
    pub const MAX_WORD_CHARS: usize = 100;
    /// The maximum length of a range.
    pub const MAX_RANGE_CHARS: usize = 500;
}

/// The `_meta` key by which a call says in which environment the problem occurred: of `query_experiences` and `recall`,
/// to place experiences that apply there before others; of `report_outcome`, to say where it worked or failed.
///
/// *Shape*: an [`Environment`].
pub const ENVIRONMENT_META: &str = "io.recallkit/environment";

/// The `_meta` key by which a call of `submit_experience` says where the experience applies.
///
/// *Shape*: a list of [`Applies`]. The result of a query with an environment has an object of such lists under this key, by
/// the experience's UUID.
pub const APPLIES_META: &str = "io.recallkit/applies";

/// The `_meta` key under which the result of a query with an environment says how each experience fits it.
///
/// *Shape*: an object of [`Applicability`] by the experience's UUID.
pub const APPLICABILITY_META: &str = "io.recallkit/applicability";

/// What is installed where a problem occurred. Every field is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The packages that matter to the problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<PackageVersion>,
    /// Language runtimes, such as `python`, `node` or `rustc`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runtimes: Vec<NamedVersion>,
    /// Other programs, such as `maven` or `docker`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<NamedVersion>,
    /// The operating system: `linux`, `macos`, `windows`, or another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The processor: `x86_64`, `aarch64`, or another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
}

impl Environment {
    /// Returns whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A package that is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackageVersion {
    /// A package URL without its version: `pkg:npm/react`.
    pub purl: String,
    /// Its version; without one, any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedVersion {
    /// Its name in lower case.
    pub name: String,
    /// Its version; without one, any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// One thing that an experience is about, and the versions for which it was written. Exactly one of `purl`, `runtime`,
/// `tool` and `os` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Applies {
    /// A package URL without a version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purl: Option<String>,
    /// A language runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// Another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// An operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The versions, as a VERS string: `vers:pypi/>=1.9|<2.0`. Without it, every version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// How it is known.
    #[serde(default)]
    pub source: AppliesSource,
    /// How many independent voices support it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u32>,
}

/// How it is known where an experience applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum AppliesSource {
    /// Its author or its text says so.
    #[default]
    Stated,
    /// It was written, or reported to work, with this version.
    Observed,
    /// Several reports about different versions suggest it.
    Inferred,
}

impl AppliesSource {
    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Observed => "observed",
            Self::Inferred => "inferred",
        }
    }
}

/// How an experience fits an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Applicability {
    /// A word for it.
    pub verdict: Verdict,
    /// The reason, in one sentence: `stated for react <19; you have 19.1`.
    pub why: String,
}

/// A word for how an experience fits an environment.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The environment is one for which it was written, or where it worked.
    Applies,
    /// Nothing says whether it applies.
    Unknown,
    /// It was written for another version of something that is installed.
    OtherVersion,
    /// It was written for another operating system or architecture.
    OtherPlatform,
    /// It is known not to work with a version that is installed.
    Contradicted,
}

impl Verdict {
    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applies => "applies",
            Self::Unknown => "unknown",
            Self::OtherVersion => "other_version",
            Self::OtherPlatform => "other_platform",
            Self::Contradicted => "contradicted",
        }
    }
}

/// How the experiences of a result fit the environment of its query, by UUID.
pub type ApplicabilityById = BTreeMap<String, Applicability>;
