//! The modules of a `go.mod` that are certainly public.
//!
//! A module of a private repository looks like any other, so only those of well-known domains and owners count.

use super::ProjectFolder;

/// Prefixes of modules that anybody can fetch: domains for modules alone, and owners of public repositories.
const PUBLIC: [&str; 52] = [
    "cloud.google.com/go",
    "filippo.io/",
    "github.com/BurntSushi/",
    "github.com/Masterminds/",
    "github.com/aws/",
    "github.com/docker/",
    "github.com/dgraph-io/",
    "github.com/fatih/",
    "github.com/fsnotify/",
    "github.com/gin-gonic/",
    "github.com/go-chi/",
    "github.com/go-gorm/",
    "github.com/go-playground/",
    "github.com/go-redis/",
    "github.com/go-sql-driver/",
    "github.com/gofiber/",
    "github.com/golang-jwt/",
    "github.com/golang-migrate/",
    "github.com/golang/",
    "github.com/google/",
    "github.com/gorilla/",
    "github.com/grpc-ecosystem/",
    "github.com/hashicorp/",
    "github.com/jackc/",
    "github.com/jmoiron/",
    "github.com/joho/",
    "github.com/julienschmidt/",
    "github.com/labstack/",
    "github.com/lib/",
    "github.com/mattn/",
    "github.com/minio/",
    "github.com/nats-io/",
    "github.com/onsi/",
    "github.com/open-telemetry/",
    "github.com/pkg/",
    "github.com/prometheus/",
    "github.com/redis/",
    "github.com/rs/",
    "github.com/sirupsen/",
    "github.com/spf13/",
    "github.com/stretchr/",
    "github.com/urfave/",
    "go.etcd.io/",
    "go.mongodb.org/",
    "go.opentelemetry.io/",
    "go.uber.org/",
    "golang.org/x/",
    "google.golang.org/",
    "gorm.io/",
    "k8s.io/",
    "modernc.org/",
    "sigs.k8s.io/",
];
/// The variables that name private modules.
const VARIABLES: [&str; 3] = ["GOPRIVATE", "GONOPROXY", "GONOSUMDB"];
/// Where `go env -w` writes, below the user's home.
const SETTINGS: [&str; 3] = [
    ".config/go/env",
    "Library/Application Support/go/env",
    "AppData/Roaming/go/env",
];

/// Returns the last part of the path of each module that is public.
pub(super) fn names(project: &ProjectFolder<'_>) -> Vec<String> {
    let Some(text) = project.manifest("go.mod") else {
        return Vec::new();
    };
    let Some(private) = private(project) else {
        return Vec::new();
    };
    let own = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "));
    let own = owner(own.unwrap_or_default().trim());
    let lines = text.lines().map(str::trim);
    let lines = lines.map(|line| line.strip_prefix("require ").unwrap_or(line));
    let direct = lines.filter(|line| !line.ends_with("// indirect"));
    let modules = direct.filter_map(|line| {
        let mut words = line.split_whitespace();
        let (module, version) = (words.next()?, words.next()?);
        let is_public = owner(module) != own && is_public(module, &private);
        (is_public && version.starts_with('v')).then_some(module)
    });
    let names = modules.filter_map(|module| {
        let mut parts = module.rsplit('/');
        let last = parts.next()?;
        let is_version = last.starts_with('v') && last.get(1..)?.parse::<u32>().is_ok();
        Some(if is_version { parts.next()? } else { last }.to_owned())
    });
    names.collect()
}

/// Returns whether everybody can fetch a module.
pub(super) fn is_public(module: &str, private: &[String]) -> bool {
    PUBLIC.iter().any(|prefix| module.starts_with(prefix))
        && !private.iter().any(|pattern| is_match(pattern, module))
}

/// Returns the host and the owner of a module.
fn owner(module: &str) -> Vec<&str> {
    module.split('/').take(2).collect()
}

/// Returns the patterns of private modules; `None` if Go's settings cannot be read.
pub(super) fn private(project: &ProjectFolder<'_>) -> Option<Vec<String>> {
    let mut lists: Vec<String> = VARIABLES
        .iter()
        .filter_map(|name| (project.variable)(name))
        .collect();
    let mut files: Vec<_> = project.at_home(&SETTINGS).collect();
    files.extend(
        (project.variable)("GOENV")
            .filter(|path| path != "off")
            .map(Into::into),
    );
    for file in files {
        let Some(text) = project.read(&file) else {
            continue;
        };
        let text = text?;
        let values = text.lines().filter_map(|line| line.trim().split_once('='));
        let values = values.filter(|(name, _)| VARIABLES.contains(name));
        lists.extend(values.map(|(_, value)| value.to_owned()));
    }
    let patterns = lists.iter().flat_map(|list| list.split(','));
    let patterns = patterns.map(|pattern| pattern.trim().trim_end_matches('/'));
    Some(
        patterns
            .filter(|pattern| !pattern.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

/// Returns whether a pattern matches the first parts of a path, as Go matches `GOPRIVATE`.
fn is_match(pattern: &str, module: &str) -> bool {
    let mut parts = module.split('/');
    pattern.split('/').all(|wanted| {
        parts
            .next()
            .is_some_and(|part| is_part(wanted.as_bytes(), part.as_bytes()))
    })
}

/// Matches one part of a path. A pattern with a set of characters matches everything, to be on the safe side.
fn is_part(pattern: &[u8], part: &[u8]) -> bool {
    match (pattern.split_first(), part.split_first()) {
        (None, None) => true,
        (Some((b'[' | b'\\', _)), _) => true,
        (Some((b'*', rest)), None) => is_part(rest, part),
        (Some((b'*', rest)), Some((_, others))) => is_part(rest, part) || is_part(pattern, others),
        (Some((b'?', rest)), Some((_, others))) => is_part(rest, others),
        (Some((wanted, rest)), Some((found, others))) => wanted == found && is_part(rest, others),
        _ => false,
    }
}
