//! Fair shares of work: [`FairQueue`] decides whose work comes next, and [`flow`] says whose it is.

pub mod flow;
mod queue;

pub use self::{
    flow::{Flow, Voice},
    queue::{FairQueue, Turn, Urgency},
};
