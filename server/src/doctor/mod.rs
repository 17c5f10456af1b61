//! `recall-kit-server doctor`: checks each part of the installation and says what to do about problems.

mod index;

use std::{process::ExitCode, sync::Arc};

use jiff::Timestamp;
use recall_kit_core::vectors;
use recall_kit_settings::{AccessMode, EmbeddingProvider, Settings, SettingsError};
use recall_kit_store::{Store, StoreError};
use recall_kit_telemetry::chain;

/// The result for one part.
enum Verdict {
    Works(String),
    Fails { what: String, remedy: String },
}

/// Checks everything that a start needs and prints the result for each part. Fails if a part fails.
///
/// Changes nothing that a start would not change; `repair` rebuilds the index folder.
pub async fn run(settings: Result<Settings, SettingsError>, repair: bool) -> ExitCode {
    let mut report = Vec::new();
    match settings {
        Ok(settings) => check(&settings, repair, &mut report).await,
        Err(error) => report.push((
            "settings",
            fails(
                error.to_string(),
                "correct the settings file, the RECALL_KIT_ environment or the flags",
            ),
        )),
    }
    let failed = report
        .iter()
        .any(|(_, verdict)| matches!(verdict, Verdict::Fails { .. }));
    for (part, verdict) in report {
        print(part, &verdict);
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

#[expect(clippy::print_stdout, reason = "the command's answer")]
fn print(part: &str, verdict: &Verdict) {
    match verdict {
        Verdict::Works(what) => println!("ok    {part:<9} {what}"),
        Verdict::Fails { what, remedy } => {
            println!("FAIL  {part:<9} {what}");
            println!("      {:<9} → {remedy}", "");
        }
    }
}

fn works(what: impl Into<String>) -> Verdict {
    Verdict::Works(what.into())
}

fn fails(what: impl Into<String>, remedy: impl Into<String>) -> Verdict {
    Verdict::Fails {
        what: what.into(),
        remedy: remedy.into(),
    }
}

async fn check(settings: &Settings, repair: bool, report: &mut Vec<(&'static str, Verdict)>) {
    let listening = format!("{:?} on {}", settings.transport, settings.address());
    report.push(("settings", works(listening.to_lowercase())));
    match open(settings).await {
        Ok(store) => {
            report.push(("database", database(store.as_ref(), settings).await));
            report.extend(encryption(store.as_ref()).await);
            report.push(("access", access(store.as_ref(), settings).await));
            let checked = index::verdicts(&store, settings, repair).await;
            report.extend(["index", "entry index"].into_iter().zip(checked));
            report.push(("knowledge", knowledge(store.as_ref()).await));
            report.push(("model", model(store.as_ref(), settings).await));
            store.close().await;
        }
        Err(verdict) => report.push(("database", verdict)),
    }
}

async fn open(settings: &Settings) -> Result<Arc<dyn Store>, Verdict> {
    let options = settings
        .store_options()
        .map_err(|error| fails(error.to_string(), "give --data-dir or --database"))?;
    recall_kit_store::open(&options).await.map_err(|error| {
        let remedy = remedy(&error);
        fails(format!("{}: {}", options.url, chain(&error)), remedy)
    })
}

async fn database(store: &dyn Store, settings: &Settings) -> Verdict {
    let url = match settings.database_url() {
        Ok(url) => url,
        Err(error) => return fails(error.to_string(), "give --data-dir or --database"),
    };
    let checked =
        async { Ok::<_, StoreError>((store.integrity().await?, store.head_seq().await?)) };
    match checked.await {
        Ok((None, seq)) => works(format!("{url}, sound, {seq} writes so far")),
        Ok((Some(damage), _)) => fails(
            format!("{url} is damaged: {damage}"),
            "stop every server, copy the file, and restore a backup or recover it with `sqlite3 FILE .recover`",
        ),
        Err(error) => fails(format!("{url}: {}", chain(&error)), remedy(&error)),
    }
}

/// Returns how the connection to each server of the database is protected.
async fn encryption(store: &dyn Store) -> Vec<(&'static str, Verdict)> {
    let connections = match store.encryption().await {
        Ok(connections) => connections,
        Err(error) => {
            let remedy = "start the servers that the addresses name, or correct the addresses";
            return vec![("network", fails(chain(&error), remedy))];
        }
    };
    let servers = ["to the database", "to the standby"];
    let protected = servers.into_iter().zip(connections);
    protected
        .map(|(server, encryption)| {
            let what = format!("{server}: {}", encryption.as_str());
            ("network", works(what))
        })
        .collect()
}

async fn access(store: &dyn Store, settings: &Settings) -> Verdict {
    let has_active_key = match store.has_active_api_key(Timestamp::now()).await {
        Ok(has) => has,
        Err(error) => return fails(chain(&error), remedy(&error)),
    };
    match settings.access_mode(has_active_key) {
        Ok(AccessMode::Required) if !has_active_key => fails(
            "a key is required, but there is none that is valid: not expired and not revoked",
            "create one with `recall-kit-server keys create --name NAME`",
        ),
        Ok(AccessMode::Required) => works("only with an API key"),
        Ok(AccessMode::AnonymousRead) => works("anyone may read; the rest requires an API key"),
        Ok(AccessMode::Anonymous) => works("anyone who can connect to the server"),
        Err(error) => fails(error.to_string(), "choose one of the three"),
    }
}

async fn knowledge(store: &dyn Store) -> Verdict {
    let checked = async {
        let counts = store.knowledge_counts().await?;
        Ok::<_, StoreError>((counts, store.broken_links().await?))
    };
    match checked.await {
        Ok((counts, 0)) => works(format!(
            "{} entries, {} links, {} pending suggestions",
            counts.entries, counts.links, counts.pending
        )),
        Ok((_, broken)) => fails(
            format!("{broken} links point to entries that are missing"),
            "another program changed the database: restore a backup, or `export` it and `import` the file \
             into a new one, which omits these links",
        ),
        Err(error) => fails(chain(&error), remedy(&error)),
    }
}

async fn model(store: &dyn Store, settings: &Settings) -> Verdict {
    let Some(embedder) = vectors::embedder(&settings.embeddings) else {
        return works("off; search is lexical only");
    };
    match store.embedding_model().await {
        Ok(Some(stored)) if stored != embedder.model() => {
            return fails(
                format!(
                    "the vectors were computed with {stored}, but the server is configured for {}",
                    embedder.model()
                ),
                "configure the former, or run `recall-kit-server reembed`",
            );
        }
        Err(error) => return fails(chain(&error), remedy(&error)),
        Ok(_) => {}
    }
    match embedder.embed_query("does it work?").await {
        Ok(vector) => {
            let dimensions = format!("{}, {} dimensions", embedder.model(), vector.len());
            match vectors::missing(store, embedder.model()).await {
                Ok(missing) if missing.is_none() => {
                    works(format!("{dimensions}, every record has its vector"))
                }
                Ok(missing) => works(format!(
                    "{dimensions}; {missing} have no vector yet; a running server computes them in the \
                     background"
                )),
                Err(error) => fails(chain(&error), remedy(&error)),
            }
        }
        Err(error) => fails(
            chain(&error),
            match settings.embeddings.provider {
                EmbeddingProvider::Openai => {
                    "check embeddings.base_url, embeddings.model and the key, or use --embeddings builtin"
                }
                _ => "reinstall the program; its built-in weights are damaged",
            },
        ),
    }
}

fn remedy(error: &StoreError) -> &'static str {
    if matches!(error, StoreError::Encryption(_)) {
        return "correct the address of the database, or the certificate of its server";
    }
    let text = chain(error).to_lowercase();
    if text.contains("locked") || text.contains("busy") {
        "another process has locked the database; wait for it or stop it"
    } else if text.contains("readonly") || text.contains("read-only") || text.contains("permission")
    {
        "make the file and its folder writable for this user"
    } else if text.contains("full") {
        "free some space on the disk"
    } else if text.contains("not a database") || text.contains("malformed") {
        "the file is not a RecallKit database or is damaged: restore a backup, or move it away to start empty"
    } else {
        "check the path and that this user may write there"
    }
}
