//! Why a database accepts no writes.

/// Why the latest write failed, if the cause is the database and not the write itself. The messages
/// contain no paths, so they may be returned to anybody who calls the readiness route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    /// The disk is full.
    #[error("the disk is full; free some space, and writes resume by themselves")]
    Full,
    /// The operating system refused to read or write.
    #[error(
        "the system refused to write: the disk failed, or a quota or a limit on the size of files is \
         reached"
    )]
    Io,
    /// The file may not be written.
    #[error("the database file is read-only")]
    ReadOnly,
    /// The file does not exist any more, or may not be opened.
    #[error("the database file cannot be opened")]
    Unopenable,
    /// The file is damaged.
    #[error("the database file is damaged; restore a backup")]
    Damaged,
    /// Another write, of this process or another, holds the database.
    #[error("another write has kept the database locked for too long")]
    Locked,
    /// The system is out of memory.
    #[error("the system has no memory left")]
    Memory,
}
