//! Fair scheduling: [`FairQueue`] decides whose work is next, and [`flow`] identifies whose work it is.

pub mod flow;
mod queue;

pub use self::{
    flow::{Flow, Voice},
    queue::{FairQueue, Turn, Urgency},
};
