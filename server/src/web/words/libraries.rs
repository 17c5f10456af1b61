//! The pages of the libraries.

/// The pages of the libraries.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct LibraryWords {
    pub(in crate::web) title: &'static str,
    pub(in crate::web) empty: &'static str,
    pub(in crate::web) name: &'static str,
    pub(in crate::web) version: &'static str,
    pub(in crate::web) default_version: &'static str,
    pub(in crate::web) files: &'static str,
    pub(in crate::web) chunks: &'static str,
    pub(in crate::web) read_in: &'static str,
    pub(in crate::web) source: &'static str,
    pub(in crate::web) stale: &'static str,
    pub(in crate::web) search_inside: &'static str,
}

pub(super) const ENGLISH: LibraryWords = LibraryWords {
    title: "Libraries",
    empty: "No documentation has been read in yet. Try:",
    name: "Library",
    version: "Version",
    default_version: "default",
    files: "Files",
    chunks: "Pieces",
    read_in: "Read in",
    source: "Source",
    stale: "may be out of date",
    search_inside: "Search inside",
};

pub(super) const CHINESE: LibraryWords = LibraryWords {
    title: "文档库",
    empty: "还没有读入文档。可以试试：",
    name: "文档库",
    version: "版本",
    default_version: "默认",
    files: "文件",
    chunks: "片段",
    read_in: "读入于",
    source: "来源",
    stale: "可能已过时",
    search_inside: "在其中搜索",
};

pub(super) const FRENCH: LibraryWords = LibraryWords {
    title: "Bibliothèques",
    empty: "Aucune documentation n’a encore été lue. Essayez :",
    name: "Bibliothèque",
    version: "Version",
    default_version: "par défaut",
    files: "Fichiers",
    chunks: "Morceaux",
    read_in: "Lue",
    source: "Source",
    stale: "peut-être dépassée",
    search_inside: "Chercher dedans",
};
