//! Only callers who saw the current version can change an entry, and searches find the new content.

#![allow(clippy::unwrap_used)]

use recall_kit_fair_queue::flow::Voice;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_shared_types::knowledge::EntryType;
use recall_kit_store::Page;

use super::*;
use crate::{
    app::App,
    indexing::{
        labels::EntryFilter,
        popularity::{self, Exposure},
    },
    knowledge::entries::{EntryOrder, add, list, search},
    validation::{SearchInput, validate_search},
};

async fn app() -> (Arc<App>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    (App::open(settings).await.unwrap(), folder)
}

fn input(title: &str, project: Option<&str>) -> AddInput {
    AddInput {
        kind: Some(EntryType::Bug.to_string()),
        title: Some(title.to_owned()),
        content: Some("long ago".to_owned()),
        project: project.map(str::to_owned),
        ..AddInput::default()
    }
}

async fn added(app: &Arc<App>, title: &str) -> Ulid {
    let addition = validate_add(input(title, None)).unwrap();
    let added = add(&app.knowledge, &Caller::local(), addition)
        .await
        .unwrap();
    Ulid::from_string(&added.id).unwrap()
}

async fn found(app: &Arc<App>, query: &str) -> u64 {
    let input = SearchInput {
        query: Some(query.to_owned()),
        ..SearchInput::default()
    };
    let found = search(
        &app.knowledge,
        &Caller::local(),
        validate_search(input).unwrap(),
    )
    .await
    .unwrap();
    found.total
}

#[tokio::test]
async fn an_edited_entry_is_found_by_its_new_text_and_a_stale_edit_is_rejected() {
    let (app, _folder) = app().await;
    let id = added(&app, "Apricots rot").await;
    let version = inspect(&app.knowledge, &Caller::local(), id)
        .await
        .unwrap()
        .version();
    let edited = edit(
        &app.knowledge,
        &Caller::local(),
        (id, version),
        input("Blueberries rot", Some("shop")),
    )
    .await
    .unwrap();
    assert!(edited.version > version);
    assert_eq!(
        inspect(&app.knowledge, &Caller::local(), id)
            .await
            .unwrap()
            .version(),
        edited.version
    );
    assert_eq!(found(&app, "blueberries").await, 1);
    assert_eq!(found(&app, "apricots").await, 0);

    let late = edit(
        &app.knowledge,
        &Caller::local(),
        (id, version),
        input("Cherries rot", None),
    )
    .await;
    assert!(
        late.unwrap_err()
            .body()
            .message
            .contains("changed meanwhile")
    );
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let leaky = edit(
        &app.knowledge,
        &Caller::local(),
        (id, edited.version),
        input(&secret, None),
    )
    .await;
    assert!(matches!(leaky, Err(ServiceError::Invalid(_))));

    let shop = EntryFilter {
        project: Some("shop".to_owned()),
        status: Some(EntryStatus::Obsolete),
        ..EntryFilter::default()
    };
    let page = Page {
        offset: 0,
        limit: 5,
    };
    let listed = async || {
        list(
            &app.knowledge,
            &Caller::local(),
            &shop,
            EntryOrder::Newest,
            page,
        )
        .await
        .unwrap()
        .1
    };
    assert_eq!(listed().await, 0);
    let status = EntryStatus::Obsolete;
    let version = set_status(
        &app.knowledge,
        &Caller::local(),
        (id, Some(edited.version)),
        status,
    )
    .await;
    assert!(version.unwrap() > edited.version);
    assert_eq!(listed().await, 1);
}

#[tokio::test]
async fn entries_are_listed_in_every_order() {
    let (app, _folder) = app().await;
    let (one, two) = (added(&app, "One").await, added(&app, "Two").await);
    let three = added(&app, "Three").await;
    let voice = Voice::default();
    let popularity = &app.knowledge.records.popularity;
    popularity.count([two.into()], Exposure::Opened, voice, app.clock.now());
    popularity::flush(&app.knowledge.records).await.unwrap();
    popularity::refresh(&app.knowledge.records).await.unwrap();
    let check = async |order, page: (u64, u32), expected: &[Ulid]| {
        let (offset, limit) = page;
        let page = Page { offset, limit };
        let filter = EntryFilter::default();
        let (listed, total) = list(&app.knowledge, &Caller::local(), &filter, order, page)
            .await
            .unwrap();
        let listed: Vec<Ulid> = listed.iter().map(|brief| brief.id).collect();
        assert_eq!((listed.as_slice(), total), (expected, 3), "{order:?}");
    };
    check(EntryOrder::MostShown, (0, 1), &[two]).await;
    let mut by_age = [one, two, three];
    by_age.sort();
    check(EntryOrder::Oldest, (0, 9), &by_age).await;
    by_age.reverse();
    check(EntryOrder::Newest, (0, 9), &by_age).await;
    check(EntryOrder::Newest, (1, 1), &by_age[1..2]).await;
}
