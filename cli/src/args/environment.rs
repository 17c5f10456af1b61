//! The arguments of `environment`.

/// The help of `environment` below its options.
pub(crate) const ENVIRONMENT_HELP: &str = "\
Queries, outcomes and hooks name the versions of public packages that a question, its error output
or the experience mentions, runtimes and the platform, unless `environment` in the configuration is
off. The preview of a submission proposes the packages and runtimes, not the platform. They are read
from the lock files of the working directory. Packages of other registries, private scopes,
repositories and folders never leave.

Example:
  npm test 2>&1 | recall-kit-client environment --for -";

#[derive(Debug, clap::Args)]
pub(crate) struct EnvironmentArgs {
    /// The question or the output for which it would be sent; - for stdin
    #[arg(long = "for", value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Also name each package, the private ones too
    #[arg(long)]
    pub(crate) all: bool,
}
