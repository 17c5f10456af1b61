//! Judges host names: public knowledge and documentation stay, private ones go. Names without a dot
//! are for `machines`, addresses for `addresses`.

use crate::keep;
use crate::places::sites;

/// Top-level names that exist only inside somebody's network.
pub const INTERNAL_TLDS: &[&str] = &[
    "internal",
    "local",
    "corp",
    "lan",
    "intra",
    "intranet",
    "private",
    "localdomain",
    "home",
    "priv",
    "loc",
    "intern",
    "localnet",
    "inhouse",
    "lcl",
    "consul",
];

/// Labels that say that a host is somebody's own.
pub const INTERNAL_LABELS: &[&str] = &[
    "internal",
    "corp",
    "intra",
    "intranet",
    "lan",
    "svc",
    "prod",
    "production",
    "staging",
    "stage",
    "stg",
    "vpn",
    "int",
    "private",
    "priv",
    "k8s",
    "qa",
    "uat",
    "dc1",
    "dc2",
    "vpc",
    "dmz",
    "office",
    "hq",
    "preprod",
    "infra",
    "ops",
    "local",
    "ad",
    "prd",
    "lab",
    "mgmt",
    "mgt",
    "oob",
    "bmc",
    "ipmi",
    "backoffice",
    "intern",
    "interno",
    "interna",
    "interne",
    "interni",
    "red",
    "rede",
    "rete",
    "netz",
    "reseau",
    "inner",
    "lokal",
    "nonprod",
];

/// Labels that say so only below a longer name: `db.dev.zentrix.io`.
const DEEP_LABELS: &[&str] = &[
    "dev", "test", "tst", "core", "gpu", "in", "edge", "dc", "si", "sys", "net", "node", "cluster",
];

/// First labels of hosts that hold documentation for everybody.
const DOCUMENTING_LABELS: &[&str] = &[
    "docs",
    "doc",
    "developer",
    "developers",
    "documentation",
    "learn",
    "help",
    "manual",
    "man",
    "schemas",
    "schema",
    "spec",
    "specs",
    "blog",
    "book",
    "guide",
    "guides",
    "pubs",
    "eprint",
    "forum",
    "community",
    "research",
];

/// Whether a host that stands in a URL should go; `before` ends with the scheme, `after` is the text behind it.
pub fn is_private_in_url(before: &str, host: &str, after: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if is_kept(&host) || is_everybodys(&host) || !has_plausible_tld(&host) {
        return false;
    }
    let labels: Vec<&str> = host.split('.').collect();
    if is_internal(&labels) || sites::is_tenant(&host) {
        return true;
    }
    let documents = labels
        .first()
        .is_some_and(|label| DOCUMENTING_LABELS.contains(label));
    let path = after
        .split(['?', '#', ' ', '"', '\'', '\n'])
        .next()
        .unwrap_or_default();
    let page = [".html", ".htm", ".pdf", ".md", ".txt", ".xsd", ".dtd"]
        .iter()
        .any(|extension| path.ends_with(extension));
    let public = matches!(labels.last().copied(), Some("edu" | "gov" | "rs"));
    let documented = page
        || public
        || [
            "/docs",
            "/documentation",
            "/reference",
            "/licenses",
            "/license",
            "/spec",
            "/schema",
            "/xml",
            "/ns/",
        ]
        .iter()
        .any(|part| path.contains(part));
    !documents && !documented && !sites::is_link(before, &host, after)
}

/// Where paths of properties begin.
const CODE_ROOTS: &[&str] = &[
    "import", "this", "self", "process", "window", "document", "config", "app", "props", "state",
    "data", "settings", "env", "spec", "values", "com", "org", "net", "io", "java", "javax", "std",
    "http", "os", "sys", "request", "req", "ctx",
];

/// Whether a host name outside a URL says by itself that it is private.
pub fn is_private_alone(before: &str, host: &str, after: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let coded = after.starts_with(['(', '_', '=']) && !after.starts_with("==")
        || before.ends_with(['.', '_', '/', '\\', '$', '-'])
            && !before.ends_with("//")
            && !before.ends_with("\\\\")
        || host.bytes().any(|b| b.is_ascii_uppercase() || b == b'_');
    let path = labels
        .first()
        .is_some_and(|label| CODE_ROOTS.contains(label));
    if coded || path || labels.len() < 3 || is_kept(host) {
        return false;
    }
    if sites::is_tenant(host) {
        return true;
    }
    let marked = labels
        .iter()
        .any(|label| label.contains('-') || label.bytes().any(|b| b.is_ascii_digit()));
    let last = labels.last().copied().unwrap_or_default();
    if host.ends_with(".home.arpa") {
        return true;
    }
    if INTERNAL_TLDS.contains(&last) {
        return matches!(
            last,
            "lan" | "intra" | "intranet" | "corp" | "localdomain" | "priv"
        ) || last == "internal" && is_no_path(&labels, after)
            || marked
            || labels.len() >= 4
            || is_internal(labels.get(..labels.len() - 1).unwrap_or_default());
    }
    keep::tld(last) && is_internal(&labels)
}

/// `ledger.oakmere.internal`, and not the path of a module: no label names a part of a program.
fn is_no_path(labels: &[&str], after: &str) -> bool {
    const PARTS: &[&str] = &[
        "settings", "test", "tests", "utils", "util", "models", "model", "core", "lib", "src",
        "common", "types", "impl", "api", "client", "server", "module", "modules", "pkg",
        "package", "packages", "react", "node", "service", "services", "plugin", "plugins", "cmd",
        "internal", "private", "public", "google", "apache", "android", "kotlin", "scala",
        "python", "jdk", "sun", "oracle", "spring", "junit", "gradle",
    ];
    let ends = after.is_empty()
        || after.starts_with([
            ' ', '\n', '\r', ',', ')', ']', '"', '\'', '`', ':', ';', '>', '\t', '/', '|',
        ])
        || after.starts_with(". ")
        || after.starts_with(".\n")
        || after.starts_with(|c: char| !c.is_ascii());
    let inner = labels.get(..labels.len() - 1).unwrap_or_default();
    ends && inner
        .iter()
        .all(|label| label.len() >= 2 && !PARTS.contains(label))
}

/// Whether a host name should go where a key or a command says that one stands.
pub fn is_private_keyed(host: &str, after: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    let named = INTERNAL_TLDS.contains(&last) || keep::tld(last);
    named && !after.starts_with(['(', '[']) && host.contains('.') && is_private_in_url("", host, "")
}

/// Whether a host beside a port names somebody's service: `minio.acme.dev:9000`.
pub fn is_private_with_port(before: &str, host: &str) -> bool {
    let first = host.split('.').next().unwrap_or_default();
    host.split('.').count() >= 3
        && sites::is_service(first)
        && !before.ends_with(['.', '_', '-', '$', '/', '@'])
        && is_private_keyed(host, "")
}

/// `grafana.prod.acme.io`, `db01.corp`: an internal label that is not the registered name.
fn is_internal(labels: &[&str]) -> bool {
    let last = labels.last().copied().unwrap_or_default();
    let inner = labels
        .get(..labels.len().saturating_sub(2))
        .unwrap_or_default();
    let deep = labels.len() >= 4
        && labels
            .get(1..labels.len() - 2)
            .is_some_and(|inner| inner.iter().any(|label| DEEP_LABELS.contains(label)));
    INTERNAL_TLDS.contains(&last)
        || inner.iter().any(|label| INTERNAL_LABELS.contains(label))
        || deep
}

fn has_plausible_tld(host: &str) -> bool {
    host.rsplit_once('.').is_some_and(|(_, tld)| {
        tld.len() >= 2
            && tld.bytes().all(|b| b.is_ascii_alphabetic())
            && !["stderr", "stdout", "stdin", "url"].contains(&tld)
    })
}

/// Registered names that stand for any.
const PLACEHOLDER_NAMES: &[&str] = &[
    "example",
    "your",
    "yourdomain",
    "mydomain",
    "domain",
    "placeholder",
    "foo",
    "bar",
    "localhost",
    "yourcompany",
    "yoursite",
    "mysite",
    "somewhere",
    "mycompany",
    "acme",
    "evil",
    "attacker",
    "malicious",
    "victim",
    "myapp",
    "my-app",
    "host",
    "company",
    "site",
    "website",
    "some-domain",
    "otherdomain",
    "test",
    "sample",
    "dummy",
    "fake",
    "hostname",
    "mywebsite",
    "example1",
    "example2",
    "example3",
    "myserver",
    "my-server",
    "server",
    "some",
    "baz",
    "domain1",
    "domain2",
];

/// `api.yourdomain.com`, `foo.okta.com`, `your-app.fly.dev`: the name somebody would register
/// stands for any. What stands before it says nothing: `foo.prod.` may be anybody's.
pub(crate) fn is_placeholder(host: &str) -> bool {
    let registered = registered_name(host);
    // `acme` is an example of a company, but `acme.zendesk.com` is that of somebody's.
    PLACEHOLDER_NAMES.contains(&registered) && !(registered == "acme" && sites::is_tenant(host))
        || registered.starts_with("your-")
        || registered.starts_with("example-")
        || registered.ends_with("-example")
}

/// The label that a host's owner chose: before the top-level domain, or below a provider's domain.
fn registered_name(host: &str) -> &str {
    let mut labels = host.rsplit('.');
    let (tld, second) = (labels.next(), labels.next());
    if sites::is_tenant(host) {
        return host.split('.').next().unwrap_or_default();
    }
    let paired = tld.is_some_and(|tld| tld.len() == 2)
        && second.is_some_and(|label| ["co", "com", "org", "net", "ac", "gov"].contains(&label));
    let third = if paired { labels.next() } else { None };
    third.or(second).unwrap_or_default()
}

/// Servers of mail, time and trials that anybody's configuration names.
const EVERYBODYS: &[&str] = &[
    "gmail.com",
    "office365.com",
    "outlook.com",
    "mail.yahoo.com",
    "mail.me.com",
    "mailgun.org",
    "mailtrap.io",
    "ethereal.email",
    "mailjet.com",
    "brevo.com",
    "sendinblue.com",
    "postmarkapp.com",
    "sparkpostmail.com",
    "mandrillapp.com",
    "zoho.com",
    "163.com",
    "126.com",
    "yandex.ru",
    "yandex.com",
    "mail.ru",
    "fastmail.com",
    "gmx.net",
    "pool.ntp.org",
    "time.windows.com",
    "broker.hivemq.com",
    "broker.emqx.io",
    "test.mosquitto.org",
];

/// Whether a host is one of those, or below one.
fn is_everybodys(host: &str) -> bool {
    EVERYBODYS.iter().any(|known| {
        host.strip_suffix(known)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// `postgres.default.svc.cluster.local`: a service in the namespace that every cluster has.
fn names_a_service(host: &str) -> bool {
    let name = host.trim_end_matches(".svc.cluster.local");
    name.ends_with(".default")
        && !name.bytes().any(|b| b.is_ascii_digit())
        && name.split(['.', '-']).count() <= 3
}

/// Reserved (RFC 2606, 6761), well known, or a placeholder.
pub(crate) fn is_kept(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let reserved = ["example", "test", "invalid", "localhost", "arpa", "onion"];
    let tld = host.rsplit('.').next().unwrap_or_default();
    reserved.contains(&tld) && !host.ends_with(".home.arpa")
        || is_placeholder(&host) && !INTERNAL_TLDS.contains(&tld)
        || host == "host.docker.internal"
        || host == "gateway.docker.internal"
        || host == "metadata.google.internal"
        || host.starts_with("localhost.")
        || host.ends_with(".svc.cluster.local") && names_a_service(&host)
        || host.starts_with("kubernetes.default")
        || host == "default.svc.cluster.local"
        || (keep::host(&host) && !sites::is_tenant(&host))
        || sites::is_providers_own(&host)
}
