//! How much a source may hold and how long it may take.

use std::{path::PathBuf, time::Duration};

use tokio_util::sync::CancellationToken;

const MIB: u64 = 1024 * 1024;

/// What is read of a source at most.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a file; longer ones are skipped.
    pub file_bytes: u64,
    /// Files that are read; a source with more is refused.
    pub files: usize,
    /// Files and folders that are looked at, skipped ones too; a source with more is refused.
    pub entries: usize,
    /// Bytes of all files that are read; a source with more is refused.
    pub total_bytes: u64,
    /// Bytes that an archive unpacks to, skipped files too; one with more is refused.
    pub unpacked_bytes: u64,
    /// How many times its size an archive may unpack to, beyond the first 32 MiB.
    pub unpacked_ratio: u64,
    /// Bytes of an archive, of a download and of what git fetches.
    pub download_bytes: u64,
    /// Folders within folders; what is deeper is skipped.
    pub depth: usize,
    /// Pages that an `llms.txt` may link to; further ones are skipped.
    pub pages: usize,
    /// For one request, from the connection to the last byte, and for one run of git.
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

/// How a source is opened.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions {
    /// Where downloads and clones are kept while the source is open; empty: the system's folder for
    /// temporary files. Each source makes a folder of its own there, which nobody else can read.
    pub scratch: PathBuf,
    /// Whether addresses that the internet cannot reach may be asked: loopback, private networks.
    pub allow_private_addresses: bool,
    /// What is read at most.
    pub limits: Limits,
    /// Ends what git and the network are waited for.
    pub stop: CancellationToken,
}
