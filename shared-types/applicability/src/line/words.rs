//! What is wrong with a line, in the languages of the pages and of the terminal.

use recall_kit_i18n::{Language, filled};
use recall_kit_shared_types::applicability::applicability_limits::{
    MAX_APPLIES, MAX_PURL_CHARS, MAX_RANGE_CHARS, MAX_WORD_CHARS,
};

use super::{ECOSYSTEMS, LineProblem, MAX_LINE_CHARS};
use crate::{
    claims::InvalidWord,
    purl::InvalidName,
    range::{InvalidRange, MAX_INTERVALS},
};

/// The texts of one language besides English, which the errors have themselves.
struct LineWords {
    /// With the range as it was written.
    empty_range: &'static str,
    /// With the range as it was written.
    no_range: &'static str,
    /// With the word as it was written, and all ecosystems.
    no_ecosystem: &'static str,
    /// With the name as it was written.
    no_name: &'static str,
    /// With the most characters.
    too_long: &'static str,
    range_too_long: &'static str,
    /// With the most lines.
    too_many: &'static str,
    no_package_url: &'static str,
    more_than_a_name: &'static str,
    no_namespace: &'static str,
    no_namespace_expected: &'static str,
    wrong_package: &'static str,
    /// With the most characters.
    package_too_long: &'static str,
    empty_word: &'static str,
    /// With the most characters.
    word_too_long: &'static str,
    wrong_word: &'static str,
    no_vers: &'static str,
    /// With the version.
    wrong_version: &'static str,
    empty_vers: &'static str,
    /// With the version.
    redundant: &'static str,
    /// With the most intervals.
    too_many_intervals: &'static str,
    /// With the type of the range, and twice that of the package.
    other_type: &'static str,
    /// With the type.
    not_of_type: &'static str,
}

impl LineProblem {
    /// Says in a language what is wrong, in lower case and without a full stop.
    pub fn in_language(&self, language: Language) -> String {
        match language {
            Language::English => self.to_string(),
            Language::Chinese => self.said(&CHINESE),
            Language::French => self.said(&FRENCH),
        }
    }

    fn said(&self, words: &LineWords) -> String {
        match self {
            Self::EmptyRange(range) => filled(words.empty_range, &[range]),
            Self::Range(range) => filled(words.no_range, &[range]),
            Self::Ecosystem(word) => filled(words.no_ecosystem, &[word, &ECOSYSTEMS.join(", ")]),
            Self::Name(name) => filled(words.no_name, &[name]),
            Self::Package(reason) => package(*reason, words),
            Self::Word(reason) => match reason {
                InvalidWord::Empty => words.empty_word.to_owned(),
                InvalidWord::TooLong => filled(words.word_too_long, &[&MAX_WORD_CHARS]),
                InvalidWord::WrongCharacters => words.wrong_word.to_owned(),
            },
            Self::Vers(reason) => range(reason, words),
            Self::TooLong => filled(words.too_long, &[&MAX_LINE_CHARS]),
            Self::RangeTooLong => filled(words.range_too_long, &[&MAX_RANGE_CHARS]),
            Self::TooMany => filled(words.too_many, &[&MAX_APPLIES]),
        }
    }
}

fn package(reason: InvalidName, words: &LineWords) -> String {
    match reason {
        InvalidName::NoPackageUrl => words.no_package_url.to_owned(),
        InvalidName::MoreThanAName => words.more_than_a_name.to_owned(),
        InvalidName::NoNamespace => words.no_namespace.to_owned(),
        InvalidName::NoNamespaceExpected => words.no_namespace_expected.to_owned(),
        InvalidName::WrongName => words.wrong_package.to_owned(),
        InvalidName::TooLong => filled(words.package_too_long, &[&MAX_PURL_CHARS]),
    }
}

fn range(reason: &InvalidRange, words: &LineWords) -> String {
    match reason {
        InvalidRange::NoVers => words.no_vers.to_owned(),
        InvalidRange::WrongVersion(version) => filled(words.wrong_version, &[version]),
        InvalidRange::Empty => words.empty_vers.to_owned(),
        InvalidRange::Redundant(version) => filled(words.redundant, &[version]),
        InvalidRange::TooLong => filled(words.range_too_long, &[&MAX_RANGE_CHARS]),
        InvalidRange::TooManyIntervals => filled(words.too_many_intervals, &[&MAX_INTERVALS]),
        InvalidRange::OtherType { range, package } => {
            filled(words.other_type, &[range, package, package])
        }
        InvalidRange::NotOfType(kind) => filled(words.not_of_type, &[kind]),
    }
}

const CHINESE: LineWords = LineWords {
    empty_range: "没有任何版本属于范围 `{}`",
    no_range: "`{}` 不是版本范围；请写成 `<19`、`>=1.2 <2` 或 `18.2`",
    no_ecosystem: "`{}` 不是软件包生态；软件包前请写 {} 之一，其他程序前请写 `tool`",
    no_name: "`{}` 不是已知的运行时、程序或系统；软件包请在前面写明生态，如 `npm react`，其他请写成 `tool 名称`",
    too_long: "这一行超过 {} 个字符",
    range_too_long: "版本范围超过 {} 个字符",
    too_many: "超过 {} 行；请只保留重要的几行",
    no_package_url: "不是软件包 URL；请写成 `pkg:类型/名称`，例如 `pkg:npm/react`",
    more_than_a_name: "软件包 URL 中不要写版本、`?` 和 `#`；版本请写在后面",
    no_namespace: "这类软件包有命名空间，请写成 `pkg:类型/命名空间/名称`",
    no_namespace_expected: "这类软件包没有命名空间，请写成 `pkg:类型/名称`",
    wrong_package: "软件包名称为空，或含有不允许的字符",
    package_too_long: "软件包名称超过 {} 个字符",
    empty_word: "名称为空；请填写或删除",
    word_too_long: "名称超过 {} 个字符",
    wrong_word: "名称含有不允许的字符；请使用字母、数字和 `.+-_`",
    no_vers: "不是版本范围；请写成 `vers:类型/` 加比较条件，例如 `vers:npm/>=16.8.0|<19`",
    wrong_version: "`{}` 不是这种类型的版本号",
    empty_vers: "没有任何版本属于此范围；请先写下限，再写上限，且下限须低于上限",
    redundant: "`{}` 出现了两次，或旁边的比较条件不起作用；请去掉其中一个",
    too_many_intervals: "超过 {} 个区间",
    other_type: "版本范围的类型是 `{}`，软件包的类型是 `{}`；请写成 `vers:{}/…`",
    not_of_type: "其中有版本号不属于类型 `{}`",
};

const FRENCH: LineWords = LineWords {
    empty_range: "aucune version n'est dans l'intervalle `{}`",
    no_range: "`{}` n'est pas un intervalle de versions\u{a0}; écrivez `<19`, `>=1.2 <2` ou `18.2`",
    no_ecosystem: "`{}` n'est pas un écosystème\u{a0}; écrivez {} devant le nom du paquet, et `tool` devant tout autre programme",
    no_name: "`{}` n'est ni un environnement d'exécution, ni un programme, ni un système connu\u{a0}; écrivez un paquet après son écosystème, comme `npm react`, et le reste comme `tool NOM`",
    too_long: "la ligne dépasse {} caractères",
    range_too_long: "l'intervalle dépasse {} caractères",
    too_many: "il y a plus de {} lignes\u{a0}; gardez celles qui comptent",
    no_package_url: "ce n'est pas l'URL d'un paquet\u{a0}; écrivez `pkg:TYPE/NOM`, par exemple `pkg:npm/react`",
    more_than_a_name: "l'URL d'un paquet ne contient ici ni version, ni `?`, ni `#`\u{a0}; écrivez les versions à la suite",
    no_namespace: "les paquets de ce type ont un espace de noms\u{a0}: `pkg:TYPE/ESPACE/NOM`",
    no_namespace_expected: "les paquets de ce type n'ont pas d'espace de noms\u{a0}: `pkg:TYPE/NOM`",
    wrong_package: "le nom du paquet est vide ou contient des caractères interdits",
    package_too_long: "le nom du paquet dépasse {} caractères",
    empty_word: "le nom est vide\u{a0}; écrivez-le ou supprimez-le",
    word_too_long: "le nom dépasse {} caractères",
    wrong_word: "le nom contient des caractères interdits\u{a0}; écrivez des lettres, des chiffres et `.+-_`",
    no_vers: "ce n'est pas un intervalle\u{a0}; écrivez `vers:TYPE/` et des comparaisons, par exemple `vers:npm/>=16.8.0|<19`",
    wrong_version: "`{}` n'est pas une version de ce type",
    empty_vers: "aucune version n'est dans cet intervalle\u{a0}; écrivez d'abord la borne inférieure, puis une borne supérieure plus grande",
    redundant: "`{}` figure deux fois, ou une comparaison voisine n'a pas d'effet\u{a0}; supprimez l'une des deux",
    too_many_intervals: "il y a plus de {} intervalles",
    other_type: "l'intervalle est du type `{}`, le paquet du type `{}`\u{a0}; écrivez `vers:{}/…`",
    not_of_type: "une de ses versions n'est pas du type `{}`",
};
