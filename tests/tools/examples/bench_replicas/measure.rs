//! The rounds, their costs, and the conclusions.

use std::time::Duration;

use anyhow::Context as _;
use recall_kit_core::vectors::embedder;
use recall_kit_settings::Settings;
use recall_kit_tests_postgres::Cluster;
use recall_kit_tools::{corpus::Corpus, fill::fill};
use rustix::process::{Pid, getpid};

use crate::{
    Args,
    load::{self, Calls, Done},
    machine::{Core, family_time, memory, processor_time},
    replica::{Launch, Replica},
};

/// Connections to each replica in a round of queries.
const CONNECTIONS: usize = 8;
/// Connections to each replica in a round of concurrent submissions.
const MANY_CONNECTIONS: usize = 64;
/// How long servers must be nearly idle before anything is measured.
const QUIET_FOR: Duration = Duration::from_secs(2);
const MIB: f64 = 1_048_576.0;

/// The environment of the measurement.
struct Bench<'a> {
    args: &'a Args,
    cluster: Cluster,
    database: String,
    corpus: Corpus,
}

/// The cost of some calls: processor time in milliseconds per call.
#[derive(Debug, Clone, Copy)]
struct Cost {
    first: f64,
    second: f64,
    postgres: f64,
    load: f64,
    per_second: f64,
}

impl Cost {
    /// Returns the cost of both replicas.
    fn replicas(self) -> f64 {
        self.first + self.second
    }
}

/// Creates a database, measures with each kind of embeddings and prints the results.
pub(crate) async fn run(args: &Args) -> anyhow::Result<()> {
    let core = Core::reserve()?;
    let settings = [
        "fsync=on",
        "synchronous_commit=on",
        "shared_buffers='256MB'",
    ];
    let cluster = Cluster::start_with(&settings);
    let first = filled(&cluster, args.records).await?;
    let second = if args.apart {
        filled(&cluster, args.records).await?
    } else {
        first.clone()
    };
    let urls = [&first, &second].map(|database| cluster.url(database));
    let mut bench = Bench {
        args,
        cluster,
        database: first,
        corpus: Corpus::new(),
    };
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    for embeddings in &args.embeddings {
        let start = |at: usize| {
            let launch = Launch {
                database: &urls[at],
                embeddings,
                core,
            };
            Replica::start(&launch, folders[at].path())
        };
        let replicas = [start(0)?, start(1)?];
        println!("{} records, embeddings {embeddings}", args.records);
        bench.queries(&replicas).await?;
        bench.submits(&replicas).await?;
        bench.sizes(&replicas)?;
    }
    Ok(())
}

/// Creates a database with this many records and returns its name.
async fn filled(cluster: &Cluster, records: usize) -> anyhow::Result<String> {
    let database = cluster.database();
    let mut settings = Settings::default();
    settings.database.url = Some(cluster.url(&database).into());
    let model = embedder(&settings.embeddings).context("the settings have a model")?;
    fill(&settings, model.model(), records).await?;
    cluster.sql(&database, "vacuum analyze");
    Ok(database)
}

impl Bench<'_> {
    async fn queries(&mut self, replicas: &[Replica; 2]) -> anyhow::Result<()> {
        quiet(replicas).await?;
        // A first round, so that pages are cached and connections and threads exist before the measurement.
        self.round(replicas, 2).await?;
        let (mut alone, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..self.args.turns {
            alone.push(self.round(replicas, 1).await?.0);
            beside.push(self.round(replicas, 2).await?.0);
        }
        let (one, many) = self.one_at_a_time(replicas).await?;
        println!(
            "  one query at a time: p50 {:.2} ms, p99 {:.2} ms; {many:.1} records an answer",
            one.milliseconds(0.5),
            one.milliseconds(0.99)
        );
        report(&alone, &beside);
        Ok(())
    }

    /// Runs a round in which `count` replicas answer queries at once.
    async fn round(
        &mut self,
        replicas: &[Replica; 2],
        count: usize,
    ) -> anyhow::Result<(Cost, Done)> {
        let queried = replicas.iter().take(count);
        let calls = queried
            .map(|replica| self.queries_for(replica, CONNECTIONS))
            .collect();
        self.measured(replicas, calls).await
    }

    async fn one_at_a_time(&mut self, replicas: &[Replica; 2]) -> anyhow::Result<(Done, f64)> {
        let [first, _] = replicas;
        let done = load::send(vec![self.queries_for(first, 1)]).await?;
        let records = done.records as f64 / done.times.len() as f64;
        Ok((done, records))
    }

    fn queries_for(&mut self, replica: &Replica, connections: usize) -> Calls {
        let bodies = (0..self.args.queries).map(|_| load::query(&self.corpus.query()));
        Calls {
            url: replica.url.clone(),
            bodies: bodies.collect(),
            connections,
        }
    }

    async fn submits(&mut self, replicas: &[Replica; 2]) -> anyhow::Result<()> {
        let [first, _] = replicas;
        quiet(replicas).await?;
        let alone = vec![self.submits_to(first, 1)];
        let (cost, done) = self.measured(replicas, alone).await?;
        println!(
            "  one submit at a time: p50 {:.2} ms, p99 {:.2} ms",
            done.milliseconds(0.5),
            done.milliseconds(0.99)
        );
        println!(
            "    replica {:.3} ms, the other one's intake {:.3} ms, PostgreSQL {:.3} ms",
            cost.first, cost.second, cost.postgres
        );
        let crowd = replicas
            .iter()
            .map(|replica| self.submits_to(replica, MANY_CONNECTIONS));
        let crowd = crowd.collect();
        let (cost, _) = self.measured(replicas, crowd).await?;
        println!(
            "  {} clients submit to both: {:.0} a second; replica and intake {:.3} ms, \
             PostgreSQL {:.3} ms",
            2 * MANY_CONNECTIONS,
            cost.per_second,
            cost.replicas(),
            cost.postgres
        );
        Ok(())
    }

    fn submits_to(&mut self, replica: &Replica, connections: usize) -> Calls {
        let bodies = (0..self.args.submits).map(|_| {
            let (_, text) = self.corpus.record();
            load::submit(&text.title, &text.body)
        });
        Calls {
            url: replica.url.clone(),
            bodies: bodies.collect(),
            connections,
        }
    }

    /// Sends calls and measures what each cost every process.
    async fn measured(
        &mut self,
        replicas: &[Replica; 2],
        calls: Vec<Calls>,
    ) -> anyhow::Result<(Cost, Done)> {
        let [first, second] = replicas;
        let times = || -> anyhow::Result<[Duration; 4]> {
            Ok([
                processor_time(first.pid())?,
                processor_time(second.pid())?,
                family_time(self.postmaster()?)?,
                processor_time(getpid())?,
            ])
        };
        let before = times()?;
        let done = load::send(calls).await?;
        let after = times()?;
        let count = done.times.len() as f64;
        let of = |at: usize| (after[at] - before[at]).as_secs_f64() * 1e3 / count;
        let cost = Cost {
            first: of(0),
            second: of(1),
            postgres: of(2),
            load: of(3),
            per_second: count / done.took.as_secs_f64(),
        };
        Ok((cost, done))
    }

    fn postmaster(&self) -> anyhow::Result<Pid> {
        let file = self.cluster.folder().join("data/postmaster.pid");
        let text = std::fs::read_to_string(file)?;
        let id = text.lines().next().unwrap_or_default().parse()?;
        Pid::from_raw(id).context("PostgreSQL has no process")
    }

    fn sizes(&self, replicas: &[Replica; 2]) -> anyhow::Result<()> {
        let [first, _] = replicas;
        let memory = memory(first.pid())?;
        let sql = "select pg_database_size(current_database()), count(*) from experiences";
        let sizes = self.cluster.sql(&self.database, sql);
        let (bytes, count) = sizes.split_once('|').context("two columns")?;
        println!(
            "  {count} records now: replica {:.0} MiB of its own and {:.0} MiB of files in memory, \
             index {:.0} MiB on disk; database {:.0} MiB",
            memory.own as f64 / MIB,
            memory.mapped as f64 / MIB,
            first.disk()? as f64 / MIB,
            bytes.parse::<f64>()? / MIB
        );
        Ok(())
    }
}

/// Waits until the servers have no background work left, such as indexing many new records.
async fn quiet(replicas: &[Replica; 2]) -> anyhow::Result<()> {
    let busy = || -> anyhow::Result<Duration> {
        let times = replicas.iter().map(|replica| processor_time(replica.pid()));
        times.sum()
    };
    loop {
        let before = busy()?;
        tokio::time::sleep(QUIET_FOR).await;
        if busy()? - before < QUIET_FOR / 50 {
            return Ok(());
        }
    }
}

/// Prints the medians and what two replicas would achieve on separate cores.
fn report(alone: &[Cost], beside: &[Cost]) {
    let median_of = |all: &[Cost], value: fn(Cost) -> f64| {
        let mut values: Vec<f64> = all.iter().copied().map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let one = median_of(alone, |cost| cost.first);
    let two = median_of(beside, Cost::replicas);
    let postgres = median_of(beside, |cost| cost.postgres);
    let load = median_of(beside, |cost| cost.load);
    let rates = [alone, beside].map(|all| median_of(all, |cost| cost.per_second));
    println!(
        "  processor time of a query, medians of {} turns:",
        alone.len()
    );
    println!("    replica alone {one:.3} ms, beside a second one {two:.3} ms");
    println!("    PostgreSQL {postgres:.3} ms, load generator {load:.3} ms");
    println!(
        "    on one core {:.0} a second by one, {:.0} by two",
        rates[0], rates[1]
    );
    let pairs = alone.iter().zip(beside);
    let mut ratios: Vec<f64> = pairs
        .map(|(alone, beside)| 2.0 * alone.first / beside.replicas())
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let ratio = |at: usize| ratios.get(at).copied().unwrap_or_default();
    println!(
        "  two replicas, a core each: {:.2} x one ({:.2} to {:.2}), while a core of PostgreSQL \
         serves {:.1} replicas",
        ratio(ratios.len() / 2),
        ratio(0),
        ratio(ratios.len().saturating_sub(1)),
        two / postgres
    );
}
