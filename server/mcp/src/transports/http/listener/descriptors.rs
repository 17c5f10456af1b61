//! File descriptors: as many as the connections need, as far as the system lets us.

/// Descriptors that are not connections: database, index, log, external programs.
const OTHERS: u32 = 256;

/// Raises the process's limit of open files so that so many connections fit, and returns how many
/// do; says so where they are fewer.
///
/// Only as far as needed: programs that this one starts inherit the limit, and some walk through all
/// of it.
#[cfg(unix)]
pub(super) fn make_room(connections: u32) -> u32 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = u64::from(connections) + u64::from(OTHERS);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // None is no bound.
    let Some(current) = current.filter(|current| *current < needed) else {
        return connections;
    };
    let within_reach = maximum.map_or(needed, |maximum| maximum.min(needed));
    let raised = Rlimit {
        current: Some(within_reach),
        maximum,
    };
    let open_files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => within_reach,
        Err(_) => current,
    };
    if open_files == needed {
        return connections;
    }
    let fit = open_files.saturating_sub(u64::from(OTHERS)).max(1);
    tracing::warn!(
        "{fit} of {connections} connections fit: the system allows this process {open_files} open \
         files; raise the limit (`ulimit -n`, LimitNOFILE) or lower limits.connections"
    );
    u32::try_from(fit).unwrap_or(connections)
}

/// Elsewhere the system has no such limit.
#[cfg(not(unix))]
pub(super) fn make_room(connections: u32) -> u32 {
    connections
}
