//! Texts of the pages of libraries.

/// Texts of the pages of libraries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LibraryWords {
    pub(crate) title: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) default_version: &'static str,
    pub(crate) files: &'static str,
    pub(crate) chunks: &'static str,
    pub(crate) ingested: &'static str,
    pub(crate) source: &'static str,
    pub(crate) stale: &'static str,
    /// With the number of chunks that have vectors, and of all chunks.
    pub(crate) embedded: &'static str,
    pub(crate) search_inside: &'static str,
    /// The name of the tabs that choose the shown content of a version.
    pub(crate) shown: &'static str,
    pub(crate) all: &'static str,
    pub(crate) tokens: &'static str,
    /// Singular, and plural with a number.
    pub(crate) pieces: [&'static str; 2],
    pub(crate) nothing: &'static str,
    pub(crate) remove: &'static str,
    /// With the library and the version.
    pub(crate) remove_why: &'static str,
    pub(crate) remove_now: &'static str,
}

pub(super) const ENGLISH: LibraryWords = LibraryWords {
    title: "Libraries",
    empty: "No documentation has been ingested yet. Try:",
    name: "Library",
    version: "Version",
    default_version: "default",
    files: "Files",
    chunks: "Chunks",
    ingested: "Ingested",
    source: "Source",
    stale: "may be out of date",
    embedded: "{} of {} chunks have vectors so far; the others are found only by their words.",
    search_inside: "Search inside",
    shown: "Content shown",
    all: "All",
    tokens: "Tokens",
    pieces: ["1 chunk", "{} chunks"],
    nothing: "The version contains nothing of this kind.",
    remove: "Remove this version",
    remove_why: "Nothing of {} {} will be found any more. It can be ingested again from its source.",
    remove_now: "Remove it now",
};

pub(super) const CHINESE: LibraryWords = LibraryWords {
    title: "文档库",
    empty: "还没有读入文档。可以试试：",
    name: "文档库",
    version: "版本",
    default_version: "默认",
    files: "文件",
    chunks: "片段",
    ingested: "读入于",
    source: "来源",
    stale: "可能已过时",
    embedded: "已为 {} / {} 个片段生成向量，其余片段暂时只能按字词搜索。",
    search_inside: "在其中搜索",
    shown: "显示内容",
    all: "全部",
    tokens: "词元",
    pieces: ["1 个片段", "{} 个片段"],
    nothing: "其中没有这类内容。",
    remove: "删除此版本",
    remove_why: "之后将无法再找到 {} {} 的任何内容。可以从其来源重新读入。",
    remove_now: "确认删除",
};

pub(super) const FRENCH: LibraryWords = LibraryWords {
    title: "Bibliothèques",
    empty: "Aucune documentation n’a encore été lue. Essayez :",
    name: "Bibliothèque",
    version: "Version",
    default_version: "par défaut",
    files: "Fichiers",
    chunks: "Morceaux",
    ingested: "Lue",
    source: "Source",
    stale: "peut-être dépassée",
    embedded: "{} morceaux sur {} ont déjà leurs vecteurs ; les autres ne sont trouvés que par leurs mots.",
    search_inside: "Chercher dedans",
    shown: "Ce qui est montré",
    all: "Tout",
    tokens: "Jetons",
    pieces: ["1 morceau", "{} morceaux"],
    nothing: "Il n’y a rien de ce genre dedans.",
    remove: "Supprimer cette version",
    remove_why: "Plus personne ne trouvera rien de {} {}. On peut la relire depuis sa source.",
    remove_now: "Supprimer vraiment",
};
