//! Judges names of machines without a dot: `db-prod-01` is somebody's, `redis`, `localhost` and
//! `my-server` are anybody's.

mod ordinary;
mod technical;

use crate::text::{head, tail};
use ordinary::{COUNTED, EXAMPLES, NUMBERED, REGIONS};
use technical::{STAGES, TECHNICAL};

/// Whether a name names somebody's machine, where something says that a host stands there.
pub fn is_private(before: &str, name: &str) -> bool {
    let marked = name.bytes().any(|b| b.is_ascii_digit()) || is_staged_name(name);
    let is_escaped = before.ends_with("\\\\") && is_escape(name);
    !is_referred_to(before)
        && !is_escaped
        && names_machine(name)
        && (marked || !follows_server(before))
        && (!ends_sentence(before) || tells_stage_and_number(name))
}

/// Whether a name names somebody's machine where nothing but a machine's name stands.
pub fn is_named(before: &str, name: &str) -> bool {
    const SHORTEST: usize = 6;
    const KINDS: &[&str] = &[
        "switch",
        "router",
        "firewall",
        "gateway",
        "kernel",
        "version",
        "localhost",
        "workstation",
        "computer",
        "desktop",
        "laptop",
        "switch1",
        "switch2",
        "router1",
        "router2",
        "kubernetes",
        "debian",
        "ubuntu",
        "raspberrypi",
    ];
    let lower = name.to_ascii_lowercase();
    let parts = parts(&lower);
    let known = |part: &&str| {
        is_number(part)
            || TECHNICAL.contains(part)
            || EXAMPLES.contains(part)
            || REGIONS.contains(part)
    };
    let proper = parts.iter().any(|part| part.len() >= 4 && !known(part))
        && !parts.iter().any(|part| EXAMPLES.contains(part));
    lower.len() >= SHORTEST
        && !KINDS.contains(&&*lower)
        && !is_referred_to(before)
        && (names_machine(name) || proper)
}

/// `fra-order-db02`: whose machine it is, what it serves and a number; no part is an example's.
pub fn is_serving(before: &str, name: &str) -> bool {
    const ANYBODYS: &[&str] = &[
        "my",
        "your",
        "the",
        "test",
        "tests",
        "demo",
        "example",
        "sample",
        "docker",
        "compose",
        "kube",
        "dev",
        "local",
        "foo",
        "bar",
        "new",
        "old",
        "aws",
        "gcp",
        "azure",
        "utf",
        "java",
        "node",
        "python",
        "apache",
        "spring",
        "react",
        "hello",
        "nginx",
        "simple",
        "multi",
        "sub",
        "non",
        "pre",
        "post",
        "re",
        "open",
        "amazon",
        "google",
        "microsoft",
    ];
    let first = name.split('-').next().unwrap_or_default();
    !ANYBODYS.contains(&first) && is_named(before, name)
}

/// Whether a name with a number is a machine's, and no program and its version.
pub fn is_marked(before: &str, name: &str) -> bool {
    const COUNTED_THINGS: &[&str] = &[
        "python",
        "node",
        "ubuntu",
        "debian",
        "http",
        "https",
        "ipv",
        "port",
        "php",
        "java",
        "jdk",
        "jre",
        "windows",
        "win",
        "centos",
        "rhel",
        "fedora",
        "alpine",
        "postgres",
        "postgresql",
        "pgsql",
        "mssql",
        "mysql",
        "redis",
        "mongo",
        "mongodb",
        "version",
        "step",
        "line",
        "page",
        "phase",
        "day",
        "week",
        "worker",
        "thread",
        "core",
        "cpu",
        "gpu",
        "eth",
        "tty",
        "pts",
        "stage",
        "level",
        "amd",
        "arm",
        "utf",
        "sha",
        "base",
        "vue",
        "angular",
        "react",
        "dotnet",
        "gcc",
        "clang",
        "llvm",
        "cuda",
        "port",
        "channel",
        "slot",
        "layer",
        "replica",
        "shard",
        "partition",
        "test",
        "debian",
        "bullseye",
        "bookworm",
        "focal",
        "jammy",
        "macos",
        "ios",
        "android",
        "chrome",
        "firefox",
        "usb",
        "iso",
        "rfc",
        "issue",
        "ticket",
        "build",
        "release",
        "commit",
        "sprint",
        "room",
        "building",
        "floor",
        "row",
        "table",
        "column",
        "chapter",
        "figure",
        "example",
        "item",
        "track",
        "season",
        "episode",
        "group",
        "team",
        "client",
        "server",
        "host",
        "machine",
        "pod",
        "container",
        "docker",
        "lambda",
        "instance",
        "nginx",
        "apache",
        "tomcat",
        "openssl",
        "tls",
        "ssl",
        "wlan",
        "wifi",
        "vlan",
        "raid",
        "sda",
        "nvme",
        "disk",
        "volume",
    ];
    let lower = name.to_ascii_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let digits = lower.bytes().filter(u8::is_ascii_digit).count();
    digits >= 1
        && stem.len() >= 2
        && !COUNTED_THINGS.contains(&stem)
        && ![
            "usb", "mssql", "pgsql", "mysql", "http", "hdmi", "iphone", "ipad",
        ]
        .iter()
        .any(|thing| lower.starts_with(thing))
        && !is_referred_to(before)
        && (is_named(before, name) || digits >= 2 && name.len() >= 6)
}

/// `u0066o`, `x66oo`: the rest of an escape whose backslash a string doubles.
fn is_escape(name: &str) -> bool {
    let begins = |sign: char, digits: usize| {
        name.strip_prefix(sign)
            .and_then(|rest| rest.get(..digits))
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    begins('u', 4) || begins('U', 8) || begins('x', 2)
}

/// Words of messages that name a host behind a colon.
const FAILURES: &[&str] = &[
    "resolve",
    "refused",
    "exception",
    "error",
    "unknown",
    "unreachable",
    "fail",
    "fatal",
    "timed",
    "timeout",
    "connect",
    "contact",
];

/// `Ask the given host:`, which a command follows.
fn ends_sentence(before: &str) -> bool {
    let line = tail(before, 120)
        .trim_end()
        .rsplit('\n')
        .next()
        .unwrap_or_default();
    let words = line
        .split(' ')
        .filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_alphabetic()));
    let lower = line.to_ascii_lowercase();
    let reports = FAILURES.iter().any(|word| lower.contains(word));
    line.ends_with(':') && words.count() >= 3 && !reports
}

/// `Server: `, which in HTTP is followed by a product.
fn follows_server(before: &str) -> bool {
    tail(before, 12)
        .trim_end_matches(['"', '\'', ' ', '\t', ':', '='])
        .to_ascii_lowercase()
        .ends_with("server")
}

fn is_staged_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    parts(&name).iter().any(|part| is_staged(part))
}

/// Whether a name before a port names somebody's machine: by itself, or as one of a list of hosts.
pub fn is_private_with_port(before: &str, name: &str, after: &str) -> bool {
    if is_referred_to(before) {
        return false;
    }
    let line = tail(before, 160).rsplit('\n').next().unwrap_or_default();
    let lower = line.to_ascii_lowercase();
    let next = head(after, 80).split('\n').next().unwrap_or_default();
    let told = SURROUNDINGS.iter().any(|word| lower.contains(word))
        || OUTCOMES.iter().any(|word| next.contains(word));
    is_port(after) && names_machine(name) && (told || tells_stage_and_number(name))
}

/// What stands on a line in which a name and a port are those of a machine.
const SURROUNDINGS: &[&str] = &[
    "://", "host", "server", "broker", "endpoint", "nodes", "quorum", "ensemble", "targets",
    "connect", "timeout", "dial", "resolve", "contact", "upstream", "listen", "socket", "reach",
];

/// The same behind the port.
const OUTCOMES: &[&str] = &[
    "refused",
    "timed out",
    "timeout",
    "unreachable",
    "unavailable",
    "reset by peer",
    "Errno",
];

/// `${name}`, `$name`, `{name}`, `%name%`, `<name>`: no name but a reference to one.
fn is_referred_to(before: &str) -> bool {
    before.ends_with(['$', '{', '%', '<', '.', '_', '-', '\\', '#'])
        && !before.ends_with("\\\\")
        && !before.ends_with("\\\"")
}

/// Whether what stands behind the colon is a port that services listen on.
fn is_port(after: &str) -> bool {
    const SHORT: &[u32] = &[
        22, 25, 53, 80, 88, 110, 111, 143, 389, 443, 445, 465, 514, 587, 636, 993, 995,
    ];
    let digits = after.strip_prefix(':').map_or("", |rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    });
    digits
        .parse()
        .is_ok_and(|port: u32| (1024..=65_535).contains(&port) || SHORT.contains(&port))
}

/// The parts of a name: at hyphens, and where digits begin and end.
fn parts(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in name.split('-') {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let digits = first.is_ascii_digit();
            let end = rest.find(|c: char| c.is_ascii_digit() != digits);
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            parts.push(part);
            rest = after;
        }
    }
    parts
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

fn names_machine(name: &str) -> bool {
    const LONGEST: usize = 40;
    let name = name.to_ascii_lowercase();
    let parts = parts(&name);
    let words: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !is_number(part))
        .collect();
    let numbers: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| is_number(part))
        .collect();
    if name.len() > LONGEST || words.is_empty() || words.iter().any(|word| EXAMPLES.contains(word))
    {
        return false;
    }
    // `ec2-instance`, `k8s-master`: a digit that is no number. `git@github-work:`: an alias.
    let alias = ["github-", "gitlab-", "bitbucket-"]
        .iter()
        .any(|host| name.starts_with(host));
    let unmarked = numbers.is_empty() && !words.iter().any(|word| is_staged(word));
    let generic = name.split('-').all(|piece| TECHNICAL.contains(&piece));
    if alias && unmarked || generic || words.iter().all(|word| REGIONS.contains(word)) {
        return false;
    }
    let staged = words.iter().any(|word| is_staged(word));
    let technical = words.iter().all(|word| TECHNICAL.contains(word));
    match (words.as_slice(), numbers.as_slice()) {
        ([_], []) => staged && !STAGES.contains(&words.concat().as_str()),
        (_, []) => staged || !technical && words.iter().any(|word| TECHNICAL.contains(word)),
        ([stem], [number]) => {
            let version = NUMBERED.contains(stem) && number.len() < 3 && !name.contains('-');
            let counted = COUNTED.contains(stem) && number.len() == 1;
            !version && !counted && stem.len() > 1 && number.len() < 6
        }
        (words, [_]) if words.last() == Some(&"v") => false,
        _ => true,
    }
}

/// `prod`, `sqlprod`, `prdapp`: a stage, alone or joined with what runs there.
fn is_staged(word: &str) -> bool {
    const JOINED: &[&str] = &["prod", "prd", "stg", "uat", "preprod"];
    STAGES.contains(&word)
        || JOINED.iter().any(|stage| {
            let rest = word
                .strip_suffix(stage)
                .or_else(|| word.strip_prefix(stage));
            rest.is_some_and(|rest| TECHNICAL.contains(&rest))
        })
}

/// Whether a name is a machine's whatever stands around it: what runs there, and a stage or a number
/// of two digits, or of one behind three parts.
fn tells_stage_and_number(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts = parts(&name);
    let technical = parts
        .iter()
        .any(|part| TECHNICAL.contains(part) && *part != "node");
    let staged = parts.iter().any(|part| is_staged(part));
    let numbered = parts.iter().any(|part| is_number(part) && part.len() == 2)
        || parts.len() > 2 && parts.last().is_some_and(|part| is_number(part));
    technical && (staged || numbered)
}
