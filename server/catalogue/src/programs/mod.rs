//! External programs as tools: arguments as JSON on standard input, the result on standard output.
//!
//! No shell is used; the environment is minimal; time and output are limited. A line on standard error
//! that is a JSON object with `progress` reports progress; every other line is a message for the caller's
//! log.

use std::{
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures::FutureExt as _;
use recall_kit_sanitizer::visible;
use recall_kit_settings::ProgramSettings;
use serde_json::{Map, Value};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, Command},
    sync::Semaphore,
};

use crate::CatalogueError;

/// The environment variables that a program inherits from the server.
const INHERITED: [&str; 8] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TZ",
    "SYSTEMROOT",
    "TEMP",
];
/// The longest line of standard error, in bytes; a longer one counts as several.
const MAX_LINE: u64 = 8 * 1024;
/// How many bytes of the end of standard error are returned when a program fails.
const MAX_STDERR_TAIL: usize = 4 * 1024;

/// Why a program returned no result.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started, or its pipes failed. The system's error goes only to the log.
    #[error("the program could not be run; the server's log says why")]
    Run(#[from] std::io::Error),
    /// The limit of simultaneous calls is reached.
    #[error("{0} calls of this program are running already; try again later")]
    Busy(u32),
    /// It took too long and was stopped.
    #[error("the program took longer than {} ms and was stopped", .0.as_millis())]
    Timeout(Duration),
    /// Its output was too long and it was stopped.
    #[error("the program answered more than {0} bytes and was stopped")]
    TooLong(u32),
    /// Its output is not UTF-8.
    #[error("the program's answer is not UTF-8")]
    NotText,
    /// Its output does not match its output schema.
    #[error("the program's answer does not fit its output schema: {0}")]
    Shape(String),
}

/// What a program reports while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// Its progress.
    Progress {
        /// The amount done.
        progress: f64,
        /// The total amount, if known.
        total: Option<f64>,
        /// What it is doing.
        message: Option<String>,
    },
    /// A line for the log.
    Line(String),
}

/// The result of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its standard output, without trailing line ends.
    pub text: String,
    /// The same as JSON, if it has an output schema and did not fail.
    pub json: Option<Value>,
    /// Whether its exit code was not 0.
    pub failed: bool,
    /// How a failed program ended, with the end of its standard error.
    pub failure: Option<String>,
}

/// An external program with valid settings.
#[derive(Debug)]
pub struct Program {
    /// Its settings.
    pub settings: ProgramSettings,
    input: jsonschema::Validator,
    output: Option<jsonschema::Validator>,
    calls: Semaphore,
}

/// Two programs are the same when their settings are.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
    }
}

impl Program {
    /// Checks the settings of one program.
    ///
    /// *Errors*: [`CatalogueError::Entry`] for a name that agents cannot call, no command, or an
    /// invalid schema.
    pub fn new(settings: &ProgramSettings) -> Result<Self, CatalogueError> {
        let wrong = |reason: String| CatalogueError::Entry {
            kind: "tools.programs",
            name: settings.name.clone(),
            reason,
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if settings.name.is_empty()
            || settings.name.len() > 64
            || !settings.name.chars().all(is_name)
        {
            return Err(wrong(
                "a tool's name is 1-64 letters, digits, `_`, `-`, `.`".to_owned(),
            ));
        }
        if settings.command.first().is_none_or(String::is_empty) {
            return Err(wrong(
                "`command` names no program; it is a list: program, arguments".to_owned(),
            ));
        }
        let compile = |what: &str, schema: &Map<String, Value>| {
            jsonschema::validator_for(&Value::Object(schema.clone()))
                .map_err(|error| wrong(format!("`{what}` is not a JSON Schema: {error}")))
        };
        let schemas = [
            ("input_schema", Some(&settings.input_schema)),
            ("output_schema", settings.output_schema.as_ref()),
        ];
        for (what, schema) in schemas {
            let kind = schema.and_then(|schema| schema.get("type"));
            if kind.is_some_and(|kind| kind != "object") {
                return Err(wrong(format!(
                    "`{what}` must describe an object: type = \"object\""
                )));
            }
        }
        Ok(Self {
            input: compile("input_schema", &settings.input_schema)?,
            output: match &settings.output_schema {
                Some(schema) => Some(compile("output_schema", schema)?),
                None => None,
            },
            calls: Semaphore::new(settings.at_once as usize),
            settings: settings.clone(),
        })
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Returns what is wrong with arguments, at most three faults; `None` if they are valid.
    pub fn faults(&self, arguments: &Value) -> Option<String> {
        faults(&self.input, arguments)
    }

    /// Runs the program with these arguments. Dropping the future stops the program.
    ///
    /// *Errors*: [`ProgramError`]; an exit code other than 0 is a result, not an error.
    pub async fn run(
        &self,
        arguments: &Value,
        report: impl Fn(Report) + Send,
    ) -> Result<Answer, ProgramError> {
        let Ok(_permit) = self.calls.try_acquire() else {
            return Err(ProgramError::Busy(self.settings.at_once));
        };
        let limit = Duration::from_millis(self.settings.timeout_ms);
        let mut running = Running::new(self.start()?);
        tokio::time::timeout(limit, self.converse(&mut running, arguments, report))
            .await
            .unwrap_or(Err(ProgramError::Timeout(limit)))
    }

    fn start(&self) -> Result<Child, ProgramError> {
        let [program, arguments @ ..] = self.settings.command.as_slice() else {
            return Err(ProgramError::Run(std::io::ErrorKind::NotFound.into()));
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(
                INHERITED
                    .iter()
                    .filter_map(|name| Some((name, std::env::var_os(name)?))),
            )
            .envs(
                self.settings
                    .env
                    .iter()
                    .map(|(name, value)| (name, value.expose())),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Its own process group, so that its child processes can be stopped with it.
        #[cfg(unix)]
        command.process_group(0);
        if let Some(folder) = &self.settings.working_dir {
            command.current_dir(folder);
        }
        Ok(command.spawn()?)
    }

    /// Writes the arguments, reads output and reports, and waits for the end. All of it happens
    /// concurrently, since a program may write its output before it has read everything, and may end
    /// while a background process still holds the output open.
    async fn converse(
        &self,
        running: &mut Running,
        arguments: &Value,
        report: impl Fn(Report) + Send,
    ) -> Result<Answer, ProgramError> {
        let child = &mut running.child;
        let (Some(mut input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ProgramError::Run(std::io::ErrorKind::BrokenPipe.into()));
        };
        let text = arguments.to_string();
        let write = async {
            // A program need not read its input.
            input.write_all(text.as_bytes()).await.ok();
            input.write_all(b"\n").await.ok();
            drop(input);
        };
        let (output, stderr_tail, (), status) = tokio::try_join!(
            read_up_to(output, self.settings.output_bytes),
            read_reports(errors, report).map(Ok),
            write.map(Ok),
            running.ended()
        )?;
        let failure = (!status.success()).then(|| failure(status, &stderr_tail));
        self.answer(output, failure)
    }

    fn answer(&self, output: Vec<u8>, failure: Option<String>) -> Result<Answer, ProgramError> {
        let mut text = String::from_utf8(output).map_err(|_| ProgramError::NotText)?;
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        let json = match &self.output {
            Some(schema) if failure.is_none() => {
                let value: Value = serde_json::from_str(&text)
                    .map_err(|error| ProgramError::Shape(error.to_string()))?;
                if let Some(faults) = faults(schema, &value) {
                    return Err(ProgramError::Shape(faults));
                }
                Some(value)
            }
            _ => None,
        };
        Ok(Answer {
            text,
            json,
            failed: failure.is_some(),
            failure,
        })
    }
}

fn faults(schema: &jsonschema::Validator, value: &Value) -> Option<String> {
    let faults: Vec<String> = schema
        .iter_errors(value)
        .take(3)
        .map(|error| {
            let place = error.instance_path().to_string();
            // The value may be private: the message names only its location and the rule.
            let rule = error.masked_with("the value");
            if place.is_empty() {
                rule.to_string()
            } else {
                format!("{place}: {rule}")
            }
        })
        .collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// A running program. It is stopped together with its child processes when this is dropped.
struct Running {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Running {
    fn new(child: Child) -> Self {
        Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)),
            child,
        }
    }

    /// Waits for the program's end and stops the processes that it left behind.
    async fn ended(&mut self) -> Result<ExitStatus, ProgramError> {
        let status = self.child.wait().await?;
        self.end_group();
        Ok(status)
    }

    /// Kills every process of the group, once. If none is left, the group's id is free again, but the
    /// system assigns ids in turn, so no other group has it yet.
    fn end_group(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group.take() {
            use rustix::{
                io::Errno,
                process::{Signal, kill_process_group},
            };
            match kill_process_group(group, Signal::KILL) {
                Ok(()) | Err(Errno::SRCH) => {}
                Err(error) => tracing::warn!(error = %error, "a program could not be stopped"),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end_group();
    }
}

async fn read_up_to(output: impl AsyncRead + Unpin, limit: u32) -> Result<Vec<u8>, ProgramError> {
    let mut read = Vec::new();
    output
        .take(u64::from(limit) + 1)
        .read_to_end(&mut read)
        .await?;
    if read.len() > limit as usize {
        return Err(ProgramError::TooLong(limit));
    }
    Ok(read)
}

/// Reads standard error to its end, line by line; returns the end of the lines that do not report
/// progress.
async fn read_reports(errors: impl AsyncRead + Unpin, report: impl Fn(Report)) -> String {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    let mut tail = String::new();
    loop {
        line.clear();
        let mut bounded = (&mut errors).take(MAX_LINE);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return tail,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                if !text.trim().is_empty() {
                    let read = read_report(text.trim_end());
                    if let Report::Line(line) = &read {
                        append_to_tail(&mut tail, line);
                    }
                    report(read);
                }
            }
        }
    }
}

/// Appends a line, and drops the beginning beyond [`MAX_STDERR_TAIL`].
fn append_to_tail(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    // Escape sequences must not reach a terminal.
    text.push_str(&visible(line));
    let excess = text.len().saturating_sub(MAX_STDERR_TAIL);
    text.drain(..text.ceil_char_boundary(excess));
}

/// Describes how a program ended, with the end of its standard error.
fn failure(status: ExitStatus, stderr_tail: &str) -> String {
    let mut message = format!("the program failed ({status})");
    if !stderr_tail.is_empty() {
        message.push_str("; the end of its standard error:\n");
        message.push_str(stderr_tail);
    }
    message
}

fn read_report(line: &str) -> Report {
    let parsed = serde_json::from_str::<Value>(line).unwrap_or_default();
    match parsed.get("progress").and_then(Value::as_f64) {
        Some(progress) => Report::Progress {
            progress,
            total: parsed.get("total").and_then(Value::as_f64),
            message: parsed
                .get("message")
                .and_then(Value::as_str)
                .map(str::to_owned),
        },
        None => Report::Line(line.to_owned()),
    }
}

#[cfg(all(test, unix))]
mod tests;
