//! Where documentation comes from: a folder, a file, an archive, a git repository, a web address.
//!
//! A source is read as it is and never changed. Archives are read as streams and never unpacked to
//! disk; git repositories are read through git, local ones in place. The network is asked only for
//! an address that a person typed.
//!
//! Security properties: no path leaves the source; what an archive or a server sends is bounded by
//! [`Limits`]; an address is checked where it is connected to, also behind redirects; git runs
//! without the settings, hooks and credentials of its user; no error holds a password.

mod address;
mod archive;
mod error;
mod fetch;
mod folder;
mod gather;
mod git;
mod limits;
mod llms;
mod sent;
mod skip;
mod typed;

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::NamedTempFile;

pub use error::SourceError;
pub use limits::{Limits, SourceOptions};
pub use sent::{Input, SentFile};
pub use skip::SkipReason;

use self::{
    archive::Packing,
    fetch::{Fetcher, Wanted},
    gather::Gather,
    git::Repository,
    llms::Pages,
    typed::Typed,
};

/// Whether a person typed a web address, so that no file of this machine is read.
pub fn is_web_address(text: &str) -> bool {
    matches!(Typed::parse(text), Ok(Typed::Git(_) | Typed::Web(_)))
}

/// One file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the source, parts separated by `/`, never `..`.
    pub path: String,
    /// As stored; `decode::decode` makes text of them.
    pub bytes: Vec<u8>,
}

/// A file or folder that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// As [`SourceFile::path`]; a folder ends in `/`. Fit for a terminal.
    pub path: String,
    /// Why; shows as a sentence.
    pub reason: SkipReason,
}

/// What a walk came by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// Files that were visited.
    pub files: usize,
    /// Bytes of them.
    pub bytes: u64,
    /// What was not read. What lies in a skipped folder is not listed.
    pub skipped: Vec<Skipped>,
    /// Whether the visitor ended the walk.
    pub stopped: bool,
}

/// Of what kind a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// One file.
    File,
    /// A folder, as it is on disk.
    Folder,
    /// A zip, tar or tar.gz archive.
    Archive,
    /// A commit of a git repository.
    Git,
    /// An `llms.txt` on the web and the pages that it links to.
    Pages,
}

/// What a source is, for people and to read it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Of what kind.
    pub kind: SourceKind,
    /// An absolute path, or a URL without user name and password. [`Source::open`] understands it.
    pub origin: String,
    /// The commit that is read, in hexadecimal; only of git.
    pub commit: Option<String>,
}

/// A source that was opened.
#[derive(Debug)]
pub struct Source {
    origin: String,
    options: SourceOptions,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(PathBuf),
    /// A folder, and the git folder in it.
    Folder(PathBuf, Option<PathBuf>),
    Archive(Packing, PathBuf),
    Git(Repository),
    /// A file that came over the network: its name and where it is kept.
    FetchedFile(String, Arc<NamedTempFile>),
    FetchedArchive(Packing, Arc<NamedTempFile>),
    FetchedPages(Pages),
}

impl Source {
    /// Opens what a person typed: a path; a URL of a file, of an archive or of an `llms.txt`; a URL
    /// of a git repository, which ends in `.git`, begins with `git+`, or is a project's page at
    /// GitHub, GitLab, Codeberg or Bitbucket.
    ///
    /// Blocks while a URL is asked; call it where blocking is allowed.
    ///
    /// *Errors*: there is no such thing, it is of a kind that is not read, or its address is private
    /// and that was not allowed.
    pub fn open(text: &str, options: &SourceOptions) -> Result<Self, SourceError> {
        let (origin, content) = match Typed::parse(text)? {
            Typed::Path(path) => {
                let path = path
                    .canonicalize()
                    .map_err(|error| missing(text, &path, error))?;
                (path.display().to_string(), local(path, options)?)
            }
            Typed::Git(url) => {
                let origin = format!("git+{}", typed::shown(&url));
                (origin, Content::Git(Repository::remote(&url, options)?))
            }
            Typed::Web(url) => (typed::shown(&url), web(&url, options)?),
        };
        Ok(Self {
            origin,
            options: options.clone(),
            content,
        })
    }

    /// Opens what is to be read in: what a person typed as [`Self::open`] does, else the file that
    /// was sent.
    ///
    /// *Errors*: as of [`Self::open`].
    pub fn of(input: &Input, options: &SourceOptions) -> Result<Self, SourceError> {
        let sent = match input {
            Input::Typed(text) => return Self::open(text, options),
            Input::Sent(sent) => sent,
        };
        let (name, file) = (sent.name(), sent.kept());
        let content = match archive::packing(file.path(), name)? {
            Some(packing) => Content::FetchedArchive(packing, file),
            None => Content::FetchedFile(name.to_owned(), file),
        };
        Ok(Self {
            origin: sent.origin(),
            options: options.clone(),
            content,
        })
    }

    /// The tags of a git repository, oldest version first; none of anything else.
    ///
    /// *Errors*: git is missing or fails.
    pub fn tags(&self) -> Result<Vec<String>, SourceError> {
        Ok(match self.repository()? {
            Some(repository) => repository.get().tags(),
            None => Vec::new(),
        })
    }

    /// What is read `at` a tag, branch or commit; without one, of a folder what is on disk, of a
    /// repository its default branch.
    ///
    /// *Errors*: there is no such version, or git is missing or fails.
    pub fn described(&self, at: Option<&str>) -> Result<Described, SourceError> {
        let kind = match &self.content {
            Content::Folder(..) if at.is_some() => SourceKind::Git,
            Content::Folder(..) => SourceKind::Folder,
            Content::File(_) | Content::FetchedFile(..) => SourceKind::File,
            Content::Archive(..) | Content::FetchedArchive(..) => SourceKind::Archive,
            Content::Git(_) => SourceKind::Git,
            Content::FetchedPages(_) => SourceKind::Pages,
        };
        let commit = match kind {
            SourceKind::Git => Some(self.versions()?.get().commit(at)?),
            _ => None,
        };
        let origin = self.origin.clone();
        Ok(Described {
            kind,
            origin,
            commit,
        })
    }

    /// Calls `visit` for every file worth reading, in the order of paths where the source has one,
    /// and says what was skipped and why.
    ///
    /// `at` is as in [`Self::described`]. Blocks; call it where blocking is allowed.
    ///
    /// *Errors*: the source is damaged, refused or too large. What was visited before is then not the
    /// whole and must not be kept.
    pub fn walk(
        &self,
        at: Option<&str>,
        visit: &mut dyn FnMut(SourceFile) -> ControlFlow<()>,
    ) -> Result<Walked, SourceError> {
        let mut gather = Gather::new(&self.options.limits, visit);
        self.gather(at, &mut gather)?;
        Ok(gather.finish())
    }

    /// How many files a walk will look into at most, where that can be said without the network. As
    /// [`Self::walk`], it blocks.
    pub fn count(&self, at: Option<&str>) -> Option<usize> {
        let is_remote = match &self.content {
            Content::Git(repository) => repository.is_remote(),
            Content::FetchedPages(_) => true,
            _ => false,
        };
        if is_remote {
            return None;
        }
        let mut gather = Gather::counting(&self.options.limits);
        // What is wrong with the source the walk will say.
        self.gather(at, &mut gather).ok()?;
        Some(gather.finish().files)
    }

    fn gather(&self, at: Option<&str>, gather: &mut Gather<'_>) -> Result<(), SourceError> {
        match (&self.content, at) {
            (Content::Git(_), _) | (_, Some(_)) => self.versions()?.get().walk(at, gather),
            (Content::File(path), None) => folder::one_file(path, &name_of(path), gather),
            (Content::FetchedFile(name, file), None) => folder::one_file(file.path(), name, gather),
            (Content::Folder(path, _), None) => folder::walk(path, gather),
            (Content::Archive(packing, path), None) => archive::walk(*packing, path, gather),
            (Content::FetchedArchive(packing, file), None) => {
                archive::walk(*packing, file.path(), gather)
            }
            (Content::FetchedPages(pages), None) => pages.walk(gather),
        }
    }

    fn versions(&self) -> Result<Held<'_>, SourceError> {
        let repository = self.repository()?;
        repository.ok_or_else(|| SourceError::NotGit(self.origin.clone()))
    }

    /// The repository of the source; that of a folder is opened when it is asked for.
    fn repository(&self) -> Result<Option<Held<'_>>, SourceError> {
        match &self.content {
            Content::Git(repository) => Ok(Some(Held::Open(repository))),
            Content::Folder(_, Some(git)) => {
                let repository = Repository::local(git, &self.options)?;
                Ok(Some(Held::Own(Box::new(repository))))
            }
            _ => Ok(None),
        }
    }
}

/// A repository that is open, or was opened just now.
enum Held<'a> {
    Open(&'a Repository),
    Own(Box<Repository>),
}

impl Held<'_> {
    fn get(&self) -> &Repository {
        match self {
            Self::Open(repository) => repository,
            Self::Own(repository) => repository,
        }
    }
}

fn missing(typed: &str, path: &Path, error: std::io::Error) -> SourceError {
    match error.kind() {
        std::io::ErrorKind::NotFound => SourceError::Missing(typed.to_owned()),
        _ => SourceError::unreadable(path, error),
    }
}

fn local(path: PathBuf, options: &SourceOptions) -> Result<Content, SourceError> {
    let metadata = path
        .metadata()
        .map_err(|error| SourceError::unreadable(&path, error))?;
    if metadata.is_dir() {
        let git = path.join(".git");
        let is_bare = ["HEAD", "objects", "refs"].map(|name| path.join(name).exists()) == [true; 3];
        return Ok(match (git.exists(), is_bare) {
            (true, _) => Content::Folder(path, Some(git)),
            (false, true) => Content::Git(Repository::local(&path, options)?),
            (false, false) => Content::Folder(path, None),
        });
    }
    if !metadata.is_file() {
        return Err(SourceError::Typed {
            typed: path.display().to_string(),
            reason: "it is neither a file nor a folder",
        });
    }
    Ok(match archive::packing(&path, &name_of(&path))? {
        Some(packing) => Content::Archive(packing, path),
        None => Content::File(path),
    })
}

fn web(url: &url::Url, options: &SourceOptions) -> Result<Content, SourceError> {
    let mut file = NamedTempFile::new_in(scratch(options))
        .map_err(|error| SourceError::scratch(&scratch(options), error))?;
    let fetcher = Fetcher::new(url, options)?;
    let wanted = Wanted {
        url,
        limit: options.limits.download_bytes,
        stay: false,
    };
    let fetched = fetcher.get(wanted, file.as_file_mut())?;
    if llms::is_index(url) {
        return Ok(Content::FetchedPages(Pages::new(fetcher, fetched, file)));
    }
    let name = fetched.name();
    Ok(match archive::packing(file.path(), &name)? {
        Some(packing) => Content::FetchedArchive(packing, Arc::new(file)),
        None => Content::FetchedFile(name, Arc::new(file)),
    })
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The folder for downloads and clones.
fn scratch(options: &SourceOptions) -> PathBuf {
    match options.scratch.as_os_str().is_empty() {
        true => std::env::temp_dir(),
        false => options.scratch.clone(),
    }
}

#[cfg(test)]
mod tests;
