//! What the benchmarks and simulations share: made-up records, load, and times.
//!
//! `benches/` holds the measurements that criterion compares, `examples/` the longer ones that print a
//! table each, the simulation of a large deployment, and the fixtures of the MCP conformance suites.

pub mod application;
pub mod bare;
pub mod corpus;
pub mod fill;
pub mod load;
pub mod measure;
pub mod percentiles;
pub mod records;
