//! Texts about the outcomes of experiences.

/// Texts about the outcomes of experiences.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OutcomeWords {
    pub(crate) heading: &'static str,
    pub(crate) worked: &'static str,
    pub(crate) worked_with_changes: &'static str,
    pub(crate) did_not_work: &'static str,
    pub(crate) not_applicable: &'static str,
    /// With `{}` for one of these and how often.
    pub(crate) times: &'static str,
    pub(crate) voices: [&'static str; 2],
    pub(crate) ageing: &'static str,
    pub(crate) stale: &'static str,
    pub(crate) contested: &'static str,
    pub(crate) note: &'static str,
    pub(crate) note_hint: &'static str,
    pub(crate) reported: &'static str,
    pub(crate) solution_changed: &'static str,
    pub(crate) person: &'static str,
    pub(crate) agent: &'static str,
    pub(crate) observed: &'static str,
}

pub(super) const ENGLISH: OutcomeWords = OutcomeWords {
    heading: "Did it help?",
    worked: "Worked",
    worked_with_changes: "Worked with changes",
    did_not_work: "Did not work",
    not_applicable: "Another problem",
    times: "{} {}×",
    voices: ["1 voice", "{} voices"],
    ageing: "Nobody has confirmed it for half a year",
    stale: "It was not confirmed for half a year and failed since",
    contested: "It works for some and not for others",
    note: "Note for people",
    note_hint: "At most 500 characters, without credentials and personal data. Agents do not see it.",
    reported: "Your outcome was stored.",
    solution_changed: "The solution was changed; outcomes before that count half",
    person: "a person",
    agent: "an agent",
    observed: "seen by the client",
};

pub(super) const CHINESE: OutcomeWords = OutcomeWords {
    heading: "有帮助吗？",
    worked: "有效",
    worked_with_changes: "修改后有效",
    did_not_work: "无效",
    not_applicable: "不是同一问题",
    times: "{} {} 次",
    voices: ["1 个反馈方", "{} 个反馈方"],
    ageing: "半年内无人确认",
    stale: "半年内无人确认，且之后失败过",
    contested: "对有些人有效，对另一些人无效",
    note: "给人看的备注",
    note_hint: "最多 500 个字符，不得包含凭据或个人数据。智能体看不到它。",
    reported: "您的反馈已保存。",
    solution_changed: "解决方案已修改；此前的反馈权重减半",
    person: "由人反馈",
    agent: "由智能体反馈",
    observed: "由客户端观察到",
};

pub(super) const FRENCH: OutcomeWords = OutcomeWords {
    heading: "Est-ce que cela a aidé ?",
    worked: "A marché",
    worked_with_changes: "A marché après adaptation",
    did_not_work: "N’a pas marché",
    not_applicable: "Autre problème",
    times: "{} {} fois",
    voices: ["1 avis", "{} avis"],
    ageing: "Personne ne l’a confirmé depuis six mois",
    stale: "Pas confirmé depuis six mois, et des échecs depuis",
    contested: "Marche pour les uns, pas pour les autres",
    note: "Remarque pour les lecteurs",
    note_hint: "500 caractères au plus, sans identifiants secrets ni données personnelles. Les agents ne la voient pas.",
    reported: "Votre avis est enregistré.",
    solution_changed: "La solution a été modifiée ; les avis précédents comptent pour moitié",
    person: "une personne",
    agent: "un agent",
    observed: "constaté par le client",
};
