//! Measures the source tree: lines of each crate, the longest file, full folders, cycles between folders,
//! columns that are read by hand (`try_get`), and private jargon.

#![allow(clippy::print_stdout, reason = "a program that prints what it counted")]

use std::collections::BTreeMap;

use recall_kit_tests::source_tree::{Source, cycles, folders, sources};

/// The number of entries beyond which it is hard to find a file in a folder.
const MOST_ENTRIES: usize = 15;
/// Private jargon: these words mean nothing to a reader who does not know the code.
const WORDS: [&str; 10] = [
    "Faces", "reach", "shelf", "Shelf", "look", "told", "kept", "given", "Deed", "Sought",
];

fn main() {
    let sources = sources();
    let product: Vec<&Source> = sources.iter().filter(|it| it.is_product()).collect();
    print_packages(&product);
    if let Some(longest) = product.iter().max_by_key(|it| lines(it)) {
        println!("longest file: {} ({} lines)", longest.path, lines(longest));
    }
    println!("folders with more than {MOST_ENTRIES} entries:");
    for (folder, entries) in folders() {
        if entries > MOST_ENTRIES {
            println!("  {entries:3} {folder}");
        }
    }
    let cycles = cycles(&sources);
    println!("cycles between folders: {}", cycles.len());
    for cycle in cycles {
        println!("  {cycle}");
    }
    let columns = product.iter().map(|it| it.text.matches("try_get").count());
    println!("`try_get`: {}", columns.sum::<usize>());
    println!("files with a word of the private language:");
    for word in WORDS {
        println!(
            "  {:3} {word}",
            product.iter().filter(|it| has_word(it, word)).count()
        );
    }
}

fn print_packages(product: &[&Source]) {
    let mut packages: BTreeMap<&str, usize> = BTreeMap::new();
    for source in product {
        *packages.entry(source.package()).or_default() += lines(source);
    }
    println!("lines without tests, by crate:");
    for (package, lines) in &packages {
        println!("{lines:7} {package}");
    }
    println!("{:7} in all", packages.values().sum::<usize>());
}

fn lines(source: &Source) -> usize {
    source.text.lines().count()
}

fn has_word(source: &Source, word: &str) -> bool {
    let mut words = source
        .text
        .split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|it| it == word)
}
