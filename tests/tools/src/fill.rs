//! Generated records for a database.

use jiff::Timestamp;
use recall_kit_settings::Settings;
use recall_kit_store::{Experience, ExperienceContent, ExperienceState, StoredExperience};

use crate::corpus::Corpus;

/// Records generated and stored at once.
const BATCH: usize = 20_000;

/// Stores generated records, with vectors of a model, until there are this many.
///
/// *Errors*: the error of the database.
pub async fn fill(settings: &Settings, model: &str, records: usize) -> anyhow::Result<()> {
    let store = recall_kit_store::open(&settings.store_options()?).await?;
    store.claim_embedding_model(model).await?;
    let mut there = store.head_seq_and_size().await?.1 as usize;
    let mut corpus = Corpus::new();
    while there < records {
        let count = BATCH.min(records - there);
        let batch: Vec<_> = (0..count).map(|_| record(&mut corpus)).collect();
        store.import_experiences(Some(model), &batch).await?;
        there = store.head_seq_and_size().await?.1 as usize;
    }
    store.close().await;
    Ok(())
}

fn record(corpus: &mut Corpus) -> StoredExperience {
    let (row, text) = corpus.record();
    StoredExperience {
        state: ExperienceState::default(),
        vector: row.vector,
        author: None,
        experience: Experience {
            id: row.id,
            content: ExperienceContent {
                title: text.title,
                problem_description: text.body.clone(),
                solution: text.body,
                keywords: vec![text.keywords],
                ..ExperienceContent::default()
            },
            query_count: row.query_count,
            popularity: row.popularity,
            created_at: Timestamp::from_second(row.created_at).unwrap_or_default(),
        },
    }
}
