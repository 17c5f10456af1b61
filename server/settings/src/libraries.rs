//! Settings of documentation libraries.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SettingsError;

/// What clients may have read into libraries. The command line needs no permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IngestSources {
    /// Nothing: there is no tool for it.
    #[default]
    Off,
    /// What web addresses lead to that the internet can reach.
    Urls,
    /// The same, and every file that the server can read.
    All,
}

/// Settings of documentation libraries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LibrarySettings {
    /// What callers with the scope `admin` may have read in.
    pub ingest: IngestSources,
    /// Memory that a process may use to read one PDF, notebook or other file that needs a process of
    /// its own, in megabytes.
    pub reader_memory_mb: u32,
    /// Processor time for such a file, in seconds.
    pub reader_cpu_seconds: u32,
    /// Time for such a file by the clock, in milliseconds.
    pub reader_timeout_ms: u64,
    /// The program that is started for them, which knows the command `read-documents`. Programs set
    /// it to themselves; without it such files are refused.
    #[serde(skip)]
    pub reader_program: Option<PathBuf>,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            ingest: IngestSources::default(),
            reader_memory_mb: 512,
            reader_cpu_seconds: 20,
            reader_timeout_ms: 60_000,
            reader_program: None,
        }
    }
}

/// Less memory would not let the process start.
const LEAST_MEMORY_MB: u32 = 128;

impl LibrarySettings {
    /// Checks that the limits leave room to read anything.
    ///
    /// *Errors*: [`SettingsError::TooLittle`].
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        for (setting, value, least) in [
            (
                "libraries.reader_memory_mb",
                u64::from(self.reader_memory_mb),
                u64::from(LEAST_MEMORY_MB),
            ),
            (
                "libraries.reader_cpu_seconds",
                u64::from(self.reader_cpu_seconds),
                1,
            ),
            ("libraries.reader_timeout_ms", self.reader_timeout_ms, 100),
        ] {
            if value < least {
                return Err(SettingsError::TooLittle { setting, least });
            }
        }
        Ok(())
    }
}
