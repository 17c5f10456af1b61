//! Other engines for the same queries: SQLite's FTS5 and tantivy's own collectors.

use std::path::Path;

use recall_kit_search::Text;
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tantivy::{
    Index, Searcher, Term,
    collector::{Count, TopDocs},
    query::{BooleanQuery, Query, TermQuery},
    schema::{Field, IndexRecordOption},
};

/// Full-text search of SQLite, ordered by rank.
pub(crate) struct Fts5(SqliteConnection);

impl Fts5 {
    pub(crate) async fn create(folder: &Path) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(folder.join("fts5.db"))
            .create_if_missing(true)
            .pragma("journal_mode", "wal")
            .pragma("synchronous", "off")
            .pragma("mmap_size", "4000000000");
        let mut connection = SqliteConnection::connect_with(&options).await?;
        sqlx::query("create virtual table records using fts5 (title, keywords, body)")
            .execute(&mut connection)
            .await?;
        Ok(Self(connection))
    }

    pub(crate) async fn insert<'a>(
        &mut self,
        texts: impl Iterator<Item = &'a Text>,
    ) -> anyhow::Result<()> {
        let mut write = self.0.begin().await?;
        for text in texts {
            sqlx::query("insert into records (title, keywords, body) values (?, ?, ?)")
                .bind(&text.title)
                .bind(&text.keywords)
                .bind(&text.body)
                .execute(&mut *write)
                .await?;
        }
        Ok(write.commit().await?)
    }

    /// Searches for the ten best matches.
    pub(crate) async fn search(&mut self, query: &str) -> anyhow::Result<()> {
        let words: Vec<String> = query.split(' ').map(|word| format!("\"{word}\"")).collect();
        sqlx::query("select rowid from records where records match ? order by rank limit 10")
            .bind(words.join(" OR "))
            .fetch_all(&mut self.0)
            .await?;
        Ok(())
    }
}

/// Tantivy's own scoring of the postings that the index keeps on disk.
pub(crate) struct Tantivy {
    searcher: Searcher,
    field: Field,
}

impl Tantivy {
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let index = Index::open_in_dir(folder)?;
        Ok(Self {
            searcher: index.reader()?.searcher(),
            field: index.schema().get_field("text")?,
        })
    }

    pub(crate) fn segments(&self) -> usize {
        self.searcher.segment_readers().len()
    }

    /// Searches for the ten best matches and counts all matches.
    pub(crate) fn search(&self, query: &str) -> anyhow::Result<()> {
        let terms = query.split(' ').map(|word| {
            let term = Term::from_field_text(self.field, word);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Box<dyn Query>
        });
        let any = BooleanQuery::union(terms.collect());
        let best = TopDocs::with_limit(10).order_by_score();
        self.searcher.search(&any, &(best, Count))?;
        Ok(())
    }
}
