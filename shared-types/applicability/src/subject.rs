//! What has a version: a package, a runtime, a tool, or an operating system; and the one name of each.

use std::fmt;

use crate::{purl::PackageName, range::Range, scheme::Scheme};

/// Something with versions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// A package of an ecosystem.
    Package(PackageName),
    /// A language runtime or compiler: `python`, `node`, `rustc`.
    Runtime(String),
    /// Another program: `maven`, `docker`.
    Tool(String),
    /// An operating system: `linux`, `ubuntu`, `windows`.
    Os(String),
}

/// Other names of runtimes, and the one that is used here.
const RUNTIMES: &[(&str, &[&str])] = &[
    ("bun", &[]),
    ("dart", &[]),
    ("deno", &[]),
    (
        "dotnet",
        &[
            ".net",
            ".net core",
            "net",
            "netcore",
            "dotnet-sdk",
            ".net sdk",
        ],
    ),
    ("elixir", &[]),
    ("erlang", &["otp"]),
    ("go", &["golang"]),
    ("java", &["jdk", "openjdk", "jre", "java se"]),
    ("julia", &[]),
    ("kotlin", &["kotlinc"]),
    ("node", &["nodejs", "node.js"]),
    ("perl", &[]),
    ("php", &[]),
    ("python", &["cpython", "python3", "python2", "py"]),
    ("r", &[]),
    ("ruby", &["mri"]),
    ("rustc", &["rust"]),
    ("scala", &["scalac"]),
    ("swift", &["swiftc"]),
    ("zig", &[]),
];

/// Operating systems that are not a family of their own, and their family.
const SYSTEMS: &[(&str, &str)] = &[
    ("almalinux", "linux"),
    ("alpine", "linux"),
    ("amazonlinux", "linux"),
    ("android", "android"),
    ("arch", "linux"),
    ("centos", "linux"),
    ("debian", "linux"),
    ("fedora", "linux"),
    ("freebsd", "freebsd"),
    ("ios", "ios"),
    ("linux", "linux"),
    ("macos", "macos"),
    ("nixos", "linux"),
    ("opensuse", "linux"),
    ("oracle", "linux"),
    ("rhel", "linux"),
    ("rocky", "linux"),
    ("ubuntu", "linux"),
    ("windows", "windows"),
];

/// Returns the one name of a runtime; `None` if it is none.
pub(crate) fn runtime_named(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    RUNTIMES
        .iter()
        .find(|(known, others)| *known == name || others.contains(&&*name))
        .map(|(known, _)| *known)
}

impl Subject {
    /// Names a runtime; a name of a tool, such as `docker`, gives the tool.
    pub fn runtime(name: &str) -> Self {
        match runtime_named(name) {
            Some(known) => Self::Runtime(known.to_owned()),
            None => Self::Runtime(name.to_ascii_lowercase()),
        }
    }

    /// Names a tool; a name of a runtime, such as `python`, gives the runtime.
    pub fn tool(name: &str) -> Self {
        match runtime_named(name) {
            Some(known) => Self::Runtime(known.to_owned()),
            None => Self::Tool(match name.to_ascii_lowercase().as_str() {
                "mvn" | "apache maven" => "maven".to_owned(),
                "gradlew" => "gradle".to_owned(),
                "pip3" => "pip".to_owned(),
                "k8s" => "kubernetes".to_owned(),
                name => name.to_owned(),
            }),
        }
    }

    /// Names an operating system.
    pub fn os(name: &str) -> Self {
        Self::Os(match name.to_ascii_lowercase().as_str() {
            "darwin" | "osx" | "mac os" | "mac os x" | "os x" | "mac" => "macos".to_owned(),
            "win" | "win32" | "win64" | "windows_nt" => "windows".to_owned(),
            "amazon linux" | "amzn" => "amazonlinux".to_owned(),
            "alpine linux" => "alpine".to_owned(),
            "arch linux" | "archlinux" => "arch".to_owned(),
            "redhat" | "red hat" | "red hat enterprise linux" => "rhel".to_owned(),
            "rocky linux" => "rocky".to_owned(),
            "oracle linux" => "oracle".to_owned(),
            "gnu/linux" => "linux".to_owned(),
            name => name.to_owned(),
        })
    }

    /// Returns the scheme of its versions.
    pub fn scheme(&self) -> Scheme {
        match self {
            Self::Package(package) => package.scheme(),
            Self::Runtime(_) | Self::Tool(_) | Self::Os(_) => Scheme::Generic,
        }
    }

    /// Returns the version as it is compared: `1.8.0_292` of Java is `8.0_292`.
    pub fn comparable_version<'a>(&self, version: &'a str) -> &'a str {
        let version = version.trim();
        match self {
            Self::Runtime(name) if name == "java" => match version.strip_prefix("1.") {
                Some(rest) if rest.starts_with(['5', '6', '7', '8', '9']) => rest,
                _ => version,
            },
            Self::Runtime(name) if name == "go" => version.strip_prefix("go").unwrap_or(version),
            _ => version,
        }
    }

    /// Returns a range as it is compared.
    pub(crate) fn comparable_range(&self, range: &Range) -> Option<Range> {
        range.map_versions(self.scheme(), |version| self.comparable_version(version))
    }

    /// Returns the family of an operating system: `linux` of `ubuntu`.
    pub(crate) fn family(name: &str) -> &str {
        SYSTEMS
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(name, |(_, family)| family)
    }

    /// Returns whether a word, in any case, is a name of an operating system.
    pub(crate) fn is_written_os(word: &str) -> bool {
        let is = |name: &str| name.eq_ignore_ascii_case(word);
        SYSTEMS.iter().any(|(known, _)| is(known)) || is("osx") || is("darwin")
    }

    /// Returns whether it is an operating system's name.
    pub(crate) fn is_known_os(name: &str) -> bool {
        SYSTEMS.iter().any(|(known, _)| *known == name)
    }
}

/// Writes the name that people use: `react`, `org.apache.mina:mina-core`, `python`.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(package) => f.write_str(&package.familiar()),
            Self::Runtime(name) | Self::Tool(name) | Self::Os(name) => f.write_str(name),
        }
    }
}
