//! The links between the entries of one source, whose records refer to each other by id or by title.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use recall_kit_memories::Record;

/// What a record is called in its source, and what it refers to there.
#[derive(Debug, Clone)]
pub(super) struct References {
    id: String,
    title: String,
    /// Ids or titles of records of the same source.
    related: Vec<String>,
}

impl References {
    pub(super) fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            title: record.title.clone(),
            related: record.related.clone(),
        }
    }
}

/// An entry on the server, and the record that it was made from.
#[derive(Debug, Clone)]
pub(super) struct Linkable {
    pub(super) stored_as: String,
    pub(super) references: References,
}

/// Returns the entries to link: two ids on the server, the smaller one first, because `related` has no direction.
pub(super) fn pairs(entries: &[Linkable]) -> BTreeSet<(String, String)> {
    let mut by_id = HashMap::new();
    let mut by_title: HashMap<&str, Vec<&Linkable>> = HashMap::new();
    for entry in entries {
        by_id.insert(entry.references.id.as_str(), entry);
        let title = entry.references.title.as_str();
        by_title.entry(title).or_default().push(entry);
    }
    let mut pairs = BTreeSet::new();
    for entry in entries {
        for name in &entry.references.related {
            let target = by_id.get(name.as_str()).copied().or_else(|| {
                let titled = by_title.get(name.as_str())?;
                nearest(&entry.references.id, titled)
            });
            if let Some(target) = target.filter(|it| it.stored_as != entry.stored_as) {
                let (a, b) = (&entry.stored_as, &target.stored_as);
                pairs.insert((a.min(b).clone(), a.max(b).clone()));
            }
        }
    }
    pairs
}

/// Returns the record that a title means. Of several with the same title it is the only one in the folder of the record
/// that refers to it, else in the nearest folder above; `None` if that leaves several.
fn nearest<'a>(of: &str, titled: &[&'a Linkable]) -> Option<&'a Linkable> {
    if let [only] = titled {
        return Some(only);
    }
    let mut folder = folder_of(of);
    loop {
        let mut here = titled
            .iter()
            .filter(|it| folder_of(&it.references.id) == folder);
        match (here.next(), here.next()) {
            (Some(one), None) => return Some(one),
            (None, _) if !folder.is_empty() => folder = folder_of(folder),
            _ => return None,
        }
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
