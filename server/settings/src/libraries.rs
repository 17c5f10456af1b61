//! Settings of documentation libraries.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SettingsError;

/// Which sources clients may ingest into libraries. The command line needs no permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IngestSources {
    /// None: the tool for it is not offered.
    #[default]
    Off,
    /// Web addresses that are reachable from the public internet.
    Urls,
    /// The same, and every file that the server can read.
    All,
}

/// Settings of documentation libraries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LibrarySettings {
    /// Which sources callers with the scope `admin` may ingest.
    pub ingest: IngestSources,
    /// Memory of the sandbox that reads one PDF, notebook or other risky file, in megabytes.
    pub reader_memory_mb: u32,
    /// Processor time for such a file, in seconds.
    pub reader_cpu_seconds: u32,
    /// Wall-clock time for such a file, in milliseconds.
    pub reader_timeout_ms: u64,
    /// The program that is started as the sandbox; it must have the command `read-documents`. Programs
    /// set it to their own executable; when unset, such files are rejected.
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

/// With less memory the sandbox could not start.
const LEAST_MEMORY_MB: u32 = 128;

impl LibrarySettings {
    /// Checks that the limits are large enough to read anything.
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
