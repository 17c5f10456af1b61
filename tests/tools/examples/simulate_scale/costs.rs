//! The costs for a number of records, between the measured sizes and beyond them.

use crate::{
    measured::{INSERT, INTAKE, SIZES, SPREAD, SUBMIT, Size, TWO_OF_ONE},
    queue::{Service, System},
};

/// How queries search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Lexical,
    WithModel,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Lexical, Self::WithModel];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::WithModel => "with the model",
        }
    }

    /// Returns the figure of this kind.
    pub(crate) const fn of(self, figures: [f64; 2]) -> f64 {
        let [lexical, with_model] = figures;
        match self {
            Self::Lexical => lexical,
            Self::WithModel => with_model,
        }
    }
}

/// Returns a figure for a number of records: by linear interpolation between the measured sizes, by
/// extrapolation of the last interval beyond them, and never less than the first.
pub(crate) fn at(records: f64, figure: impl Fn(&Size) -> f64) -> f64 {
    let line = SIZES.windows(2).rfind(|pair| records >= pair[0].records);
    let [from, to] = line.unwrap_or(&SIZES[..2]) else {
        return figure(&SIZES[0]);
    };
    let share = (records - from.records) / (to.records - from.records);
    let value = figure(from) + share * (figure(to) - figure(from));
    value.max(figure(&SIZES[0]))
}

/// Returns the processor time of a query at a replica with this many records.
pub(crate) fn query(kind: Kind, records: f64) -> Service {
    Service {
        mean: at(records, |size| kind.of(size.query)),
        spread: kind.of(SPREAD),
    }
}

/// Returns the processor time of a query at a replica with the extra cost if there are other replicas.
fn beside_others(kind: Kind, replicas: usize, query: Service) -> Service {
    let share = 2.0 / kind.of(TWO_OF_ONE);
    let mean = if replicas > 1 {
        query.mean * share
    } else {
        query.mean
    };
    Service { mean, ..query }
}

/// Returns the processor time of a query at PostgreSQL.
pub(crate) fn database_query(kind: Kind, records: f64) -> Service {
    Service {
        mean: at(records, |size| kind.of(size.database_query)),
        spread: kind.of(SPREAD),
    }
}

/// Returns the resident memory of a replica with this many records, in GiB.
pub(crate) fn memory(records: f64) -> f64 {
    at(records, |size| size.own + size.mapped) / 1024.0
}

/// Returns the sizes on disk of a replica's index and of the database, in GiB.
pub(crate) fn disks(records: f64) -> [f64; 2] {
    [
        at(records, |size| size.index) / 1024.0,
        at(records, |size| size.database) / 1024.0,
    ]
}

/// Returns a system with this many records and without load.
pub(crate) fn system(
    kind: Kind,
    records: f64,
    (replicas, cores, database_cores): (usize, usize, usize),
) -> System {
    System {
        replicas,
        cores,
        database_cores,
        query: beside_others(kind, replicas, query(kind, records)),
        database_query: database_query(kind, records),
        submit: SUBMIT,
        intake: INTAKE,
        insert: INSERT,
        queries: 0.0,
        submits: 0.0,
    }
}
