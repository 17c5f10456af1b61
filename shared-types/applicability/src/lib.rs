//! Where an experience applies: versions of packages, runtimes, tools and platforms, found in text, compared, and
//! explained.
//!
//! The wire shapes are in `recall_kit_shared_types::applicability`; this crate gives them meaning, for server, client
//! and pages alike. [`Claims`] is what a record says, [`Surroundings`] what the asker has, and [`judge`] compares them.
//! [`claims_in`] and [`surroundings_in`] find both in text. Nothing here reads files or the network.

mod claims;
mod concerning;
mod judge;
mod known;
mod line;
mod purl;
mod range;
mod scheme;
mod subject;
mod surroundings;
#[cfg(test)]
mod tests;
mod text;

pub use self::{
    claims::{Claim, Claims, InvalidApplies, InvalidWord},
    judge::{Fitness, Judgement, judge, verdict},
    known::{Import, imports},
    line::{ECOSYSTEMS, InvalidLine, LineProblem},
    purl::{InvalidName, PackageName, compared_name},
    range::{InvalidRange, Range},
    scheme::Scheme,
    subject::Subject,
    surroundings::{InvalidEnvironment, Surroundings},
    text::{RecordTexts, Vocabulary, claims_in, surroundings_in},
};

/// The version of what reads ranges from texts. A later one reads the texts of stored records anew.
pub const READER: u32 = 2;
