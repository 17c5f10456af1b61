//! Sources of documentation: a folder, a file, an archive, a git repository, a web address.
//!
//! A source is never changed. Archives are read as streams and never unpacked to disk; git repositories are read
//! with git, local ones in place. The network is only used for an address that the user gave.
//!
//! Security properties: no path leaves the source; [`Limits`] bound what an archive or a server can send; an
//! address is checked when it is connected to, also after redirects; git runs without the settings, hooks and
//! credentials of its user; no error contains a password.

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
    fetch::{FetchRequest, Fetcher},
    gather::Gather,
    git::Repository,
    llms::Pages,
    typed::Location,
};

/// Whether a text is a web address, as opposed to a path on this machine.
pub fn is_web_address(text: &str) -> bool {
    matches!(
        Location::parse(text),
        Ok(Location::Git(_) | Location::Web(_))
    )
}

/// One file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path relative to the source; parts are separated by `/` and never `..`.
    pub path: String,
    /// The contents as stored; `decode::decode` converts them to text.
    pub bytes: Vec<u8>,
}

/// A file or folder that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Like [`SourceFile::path`]; a folder ends with `/`. Safe to print on a terminal.
    pub path: String,
    /// The reason; displayed as a sentence.
    pub reason: SkipReason,
}

/// The result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// The number of files that were visited.
    pub files: usize,
    /// The total size of these files.
    pub bytes: u64,
    /// What was skipped. The contents of a skipped folder are not listed.
    pub skipped: Vec<Skipped>,
    /// Whether the visitor stopped the walk.
    pub stopped: bool,
}

/// The kinds of sources.
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

/// A description of a source, to be displayed and to open it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// The kind of the source.
    pub kind: SourceKind,
    /// An absolute path, or a URL without user name and password. [`Source::open`] accepts it.
    pub origin: String,
    /// The commit that is read, in hexadecimal; only for git.
    pub commit: Option<String>,
}

/// An open source.
#[derive(Debug)]
pub struct Source {
    origin: String,
    options: SourceOptions,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(PathBuf),
    /// A folder, and the git folder in it if there is one.
    Folder(PathBuf, Option<PathBuf>),
    Archive(Packing, PathBuf),
    Git(Repository),
    /// A file that was fetched or uploaded: its name and its temporary file.
    FetchedFile(String, Arc<NamedTempFile>),
    FetchedArchive(Packing, Arc<NamedTempFile>),
    FetchedPages(Pages),
}

impl Source {
    /// Opens a source: a path; a URL of a file, of an archive or of an `llms.txt`; or a URL of a git repository,
    /// which ends in `.git`, begins with `git+`, or is a project page at GitHub, GitLab, Codeberg or Bitbucket.
    ///
    /// Blocks while a URL is requested; call it where blocking is allowed.
    ///
    /// *Errors*: the source does not exist, its format is not supported, or its address is private and that is
    /// not allowed.
    pub fn open(text: &str, options: &SourceOptions) -> Result<Self, SourceError> {
        let (origin, content) = match Location::parse(text)? {
            Location::Path(path) => {
                let path = path
                    .canonicalize()
                    .map_err(|error| missing(text, &path, error))?;
                (path.display().to_string(), local(path, options)?)
            }
            Location::Git(url) => {
                let origin = format!("git+{}", typed::without_credentials(&url));
                (origin, Content::Git(Repository::remote(&url, options)?))
            }
            Location::Web(url) => (typed::without_credentials(&url), web(&url, options)?),
        };
        Ok(Self {
            origin,
            options: options.clone(),
            content,
        })
    }

    /// Opens an input: a text like [`Self::open`], or an uploaded file.
    ///
    /// *Errors*: those of [`Self::open`].
    pub fn of(input: &Input, options: &SourceOptions) -> Result<Self, SourceError> {
        let sent = match input {
            Input::Typed(text) => return Self::open(text, options),
            Input::Sent(sent) => sent,
        };
        let (name, file) = (sent.name(), sent.file());
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

    /// Returns the tags of a git repository, the oldest version first; empty for other sources.
    ///
    /// *Errors*: git is missing or fails.
    pub fn tags(&self) -> Result<Vec<String>, SourceError> {
        Ok(match self.repository()? {
            Some(repository) => repository.get().tags(),
            None => Vec::new(),
        })
    }

    /// Describes what is read `at` a tag, branch or commit. Without one, that is the contents of a folder on
    /// disk, or the default branch of a repository.
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

    /// Calls `visit` for every file to be read, in the order of the paths if the source has such an order;
    /// returns what was skipped and why.
    ///
    /// `at` is as in [`Self::described`]. Blocks; call it where blocking is allowed.
    ///
    /// *Errors*: the source is damaged, rejected or too large. The files that were visited before are then
    /// incomplete and must not be stored.
    pub fn walk(
        &self,
        at: Option<&str>,
        visit: &mut dyn FnMut(SourceFile) -> ControlFlow<()>,
    ) -> Result<Walked, SourceError> {
        let mut gather = Gather::new(&self.options.limits, visit);
        self.gather(at, &mut gather)?;
        Ok(gather.finish())
    }

    /// Returns an upper bound for the number of files that a walk reads, if it can be known without the network.
    /// Like [`Self::walk`], this blocks.
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
        // Errors of the source are reported by the walk.
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

    fn versions(&self) -> Result<RepositoryRef<'_>, SourceError> {
        let repository = self.repository()?;
        repository.ok_or_else(|| SourceError::NotGit(self.origin.clone()))
    }

    /// Returns the repository of the source; that of a folder is opened only here.
    fn repository(&self) -> Result<Option<RepositoryRef<'_>>, SourceError> {
        match &self.content {
            Content::Git(repository) => Ok(Some(RepositoryRef::Borrowed(repository))),
            Content::Folder(_, Some(git)) => {
                let repository = Repository::local(git, &self.options)?;
                Ok(Some(RepositoryRef::Owned(Box::new(repository))))
            }
            _ => Ok(None),
        }
    }
}

/// A repository that is already open, or was opened for this call.
enum RepositoryRef<'a> {
    Borrowed(&'a Repository),
    Owned(Box<Repository>),
}

impl RepositoryRef<'_> {
    fn get(&self) -> &Repository {
        match self {
            Self::Borrowed(repository) => repository,
            Self::Owned(repository) => repository,
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
    let wanted = FetchRequest {
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

/// Returns the folder for downloads and clones.
fn scratch(options: &SourceOptions) -> PathBuf {
    match options.scratch.as_os_str().is_empty() {
        true => std::env::temp_dir(),
        false => options.scratch.clone(),
    }
}

#[cfg(test)]
mod tests;
