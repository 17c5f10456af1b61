//! SentencePiece Unigram: a text becomes the sequence of pieces with the highest total score.
//!
//! Pieces never span white space, so each word is segmented on its own, and the work stops once enough ids are
//! known: the cost does not depend on the text after the longest input that the encoder accepts. Characters are
//! not composed here (`e` + accent stays two characters).

use super::model_file::{ModelError, ModelFile};

/// SentencePiece's symbol for the white space in front of a word.
const SPACE: &str = "\u{2581}";
/// How far the score of an unknown character is below that of the worst piece (SentencePiece's constant).
const UNKNOWN_PENALTY: f32 = 10.0;
/// An empty slot in the hash table.
const VACANT: u32 = u32::MAX;

/// Turns text into piece ids.
#[derive(Debug)]
pub(super) struct Tokenizer {
    blob: String,
    /// The start of each piece in the blob, and the blob's end.
    offsets: Vec<u32>,
    scores: Vec<f32>,
    /// Ids by the hash of their pieces, open addressing with linear probing.
    table: Vec<u32>,
    /// The length of the longest piece in bytes.
    longest: usize,
    unknown_score: f32,
    normalisation: Vec<(char, String)>,
    begin: u32,
    end: u32,
    unknown: u32,
}

/// The best segmentation of a word that ends at one of its bytes.
#[derive(Debug, Clone, Copy)]
struct Step {
    score: f32,
    start: usize,
    id: u32,
}

impl Tokenizer {
    /// Builds the piece table of a model file.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if the vocabulary is too large to index.
    pub(super) fn new(file: &ModelFile<'_>) -> Result<Self, ModelError> {
        let vocabulary = &file.vocabulary;
        let worst = vocabulary.scores.iter().copied().fold(0.0, f32::min);
        let [begin, end, _padding, unknown] = vocabulary.special;
        let slots = (vocabulary.pieces.len() * 2).next_power_of_two();
        let mut tokenizer = Self {
            blob: String::new(),
            offsets: vec![0],
            scores: vocabulary.scores.clone(),
            table: vec![VACANT; slots],
            longest: 0,
            unknown_score: worst - UNKNOWN_PENALTY,
            normalisation: file.normalisation.clone(),
            begin,
            end,
            unknown,
        };
        for (id, piece) in (0u32..).zip(&vocabulary.pieces) {
            tokenizer.blob.push_str(piece);
            let offset = u32::try_from(tokenizer.blob.len()).map_err(|_| ModelError::Damaged {
                detail: "vocabulary larger than 4 GiB".to_owned(),
            })?;
            tokenizer.offsets.push(offset);
            if !piece.is_empty() && !vocabulary.special.contains(&id) {
                tokenizer.insert(piece, id);
            }
        }
        Ok(tokenizer)
    }

    /// Returns the ids of a text between the two ids that mark its beginning and end, at most `limit` in all;
    /// the rest of the text is truncated.
    pub(super) fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let max_ids = limit.saturating_sub(1).max(1);
        let mut ids = vec![self.begin];
        if let Some(word) = self.read(text, max_ids, &mut ids) {
            self.segment(&word, &mut ids);
        }
        ids.truncate(max_ids);
        ids.push(self.end);
        ids
    }

    /// Counts the ids of a text, without those that mark its beginning and end, up to `limit`.
    pub(super) fn count(&self, text: &str, limit: usize) -> usize {
        let mut ids = Vec::new();
        match self.read(text, limit, &mut ids) {
            // However this word is segmented, it gives more ids than the limit.
            Some(_) => limit,
            None => ids.len().min(limit),
        }
    }

    /// Appends the ids of a text's words until there are `max_ids`. If a single word is so long that it alone
    /// exceeds this, its first part is returned instead.
    fn read(&self, text: &str, max_ids: usize, ids: &mut Vec<u32>) -> Option<String> {
        let longest_word = max_ids * self.longest + SPACE.len();
        let mut word = String::from(SPACE);
        for char in text.chars().chain([' ']) {
            for char in self.normalise(char, &mut [0; 4]).chars() {
                if char != ' ' {
                    word.push(char);
                } else if word.len() > SPACE.len() {
                    self.segment(&word, ids);
                    word.truncate(SPACE.len());
                }
            }
            if ids.len() >= max_ids {
                return None;
            }
            if word.len() > longest_word {
                return Some(word);
            }
        }
        None
    }

    fn normalise<'a>(&'a self, char: char, buffer: &'a mut [u8; 4]) -> &'a str {
        let place = self
            .normalisation
            .binary_search_by_key(&char, |entry| entry.0);
        match place.ok().and_then(|place| self.normalisation.get(place)) {
            Some((_, normal)) => normal,
            None => char.encode_utf8(buffer),
        }
    }

    /// Appends the ids of one word (Viterbi over the ends of its characters).
    fn segment(&self, word: &str, ids: &mut Vec<u32>) {
        let unreached = Step {
            score: f32::NEG_INFINITY,
            start: 0,
            id: self.unknown,
        };
        let mut steps = vec![unreached; word.len() + 1];
        if let Some(first) = steps.first_mut() {
            first.score = 0.0;
        }
        for (start, char) in word.char_indices() {
            let score = steps.get(start).map_or(f32::NEG_INFINITY, |s| s.score);
            let mut relax = |end: usize, id: u32, gain: f32| {
                if let Some(step) = steps.get_mut(end)
                    && score + gain > step.score
                {
                    let score = score + gain;
                    *step = Step { score, start, id };
                }
            };
            let mut hash = Hash::default();
            let tail = word.as_bytes().get(start..).unwrap_or_default();
            for (end, &byte) in (start + 1..).zip(tail).take(self.longest) {
                hash.add(byte);
                if let Some(piece) = word.get(start..end)
                    && let Some((id, gain)) = self.find(hash, piece)
                {
                    relax(end, id, gain);
                }
            }
            relax(start + char.len_utf8(), self.unknown, self.unknown_score);
        }
        let first = ids.len();
        let mut end = word.len();
        while end > 0 {
            let Some(step) = steps.get(end) else { break };
            ids.push(step.id);
            end = step.start;
        }
        if let Some(word) = ids.get_mut(first..) {
            word.reverse();
        }
    }

    fn insert(&mut self, piece: &str, id: u32) {
        self.longest = self.longest.max(piece.len());
        let mut hash = Hash::default();
        piece.bytes().for_each(|byte| hash.add(byte));
        let mask = self.table.len() - 1;
        let mut slot = hash.slot(mask);
        // Half the slots are vacant, so the search ends.
        while let Some(place) = self.table.get_mut(slot) {
            if *place == VACANT {
                *place = id;
                return;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn find(&self, hash: Hash, piece: &str) -> Option<(u32, f32)> {
        let mask = self.table.len() - 1;
        let mut slot = hash.slot(mask);
        loop {
            let id = *self.table.get(slot)?;
            if id == VACANT {
                return None;
            }
            if self.piece(id) == Some(piece) {
                return self.scores.get(id as usize).map(|&score| (id, score));
            }
            slot = (slot + 1) & mask;
        }
    }

    fn piece(&self, id: u32) -> Option<&str> {
        let from = *self.offsets.get(id as usize)?;
        let to = *self.offsets.get(id as usize + 1)?;
        self.blob.get(from as usize..to as usize)
    }
}

/// FNV-1a, 64 bits, of a piece to which bytes are added one at a time.
#[derive(Debug, Clone, Copy)]
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn slot(self, mask: usize) -> usize {
        (self.0 ^ (self.0 >> 32)) as usize & mask
    }
}
