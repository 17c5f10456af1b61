//! PostgreSQL as search engine with many experiences: its indexes are used, pages do not overlap, and another
//! embedding model replaces the search tables.

use std::collections::BTreeSet;

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Script, Server, questions, solved_records, within_deadline,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::{Value, json};

use super::{cluster, ndcg};

/// Filler records that match none of the questions.
const FILLERS: usize = 20_000;
/// Different filler words; each filler record contains one of them.
const WORDS: usize = 150;
/// Records per page.
const PAGE: u64 = 10;
/// Every how many questions one is asked.
const EACH: usize = 8;
/// The number of scans of the vector index.
const SCANS: &str = "select coalesce(max(idx_scan), 0) from pg_stat_user_indexes \
    where indexrelname = 'experience_passages_embedding'";
/// The file of the vector index, which changes when the index is rebuilt.
const INDEX: &str = "select coalesce(max(relfilenode), 0) from pg_class join pg_index on indexrelid = oid \
    where relname = 'experience_passages_embedding' and indisvalid";

/// Fills a database with filler records that have random vectors.
fn fill(cluster: &Cluster, database: &str) {
    // A stored vector: the header says 64 dimensions and the scale 1/127, then follow 64 bytes.
    let fill = format!(
        "insert into experiences (seq, id, title, problem_description, solution, keywords, created_at, \
         updated_at) select n, '00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'stranger ' || n, \
         'wombat' || n % {WORDS} || ' sits in it', 'ask kind' || n % 7 || ' to leave', '[]', 0, 0 \
         from generate_series(1, {FILLERS}) n; \
         insert into experience_vectors (experience_id, model, vector) \
         select id, 'openai:model-a', '\\x40000402013c'::bytea || decode(md5('a' || id) || md5('b' || id) || \
         md5('c' || id) || md5('d' || id), 'hex') from experiences; \
         update heads set seq = {FILLERS} where family = 'experiences'; \
         insert into database_facts (name, value) values ('embedding_model', 'openai:model-a')"
    );
    cluster.sql(database, &fill);
}

async fn start(home: &Home, endpoint: &EmbeddingsEndpoint, model: &str) -> Server {
    let launch = Launch::new(home)
        .settings("[knowledge]\nsearch_experiences = true\n")
        .args(&["--search-engine", "postgres"])
        .embeddings("openai");
    launch
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__MODEL", model)
        .env("RECALL_KIT_QUERY__TIMEOUT_MS", 60_000)
        .start()
        .await
}

/// Waits until the vector index was rebuilt, and returns its new file.
async fn indexed_anew(cluster: &Cluster, database: &str, before: &str) -> String {
    let index = async {
        loop {
            let index = cluster.sql(database, INDEX);
            if index != "0" && index != before {
                return index;
            }
        }
    };
    within_deadline("the index of the vectors", index).await
}

/// Pages through the results for a word that many filler records contain.
async fn check_pages(server: &Server) {
    let question = "wombat7";
    let mut seen = BTreeSet::new();
    let first = server.wire.query_page(question, PAGE, 0).await;
    let total = first["total"].as_u64().expect("a total");
    assert!(total > PAGE, "more than a page: {total}");
    for offset in (0..total).step_by(PAGE as usize) {
        let page = server.wire.query_page(question, PAGE, offset).await;
        assert_eq!(page["total"], total, "{page}");
        let records = page["experiences"].as_array().expect("a page");
        for record in records {
            let id = record["id"].as_str().expect("an id");
            assert!(seen.insert(id.to_owned()), "{id} is on two pages");
        }
    }
    assert_eq!(seen.len() as u64, total, "no page is short");
}

/// Checks that `rekall_search` finds an experience as well as an entry.
async fn check_rekall(server: &Server) {
    let (question, answer) = questions().swap_remove(0);
    let entry = json!({"type": "bug", "title": "wombat in the kitchen", "content": "it is hungry"});
    server.wire.call("rekall_add", entry).await;
    for (query, title, kind) in [
        (question.as_str(), answer.as_str(), "experience"),
        ("wombat in the kitchen", "wombat in the kitchen", "bug"),
    ] {
        let found = server
            .wire
            .call("rekall_search", json!({"query": query}))
            .await;
        let mut results = found["results"].as_array().expect("results").iter();
        let is_it = |one: &Value| one["title"] == title && one["type"] == kind;
        assert!(results.any(is_it), "{query}: {found}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_experiences_are_searched_through_indexes() {
    let cluster = cluster();
    let database = cluster.database();
    let home = Home::with_database(&cluster.url(&database));
    let migrate = Launch::new(&home).run_command("migrate").await;
    migrate.expect_code(0);
    fill(&cluster, &database);
    let endpoint = EmbeddingsEndpoint::start(Script::Meaning).await;
    let server = start(&home, &endpoint, "model-a").await;
    let index = indexed_anew(&cluster, &database, "").await;
    for record in solved_records() {
        server.wire.submit(record).await;
    }
    server.wire.vectors_made().await;
    let found = ndcg(&server, EACH).await;
    assert!(found > 0.6, "the questions are answered: {found}");
    let used = async { while cluster.sql(&database, SCANS) == "0" {} };
    within_deadline("a look into the index of the vectors", used).await;
    check_pages(&server).await;
    check_rekall(&server).await;
    server.stop().await;

    // The state that `reembed` leaves behind; with fewer filler records, to be quick.
    cluster.sql(
        &database,
        "delete from experiences where title like 'stranger%' and seq % 10 > 0; \
         update database_facts set value = 'openai:model-b' where name = 'embedding_model'; \
         update experience_vectors set model = 'openai:model-b'; \
         update entry_vectors set model = 'openai:model-b'",
    );
    let server = start(&home, &endpoint, "model-b").await;
    indexed_anew(&cluster, &database, &index).await;
    let again = ndcg(&server, EACH).await;
    assert!((found - again).abs() < 0.01, "{found} {again}");
    check_pages(&server).await;
}
