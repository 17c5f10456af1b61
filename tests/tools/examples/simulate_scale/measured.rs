//! What was measured, and where it comes from. Nothing else in this program is a figure of
//! RecallKit.
//!
//! `bench_replicas` is `tests/tools/examples/bench_replicas`, release build, two cores, made-up records
//! of some 110 words with vectors of 384 dimensions.

use crate::queue::Service;

/// What one size of a database costs: `bench_replicas --records N`, where nothing else is said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) records: f64,
    /// Processor time of a query in milliseconds at a replica, lexical and with the model.
    pub(crate) query: [f64; 2],
    /// The same at PostgreSQL.
    pub(crate) question: [f64; 2],
    /// MiB of a replica: memory of its own, files in memory, index on disk.
    pub(crate) own: f64,
    pub(crate) mapped: f64,
    pub(crate) index: f64,
    /// MiB of the database.
    pub(crate) database: f64,
}

pub(crate) const SIZES: [Size; 3] = [
    Size {
        records: 1e4,
        query: [0.163, 3.990],
        question: [0.137, 0.316],
        own: 412.0,
        mapped: 64.0,
        index: 6.0,
        database: 51.0,
    },
    Size {
        records: 1e5,
        query: [0.420, 6.740],
        question: [0.328, 0.449],
        own: 459.0,
        mapped: 114.0,
        index: 57.0,
        database: 166.0,
    },
    // Put together: queries are those of 100,000 records and what `docs/design/search.md` has from there
    // to a million, 0.055 to 0.64 ms for words and 1.8 to 9.2 ms for cosines; PostgreSQL, which
    // knows no sizes, is that of 100,000; memory and disks go on as they do from 10,000 to 100,000.
    Size {
        records: 1e6,
        query: [1.005, 14.725],
        question: [0.328, 0.449],
        own: 929.0,
        mapped: 614.0,
        index: 567.0,
        database: 1_316.0,
    },
];

/// Processor time of a query at one replica, and at one of two, in milliseconds, lexical and with
/// the model, medians; what two replicas answer with a core each as a multiple of one, the median
/// of the turns: `bench_replicas`.
pub(crate) const ALONE: [f64; 2] = [0.163, 3.990];
pub(crate) const BESIDE: [f64; 2] = [0.209, 4.490];
pub(crate) const TWO_OF_ONE: [f64; 2] = [1.53, 1.66];

/// How far queries are spread: the figures of `docs/reference/figures.md` at 10,000 records, 99 % within 2.2 ms of 0.65
/// ms lexically, 9 ms of 6 ms with the model; ln(p99 / p50) / 2.326, as of a log-normal
/// distribution.
pub(crate) const SPREAD: [f64; 2] = [0.524, 0.174];
/// How far submits are spread: 15 ms of 11 ms, `docs/design/search.md`.
const SUBMIT_SPREAD: f64 = 0.133;

/// A submit with the model at the replica that takes it, at another one, and at PostgreSQL, one at
/// a time: `bench_replicas`.
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
/// Submits a second that one family's row of `heads` let through: 128 clients, two replicas,
/// without the model, so that nothing else was in the way: `bench_replicas`.
pub(crate) const HEAD_ROW_SUBMITS: f64 = 692.0;

/// Records a second that one thread takes into an index: `docs/design/search.md`, at 1,000,000.
pub(crate) const RECORDS_TAKEN_IN: f64 = 9_100.0;
/// Seconds to open an index of a million records: `docs/design/search.md`.
pub(crate) const OPENING_A_MILLION: f64 = 1.0;

/// Connections of a server, its listener's included: the default of `database.connections` and one.
pub(crate) const CONNECTIONS: f64 = 11.0;
/// Connections that PostgreSQL takes as it comes: `max_connections` less those reserved.
pub(crate) const CONNECTIONS_TAKEN: f64 = 97.0;
