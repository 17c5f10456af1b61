//! The pages of experiences.

/// The page of an experience.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct ExperienceWords {
    pub(in crate::web) problem: &'static str,
    pub(in crate::web) root_cause: &'static str,
    pub(in crate::web) solution: &'static str,
    pub(in crate::web) context: &'static str,
    pub(in crate::web) keywords: &'static str,
    pub(in crate::web) added: &'static str,
    pub(in crate::web) promoted_to: &'static str,
    pub(in crate::web) export: &'static str,
    pub(in crate::web) similar: &'static str,
}

pub(super) const ENGLISH: ExperienceWords = ExperienceWords {
    problem: "Problem",
    root_cause: "Root cause",
    solution: "Solution",
    context: "Context",
    keywords: "Keywords",
    added: "Added",
    promoted_to: "Became the entry",
    export: "Export",
    similar: "Similar",
};

pub(super) const CHINESE: ExperienceWords = ExperienceWords {
    problem: "问题",
    root_cause: "根本原因",
    solution: "解决方案",
    context: "上下文",
    keywords: "关键词",
    added: "添加于",
    promoted_to: "已成为条目",
    export: "导出",
    similar: "相似内容",
};

pub(super) const FRENCH: ExperienceWords = ExperienceWords {
    problem: "Problème",
    root_cause: "Cause",
    solution: "Solution",
    context: "Contexte",
    keywords: "Mots-clés",
    added: "Ajoutée",
    promoted_to: "Devenue l’entrée",
    export: "Exporter",
    similar: "Semblables",
};
