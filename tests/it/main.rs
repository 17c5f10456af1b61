//! Behaviour of the built programs over real transports: what their users see, and nothing else.

#![allow(clippy::unwrap_used)]

mod abuse;
mod access;
mod api_keys;
mod bad_databases;
mod bad_input;
mod calls;
mod client_failures;
mod client_query;
mod client_sanitize;
mod client_setup;
mod client_submit;
mod clients;
mod conformance;
mod contract;
mod crashes;
mod deploy;
mod documents;
mod durability;
mod embeddings;
mod features;
mod guard;
mod idempotency;
mod json_rpc;
mod limits;
mod load;
mod mcp;
mod metrics;
mod operations;
mod pages;
mod processes;
mod prompts;
mod resources;
mod search;
mod secrets;
mod settings;
mod snapshots;
mod sse;
mod stdio;
mod text;
mod tidy;
mod tls;
mod torn_index;
mod transfer;
mod websocket;
