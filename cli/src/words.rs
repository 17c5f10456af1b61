//! The words of the confirmation screen, in the person's language.
//!
//! Source: client protocol, "用户确认".

#[cfg(test)]
mod tests;

use std::env;

use recall_kit_client::SanitizedDraft;

use crate::controls::visible;

/// The confirmation screen's words in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    /// Asks whether to save the experience.
    pub(crate) question: &'static str,
    pub(crate) title: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) root_cause: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) context: &'static str,
    pub(crate) keywords: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) edit: &'static str,
    /// Opens the list of what was removed.
    pub(crate) removed: &'static str,
    pub(crate) nothing_removed: &'static str,
    pub(crate) sanitizer_off: &'static str,
    /// Opens the list of what was removed although the allow list lets it through.
    pub(crate) overruled: &'static str,
    /// Stands before the number of an entry of the allow list.
    pub(crate) allow_entry: &'static str,
    pub(crate) cancelled: &'static str,
}

/// The protocol's own words.
const CHINESE: Words = Words {
    question: "检测到您刚刚解决了一个问题，是否要保存这次经验？",
    title: "标题",
    problem: "问题",
    root_cause: "根本原因",
    solution: "解决方案",
    context: "上下文",
    keywords: "关键字",
    confirm: "确认",
    cancel: "取消",
    edit: "编辑",
    removed: "已脱敏",
    nothing_removed: "未发现需要脱敏的内容",
    sanitizer_off: "脱敏已关闭：以上内容将原样发送",
    overruled: "白名单放行但服务器拒收，仍已移除",
    allow_entry: "白名单条目",
    cancelled: "已取消，未发送任何内容",
};

const FRENCH: Words = Words {
    question: "Vous venez de résoudre un problème. Enregistrer cette expérience ?",
    title: "Titre",
    problem: "Problème",
    root_cause: "Cause",
    solution: "Solution",
    context: "Contexte",
    keywords: "Mots-clés",
    confirm: "Confirmer",
    cancel: "Annuler",
    edit: "Modifier",
    removed: "Retiré",
    nothing_removed: "Rien n'a dû être retiré",
    sanitizer_off: "Le nettoyage est désactivé : le texte est envoyé tel quel",
    overruled: "Retiré bien que la liste blanche l'autorise, car les serveurs le refusent",
    allow_entry: "entrée de la liste blanche",
    cancelled: "annulé, rien n'a été envoyé",
};

const ENGLISH: Words = Words {
    question: "You have just solved a problem. Save this experience?",
    title: "Title",
    problem: "Problem",
    root_cause: "Root cause",
    solution: "Solution",
    context: "Context",
    keywords: "Keywords",
    confirm: "Confirm",
    cancel: "Cancel",
    edit: "Edit",
    removed: "Removed",
    nothing_removed: "Nothing had to be removed",
    sanitizer_off: "The sanitizer is off: this is sent exactly as it stands",
    overruled: "Removed although the allow list lets it through, because servers refuse it",
    allow_entry: "allow entry",
    cancelled: "cancelled, nothing was sent",
};

impl Words {
    /// Every language.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [ENGLISH, CHINESE, FRENCH];

    /// Picks the language of the process's locale; English unless it is Chinese or French.
    pub(crate) fn from_locale() -> Self {
        match locale().get(..2) {
            Some("zh") => CHINESE,
            Some("fr") => FRENCH,
            _ => ENGLISH,
        }
    }

    /// Lays out a sanitized draft as `Title: …` and so on.
    pub(crate) fn fields(&self, draft: &SanitizedDraft) -> String {
        let request = draft.request();
        let keywords = request.keywords.as_ref().map(|words| words.join(", "));
        let fields = [
            (self.title, Some(&request.title)),
            (self.problem, Some(&request.problem_description)),
            (self.root_cause, request.root_cause.as_ref()),
            (self.solution, Some(&request.solution)),
            (self.context, request.context.as_ref()),
            (self.keywords, keywords.as_ref()),
        ];
        let lines = fields.into_iter().filter_map(|(label, text)| {
            let text = text?;
            let gap = if text.contains('\n') { "\n" } else { " " };
            Some(format!("{label}:{gap}{}", visible(text)))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Says what the sanitizer did to a draft.
    pub(crate) fn removal_note(&self, draft: &SanitizedDraft) -> String {
        if !draft.is_sanitizer_on() {
            return self.sanitizer_off.to_owned();
        }
        if draft.removed().is_empty() {
            return self.nothing_removed.to_owned();
        }
        let mut note = format!("{}: {}", self.removed, list_removed(draft.removed()));
        if !draft.overruled().is_empty() {
            let overruled = draft.overruled().iter().map(|it| {
                format!(
                    "{} ({}, {} {})",
                    it.kind, it.field, self.allow_entry, it.entry
                )
            });
            let overruled = overruled.collect::<Vec<_>>().join(", ");
            note.push_str(&format!("\n{}: {overruled}", self.overruled));
        }
        note
    }
}

/// Returns the process's locale; nothing where none is set.
pub(crate) fn locale() -> String {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut set = names.filter_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    set.next().unwrap_or_default()
}

/// Lists kinds and counts: `2 × e-mail address, 1 × AWS access key id`.
pub(crate) fn list_removed(removed: &[(String, usize)]) -> String {
    let kinds = removed
        .iter()
        .map(|(kind, count)| format!("{count} × {kind}"));
    kinds.collect::<Vec<_>>().join(", ")
}
