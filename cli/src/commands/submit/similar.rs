//! Tells the user, before the yes, which stored experiences a draft resembles.

use recall_kit_client::{FormattedExperience, SanitizedDraft, Servers, short_ids};

use crate::{
    terminal::controls::visible,
    words::{Words, filled},
};

/// Returns a line for each experience that a draft resembles: its title, how close it is, and the beginning of its
/// id. There is none if the server does not answer soon.
pub(crate) async fn remarks(
    servers: &Servers,
    draft: &SanitizedDraft,
    words: &Words,
) -> Vec<String> {
    lines(&servers.similar(draft).await, words)
}

fn lines(similar: &[FormattedExperience], words: &Words) -> Vec<String> {
    let ids: Vec<&str> = similar.iter().map(|it| it.id.as_str()).collect();
    let line = |(experience, id): (&FormattedExperience, &str)| {
        let relevance = experience.relevance;
        let closeness = words.results.closeness(relevance);
        let (title, id) = (visible(&experience.title), visible(id));
        let relevance = format!("{relevance:.2}");
        filled(
            words.reading.resembles,
            &[&title, &relevance, &closeness, &id],
        )
    };
    similar.iter().zip(short_ids(&ids)).map(line).collect()
}
