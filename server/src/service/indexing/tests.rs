//! Opening an index folder, whatever is there.

#![allow(clippy::unwrap_used)]

use super::open_index;

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
