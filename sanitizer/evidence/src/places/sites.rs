//! Tells a link to a public site, as documents and comments hold it, from the address of somebody's service.
//!
//! Judges what stands around a host; whether a host is public knowledge or private by its own labels is for `hosts`.

use std::sync::OnceLock;

use crate::keep;
use crate::words::word_set::WordSet;

/// First labels of hosts that serve somebody's programs or staff rather than readers.
const SERVICES: &[&str] = &[
    "api",
    "apis",
    "app",
    "apps",
    "auth",
    "sso",
    "login",
    "id",
    "idp",
    "git",
    "gitlab",
    "gitea",
    "jenkins",
    "ci",
    "build",
    "jira",
    "wiki",
    "confluence",
    "grafana",
    "kibana",
    "prometheus",
    "vault",
    "nexus",
    "artifactory",
    "harbor",
    "registry",
    "minio",
    "s3",
    "db",
    "sql",
    "mysql",
    "postgres",
    "pg",
    "mongo",
    "redis",
    "mail",
    "smtp",
    "imap",
    "mx",
    "ldap",
    "ftp",
    "sftp",
    "vpn",
    "proxy",
    "gateway",
    "gw",
    "admin",
    "dashboard",
    "portal",
    "console",
    "monitor",
    "monitoring",
    "billing",
    "payment",
    "payments",
    "orders",
    "backend",
    "dev",
    "test",
    "crm",
    "erp",
    "chat",
    "mattermost",
    "sentry",
    "metrics",
    "logs",
    "elastic",
    "kafka",
    "queue",
    "mq",
    "ws",
    "hooks",
    "webhook",
    "webhooks",
    "services",
    "service",
    "svc",
    "rest",
    "graphql",
    "grpc",
    "rpc",
    "argocd",
    "rancher",
    "k8s",
    "node",
    "web",
    "srv",
    "server",
    "host",
    "master",
    "worker",
    "bastion",
    "jump",
];

/// Paths of programs rather than of pages.
const ENDPOINTS: &[&str] = &[
    "/api",
    "/v1",
    "/v2",
    "/v3",
    "/graphql",
    "/webhook",
    "/hook",
    "/login",
    "/oauth",
    "/admin",
    "/auth",
    "/rest",
    "/rpc",
    "/internal",
    "/_",
    "/healthz",
    "/metrics",
];

/// Commands that talk to what stands behind them.
const COMMANDS: &[&str] = &[
    "curl", "wget", "http", "ping", "clone", "fetch", "get", "post", "put", "pull", "push", "add",
];

/// Keys of manifests whose values are a project's public pages.
const MANIFEST_KEYS: &[&str] = &[
    "homepage",
    "repository",
    "documentation",
    "bugs",
    "funding",
    "author",
    "authors",
    "license",
    "licenses",
    "maintainer",
    "maintainers",
    "contributors",
    "website",
    "changelog",
    "issues",
    "readme",
    "upstream-contact",
    "source",
    "support",
    "donate",
    "sponsor",
    "vcs-browser",
    "project-url",
    "blog",
];

// The domains of `lists/hosted.toml`, as the build script writes them.
include!(concat!(env!("OUT_DIR"), "/hosted.rs"));

/// First labels below a hosted service's domain that are the provider's own.
const PROVIDERS_OWN: &[&str] = &[
    "www",
    "api",
    "apis",
    "app",
    "apps",
    "docs",
    "doc",
    "developer",
    "developers",
    "dev",
    "status",
    "help",
    "support",
    "community",
    "blog",
    "learn",
    "training",
    "university",
    "academy",
    "trust",
    "login",
    "signin",
    "signup",
    "account",
    "accounts",
    "auth",
    "manage",
    "admin",
    "console",
    "dashboard",
    "my",
    "go",
    "get",
    "info",
    "about",
    "partners",
    "marketplace",
    "store",
    "cdn",
    "static",
    "assets",
    "files",
    "images",
    "media",
    "hooks",
    "s3",
    "sts",
    "web",
    "mail",
    "forum",
    "forums",
    "events",
    "jobs",
    "careers",
    "security",
    "legal",
    "resources",
    "download",
    "downloads",
    "packages",
    "registry",
    "releases",
    "edgeapi",
    "wss",
    "subdomain",
    "yourcompany",
    "instance",
];

/// Whether a host is a customer's name below a hosted service's domain: `oakmere.okta.com`.
pub fn is_tenant(host: &str) -> bool {
    let Some((first, parent)) = host.split_once('.') else {
        return false;
    };
    (keep::tenant(host) || under_hosted(parent)) && !PROVIDERS_OWN.contains(&first)
}

/// Whether a host is a hosted service's own: its domain, or a name below that the provider uses.
pub(crate) fn is_providers_own(host: &str) -> bool {
    let is_own =
        |(first, parent): (&str, &str)| under_hosted(parent) && PROVIDERS_OWN.contains(&first);
    under_hosted(host) && (host.split_once('.').is_some_and(is_own) || HOSTED.contains(&host))
}

/// Whether a domain is that of a hosted service, or below one.
fn under_hosted(domain: &str) -> bool {
    static CELL: OnceLock<WordSet> = OnceLock::new();
    let hosted = CELL.get_or_init(|| WordSet::new(HOSTED));
    let mut rest = domain;
    loop {
        if hosted.has(rest) {
            return true;
        }
        match rest.split_once('.') {
            Some((_, parent)) => rest = parent,
            None => return false,
        }
    }
}

/// The domains of hosted services.
pub fn hosted() -> &'static [&'static str] {
    HOSTED
}

/// Whether a label names a service: `api`, `db01`, `redis-prod`.
pub(crate) fn is_service(label: &str) -> bool {
    let name = label
        .split('-')
        .next()
        .unwrap_or_default()
        .trim_end_matches(|c: char| c.is_ascii_digit());
    SERVICES.contains(&name)
}

/// Whether a URL is a link for readers: `before` ends with its scheme, `after` begins with its path.
pub(crate) fn is_link(before: &str, host: &str, after: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let first = labels.first().copied().unwrap_or_default();
    let path = after.to_ascii_lowercase();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let Some(lead) = lead(line) else {
        return false;
    };
    // Anybody may read what `ftp://ftp.…` serves.
    let is_archive =
        first == "ftp" && line.ends_with("ftp://") && (is_comment(lead) || is_sentence(lead));
    if is_archive || is_copy_of_link(lead, host) {
        return true;
    }
    if is_service(first) || after.starts_with(':') {
        return false;
    }
    let bare = first == "www" || labels.len() <= 2;
    if is_marked_up(lead) || bare && (is_credit(lead) || in_manifest(before)) {
        return true;
    }
    let endpoint = ENDPOINTS.iter().any(|endpoint| path.starts_with(endpoint));
    !endpoint && (is_comment(lead) || is_manifest(lead) || bare && is_sentence(lead))
}

/// The line up to the URL; nothing where a user stands in it.
fn lead(line: &str) -> Option<&str> {
    let scheme = line.strip_suffix("://")?;
    Some(scheme.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '+'))
}

/// `[text](…`, `[ref]: …`, `href="…`.
fn is_marked_up(lead: &str) -> bool {
    [
        "](", "](<", "]: ", "]: <", "]:", "href=\"", "href='", "xmlns=\"", "src=\"", "@see ",
        "@link ", "url{", "`_", ">`", "`__ <", " <", "(<", "HREF=\"", "Href=\"", "href=",
    ]
    .iter()
    .any(|mark| lead.ends_with(mark))
}

/// `<a href="http://host/">http://host/`: what a link shows.
fn is_copy_of_link(lead: &str, host: &str) -> bool {
    let shown = lead.ends_with("\">") || lead.ends_with("'>");
    shown
        && lead
            .rfind("href=")
            .or_else(|| lead.rfind("HREF="))
            .and_then(|at| lead.get(at..))
            .is_some_and(|link| link.contains(host))
}

/// A comment in which the URL stands by itself or among words, not commented-out code.
fn is_comment(lead: &str) -> bool {
    let text = lead.trim_start();
    let marked = [
        "//", "#", "*", "/*", "--", ";", "<!--", "%", "..", "\"\"\"", "'''", "dnl ", "\" ", "\"\t",
        "|", "@",
    ]
    .iter()
    .any(|mark| text.starts_with(mark));
    marked && reads_on(text)
}

/// A key of a manifest.
fn is_manifest(lead: &str) -> bool {
    let key = lead
        .trim_start()
        .trim_start_matches(['"', '\'', '-', ' ', '@', ':', '.', '*', '[', '{'])
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    MANIFEST_KEYS.contains(&key.as_str())
}

/// `Somebody <…> (https://…)`: whose page it is.
fn is_credit(lead: &str) -> bool {
    lead.ends_with(" (")
        && !lead.contains(['=', '{', '$', ';'])
        && lead.split_whitespace().count() >= 3
}

/// Whether a host without a scheme is the page of an author or sponsor in a package's manifest.
pub fn is_manifest_page(before: &str, host: &str) -> bool {
    host.split('.').count() <= 2 && in_manifest(before)
}

/// The page of an author or sponsor in a package's manifest.
fn in_manifest(before: &str) -> bool {
    let near = before.trim_end_matches("://");
    near.rsplit('\n')
        .next()
        .is_some_and(|line| line.contains("\"url\""))
        && [
            "\"author\"",
            "\"contributors\"",
            "\"maintainers\"",
            "\"funding\"",
            "\"email\"",
            "\"license\"",
        ]
        .iter()
        .any(|key| before.contains(key))
}

/// Four words or more, and nothing of code; not where something is done there.
fn is_sentence(lead: &str) -> bool {
    const TOWARDS: &[&str] = &["to", "on", "against", "into", "calls", "hits", "behind"];
    let last = lead.split_whitespace().next_back().unwrap_or_default();
    if TOWARDS.contains(&last) {
        return false;
    }
    let words = lead
        .split_whitespace()
        .filter(|word| {
            word.len() >= 2
                && word
                    .chars()
                    .all(|c| c.is_alphabetic() || ",.;:()'-*".contains(c))
        })
        .count();
    let invited = [
        "see", "visit", "See", "Visit", "cf.", "website:", "Website:", "Home:",
    ]
    .contains(&last)
        || lead.ends_with("ore at ");
    (words >= 4 || invited) && !lead.contains(['=', '{', '}', '"', '$']) && reads_on(lead)
}

/// Whether the words before lead up to a link rather than to a command's argument.
fn reads_on(lead: &str) -> bool {
    let last = lead
        .split_whitespace()
        .next_back()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let open = lead.ends_with([
        ' ', '\t', '(', '<', '[', '*', '#', '/', '!', '`', ':', ';', '%',
    ]);
    open && !COMMANDS.contains(&last.as_str())
}
