//! Code points by property. Source: Unicode 16.0.0, `DerivedCoreProperties.txt` for
//! [`is_ignorable`], `emoji-data.txt` for [`is_pictographic`], `Blocks.txt`, `ArabicShaping.txt` and
//! `IndicSyllabicCategory.txt` for [`is_joining`].

/// Says whether a character is a Default_Ignorable_Code_Point: fonts draw nothing for it.
pub(crate) const fn is_ignorable(c: char) -> bool {
    if (c as u32) < 0xad {
        return false;
    }
    matches!(
        c,
        '\u{ad}' // soft hyphen
            | '\u{34f}' // combining grapheme joiner
            | '\u{61c}' // Arabic letter mark
            | '\u{115f}'..='\u{1160}' // Hangul fillers
            | '\u{17b4}'..='\u{17b5}' // Khmer inherent vowels
            | '\u{180b}'..='\u{180f}' // Mongolian variation selectors, vowel separator
            | '\u{200b}'..='\u{200f}' // zero-width space, joiners, direction marks
            | '\u{202a}'..='\u{202e}' // direction embeddings and overrides
            | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, direction isolates
            | '\u{3164}' // Hangul filler
            | '\u{fe00}'..='\u{fe0f}' // variation selectors
            | '\u{feff}' // byte order mark
            | '\u{ffa0}' // halfwidth Hangul filler
            | '\u{fff0}'..='\u{fff8}' // unassigned
            | '\u{1bca0}'..='\u{1bca3}' // shorthand format controls
            | '\u{1d173}'..='\u{1d17a}' // musical format controls
            | '\u{e0000}'..='\u{e0fff}' // tags, further variation selectors, unassigned
    )
}

/// Says whether a character is of a script whose letters change shape beside a joiner or a
/// non-joiner: cursive scripts and those with conjuncts.
pub(super) fn is_joining(c: char) -> bool {
    let is_of_script = matches!(
        c,
        '\u{600}'..='\u{77f}' // Arabic, Syriac
            | '\u{7c0}'..='\u{7ff}' // N'Ko
            | '\u{840}'..='\u{8ff}' // Mandaic, Arabic
            | '\u{900}'..='\u{dff}' // Devanagari to Sinhala
            | '\u{1000}'..='\u{109f}' // Myanmar
            | '\u{1780}'..='\u{18af}' // Khmer, Mongolian
            | '\u{1b00}'..='\u{1bff}' // Balinese, Sundanese, Batak
            | '\u{1cd0}'..='\u{1cff}' // Vedic
            | '\u{a840}'..='\u{a87f}' // Phags-pa
            | '\u{a8e0}'..='\u{a8ff}' // Devanagari
            | '\u{a980}'..='\u{a9ff}' // Javanese, Myanmar
            | '\u{aa60}'..='\u{aa7f}' // Myanmar
            | '\u{abc0}'..='\u{abff}' // Meetei Mayek
            | '\u{fb50}'..='\u{fdff}' // Arabic presentation forms
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10ac0}'..='\u{10aff}' // Manichaean
            | '\u{10b80}'..='\u{10baf}' // Psalter Pahlavi
            | '\u{10d00}'..='\u{10d3f}' // Hanifi Rohingya
            | '\u{10ec0}'..='\u{10fdf}' // Arabic, Sogdian, Old Uyghur, Chorasmian
            | '\u{11000}'..='\u{11aff}' // Brahmi and the scripts that come from it
            | '\u{1e900}'..='\u{1e95f}' // Adlam
    );
    is_of_script && !c.is_numeric() && !is_ignorable(c)
}

/// Says whether a character is a letter of Mongolian.
pub(super) const fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// Says whether a character is an ideograph, which variation selectors may follow. Source: UTS #37,
/// `StandardizedVariants.txt`.
pub(super) const fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3fffd}'
    )
}

/// Says whether a character is Extended_Pictographic: an emoji, or one to be.
pub(super) fn is_pictographic(c: char) -> bool {
    let passed = PICTOGRAPHIC.partition_point(|(_, last)| *last < c);
    PICTOGRAPHIC
        .get(passed)
        .is_some_and(|(first, _)| *first <= c)
}

/// The ranges of Extended_Pictographic, in order.
#[rustfmt::skip]
const PICTOGRAPHIC: [(char, char); 78] = [
    ('\u{a9}', '\u{a9}'),
    ('\u{ae}', '\u{ae}'),
    ('\u{203c}', '\u{203c}'),
    ('\u{2049}', '\u{2049}'),
    ('\u{2122}', '\u{2122}'),
    ('\u{2139}', '\u{2139}'),
    ('\u{2194}', '\u{2199}'),
    ('\u{21a9}', '\u{21aa}'),
    ('\u{231a}', '\u{231b}'),
    ('\u{2328}', '\u{2328}'),
    ('\u{2388}', '\u{2388}'),
    ('\u{23cf}', '\u{23cf}'),
    ('\u{23e9}', '\u{23f3}'),
    ('\u{23f8}', '\u{23fa}'),
    ('\u{24c2}', '\u{24c2}'),
    ('\u{25aa}', '\u{25ab}'),
    ('\u{25b6}', '\u{25b6}'),
    ('\u{25c0}', '\u{25c0}'),
    ('\u{25fb}', '\u{25fe}'),
    ('\u{2600}', '\u{2605}'),
    ('\u{2607}', '\u{2612}'),
    ('\u{2614}', '\u{2685}'),
    ('\u{2690}', '\u{2705}'),
    ('\u{2708}', '\u{2712}'),
    ('\u{2714}', '\u{2714}'),
    ('\u{2716}', '\u{2716}'),
    ('\u{271d}', '\u{271d}'),
    ('\u{2721}', '\u{2721}'),
    ('\u{2728}', '\u{2728}'),
    ('\u{2733}', '\u{2734}'),
    ('\u{2744}', '\u{2744}'),
    ('\u{2747}', '\u{2747}'),
    ('\u{274c}', '\u{274c}'),
    ('\u{274e}', '\u{274e}'),
    ('\u{2753}', '\u{2755}'),
    ('\u{2757}', '\u{2757}'),
    ('\u{2763}', '\u{2767}'),
    ('\u{2795}', '\u{2797}'),
    ('\u{27a1}', '\u{27a1}'),
    ('\u{27b0}', '\u{27b0}'),
    ('\u{27bf}', '\u{27bf}'),
    ('\u{2934}', '\u{2935}'),
    ('\u{2b05}', '\u{2b07}'),
    ('\u{2b1b}', '\u{2b1c}'),
    ('\u{2b50}', '\u{2b50}'),
    ('\u{2b55}', '\u{2b55}'),
    ('\u{3030}', '\u{3030}'),
    ('\u{303d}', '\u{303d}'),
    ('\u{3297}', '\u{3297}'),
    ('\u{3299}', '\u{3299}'),
    ('\u{1f000}', '\u{1f0ff}'),
    ('\u{1f10d}', '\u{1f10f}'),
    ('\u{1f12f}', '\u{1f12f}'),
    ('\u{1f16c}', '\u{1f171}'),
    ('\u{1f17e}', '\u{1f17f}'),
    ('\u{1f18e}', '\u{1f18e}'),
    ('\u{1f191}', '\u{1f19a}'),
    ('\u{1f1ad}', '\u{1f1e5}'),
    ('\u{1f201}', '\u{1f20f}'),
    ('\u{1f21a}', '\u{1f21a}'),
    ('\u{1f22f}', '\u{1f22f}'),
    ('\u{1f232}', '\u{1f23a}'),
    ('\u{1f23c}', '\u{1f23f}'),
    ('\u{1f249}', '\u{1f3fa}'),
    ('\u{1f400}', '\u{1f53d}'),
    ('\u{1f546}', '\u{1f64f}'),
    ('\u{1f680}', '\u{1f6ff}'),
    ('\u{1f774}', '\u{1f77f}'),
    ('\u{1f7d5}', '\u{1f7ff}'),
    ('\u{1f80c}', '\u{1f80f}'),
    ('\u{1f848}', '\u{1f84f}'),
    ('\u{1f85a}', '\u{1f85f}'),
    ('\u{1f888}', '\u{1f88f}'),
    ('\u{1f8ae}', '\u{1f8ff}'),
    ('\u{1f90c}', '\u{1f93a}'),
    ('\u{1f93c}', '\u{1f945}'),
    ('\u{1f947}', '\u{1faff}'),
    ('\u{1fc00}', '\u{1fffd}'),];
