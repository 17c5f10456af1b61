//! One rule, and every rule of the rule files.

use std::borrow::Cow;

use crate::RuleGroup;

/// A rule: a shape in the text, what it is, and what replaces it.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// Unique, lower case with hyphens: `aws-access-key-id`.
    pub(crate) id: Text,
    /// What it is, in words for people.
    pub(crate) kind: Text,
    pub(crate) group: RuleGroup,
    /// Fixed strings, case ignored, one of which every match contains. None: tried wherever a match may
    /// begin.
    pub(crate) anchors: Cow<'static, [Text]>,
    /// The anchors stand near a match, as a heading does, and not in it.
    #[cfg(test)]
    pub(crate) beside: bool,
    /// A regular expression; the group `secret` is what is replaced, else the whole match.
    pub(crate) pattern: Text,
    /// The expression as a matcher, as the build script writes it; none where whole windows are searched.
    pub(crate) matcher: Option<&'static [u8]>,
    /// For each anchor the number of the set of bytes in the pool that may stand right behind it where it wakes
    /// the rule; none where that is unknown.
    pub(crate) behind: &'static [u16],
    pub(crate) replacement: Text,
    /// What else must hold of the span.
    pub(crate) check: Check,
    /// How far a match may reach before and after an anchor, in bytes.
    pub(crate) reach: [usize; 2],
    /// The page that documents the shape, where one is known.
    pub(crate) source: Option<RuleSource>,
    /// What the shape is known from, or why the rule exists.
    #[cfg(test)]
    pub(crate) why: &'static str,
    /// Texts in which the rule finds something. Kept in parts, so that no secret scanner trips over them.
    #[cfg(any(test, fuzzing))]
    pub(crate) examples: &'static [&'static [&'static str]],
    /// Texts in which it finds nothing, in parts.
    #[cfg(any(test, fuzzing))]
    pub(crate) negative_examples: &'static [&'static [&'static str]],
}

/// The page that documents what a rule finds, and when the rule was last compared with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleSource {
    /// The page's address.
    pub page: &'static str,
    /// Year and month: `2026-11`.
    pub checked: &'static str,
}

/// A built-in rule, as people are shown it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInRule {
    /// Unique: `aws-access-key-id`.
    pub id: &'static str,
    /// What it finds, in words for people.
    pub kind: &'static str,
    /// The group it belongs to.
    pub group: RuleGroup,
    /// The page that documents the shape; none where no page is known.
    pub source: Option<RuleSource>,
}

/// Returns every built-in rule, in the order of the rule files.
pub fn built_in_rules() -> impl Iterator<Item = BuiltInRule> {
    BUILT_IN.iter().map(|rule| BuiltInRule {
        id: fixed(&rule.id),
        kind: fixed(&rule.kind),
        group: rule.group,
        source: rule.source,
    })
}

/// The text of a rule file, which lasts as long as the program.
fn fixed(text: &'static Text) -> &'static str {
    text
}

/// Text of a rule file, or of a user's rule.
pub(crate) type Text = Cow<'static, str>;

/// A condition on a matched span that a regular expression cannot state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// Whatever the expression matches.
    Any,
    /// Anything but a placeholder or a reference.
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
    /// A name without a dot where a host is expected.
    Machine,
    /// A name without a dot before a port.
    PortMachine,
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
    /// A user name in a sentence or statement: an account, and no word that says something of one.
    Account,
    Phone,
    /// What somebody chose for a password, and no word of the sentence: a digit, a symbol, a capital inside.
    Strong,
    /// Several words or a password, where a sentence says that a phrase stands there.
    Phrase,
    /// A code of digits that does not stand for any.
    Code,
    /// A code for the day when another is lost: digits among its letters, and not the same ones.
    Recovery,
    /// A name without a dot where nothing but a machine's stands: no word, no program.
    NamedMachine,
    /// An account that no word of a language could be: a digit, a mark, or letters that make up no word.
    Doer,
    /// A domain in capitals.
    Realm,
    /// A Windows domain that is somebody's.
    Domain,
    /// A customer's name as a provider uses it.
    Tenant,
    /// A bucket that is called after somebody.
    Bucket,
    /// A nick of a chat: an account with capitals or digits.
    Chat,
    /// The parts of a person's name with marks between them.
    Parts,
    /// Ideographs or Hangul before a title, and no word for people that have one.
    Named,
    /// A password that a sentence tells, or a token.
    Told,
    ToldFirst,
    ToldQuoted,
    ToldToken,
    /// A code behind the word for it, before it, or behind a verb such as "enter".
    CodeBehind,
    CodeBefore,
    CodeEntered,
    CodeCame,
    /// A code of capitals or groups of letters and digits.
    CodeLettered,
    /// A machine's name with a number, and no program and its version.
    MachineMarked,
    /// A machine that is named by what it serves, and is no example's.
    MachineServing,
    /// A given name and a family name in running text, and no place or street called after a person.
    FullName,
    /// An account in capitals, as mainframes write them.
    AccountInCapitals,
    /// An account that stands beside a password that was found.
    Beside,
}

/// Every rule of the rule files, as the build script writes them.
pub(crate) const BUILT_IN: &[Rule] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));
