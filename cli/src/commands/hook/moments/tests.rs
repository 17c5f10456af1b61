//! What is used up if nothing can be said or the server does not answer, and what the user is told at the end of a
//! turn.

use std::{fs, net};

use recall_kit_client::ServerConfig;
use tokio::net::TcpListener;

use super::{
    super::{session::Store, session_state::now_ms},
    *,
};
use crate::hosts;

const ERROR: &str = "error[E0502]: cannot borrow `list` as mutable";
const MANY: usize = 10_000;

/// What a hook of a host is told in a session, with a server that never answers.
struct Setting {
    folder: tempfile::TempDir,
    listener: net::TcpListener,
    global: GlobalArgs,
    outcomes: OutcomesMode,
}

impl Setting {
    fn new() -> Self {
        let listener = net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("it can be set");
        let address = listener.local_addr().expect("it is bound");
        Self {
            folder: tempfile::tempdir().expect("a folder can be made"),
            listener,
            global: GlobalArgs {
                config: None,
                server: Some(format!("http://{address}/mcp")),
                json: false,
                quiet: false,
                verbose: 0,
            },
            outcomes: OutcomesMode::Observe,
        }
    }

    fn event(&self, name: &str, call: &str, moment: Moment) -> Event {
        Event {
            name: name.to_owned(),
            session: Some("s".to_owned()),
            folder: Some(self.folder.path().to_owned()),
            call: Some(call.to_owned()),
            moment,
        }
    }

    fn hooked<'a>(&'a self, host: &'static Host, event: &'a Event) -> Hooked<'a> {
        let store = Store::open(self.folder.path().join("hooks")).expect("it can be made");
        let state = SessionState::new(store, "s".to_owned(), now_ms());
        let url = self.global.server.clone().unwrap_or_default();
        Hooked {
            global: &self.global,
            host,
            config: ClientConfig {
                server: ServerConfig {
                    url,
                    ..ServerConfig::default()
                },
                outcomes: self.outcomes,
                ..ClientConfig::default()
            },
            event,
            call: state.hasher().hash(&call(event)),
            state,
        }
    }

    /// Handles an event until the server is asked, and then drops it, as the deadline does.
    async fn cut(&self, hooked: &Hooked<'_>) -> Option<Answer> {
        let listener = self.listener.try_clone().expect("it can be cloned");
        let listener = TcpListener::from_std(listener).expect("it does not block");
        let mut reports = Reports::default();
        tokio::select! {
            said = hooked.handle(&mut reports) => said,
            _ = listener.accept() => None,
        }
    }

    fn is_asked(&self) -> bool {
        self.listener.accept().is_ok()
    }
}

/// Returns the time in seconds since 1970.
fn now() -> i64 {
    now_ms().div_euclid(1000)
}

/// Returns how many tokens a recall for this error may use.
fn left(hooked: &Hooked<'_>, error: Option<Hash>) -> Option<usize> {
    let begun = hooked
        .state
        .update(|session| session.begin(1, error, MANY, MANY, now()));
    begun.expect("the state can be used")
}

#[tokio::test]
async fn a_host_that_takes_no_context_uses_nothing_up() {
    let failed = || {
        Moment::Command(Ran {
            line: "cargo test".to_owned(),
            output: ERROR.to_owned(),
            status: hosts::Status::Failed,
        })
    };
    let prompt = || Moment::Prompt(ERROR.to_owned());
    for (host, name, moment) in [
        (&hosts::CURSOR, "UserPromptSubmit", prompt()),
        (&hosts::COPILOT, "userPromptSubmitted", prompt()),
        (&hosts::WINDSURF, "post_run_command", failed()),
        (&hosts::WINDSURF, "start", Moment::Start),
    ] {
        let setting = Setting::new();
        fs::write(setting.folder.path().join("go.mod"), GO_MOD).expect("it is writable");
        let event = setting.event(name, "1", moment);
        let hooked = setting.hooked(host, &event);
        let mut reports = Reports::default();
        assert_eq!(hooked.handle(&mut reports).await, None, "{}", host.name);
        assert!(!setting.is_asked(), "{} {name}", host.name);
        let error = failure::in_prompt(ERROR)
            .expect("it is an error")
            .fingerprint;
        let error = hooked.state.hasher().hash(&error);
        assert_eq!(left(&hooked, Some(error)), Some(MANY), "{}", host.name);
        let learned = hooked.state.update(|session| session.known().len());
        let is_start = event.moment == Moment::Start;
        assert_eq!(learned == Some(0), is_start, "{} {name}", host.name);
    }
    // Another host takes it.
    let setting = Setting::new();
    let event = setting.event("UserPromptSubmit", "1", prompt());
    let hooked = setting.hooked(&hosts::CLAUDE_CODE, &event);
    let mut reports = Reports::default();
    assert_eq!(hooked.handle(&mut reports).await, None);
    assert!(setting.is_asked());
}

const GO_MOD: &str = "module example.org/shop\n\nrequire github.com/spf13/cobra v1.8.0\n";

#[tokio::test]
async fn a_hook_whose_time_is_up_uses_nothing_up() {
    let setting = Setting::new();
    fs::write(setting.folder.path().join("go.mod"), GO_MOD).expect("it is writable");
    let started = setting.event("SessionStart", "1", Moment::Start);
    let asked = setting.event("UserPromptSubmit", "2", Moment::Prompt(ERROR.to_owned()));
    for (event, is_new_again) in [(started, true), (asked, false)] {
        let hooked = setting.hooked(&hosts::CLAUDE_CODE, &event);
        assert_eq!(setting.cut(&hooked).await, None);
        assert_eq!(left(&hooked, None), Some(MANY), "{event:?}");
        let is_new = hooked.state.update(|session| {
            session.cancel(1);
            session.is_new(hooked.call, true, now())
        });
        assert_eq!(is_new, Some(is_new_again), "{event:?}");
    }
}

#[tokio::test]
async fn the_user_is_asked_once_also_after_the_hint_to_share() {
    let mut setting = Setting::new();
    let mut told = Vec::new();
    for (call, outcomes) in [
        ("1", OutcomesMode::Observe),
        ("2", OutcomesMode::Ask),
        ("3", OutcomesMode::Ask),
    ] {
        setting.outcomes = outcomes;
        let event = setting.event("Stop", call, Moment::Stop(None));
        let hooked = setting.hooked(&hosts::CLAUDE_CODE, &event);
        hooked.state.update(|session| {
            session.solved = 1;
            session.asked_about = Some("an-id".to_owned());
        });
        let mut reports = Reports::default();
        told.push(hooked.handle(&mut reports).await);
    }
    let words = Words::from_locale().agents;
    let ask = filled(words.ask_outcome, &[&"an-id"]);
    let expected = [Some(words.share.to_owned()), Some(ask), None];
    assert_eq!(told, expected.map(|text| text.map(Answer::Message)));
}
