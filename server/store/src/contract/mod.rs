//! The behaviour that every back end must have: one suite of tests, run on each.

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
mod recalls;
mod together;
mod transfer;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use recall_kit_shared_types::applicability::Applies;
use uuid::Uuid;

use self::{
    experiences::{applicability, many_outcomes, outcomes},
    place::TestDatabase,
};
use super::{
    ExperienceContent, NewCount, NewExperience, Store, StoreError, StoreOptions, open, rounded_time,
};

/// Defines every test for every database.
macro_rules! on_every_database {
    ($($module:ident { $($test:ident)+ })+) => {
        mod on_sqlite {
            use super::{TestDatabase, $($module),+};
            $($(
                #[tokio::test]
                async fn $test() {
                    $module::$test(TestDatabase::sqlite()).await;
                }
            )+)+
        }

        #[cfg(unix)]
        mod on_postgres {
            use super::{TestDatabase, $($module),+};
            $($(
                #[tokio::test]
                async fn $test() {
                    $module::$test(TestDatabase::postgres()).await;
                }
            )+)+
        }
    };
}

on_every_database! {
    experiences {
        records_are_read_back_unchanged_in_commit_order
        an_idempotency_key_stores_once_and_refuses_other_content
        an_idempotency_key_used_on_two_servers_at_once_stores_once
        a_clock_that_is_ahead_for_a_while_removes_no_idempotency_keys
        only_expired_idempotency_keys_beyond_a_minimum_number_are_removed
        idempotency_keys_of_experiences_are_scoped_to_their_caller
        idempotency_keys_of_entries_are_scoped_to_their_caller
        concurrent_writers_leave_no_gap_in_seq
        concurrent_submissions_succeed_and_fail_independently
        every_commit_changes_the_revision_if_there_is_one
        counts_add_up_and_are_listed_since_a_point_in_time
        vectors_belong_to_one_model
        api_keys_are_found_by_hash_and_their_names_are_unique_until_revoked
    }
    duplicates {
        the_same_content_is_stored_once_while_it_is_visible
        an_imported_duplicate_is_stored_and_recognised_afterwards
        idempotency_keys_work_for_submissions_of_known_records
        of_concurrent_submissions_of_the_same_content_one_is_stored
        records_written_by_an_older_program_are_recognised_as_duplicates
        existing_records_are_hashed_in_batches
    }
    knowledge {
        entries_are_read_back_unchanged_and_have_their_own_seq
        entries_are_found_by_id_prefix_and_access_counts_add_up
        duplicate_links_and_cycles_are_refused
        a_link_is_suggested_once_and_decided_once
        creating_a_link_accepts_its_suggestion
        a_generalisation_is_updated_until_it_is_decided
    }
    changes {
        a_change_increments_the_version_and_takes_the_next_seq
        only_a_later_version_replaces_a_record
        hidden_and_deleted_records_are_not_found_until_they_are_restored
        of_two_concurrent_edits_of_one_version_the_second_is_refused
        lists_are_complete_in_every_order
        records_deleted_long_ago_are_purged_with_their_idempotency_keys
        the_status_of_an_entry_changes_only_at_the_known_version
        a_vector_of_an_earlier_text_is_not_stored
        vectors_of_an_earlier_version_of_an_entry_are_not_stored
    }
    bridges {
        an_idempotency_key_adds_an_entry_and_its_suggestions_once
        an_experience_is_promoted_once
        an_entry_is_updated_only_at_the_known_version
        an_import_restores_what_was_exported
        a_batch_is_stored_completely_or_not_at_all
        an_import_stores_the_first_of_several_entries_with_the_same_id
    }
    libraries {
        chunks_are_read_back_unchanged_and_have_their_own_seq
        publishing_a_version_replaces_the_one_with_its_name_atomically
        rows_of_replaced_chunks_are_purged
        a_file_is_shared_by_versions_until_the_last_one_is_removed
        a_library_is_removed_with_all_its_versions
        the_default_version_always_exists
        files_without_a_version_are_discarded_by_id_or_by_age
        chunks_get_vectors_once_and_lose_them_with_their_file
        example_texts_are_kept_for_a_year_after_their_last_use
        examples_are_found_by_language_until_their_file_is_removed
        the_chunks_of_a_version_are_read_page_by_page
        library_names_ignore_ascii_case_and_texts_keep_every_character
    }
    outcomes {
        an_outcome_and_its_standing_are_stored_together
        a_repeated_report_is_stored_once
        a_voice_reports_so_often_a_day_and_not_more
        reports_without_weight_are_stored_once_a_day
        reports_from_the_future_use_up_no_reports_of_today
        without_its_audit_record_an_outcome_is_not_stored
        standings_are_read_by_revision_whatever_the_clocks_say
        concurrent_reports_are_all_in_the_standing
        edits_and_reports_at_the_same_time_do_not_wait_for_each_other
        a_change_of_the_solution_halves_the_voices_before_it
        hidden_and_deleted_experiences_take_no_outcomes
        agreement_with_others_is_counted_by_experience
    }
    many_outcomes {
        many_outcomes_add_up_as_few_do
        a_clock_that_was_ahead_does_not_make_other_reports_old
        interleaved_outcomes_are_imported_as_they_were_reported
        moved_keys_of_outcomes_keep_them_from_being_stored_twice
        imported_outcomes_result_in_the_same_standing
    }
    applicability {
        texts_are_read_once_and_again_after_an_edit
        outcomes_show_with_which_versions_it_worked
    }
    recalls {
        episodes_are_stored_once_and_summed_up
        recalls_are_removed_by_age_and_beyond_a_maximum
    }
    questions {
        questions_of_several_servers_add_up
        questions_are_removed_by_age_and_beyond_a_maximum
        growth_is_counted_by_day_and_used_records_are_listed
    }
    moving {
        moved_api_keys_keep_their_last_use_and_stay_revoked
        moved_idempotency_keys_protect_the_target_database
        chunks_are_exported_by_position_with_their_vectors
    }
    people {
        user_names_ignore_case_and_a_change_is_atomic
        there_is_one_first_administrator_and_the_last_one_stays
        sessions_are_found_by_hash_limited_in_number_and_ended
        changing_the_password_or_disabling_a_user_ends_sessions
        the_audit_list_is_read_from_the_newest_and_limited_in_size
        users_and_audit_records_are_imported_once
    }
    audit {
        a_change_and_its_audit_record_are_stored_together
        a_cancelled_change_has_an_audit_record_or_did_not_happen
    }
    cut_short {
        writes_after_a_cancelled_call_are_kept
        a_cancelled_call_leaves_no_open_transaction
    }
    together {
        concurrent_links_close_no_cycle_and_no_count_is_lost
        a_file_is_not_removed_while_a_version_with_it_is_published
    }
    transfer {
        imported_records_are_read_back_unchanged_in_the_order_of_their_ids
        an_import_changes_no_existing_record_and_leaves_no_gap_in_seq
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
        applies: Some(vec![Applies {
            purl: Some("pkg:npm/react".to_owned()),
            ..Applies::default()
        }]),
    }
}

/// Returns counts; each adds ten times as much to the popularity.
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
        author: None,
    }
}

/// A caller repeats a write whose commit was not confirmed; in SQLite every commit is confirmed.
#[cfg(unix)]
#[tokio::test]
async fn postgres_recognises_a_commit_whose_answer_was_lost() {
    let database = TestDatabase::postgres();
    let store = database.open().await;
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
async fn unsupported_addresses_and_foreign_files_are_refused_without_showing_credentials() {
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
        "not a database, but long enough to be read\n".repeat(100),
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
        "the file is not changed"
    );
}
