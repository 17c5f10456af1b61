//! Cleans a message: removes what varies between projects and occurrences, and finds the names in it.

use crate::{
    line::is_number,
    names::{Own, is_dotted, is_identifier},
};

/// Folders of installed packages; what follows is the package's name.
const PACKAGE_FOLDERS: [&str; 3] = ["node_modules/", "site-packages/", "dist-packages/"];
/// Names of files that mean the same in every project.
const KNOWN_FILES: [&str; 16] = [
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "tsconfig.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "CMakeLists.txt",
];
/// Extensions of files that projects have of their own.
const SOURCES: [&str; 27] = [
    "java", "kt", "kts", "scala", "groovy", "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue",
    "svelte", "py", "pyx", "rs", "go", "cs", "fs", "vb", "csproj", "sln", "c", "cc", "cpp", "cxx",
    "log",
];
/// The fewest digits and letters of a hash.
const LEAST_HASH: usize = 12;

/// A message without what varies.
#[derive(Debug, Default)]
pub(crate) struct Cleaned {
    /// The message.
    pub(crate) text: String,
    /// The message without its names: the same for every message of its kind.
    pub(crate) form: String,
    /// The names of code in it.
    pub(crate) symbols: Vec<String>,
    /// The dependencies in it.
    pub(crate) dependencies: Vec<String>,
    /// The codes in it.
    pub(crate) codes: Vec<String>,
}

/// What a part of a message is.
enum Part {
    /// A word.
    Word,
    /// Something that varies.
    Nothing,
    Symbol(String),
    Dependency(String),
    Code,
}

/// Cleans a message.
pub(crate) fn clean(message: &str, own: &Own) -> Cleaned {
    let mut cleaned = Cleaned::default();
    let mut before = "";
    for token in message.split_whitespace() {
        if is_whole(token) {
            cleaned.push(token, own);
            before = "";
            continue;
        }
        // `method setPort(int)`, `class Storages`.
        let call = token
            .split_once('(')
            .filter(|(name, rest)| is_identifier(name) && !rest.starts_with("s)"));
        let call = call.map(|(name, _)| name);
        if let Some(name) = call.filter(|name| !own.has(name)) {
            cleaned.push_symbol(name);
        } else if is_kind(before)
            && token.starts_with(char::is_uppercase)
            && is_identifier(token)
            && !own.has(token)
        {
            cleaned.push_symbol(token);
            before = token;
            continue;
        }
        before = token;
        let token = call
            .and_then(|name| token.get(name.len()..))
            .unwrap_or(token);
        let separates = |c: char| {
            matches!(
                c,
                '(' | ')' | '<' | '>' | ',' | ';' | '[' | ']' | '{' | '}' | '|'
            )
        };
        for piece in token.split(separates) {
            cleaned.push(piece, own);
        }
    }
    cleaned
}

/// Whether a token is judged as a whole: a path, an address, a coordinate, a version's range.
fn is_whole(token: &str) -> bool {
    token.contains("://")
        || token.contains("^")
        || token.contains('@')
        || token.matches('/').count() > 2
}

/// Whether a word says that a name of a type follows.
fn is_kind(word: &str) -> bool {
    [
        "class",
        "interface",
        "enum",
        "struct",
        "trait",
        "record",
        "type",
    ]
    .contains(&word)
}

impl Cleaned {
    fn push_symbol(&mut self, name: &str) {
        self.push_text(name);
        self.symbols.push(name.to_owned());
    }

    fn push(&mut self, token: &str, own: &Own) {
        let around = |c: char| "'\"`‘’“”«»,;()[]{}!?*|│├╰─×>".contains(c);
        let core = token.trim_start_matches(around);
        let core = core.trim_end_matches(|c: char| around(c) || ".:=".contains(c));
        // The branch of a tree of dependencies.
        let core = core
            .strip_prefix("+-")
            .or_else(|| core.strip_prefix("\\-"))
            .unwrap_or(core);
        if core.is_empty() {
            return;
        }
        let is_quoted = token.len() > core.len() && token.contains(['\'', '"', '`', '‘']);
        match part(core, is_quoted, own) {
            Part::Nothing => {}
            Part::Word => {
                self.push_text(core);
                if !self.form.is_empty() {
                    self.form.push(' ');
                }
                self.form.push_str(core);
            }
            Part::Symbol(name) => {
                self.push_text(&name);
                self.symbols.push(name);
            }
            Part::Dependency(name) => {
                self.push_text(&name);
                self.dependencies.push(name);
            }
            Part::Code => {
                self.push_text(core);
                self.form.push_str(core);
                self.codes.push(core.to_owned());
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

fn part(core: &str, is_quoted: bool, own: &Own) -> Part {
    // Tasks and modules of Gradle, such as `:app:compileJava`, are the project's own.
    let is_task = core.starts_with(':') && !core.starts_with("::");
    if own.has(core) || is_task || is_varying(core) {
        return Part::Nothing;
    }
    if let Some(package) = installed_package(core) {
        return Part::Dependency(package);
    }
    if is_code(core) {
        return Part::Code;
    }
    if let Some(file) = known_file(core) {
        return if file == core {
            Part::Word
        } else {
            Part::Symbol(file.to_owned())
        };
    }
    if core.contains("://") || is_path(core) {
        return Part::Nothing;
    }
    if let Some(class) = internal_name(core) {
        return if own.has(&class) {
            Part::Nothing
        } else {
            Part::Symbol(class)
        };
    }
    if is_coordinate(core) {
        let is_own = core.contains("-SNAPSHOT") || core.split(':').any(|part| own.has(part));
        return if is_own {
            Part::Nothing
        } else {
            Part::Dependency(core.to_owned())
        };
    }
    if is_versioned(core) {
        let name = core
            .get(..core.find(['=', '<', '>', '~']).unwrap_or(core.len()))
            .unwrap_or_default();
        let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
        return if own.has(name) {
            Part::Nothing
        } else {
            Part::Dependency(core.replace('"', ""))
        };
    }
    if is_symbol(core, is_quoted) {
        Part::Symbol(core.to_owned())
    } else {
        Part::Word
    }
}

/// Whether a text varies between occurrences: a number, a duration, an address, a hash.
fn is_varying(core: &str) -> bool {
    let digits = core.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return !core.chars().any(char::is_alphanumeric);
    }
    let is_count = core
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b",:-+/%".contains(&byte));
    let units = ["ms", "s", "sec", "min", "m", "kB", "MB"];
    let is_duration = units
        .iter()
        .any(|unit| core.strip_suffix(unit).is_some_and(is_number));
    let is_hex = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    };
    let is_hash =
        core.len() >= LEAST_HASH && is_hex(core) || core.strip_prefix("0x").is_some_and(is_hex);
    is_count || is_duration || is_hash
}

/// Whether a text is a code of an error: `TS2345`, `E0433`, `CS0246`, `NU1101`, `YN0002`, `ERESOLVE`, `ENOENT`.
pub(crate) fn is_code(core: &str) -> bool {
    let letters = core.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = core.get(letters..).unwrap_or_default();
    let is_numbered = (1..=6).contains(&letters)
        && digits.len() >= 3
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_errno = digits.is_empty()
        && letters >= 5
        && core.starts_with('E')
        && core != "ERROR"
        && core != "ERRORS";
    is_numbered && digits.len() <= 5 || is_errno || core.starts_with("ERR_")
}

/// Returns the package whose installed file a line names.
pub(crate) fn place(line: &str) -> Option<String> {
    let tokens = line.split(['"', ' ', '(', '\t']);
    let package = tokens.filter_map(installed_package).next()?;
    // pip's own frames stand above every failed build.
    (package != "pip" && !package.contains(".dist-info")).then_some(package)
}

/// Returns the package whose installed files a path belongs to, of npm, Python, cargo, Go and Maven.
fn installed_package(path: &str) -> Option<String> {
    let is_installed = ["_modules", "-packages", "registry", "pkg", ".m2"]
        .iter()
        .any(|part| path.contains(part));
    if !is_installed || !path.contains(['/', '\\']) {
        return None;
    }
    let path = path.replace('\\', "/");
    let folder = PACKAGE_FOLDERS
        .iter()
        .filter_map(|folder| Some(path.rfind(folder)? + folder.len()))
        .max();
    if let Some(rest) = folder.and_then(|at| path.get(at..)) {
        let parts = if rest.starts_with('@') { 2 } else { 1 };
        let end = rest
            .match_indices('/')
            .nth(parts - 1)
            .map_or(rest.len(), |(at, _)| at);
        let name = rest.get(..end)?;
        let is_package = !name.starts_with(['.', '_']) && !name.is_empty();
        return is_package.then(|| name.trim_end_matches(".py").to_owned());
    }
    if let Some((_, rest)) = path.split_once("registry/src/") {
        return rest.split('/').nth(1).map(str::to_owned);
    }
    if let Some((_, rest)) = path.split_once("/pkg/mod/") {
        let (module, rest) = rest.split_once('@')?;
        return Some(format!("{module}@{}", rest.split('/').next()?));
    }
    let (_, rest) = path.split_once(".m2/repository/")?;
    let mut parts: Vec<&str> = rest.split('/').collect();
    parts.pop();
    let (version, artifact) = (parts.pop()?, parts.pop()?);
    Some(format!("{}:{artifact}:{version}", parts.join(".")))
}

/// Returns the name of a file that means the same in every project.
fn known_file(core: &str) -> Option<&str> {
    let name = core.rsplit(['/', '\\']).next()?;
    KNOWN_FILES.contains(&name).then_some(name)
}

/// Whether a text is a path or the name of a source, with a position or without it.
fn is_path(core: &str) -> bool {
    let is_rooted =
        core.starts_with(['/', '~', '\\']) || core.starts_with("./") || core.starts_with("../");
    let has_drive = core.as_bytes().get(1) == Some(&b':') && core.contains('\\');
    let without_position = core.split_once(':').map_or(core, |(path, _)| path);
    let extension = without_position
        .rsplit_once('.')
        .map(|(stem, extension)| (stem.is_empty(), extension));
    let is_source =
        extension.is_some_and(|(is_hidden, extension)| !is_hidden && SOURCES.contains(&extension));
    let is_library = core.starts_with('@')
        || core
            .split('/')
            .next()
            .is_some_and(|host| host.contains('.'));
    is_rooted
        || has_drive
        || is_source
        || core.matches('/').count() > 2 && !is_library && internal_name(core).is_none()
}

/// Returns the name with dots of a JVM's internal name: `javax/xml/bind/JAXBException`.
fn internal_name(core: &str) -> Option<String> {
    let mut parts = core.split('/');
    let last = parts.next_back()?;
    let is_class =
        core.contains('/') && last.starts_with(char::is_uppercase) && is_identifier(last);
    let is_package = parts.all(|part| is_identifier(part) && !part.contains(char::is_uppercase));
    (is_class && is_package && core.matches('/').count() >= 2).then(|| core.replace('/', "."))
}

/// Whether a text is `group:artifact`, with a version and more or without them.
fn is_coordinate(core: &str) -> bool {
    let mut parts = core.split(':');
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte))
    };
    let (Some(group), Some(artifact)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_part(group)
        && is_part(artifact)
        && parts.all(|part| part.is_empty() || is_part(part))
        && group.contains('.')
        && group.starts_with(|c: char| c.is_ascii_lowercase())
        && !is_number(artifact)
}

/// Whether a text is a package with a version: `react@18.2.0`, `@scope/name@^1.0`, `numpy==1.26`, `urllib3<2,>=1.21`.
fn is_versioned(core: &str) -> bool {
    let after_at = core
        .char_indices()
        .skip(1)
        .find(|(_, c)| *c == '@')
        .map(|(at, _)| at + 1);
    let signs = ["==", "<", ">", "~=", "!="];
    let after_sign = signs
        .iter()
        .filter_map(|sign| core.find(sign))
        .min()
        .filter(|at| *at > 1);
    let version = match (after_at, after_sign) {
        (Some(at), _) => core.get(at..),
        (None, Some(at)) => core
            .get(at..)
            .map(|rest| rest.trim_start_matches(['=', '<', '>', '~', '!'])),
        (None, None) => {
            return core.starts_with('@') && core.matches('/').count() == 1 && core.len() > 3;
        }
    };
    let version = version
        .unwrap_or_default()
        .trim_start_matches(['"', '\'', '^', '~', 'v', '>', '<', '=', ' ']);
    version.starts_with(|c: char| c.is_ascii_digit() || c == '*') || version.starts_with("latest")
}

/// Whether a text is a name of code rather than a word.
fn is_symbol(core: &str, is_quoted: bool) -> bool {
    let core = core.trim_end_matches("()");
    if core
        .strip_prefix('v')
        .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    {
        return false;
    }
    let mixed = core
        .chars()
        .zip(core.chars().skip(1))
        .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let joined = core.contains('_') || core.contains("::") || is_dotted(core);
    let is_module = core.contains('/')
        && core
            .chars()
            .all(|c| c.is_alphanumeric() || "/._-@".contains(c));
    let is_name = |c: char| c.is_alphanumeric() || "_.$:/-@#".contains(c);
    mixed || joined || is_module || is_quoted && core.chars().all(is_name)
}
