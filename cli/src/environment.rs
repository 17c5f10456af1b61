//! What of a folder's project matters to texts, for queries, hooks and reports.

use std::{env, path::PathBuf, time::Duration};

use recall_kit_client::{ClientConfig, EnvironmentMode, Error, Shown, applicability::Environment};
use recall_kit_environment::Finder;

/// How long a query may wait for it. Large lock files that nobody has read yet can take longer; they are known the next
/// time.
const MAX_WAIT: Duration = Duration::from_millis(300);

/// How long a report may wait for the text of its experience.
const MAX_LOOKUP: Duration = Duration::from_secs(2);

/// The most packages of a report. The server chooses the texts of its experience: it must not learn all versions by that.
const MAX_REPORTED: usize = 6;

/// Returns what matters to an experience whose outcome is reported from the working directory: to its title and
/// keywords, which `record` looks up, and to the note. `None` as for [`of`]; then nothing is looked up if the settings are the
/// reason.
pub(crate) async fn of_outcome(
    config: &ClientConfig,
    note: Option<String>,
    record: impl Future<Output = Result<Shown, Error>>,
) -> Option<Environment> {
    of_report(config, env::current_dir().ok()?, note, record).await
}

/// Like [`of_outcome`], in a folder. In a project without known packages nothing is looked up.
async fn of_report(
    config: &ClientConfig,
    folder: PathBuf,
    note: Option<String>,
    record: impl Future<Output = Result<Shown, Error>>,
) -> Option<Environment> {
    if config.environment != EnvironmentMode::Relevant {
        return None;
    }
    let project = folder.clone();
    let has_packages =
        tokio::task::spawn_blocking(move || !Finder::of_user().find(&project).packages.is_empty());
    let has_packages = tokio::time::timeout(MAX_WAIT, has_packages).await;
    let shown = match has_packages {
        Ok(Ok(false)) => None,
        _ => {
            let looked_up = tokio::time::timeout(MAX_LOOKUP, record).await;
            looked_up.ok().and_then(Result::ok)
        }
    };
    let texts = report_texts(note, shown);
    of(config, Some(folder), texts).await.map(limited)
}

/// Returns the texts that decide what a report names: the note first, and not the content of the experience, which is long
/// enough to name a hundred packages.
fn report_texts(note: Option<String>, shown: Option<Shown>) -> Vec<String> {
    let mut texts: Vec<String> = note.into_iter().collect();
    if let Some(Shown::Record(record)) = shown {
        texts.push(record.item.title);
        texts.extend(record.item.tags);
    }
    texts
}

/// Returns an environment with as many packages as a report may name.
fn limited(mut environment: Environment) -> Environment {
    environment.packages.truncate(MAX_REPORTED);
    environment
}

/// Returns what matters to texts; `None` if the settings do not want it to be sent, if nothing does, or if it takes too
/// long.
pub(crate) async fn of(
    config: &ClientConfig,
    folder: Option<PathBuf>,
    texts: Vec<String>,
) -> Option<Environment> {
    let wants = config.environment == EnvironmentMode::Relevant;
    let folder = folder.filter(|_| wants)?;
    let found = tokio::task::spawn_blocking(move || {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Finder::of_user().relevant(&folder, &texts)
    });
    let found = tokio::time::timeout(MAX_WAIT, found).await.ok()?.ok()?;
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use recall_kit_client::applicability::PackageVersion;
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn a_report_names_few_packages_and_none_of_the_content_of_its_experience() {
        let record = json!({
            "id": "1", "type": "experience", "title": "Title", "content": "serde tokio", "tags": ["keyword"],
            "confidence": 1, "status": "active", "memory_type": "episodic", "created_at": "", "updated_at": "",
            "access_count": 0, "consolidation_score": 0.0, "embeddings": {"summary": false, "context": false},
            "links": {"outgoing": [], "incoming": []}, "citations": [],
        });
        let record: recall_kit_shared_types::knowledge::EntryData = from_value(record).unwrap();
        let shown = Shown::Record(Box::new(record.into()));
        let texts = report_texts(Some("note".to_owned()), Some(shown));
        assert_eq!(texts, ["note", "Title", "keyword"]);

        let package = |number: usize| PackageVersion {
            purl: format!("pkg:npm/package-{number}"),
            version: None,
        };
        let environment = Environment {
            packages: (0..50).map(package).collect(),
            ..Environment::default()
        };
        assert_eq!(limited(environment).packages.len(), MAX_REPORTED);
    }

    #[tokio::test]
    #[allow(clippy::unwrap_used)]
    async fn an_experience_is_looked_up_only_if_the_project_has_packages() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let lock = "version = 4\n\n[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\n\
                    source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        let config = ClientConfig::default();
        for has_packages in [false, true] {
            if has_packages {
                std::fs::write(folder.path().join("Cargo.lock"), lock).unwrap();
            }
            let mut is_looked_up = false;
            let record = async {
                is_looked_up = true;
                Err(Error::Protocol {
                    code: 0,
                    message: String::new(),
                })
            };
            of_report(&config, folder.path().to_owned(), None, record).await;
            assert_eq!(is_looked_up, has_packages);
        }
    }
}
