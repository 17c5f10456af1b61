//! Which tool to call when: the same words wherever an agent reads them, so that it learns them once.

/// Returns the table of all tools; `share` is the tool that shares a solved problem.
pub fn which_tool(share: &str) -> String {
    format!(
        "An error or odd behaviour → query_experiences; our own decisions, conventions, configuration → \
         rekall_search; how a library works in our version → get-library-docs; solved something → {share}; \
         learned something about this project → rekall_add after asking the user."
    )
}

/// Returns the table of the profile `core`.
pub fn which_core_tool(share: &str) -> String {
    format!(
        "An error, a decision or a library → recall; solved something → {share}; learned something about this \
         project → rekall_add after asking the user."
    )
}
