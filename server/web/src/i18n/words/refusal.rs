//! Texts about invalid input and impossible actions.

/// Texts about invalid input and impossible actions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RefusalWords {
    /// With the field's name, like all texts up to `applies_line`.
    pub(crate) missing: &'static str,
    /// And the most characters.
    pub(crate) too_long: &'static str,
    /// The same for each element of a list.
    pub(crate) element_too_long: &'static str,
    /// And the most bytes.
    pub(crate) too_large: &'static str,
    /// And the most elements.
    pub(crate) too_many: &'static str,
    pub(crate) unknown: &'static str,
    /// And the smallest and the largest number.
    pub(crate) out_of_range: &'static str,
    pub(crate) credential: &'static str,
    pub(crate) not_sanitized: &'static str,
    pub(crate) citation: &'static str,
    pub(crate) applies: &'static str,
    /// And a line, and what is wrong with it.
    pub(crate) applies_line: &'static str,
    pub(crate) password_is_name: &'static str,
    pub(crate) name_rule: &'static str,
    /// With the name.
    pub(crate) project_rule: &'static str,
    /// With the allowed forms.
    pub(crate) lifetime_rule: &'static str,
    pub(crate) lifetime_past: &'static str,
    pub(crate) lifetime_too_long: &'static str,
    /// With the name, like the next two.
    pub(crate) user_taken: &'static str,
    pub(crate) key_taken: &'static str,
    pub(crate) last_admin: &'static str,
    /// For users and keys.
    pub(crate) limited_admin: &'static str,
}

pub(super) const ENGLISH: RefusalWords = RefusalWords {
    missing: "“{}” must not be empty.",
    too_long: "“{}” may have {} characters at most.",
    element_too_long: "“{}”: each may have {} characters at most.",
    too_large: "“{}” may have {} bytes at most.",
    too_many: "“{}”: {} at most.",
    unknown: "“{}” must be one of the listed values.",
    out_of_range: "“{}” must be a whole number from {} to {}.",
    credential: "“{}” contains a credential: remove it and save again.",
    not_sanitized: "“{}” contains secrets or personal data: remove them and save again.",
    citation: "“{}”: write one line for each file: its SHA-256 (64 lower-case hexadecimal digits), then its path from the root of the repository, with / and without “..”. Give each path once.",
    applies: "“{}”: each line names one package, runtime, tool or system and its versions, such as npm react >=18 <19.",
    applies_line: "“{}”: “{}” cannot be read: {}.",
    password_is_name: "The password must not be the user’s name.",
    name_rule: "A name must have 1 to 100 characters, no control characters and no spaces at its ends, and must not begin like an API key.",
    project_rule: "“{}” cannot be a project’s name: it needs 1 to 100 characters, none of them a control character.",
    lifetime_rule: "This is not a valid expiry. Allowed: {}",
    lifetime_past: "The key would have expired already; choose a date in the future.",
    lifetime_too_long: "The key would expire after the year 9999; leave the expiry empty for a key that never expires.",
    user_taken: "There is a user called “{}” already; choose another name.",
    key_taken: "There is a key called “{}” already; choose another name, or revoke that key first.",
    last_admin: "“{}” is the only administrator; create another one first.",
    limited_admin: "An administrator cannot be limited to projects; choose another role, or no project.",
};

pub(super) const CHINESE: RefusalWords = RefusalWords {
    missing: "“{}”不能为空。",
    too_long: "“{}”最多 {} 个字符。",
    element_too_long: "“{}”：每个最多 {} 个字符。",
    too_large: "“{}”最多 {} 字节。",
    too_many: "“{}”最多 {} 个。",
    unknown: "“{}”必须从列表中选择。",
    out_of_range: "“{}”必须是 {} 到 {} 的整数。",
    credential: "“{}”中含有凭据：请删除后再保存。",
    not_sanitized: "“{}”中含有机密或个人信息：请删除后再保存。",
    citation: "“{}”：每行应为文件的 SHA-256（64 位小写十六进制数字）和相对于仓库根目录的路径，每个路径只能出现一次。",
    applies: "“{}”：每行应写一个软件包、运行时、工具或系统及其版本，例如 npm react >=18 <19。",
    applies_line: "“{}”：无法识别“{}”：{}。",
    password_is_name: "密码不能与用户名相同。",
    name_rule: "名称须为 1 到 100 个字符，不含控制字符，首尾没有空格，且不以 API 密钥的前缀开头。",
    project_rule: "“{}”不能用作项目名称：须为 1 到 100 个字符，且不含控制字符。",
    lifetime_rule: "无法识别该有效期。可填写：{}",
    lifetime_past: "该有效期已过；请选择将来的日期。",
    lifetime_too_long: "该密钥将在 9999 年之后才过期；永不过期的密钥请留空。",
    user_taken: "已有名为“{}”的用户；请换一个名称。",
    key_taken: "已有名为“{}”的密钥；请换一个名称，或先吊销该密钥。",
    last_admin: "“{}”是唯一的管理员；请先指定另一位管理员。",
    limited_admin: "管理员不能限定于项目；请选择其他角色，或不填项目。",
};

pub(super) const FRENCH: RefusalWords = RefusalWords {
    missing: "« {} » ne doit pas être vide.",
    too_long: "« {} » peut avoir {} caractères au plus.",
    element_too_long: "« {} » : {} caractères au plus pour chacun.",
    too_large: "« {} » peut avoir {} octets au plus.",
    too_many: "« {} » : {} au plus.",
    unknown: "« {} » doit être choisi dans la liste.",
    out_of_range: "« {} » doit être un nombre entier de {} à {}.",
    credential: "Il y a un secret d’authentification (mot de passe, clé ou jeton) dans « {} » : retirez-le et enregistrez à nouveau.",
    not_sanitized: "Il y a des secrets ou des données personnelles dans « {} » : retirez-les et enregistrez à nouveau.",
    citation: "« {} » : chaque ligne donne l’empreinte SHA-256 d’un fichier, en 64 chiffres hexadécimaux en minuscules, puis son chemin depuis la racine du dépôt, chaque chemin une seule fois.",
    applies: "« {} » : chaque ligne nomme un paquet, un environnement d’exécution, un outil ou un système et ses versions, par exemple npm react >=18 <19.",
    applies_line: "« {} » : « {} » est illisible : {}.",
    password_is_name: "Le mot de passe ne doit pas être le nom de l’utilisateur.",
    name_rule: "Un nom a de 1 à 100 caractères, sans caractère de contrôle ni espace au début ou à la fin, et ne commence pas comme une clé d’API.",
    project_rule: "« {} » ne peut pas être le nom d’un projet : il faut de 1 à 100 caractères, sans caractère de contrôle.",
    lifetime_rule: "Cette expiration est illisible. Formes possibles : {}",
    lifetime_past: "La clé aurait déjà expiré ; choisissez une date future.",
    lifetime_too_long: "La clé expirerait après l’an 9999 ; ne dites rien pour une clé qui n’expire jamais.",
    user_taken: "Il y a déjà un utilisateur nommé « {} » ; choisissez un autre nom.",
    key_taken: "Il y a déjà une clé nommée « {} » ; choisissez un autre nom, ou révoquez d’abord cette clé.",
    last_admin: "« {} » est le seul administrateur ; nommez-en d’abord un autre.",
    limited_admin: "Un administrateur ne peut pas être limité à des projets ; choisissez un autre rôle, ou aucun projet.",
};
