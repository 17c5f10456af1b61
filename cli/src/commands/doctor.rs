//! `doctor`: checks configuration, server and sanitizer, and says what to do about each.

use std::{fmt, process::ExitCode, time::Instant};

use recall_kit_client::{
    ClientConfig, ConfiguredSanitizer, Draft, Error, RecallKitClient, SanitizerConfig, ServerUrl,
};
use recall_kit_shared_types::ToolName;
use serde::Serialize;
use serde_json::json;

use super::close;
use crate::{
    args::GlobalArgs,
    controls::visible,
    interrupt::or_interrupted,
    printer::{CYAN, GREEN, Printer, RED, YELLOW, styled},
};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warn,
    Fail,
}

/// One line of the report.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            status: Status::Ok,
            detail: detail.into(),
            hint: None,
        }
    }

    fn warn(name: &'static str, detail: impl Into<String>, hint: &str) -> Self {
        Self {
            status: Status::Warn,
            hint: Some(hint.to_owned()),
            ..Self::ok(name, detail)
        }
    }

    fn fail(name: &'static str, detail: impl Into<String>, hint: &str) -> Self {
        Self {
            status: Status::Fail,
            ..Self::warn(name, detail, hint)
        }
    }

    fn failed(name: &'static str, error: &Error) -> Self {
        let hint = match error.is_network() {
            true => "start the server, or correct server.url",
            false => error.hint(),
        };
        Self::fail(name, error.to_string(), hint)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (style, mark) = match self.status {
            Status::Ok => (GREEN, "ok  "),
            Status::Warn => (YELLOW, "warn"),
            Status::Fail => (RED, "fail"),
        };
        write!(
            f,
            "{}  {:<13}  {}",
            styled(style, mark),
            self.name,
            visible(&self.detail)
        )?;
        match &self.hint {
            Some(hint) => write!(f, "\n{:21}{} {hint}", "", styled(CYAN, "hint:")),
            None => Ok(()),
        }
    }
}

pub(crate) async fn run(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<ExitCode> {
    let (config, check) = configuration(global);
    let mut checks = vec![check];
    match global.client(config.clone()) {
        Ok(client) => {
            let server = or_interrupted(server(&client), "nothing was changed").await;
            close(&client).await;
            checks.extend(server?);
        }
        Err(error) => checks.push(Check::failed("server", &error)),
    }
    checks.push(sanitizer(&config.sanitizer));

    let healthy = checks.iter().all(|check| check.status != Status::Fail);
    if printer.is_json() {
        printer.json(&json!({"ok": healthy, "checks": checks}))?;
    } else {
        for check in &checks {
            printer.data(&check.to_string())?;
        }
    }
    Ok(match healthy {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Reads the settings; where they cannot be read the other checks go on with the defaults.
fn configuration(global: &GlobalArgs) -> (ClientConfig, Check) {
    const NAME: &str = "configuration";
    match global.load_config() {
        Ok(loaded) => {
            let found = match loaded.path {
                Some(path) => path.display().to_string(),
                None => "no file found, the defaults apply".to_owned(),
            };
            (loaded.config, Check::ok(NAME, found))
        }
        Err(error) => {
            let mut config = ClientConfig::default();
            if let Some(server) = &global.server {
                config.server.url.clone_from(server);
            }
            (config, Check::failed(NAME, &error))
        }
    }
}

/// Goes from the outside in, and no further than something answers.
async fn server(client: &RecallKitClient) -> Vec<Check> {
    let outside = match client.server_url() {
        ServerUrl::Local => match client.server_program() {
            Ok(path) => Check::ok("program", path.display().to_string()),
            Err(error) => Check::failed("program", &error),
        },
        ServerUrl::Http(_) => health(client, "alive", "/healthz").await,
    };
    let mut checks = vec![outside];
    if checks.iter().all(|check| check.status != Status::Fail) {
        if matches!(client.server_url(), ServerUrl::Http(_)) {
            checks.push(health(client, "ready", "/readyz").await);
        }
        checks.extend(conversation(client).await);
    }
    checks
}

async fn health(client: &RecallKitClient, name: &'static str, path: &str) -> Check {
    match client.health(path).await {
        Ok(Some(health)) if health.status == 200 => Check::ok(name, health.url),
        Ok(Some(health)) if health.status == 404 => Check::warn(
            name,
            format!("{} does not exist", health.url),
            "this may be another program, or a gateway that hides the route",
        ),
        Ok(Some(health)) => Check::fail(
            name,
            format!("{} answers with status {}", health.url, health.status),
            "wait a moment; `recall-kit-server doctor` on its machine says more",
        ),
        Ok(None) => Check::ok(name, "not asked"),
        Err(error) => Check::failed(name, &error),
    }
}

/// Shakes hands and looks at the tools.
async fn conversation(client: &RecallKitClient) -> Vec<Check> {
    let started = Instant::now();
    let server = match client.describe_server().await {
        Ok(server) => server,
        Err(error) => return vec![Check::failed("server", &error)],
    };
    let took = started.elapsed().as_millis();
    let detail = format!(
        "{} {}, MCP {}, {took} ms",
        server.name, server.version, server.protocol_version
    );
    let ours = env!("CARGO_PKG_VERSION");
    let greeting = match server.version == ours {
        true => Check::ok("server", detail),
        false => Check::warn(
            "server",
            detail,
            &format!("this client is {ours}; use the same version on both sides"),
        ),
    };
    let offers = |tool: &ToolName| server.tools.iter().any(|name| name == tool.as_str());
    let missing: Vec<_> = ToolName::ALL.iter().filter(|tool| !offers(tool)).collect();
    let tools = match missing.is_empty() {
        true => Check::ok("tools", server.tools.join(", ")),
        false => Check::fail(
            "tools",
            format!("missing: {missing:?}"),
            "check that server.url leads to a RecallKit server",
        ),
    };
    vec![greeting, tools]
}

/// Runs a key that no one uses through the settings.
fn sanitizer(settings: &SanitizerConfig) -> Check {
    const NAME: &str = "sanitizer";
    if !settings.enabled {
        return Check::warn(
            NAME,
            "switched off: text is sent as it stands",
            "set sanitizer.enabled to true, or servers refuse what carries a secret",
        );
    }
    let key = ["sk", "1234567890"].join("-");
    let draft = Draft::new(
        format!("const apiKey = \"{key}\";"),
        "self-check",
        "self-check",
    );
    let sanitizer = match ConfiguredSanitizer::new(settings.clone()) {
        Ok(sanitizer) => sanitizer,
        Err(error) => return Check::failed(NAME, &error.into()),
    };
    let shown = draft.sanitize(&sanitizer);
    if shown.request().title.contains(&key) {
        return Check::fail(NAME, "a planted key was not removed", "please report this");
    }
    let groups = settings.outgoing_groups();
    let names: Vec<&str> = groups.iter().map(|group| group.as_str()).collect();
    let mut detail = format!("removes a planted key; {}", names.join(", "));
    if !settings.custom.is_empty() {
        detail.push_str(&format!("; {} of your own rules", settings.custom.len()));
    }
    if !settings.allow.is_empty() {
        detail.push_str(&format!("; {} allow entries", settings.allow.len()));
    }
    match refused_entry(&sanitizer) {
        None => Check::ok(NAME, detail),
        Some(entry) => Check::warn(
            NAME,
            detail,
            &format!(
                "allow entry {entry} is removed from the context of submissions all the same: \
                 servers refuse it there"
            ),
        ),
    }
}

/// Returns the first allow entry, counted from 1, that servers refuse by itself. What an expression
/// lets through is known only when it is met.
fn refused_entry(sanitizer: &ConfiguredSanitizer) -> Option<usize> {
    let refuses = |entry: &String| {
        let draft = Draft {
            context: Some(entry.clone()),
            ..Draft::new("self-check", "self-check", "self-check")
        };
        !draft.sanitize(sanitizer).overruled().is_empty()
    };
    let entries = &sanitizer.settings().allow;
    let refused = entries.iter().position(refuses);
    refused.map(|index| index + 1)
}
