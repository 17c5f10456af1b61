//! What every back end must do: one suite of assertions, run on each.

#![allow(clippy::unwrap_used)]

mod audit;
mod bridges;
mod changes;
mod cut_short;
mod duplicates;
mod experiences;
mod knowledge;
mod libraries;
mod moving;
mod people;
mod place;
mod questions;
mod together;
mod transfer;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use uuid::Uuid;

use self::place::Place;
use super::{
    ExperienceContent, NewCount, NewExperience, Store, StoreError, StoreOptions, open, rounded_time,
};

/// Makes a test of every assertion on every database.
macro_rules! on_every_database {
    ($($family:ident { $($assertion:ident)+ })+) => {
        mod on_sqlite {
            use super::{Place, $($family),+};
            $($(
                #[tokio::test]
                async fn $assertion() {
                    $family::$assertion(Place::sqlite()).await;
                }
            )+)+
        }

        #[cfg(unix)]
        mod on_postgres {
            use super::{Place, $($family),+};
            $($(
                #[tokio::test]
                async fn $assertion() {
                    $family::$assertion(Place::postgres()).await;
                }
            )+)+
        }
    };
}

on_every_database! {
    experiences {
        records_come_back_as_they_went_in_and_in_commit_order
        a_key_stores_once_and_refuses_other_content
        a_key_that_comes_to_two_servers_at_once_stores_once
        a_clock_that_is_wrong_for_a_while_makes_no_key_forgotten
        keys_past_their_lifetime_are_forgotten_beyond_a_number
        a_key_is_its_callers_own
        a_key_of_an_entry_is_its_callers_own
        concurrent_writers_leave_no_gap
        of_submits_that_come_together_each_stands_for_itself
        every_commit_changes_the_revision_where_there_is_one
        counts_add_up_and_tell_when
        vectors_belong_to_one_model
        keys_are_found_by_hash_and_their_names_are_unique_until_revoked
    }
    duplicates {
        the_same_is_stored_once_while_it_is_visible
        an_import_is_stored_whatever_it_says_and_known_from_then_on
        a_key_means_the_same_where_the_record_is_known
        of_many_who_submit_the_same_at_once_one_is_stored
        what_an_older_program_wrote_is_known
        what_was_there_before_is_hashed_a_batch_at_a_time
    }
    knowledge {
        entries_come_back_as_they_went_in_and_have_a_counter_of_their_own
        ids_are_found_by_their_beginning_and_accesses_add_up
        links_are_there_once_and_lead_in_no_circle
        a_suggestion_is_made_once_and_decided_about_once
        a_link_settles_the_suggestion_to_make_it
        generalisations_grow_until_they_are_decided_about
    }
    changes {
        a_change_is_a_new_version_at_a_new_place_in_commit_order
        only_a_later_version_overtakes
        what_is_hidden_or_deleted_is_not_found_until_it_comes_back
        of_two_who_edit_one_version_the_second_is_told
        lists_are_whole_in_every_order
        what_was_deleted_long_ago_is_removed_with_its_keys
        an_entry_holds_or_not_from_what_is_known_of_it
        a_vector_of_an_earlier_text_is_not_stored
        vectors_of_an_earlier_entry_are_not_stored
    }
    bridges {
        a_key_adds_once_and_brings_its_suggestions
        an_experience_is_promoted_once
        an_entry_changes_only_from_what_is_known_of_it
        what_is_exported_is_what_is_imported
        a_batch_goes_in_whole_or_not_at_all
        of_an_import_the_first_of_an_id_counts
    }
    libraries {
        chunks_come_back_as_they_went_in_and_have_a_counter_of_their_own
        a_version_takes_the_place_of_the_one_with_its_name_in_one_step
        what_is_left_of_replaced_documentation_is_purged
        files_are_shared_between_versions_until_the_last_one_goes
        a_library_goes_whole
        a_default_version_is_one_that_is_there
        what_belongs_to_no_version_is_discarded_by_name_or_by_age
        chunks_get_vectors_once_and_lose_them_with_their_file
        what_was_written_about_examples_is_kept_for_a_year_after_its_last_use
        examples_are_found_by_their_language_until_their_file_goes
        a_version_is_read_through_page_by_page
        a_library_has_its_name_in_any_case_and_keeps_every_character
    }
    questions {
        questions_of_several_servers_add_up
        questions_are_forgotten_by_age_and_beyond_a_number
        records_are_counted_by_the_day_and_by_what_helps
    }
    moving {
        api_keys_move_with_uses_and_revocations_and_are_never_let_in_again
        idempotency_keys_move_and_protect_where_they_come
        chunks_come_by_their_places_with_their_vectors
    }
    people {
        users_have_one_name_in_any_case_and_change_in_one_step
        the_first_administrator_is_one_and_the_last_one_stays
        sessions_are_found_by_hash_and_bounded_and_end
        a_change_ends_the_sessions_that_are_not_to_go_on
        who_did_what_is_listed_from_the_newest_and_bounded
        users_and_what_was_done_move_once
    }
    audit {
        a_change_and_its_line_are_stored_together
        a_change_that_is_given_up_has_its_line_or_did_not_happen
    }
    cut_short {
        what_is_written_after_a_call_was_given_up_is_kept
        no_transaction_stays_open_when_a_call_was_given_up
    }
    together {
        of_links_made_at_once_none_closes_a_circle_and_no_count_is_lost
        no_file_goes_while_a_version_is_published_that_has_it
    }
    transfer {
        imported_records_come_back_whole_and_in_the_order_of_their_ids
        an_import_changes_nothing_that_is_there_and_leaves_no_gap
    }
}

const MODEL: &str = "model-a";

fn content(title: &str) -> ExperienceContent {
    ExperienceContent {
        title: title.to_owned(),
        problem_description: "it breaks \u{0} here".to_owned(),
        root_cause: None,
        solution: "mend it 🛠".to_owned(),
        context: Some(String::new()),
        keywords: vec!["a b".to_owned(), "\"quoted\"".to_owned()],
    }
}

/// Counts, each of which makes its record more popular by ten times as much.
fn new_counts(counts: impl IntoIterator<Item = (Uuid, u64)>) -> Vec<NewCount> {
    let counts = counts.into_iter().map(|(id, count)| NewCount {
        id,
        count,
        popularity: 10 * count,
    });
    counts.collect()
}

fn new(title: &str) -> NewExperience {
    NewExperience {
        id: Uuid::now_v7(),
        content: content(title),
        vector: None,
        created_at: Timestamp::from_nanosecond(1_700_000_000_123_456_789).unwrap(),
        idempotency: None,
    }
}

/// A client whose commit was not confirmed repeats the write; SQLite always confirms.
#[cfg(unix)]
#[tokio::test]
async fn postgres_recognises_a_commit_whose_answer_was_lost() {
    let place = Place::postgres();
    let store = place.open().await;
    let record = new("once");
    let mut entry = knowledge::new_entry(1);
    entry.created_at = record.created_at;
    for _ in 0..2 {
        let stored = store.insert_experience(record.clone()).await.unwrap();
        assert_eq!((stored.id, stored.is_known), (record.id, false));
        let stored = store.insert_entry(entry.clone()).await.unwrap();
        assert_eq!(stored, entry.id);
    }
    assert_eq!(store.head_seq_and_size().await.unwrap(), (1, 1));
    assert_eq!(store.entry_head_seq_and_size().await.unwrap(), (1, 1));
    let other = NewExperience {
        content: content("other"),
        ..record
    };
    let refused = store.insert_experience(other).await;
    assert!(
        matches!(refused, Err(StoreError::Database(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn foreign_addresses_and_files_are_refused_without_credentials() {
    let word = ["hush", "hush"].concat();
    let refused = open(&StoreOptions::new(
        format!("mysql://me:{word}@db.example/x"),
        Duration::from_secs(1),
    ))
    .await;
    let message = refused.err().unwrap().to_string();
    assert!(
        message.contains("mysql://db.example/x") && !message.contains(&word),
        "{message}"
    );

    for address in ["sqlite:", "sqlite:x.db?mode=ro", "x.db"] {
        let refused = open(&StoreOptions::new(address, Duration::from_secs(1))).await;
        assert!(matches!(refused, Err(StoreError::Address(_))), "{address}");
    }

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(
        &path,
        "not a database, but long enough to be looked at\n".repeat(100),
    )
    .unwrap();
    let url = format!("sqlite:{}", path.display());
    assert!(matches!(
        open(&StoreOptions::new(url.as_str(), Duration::from_secs(1))).await,
        Err(StoreError::Database(_))
    ));
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .starts_with("not a database"),
        "left alone"
    );
}
