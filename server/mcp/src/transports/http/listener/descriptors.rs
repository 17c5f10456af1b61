//! The limit of open files, raised to what the connections need, as far as the system allows.

/// File descriptors for other uses than connections: database, index, log, external programs.
const OTHERS: u32 = 256;

/// Raises the process's limit of open files so that so many connections are possible. Returns how many
/// are; logs a warning if they are fewer.
///
/// The limit is raised only as far as needed: child processes inherit it, and some iterate over every
/// possible descriptor.
#[cfg(unix)]
pub(super) fn raise_limit(connections: u32) -> u32 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = u64::from(connections) + u64::from(OTHERS);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // `None` means unlimited.
    let Some(current) = current.filter(|current| *current < needed) else {
        return connections;
    };
    let allowed = maximum.map_or(needed, |maximum| maximum.min(needed));
    let raised = Rlimit {
        current: Some(allowed),
        maximum,
    };
    let open_files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => allowed,
        Err(_) => current,
    };
    if open_files == needed {
        return connections;
    }
    let possible = open_files.saturating_sub(u64::from(OTHERS)).max(1);
    tracing::warn!(
        "only {possible} of {connections} connections are possible: the system allows this process \
         {open_files} open files; raise the limit (`ulimit -n`, LimitNOFILE) or lower limits.connections"
    );
    u32::try_from(possible).unwrap_or(connections)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(super) fn raise_limit(connections: u32) -> u32 {
    connections
}
