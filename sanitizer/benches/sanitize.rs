//! How fast the sanitizer is: text dense with secrets, clean text, a snippet, and the first call.

#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use recall_kit_sanitizer::{Custom, RuleGroup, Sanitizer, sanitize};

#[path = "../src/tests/senseless.rs"]
mod senseless;

use senseless::senseless;

/// Short texts, each with something to remove.
fn dense() -> Vec<String> {
    (0..600)
        .map(|seed| {
            let secret = senseless(24, seed);
            match seed % 8 {
                0 => format!("# settings of the service\nAPI_TOKEN={secret}\nPORT=8080\nLOG_LEVEL=info\n"),
                1 => format!("{{\"name\": \"billing\", \"api_key\": \"{secret}\", \"retries\": 3}}"),
                2 => format!("const client = new Client({{ token: \"{secret}\", timeout: 30 }});"),
                3 => format!("curl -H 'Authorization: Bearer {secret}' https://api.example.com/v1/orders"),
                4 => format!("postgres://app:{secret}@db.prod.oakmere.net:5432/orders?pool=5"),
                5 => format!("error at /home/nkurosawa{seed}/projects/pager/src/main.rs:12:5: cannot connect"),
                6 => format!("client 10.{}.87.{} reported by nadia{seed}@oakmere.net", seed % 200, seed % 250),
                _ => format!("- name: ACME_SECRET\n  value: {secret}\n- name: REGION\n  value: eu-central-1\n"),
            }
        })
        .collect()
}

/// Source code and prose with nothing to remove.
fn clean() -> String {
    let sources = [
        include_str!("../src/structure/syntax.rs"),
        include_str!("../anonymize/src/lexer.rs"),
        include_str!("../README.md"),
    ];
    let text = sources.concat().repeat(16);
    sanitize(&text, &RuleGroup::REMOVAL).text
}

/// Lines of a log with nothing to remove.
fn log() -> String {
    (0..4000)
        .map(|line| format!("2026-11-22T10:{:02}:{:02}.{:03}Z INFO http: request {line} took {} ms, status 200, queue depth {}\n", line / 60 % 60, line % 60, line % 1000, line % 90, line % 7))
        .collect()
}

fn speeds(criterion: &mut Criterion) {
    let (dense, clean, log) = (dense(), clean(), log());
    let mut group = criterion.benchmark_group("sanitize");
    group.throughput(Throughput::Bytes(
        dense.iter().map(|text| text.len() as u64).sum(),
    ));
    group.bench_function("dense, text by text", |bench| {
        bench.iter(|| {
            for text in &dense {
                black_box(sanitize(text, &RuleGroup::REMOVAL));
            }
        });
    });
    let together = dense.join("\n");
    for (name, text) in [
        ("dense, one text", &together),
        ("clean code and prose", &clean),
        ("clean log", &log),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bench| {
            bench.iter(|| black_box(sanitize(text, &RuleGroup::REMOVAL)))
        });
    }
    let snippet = &clean[..clean.floor_char_boundary(10_000)];
    group.throughput(Throughput::Bytes(snippet.len() as u64));
    group.bench_function("snippet of 10 kB", |bench| {
        bench.iter(|| black_box(sanitize(snippet, &RuleGroup::REMOVAL)))
    });
    group.finish();
}

/// A sanitizer made anew compiles everything that the first call of a program compiles.
fn ready(criterion: &mut Criterion) {
    let text = dense().concat();
    let snippet = &text[..text.floor_char_boundary(10_000)];
    criterion.bench_function("ready, with the first snippet", |bench| {
        bench.iter(|| {
            let sanitizer = Sanitizer::with(Custom::default()).expect("nothing is added");
            black_box(sanitizer.sanitize(snippet, &RuleGroup::REMOVAL));
        });
    });
}

criterion_group!(benches, speeds, ready);
criterion_main!(benches);
