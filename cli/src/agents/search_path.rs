//! Programs on the `PATH` that the project in the working directory did not put there. A project is often cloned, so its
//! programs are not started or written to the user's settings just because they have the right name.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::places::Places;

/// The folder in which npm installs packages. Package managers put the programs of a project's packages on the `PATH`.
const PACKAGES: &str = "node_modules";

/// Returns the working directory if it may be a project; `None` if the home directory is in it.
pub(crate) fn working_project() -> Option<PathBuf> {
    let folder = env::current_dir().ok()?;
    let home = Places::from_process().map(|places| real(&places.home));
    let is_around_home = home.is_some_and(|home| home.starts_with(real(&folder)));
    (!is_around_home).then_some(folder)
}

/// Returns the programs with one of these file names on the `PATH`, except those in relative folders, in folders of npm
/// packages and in `project`.
pub(crate) fn programs_outside(
    search_path: &OsStr,
    project: Option<&Path>,
    file_names: &[String],
) -> Vec<PathBuf> {
    let project = project.map(real);
    let is_outside = |folder: &PathBuf| {
        let is_of_project = |folder: &Path| {
            let mut parts = folder.components();
            parts.any(|part| part.as_os_str() == PACKAGES)
                || project.as_deref().is_some_and(|it| folder.starts_with(it))
        };
        folder.is_absolute() && !is_of_project(folder) && !is_of_project(&real(folder))
    };
    let folders = env::split_paths(search_path).filter(is_outside);
    let files = folders.flat_map(|folder| file_names.iter().map(move |name| folder.join(name)));
    files.filter(|file| is_program(file)).collect()
}

/// Returns whether a file can be run.
fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| {
        #[cfg(unix)]
        let can_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
        #[cfg(not(unix))]
        let can_run = true;
        metadata.is_file() && can_run
    })
}

/// Returns a path without links, or the path itself if it does not exist.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    //! A project does not decide which program is found.

    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_program_of_the_project_is_not_found() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let file = |folder: &str, mode: u32| {
            let folder = home.path().join(folder);
            fs::create_dir_all(&folder).expect("the folder is writable");
            let file = folder.join("program");
            fs::write(&file, "").expect("the folder is writable");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
            file
        };
        let project = home.path().join("shop");
        let own = file("shop/bin", 0o755);
        let of_package = file("node_modules/.bin", 0o755);
        let no_program = file("notes", 0o644);
        let installed = file("bin", 0o755);
        let link = home.path().join("link");
        symlink(project.join("bin"), &link).expect("the folder is writable");
        let linked = link.join("program");
        let relative = PathBuf::from("bin/program");
        let check = |files: &[&PathBuf], expected: &[&PathBuf]| {
            let folders = files.iter().filter_map(|file| file.parent());
            let path = env::join_paths(folders).expect("no folder has a colon in its name");
            let found = programs_outside(&path, Some(&project), &["program".to_owned()]);
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{files:?}");
        };
        check(&[&own, &installed], &[&installed]);
        check(&[&linked, &of_package, &installed], &[&installed]);
        check(&[&no_program, &relative], &[]);
    }
}
