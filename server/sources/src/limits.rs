//! Limits on the size of a source and the time to read it.

use std::{path::PathBuf, time::Duration};

use tokio_util::sync::CancellationToken;

const MIB: u64 = 1024 * 1024;

/// The limits of reading a source.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most bytes of a file; larger ones are skipped.
    pub file_bytes: u64,
    /// The most files that are read; a source with more is rejected.
    pub files: usize,
    /// The most files and folders, including skipped ones; a source with more is rejected.
    pub entries: usize,
    /// The most bytes of all files that are read; a source with more is rejected.
    pub total_bytes: u64,
    /// The most bytes that an archive expands to, including skipped files; one with more is rejected.
    pub unpacked_bytes: u64,
    /// The largest ratio by which an archive may expand, after the first 32 MiB.
    pub unpacked_ratio: u64,
    /// The most bytes of an archive, of a download and of what git fetches.
    pub download_bytes: u64,
    /// The deepest nesting of folders; deeper ones are skipped.
    pub depth: usize,
    /// The most pages of an `llms.txt` that are read; the rest is skipped.
    pub pages: usize,
    /// The timeout of one request, from connecting to the last byte, and of one run of git.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 10 * MIB,
            files: 100_000,
            entries: 400_000,
            total_bytes: 1024 * MIB,
            unpacked_bytes: 4096 * MIB,
            unpacked_ratio: 200,
            download_bytes: 1024 * MIB,
            depth: 64,
            pages: 500,
            timeout: Duration::from_secs(300),
        }
    }
}

/// Options for opening a source.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions {
    /// Where downloads and clones are stored while the source is open; empty for the system's folder for
    /// temporary files. Each source creates its own folder there, which other users cannot read.
    pub scratch: PathBuf,
    /// Whether addresses that are not public may be connected to: loopback, private networks.
    pub allow_private_addresses: bool,
    /// The limits of reading.
    pub limits: Limits,
    /// Cancels waiting for git and the network.
    pub stop: CancellationToken,
}
