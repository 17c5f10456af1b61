//! Mixed work that continues while databases and servers fail: failed calls are repeated with the same
//! idempotency key, as clients do, and everything acknowledged is recorded.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, watch},
    task::JoinSet,
};

use crate::{Home, Wire, experience, json_rpc, run, server_command};

/// The pause of a client between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Everything that was acknowledged.
#[derive(Debug, Default)]
pub struct Acknowledged {
    /// Titles of experiences.
    pub experiences: Vec<String>,
    /// Notes of outcomes.
    pub outcomes: Vec<String>,
    /// Ids and titles of entries.
    pub entries: Vec<(String, String)>,
    /// Ids of the entries at the ends of links.
    pub links: Vec<(String, String)>,
    /// Ids of suggestions that were accepted.
    pub accepted: Vec<String>,
    /// Names of API keys.
    pub keys: Vec<String>,
    /// The number of error answers, by error code.
    pub refused: BTreeMap<String, usize>,
    last: Option<Instant>,
    /// The longest time without an acknowledgement.
    pub longest_gap: Duration,
}

impl Acknowledged {
    /// Returns the number of acknowledged writes.
    pub fn count(&self) -> usize {
        self.experiences.len()
            + self.outcomes.len()
            + self.entries.len()
            + self.links.len()
            + self.accepted.len()
            + self.keys.len()
    }

    fn note_time(&mut self) {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.longest_gap = self.longest_gap.max(now - last);
        }
    }

    /// Compares with an export of the home's database; returns what is lost and what is stored twice.
    pub async fn compare(&self, home: &Home) -> (Vec<String>, Vec<String>) {
        let exported = run(server_command(home, &["export", "--no-vectors", "-"]), "").await;
        let mut there: BTreeMap<String, usize> = BTreeMap::new();
        for line in exported.expect_code(0).lines().skip(1) {
            let line: Value = serde_json::from_str(line).expect("an export is JSON lines");
            *there.entry(name_of(&line)).or_default() += 1;
        }
        let keys = run(server_command(home, &["keys", "list", "--json"]), "").await;
        let keys: Value = serde_json::from_str(keys.expect_code(0)).expect("a list of keys");
        for key in keys.as_array().into_iter().flatten() {
            let name = key["name"].as_str().unwrap_or_default();
            *there.entry(format!("key {name}")).or_default() += 1;
        }
        let expected = self.names();
        let count = |name: &String| there.get(name).copied().unwrap_or_default();
        let (lost, doubled) = (
            expected.iter().filter(|name| count(name) == 0),
            there.iter().filter(|(_, count)| **count > 1),
        );
        (
            lost.cloned().collect(),
            doubled.map(|(name, _)| name.clone()).collect(),
        )
    }

    fn names(&self) -> Vec<String> {
        let experiences = self.experiences.iter();
        let outcomes = self.outcomes.iter().map(|note| format!("outcome {note}"));
        let entries = self
            .entries
            .iter()
            .map(|(_, title)| format!("entry {title}"));
        let links = self
            .links
            .iter()
            .map(|(a, b)| format!("link derived_from {a} {b}"));
        let accepted = self.accepted.iter().map(|id| format!("accepted {id}"));
        let keys = self.keys.iter().map(|name| format!("key {name}"));
        experiences
            .map(|title| format!("experience {title}"))
            .chain(outcomes)
            .chain(entries)
            .chain(links)
            .chain(accepted)
            .chain(keys)
            .collect()
    }
}

/// Returns a name for a line of an export; each name must occur once.
fn name_of(line: &Value) -> String {
    let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
    match line["type"].as_str() {
        None | Some("experience") => format!("experience {}", text("title")),
        Some("outcome") => format!("outcome {}", text("note")),
        Some("entry") => format!("entry {}", text("title")),
        Some("link") => format!(
            "link {} {} {}",
            text("relation_type"),
            text("source_id"),
            text("target_id")
        ),
        Some("suggestion") => format!("{} {}", text("status"), text("id")),
        Some(other) => panic!("a line of an export of the kind {other}"),
    }
}

/// Clients that work until they are stopped.
#[derive(Debug)]
pub struct MixedLoad {
    addresses: watch::Sender<Vec<String>>,
    shared: Arc<Shared>,
    clients: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Shared {
    acknowledged: Mutex<Acknowledged>,
    progress: Notify,
}

impl MixedLoad {
    /// Starts this many clients, each on one of the servers at these addresses.
    pub fn start(clients: usize, addresses: Vec<String>) -> Self {
        let (sender, receiver) = watch::channel(addresses);
        let shared = Arc::new(Shared::default());
        let load = LOADS.fetch_add(1, Ordering::Relaxed);
        let clients = (0..clients)
            .map(|number| {
                let client = Client {
                    load,
                    number,
                    addresses: receiver.clone(),
                    shared: Arc::clone(&shared),
                    wire: None,
                    last_entry: None,
                };
                client.work()
            })
            .collect();
        Self {
            addresses: sender,
            shared,
            clients,
        }
    }

    /// Switches the clients to other servers, where they repeat the calls that were not acknowledged.
    pub fn switch_to(&self, addresses: Vec<String>) {
        self.addresses.send_replace(addresses);
    }

    /// Waits until `more` further writes were acknowledged.
    pub async fn acknowledged(&self, more: usize) {
        let enough = self.count() + more;
        let waited = async {
            while self.count() < enough {
                self.shared.progress.notified().await;
            }
        };
        crate::within_deadline("acknowledgements", waited).await;
    }

    fn count(&self) -> usize {
        self.shared.acknowledged.lock().unwrap().count()
    }

    /// Records an API key that was created beside the load.
    pub fn made_key(&self, name: String) {
        self.shared.acknowledged.lock().unwrap().keys.push(name);
    }

    /// Stops the clients at once, and returns what was acknowledged.
    pub async fn stop(mut self) -> Acknowledged {
        if let Some(ended) = self.clients.try_join_next() {
            panic!("a client broke down: {ended:?}");
        }
        self.clients.shutdown().await;
        std::mem::take(&mut *self.shared.acknowledged.lock().unwrap())
    }
}

/// The number of loads started so far, so that two loads on one database write different records.
static LOADS: AtomicUsize = AtomicUsize::new(0);

/// One client, which makes one call at a time.
struct Client {
    load: usize,
    number: usize,
    addresses: watch::Receiver<Vec<String>>,
    shared: Arc<Shared>,
    wire: Option<Wire>,
    last_entry: Option<String>,
}

impl Client {
    async fn work(mut self) {
        for round in 0.. {
            let name = format!("load{}c{}x{round}", self.load, self.number);
            match round % 3 {
                2 => self.add_and_link(&name).await,
                _ => {
                    let submitted = self
                        .until_done("submit_experience", experience(&name), &name)
                        .await;
                    let noted = name.clone();
                    self.note(|acknowledged| acknowledged.experiences.push(noted));
                    let id = &submitted["id"];
                    let outcome = json!({"experience_id": id, "outcome": "worked", "note": name});
                    self.until_done("report_outcome", outcome, &name).await;
                    self.note(|acknowledged| acknowledged.outcomes.push(name));
                }
            }
        }
    }

    /// Adds an entry and links it to the previous one; accepts a suggestion if the answer announces one.
    async fn add_and_link(&mut self, name: &str) {
        let content = format!("The invoice number {} is wrong", self.number);
        let entry = json!({"type": "bug", "title": name, "content": content});
        let added = self.until_done("rekall_add", entry, name).await;
        let id = added["id"].as_str().unwrap_or_default().to_owned();
        let noted = (id.clone(), name.to_owned());
        self.note(|acknowledged| acknowledged.entries.push(noted));
        if let Some(before) = self.last_entry.replace(id.clone()) {
            let ends =
                json!({"source_id": id, "target_id": before, "relation_type": "derived_from"});
            self.until_done("rekall_link", ends, "").await;
            self.note(|acknowledged| acknowledged.links.push((id, before)));
        }
        if added["suggestions_created"].as_u64().unwrap_or_default() > 0 {
            self.accept_one().await;
        }
    }

    async fn accept_one(&mut self) {
        let listed = self.until_done("rekall_suggest_links", json!({}), "").await;
        let Some(id) = listed["suggestions"][0]["id"].as_str() else {
            return;
        };
        let accepted = self
            .until_done("rekall_accept_suggestion", json!({"suggestion_id": id}), "")
            .await;
        // An error means that another client accepted it first.
        if accepted.get("error").is_none() {
            self.note(|acknowledged| acknowledged.accepted.push(id.to_owned()));
        }
    }

    /// Calls a tool until it succeeds, or until the error says that the call succeeded before.
    async fn until_done(&mut self, tool: &str, arguments: Value, key: &str) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        if !key.is_empty() {
            params["_meta"] = json!({"io.recallkit/idempotency-key": key});
        }
        loop {
            let addresses = self.addresses.borrow_and_update().clone();
            let address = &addresses[self.number % addresses.len()];
            let wire = match self.wire.take().filter(|wire| wire.base() == address) {
                Some(wire) => wire,
                None => Wire::new(address),
            };
            match call(self.wire.insert(wire), &params).await {
                Ok(answer) => match answer["error"]["code"].as_str() {
                    None | Some("LINK_ALREADY_EXISTS" | "SUGGESTION_NOT_FOUND") => {
                        return answer.get("data").unwrap_or(&answer).clone();
                    }
                    Some(code) => {
                        let code = code.to_owned();
                        self.note_refusal(code);
                    }
                },
                Err(_) => self.note_refusal("no answer".to_owned()),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn note(&self, note: impl FnOnce(&mut Acknowledged)) {
        let mut acknowledged = self.shared.acknowledged.lock().unwrap();
        note(&mut acknowledged);
        acknowledged.note_time();
        drop(acknowledged);
        self.shared.progress.notify_one();
    }

    fn note_refusal(&self, code: String) {
        let mut acknowledged = self.shared.acknowledged.lock().unwrap();
        *acknowledged.refused.entry(code).or_default() += 1;
    }
}

/// Calls a tool of a server that may end during the call, and returns the tool's answer.
async fn call(wire: &Wire, params: &Value) -> Result<Value, reqwest::Error> {
    let body = json_rpc("tools/call", params.clone()).to_string();
    let headers = [("content-type", "application/json")];
    let answer = wire.try_send(Method::POST, "/mcp", &headers, body).await?;
    let answer = answer.json();
    let structured = &answer["result"]["structuredContent"];
    assert!(structured.is_object(), "no structured content: {answer}");
    Ok(structured.clone())
}
