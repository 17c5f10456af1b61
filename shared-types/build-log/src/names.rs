//! The project's own names, which say nothing to another project: its packages, classes, modules and crates, as its
//! paths and the tools' own lines show them.

use std::{borrow::Cow, collections::HashSet};

/// Folders below which the path of a JVM source is its package.
const SOURCE_ROOTS: [&str; 4] = ["/java/", "/kotlin/", "/scala/", "/groovy/"];
/// Extensions of JVM sources.
const JVM_SOURCES: [&str; 4] = [".java", ".kt", ".scala", ".groovy"];
/// The most own names of each kind.
const MAX_OWN: usize = 500;
/// The longest first part of a package that is a domain: `com`, `org`, `io`, `info`.
const LONGEST_DOMAIN: usize = 4;

/// The project's own names.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// Packages and namespaces.
    packages: HashSet<String>,
    /// Classes without package, crates, modules, packages of npm.
    names: HashSet<String>,
    /// Module paths of Go.
    modules: HashSet<String>,
}

impl Own {
    /// Finds the own names in an output.
    pub(crate) fn of(lines: &[Cow<'_, str>]) -> Self {
        let mut own = Self::default();
        for line in lines {
            own.read(line);
        }
        own.add_common_package();
        own
    }

    fn read(&mut self, line: &str) {
        let has_source = JVM_SOURCES.iter().any(|extension| line.contains(extension));
        if has_source || line.contains("proj") {
            for token in line.split_whitespace() {
                self.read_source(token);
                if let Some(project) = project_file(token) {
                    self.add_namespace(project);
                }
            }
        }
        if let Some(class) = test_class(line) {
            self.add_class(class);
        }
        if let Some(name) = own_package(line) {
            add(&mut self.names, name);
        }
        if let Some(module) = go_module(line) {
            add(&mut self.modules, module);
        }
    }

    /// Takes the package and the class from the path of a source.
    fn read_source(&mut self, token: &str) {
        let Some((end, length)) = JVM_SOURCES.iter().find_map(|extension| {
            let at = token.find(extension)?;
            let rest = token.get(at + extension.len()..)?;
            (!rest.starts_with(char::is_alphanumeric)).then_some((at, extension.len()))
        }) else {
            return;
        };
        let path = token.get(..end).unwrap_or_default();
        let is_path = path.contains(['/', '\\'])
            || token
                .get(end + length..)
                .is_some_and(|rest| rest.starts_with(':'));
        if !is_path || path.contains('(') {
            return;
        }
        let path = path.replace('\\', "/");
        let (folder, class) = path.rsplit_once('/').unwrap_or(("", &path));
        add(&mut self.names, class);
        let from = SOURCE_ROOTS
            .iter()
            .filter_map(|root| Some(path.find(root)? + root.len()))
            .min();
        if let Some(package) = from
            .and_then(|from| folder.get(from..))
            .filter(|package| !package.is_empty())
        {
            add(&mut self.packages, &package.replace('/', "."));
        }
    }

    fn add_class(&mut self, class: &str) {
        match class.rsplit_once('.') {
            Some((package, class)) => {
                add(&mut self.names, class);
                add(&mut self.packages, package);
            }
            None => add(&mut self.names, class),
        }
    }

    fn add_namespace(&mut self, name: &str) {
        add(&mut self.names, name);
        add(&mut self.packages, name);
    }

    /// Adds what the packages have in common, or the parent of a single one, if that is more than a domain.
    fn add_common_package(&mut self) {
        let mut packages = self
            .packages
            .iter()
            .map(|package| package.split('.').collect::<Vec<_>>());
        let Some(mut common) = packages.next() else {
            return;
        };
        if self.packages.len() == 1 {
            common.pop();
        }
        for package in packages {
            let same = common
                .iter()
                .zip(&package)
                .take_while(|(a, b)| a == b)
                .count();
            common.truncate(same);
        }
        let is_domain = common
            .first()
            .is_some_and(|first| first.len() <= LONGEST_DOMAIN);
        if common.len() >= if is_domain { 3 } else { 1 } {
            let common = common.join(".");
            add(&mut self.packages, &common);
        }
    }

    /// Whether a name is the project's own, or belongs to something of its own.
    pub(crate) fn has(&self, name: &str) -> bool {
        if self.names.contains(name) {
            return true;
        }
        if name.contains('/') {
            return self
                .modules
                .iter()
                .any(|module| is_below(name, module, '/'));
        }
        let first = name.split("::").next().unwrap_or_default();
        if first.len() < name.len() {
            return first == "crate" || self.names.contains(first);
        }
        self.has_package(name)
    }

    /// Whether a dotted name is in an own package or in a class that is named without its package. A package of two
    /// parts (`com.example`) is often shared with libraries, so only classes right in it are own.
    fn has_package(&self, name: &str) -> bool {
        let parts = || name.split('.');
        let mut end = 0;
        for (count, part) in (1..).zip(parts()) {
            end += part.len();
            let prefix = name.get(..end).unwrap_or_default();
            if self.packages.contains(prefix) {
                let next = parts().nth(count);
                let is_class = next.is_none_or(|next| next.starts_with(char::is_uppercase));
                let is_narrow = count > 2
                    || prefix
                        .split('.')
                        .next()
                        .is_some_and(|first| first.len() > LONGEST_DOMAIN);
                if is_narrow || is_class {
                    return true;
                }
            }
            end += 1;
        }
        // `Outer.Inner` and `MyTest.method` of an own class.
        name.contains('.')
            && parts()
                .next()
                .is_some_and(|first| self.names.contains(first))
    }
}

/// Whether a name is a path below another, or the same.
fn is_below(name: &str, above: &str, separator: char) -> bool {
    name.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
}

fn add(names: &mut HashSet<String>, name: &str) {
    if !name.is_empty() && names.len() < MAX_OWN {
        names.insert(name.to_owned());
    }
}

/// Returns the class of a line with the result of a test: `… - in org.example.FooTest`,
/// `name(org.example.FooTest)  Time elapsed: …`, `org.example.FooTest.name  Time elapsed: …`.
fn test_class(line: &str) -> Option<&str> {
    if line.contains("Tests run:") {
        let (_, class) = line.rsplit_once(" in ")?;
        return Some(class.trim()).filter(|class| is_dotted(class));
    }
    let (test, _) = line.split_once("  Time elapsed:")?;
    let test = test.rsplit(' ').next()?;
    if let Some((_, class)) = test.strip_suffix(')').and_then(|test| test.split_once('(')) {
        return Some(class);
    }
    let (class, last) = test.rsplit_once('.')?;
    match last.starts_with(char::is_uppercase) {
        true => Some(test),
        false => Some(class),
    }
}

/// Whether a text is a name with dots.
pub(crate) fn is_dotted(name: &str) -> bool {
    name.contains('.') && name.split('.').all(is_identifier)
}

/// Whether a text is an identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Returns the name of a project file of .NET: `[/src/App/App.csproj]`, `/src/App/App.csproj : error …`.
fn project_file(token: &str) -> Option<&str> {
    let at = [".csproj", ".fsproj", ".vbproj"]
        .iter()
        .find_map(|extension| token.find(extension))?;
    let path = token.get(..at)?;
    path.rsplit(['/', '\\', '[', '"', '\'']).next()
}

/// Returns the name of the project's own package from lines of npm, cargo and pip that say so.
fn own_package(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some((_, name)) = line.split_once("While resolving: ") {
        let name = name.split_whitespace().next()?;
        return name
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c == '@')
            .map_or(Some(name), |(at, _)| name.get(..at));
    }
    if let Some((_, name)) = line.split_once(" on project ") {
        return name.split(':').next();
    }
    if let Some((_, workspace)) = line.split_once("│ ")
        && let Some((name, _)) = workspace.split_once("@workspace:")
    {
        return Some(name);
    }
    for verb in ["Compiling ", "Checking ", "Building "] {
        if let Some(rest) = line.strip_prefix(verb).filter(|rest| rest.contains(" (/")) {
            return rest.split(' ').next();
        }
    }
    let rest = line
        .split_once("could not compile `")
        .map(|(_, rest)| rest)?;
    rest.contains("previous error")
        .then(|| rest.split('`').next())?
}

/// Returns the project's own package from `# example.com/project/package` or a line with the result of its tests.
fn go_module(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("# ")
        .or_else(|| line.strip_prefix("FAIL\t"))
        .or_else(|| line.strip_prefix("ok  \t"))?;
    let package = rest.split_whitespace().next()?;
    let (host, _) = package.split_once('/')?;
    // The part of the path that modules of one repository share.
    let parts = if host.contains('.') { 3 } else { 1 };
    let end = package
        .match_indices('/')
        .nth(parts - 1)
        .map_or(package.len(), |(at, _)| at);
    package.get(..end)
}
