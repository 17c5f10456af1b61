//! External programs as tools: JSON in on standard input, the answer out on standard output.
//!
//! No shell, a bare environment, a time limit, an output limit. A line on standard error that is a
//! JSON object with `progress` reports progress; every other line is a message for the caller's log.

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

use crate::catalogue::CatalogueError;

/// What a program gets of the server's environment.
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
/// How much of the end of standard error the caller of a program that failed gets, in bytes.
const MAX_LAST_WORDS: usize = 4 * 1024;

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started or talked to; the system's own words stay in the log.
    #[error("the program could not be run; the server's log says why")]
    Run(#[from] std::io::Error),
    /// As many calls as may be are running.
    #[error("{0} calls of this program are running already; try again later")]
    Busy(u32),
    /// It took too long and was ended.
    #[error("the program took longer than {} ms and was ended", .0.as_millis())]
    Timeout(Duration),
    /// It answered too much and was ended.
    #[error("the program answered more than {0} bytes and was ended")]
    TooLong(u32),
    /// What it answered is no text.
    #[error("the program's answer is not UTF-8")]
    NotText,
    /// It promised JSON of a shape and answered something else.
    #[error("the program's answer does not fit its output schema: {0}")]
    Shape(String),
}

/// What a program reports while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// How far it is.
    Progress {
        /// Done so far.
        progress: f64,
        /// Of how much, when known.
        total: Option<f64>,
        /// What it is doing.
        message: Option<String>,
    },
    /// A line for the log.
    Line(String),
}

/// What a program answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its standard output, without the last line end.
    pub text: String,
    /// The same as JSON, where it promised JSON.
    pub json: Option<Value>,
    /// Whether it ended with another exit code than 0.
    pub failed: bool,
    /// How a program that failed ended, and the end of its standard error.
    pub failure: Option<String>,
}

/// An external program that was checked and is ready to run.
#[derive(Debug)]
pub struct Program {
    /// The settings it was made from.
    pub settings: ProgramSettings,
    input: jsonschema::Validator,
    output: Option<jsonschema::Validator>,
    places: Semaphore,
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
    /// *Errors*: [`CatalogueError::Entry`] for a name that agents cannot call, no command, or a schema
    /// that is none.
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
                .map_err(|error| wrong(format!("`{what}` is no JSON Schema: {error}")))
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
            places: Semaphore::new(settings.at_once as usize),
            settings: settings.clone(),
        })
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Says what is wrong with arguments; at most three things.
    pub fn faults(&self, arguments: &Value) -> Option<String> {
        faults(&self.input, arguments)
    }

    /// Runs the program with these arguments. Dropping the future ends the program.
    ///
    /// *Errors*: [`ProgramError`]; an exit code other than 0 is an answer, not an error.
    pub async fn run(
        &self,
        arguments: &Value,
        report: impl Fn(Report) + Send,
    ) -> Result<Answer, ProgramError> {
        let Ok(_place) = self.places.try_acquire() else {
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
        // A group of its own, so that whatever it starts ends with it.
        #[cfg(unix)]
        command.process_group(0);
        if let Some(folder) = &self.settings.working_dir {
            command.current_dir(folder);
        }
        Ok(command.spawn()?)
    }

    /// Writes the arguments, reads answer and reports, waits for the end; all at once, since a
    /// program may answer before it has read everything, and end before what it left in the
    /// background lets go of the output.
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
            // A program that does not read its input is free not to.
            input.write_all(text.as_bytes()).await.ok();
            input.write_all(b"\n").await.ok();
            drop(input);
        };
        let (output, last_words, (), status) = tokio::try_join!(
            read_up_to(output, self.settings.output_bytes),
            read_reports(errors, report).map(Ok),
            write.map(Ok),
            running.ended()
        )?;
        let failure = (!status.success()).then(|| failure(status, &last_words));
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
    let said: Vec<String> = schema
        .iter_errors(value)
        .take(3)
        .map(|error| {
            let place = error.instance_path().to_string();
            // What was given may be private: the message names the place and the rule.
            let rule = error.masked_with("the value");
            if place.is_empty() {
                rule.to_string()
            } else {
                format!("{place}: {rule}")
            }
        })
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// A program that runs. Whatever it started ends with it, and both end when nobody waits any more.
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

    /// Waits for the program's end and ends what it left behind.
    async fn ended(&mut self) -> Result<ExitStatus, ProgramError> {
        let status = self.child.wait().await?;
        self.end_group();
        Ok(status)
    }

    /// Ends every process of the group, once. Where none is left its number is free again, but the
    /// system gives numbers in turn: no stranger has it yet.
    fn end_group(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group.take() {
            use rustix::{
                io::Errno,
                process::{Signal, kill_process_group},
            };
            match kill_process_group(group, Signal::KILL) {
                Ok(()) | Err(Errno::SRCH) => {}
                Err(error) => tracing::warn!(error = %error, "a program could not be ended"),
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

/// Reads standard error to its end, line by line; returns the end of what is no progress.
async fn read_reports(errors: impl AsyncRead + Unpin, report: impl Fn(Report)) -> String {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    let mut last_words = String::new();
    loop {
        line.clear();
        let mut bounded = (&mut errors).take(MAX_LINE);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return last_words,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                if !text.trim().is_empty() {
                    let read = read_report(text.trim_end());
                    if let Report::Line(line) = &read {
                        keep_end(&mut last_words, line);
                    }
                    report(read);
                }
            }
        }
    }
}

/// Adds a line, and drops what then is too much from the beginning.
fn keep_end(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    // A terminal must not obey it.
    text.push_str(&visible(line));
    let excess = text.len().saturating_sub(MAX_LAST_WORDS);
    text.drain(..text.ceil_char_boundary(excess));
}

/// Says how a program ended, and what it said last.
fn failure(status: ExitStatus, last_words: &str) -> String {
    let mut words = format!("the program failed ({status})");
    if !last_words.is_empty() {
        words.push_str("; the end of its standard error:\n");
        words.push_str(last_words);
    }
    words
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
