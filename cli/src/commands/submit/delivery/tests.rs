//! The possible steps after each error.

use std::time::Duration;

use recall_kit_shared_types::{ErrorBody, ErrorCode};

use super::*;

#[test]
fn each_error_has_its_next_steps() {
    let check = |error: Error, unknown: bool, steps: &[NextStep]| {
        assert_eq!(error.leaves_unknown(), unknown, "{error}");
        assert_eq!(NextStep::after(&error, unknown), steps, "{error}");
    };
    let server = || "mcp://memory".to_owned();
    let refused = Box::new(ErrorBody::new(ErrorCode::InvalidTitle, ""));
    let failed = Box::new(ErrorBody::new(ErrorCode::DatabaseError, ""));
    let again = [NextStep::TryAgain, NextStep::Edit, NextStep::GiveUp];
    let changed = [NextStep::Edit, NextStep::GiveUp];
    let away = [
        NextStep::TryAgain,
        NextStep::Keep,
        NextStep::EditCopy,
        NextStep::GiveUp,
    ];
    check(Error::Validation(refused), false, &changed);
    // It stays in the outbox, too: the server may succeed later.
    check(Error::Server(failed), false, &away);
    for (status, steps) in [(413, &changed[..]), (400, &away[..])] {
        let server = server();
        check(Error::Rejected { server, status }, false, steps);
    }
    // Nothing is wrong with the text.
    let barred = [NextStep::TryAgain, NextStep::Keep, NextStep::GiveUp];
    let denied = Error::Denied {
        server: server(),
        status: 401,
    };
    check(denied, false, &barred);
    let program = "recall-kit-server".to_owned();
    check(Error::ProgramMissing { program }, false, &barred);
    for (code, steps) in [(-32602, &again[..]), (-32603, &away[..])] {
        let message = String::new();
        check(Error::Protocol { code, message }, false, steps);
    }
    check(
        Error::Timeout {
            server: server(),
            after: Duration::from_secs(5),
        },
        true,
        &away,
    );
    let unsent_steps = [
        NextStep::TryAgain,
        NextStep::Keep,
        NextStep::Edit,
        NextStep::GiveUp,
    ];
    for (unsent, steps) in [(false, &away), (true, &unsent_steps)] {
        let error = Error::Network {
            server: server(),
            reason: String::new(),
            attempts: 4,
            unsent,
        };
        check(error, !unsent, steps);
    }
    check(
        Error::Answer {
            server: server(),
            reason: String::new(),
        },
        true,
        &away,
    );
}
