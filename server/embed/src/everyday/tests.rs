//! Everyday questions are distinguished from technical ones in several languages; a damaged file is rejected.

#![allow(clippy::unwrap_used)]

use super::{CLASSIFIER, excess, parse};
use crate::{BuiltinEmbedder, Embedder as _};

#[tokio::test]
async fn everyday_questions_are_distinguished_from_technical_ones() {
    let embedder = BuiltinEmbedder::new();
    let excess = async |text| {
        let query = embedder.embed_query(text).await.unwrap();
        excess(&embedder.compared(&query))
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
        (
            "¿Qué regalo le hago a mi abuela?",
            "Extraer un archivo de un contenedor",
        ),
    ] {
        let (everyday, technical) = (excess(everyday).await, excess(technical).await);
        assert!(everyday > 0.5, "{everyday}");
        assert_eq!(technical, 0.0);
    }
}

#[test]
fn a_damaged_classifier_is_rejected() {
    assert!(parse(CLASSIFIER).is_some());
    let mut damaged = CLASSIFIER.to_vec();
    damaged[100] ^= 1;
    assert!(parse(&damaged).is_none());
    assert!(parse(&CLASSIFIER[..CLASSIFIER.len() - 4]).is_none());
    assert!(parse(&[]).is_none());
}
