//! Stop words of the languages that queries are written in.
//!
//! They say nothing about a topic. In a small store their rarity says nothing either: among eight records, "how"
//! may occur in one, like the rarest identifier. So they are listed by name.

use std::{collections::HashSet, sync::LazyLock};

/// The weight of a stop word relative to another term that as many records have.
pub(crate) const STOP_WORD_WEIGHT: f32 = 0.1;

/// English, French, German, Spanish, Portuguese, Italian, Dutch, Russian; for Chinese, Japanese and Korean the
/// bigrams of common function words. Words that are also a command or a name in programming, such as `go`,
/// `make`, `man`, `io`, `os`, are not included.
const STOP_WORDS: &str = "\
    a about after again all also always am an and any are as at be because been before being \
    both but by can cannot could did do does doing don done during each every few for from get \
    gets getting got had has have having he her here him his how i if in into is it its just \
    like ll me might more most must my need no nor not now of on once one only or other our \
    over please re same she should so some still such t than that the their them then there \
    these they this those through to too until us use used using ve very want was way we were \
    what when where whether which while who whom whose why will with without would you your \
    alors au aucun aussi autre aux avec avoir ce cela ces cet cette chez comme comment d dans \
    de des du elle elles en encore entre est et être eux faire fait faut il ils j je l la là le \
    les leur leurs lors lui m ma mais mes moi mon même n ne non nos notre nous ont ou où par \
    pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se \
    ses si son sont sur ta te tes toi ton tous tout toute toutes tu un une vos votre vous y à \
    ça était \
    aber alle als auch auf aus bei beim bin bis bist da damit dann das dass dem den denn der \
    die dies diese dieser dieses doch dort durch ein eine einem einen einer eines er es etwas \
    für gibt habe haben hat ich ihr im ist ja kann kein keine können mehr mein mich mir mit \
    muss nach nicht noch nur oder ob ohne sein seine sich sie sind soll um und uns vom von vor \
    warum wenn wer werden wie wir wird wo wurde zu zum zur über \
    al algo como con cuando cuál cuáles cómo del desde donde dónde el ella era esta este esto \
    está están fue hace hacer hay las lo los mi mis muy más nada ni o para pero por porque \
    puede puedo qué quien quién ser sin sobre sus sí también tiene tus una uno unos ya yo él \
    ao aos até com dela dele depois e ela ele eles em essa esse eu foi fazer há isso isto já \
    lhe mas mesmo meu minha muito na não nem onde pela pelo pode qual quando quem sem seu sua \
    são só também tem uma você é \
    alla anche che chi ci come cosa cui dal dalla dei della delle di dove ed gli ho loro mio \
    nel nella ogni per perché più quale questa questo sei sono sul sulla suo ti tra è \
    aan bij dat deze dit door een geen heb hebben heeft het hoe ik kan maar met mijn naar niet \
    nog om ook op tot uit van voor waarom wat wel wij wordt worden zijn \
    а без бы был была были было быть в вам вас вы где да для до его ее если есть еще же за и из \
    или им их к как какая какие какой когда которые который ли меня мне можно мой мы на надо не \
    него нет ни но о об он она они от по под почему при с свой себя со так также там то того \
    только тот ты у уже чем что чтобы это этого этот я \
    一个 一下 一些 为什 什么 怎么 么办 怎样 如何 可以 不能 不是 没有 我的 我们 你的 这个 那个 的 了 在 是 和 与 或 及 \
    から する した して こと この その それ です ます ない なる ある いる ため どう まで より れる られ \
    하는 하기 있는 없는 어떻 떻게 으로 에서 하다 합니 니다 이다";

static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split(' ').collect());

/// Returns whether a term, in lower case, is a stop word.
pub(crate) fn is_stop_word(term: &str) -> bool {
    SET.contains(term)
}
