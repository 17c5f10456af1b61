//! Every kernel is compared with reference vectors; damaged files; unusual texts.

#![allow(clippy::unwrap_used)]

use super::kernel::Kernel;
use super::{
    model_file::{BLOCK, BLOCK_BYTES},
    *,
};

static EMBEDDED: &[u8] = include_bytes!("../../models/multilingual-e5-small-q4.bin");

/// Texts with the ids and vectors that the original weights give (see `server/embed/models/README.md`).
const REFERENCE: &str = include_str!("../../models/reference.json");

#[derive(serde::Deserialize)]
struct Reference {
    text: String,
    ids: Vec<u32>,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    serde_json::from_str(REFERENCE).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn token_ids_equal_the_reference() {
    let file = ModelFile::parse(EMBEDDED).unwrap();
    let tokenizer = Tokenizer::new(&file).unwrap();
    for Reference { text, ids, .. } in references() {
        assert_eq!(tokenizer.encode(&text, 512), ids, "{text}");
        assert_eq!(tokenizer.count(&text, 510), ids.len() - 2, "{text}");
    }
}

#[test]
fn every_kernel_agrees_with_the_reference() {
    // All texts on the fastest kernel, some on the slower ones.
    for (kernel, step) in Kernel::available().into_iter().zip([1, 3, 3]) {
        let model = BuiltinModel::load_for(kernel, Cow::Borrowed(EMBEDDED)).unwrap();
        for Reference { text, vector, .. } in references().into_iter().step_by(step) {
            let found = model.embed(&text);
            assert_eq!(found.len(), 384);
            assert!((found.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
            let cosine = cosine(&found, &vector);
            assert!(cosine >= 0.9993, "{kernel:?}: {cosine} for {text}");
        }
    }
}

#[test]
fn kernels_agree_for_every_number_of_remaining_tokens() {
    let models: Vec<BuiltinModel> = Kernel::available()
        .into_iter()
        .map(|kernel| BuiltinModel::load_for(kernel, Cow::Borrowed(EMBEDDED)).unwrap())
        .collect();
    for words in 0..=6 {
        let text = ["tar"; 6][..words].join(" ");
        let mut vectors = models.iter().map(|model| model.embed(&text));
        let first = vectors.next().unwrap();
        for other in vectors {
            assert!(cosine(&first, &other) > 0.9995, "{words} words");
        }
    }
}

#[test]
fn long_and_unusual_texts_are_truncated_in_linear_time() {
    let file = ModelFile::parse(EMBEDDED).unwrap();
    let tokenizer = Tokenizer::new(&file).unwrap();
    let check = |text: &str, expected: usize| {
        let ids = tokenizer.encode(text, 512);
        assert_eq!(
            ids.len(),
            expected,
            "{}",
            text.chars().take(20).collect::<String>()
        );
        assert_eq!((ids.first(), ids.last()), (Some(&0), Some(&2)));
        // `count` counts as many without truncating.
        assert_eq!(tokenizer.count(text, 510), expected - 2);
    };
    check("", 2);
    check(" \t\n\u{3000}", 2);
    check("\u{1}\u{1b}\u{7f}", 2);
    check(&"word ".repeat(200_000), 512);
    check(&"压缩".repeat(300_000), 512);
    check(&"a".repeat(1_000_000), 512);
    check(&" ".repeat(1_000_000), 2);
    check(&"\u{1}".repeat(1_000_000), 2);
    check(&"\u{10ffff}".repeat(250_000), 512);
    // The ids do not depend on what is truncated.
    let ids = |text: &str| tokenizer.encode(text, 512);
    assert_eq!(
        ids(&"解压 tar ".repeat(400))[..511],
        ids(&"解压 tar ".repeat(4000))[..511]
    );
}

#[test]
fn word_embeddings_may_be_padded_with_rows_that_belong_to_no_piece() {
    const ADDED: usize = 35;
    let mut file = EMBEDDED.to_vec();
    let vocabulary = 24;
    let rows = u32::from_le_bytes(file[vocabulary..][..4].try_into().unwrap()) as usize + ADDED;
    file[vocabulary..][..4].copy_from_slice(&(rows as u32).to_le_bytes());
    // The directory's entry: name, type, elements, offset, bytes. The longer tensor is appended to the file.
    let name = b"\x08\0emb.word\x01";
    let at = file.windows(name.len()).position(|bytes| bytes == name);
    let at = at.unwrap() + name.len();
    let place =
        |file: &[u8], at: usize| u64::from_le_bytes(file[at..][..8].try_into().unwrap()) as usize;
    let (offset, length) = (place(&file, at + 4), place(&file, at + 12));
    let row = length / (rows - ADDED);
    let (new_offset, new_length) = (file.len(), length + ADDED * row);
    let mut words = file[offset..][..length].to_vec();
    words.resize(new_length, 0);
    file.extend(words);
    let elements = (rows * row / BLOCK_BYTES * BLOCK) as u32;
    file[at..][..4].copy_from_slice(&elements.to_le_bytes());
    file[at + 4..][..8].copy_from_slice(&(new_offset as u64).to_le_bytes());
    file[at + 12..][..8].copy_from_slice(&(new_length as u64).to_le_bytes());

    let text = "query: a padded file";
    let padded = BuiltinModel::load(Cow::Owned(file)).unwrap().embed(text);
    let unpadded = BuiltinModel::load(Cow::Borrowed(EMBEDDED)).unwrap();
    assert_eq!(padded, unpadded.embed(text));
}

#[test]
fn a_damaged_file_is_an_error() {
    let load = |bytes: Vec<u8>| BuiltinModel::load(Cow::Owned(bytes)).map(|_| ());
    let head = &EMBEDDED[..2_000_000];
    let with = |at: usize, bytes: &[u8]| {
        let mut file = head.to_vec();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    assert!(matches!(load(Vec::new()), Err(ModelError::Foreign)));
    assert!(matches!(
        load(b"GGUF\x03\0\0\0".to_vec()),
        Err(ModelError::Foreign)
    ));
    assert!(matches!(
        load(with(4, &[9])),
        Err(ModelError::Version { found: 9 })
    ));
    for length in [
        4, 7, 30, 67, 68, 5000, 800_000, 1_100_000, 1_460_000, 2_000_000,
    ] {
        let part = load(EMBEDDED[..length].to_vec());
        assert!(
            matches!(part, Err(ModelError::Truncated { .. })),
            "{length}: {part:?}"
        );
    }
    // Every field of the header, with an impossible value.
    for field in (8..60).step_by(4) {
        let result = load(with(field, &[0xff; 4]));
        assert!(result.is_err(), "field at {field}");
    }
    // Noise in the offsets, the pieces, the table and the directory.
    for at in [68 + 4000, 68 + 91_549 * 8 + 100, 1_405_000, 1_456_200] {
        assert!(load(with(at, &[0xff; 64])).is_err(), "noise at {at}");
    }
}
