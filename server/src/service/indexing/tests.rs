//! Opening an index folder, whatever is there.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

use super::{catch_up, open_index};
use crate::{
    app::App,
    service::family::Family,
    settings::{EmbeddingProvider, Settings},
    store::{self, Experience, ExperienceContent, ExperienceState, StoredExperience},
};

#[test]
fn a_folder_that_cannot_be_used_gives_an_index_in_memory() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    assert!(open_index(&file.join("index")).unwrap().is_empty());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "in the way");
}

#[test]
fn a_damaged_folder_is_made_anew() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    drop(open_index(&folder).unwrap());
    std::fs::write(folder.join("meta.json"), "{\"not\": \"ours\"}").unwrap();
    assert!(open_index(&folder).unwrap().is_empty());
    let meta = std::fs::read_to_string(folder.join("meta.json")).unwrap();
    assert!(meta.contains("segments"), "{meta}");
}

#[tokio::test]
async fn a_large_import_goes_to_disk_while_it_is_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let url = settings.database_url().unwrap();
    let app = App::open(settings).await.unwrap();
    let other = store::open(&store::StoreOptions::new(url, Duration::from_secs(5)))
        .await
        .unwrap();
    let record = |number: u128| StoredExperience {
        experience: Experience {
            id: Uuid::from_u128(number),
            content: ExperienceContent {
                title: format!("problem {number}"),
                problem_description: "it breaks".to_owned(),
                solution: "mend it".to_owned(),
                ..ExperienceContent::default()
            },
            query_count: 0,
            created_at: Timestamp::UNIX_EPOCH,
        },
        state: ExperienceState::default(),
        vector: None,
    };
    let records: Vec<_> = (1..=4_500).map(record).collect();
    other.import_experiences(None, &records).await.unwrap();
    catch_up(&app, Family::Experiences).await.unwrap();
    let status = app.experiences.index().unwrap().status();
    assert_eq!(status.records, records.len());
    assert!(!app.experiences.index().unwrap().is_full(), "{status:?}");
    assert!(status.base_seq >= 4_000, "{status:?}");
}
