//! The pages of the knowledge base.

use recall_kit_shared_types::knowledge::{EntryStatus, EntryType, MemoryType, RelationType};

use super::word;

/// The pages of the knowledge base.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct KnowledgeWords {
    pub(in crate::web) title: &'static str,
    pub(in crate::web) status: &'static str,
    pub(in crate::web) filter: &'static str,
    pub(in crate::web) empty: &'static str,
    pub(in crate::web) entry: &'static str,
    pub(in crate::web) tags: &'static str,
    pub(in crate::web) confidence: &'static str,
    pub(in crate::web) memory: &'static str,
    pub(in crate::web) updated: &'static str,
    pub(in crate::web) remembered: &'static str,
    pub(in crate::web) links_from: &'static str,
    pub(in crate::web) links_to: &'static str,
    pub(in crate::web) no_links: &'static str,
    pub(in crate::web) promoted_from: &'static str,
    pub(in crate::web) graph: &'static str,
    pub(in crate::web) graph_hint: &'static str,
    pub(in crate::web) graph_needs_script: &'static str,
    pub(in crate::web) graph_empty: &'static str,
    /// With entries and links.
    pub(in crate::web) graph_size: &'static str,
    pub(in crate::web) table: &'static str,
    pub(in crate::web) zoom_in: &'static str,
    pub(in crate::web) zoom_out: &'static str,
    pub(in crate::web) fit: &'static str,
    pub(in crate::web) relation: &'static str,
    pub(in crate::web) from: &'static str,
    pub(in crate::web) to: &'static str,
    pub(in crate::web) around_this: &'static str,
    pub(in crate::web) types: [&'static str; 6],
    pub(in crate::web) statuses: [&'static str; 2],
    pub(in crate::web) memories: [&'static str; 2],
    pub(in crate::web) relations: [&'static str; 4],
}

impl KnowledgeWords {
    /// Names what an entry is.
    pub(in crate::web) fn kind(&self, kind: EntryType) -> &'static str {
        word(EntryType::ALL, kind, &self.types)
    }

    /// Names whether an entry still holds.
    pub(in crate::web) fn status_of(&self, status: EntryStatus) -> &'static str {
        word(EntryStatus::ALL, status, &self.statuses)
    }

    /// Names what kind of memory an entry is.
    pub(in crate::web) fn memory_of(&self, memory: MemoryType) -> &'static str {
        word(MemoryType::ALL, memory, &self.memories)
    }

    /// Names how two entries relate.
    pub(in crate::web) fn relation_of(&self, relation: RelationType) -> &'static str {
        word(RelationType::ALL, relation, &self.relations)
    }
}

pub(super) const ENGLISH: KnowledgeWords = KnowledgeWords {
    title: "Knowledge",
    status: "Status",
    filter: "Filter",
    empty: "There is no entry that fits.",
    entry: "Entry",
    tags: "Tags",
    confidence: "Confidence",
    memory: "Memory",
    updated: "Changed",
    remembered: "Consolidation",
    links_from: "This entry leads to",
    links_to: "Entries that lead here",
    no_links: "No links yet.",
    promoted_from: "Made of the experience",
    graph: "Graph",
    graph_hint: "Drag to move, turn the wheel or use the buttons to zoom, click an entry to open it.",
    graph_needs_script: "The drawing needs JavaScript; the table below says the same.",
    graph_empty: "There is nothing to draw yet.",
    graph_size: "{} entries, {} links",
    table: "The graph as a table",
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    fit: "Show all",
    relation: "Relation",
    from: "From",
    to: "To",
    around_this: "Show what is around it",
    types: [
        "Bug",
        "Pattern",
        "Decision",
        "Pitfall",
        "Config",
        "Reference",
    ],
    statuses: ["active", "obsolete"],
    memories: ["episodic", "semantic"],
    relations: ["related to", "supersedes", "derived from", "contradicts"],
};

pub(super) const CHINESE: KnowledgeWords = KnowledgeWords {
    title: "知识",
    status: "状态",
    filter: "筛选",
    empty: "没有符合条件的条目。",
    entry: "条目",
    tags: "标签",
    confidence: "可信度",
    memory: "记忆",
    updated: "修改于",
    remembered: "巩固度",
    links_from: "由此条目指向",
    links_to: "指向此条目",
    no_links: "还没有链接。",
    promoted_from: "来自经验",
    graph: "图谱",
    graph_hint: "拖动以移动，滚轮或按钮以缩放，点击条目以打开。",
    graph_needs_script: "绘图需要 JavaScript；下表内容相同。",
    graph_empty: "还没有可绘制的内容。",
    graph_size: "{} 个条目，{} 条链接",
    table: "以表格查看图谱",
    zoom_in: "放大",
    zoom_out: "缩小",
    fit: "显示全部",
    relation: "关系",
    from: "从",
    to: "到",
    around_this: "查看周边",
    types: ["缺陷", "模式", "决策", "陷阱", "配置", "参考"],
    statuses: ["有效", "过时"],
    memories: ["情景记忆", "语义记忆"],
    relations: ["相关", "取代", "衍生自", "矛盾"],
};

pub(super) const FRENCH: KnowledgeWords = KnowledgeWords {
    title: "Connaissances",
    status: "État",
    filter: "Filtrer",
    empty: "Aucune entrée ne correspond.",
    entry: "Entrée",
    tags: "Étiquettes",
    confidence: "Confiance",
    memory: "Mémoire",
    updated: "Modifiée",
    remembered: "Consolidation",
    links_from: "Cette entrée mène à",
    links_to: "Entrées qui mènent ici",
    no_links: "Aucun lien pour l’instant.",
    promoted_from: "Issue de l’expérience",
    graph: "Graphe",
    graph_hint: "Glissez pour déplacer, tournez la molette ou utilisez les boutons pour zoomer, cliquez sur une entrée pour l’ouvrir.",
    graph_needs_script: "Le dessin demande JavaScript ; le tableau ci-dessous dit la même chose.",
    graph_empty: "Il n’y a encore rien à dessiner.",
    graph_size: "{} entrées, {} liens",
    table: "Le graphe en tableau",
    zoom_in: "Agrandir",
    zoom_out: "Réduire",
    fit: "Tout voir",
    relation: "Relation",
    from: "De",
    to: "À",
    around_this: "Voir ce qui l’entoure",
    types: [
        "Bogue",
        "Modèle",
        "Décision",
        "Piège",
        "Configuration",
        "Référence",
    ],
    statuses: ["active", "obsolète"],
    memories: ["épisodique", "sémantique"],
    relations: ["liée à", "remplace", "dérivée de", "contredit"],
};
