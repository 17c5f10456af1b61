//! The versions that programs print, in output and transcripts.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::{
    package::{Ecosystem, Origin, Package, exact_version},
    pattern::Pattern,
};
use recall_kit_shared_types::applicability::{Environment, NamedVersion, PackageVersion};

/// How much of a text is read. *Unit*: bytes.
const MAX_TEXT: usize = 256 << 10;
/// The most packages of a text.
const MAX_PACKAGES: usize = 100;

/// Runtimes with the patterns of what they print; the first group is the version.
const RUNTIMES: [(&str, &str); 13] = [
    ("python", r"\b(?:C?Python) v?(\d+\.\d+(?:\.\d+)?)"),
    ("python", r"\bplatform \w+ -- Python (\d+\.\d+\.\d+)"),
    (
        "node",
        r"\bNode(?:\.js)? v?(\d+\.\d+\.\d+)|\bnode[ :]v?(\d+\.\d+(?:\.\d+)?)|\bnode: '?v(\d+\.\d+\.\d+)",
    ),
    ("rustc", r"\brustc v?(\d+\.\d+(?:\.\d+)?)"),
    (
        "go",
        r"\bgo version go(\d+\.\d+(?:\.\d+)?)|\bgo(\d+\.\d+\.\d+) (?:linux|darwin|windows)",
    ),
    (
        "java",
        r#"\b(?:openjdk|java) (?:version )?"?(\d+(?:\.\d+)*(?:_\d+)?)|\bJava version: (\d+(?:\.\d+)*(?:_\d+)?)|\bJVM: +(\d+(?:\.\d+)+)"#,
    ),
    ("ruby", r"\bruby (\d+\.\d+\.\d+)"),
    ("php", r"\bPHP (\d+\.\d+\.\d+)"),
    (
        "dotnet",
        r"\.NET(?: Core)?(?: SDK)?(?: Version:?)? ?(\d+\.\d+\.\d+)|\bMicrosoft \(R\) Build Engine version \S+ for \.NET (\d+\.\d+)",
    ),
    ("deno", r"\bdeno (\d+\.\d+\.\d+)"),
    ("bun", r"\b[Bb]un v(\d+\.\d+\.\d+)"),
    (
        "kotlin",
        r"\bKotlin(?:: +| version )(\d+\.\d+\.\d+)|\bkotlinc-jvm (\d+\.\d+\.\d+)",
    ),
    (
        "scala",
        r"\bScala (?:compiler |code runner )?version:? (\d+\.\d+\.\d+)",
    ),
];
/// Tools likewise.
const TOOLS: [(&str, &str); 19] = [
    ("maven", r"\bApache Maven (\d+\.\d+(?:\.\d+)?)"),
    ("gradle", r"\bGradle (\d+\.\d+(?:\.\d+)?)"),
    ("cargo", r"\bcargo (\d+\.\d+\.\d+)"),
    (
        "npm",
        r"\bnpm(?:@|/| v|: '?)(\d+\.\d+\.\d+)|\bnpm (?:ERR!|error) npm +v(\d+\.\d+\.\d+)",
    ),
    ("pnpm", r"\bpnpm(?:@|/| v)(\d+\.\d+\.\d+)"),
    ("yarn", r"\byarn (?:install |run |add )?v(\d+\.\d+\.\d+)"),
    ("pip", r"\bpip (\d+\.\d+(?:\.\d+)?)"),
    ("uv", r"\buv (\d+\.\d+\.\d+)"),
    ("poetry", r"\bPoetry \(?(?:version )?(\d+\.\d+\.\d+)"),
    ("pytest", r"\bpytest[- ](\d+\.\d+\.\d+)"),
    ("docker", r"\bDocker version (\d+\.\d+\.\d+)"),
    (
        "gcc",
        r"\bgcc(?:\.exe)? \([^)\n]{0,60}\) (\d+\.\d+\.\d+)|\bgcc version (\d+\.\d+\.\d+)",
    ),
    ("clang", r"\bclang version (\d+\.\d+\.\d+)"),
    ("cmake", r"\bcmake version (\d+\.\d+\.\d+)"),
    ("bundler", r"\bBundler (?:version )?(\d+\.\d+\.\d+)"),
    ("composer", r"\bComposer version (\d+\.\d+\.\d+)"),
    ("typescript", r"\btsc Version (\d+\.\d+\.\d+)"),
    ("git", r"\bgit version (\d+\.\d+\.\d+)"),
    ("kubectl", r"\bkubectl.{0,20}GitVersion:.v(\d+\.\d+\.\d+)"),
];
/// Packages that package managers say they have installed or are compiling: ecosystem, pattern with name and version.
const PACKAGES: [(Ecosystem, &str); 8] = [
    (
        Ecosystem::Cargo,
        r"(?m)^\s*(?:Compiling|Checking|Downloaded|Adding|Updating|Locking) ([A-Za-z][\w-]*) v(\d[\w.+-]*)",
    ),
    (
        Ecosystem::Cargo,
        r"registry[/\\]src[/\\][^/\\\s]+[/\\]([A-Za-z][\w-]*?)-(\d+\.\d+\.\d+[\w.+-]*)[/\\]",
    ),
    (
        Ecosystem::Npm,
        r"(?m)^[^\w@\n]*((?:@[a-z0-9~][\w.~-]*/)?[a-z0-9][\w.-]*)@(\d+\.\d+\.\d+[\w.-]*)",
    ),
    (
        Ecosystem::Npm,
        r"\.pnpm[/\\]([a-z0-9][\w.-]*)@(\d+\.\d+\.\d+[\w.-]*?)(?:[_(/\\])",
    ),
    (
        Ecosystem::Golang,
        r"pkg[/\\]mod[/\\]([a-z0-9][\w.-]*\.[a-z]+/[^@\s]+)@(v\d[\w.+-]*)",
    ),
    (
        Ecosystem::Golang,
        r"\bgo: (?:downloading|added|upgraded|found) ([a-z0-9][\w.-]*\.[a-z]+/\S+) (v\d[\w.+-]*)",
    ),
    (
        Ecosystem::Gem,
        r"[/\\]gems[/\\]([a-z0-9][\w-]*?)-(\d+\.\d+[\w.]*)[/\\]",
    ),
    (
        Ecosystem::Pypi,
        r"(?m)^Collecting ([A-Za-z0-9][\w.-]*)==(\d[\w.+!]*)",
    ),
];
/// What follows `Successfully installed` of pip: names and versions with a dash between them.
const INSTALLED: &str = r"(?m)Successfully (?:installed|uninstalled) (.+)$";

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| Compiled {
    runtimes: named(&RUNTIMES),
    tools: named(&TOOLS),
    packages: PACKAGES
        .iter()
        .map(|(ecosystem, pattern)| (*ecosystem, Pattern::new(pattern)))
        .collect(),
    installed: Pattern::new(INSTALLED),
});

struct Compiled {
    runtimes: Vec<(&'static str, Pattern)>,
    tools: Vec<(&'static str, Pattern)>,
    packages: Vec<(Ecosystem, Pattern)>,
    installed: Pattern,
}

fn named(patterns: &[(&'static str, &str)]) -> Vec<(&'static str, Pattern)> {
    let patterns = patterns.iter();
    let patterns = patterns.map(|(name, pattern)| (*name, Pattern::new(pattern)));
    patterns.collect()
}

/// The versions in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) packages: Vec<Package>,
    pub(crate) runtimes: Vec<NamedVersion>,
    pub(crate) tools: Vec<NamedVersion>,
}

/// Returns the versions that a text shows; of several versions of one thing the last. The packages may be private ones:
/// [`crate::Project::relevant`] sends only those that the project has from a public registry.
pub fn versions_printed(text: &str) -> Environment {
    let printed = printed(text);
    let packages = printed.packages.into_iter().filter_map(|package| {
        Some(PackageVersion {
            purl: package.purl()?,
            version: package.version,
        })
    });
    Environment {
        packages: packages.collect(),
        runtimes: printed.runtimes,
        tools: printed.tools,
        ..Environment::default()
    }
}

pub(crate) fn printed(text: &str) -> Printed {
    let begin = text.ceil_char_boundary(text.len().saturating_sub(MAX_TEXT));
    let text = text.get(begin..).unwrap_or_default();
    let mut printed = Printed::default();
    for (name, pattern) in &COMPILED.runtimes {
        add_last(&mut printed.runtimes, name, pattern, text);
    }
    for (name, pattern) in &COMPILED.tools {
        add_last(&mut printed.tools, name, pattern, text);
    }
    for (ecosystem, pattern) in &COMPILED.packages {
        for found in pattern.groups(text) {
            let [_, name, version] = found[..] else {
                continue;
            };
            let name = match ecosystem {
                Ecosystem::Golang => unescaped(name),
                _ => name.to_owned(),
            };
            printed.add(*ecosystem, &name, version);
        }
    }
    for line in COMPILED.installed.groups(text) {
        for word in line.last().copied().unwrap_or_default().split_whitespace() {
            if let Some((name, version)) = word.rsplit_once('-') {
                printed.add(Ecosystem::Pypi, name, version);
            }
        }
    }
    printed
}

/// A capital letter in a folder of Go's modules is written as `!` and the small one.
fn unescaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut is_capital = false;
    for c in name.chars() {
        match c {
            '!' => is_capital = true,
            c if is_capital => {
                out.extend(c.to_uppercase());
                is_capital = false;
            }
            c => out.push(c),
        }
    }
    out
}

fn add_last(all: &mut Vec<NamedVersion>, name: &str, pattern: &Pattern, text: &str) {
    let Some(found) = pattern.groups(text).last() else {
        return;
    };
    let Some(version) = found.get(1).and_then(|version| exact_version(version)) else {
        return;
    };
    all.retain(|known| known.name != name);
    all.push(NamedVersion {
        name: name.to_owned(),
        version: Some(version),
    });
}

impl Printed {
    fn add(&mut self, ecosystem: Ecosystem, name: &str, version: &str) {
        let version = version.trim_end_matches(['.', '-', '+']);
        let package = Package::new(ecosystem, name, Some(version), Origin::Unknown);
        let Some(package) = package.filter(|package| package.version.is_some()) else {
            return;
        };
        let name = ecosystem.normalized(name);
        let is_same = |known: &Package| {
            known.ecosystem == ecosystem && ecosystem.normalized(&known.name) == name
        };
        self.packages.retain(|known| !is_same(known));
        if self.packages.len() < MAX_PACKAGES {
            self.packages.push(package);
        }
    }

    /// Adds the versions of a later text.
    pub(crate) fn extend(&mut self, later: Self) {
        for package in later.packages {
            let version = package.version.clone().unwrap_or_default();
            self.add(package.ecosystem, &package.name, &version);
        }
        let extend = |all: &mut Vec<NamedVersion>, later: Vec<NamedVersion>| {
            all.retain(|known| !later.iter().any(|it| it.name == known.name));
            all.extend(later);
        };
        extend(&mut self.runtimes, later.runtimes);
        extend(&mut self.tools, later.tools);
    }

    /// Returns the version of a package that was printed.
    pub(crate) fn version_of(&self, package: &Package) -> Option<String> {
        let ecosystem = package.ecosystem;
        let name = ecosystem.normalized(&package.name);
        let mut known = self.packages.iter();
        let found = known.find(|known| {
            known.ecosystem == ecosystem && ecosystem.normalized(&known.name) == name
        });
        found?.version.clone()
    }

    /// Returns the languages of the packages.
    pub(crate) fn languages(&self) -> BTreeSet<Ecosystem> {
        self.packages
            .iter()
            .map(|package| package.ecosystem)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    //! What programs print, and what only looks like it.

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let environment = versions_printed(text);
        let version = |version: Option<String>| version.unwrap_or_default();
        let packages = environment.packages.into_iter();
        let packages = packages.map(|it| (it.purl.replacen("pkg:", "", 1), it.version));
        let named = environment.runtimes.into_iter().chain(environment.tools);
        let all = packages.chain(named.map(|it| (it.name, it.version)));
        let all: Vec<String> = all
            .map(|(name, it)| format!("{name} {}", version(it)))
            .collect();
        assert_eq!(all, expected, "{text}");
    }

    #[test]
    fn versions_of_runtimes_and_tools() {
        check("Python 3.11.4", &["python 3.11.4"]);
        check(
            "platform linux -- Python 3.12.1, pytest-8.0.0, pluggy-1.4.0",
            &["python 3.12.1", "pytest 8.0.0"],
        );
        check("node v20.1", &["node 20.1"]);
        check("Node.js v20.11.0\n", &["node 20.11.0"]);
        check(
            "npm ERR! node v18.0.0\nnpm ERR! npm  v9.1.0",
            &["node 18.0.0", "npm 9.1.0"],
        );
        check("rustc 1.80.0 (051478957 2024-07-21)", &["rustc 1.80.0"]);
        check("go version go1.22.1 linux/amd64", &["go 1.22.1"]);
        check("openjdk version \"17.0.9\" 2023-10-17", &["java 17.0.9"]);
        check(
            "Apache Maven 3.9.6 (bc0240f)\nJava version: 21.0.1, vendor: x",
            &["java 21.0.1", "maven 3.9.6"],
        );
        check("Welcome to Gradle 8.5!", &["gradle 8.5"]);
        check("ruby 3.3.0 (2023-12-25)", &["ruby 3.3.0"]);
        check("PHP 8.2.1 (cli)", &["php 8.2.1"]);
        check("Docker version 24.0.7, build x", &["docker 24.0.7"]);
        // The last one is what runs now.
        check("Python 3.8.1\nPython 3.11.4", &["python 3.11.4"]);
        check("Python is 3 times slower; the node has 20.1 GB", &[]);
    }

    #[test]
    fn versions_of_packages() {
        check(
            "Successfully installed Flask-3.0.0 python-dateutil-2.8.2",
            &["pypi/flask 3.0.0", "pypi/python-dateutil 2.8.2"],
        );
        check("   Compiling serde v1.0.200", &["cargo/serde 1.0.200"]);
        check(
            "at /home/x/.cargo/registry/src/index.crates.io-1/rand_core-0.6.4/src/lib.rs",
            &["cargo/rand_core 0.6.4"],
        );
        check(
            "├── react@18.2.0\n└─┬ @types/node@20.1.0",
            &["npm/react 18.2.0", "npm/%40types/node 20.1.0"],
        );
        check(
            "/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/decode.go:3",
            &["golang/github.com/burntsushi/toml v1.3.2"],
        );
        check(
            "/gems/activesupport-7.1.0/lib/x.rb",
            &["gem/activesupport 7.1.0"],
        );
        check("mail jane@1.2.3.4 about v1", &[]);
    }
}
