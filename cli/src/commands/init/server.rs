//! Asks where the memory is, checks the server, and asks for its key if it requires one.

use std::time::Duration;

use recall_kit_client::{
    ApiKey, ClientConfig, Error, KEYS_HINT, KeyPlace, LOCAL_SERVER_URL, RecallKitClient,
    ServerDescription, ServerKeys, ServerUrl,
};
use recall_kit_shared_types::ToolName;

use crate::{
    diagnostics::{self, Complaint},
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{GREEN, Printer, styled},
        prompt,
    },
    words::{Words, filled},
};

/// How long a server under another address than the typed one may take to answer.
const GUESS_TIMEOUT: Duration = Duration::from_secs(2);
const MCP_PATH: &str = "/mcp";

/// The server that the user chose.
#[derive(Debug)]
pub(in crate::commands) struct Settled {
    pub(super) url: String,
    /// Whether it answered, or is the program on this machine.
    pub(super) is_usable: bool,
    /// A new key, which is not stored yet.
    key: Option<ApiKey>,
}

/// The key that a server is sent.
#[derive(Clone, Copy)]
enum Key<'a> {
    None,
    /// The one that is stored for it.
    Stored,
    New(&'a ApiKey),
}

/// The answer of a server.
enum Answer {
    Works(ServerDescription, Duration),
    NeedsKey,
    Failed(Error),
}

impl Settled {
    pub(super) fn local() -> Self {
        Self::known(LOCAL_SERVER_URL.to_owned(), true)
    }

    /// Returns a server that the user named and nobody checked.
    pub(super) fn unchecked(url: String) -> Self {
        Self::known(url, true)
    }

    fn known(url: String, is_usable: bool) -> Self {
        Self {
            url,
            is_usable,
            key: None,
        }
    }

    /// Returns a server with a key that nobody checked.
    pub(in crate::commands) fn with_key(url: String, key: ApiKey) -> Self {
        Self {
            key: Some(key),
            ..Self::unchecked(url)
        }
    }

    /// Stores the new key, and says and returns where; `None` if there is no new one.
    pub(in crate::commands) async fn keep_key(
        &self,
        printer: &Printer,
    ) -> anyhow::Result<Option<KeyPlace>> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let keys = ServerKeys::of_user().ok_or_else(|| Complaint::Failed {
            message: "this system has no folder for configurations".to_owned(),
            hint: "set HOME",
        })?;
        let server: ServerUrl = self.url.parse().map_err(Error::from)?;
        let place = keys.store(&server, key).await;
        let place = place.map_err(|error| Complaint::Failed {
            message: format!("cannot store the key of {server}: {error}"),
            hint: KEYS_HINT,
        })?;
        let words = Words::from_locale().setup;
        let message = match &place {
            KeyPlace::Keyring => words.key_in_keyring.to_owned(),
            KeyPlace::File(path) => filled(words.key_in_file, &[&path.display()]),
        };
        printer.info(&format!("{} {message}", styled(GREEN, "✓")));
        Ok(Some(place))
    }
}

/// Checks that a server accepts a key.
///
/// *Errors*: [`Complaint::Failed`] if it does not; the error of a server that cannot be asked.
pub(in crate::commands) async fn checked_key(
    url: String,
    key: ApiKey,
    printer: &Printer,
) -> anyhow::Result<Settled> {
    let server: ServerUrl = url.parse().map_err(Error::from)?;
    match ask(&url, Key::New(&key), None).await? {
        Answer::Works(description, took) => {
            report(&server, &description, took, printer);
            Ok(Settled::with_key(url, key))
        }
        Answer::NeedsKey => Err(anyhow::Error::new(Complaint::Failed {
            message: format!("{server} does not accept this key, so it was not stored"),
            hint: "ask the server's administrator for another one; --no-check stores it nevertheless",
        })),
        Answer::Failed(error) => Err(error.into()),
    }
}

/// Asks where the memory is and checks it; the user has typed `url` already if it is given.
pub(super) async fn settle(url: Option<String>, printer: &Printer) -> anyhow::Result<Settled> {
    let mut url = match url {
        Some(url) => url,
        None => {
            let words = Words::from_locale().init;
            let places = [words.on_this_machine, words.on_a_server];
            if prompt::choice(words.server, &places)? == 0 {
                return Ok(Settled::local());
            }
            typed_url()?
        }
    };
    loop {
        let server: ServerUrl = url.parse().map_err(Error::from)?;
        if server == ServerUrl::Local {
            return Ok(Settled::local());
        }
        let words = Words::from_locale().setup;
        printer.info(&filled(words.asking_server, &[&server]));
        let error = match ask(&url, Key::Stored, None).await? {
            Answer::Works(description, took) => {
                report(&server, &description, took, printer);
                return Ok(Settled::known(url, true));
            }
            Answer::NeedsKey if has_credentials(&server) => {
                printer.urgent(&filled(words.credentials_refused, &[&host(&server)]));
                match after_refusal(&server)? {
                    Next::Use(other) => url = other,
                    Next::TypeKey => return with_key(url, &server, printer).await,
                    Next::GoOn => return Ok(Settled::known(url, false)),
                }
                continue;
            }
            Answer::NeedsKey => return with_key(url, &server, printer).await,
            Answer::Failed(error) => error,
        };
        let other = working_alternative(&server).await?;
        // Only the path was left out.
        if let Some(other) = &other
            && server
                .sibling(MCP_PATH)
                .is_some_and(|it| it.as_str() == other)
        {
            url.clone_from(other);
            continue;
        }
        diagnostics::describe(printer, &error.into());
        match after_failure(other)? {
            Next::Use(other) => url = other,
            Next::TypeKey => return with_key(url, &server, printer).await,
            Next::GoOn => return Ok(Settled::known(url, false)),
        }
    }
}

/// What to do about a server that cannot be used.
enum Next {
    Use(String),
    TypeKey,
    GoOn,
}

/// Asks what to do about a server that refused the credentials of its URL. They may be those of a gateway, so that the
/// server behind it requires a key as well.
fn after_refusal(server: &ServerUrl) -> anyhow::Result<Next> {
    let words = Words::from_locale();
    let key = filled(words.setup.key, &[&host(server)]);
    let answers = [words.setup.other_url, &key, words.setup.go_on];
    Ok(match prompt::choice(words.questions.what_now, &answers)? {
        0 => Next::Use(typed_url()?),
        1 => Next::TypeKey,
        _ => Next::GoOn,
    })
}

fn after_failure(other: Option<String>) -> anyhow::Result<Next> {
    let words = Words::from_locale();
    // Displayed without the credentials that the typed URL may contain.
    let shown: Option<ServerUrl> = other.as_ref().and_then(|other| other.parse().ok());
    let instead = shown.map(|shown| filled(words.setup.use_instead, &[&shown]));
    let answers = instead.iter().map(String::as_str);
    let answers: Vec<&str> = answers
        .chain([words.setup.other_url, words.setup.go_on])
        .collect();
    let answer = prompt::choice(words.questions.what_now, &answers)?;
    Ok(match (other, answers.len() - 1 - answer) {
        (_, 0) => Next::GoOn,
        (_, 1) => Next::Use(typed_url()?),
        (other, _) => Next::Use(other.unwrap_or_default()),
    })
}

/// Asks for the key until the server accepts it, or the user goes on without one.
async fn with_key(url: String, server: &ServerUrl, printer: &Printer) -> anyhow::Result<Settled> {
    let words = Words::from_locale().setup;
    printer.urgent(&filled(words.needs_key, &[server]));
    if is_open_to_others(server) {
        let agents = Words::from_locale().agents;
        let question = filled(words.open_connection, &[&host(server)]);
        if prompt::choice(&question, &[agents.no, agents.yes])? == 0 {
            return Ok(Settled::known(url, false));
        }
    }
    let question = filled(words.key, &[&host(server)]);
    loop {
        let check = |text: &str| match ServerKeys::is_key(text) {
            true => Ok(()),
            false => Err(words.not_a_key.to_owned()),
        };
        let key = ApiKey::new(prompt::secret(&question, check)?);
        match ask(&url, Key::New(&key), None).await? {
            Answer::Works(description, took) => {
                report(server, &description, took, printer);
                return Ok(Settled {
                    url,
                    is_usable: true,
                    key: Some(key),
                });
            }
            Answer::NeedsKey => printer.urgent(words.key_refused),
            Answer::Failed(error) => diagnostics::describe(printer, &error.into()),
        }
        let answers = [words.other_key, words.without_key];
        let what_now = Words::from_locale().questions.what_now;
        if prompt::choice(what_now, &answers)? == 1 {
            return Ok(Settled::known(url, false));
        }
    }
}

fn typed_url() -> anyhow::Result<String> {
    let check = |url: &str| match url.parse::<ServerUrl>() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    let url = prompt::checked(Words::from_locale().init.server_url, check)?;
    Ok(url.trim().to_owned())
}

fn report(server: &ServerUrl, it: &ServerDescription, took: Duration, printer: &Printer) {
    let words = Words::from_locale().setup;
    let (name, version) = (visible(&it.name), visible(&it.version));
    let line = filled(words.answers, &[server, &name, &version, &took.as_millis()]);
    printer.info(&format!("{} {line}", styled(GREEN, "✓")));
}

/// Asks a server who it is.
async fn ask(url: &str, key: Key<'_>, limit: Option<Duration>) -> anyhow::Result<Answer> {
    let mut config = ClientConfig::default();
    config.server.url = url.to_owned();
    let builder = RecallKitClient::builder().config(config);
    let builder = match key {
        Key::None => builder,
        Key::Stored => builder.server_keys(ServerKeys::of_user()),
        Key::New(key) => builder.server_key(key.clone()),
    };
    let builder = match limit {
        Some(limit) => builder.timeout(limit),
        None => builder,
    };
    let client = builder.build()?;
    let started = std::time::Instant::now();
    let nothing_written = Words::from_locale().agents.nothing_written;
    let described = or_interrupted(client.describe_server(), nothing_written).await?;
    let took = started.elapsed();
    super::super::close(&client).await;
    Ok(match described {
        Ok(it) if is_ours(&it) => Answer::Works(it, took),
        Ok(_) => Answer::Failed(Error::Answer {
            server: client.server_url().to_string(),
            reason: "it is an MCP server, but not one of RecallKit".to_owned(),
        }),
        // A page that asks for a sign-in to the network answers with 403.
        Err(Error::Denied { status: 401, .. }) => Answer::NeedsKey,
        Err(error) => Answer::Failed(error),
    })
}

fn is_ours(server: &ServerDescription) -> bool {
    let needed = ToolName::QueryExperiences.as_str();
    server.tools.iter().any(|tool| tool == needed)
}

/// Returns the first of the addresses that a person may have meant at which a server answers. No key is sent to them.
async fn working_alternative(server: &ServerUrl) -> anyhow::Result<Option<String>> {
    for guess in guesses(server) {
        let answer = ask(&guess, Key::None, Some(GUESS_TIMEOUT)).await?;
        if matches!(answer, Answer::Works(..) | Answer::NeedsKey) {
            return Ok(Some(guess));
        }
    }
    Ok(None)
}

/// Returns the addresses that a person may have meant: with the path of MCP, and with the other one of http and https.
/// What was typed for https is sent over http only to this machine, and only if it contains nothing secret.
pub(super) fn guesses(server: &ServerUrl) -> Vec<String> {
    let typed = server.as_str();
    let may_be_open = server.is_loopback() && !may_have_secret(server);
    let swapped = match typed.split_once("://") {
        Some(("http", rest)) => Some(format!("https://{rest}")),
        Some(("https", rest)) if may_be_open => Some(format!("http://{rest}")),
        _ => None,
    };
    let with_path = |url: &str| {
        let url: Option<ServerUrl> = url.parse().ok();
        url.and_then(|url| url.sibling(MCP_PATH))
            .map(|url| url.as_str().to_owned())
    };
    let swapped_path = swapped.as_deref().and_then(with_path);
    let guesses = [with_path(typed), swapped_path, swapped];
    let guesses = guesses.into_iter().flatten();
    guesses.filter(|guess| guess != typed).collect()
}

/// Returns whether a URL contains credentials.
fn has_credentials(server: &ServerUrl) -> bool {
    let (_, rest) = server.as_str().split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.contains('@')
}

/// Returns whether a URL contains credentials or a query.
fn may_have_secret(server: &ServerUrl) -> bool {
    server.as_str().contains(['@', '?', '#'])
}

/// Returns the host and the port of a server, without credentials.
pub(in crate::commands) fn host(server: &ServerUrl) -> &str {
    let (_, rest) = server.as_str().split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

/// Returns whether others on the network could read what is sent.
pub(in crate::commands) fn is_open_to_others(server: &ServerUrl) -> bool {
    server.as_str().starts_with("http://") && !server.is_loopback()
}
