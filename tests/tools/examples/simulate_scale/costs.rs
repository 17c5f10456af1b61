//! What a number of records costs, between the sizes that were measured and beyond them.

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

    /// Takes the figure of this kind.
    pub(crate) const fn of(self, figures: [f64; 2]) -> f64 {
        let [lexical, with_model] = figures;
        match self {
            Self::Lexical => lexical,
            Self::WithModel => with_model,
        }
    }
}

/// Reads a figure at a number of records: on straight lines between what was measured, on the last
/// of them beyond it, and never less than the first.
pub(crate) fn at(records: f64, figure: impl Fn(&Size) -> f64) -> f64 {
    let line = SIZES.windows(2).rfind(|pair| records >= pair[0].records);
    let [from, to] = line.unwrap_or(&SIZES[..2]) else {
        return figure(&SIZES[0]);
    };
    let share = (records - from.records) / (to.records - from.records);
    let value = figure(from) + share * (figure(to) - figure(from));
    value.max(figure(&SIZES[0]))
}

/// Processor time of a query at a replica of so many records.
pub(crate) fn query(kind: Kind, records: f64) -> Service {
    Service {
        mean: at(records, |size| kind.of(size.query)),
        spread: kind.of(SPREAD),
    }
}

/// Adds to a query at a replica what it costs more where there are others.
fn beside_others(kind: Kind, replicas: usize, query: Service) -> Service {
    let share = 2.0 / kind.of(TWO_OF_ONE);
    let mean = if replicas > 1 {
        query.mean * share
    } else {
        query.mean
    };
    Service { mean, ..query }
}

/// Processor time of a query at PostgreSQL.
pub(crate) fn question(kind: Kind, records: f64) -> Service {
    Service {
        mean: at(records, |size| kind.of(size.question)),
        spread: kind.of(SPREAD),
    }
}

/// GiB of memory that a replica of so many records keeps resident.
pub(crate) fn memory(records: f64) -> f64 {
    at(records, |size| size.own + size.mapped) / 1024.0
}

/// GiB of a replica's index and of the database on disk.
pub(crate) fn disks(records: f64) -> [f64; 2] {
    [
        at(records, |size| size.index) / 1024.0,
        at(records, |size| size.database) / 1024.0,
    ]
}

/// A system of so many records, before anything comes.
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
        question: question(kind, records),
        submit: SUBMIT,
        intake: INTAKE,
        insert: INSERT,
        queries: 0.0,
        submits: 0.0,
    }
}
