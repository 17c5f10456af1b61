//! One rule as its file holds it, and the reading of rule files.

use serde::Deserialize;

use crate::RuleGroup;

/// A rule: a shape in the text, what it is, and what replaces it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Unique, lower case with hyphens: `aws-access-key-id`.
    pub(crate) id: String,
    /// What it is, in words for people.
    pub(crate) kind: String,
    pub(crate) group: RuleGroup,
    /// Fixed strings, one of which every match contains, case ignored. None: the whole text is searched.
    #[serde(default)]
    pub(crate) anchors: Vec<String>,
    /// A regular expression; the group `secret` is what is replaced, else the whole match.
    pub(crate) pattern: String,
    pub(crate) replacement: String,
    /// What else must hold of the span.
    #[serde(default)]
    pub(crate) check: Check,
    /// How far a match may reach before and after an anchor, in bytes.
    #[serde(default = "default_reach")]
    pub(crate) reach: [usize; 2],
    /// Where the shape is documented, or why the rule exists.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for readers of the file and for the tests")
    )]
    pub(crate) why: String,
    /// Texts in which the rule finds something. Kept in parts, so that no secret scanner trips over them.
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "run by the tests"))]
    pub(crate) examples: Vec<Vec<String>>,
    /// Texts in which it finds nothing, in parts.
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "run by the tests"))]
    pub(crate) negative_examples: Vec<Vec<String>>,
}

const fn default_reach() -> [usize; 2] {
    [0, 512]
}

/// A condition on a matched span that a regular expression cannot state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Check {
    /// Anything but a placeholder or a reference.
    #[default]
    Value,
    /// Looks generated, not made of words.
    Opaque,
    /// Stands where only a password stands.
    Password,
    /// A password even where nothing says that a literal stands: digits, symbols or no words.
    Chosen,
    /// Contains key material.
    KeyMaterial,
    /// A card number: known issuer, Luhn, not a published test number.
    Card,
    Iban,
    ChineseId,
    Ssn,
    Cpf,
    Dni,
    /// A number or code of a person, where a key says that one stands.
    Identity,
    /// A street and a number.
    Address,
    /// An IPv4 address that is neither loopback, netmask, documentation range nor version.
    Ipv4,
    Ipv6,
    Mac,
    Email,
    /// A host name in a URL that is not public knowledge.
    UrlHost,
    /// A host name outside a URL that says by itself that it is private.
    BareHost,
    /// A host name where one is expected.
    KeyedHost,
    /// A host name of a service before a port.
    PortHost,
    /// A user name that may be a person's.
    User,
    /// A user name in a URL whose host is no example.
    UrlUser,
    /// Eleven digits in quotes or beside Chinese.
    ChineseMobile,
    /// A person's name.
    Name,
    /// A person's name where a key says that one stands: every word like one.
    Person,
    /// A user name in a log: no word of the log itself.
    Login,
    Phone,
}

#[derive(Deserialize)]
struct RuleFile {
    rule: Vec<Rule>,
}

const FILES: &[(&str, &str)] = &[
    ("cloud.toml", include_str!("../rules/cloud.toml")),
    (
        "infrastructure.toml",
        include_str!("../rules/infrastructure.toml"),
    ),
    ("ai.toml", include_str!("../rules/ai.toml")),
    (
        "code_hosting.toml",
        include_str!("../rules/code_hosting.toml"),
    ),
    (
        "communication.toml",
        include_str!("../rules/communication.toml"),
    ),
    ("payment.toml", include_str!("../rules/payment.toml")),
    ("services.toml", include_str!("../rules/services.toml")),
    ("hosting.toml", include_str!("../rules/hosting.toml")),
    ("frameworks.toml", include_str!("../rules/frameworks.toml")),
    ("developer.toml", include_str!("../rules/developer.toml")),
    ("models.toml", include_str!("../rules/models.toml")),
    ("commerce.toml", include_str!("../rules/commerce.toml")),
    ("business.toml", include_str!("../rules/business.toml")),
    ("structure.toml", include_str!("../rules/structure.toml")),
    ("commands.toml", include_str!("../rules/commands.toml")),
    ("network.toml", include_str!("../rules/network.toml")),
    ("personal.toml", include_str!("../rules/personal.toml")),
    ("identity.toml", include_str!("../rules/identity.toml")),
    ("people.toml", include_str!("../rules/people.toml")),
];

/// Reads every rule file compiled into the crate.
pub(crate) fn load() -> Vec<Rule> {
    FILES
        .iter()
        .flat_map(|(name, content)| {
            let file: RuleFile = toml::from_str(content)
                .unwrap_or_else(|error| unreachable!("{name} is read by every test: {error}"));
            file.rule
        })
        .collect()
}
