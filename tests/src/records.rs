//! Export files like those of `recall-kit-server export`, built without the program.

use serde_json::{Value, json};

/// Returns the header of an export without vectors.
pub fn header() -> Value {
    json!({"format": "recall-kit-export", "version": 1, "embedding_model": null})
}

/// Returns a record as a line of an export.
pub fn record(id: &str, title: &str) -> Value {
    json!({
        "type": "experience",
        "id": id,
        "title": title,
        "problem_description": "It does not work as the manual says",
        "root_cause": null,
        "solution": "Follow the release notes instead",
        "context": null,
        "keywords": [],
        "query_count": 0,
        "created_at": "2026-11-01T09:40:00Z",
    })
}

/// Returns the values as JSON lines.
pub fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Returns an export of `count` records of a set. With set 3, all records contain the word `set3`, and twenty
/// each `set3rare0`, `set3rare1`, and so on.
pub fn record_set(set: usize, count: usize) -> String {
    const COMMON: [&str; 8] = [
        "timeout",
        "docker",
        "cargo",
        "build",
        "network",
        "certificate",
        "cache",
        "memory",
    ];
    let word = |n: usize| COMMON[n % COMMON.len()];
    let records = (0..count).map(|n| {
        let id = format!("{set:08x}-0000-7000-8000-{n:012x}");
        let title = format!("set{set} {} set{set}rare{}", word(n), n / 20);
        let mut record = record(&id, &title);
        record["problem_description"] = json!(format!("{} fails with {}", word(n / 3), n % 97));
        record["created_at"] = json!(format!("2026-11-{:02}T09:40:00Z", n % 20 + 1));
        record
    });
    lines(&std::iter::once(header()).chain(records).collect::<Vec<_>>())
}
