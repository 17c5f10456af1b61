//! Git repositories: their versions, and the files of a version.
//!
//! Every repository is read through a private, empty one, which borrows the objects of a local repository or
//! fetches those of one version, without history, from a remote one. So the settings, attributes and hooks of
//! the other repository have no effect. Submodules are not read.
//!
//! A requested version is looked up among the names that the repository lists; the text of the request never
//! gets onto git's command line.

mod command;
mod refs;
mod remote;

use std::{ffi::OsString, fs, path::Path};

use tempfile::TempDir;
use url::Url;

use self::{
    command::{Git, Task},
    refs::{Ref, Refs},
    remote::Remote,
};
use super::{SourceError, SourceOptions, archive, gather::Gather, scratch};

/// Attributes of a repository can exclude its documentation from archives, or rewrite files in them: this
/// disables all of that.
const ATTRIBUTES: &str = "* !export-ignore !export-subst !filter !text !eol !ident \
                          !working-tree-encoding\n";

/// An open repository.
#[derive(Debug)]
pub(super) struct Repository {
    git: Git,
    /// The folder of the private repository, which is also git's home; deleted when this is dropped.
    private: TempDir,
    place: Place,
    refs: Refs,
}

#[derive(Debug)]
enum Place {
    /// The folder of its objects.
    Local(OsString),
    Remote(Remote),
}

impl Repository {
    /// Opens a local repository by its git folder, which is only read.
    ///
    /// *Errors*: git is missing, too old or fails.
    pub(super) fn local(folder: &Path, options: &SourceOptions) -> Result<Self, SourceError> {
        let private = private(options)?;
        let git = Git::find(private.path(), options)?;
        let list = |arguments: &[&str]| {
            let mut task = Task::new("read the repository", folder);
            task.arguments(arguments);
            git.text(&task)
        };
        let objects = list(&[
            "rev-parse",
            "--path-format=absolute",
            "--git-path",
            "objects",
        ])?;
        let format = "--format=%(objectname) %(*objectname) %(refname)";
        let listed = list(&["for-each-ref", format, "refs/heads", "refs/tags"])?;
        // A repository without commits has no head.
        let head = list(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).ok();
        let refs = Refs::of_local(&listed, head.as_deref().map(str::trim));
        let length = refs.id_length();
        make(&git, private.path(), length)?;
        let place = Place::Local(objects.trim_end_matches('\n').into());
        Ok(Self {
            git,
            private,
            place,
            refs,
        })
    }

    /// Lists the versions of a repository behind a URL.
    ///
    /// *Errors*: git is missing, too old or fails; the address is private.
    pub(super) fn remote(url: &Url, options: &SourceOptions) -> Result<Self, SourceError> {
        let private = private(options)?;
        let git = Git::find(private.path(), options)?;
        let remote = Remote::new(url, options)?;
        // A git folder is always specified, because otherwise git would search for one.
        let mut task = remote.task("list the repository's versions", private.path());
        task.arguments(&["ls-remote", "--", remote.url()]);
        let refs = Refs::of_remote(&git.text(&task)?);
        make(&git, private.path(), refs.id_length())?;
        Ok(Self {
            git,
            private,
            place: Place::Remote(remote),
            refs,
        })
    }

    /// Returns the tags, the oldest version first.
    pub(super) fn tags(&self) -> Vec<String> {
        self.refs.tags()
    }

    /// Returns the commit of a tag, of a branch, of a commit id, or of the default branch.
    ///
    /// *Errors*: there is no such version.
    pub(super) fn commit(&self, at: Option<&str>) -> Result<String, SourceError> {
        Ok(self.refs.find(at)?.commit)
    }

    /// Whether its files must be fetched.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self.place, Place::Remote(_))
    }

    /// Visits the files of a version.
    ///
    /// *Errors*: there is no such version, git fails, or the limits are exceeded.
    pub(super) fn walk(
        &self,
        at: Option<&str>,
        gather: &mut Gather<'_>,
    ) -> Result<(), SourceError> {
        let found = self.refs.find(at)?;
        let mut task = Task::new("read the files of the version", self.private.path());
        match &self.place {
            Place::Local(objects) => task.environment("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects),
            Place::Remote(remote) => self.fetch(remote, &found)?,
        }
        task.arguments(&["archive", "--format=tar", &found.commit]);
        self.git.stream(&task, |stdout| {
            let flow = archive::walk_tar(stdout, gather)?;
            Ok(flow.is_continue())
        })
    }

    /// Fetches a version without its history.
    fn fetch(&self, remote: &Remote, found: &Ref) -> Result<(), SourceError> {
        // The fetched commit gets a name, so that the next version is sent as the difference to it.
        let into = format!("+{}:refs/read/{}", found.name, found.commit);
        let fetch = |depth: &[&str]| {
            let mut task = remote.task("fetch the version", self.private.path());
            task.arguments(&["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"]);
            task.arguments(depth);
            task.arguments(&["--", remote.url(), &into]);
            self.git.text(&task).map(|_| ())
        };
        match fetch(&["--depth=1"]) {
            // Servers that only serve files cannot leave out the history.
            Err(SourceError::Git { message, .. }) if message.contains("shallow") => fetch(&[]),
            done => done,
        }
    }
}

fn private(options: &SourceOptions) -> Result<TempDir, SourceError> {
    let scratch = scratch(options);
    let made = tempfile::Builder::new()
        .prefix("recall-kit-git-")
        .tempdir_in(&scratch);
    made.map_err(|error| SourceError::scratch(&scratch, error))
}

/// Creates the private repository.
fn make(git: &Git, folder: &Path, id_length: usize) -> Result<(), SourceError> {
    let format = match id_length {
        64 => "--object-format=sha256",
        _ => "--object-format=sha1",
    };
    let mut task = Task::new("create a temporary repository", folder);
    task.arguments(&["init", "--quiet", "--bare", "--template=", format]);
    git.text(&task)?;
    let info = folder.join("info");
    let written =
        fs::create_dir_all(&info).and_then(|()| fs::write(info.join("attributes"), ATTRIBUTES));
    written.map_err(|error| SourceError::scratch(&info, error))
}

#[cfg(test)]
mod tests;
