//! The tables that `docs/operations/scaling.md` shows.

use crate::{
    Args,
    costs::{self, Kind},
    curves::most_queries,
    measured::{
        ALONE, BESIDE, CONNECTIONS, CONNECTIONS_TAKEN, HEAD_ROW_SUBMITS, INSERT, INTAKE,
        OPENING_A_MILLION, RECORDS_TAKEN_IN, SIZES, SUBMIT, TWO_OF_ONE,
    },
    plan::{self, Layout, plan},
};

/// The numbers of replicas that are compared.
pub(crate) const REPLICAS: [usize; 5] = [1, 2, 4, 8, 16];
/// The sizes of deployments, and their names.
const DEPLOYMENTS: [(f64, &str); 4] = [(1e6, "1 M"), (1e7, "10 M"), (1e8, "100 M"), (1e9, "1 G")];
/// The bounds in milliseconds for 99 % of the queries in the comparison of replicas.
const IN_TIME: [f64; 2] = [20.0, 50.0];

/// Returns all tables, as Markdown.
pub(crate) fn all(args: &Args) -> Vec<String> {
    vec![
        measured(),
        one_of_two(),
        units(),
        sizes(),
        replicas(args),
        submits(args),
        shards(args),
        limits(args),
    ]
}

/// Returns a table with a head and rows.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    let rows: String = rows.iter().map(|cells| line(cells)).collect();
    line(&head) + &rule + &rows
}

/// Formats a number with three significant digits, or with all digits before the point.
pub(crate) fn figure(value: f64) -> String {
    if value >= 99.95 {
        return grouped(rounded(value));
    }
    let places = if value >= 9.995 { 1 } else { 2 };
    let text = format!("{value:.places$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// Rounds to three digits.
fn rounded(value: f64) -> u64 {
    let step = 10_f64.powf(value.log10().floor() - 2.0).max(1.0);
    ((value / step).round() * step) as u64
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

fn measured() -> String {
    let rows = SIZES.iter().map(|size| {
        let [lexical, with_model] = size.query;
        let [for_lexical, for_model] = size.database_query;
        vec![
            figure(size.records),
            format!("{lexical:.3}, {for_lexical:.3}"),
            format!("{with_model:.2}, {for_model:.3}"),
            format!("{} + {}", figure(size.own), figure(size.mapped)),
            figure(size.index),
            figure(size.database),
        ]
    });
    let head = [
        "records",
        "lexical query, ms: replica, PostgreSQL",
        "with the model",
        "replica's memory, MiB: own + mapped",
        "its index, MiB",
        "database, MiB",
    ];
    table(&head, rows.collect())
}

fn one_of_two() -> String {
    let rows = Kind::ALL.map(|kind| {
        let database_query = kind.of(SIZES[0].database_query);
        vec![
            kind.name().to_owned(),
            format!("{:.3} ms", kind.of(ALONE)),
            format!("{:.3} ms", kind.of(BESIDE)),
            format!("{:.2} ×", kind.of(TWO_OF_ONE)),
            figure(kind.of(BESIDE) / database_query),
        ]
    });
    let head = [
        "query at 10,000 records",
        "one replica",
        "one of two",
        "two replicas answer",
        "replica cores that a core of PostgreSQL serves",
    ];
    table(&head, rows.into())
}

/// Returns the costs of another million records and of another thousand queries per second.
fn units() -> String {
    let mut rows = vec![
        more("memory of each replica, GiB", costs::memory),
        more("index of each replica on disk, GiB", |n| costs::disks(n)[0]),
        more("database on disk, GiB", |n| costs::disks(n)[1]),
        vec![
            "processor of each replica to take a million in, minutes".to_owned(),
            figure(1e6 / RECORDS_TAKEN_IN / 60.0),
        ],
    ];
    for kind in Kind::ALL {
        for (records, name) in [(1e4, "10,000"), (1e6, "1 M")] {
            let at = |cost| format!("{cost}, {} of {name} records", kind.name());
            rows.push(vec![
                at("1,000 queries/s: cores of replicas"),
                figure(costs::query(kind, records).mean),
            ]);
            rows.push(vec![
                at("1,000 queries/s: cores of PostgreSQL"),
                figure(costs::database_query(kind, records).mean),
            ]);
        }
    }
    table(&["what", "costs"], rows)
}

fn more(name: &str, cost: impl Fn(f64) -> f64) -> Vec<String> {
    vec![name.to_owned(), figure(cost(2e6) - cost(1e6))]
}

fn sizes() -> String {
    let rows = DEPLOYMENTS.map(|(records, name)| {
        let [index, database] = costs::disks(records);
        vec![
            name.to_owned(),
            figure(costs::memory(records)),
            figure(index),
            figure(database),
            figure(costs::query(Kind::Lexical, records).mean),
            figure(costs::query(Kind::WithModel, records).mean),
            figure(records / 1e6 * OPENING_A_MILLION),
            figure(records / RECORDS_TAKEN_IN / 60.0),
        ]
    });
    let head = [
        "records in one shard",
        "memory of a replica, GiB",
        "its index, GiB",
        "database, GiB",
        "lexical query, ms",
        "with the model, ms",
        "index opened, s",
        "index built, minutes",
    ];
    table(&head, rows.into())
}

fn replicas(args: &Args) -> String {
    let mut rows = vec![Vec::new(); REPLICAS.len()];
    for (row, replicas) in rows.iter_mut().zip(REPLICAS) {
        row.push(figure(replicas as f64));
    }
    for kind in Kind::ALL {
        let bound = kind.of(IN_TIME);
        let most = REPLICAS.map(|replicas| most_queries(args, kind, replicas, bound));
        for (row, queries) in rows.iter_mut().zip(most) {
            row.push(figure(queries));
            row.push(format!("{:.1}", queries / most[0]));
        }
    }
    let [lexical, with_model] = IN_TIME.map(figure);
    let head = [
        "replicas".to_owned(),
        format!("lexical queries/s, p99 {lexical} ms"),
        "× one".to_owned(),
        format!("queries/s with the model, p99 {with_model} ms"),
        "× one".to_owned(),
    ];
    table(&head.each_ref().map(String::as_str), rows)
}

fn submits(args: &Args) -> String {
    let rows = REPLICAS.map(|replicas| {
        let others = replicas.saturating_sub(1) as f64;
        let cores = replicas as f64 * f64::from(args.cores) * 1e3;
        let embedded = cores / (SUBMIT.mean + others * INTAKE.mean);
        let taken_in = 1e3 / INTAKE.mean;
        let inserted = f64::from(args.database_cores) * 1e3 / INSERT.mean;
        let all = [embedded, HEAD_ROW_SUBMITS, taken_in, inserted];
        let least = all.into_iter().fold(f64::INFINITY, f64::min);
        let mut row = vec![figure(replicas as f64)];
        row.extend(all.map(figure));
        row.push(figure(least));
        row
    });
    let head = [
        "replicas",
        "embedded, submits/s",
        "past the row of `heads`",
        "taken in by each replica",
        "by PostgreSQL's cores",
        "so at most",
    ];
    table(&head, rows.into())
}

fn shards(args: &Args) -> String {
    let mut rows = Vec::new();
    for layout in Layout::ALL {
        for (records, name) in DEPLOYMENTS {
            let mut row = vec![name.to_owned(), layout.name().to_owned()];
            row.extend(shards_row(args, records, layout));
            rows.push(row);
        }
    }
    let head = [
        "records",
        "layout",
        "shards",
        "replicas of each",
        "cores of all replicas",
        "memory of all, GiB",
        "databases, GiB",
        "p99, ms",
        "tightest part",
    ];
    table(&head, rows)
}

fn shards_row(args: &Args, records: f64, layout: Layout) -> Vec<String> {
    let Some(plan) = plan(args, records, layout) else {
        return ["none that was tried"; 7].map(str::to_owned).to_vec();
    };
    let machines = (plan.shards * plan.replicas) as f64;
    let [_, database] = costs::disks(plan.records);
    vec![
        figure(plan.shards as f64),
        figure(plan.replicas as f64),
        figure(machines * f64::from(args.cores)),
        figure(machines * costs::memory(plan.records)),
        figure(plan.shards as f64 * database),
        figure(plan.p99),
        format!(
            "{}, {:.0} %",
            plan.tightest.name,
            plan.tightest.used * 100.0
        ),
    ]
}

/// Returns the limit of each resource of one shard, independent of the others.
fn limits(args: &Args) -> String {
    let heads = |kind: Kind| {
        let cores = f64::from(args.database_cores) * 1e3;
        figure(cores / costs::database_query(kind, 1e6).mean)
    };
    let rows = [
        (
            "memory of a replica",
            format!("{} records", figure(plan::records_in_memory(args))),
            "shards",
        ),
        (
            "time of one query",
            format!("{} records", figure(plan::records_in_time(args))),
            "shards; a vector index that does not look at every record",
        ),
        (
            "head checks and counts at PostgreSQL, lexical",
            format!("{} queries/s", heads(Kind::Lexical)),
            "shards; a standby for rows",
        ),
        (
            "head checks and counts at PostgreSQL, with the model",
            format!("{} queries/s", heads(Kind::WithModel)),
            "shards; a standby for rows",
        ),
        (
            "row of `heads`",
            format!("{} submits/s", figure(HEAD_ROW_SUBMITS)),
            "shards: each has rows of its own",
        ),
        (
            "intake of each replica, one record at a time",
            format!("{} submits/s", figure(1e3 / INTAKE.mean)),
            "shards",
        ),
        (
            "connections, as PostgreSQL comes",
            format!(
                "{} replicas",
                figure((CONNECTIONS_TAKEN / CONNECTIONS).floor())
            ),
            "`max_connections`; fewer `database.connections`",
        ),
    ];
    let rows = rows.map(|(part, end, remedy)| vec![part.to_owned(), end, remedy.to_owned()]);
    table(&["part of one shard", "ends at", "then"], rows.into())
}
