//! Shared code of the benchmarks and simulations: generated records, load, and times.
//!
//! `benches/` contains the measurements that criterion compares, `examples/` the longer ones that each print a
//! table, the simulation of a large deployment, and the fixtures of the MCP conformance suites.

pub mod application;
pub mod bare;
pub mod corpus;
pub mod fill;
pub mod load;
pub mod measure;
pub mod percentiles;
pub mod records;
