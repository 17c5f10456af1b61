//! A generated corpus that behaves like a real one: words distributed by Zipf's law in English, French and
//! Chinese, and embeddings in clusters. It is the same in every run.

use recall_kit_search::{Row, Text, quantize};
use uuid::Uuid;

/// The number of dimensions of an embedding.
pub const DIMENSIONS: usize = 384;
/// The time of the measurement, in seconds since 1970.
pub const NOW: i64 = 1_800_000_000;

/// The number of distinct words of each language.
const WORDS: usize = 200_000;
/// The number of words of a title and of a whole record.
const TITLE_WORDS: usize = 7;
const RECORD_WORDS: usize = 60;
/// The number of topics around which embeddings cluster.
const CLUSTERS: usize = 500;

const ENGLISH: &str = "the to of a in is and for it on that with this not be as when you are from \
    by or if but an at we was can so error build file server run test code function type value";
const FRENCH: &str = "de la le et les des en un une est que pour dans qui sur pas plus par au ce \
    avec il erreur fichier serveur fonction valeur type code commande projet";

/// A pseudo-random number generator (splitmix64).
pub struct Sequence(pub u64);

impl Sequence {
    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.draw() % end.max(1) as u64) as usize
    }

    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a roughly normal number with mean 0 and standard deviation 1.
    fn normal(&mut self) -> f32 {
        let bits = self.draw();
        let parts = [bits, bits >> 16, bits >> 32, bits >> 48];
        let sum: f32 = parts.iter().map(|part| (part & 0xFFFF) as f32).sum();
        (sum / 65_535.0 - 2.0) * 1.73
    }
}

/// Generates records one after the other.
pub struct Corpus {
    sequence: Sequence,
    languages: [Vec<String>; 3],
    clusters: Vec<Vec<f32>>,
    made: u64,
}

impl Corpus {
    /// Starts a corpus, which is the same every time.
    #[allow(clippy::new_without_default, reason = "making one takes a while")]
    pub fn new() -> Self {
        let mut sequence = Sequence(7);
        let clusters = (0..CLUSTERS)
            .map(|_| (0..DIMENSIONS).map(|_| sequence.normal()).collect())
            .collect();
        Self {
            languages: [
                spaced_words(ENGLISH, "bcdfghklmnprstvw"),
                spaced_words(FRENCH, "bcdfgjlmnpqrstvz"),
                (0..WORDS).map(han_word).collect(),
            ],
            sequence,
            clusters,
            made: 0,
        }
    }

    /// Generates the next record, with a vector.
    pub fn record(&mut self) -> (Row, Text) {
        self.made += 1;
        let (row, embedding) = (self.made, self.embedding());
        let language = match self.sequence.below(20) {
            0..14 => 0,
            14..17 => 1,
            _ => 2,
        };
        let text = Text {
            title: self.words(language, TITLE_WORDS),
            keywords: self.words(language, 3),
            body: self.words(language, RECORD_WORDS - TITLE_WORDS - 3),
        };
        let popularity = (self.sequence.below(1_000) / (1 + self.sequence.below(1_000))) as u64;
        let row = Row {
            seq: row,
            id: Uuid::from_u64_pair(row << 20, self.sequence.draw()),
            created_at: NOW - self.sequence.below(400 * 86_400) as i64,
            query_count: popularity,
            popularity,
            vector: Some(quantize(&[embedding])),
            language: Default::default(),
            is_gone: false,
        };
        (row, text)
    }

    /// Returns an L2-normalised embedding near a topic.
    pub fn embedding(&mut self) -> Vec<f32> {
        let cluster = self.sequence.below(self.clusters.len());
        let centre = self.clusters.get(cluster).map_or(&[][..], Vec::as_slice);
        // All have a component in a common direction, as the embeddings of real models do.
        let raw: Vec<f32> = centre
            .iter()
            .map(|x| 1.9 + 0.5 * x + 0.8 * self.sequence.normal())
            .collect();
        let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
        raw.iter().map(|x| x / norm).collect()
    }

    /// Returns a query of 1–5 words of one record, either as frequent as the record's words are, or rare.
    pub fn query(&mut self) -> String {
        let (_, text) = self.record();
        let mut words: Vec<&str> = text.title.split(' ').chain(text.body.split(' ')).collect();
        let count = 1 + self.sequence.below(5);
        let mut picked = Vec::new();
        for _ in 0..count {
            // Words generated from a high rank are long, and rare.
            words.sort_by_key(|word| std::cmp::Reverse(word.len()));
            let among = if self.sequence.below(2) == 0 {
                15
            } else {
                words.len()
            };
            picked.push(words.remove(self.sequence.below(among)));
        }
        picked.dedup();
        picked.join(" ")
    }

    fn words(&mut self, language: usize, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            // Zipf's law: the logarithm of the rank is uniformly distributed.
            let rank = (WORDS as f64).powf(self.sequence.share()) as usize - 1;
            let words = self.languages.get(language).map_or(&[][..], Vec::as_slice);
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(words.get(rank).map_or("", String::as_str));
        }
        text
    }
}

/// Returns words of a language with spaces by rank: real words first, then words generated from syllables.
fn spaced_words(frequent: &str, consonants: &str) -> Vec<String> {
    let consonants: Vec<char> = consonants.chars().collect();
    let syllables: Vec<String> = consonants
        .iter()
        .flat_map(|c| "aeiou".chars().map(move |v| format!("{c}{v}")))
        .collect();
    let made_up = (syllables.len()..).map(|mut number| {
        let mut word = String::new();
        while number > 0 {
            word.push_str(
                syllables
                    .get(number % syllables.len())
                    .map_or("", String::as_str),
            );
            number /= syllables.len();
        }
        word
    });
    let frequent = frequent.split_whitespace().map(str::to_owned);
    frequent.chain(made_up).take(WORDS).collect()
}

/// Returns a word of two Han characters for a rank.
fn han_word(rank: usize) -> String {
    let character = |number: usize| {
        let code = 0x4E00 + u32::try_from(number % 3_000).unwrap_or(0);
        char::from_u32(code).unwrap_or('中')
    };
    [character(rank * 7), character(rank * 7 / 3_000 + rank % 11)]
        .iter()
        .collect()
}
