//! Tables of data; tables that are used for layout are read as their contents.

use super::{
    inline,
    tree::{NodeId, Tree},
};

/// Returns the cells of a table row by row, or `None` if the table is used for layout.
pub(super) fn rows(tree: &Tree, table: NodeId) -> Option<Vec<Vec<String>>> {
    let layout = tree.descendants(table).any(|(_, it)| {
        matches!(
            it.name(),
            "pre" | "table" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "section"
        )
    });
    if layout {
        return None;
    }
    let mut rows = Vec::new();
    for (row, _) in tree.descendants(table).filter(|(_, it)| it.name() == "tr") {
        let cells: Vec<String> = tree
            .children(row)
            .filter(|it| {
                let name = tree.node(*it).map_or("", |it| it.name());
                matches!(name, "td" | "th")
            })
            .map(|it| inline::text_of(tree, it))
            .collect();
        if cells.iter().any(|it| !it.is_empty()) {
            rows.push(cells);
        }
    }
    // A table with one column or one row is a box around a text.
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    (width > 1 && rows.len() > 1).then_some(rows)
}
