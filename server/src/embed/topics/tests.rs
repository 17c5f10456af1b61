//! The stored vectors are those of the listed topics, and tell questions apart.

#![allow(clippy::unwrap_used)]

use super::{DIMENSIONS, VECTORS, nearest};
use crate::embed::{BuiltinEmbedder, Embedder as _};

#[tokio::test]
async fn the_vectors_are_those_of_the_list() {
    let listed: Vec<&str> = include_str!("../../../models/everyday-topics.txt")
        .lines()
        .collect();
    assert_eq!(listed.len(), VECTORS.len());
    let embedder = BuiltinEmbedder::new();
    for at in [0, listed.len() / 2, listed.len() - 1] {
        let made = embedder.embed_record(listed[at]).await.unwrap();
        let made = embedder.compared(&made);
        assert_eq!(VECTORS[at].len(), DIMENSIONS);
        let cosine: f32 = made.iter().zip(&VECTORS[at]).map(|(a, b)| a * b).sum();
        // Kernels round differently.
        assert!(cosine > 0.99, "{}: {cosine}", listed[at]);
    }
}

#[tokio::test]
async fn everyday_questions_are_nearer_than_technical_ones() {
    let embedder = BuiltinEmbedder::new();
    let near = async |text| {
        let query = embedder.embed_query(text).await.unwrap();
        nearest(&embedder.compared(&query))
    };
    for (everyday, technical) in [
        (
            "How long do potatoes have to boil?",
            "How long does a JWT stay valid?",
        ),
        (
            "Wie wird das Wetter am Wochenende?",
            "Wie lösche ich einen Zweig in Git?",
        ),
        ("周末去哪里旅游比较好？", "如何解决死锁问题？"),
    ] {
        let (everyday, technical) = (near(everyday).await, near(technical).await);
        assert!(everyday > 0.25 && technical < 0.2, "{everyday} {technical}");
    }
}
