//! Why a database takes no writes.

/// Why the latest write failed, where the fault is not that write's. The words name no place, so they
/// may be shown to whoever asks whether the server is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    /// The disk has no room left.
    #[error("the disk is full; make room, and writes go on by themselves")]
    Full,
    /// The system refused to read or write.
    #[error(
        "the system refused to write: the disk failed, or a quota or a limit on the size of files is \
         reached"
    )]
    Io,
    /// The file may not be written.
    #[error("the database file is read-only")]
    ReadOnly,
    /// The file is not there any more, or may not be opened.
    #[error("the database file cannot be opened")]
    Unopenable,
    /// The file is damaged.
    #[error("the database file is damaged; restore a backup")]
    Damaged,
    /// Another write, of this process or another, holds the database.
    #[error("another write has kept the database locked for too long")]
    Locked,
    /// There is no memory left.
    #[error("the system has no memory left")]
    Memory,
}
