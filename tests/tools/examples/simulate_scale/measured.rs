//! The measured figures and their sources. No other file of this program contains figures of RecallKit.
//!
//! `bench_replicas` is `tests/tools/examples/bench_replicas`, as a release build, on two cores, with generated
//! records of about 110 words and vectors of 384 dimensions.

use crate::queue::Service;

/// The costs for one size of a database: measured with `bench_replicas --records N` unless noted otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) records: f64,
    /// Processor time of a query in milliseconds at a replica, lexical and with the model.
    pub(crate) query: [f64; 2],
    /// Processor time of a query in milliseconds at PostgreSQL, lexical and with the model.
    pub(crate) database_query: [f64; 2],
    /// MiB of a replica: anonymous memory, mapped files, index on disk.
    pub(crate) own: f64,
    pub(crate) mapped: f64,
    pub(crate) index: f64,
    /// MiB of the database on disk.
    pub(crate) database: f64,
}

pub(crate) const SIZES: [Size; 3] = [
    Size {
        records: 1e4,
        query: [0.163, 3.990],
        database_query: [0.137, 0.316],
        own: 412.0,
        mapped: 64.0,
        index: 6.0,
        database: 51.0,
    },
    Size {
        records: 1e5,
        query: [0.420, 6.740],
        database_query: [0.328, 0.449],
        own: 459.0,
        mapped: 114.0,
        index: 57.0,
        database: 166.0,
    },
    // Composed: queries are those of 100,000 records plus what `docs/design/search.md` has from there to a
    // million, 0.055 to 0.64 ms for words and 1.8 to 9.2 ms for cosines; PostgreSQL, whose cost does not depend
    // on the size, is that of 100,000; memory and disks continue as from 10,000 to 100,000.
    Size {
        records: 1e6,
        query: [1.005, 14.725],
        database_query: [0.328, 0.449],
        own: 929.0,
        mapped: 614.0,
        index: 567.0,
        database: 1_316.0,
    },
];

/// Processor time of a query at one replica, and at one of two, in milliseconds, lexical and with the model
/// (medians); and the throughput of two replicas with one core each as a multiple of one replica's (median of
/// the turns). Source: `bench_replicas`.
pub(crate) const ALONE: [f64; 2] = [0.163, 3.990];
pub(crate) const BESIDE: [f64; 2] = [0.209, 4.490];
pub(crate) const TWO_OF_ONE: [f64; 2] = [1.53, 1.66];

/// The spread of queries, lexical and with the model. Source: `docs/reference/figures.md` at 10,000 records:
/// p99 is 2.2 ms with a median of 0.65 ms lexically, and 9 ms with a median of 6 ms with the model; ln(p99 /
/// p50) / 2.326, as for a log-normal distribution.
pub(crate) const SPREAD: [f64; 2] = [0.524, 0.174];
/// The spread of submissions: p99 is 15 ms with a median of 11 ms, `docs/design/search.md`.
const SUBMIT_SPREAD: f64 = 0.133;

/// The processor times of a submission with the model at the replica that accepts it, at another one, and at
/// PostgreSQL, one submission at a time. Source: `bench_replicas`.
pub(crate) const SUBMIT: Service = Service {
    mean: 62.7,
    spread: SUBMIT_SPREAD,
};
pub(crate) const INTAKE: Service = Service {
    mean: 0.8,
    spread: SUBMIT_SPREAD,
};
pub(crate) const INSERT: Service = Service {
    mean: 3.69,
    spread: SUBMIT_SPREAD,
};
/// Submissions per second that one family's row of `heads` allows: 128 clients, two replicas, without the
/// model, so that nothing else was a limit. Source: `bench_replicas`.
pub(crate) const HEAD_ROW_SUBMITS: f64 = 692.0;

/// Records per second that one thread adds to an index: `docs/design/search.md`, at 1,000,000.
pub(crate) const RECORDS_TAKEN_IN: f64 = 9_100.0;
/// Seconds to open an index of a million records: `docs/design/search.md`.
pub(crate) const OPENING_A_MILLION: f64 = 1.0;

/// Connections of a server, including its listener's: the default of `database.connections` plus one.
pub(crate) const CONNECTIONS: f64 = 11.0;
/// Connections that PostgreSQL accepts by default: `max_connections` minus the reserved ones.
pub(crate) const CONNECTIONS_TAKEN: f64 = 97.0;
