//! The harness of the behaviour tests: starts the built programs and talks to them as their users do. It links
//! none of them, so a test sees only what a user sees.
//!
//! [`source_tree`] is different: it reads this repository, for the checks of `tidy` and the figures of
//! `source-stats`.
//!
//! Every wait ends by [`DEADLINE`] with a message that names what was awaited. Nothing sleeps, except a client
//! between two attempts.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

mod advisories;
mod ai;
mod browser;
mod chat;
mod collector;
mod cuttable;
mod dice;
mod embeddings;
mod events;
mod faces;
mod gateway;
mod home;
mod keys;
mod language_model;
mod legacy_sse;
mod limits;
mod load;
mod mcp;
mod mixed;
mod node;
mod npm;
mod packages;
mod process;
mod proxy;
mod python;
mod raw;
mod recorder;
pub mod records;
mod routes;
mod screen;
mod scripts;
mod server;
mod socket;
mod solved;
pub mod source_tree;
mod stateless;
mod stdio;
mod visitor;
mod watched;
mod wire;

use std::time::Duration;

pub use advisories::Report as AdvisoryReport;
pub use ai::{AiAnswer, AiEndpoint};
pub use browser::run_browser_flow;
pub use chat::{ChatEndpoint, ChatScript};
pub use collector::{Batch, TraceCollector};
pub use cuttable::CuttableProxy;
pub use dice::Dice;
pub use embeddings::{EmbeddingsEndpoint, Script};
pub use events::{Event, EventStream};
pub use faces::BothProtocols;
pub use gateway::{Gateway, GatewayAnswer};
pub use home::Home;
pub use keys::{expire_key, make_key, revoke_key};
pub use language_model::LanguageModel;
pub use legacy_sse::LegacySession;
pub use limits::raise_open_files;
pub use load::{Load, LoadReport};
pub use mcp::McpSession;
pub use mixed::{Acknowledged, MixedLoad};
pub use node::{node, node_package};
pub use npm::NpmClient;
pub use packages::{command_in, package, packages, run_in, unprivileged_in, virtual_environment};
pub use process::{Output, built, client, example, run, server as server_command, shell, start};
pub use proxy::AnswerDroppingProxy;
pub use python::{DatabaseLock, Keystroke, answers, lock_database, lock_file, on_terminal, python};
pub use raw::{RawAnswer, RawConnection, RawRest};
pub use recorder::Recorder;
pub use routes::{RouteRequest, guarded_routes, open_routes};
pub use screen::screen;
pub use scripts::{Gate, RunningProgram, Witness, script_tool};
pub use server::{Launch, Server};
pub use socket::Socket;
pub use solved::{meaning, questions, records as solved_records};
pub use stateless::Stateless;
pub use stdio::StdioPeer;
pub use visitor::{Visitor, make_user, password_of, token_of};
pub use watched::WatchedFolder;
pub use wire::{HttpAnswer, Wire, envelope, experience, json_rpc};

/// How long a test waits for anything before it fails; generous, since the machine may be busy.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// The tools that a server offers, in the order of its list.
pub const TOOLS: [&str; 15] = [
    "recall",
    "query_experiences",
    "submit_experience",
    "report_outcome",
    "rekall_help",
    "rekall_search",
    "rekall_add",
    "rekall_show",
    "rekall_suggest_links",
    "rekall_suggest_generalize",
    "rekall_link",
    "rekall_accept_suggestion",
    "rekall_reject_suggestion",
    "search-libraries",
    "get-library-docs",
];

/// The names of [`TOOLS`], sorted.
pub fn sorted_tools() -> Vec<&'static str> {
    let mut tools = TOOLS.to_vec();
    tools.sort_unstable();
    tools
}

/// Prints a figure; the test runner shows it when the output of passing tests is shown.
#[expect(clippy::print_stdout, reason = "the test runner captures it")]
pub fn print_figure(figure: impl std::fmt::Display) {
    println!("{figure}");
}

/// Waits for `future`, and fails the test with a message that names `what` after [`DEADLINE`].
pub async fn within_deadline<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what}: not within {DEADLINE:?}"),
    }
}
