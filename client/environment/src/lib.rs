//! The environment of a project, read from its lock files, and what of it may leave the machine.
//!
//! [`Project::find`] reads the lock files that count for a folder, and the settings of the package managers, which say
//! what is private. [`Project::relevant`] returns only what matters to a question, its error output or a record. A file
//! that cannot be read is a [note](Note), never an error, and nothing beside it counts as public.
//!
//! ```no_run
//! use recall_kit_environment::Finder;
//!
//! let output = "ModuleNotFoundError: No module named 'cv2'";
//! let project = Finder::of_user().find_for("src".as_ref(), &[output]);
//! let environment = project.relevant(&[output]);
//! ```

mod files;
mod hosts;
mod listing;
mod locks;
mod package;
mod pattern;
mod printed;
mod project;
mod public;
mod relevant;
mod runtimes;

pub use locks::{LOCK_FILES, LockFile, Problem, Strength};
pub use package::{Ecosystem, Origin, Package};
pub use printed::versions_printed;
pub use project::{Finder, Known, Note, Project, ReadFile, Reason};
pub use public::{Held, is_named, public_names};
pub use relevant::Disclosure;
