//! Behaviour tests of the built programs over real transports: they check what users see, and nothing else.

#![allow(clippy::unwrap_used)]

mod access;
mod agents;
mod client;
mod database;
mod faults;
mod imports;
mod libraries;
mod limits;
mod memory;
mod operations;
mod packages;
mod project;
mod protocol;
mod web;
