//! Generated records.

use recall_kit_store::ExperienceContent;

/// The words of generated records; a few frequent, many rare, as in real text.
const WORDS: [&str; 24] = [
    "error", "build", "fails", "docker", "timeout", "cache", "module", "version", "update",
    "network", "thread", "panic", "lifetime", "borrow", "index", "query", "token", "proxy",
    "memory", "socket", "parser", "schema", "render", "deploy",
];

/// A pseudo-random sequence, which is the same in every run.
pub struct Sequence(pub u64);

impl Sequence {
    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns mostly small numbers, and a large one now and then.
    fn skewed(&mut self, bound: u64) -> u64 {
        let (a, b) = (self.draw() % bound, self.draw() % bound);
        a.min(b)
    }

    /// Returns this many words, separated by spaces.
    pub fn words(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let word = WORDS[self.skewed(WORDS.len() as u64) as usize];
            let number = self.skewed(2_000);
            text.push_str(&if number < 400 {
                format!("{word} ")
            } else {
                format!("{word}{number} ")
            });
        }
        text
    }
}

/// Generates the content of one record.
pub fn content(sequence: &mut Sequence) -> ExperienceContent {
    ExperienceContent {
        title: sequence.words(8),
        problem_description: sequence.words(25),
        root_cause: Some(sequence.words(15)),
        solution: sequence.words(25),
        context: None,
        keywords: vec!["rust".to_owned(), "build".to_owned()],
        applies: None,
    }
}
