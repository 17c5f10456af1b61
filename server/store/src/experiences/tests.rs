//! The effect of a change on a record's state: a new version, or no change.

#![allow(clippy::unwrap_used)]

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn changed(state: &ExperienceState, change: ExperienceChange) -> Result<Option<ExperienceState>> {
    state.changed(&ChangedExperience {
        id: Uuid::nil(),
        expected: Some(state.version),
        change,
        now: at(7),
        event: None,
    })
}

#[test]
fn only_a_change_with_an_effect_increments_the_version() {
    let new = ExperienceState::default();
    let hidden = changed(&new, ExperienceChange::Hide).unwrap().unwrap();
    assert_eq!(hidden.standing(), Standing::Hidden);
    assert_eq!((hidden.version, hidden.hidden_at), (2, Some(at(7))));
    assert_eq!(changed(&hidden, ExperienceChange::Hide).unwrap(), None);
    assert_eq!(changed(&new, ExperienceChange::Unhide).unwrap(), None);
    assert_eq!(changed(&new, ExperienceChange::Restore).unwrap(), None);
    let deleted = changed(&hidden, ExperienceChange::Delete).unwrap().unwrap();
    assert_eq!(deleted.standing(), Standing::Deleted);
    assert_eq!(changed(&deleted, ExperienceChange::Delete).unwrap(), None);
    let restored = changed(&deleted, ExperienceChange::Restore).unwrap();
    let restored = restored.unwrap();
    assert_eq!(
        (restored.version, restored.standing()),
        (4, Standing::Hidden)
    );
    let edit = ExperienceChange::Edit {
        content: Box::default(),
        vector: None,
    };
    let edited = changed(&new, edit.clone()).unwrap().unwrap();
    assert_eq!((edited.version, edited.changed_at), (2, Some(at(7))));
    for change in [edit, ExperienceChange::Hide, ExperienceChange::Unhide] {
        let refused = changed(&deleted, change);
        assert!(matches!(refused, Err(StoreError::ExperienceDeleted(_))));
    }
}
