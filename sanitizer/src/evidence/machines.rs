//! Judges names of machines without a dot: `db-prod-01` is somebody's, `redis`, `localhost` and
//! `my-server` are anybody's.

use crate::structure::syntax::{head, tail};

/// Parts of names that say where a machine stands.
const STAGES: &[&str] = &[
    "prod",
    "prd",
    "production",
    "preprod",
    "stg",
    "stage",
    "staging",
    "uat",
    "qa",
    "int",
    "dmz",
    "hq",
    "corp",
    "dr",
];

/// Parts that many machines share: what runs there, and which of several it is.
const TECHNICAL: &[&str] = &[
    "db",
    "database",
    "sql",
    "mysql",
    "mariadb",
    "postgres",
    "postgresql",
    "pg",
    "mssql",
    "oracle",
    "ora",
    "orcl",
    "mongo",
    "mongodb",
    "redis",
    "cache",
    "memcached",
    "kafka",
    "broker",
    "zookeeper",
    "zk",
    "rabbit",
    "rabbitmq",
    "mq",
    "nats",
    "queue",
    "es",
    "elastic",
    "elasticsearch",
    "opensearch",
    "solr",
    "kibana",
    "grafana",
    "prometheus",
    "loki",
    "jaeger",
    "otel",
    "collector",
    "minio",
    "vault",
    "consul",
    "etcd",
    "nginx",
    "haproxy",
    "traefik",
    "envoy",
    "proxy",
    "gateway",
    "gw",
    "lb",
    "web",
    "www",
    "http",
    "https",
    "app",
    "apps",
    "application",
    "api",
    "apis",
    "backend",
    "back",
    "frontend",
    "front",
    "end",
    "service",
    "services",
    "svc",
    "server",
    "servers",
    "srv",
    "host",
    "node",
    "nodes",
    "worker",
    "agent",
    "runner",
    "build",
    "ci",
    "jenkins",
    "git",
    "gitlab",
    "github",
    "gitea",
    "bitbucket",
    "registry",
    "nexus",
    "harbor",
    "mail",
    "smtp",
    "imap",
    "ftp",
    "sftp",
    "ssh",
    "ldap",
    "ad",
    "dc",
    "dns",
    "ntp",
    "vpn",
    "nas",
    "fs",
    "files",
    "storage",
    "backup",
    "log",
    "logs",
    "metrics",
    "monitoring",
    "auth",
    "sso",
    "keycloak",
    "admin",
    "master",
    "primary",
    "main",
    "secondary",
    "replica",
    "slave",
    "leader",
    "follower",
    "shard",
    "member",
    "cluster",
    "pool",
    "set",
    "headless",
    "internal",
    "external",
    "local",
    "docker",
    "compose",
    "container",
    "k8s",
    "kube",
    "kubernetes",
    "pod",
    "vm",
    "esx",
    "vmhost",
    "machine",
    "instance",
    "client",
    "remote",
    "test",
    "ns",
    "nn",
    "data",
    "control",
    "plane",
    "manager",
    "ui",
    "go",
    "node",
    "python",
    "php",
    "java",
    "spring",
    "boot",
    "flask",
    "django",
    "rails",
    "express",
    "next",
    "socket",
    "ws",
    "websocket",
    "grpc",
    "rest",
    "graphql",
    "search",
    "engine",
    "config",
    "eureka",
    "bastion",
    "jump",
    "relay",
    "hub",
    "selenium",
    "chrome",
    "firefox",
    "wordpress",
    "phpmyadmin",
    "fpm",
    "cgi",
    "uwsgi",
    "gunicorn",
    "celery",
    "beat",
    "sidekiq",
    "scheduler",
    "ec2",
    "rds",
    "aws",
    "clickhouse",
    "cassandra",
    "neo4j",
    "influxdb",
    "telegraf",
    "fluentd",
    "logstash",
    "filebeat",
    "adminer",
    "mailhog",
    "mailpit",
    "chromium",
    "browserless",
    "ollama",
    "qdrant",
    "chroma",
    "milvus",
    "temporal",
    "airflow",
    "webserver",
    "caddy",
    "apache",
    "httpd",
    "tomcat",
    "jetty",
    "dotnet",
    "core",
    "pgadmin",
    "localstack",
    "dynamodb",
    "mqtt",
    "mosquitto",
    "emqx",
    "identity",
    "notification",
    "notifications",
    "email",
    "event",
    "events",
    "bus",
    "stream",
    "schema",
    "connect",
    "job",
    "jobs",
    "task",
    "tasks",
    "cron",
    "batch",
    "migrate",
    "migration",
    "bff",
    "edge",
    "static",
    "assets",
    "media",
    "image",
    "images",
    "session",
    "discovery",
    "zipkin",
    "echo",
    "dind",
    "openldap",
    "oauth",
    "login",
    "profile",
    "chat",
    "ingress",
    "controller",
    "system",
    "default",
    "public",
    "private",
    "name",
    "names",
    "alias",
    "addr",
    "address",
    "port",
    "url",
    "uri",
    "ip",
    "domain",
    "field",
    "key",
    "value",
    "id",
    "type",
    "string",
    "id",
];

/// Parts that stand for any name, and what tutorials build.
const EXAMPLES: &[&str] = &[
    "my",
    "your",
    "our",
    "some",
    "any",
    "a",
    "an",
    "the",
    "other",
    "another",
    "new",
    "old",
    "first",
    "second",
    "same",
    "example",
    "sample",
    "test",
    "testing",
    "demo",
    "foo",
    "bar",
    "baz",
    "qux",
    "dummy",
    "fake",
    "mock",
    "hello",
    "world",
    "placeholder",
    "todo",
    "user",
    "users",
    "username",
    "yourserver",
    "yourhost",
    "myhost",
    "myserver",
    "mydb",
    "myapp",
    "hostname",
    "servername",
    "order",
    "orders",
    "product",
    "products",
    "payment",
    "payments",
    "customer",
    "customers",
    "catalog",
    "catalogue",
    "inventory",
    "cart",
    "basket",
    "account",
    "accounts",
    "shipping",
    "item",
    "items",
    "todo",
    "guestbook",
    "petclinic",
    "bookinfo",
    "localhost",
    "acme",
    "no",
    "not",
    "with",
    "without",
    "xxx",
    "abc",
    "target",
    "source",
    "dest",
    "destination",
    "to",
    "from",
    "and",
    "or",
    "thread",
    "only",
    "based",
];

/// Where a machine stands in the world: regions of clouds are no names of machines.
const REGIONS: &[&str] = &[
    "east",
    "west",
    "north",
    "south",
    "northeast",
    "southeast",
    "northwest",
    "southwest",
    "us",
    "eu",
    "ap",
    "sa",
    "ca",
    "af",
    "me",
    "cn",
    "asia",
    "europe",
    "central",
    "region",
    "zone",
];

/// Products and standards whose names end in a number.
const NUMBERED: &[&str] = &[
    "python",
    "php",
    "java",
    "jdk",
    "jre",
    "node",
    "nodejs",
    "mysql",
    "postgres",
    "postgresql",
    "pg",
    "ruby",
    "es",
    "log4j",
    "oauth",
    "ipv",
    "x",
    "sha",
    "md",
    "http",
    "k",
    "utf",
    "utf8mb",
    "base",
    "h",
    "s",
    "i",
    "l",
    "n",
    "e",
    "a",
    "c",
    "t",
    "d",
    "sqlite",
    "sqlserver",
    "win",
    "windows",
    "ubuntu",
    "debian",
    "centos",
    "rhel",
    "gtk",
    "qt",
    "vue",
    "angular",
    "bootstrap",
    "rc",
    "beta",
    "alpha",
    "v",
    "version",
    "step",
    "part",
    "level",
    "line",
    "arg",
    "param",
    "var",
    "tmp",
    "file",
    "test",
    "item",
    "opt",
    "col",
    "row",
    "iso",
    "cp",
    "latin",
    "aes",
    "rsa",
    "ed",
    "p",
    "gpt",
];

/// Stems of which documentation has a first and a second.
const COUNTED: &[&str] = &[
    "host",
    "server",
    "srv",
    "node",
    "machine",
    "vm",
    "broker",
    "peer",
    "client",
    "replica",
    "shard",
    "member",
    "instance",
    "app",
    "web",
    "db",
    "redis",
    "kafka",
    "mongo",
    "mongodb",
    "es",
    "worker",
    "master",
    "slave",
    "name",
    "hostname",
    "ip",
    "address",
    "zookeeper",
    "zoo",
    "ns",
    "backend",
    "api",
    "service",
    "remote",
    "target",
    "container",
    "nginx",
    "cassandra",
    "elasticsearch",
];

/// Whether a name names somebody's machine, where something says that a host stands there.
pub(crate) fn is_private(before: &str, name: &str) -> bool {
    let marked = name.bytes().any(|b| b.is_ascii_digit()) || is_staged_name(name);
    !is_referred_to(before)
        && names_machine(name)
        && (marked || !follows_server(before))
        && (!ends_sentence(before) || tells_stage_and_number(name))
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
pub(crate) fn is_private_with_port(before: &str, name: &str, after: &str) -> bool {
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
