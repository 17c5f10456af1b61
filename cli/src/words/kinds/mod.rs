//! Translates the names of the kinds of things that the sanitizer removes into the user's language.
//!
//! The sanitizer's names are English, and user-defined rules have their own names. A name that is not in these
//! tables is not translated.

#[cfg(test)]
mod tests;

use std::fmt;

use super::filled;

/// The translations for one language; none for English.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds {
    /// Translations of complete names.
    names: &'static [(&'static str, &'static str)],
    /// Translations by the end of a name, such as a vendor's `… token`, with `{}` for the text before it. Longer
    /// ends come first.
    ends: &'static [(&'static str, &'static str)],
}

impl Kinds {
    /// Returns the name of a kind.
    pub(crate) fn name_of(&self, kind: &str) -> String {
        if let Some((_, translation)) = self.names.iter().find(|(name, _)| *name == kind) {
            return (*translation).to_owned();
        }
        let mut ends = self.ends.iter();
        let translation = ends.find_map(|(end, translation)| {
            let vendor = kind.strip_suffix(end)?.strip_suffix(' ')?;
            Some(filled(translation, &[&vendor]))
        });
        translation.unwrap_or_else(|| kind.to_owned())
    }

    /// Lists kinds and their numbers: `2 × e-mail address, 1 × AWS access key id`.
    pub(crate) fn list(&self, counts: &[(String, usize)]) -> String {
        let kinds = counts
            .iter()
            .map(|(kind, count)| format!("{count} × {}", self.name_of(kind)));
        kinds.collect::<Vec<_>>().join(", ")
    }
}

/// Omits the tables, because they are large.
impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kinds").finish_non_exhaustive()
    }
}

/// English names are not translated.
pub(super) const ENGLISH: Kinds = Kinds {
    names: &[],
    ends: &[],
};

pub(super) const CHINESE: Kinds = Kinds {
    names: &[
        ("API key", "API 密钥"),
        ("IBAN", "IBAN 账号"),
        ("IP address", "IP 地址"),
        ("MAC address", "MAC 地址"),
        ("URL", "网址"),
        ("application key", "应用密钥"),
        ("authorization header", "授权标头"),
        ("card number", "卡号"),
        ("cluster join token", "集群加入令牌"),
        ("credential", "凭据"),
        ("date of birth", "出生日期"),
        ("e-mail address", "邮箱地址"),
        ("encoded credentials", "编码的凭据"),
        ("extended private key", "扩展私钥"),
        ("host name", "主机名"),
        ("invisible characters", "不可见字符"),
        ("key", "密钥"),
        ("name", "姓名"),
        ("national id", "身份证件号码"),
        ("password", "密码"),
        ("password hash", "密码哈希"),
        ("password in a URL", "网址中的密码"),
        ("phone number", "电话号码"),
        ("postal address", "邮寄地址"),
        ("private host", "内部主机"),
        ("private key", "私钥"),
        ("secret", "机密"),
        ("seed phrase", "助记词"),
        ("shared access signature", "共享访问签名"),
        ("signed URL", "签名网址"),
        ("staff number", "员工编号"),
        ("token", "令牌"),
        ("token in a URL", "网址中的令牌"),
        ("user name", "用户名"),
        ("variable name", "变量名"),
        ("webhook", "网络钩子"),
        ("webhook key", "网络钩子密钥"),
    ],
    ends: &[
        ("API key", "{} API 密钥"),
        ("access key", "{} 访问密钥"),
        ("secret key", "{} 私钥"),
        ("key", "{} 密钥"),
        ("token", "{} 令牌"),
        ("secret", "{} 机密"),
        ("webhook", "{} 网络钩子"),
    ],
};

pub(super) const FRENCH: Kinds = Kinds {
    names: &[
        ("API key", "clé d'API"),
        ("IP address", "adresse IP"),
        ("MAC address", "adresse MAC"),
        ("application key", "clé d'application"),
        ("authorization header", "en-tête d'autorisation"),
        ("card number", "numéro de carte"),
        ("cluster join token", "jeton d'entrée dans une grappe"),
        ("credential", "identifiants"),
        ("date of birth", "date de naissance"),
        ("e-mail address", "adresse électronique"),
        ("encoded credentials", "identifiants encodés"),
        ("extended private key", "clé privée étendue"),
        ("host name", "nom d'hôte"),
        ("invisible characters", "caractères invisibles"),
        ("key", "clé"),
        ("name", "nom"),
        ("national id", "numéro d'identité"),
        ("password", "mot de passe"),
        ("password hash", "empreinte de mot de passe"),
        ("password in a URL", "mot de passe dans une URL"),
        ("phone number", "numéro de téléphone"),
        ("postal address", "adresse postale"),
        ("private host", "hôte interne"),
        ("private key", "clé privée"),
        ("secret", "secret"),
        ("seed phrase", "phrase de récupération"),
        ("shared access signature", "signature d'accès partagé"),
        ("signed URL", "URL signée"),
        ("staff number", "matricule"),
        ("token", "jeton"),
        ("token in a URL", "jeton dans une URL"),
        ("user name", "nom d'utilisateur"),
        ("variable name", "nom de variable"),
        ("webhook key", "clé de webhook"),
    ],
    ends: &[
        ("API key", "clé d'API {}"),
        ("access key", "clé d'accès {}"),
        ("secret key", "clé secrète {}"),
        ("key", "clé {}"),
        ("token", "jeton {}"),
        ("secret", "secret {}"),
        ("webhook", "webhook {}"),
    ],
};
