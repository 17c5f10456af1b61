//! The server is killed at random points of mixed work.
//!
//! `RECALL_KIT_KILLS=20` kills less often.

use recall_kit_tests::{
    Dice, EmbeddingsEndpoint, Home, Launch, MixedLoad, Script, Server, make_key,
};
use recall_kit_tests_postgres::Cluster;

use super::check;

/// The number of kills for each database.
const KILLS: usize = 200;
/// Concurrent clients.
const CLIENTS: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_acknowledged_on_sqlite() {
    kill_again_and_again("server killed, SQLite", &Home::new(), 0x5eed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_acknowledged_on_postgres() {
    let cluster = Cluster::start();
    let home = Home::with_database(&cluster.url(&cluster.database()));
    kill_again_and_again("server killed, PostgreSQL", &home, 0xfeed).await;
}

async fn kill_again_and_again(fault: &str, home: &Home, seed: u64) {
    let kills = std::env::var("RECALL_KIT_KILLS");
    let kills: usize = kills.map_or(KILLS, |text| text.parse().expect("a number"));
    let model = EmbeddingsEndpoint::start(Script::Answer).await;
    let mut dice = Dice::new(seed);
    let mut server = serve(home, &model).await;
    let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
    for round in 0..kills {
        load.acknowledged(1 + dice.below(10)).await;
        if round % 20 == 0 {
            let name = format!("made in round {round}");
            make_key(home, &name, "read").await;
            load.made_key(name);
        }
        server.kill().await;
        server = serve(home, &model).await;
        load.switch_to(vec![server.wire.base().to_owned()]);
    }
    load.acknowledged(CLIENTS).await;
    let acknowledged = load.stop().await;
    let log = server.stop().await;
    assert!(!log.contains("panicked"), "{log}");
    assert!(
        !acknowledged.accepted.is_empty(),
        "suggestions were accepted"
    );
    check(fault, kills, &acknowledged, home).await;
}

async fn serve(home: &Home, model: &EmbeddingsEndpoint) -> Server {
    let launch = Launch::new(home).embeddings("openai");
    launch
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", model.url())
        .env("RECALL_KIT_EMBEDDINGS__MODEL", "scripted")
        .start()
        .await
}
