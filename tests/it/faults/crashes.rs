//! Crashes: the server is killed repeatedly while it stores records and extends and merges its index.
//! Afterwards its answers are those of a server with a freshly built index.
//!
//! `RECALL_KIT_CRASHES=200` sets the number of crashes, which are few by default.

use std::{collections::BTreeMap, time::Duration};

use futures::{StreamExt, future::join_all, stream::FuturesUnordered};
use recall_kit_tests::{
    Dice, Home, Launch, Server, WatchedFolder, Wire, experience, print_figure, records::record_set,
    run, server_command, start, within_deadline,
};
use serde_json::Value;

/// The default number of crashes.
const CRASHES: usize = 8;
/// Databases that crash in parallel, since extending an index is mostly waiting.
const LANES: usize = 4;
/// The number of new records from which an index on disk is extended.
const EXTENDED_FROM: usize = 2_000;
/// The number of segments from which the next one causes a merge.
const MERGED_FROM: usize = 7;
/// Records of one import.
const SET: usize = 2_050;
/// After this time without a change in its folder the metrics are checked for whether the index was extended.
const QUIET: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_crash_the_index_gives_the_same_answers_as_a_new_one() {
    let crashes = std::env::var("RECALL_KIT_CRASHES");
    let crashes: usize = crashes.map_or(CRASHES, |text| text.parse().expect("a number"));
    let lanes = (0..LANES).map(|lane| async move {
        let mut lane = Lane::new(lane);
        let mut server = lane.start().await;
        for _ in 0..crashes.div_ceil(LANES) {
            lane.crash(server).await;
            server = lane.check().await;
        }
        lane
    });
    for lane in join_all(lanes).await {
        print_figure(lane.summary());
    }
}

/// A database whose servers are crashed one after the other.
struct Lane {
    home: Home,
    dice: Dice,
    round: usize,
    /// The number of sets begun so far.
    begun: usize,
    /// Sets whose import was acknowledged.
    sets: Vec<usize>,
    /// A set whose import was killed.
    unfinished: Option<usize>,
    /// Ids of acknowledged submits, by round.
    submitted: BTreeMap<usize, Vec<String>>,
    crashes: BTreeMap<&'static str, usize>,
    segments: usize,
    merges: usize,
}

impl Lane {
    fn new(number: usize) -> Self {
        Self {
            home: Home::new(),
            dice: Dice::new(0x5eed + number as u64),
            round: 0,
            begun: 0,
            sets: Vec::new(),
            unfinished: None,
            submitted: BTreeMap::new(),
            crashes: BTreeMap::new(),
            segments: 0,
            merges: 0,
        }
    }

    async fn start(&self) -> Server {
        serve(&self.home).await
    }

    /// Kills a server during one kind of work.
    async fn crash(&mut self, server: Server) {
        self.round += 1;
        let during = match self.dice.below(10) {
            0..2 => self.crash_while_submitting(server).await,
            2..4 => self.crash_while_importing(server).await,
            _ => self.crash_while_extending(server).await,
        };
        *self.crashes.entry(during).or_default() += 1;
    }

    fn new_set(&mut self) -> usize {
        self.begun += 1;
        self.begun
    }

    async fn crash_while_submitting(&mut self, server: Server) -> &'static str {
        let mut submits: FuturesUnordered<_> = (0..30)
            .map(|_| {
                let wire = server.wire.clone();
                let record = experience(&format!("submitted{}", self.round));
                tokio::spawn(async move { wire.submit_if_alive(record).await })
            })
            .collect();
        let acknowledged = self.submitted.entry(self.round).or_default();
        for _ in 0..=self.dice.below(29) {
            let submit = within_deadline("an acknowledgement", submits.next()).await;
            let id = submit.expect("more are under way").expect("nothing panics");
            acknowledged.push(id.expect("the server is alive"));
        }
        server.kill().await;
        while let Some(submit) = submits.next().await {
            acknowledged.extend(submit.expect("nothing panics"));
        }
        "submits"
    }

    /// Kills the import as well; it is finished after the next crash.
    async fn crash_while_importing(&mut self, server: Server) -> &'static str {
        let set = self.unfinished.unwrap_or_else(|| self.new_set());
        self.unfinished = Some(set);
        let file = self.home.write("set.jsonl", record_set(set, SET));
        let mut import = server_command(&self.home, &["import", &file.to_string_lossy()]);
        let mut import = start(&mut import);
        for _ in 0..=self.dice.below(20) {
            server.wire.query(&format!("set{set}")).await;
        }
        server.kill().await;
        import.kill().await.expect("it can be killed");
        "an import"
    }

    async fn crash_while_extending(&mut self, server: Server) -> &'static str {
        let mut changes = WatchedFolder::new(&self.home.index());
        while gauge(&server.wire, "index_delta_records").await < EXTENDED_FROM {
            let set = self.unfinished.take().unwrap_or_else(|| self.new_set());
            let text = record_set(set, SET);
            let import = run(server_command(&self.home, &["import", "-"]), text).await;
            import.expect_code(0);
            self.sets.push(set);
            server.wire.query("taken in").await;
        }
        // An extension makes about twenty changes without a merge, and up to sixty with one. In half of the
        // runs an index with few segments may grow, so that merges happen.
        let last = match self.segments {
            0..MERGED_FROM => [24, 1_000][self.dice.below(2)],
            _ => 60,
        };
        within_deadline("the index to be extended", changes.change()).await;
        for _ in 0..self.dice.below(last) {
            while tokio::time::timeout(QUIET, changes.change()).await.is_err() {
                if gauge(&server.wire, "index_delta_records").await < EXTENDED_FROM {
                    server.kill().await;
                    return "rest, the index extended";
                }
            }
        }
        server.kill().await;
        "extending the index"
    }

    /// Starts the crashed server again and compares it with a server that has no index; returns the former.
    async fn check(&mut self) -> Server {
        let segments = std::mem::replace(&mut self.segments, segments(&self.home));
        self.merges += usize::from(self.segments < segments);
        let copy = self.home.with_database_alone();
        let (crashed, fresh) = tokio::join!(self.start(), serve(&copy));
        for (round, ids) in &self.submitted {
            let stored = crashed.wire.all(&format!("submitted{round}"), 50).await;
            let lost: Vec<_> = ids.iter().filter(|id| !stored.contains_key(*id)).collect();
            assert!(lost.is_empty(), "round {round} lost {lost:?}");
        }
        for set in &self.sets {
            let total = crashed.wire.query(&format!("set{set}")).await["total"].clone();
            assert_eq!(total, SET, "set {set}");
        }
        let rounds = (1..=self.round).flat_map(|round| {
            let words = [
                "submitted{}",
                "set{}rare0",
                "set{}rare102",
                "set{}rare51 docker",
            ];
            words.map(|word| word.replace("{}", &round.to_string()))
        });
        let common = ["docker", "timeout memory", "fails", "nowhere to be found"];
        for query in common.map(str::to_owned).into_iter().chain(rounds) {
            let expected = answer(&fresh.wire, &query).await;
            assert_eq!(answer(&crashed.wire, &query).await, expected, "{query}");
        }
        let log = crashed.log();
        assert!(
            !log.contains("rebuilt") && !log.contains("panicked"),
            "{log}"
        );
        crashed
    }

    fn summary(&self) -> String {
        let crashes: Vec<_> = self
            .crashes
            .iter()
            .map(|(during, times)| format!("{times} during {during}"))
            .collect();
        let submitted: usize = self.submitted.values().map(Vec::len).sum();
        format!(
            "{} crashes, {} merges, all answers equal, nothing lost of {} imported and {submitted} \
             submitted records: {}",
            self.round,
            self.merges,
            self.sets.len() * SET,
            crashes.join(", ")
        )
    }
}

async fn serve(home: &Home) -> Server {
    // A query that first adds thousands of records to the index may be slow on a busy machine.
    let launch = Launch::new(home).env("RECALL_KIT_QUERY__TIMEOUT_MS", 60_000);
    launch.start().await
}

/// Returns the results of a query without their order, which changes while queries are counted.
async fn answer(wire: &Wire, query: &str) -> (u64, BTreeMap<String, String>) {
    let data = wire.query_page(query, 50, 0).await;
    let total = data["total"].as_u64().expect("a total");
    // With more than one page of results, the order decides which are on the first page, so they are not
    // compared.
    let page = data["experiences"].as_array().filter(|_| total <= 50);
    let relevance = |record: &Value| {
        let id = record["id"].as_str().expect("an id").to_owned();
        (id, record["relevance_score"].to_string())
    };
    (total, page.into_iter().flatten().map(relevance).collect())
}

/// Returns the number of segments of the index on disk.
fn segments(home: &Home) -> usize {
    let meta = std::fs::read_to_string(home.index().join("meta.json"));
    let meta: Value = serde_json::from_str(&meta.expect("an index")).expect("JSON");
    meta["segments"].as_array().map_or(0, Vec::len)
}

/// Reads one value of the server's metrics.
async fn gauge(wire: &Wire, name: &str) -> usize {
    let metrics = wire.get("/metrics").await.text;
    let name = format!("recall_kit_{name} ");
    let value = metrics.lines().find_map(|line| line.strip_prefix(&name));
    let value = value.and_then(|value| value.parse().ok());
    value.unwrap_or_else(|| panic!("no {name} in {metrics}"))
}
