//! Starting from saved rows gives the same as starting from the database, and damage is detected.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use uuid::Uuid;

use super::super::grow::DELTA_LIMIT;
use super::{LEFT_BEHIND, NAME, SavedFrom};
use crate::{Allowed, Hits, Index, Query, Restored, Row, Text, quantize};

const MODEL: &str = "a-model";

fn record(id: u64, seq: u64, word: &str) -> (Row, Text) {
    let angle = (id + seq) as f32;
    let passages = [[angle.sin(), angle.cos(), 0.0], [0.0, 1.0, 0.0]];
    let passages = passages.get(..id as usize % 3).unwrap();
    let row = Row {
        seq,
        id: Uuid::from_u64_pair(id, id * 7),
        created_at: 1_000 + id as i64,
        query_count: id % 5,
        popularity: id % 7,
        vector: (!passages.is_empty()).then(|| quantize(passages)),
        language: Default::default(),
        is_gone: false,
    };
    let text = Text {
        title: format!("Problem {id}"),
        keywords: String::new(),
        body: format!("module m{} fails with {word}", id % 9),
    };
    (row, text)
}

/// The contents of a database in which records were written, some of them repeatedly.
struct Database(Vec<(Row, Text)>);

impl Database {
    fn put(&mut self, id: u64, word: &str) -> (Row, Text) {
        let seq = self.0.last().map_or(0, |(row, _)| row.seq) + 1;
        let new = record(id, seq, word);
        self.0.retain(|(row, _)| row.id != new.0.id);
        self.0.push(new.clone());
        new
    }

    fn remove(&mut self, id: u64) -> (Row, Text) {
        let (row, _) = self.put(id, "");
        let gone = Row {
            vector: None,
            language: Default::default(),
            is_gone: true,
            ..row
        };
        let last = self.0.last_mut().unwrap();
        *last = (gone, Text::default());
        last.clone()
    }

    fn between(&self, after: u64, up_to: u64) -> Vec<(Row, Text)> {
        let records = self.0.iter();
        let records = records.filter(|(row, _)| row.seq > after && row.seq <= up_to);
        records.cloned().collect()
    }
}

fn open(folder: &Path) -> Index {
    Index::open(Some(folder.to_owned())).unwrap()
}

/// Starts like a server does; returns what was restored from the file.
fn start(index: &Index, database: &Database) -> Option<Restored> {
    let saved = index.restore_saved(MODEL).unwrap();
    let after = saved.map_or(0, |saved| saved.up_to);
    let rows = database.between(after, index.base_seq());
    let rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
    index.restore(&rows).unwrap();
    index.apply(&database.between(index.last_seq(), u64::MAX));
    saved
}

fn search(index: &Index, text: &str, embedding: Option<&[f32]>) -> Hits {
    let query = Query {
        text,
        embedding,
        everyday: 0.0,
        turns: None,
        factors: None,
        language: Default::default(),
        context: None,
        allowed: Allowed::Everything,
        now: 10_000,
        offset: 0,
        limit: 5_000,
    };
    index.search(&query).unwrap()
}

fn check_same(index: &Index, database: &Database) {
    let fresh = Index::open(None).unwrap();
    fresh.apply(&database.0);
    assert_eq!(index.len(), fresh.len());
    assert_eq!(index.status().without_vector, fresh.status().without_vector);
    for text in ["w7", "w2001 module", "changed", "m3", "m3 moved", "fails"] {
        let [hits, expected] = [index, &fresh].map(|index| search(index, text, None));
        let all = |hits: &Hits| {
            let mut all: Vec<_> = hits
                .hits
                .iter()
                .map(|h| (h.id, h.seq, h.query_count))
                .collect();
            all.sort_unstable();
            all
        };
        assert_eq!(all(&hits), all(&expected), "{text}");
        assert_eq!(hits.total, expected.total, "{text}");
    }
    let mut cosines = [index, &fresh].map(|index| index.cosines(&[0.6, 0.8, 0.0]));
    for cosines in &mut cosines {
        cosines.sort_unstable_by(f32::total_cmp);
    }
    let [found, expected] = cosines.map(|all| all.into_iter().filter(|c| !c.is_nan()));
    assert!(found.eq(expected), "the vectors are the same");
}

#[test]
fn starting_from_saved_rows_gives_the_same_as_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = Database(Vec::new());
    let from = |counts_as_of| SavedFrom {
        model: MODEL.to_owned(),
        counts_as_of,
    };
    let index = open(folder.path());
    assert!(!index.save(&from(1)).unwrap(), "there is nothing to save");
    for id in 1..=DELTA_LIMIT as u64 + 5 {
        index.apply(&[database.put(id, &format!("w{id}"))]);
    }
    index.extend_base().unwrap();
    // Only in the delta: one new record, and one that replaces a record of the base.
    index.apply(&[database.put(9_000, "changed"), database.put(7, "changed")]);
    assert!(index.save(&from(77)).unwrap());
    assert!(!index.save(&from(78)).unwrap(), "nothing came since");
    drop(index);

    // Written while no process had the index open.
    database.put(8, "changed");
    database.put(9_001, "changed");
    let index = open(folder.path());
    let saved = start(&index, &database).unwrap();
    assert_eq!((saved.up_to, saved.counts_as_of), (index.base_seq(), 77));
    check_same(&index, &database);
    for id in (3..DELTA_LIMIT as u64 * 2).step_by(2) {
        index.apply(&[database.put(id, "moved")]);
    }
    index.extend_base().unwrap();
    index.apply(&[database.put(5, "changed")]);
    check_same(&index, &database);
    drop(index);

    // The base was extended, the rows were not saved again.
    let index = open(folder.path());
    assert!(start(&index, &database).unwrap().up_to < index.base_seq());
    check_same(&index, &database);
    assert_eq!(index.restore_saved("another model").unwrap(), None);
    index.save(&from(99)).unwrap();
    let again = open(folder.path());
    assert_eq!(start(&again, &database).unwrap().counts_as_of, 99);
    check_same(&again, &database);
}

#[test]
fn removed_records_are_not_found_whether_they_were_in_base_delta_or_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = Database(Vec::new());
    let from = SavedFrom {
        model: MODEL.to_owned(),
        counts_as_of: 1,
    };
    let (index, away) = (open(folder.path()), open(folder.path()));
    for id in 1..=DELTA_LIMIT as u64 + 5 {
        let new = database.put(id, &format!("w{id}"));
        index.apply(std::slice::from_ref(&new));
        away.apply(&[new]);
    }
    index.extend_base().unwrap();
    let count = index.len();
    // One record of the base, one that only the delta has, and one that was never here.
    index.apply(&[database.put(9_000, "late"), database.put(9_001, "late")]);
    index.apply(&[
        database.remove(7),
        database.remove(9_000),
        database.remove(8),
    ]);
    index.apply(&[database.remove(77_777)]);
    assert_eq!(index.len(), count - 1, "7 and 8 went, 9001 came");
    assert_eq!(search(&index, "w7", None).total, 0);
    check_same(&index, &database);
    // The record comes back with other words, and is found by those.
    index.apply(&[database.put(8, "returned")]);
    assert_eq!(search(&index, "returned", None).total, 1);
    check_same(&index, &database);
    assert!(index.save(&from).unwrap());
    drop(index);

    let index = open(folder.path());
    assert!(start(&index, &database).is_some());
    check_same(&index, &database);
    index.apply(&[database.remove(10)]);
    for id in 10_000..10_000 + DELTA_LIMIT as u64 {
        index.apply(&[database.put(id, "more")]);
    }
    index.extend_base().unwrap();
    check_same(&index, &database);
    assert!(
        index.base_len() < index.len() as u64 + 5,
        "the base lost what is gone"
    );

    // An index that was not updated meanwhile adds the new records, then loads the extended base.
    away.apply(&database.between(away.last_seq(), u64::MAX));
    check_same(&away, &database);
    away.extend_base().unwrap();
    assert_eq!(away.base_seq(), index.base_seq());
    check_same(&away, &database);

    // Rows whose records were deleted from the database are neither loaded nor counted.
    assert!(index.save(&from).unwrap());
    database.0.retain(|(row, _)| !row.is_gone);
    let index = open(folder.path());
    assert!(start(&index, &database).is_some());
    assert_eq!(index.len(), database.0.len());
    check_same(&index, &database);
}

#[test]
fn abandoned_temporary_files_are_removed_and_those_being_written_stay() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let records: Vec<(Row, Text)> = (1..=DELTA_LIMIT as u64)
        .map(|n| record(n, n, "w"))
        .collect();
    index.apply(&records);
    index.extend_base().unwrap();
    let [left, written] = ["rows-1.tmp", "rows-2.tmp"].map(|name| folder.path().join(name));
    for file in [&left, &written] {
        std::fs::write(file, "half").unwrap();
    }
    let long_ago = std::time::SystemTime::now() - 2 * LEFT_BEHIND;
    let file = std::fs::File::options().write(true).open(&left).unwrap();
    file.set_modified(long_ago).unwrap();
    let from = SavedFrom {
        model: MODEL.to_owned(),
        counts_as_of: 0,
    };
    assert!(index.save(&from).unwrap());
    assert_eq!((left.exists(), written.exists()), (false, true));
}

#[test]
fn a_damaged_file_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let records: Vec<(Row, Text)> = (1..=DELTA_LIMIT as u64)
        .map(|n| record(n, n, "w"))
        .collect();
    index.apply(&records);
    index.extend_base().unwrap();
    let from = SavedFrom {
        model: MODEL.to_owned(),
        counts_as_of: 0,
    };
    assert!(index.save(&from).unwrap());
    let file = folder.path().join(NAME);
    let intact = std::fs::read(&file).unwrap();
    let check = |bytes: &[u8], what: &str| {
        std::fs::write(&file, bytes).unwrap();
        let index = open(folder.path());
        let refused = index.restore_saved(MODEL);
        assert!(refused.is_err(), "{what}: {refused:?}");
        assert!(index.is_empty(), "{what}");
    };
    let passages = records
        .iter()
        .map(|(row, _)| row.id.as_u64_pair().0 % 3)
        .sum::<u64>() as usize;
    let rows = intact.len() - passages * 64;
    let places = [
        0,
        7,
        8,
        40,
        79,
        82,
        90,
        130,
        50_000,
        rows - 5_000,
        rows,
        intact.len() - 1,
    ];
    for place in places {
        let mut bytes = intact.clone();
        bytes[place] ^= 1;
        check(&bytes, &format!("byte {place} is another"));
    }
    for length in [
        0,
        5,
        60,
        90,
        10_000,
        rows,
        intact.len() - 64,
        intact.len() - 1,
    ] {
        check(&intact[..length], &format!("{length} bytes are left"));
    }
    let longer = [intact.as_slice(), &[0; 64]].concat();
    check(&longer, "it is longer");
    std::fs::write(&file, &intact).unwrap();
    assert!(open(folder.path()).restore_saved(MODEL).unwrap().is_some());
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(open(folder.path()).restore_saved(MODEL), Ok(None)));
}
