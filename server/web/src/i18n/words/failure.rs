//! Texts of error pages.

/// Texts of error pages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FailureWords {
    pub(crate) not_found: &'static str,
    pub(crate) no_page: &'static str,
    pub(crate) no_record: &'static str,
    pub(crate) refused: &'static str,
    pub(crate) broken: &'static str,
    pub(crate) try_again: &'static str,
    /// For visitors who have signed in but lack the permission.
    pub(crate) not_yours: &'static str,
    pub(crate) too_large: &'static str,
    pub(crate) foreign_form: &'static str,
    pub(crate) foreign_form_why: &'static str,
    pub(crate) closed: &'static str,
    pub(crate) closed_why: &'static str,
    pub(crate) back_to_search: &'static str,
}

pub(super) const ENGLISH: FailureWords = FailureWords {
    not_found: "Not found",
    no_page: "There is no page at this address.",
    no_record: "There is no such record here; it may have been removed.",
    refused: "This cannot be done",
    broken: "The server failed",
    try_again: "Nothing was changed. Try again; if it persists, the server's log says why.",
    not_yours: "Your role does not allow this; ask an administrator.",
    too_large: "This is longer than a form may be; shorten it.",
    foreign_form: "This form does not come from this server",
    foreign_form_why: "It was not filled in on a page of this server, or its page is too old. Nothing was changed: open the page again and retry.",
    closed: "These pages are closed",
    closed_why: "This server cannot be used without a key.",
    back_to_search: "Back to the search",
};

pub(super) const CHINESE: FailureWords = FailureWords {
    not_found: "未找到",
    no_page: "此地址没有页面。",
    no_record: "这里没有这条记录；它可能已被移除。",
    refused: "无法完成",
    broken: "服务器出错",
    try_again: "没有任何更改。请重试；如仍然失败，服务器日志会说明原因。",
    not_yours: "您的角色不允许此操作；请联系管理员。",
    too_large: "内容超出了表单的上限；请缩短。",
    foreign_form: "此表单并非来自本站",
    foreign_form_why: "它不是在本服务器的页面上填写的，或者页面已过期。没有任何更改：请重新打开页面再试一次。",
    closed: "这些页面未开放",
    closed_why: "没有密钥，本服务器不允许任何人进入。",
    back_to_search: "返回搜索",
};

pub(super) const FRENCH: FailureWords = FailureWords {
    not_found: "Introuvable",
    no_page: "Il n’y a pas de page à cette adresse.",
    no_record: "Cet enregistrement n’existe pas ici ; il a peut-être été retiré.",
    refused: "C’est impossible",
    broken: "Le serveur a échoué",
    try_again: "Rien n’a été changé. Réessayez ; si cela persiste, le journal du serveur dit pourquoi.",
    not_yours: "Votre rôle ne le permet pas ; adressez-vous à un administrateur.",
    too_large: "C’est plus que ce qu’un formulaire peut contenir ; raccourcissez-le.",
    foreign_form: "Ce formulaire ne vient pas d’ici",
    foreign_form_why: "Il n’a pas été rempli sur une page de ce serveur, ou sa page est trop ancienne. Rien n’a été modifié : rouvrez la page et réessayez.",
    closed: "Ces pages sont fermées",
    closed_why: "Ce serveur ne laisse entrer personne sans clé.",
    back_to_search: "Retour à la recherche",
};
