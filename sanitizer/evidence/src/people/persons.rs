//! Judges what may name a person: user names, names, phone numbers.

mod known;
mod others;
mod words;

use crate::keep;
use crate::keys::key_words::is_label;
use crate::people::users::is_user;
use crate::people::{accounts, nobody};
use crate::secrets::{placeholder, value};
use crate::text::tail;
use crate::words::message;
use known::{STAND_INS, WELL_KNOWN};
use others::{FAMILY_LIKE, ORGANISATIONS, PROGRAMS, SAID_OF_PERSONS};
use words::{NO_NAMES, NO_PERSONS};

/// Whether this is a person's name: words that begin with capitals, or ideographs.
pub fn is_name(name: &str) -> bool {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    let robot = [
        "[bot]",
        "github",
        "actions",
        "dependabot",
        "renovate",
        "your",
        "your_name",
        "name ",
        " name",
        " doe",
        "example",
        "team",
        "contributors",
        "user",
        "anonymous",
        "unknown",
        "redacted",
    ]
    .iter()
    .any(|word| lower.contains(word));
    let robot = robot || keep::user(name) || !name.starts_with(char::is_alphabetic);
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && !robot
        && !value::is_reference(name)
        && !value::is_placeholder(name)
        && !name.contains(['{', '$', '<', '=', '(', '@'])
}

/// Whether digits grouped like this are a phone number: 8–15 digits, not reserved for fiction.
pub fn is_phone(before: &str, text: &str, after: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let fictional = text.starts_with("+1") && digits.get(1..4) == Some("555")
        || digits.len() == 10 && digits.starts_with("555");
    let reserved =
        fictional || digits.ends_with("5550100") || digits.contains("55501") && digits.len() <= 11;
    let varied = digits
        .bytes()
        .collect::<std::collections::BTreeSet<_>>()
        .len()
        > 2;
    let american = text.starts_with("+1");
    let dialled =
        !american || digits.len() == 11 && digits.get(1..2).is_some_and(|area| area >= "2");
    let limit = [
        "2147483647",
        "2147483648",
        "4294967295",
        "9223372036854775807",
    ]
    .contains(&digits.as_str());
    let joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    let dated = text.len() == 10 && text.split('-').map(str::len).eq([4, 2, 2]);
    let follows = after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    (8..=15).contains(&digits.len())
        && dialled
        && !limit
        && varied
        && !reserved
        && !follows
        && !dated
        && (!before.ends_with(joined)
            || !before.is_ascii() && before.ends_with(|c: char| !c.is_ascii()))
}

/// Whether eleven digits are a mainland mobile number: in quotes or beside Chinese.
pub fn is_chinese_mobile(before: &str, text: &str, after: &str) -> bool {
    let near = tail(before, 24);
    let line = near.rsplit('\n').next().unwrap_or_default();
    let quoted = before.ends_with(['"', '\'']) && after.starts_with(['"', '\'']);
    (quoted || !line.is_ascii()) && is_phone(before, text, after)
}

/// Whether the user of a URL may be a person; one at an example host is an example.
pub fn is_url_user(name: &str, after: &str) -> bool {
    let host = after.rsplit_once('@').map_or(after, |(_, host)| host);
    let host = host
        .split(['/', ':', '?', '"', '\'', ' ', '\n'])
        .next()
        .unwrap_or_default();
    let example = host.contains("example")
        || host.contains("localhost")
        || host.starts_with("127.")
        || host.is_empty();
    let account = accounts::is_account(name);
    is_user(name)
        && !accounts::is_role(name)
        && !placeholder::is_placeholder(name)
        && (!example || account)
}

/// Whether this is a person's name where a key says that one stands.
pub fn is_person(name: &str) -> bool {
    let words = || name.split([' ', '\u{3000}', '·', '・']);
    let ordinary = words().any(|word| {
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches(['.', ',']);
        NO_NAMES.contains(&bare) || NO_PERSONS.contains(&bare)
    });
    let lower = !words().all(|word| {
        word.starts_with(|c: char| c.is_uppercase() || !c.is_lowercase())
            || is_particle(word)
            || is_elided(word)
    });
    let lettered = words().all(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphabetic() || is_mark(c) || matches!(c, '.' | '-' | '\'' | '’'))
    });
    let lower = lower || !lettered;
    let ideographic = name
        .chars()
        .all(|c| ('\u{3000}'..='\u{d7ff}').contains(&c) || c == ' ' || c == '·');
    let said = !name.is_ascii() && (is_label(name) || SAID_OF_PERSONS.contains(&name));
    let organisation =
        said || !name.is_ascii() && ORGANISATIONS.iter().any(|word| name.ends_with(word));
    let sentence = organisation
        || nobody::is_nobody(name)
        || nobody::is_unit(name)
        || STAND_INS.contains(&name)
        || WELL_KNOWN.contains(&name)
        || ideographic && begins_with_a_word(name)
        || ideographic && (message::is_message(name) || name.chars().count() > 12);
    let lower = lower || sentence;
    let shouted = name.is_ascii()
        && name.len() > 3
        && !name.contains(' ')
        && !name.bytes().any(|b| b.is_ascii_lowercase());
    let camel = words().any(|word| {
        word.chars().skip(1).filter(|c| c.is_uppercase()).count() > 1
            && word.chars().any(char::is_lowercase)
    });
    !ordinary && !lower && !shouted && words().count() <= 4 && !camel && is_name(name)
}

/// Whether a given name and a family name in running text name a person, and no place called after one.
pub fn is_full_name(before: &str, name: &str) -> bool {
    const PLACES: &[&str] = &[
        "San", "Santa", "Santo", "São", "Saint", "Sainte", "St", "Ste", "Sankt", "Los", "Las",
        "Port", "Fort", "Mount", "Lake", "Cape", "Rue", "Via", "Calle", "Rua", "Avenida", "Avenue",
        "Plaza", "Piazza", "Place",
    ];
    const THINGS: &[&str] = &[
        "street",
        "islands",
        "island",
        "road",
        "lane",
        "drive",
        "boulevard",
        "square",
        "park",
        "bridge",
        "airport",
        "station",
        "county",
        "school",
        "college",
        "hospital",
        "hotel",
        "museum",
        "prize",
        "award",
        "theorem",
        "algorithm",
        "method",
        "optimizer",
        "transform",
        "equation",
        "theme",
        "language",
        "programming",
        "metrics",
        "stanley",
        "deere",
        "proxy",
        "bros",
        "brothers",
        "sons",
        "straße",
        "platz",
        "weg",
        "theatre",
        "library",
        "award",
    ];
    let last = before
        .trim_end()
        .trim_end_matches('.')
        .rsplit(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    let behind_place = before.ends_with(' ') && PLACES.contains(&last);
    let thing = || {
        name.split(' ').any(|word| {
            let lower = word.to_lowercase();
            THINGS.contains(&&*lower)
        })
    };
    !behind_place && is_person(name) && !thing()
}

/// Whether a character joins the letter before it, as vowels of Indic and Semitic scripts do.
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}'
        | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}')
}

/// Whether Chinese begins with a word whose first character may be a family's name, too: `高级`, `项目`.
fn begins_with_a_word(name: &str) -> bool {
    let mut letters = name.char_indices().skip(2);
    let end = letters.next().map_or(name.len(), |(at, _)| at);
    name.get(..end)
        .is_some_and(|start| FAMILY_LIKE.contains(&start))
}

/// `d'Aubigné`, `l’Hôpital`.
fn is_elided(word: &str) -> bool {
    word.strip_prefix(['d', 'l'])
        .and_then(|rest| rest.strip_prefix(['\'', '’']))
        .is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// Whether Chinese, Japanese or Korean before a title says what people are rather than who.
pub fn is_word_for_people(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "者", "員", "客", "社", "部", "課", "店", "屋", "長", "方", "側", "元", "先", "本人", "皆",
        "職", "士", "師", "医", "生", "学生", "利用", "工場", "会", "組", "係", "役", "技術",
        "営業", "総務", "人事", "経理", "開発", "製造", "企画", "支店", "工事", "品質", "管理",
        "購買", "情報", "事業", "広報", "法務", "財務", "教育", "学校", "病院", "大学", "研究",
        "達", "同士", "関係", "들", "팀", "님", "분", "측", "자", "직원", "사원", "학생", "고객",
        "회원", "업체", "기관",
    ];
    const WORDS: &[&str] = &[
        "이용자",
        "신청자",
        "방문자",
        "구매자",
        "지원자",
        "진행자",
        "변호사",
        "조합원",
        "공무원",
        "주인공",
        "여러분",
        "주문자",
        "소비자",
        "문의자",
        "기사님",
        "수강생",
        "유저분",
        "손님들",
        "신입생",
        "선배님",
        "하나님",
        "서포터",
        "주임님",
        "임차인",
        "임대인",
        "지배인",
        "원장님",
        "상담사",
        "상담원",
        "안내원",
        "조사원",
        "도우미",
        "고객사",
        "심사자",
        "시청자",
        "독자분",
    ];
    const TOLD: &[&str] = &[
        "本日", "明日", "今日", "完了", "予定", "休業", "部門", "対応", "中止", "変更", "追加",
        "無し", "未定", "不要",
    ];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || TOLD.iter().any(|word| name.contains(word))
        || WORDS.contains(&name)
}

/// Whether a word stands in lower case between a person's names.
pub fn is_particle(word: &str) -> bool {
    [
        "van", "von", "vom", "de", "da", "der", "el", "al", "bin", "la", "le", "del", "della",
        "di", "den", "ten", "ter", "dos", "das", "do", "du", "y", "e", "ibn", "ben", "zu", "zum",
        "af", "av",
    ]
    .contains(&word)
}

/// Whether a word in a log is a user's name: no word of the log itself.
pub fn is_login(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "the", "a", "an", "this", "that", "these", "in", "on", "as", "by", "with", "for", "is",
        "was", "unable", "pam_unix", "password", "user", "account", "command", "not", "no",
    ];
    let lower = name.to_ascii_lowercase();
    !WORDS.contains(&lower.as_str())
        && !nobody::is_nobody(name)
        && !PROGRAMS.contains(&lower.as_str())
        && is_user(name)
        && !accounts::is_role(name)
        && !placeholder::is_placeholder(name)
}

/// Whether a code beside a key for one names a person: digits enough, no date, no placeholder.
pub fn is_identity(code: &str) -> bool {
    let digits: Vec<u8> = code.bytes().filter(u8::is_ascii_digit).collect();
    let letters = code.bytes().filter(u8::is_ascii_uppercase).count();
    let varied = code
        .bytes()
        .collect::<std::collections::BTreeSet<_>>()
        .len();
    let groups: Vec<&str> = code.split(['-', '/', '.']).collect();
    let dated = matches!(groups.as_slice(), [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2)
        || matches!(groups.as_slice(), [day, month, year] if year.len() == 4 && month.len() <= 2 && day.len() <= 2);
    let version = code.contains('.') && code.split('.').all(|part| part.len() <= 2);
    let fraction = code
        .split_once('.')
        .is_some_and(|(whole, part)| whole.len() + part.len() == digits.len());
    let counted = matches!(
        code,
        "123456789" | "1234567890" | "12345678" | "123-45-6789" | "987654321"
    );
    let enough = digits.len() >= 7 || letters >= 1 && digits.len() >= 4 && code.len() >= 8;
    enough
        && varied >= 4
        && !dated
        && !version
        && !fraction
        && !counted
        && !value::is_placeholder(code)
}

/// Whether this is a street with a number, and not the one that stands for any.
pub fn is_address(street: &str) -> bool {
    let lower = street.to_lowercase();
    ![
        "example",
        "main st",
        "sample",
        "test",
        "fake",
        "your",
        "anystreet",
        "any street",
    ]
    .iter()
    .any(|word| lower.contains(word))
}
