//! Queries over 100,000 experiences, without and with the environment of the asker.
//!
//! Every second experience names a version of one of 40 packages.

use std::{sync::Arc, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use recall_kit_core::{
    app::App,
    experiences::{self, Query, applicability},
};
use recall_kit_settings::EmbeddingProvider;
use recall_kit_shared_types::applicability::{Environment, NamedVersion, PackageVersion};
use recall_kit_store::ExperienceContent;
use recall_kit_tools::{
    application,
    percentiles::measure,
    records::{self, Sequence},
};
use uuid::Uuid;

const RECORDS: usize = 100_000;
/// Packages that the experiences name.
const PACKAGES: u64 = 40;
/// Packages of the asker.
const INSTALLED: u64 = 21;

fn content(sequence: &mut Sequence) -> ExperienceContent {
    let mut content = records::content(sequence);
    if sequence.draw().is_multiple_of(2) {
        content.context = Some(format!(
            "package{}=={}.{}",
            sequence.draw() % PACKAGES,
            sequence.draw() % 5,
            sequence.draw() % 10
        ));
    }
    content
}

fn environment() -> Environment {
    Environment {
        packages: (0..INSTALLED)
            .map(|number| PackageVersion {
                purl: format!("pkg:pypi/package{number}"),
                version: Some(format!("{}.{}", number % 5, number % 10)),
            })
            .collect(),
        runtimes: vec![NamedVersion {
            name: "python".to_owned(),
            version: Some("3.12.1".to_owned()),
        }],
        os: Some("linux".to_owned()),
        ..Environment::default()
    }
}

/// Runs one query and returns for how many results applicability was judged.
async fn query(app: &Arc<App>, sequence: &mut Sequence, environment: &Environment) -> usize {
    let keywords = sequence.words(5);
    let query = Query {
        keywords: keywords.clone(),
        limit: 10,
        offset: 0,
        environment: environment.clone(),
    };
    let answer = experiences::query(&app.experiences, query)
        .await
        .expect("the query is answered");
    let results: Vec<(Uuid, String)> = answer
        .experiences
        .iter()
        .map(|found| (found.id.parse().expect("a full id"), found.id.clone()))
        .collect();
    let asked = (keywords.as_str(), environment);
    applicability::applicability(&app.experiences, asked, &results).len()
}

fn benchmark(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    for (name, provider) in [
        ("lexical", EmbeddingProvider::Off),
        ("with the model", EmbeddingProvider::Builtin),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = runtime.block_on(application::app_with(
            folder.path(),
            provider,
            RECORDS,
            content,
        ));
        let given = environment();
        // Each query reads a part of the texts first, so the first ones read all.
        let judged = runtime.block_on(async {
            let mut sequence = Sequence(3);
            let mut judged = 0;
            for _ in 0..1_000 {
                judged += query(&app, &mut sequence, &given).await;
            }
            judged
        });
        assert!(judged > 0, "no result was judged");
        let mut group = criterion.benchmark_group(format!("100,000 experiences, {name}"));
        group
            .sample_size(40)
            .measurement_time(Duration::from_secs(10));
        for (name, environment) in [
            ("without an environment", &Environment::default()),
            ("with an environment of 21 packages", &given),
        ] {
            let mut sequence = Sequence(7);
            measure(&mut group, &runtime, name, async || {
                query(&app, &mut sequence, environment).await;
            });
        }
        group.finish();
    }
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
