//! The programs whose names may leave this machine, in statistics. Everybody knows them, so they tell nothing about who
//! uses them.

use super::kinds::{INTERPRETERS, KINDS, Words};

/// What stands for all other programs.
pub(in super::super) const OTHER: &str = "other";
/// Names with other characters than lower-case letters, digits and `-`, and what stands for them.
const SPELLINGS: [(&str, &str); 4] = [
    ("py.test", "pytest"),
    ("g++", "gcc"),
    ("c++", "cc"),
    ("clang++", "clang"),
];
/// Well-known programs besides those whose command lines are known.
const MORE: Words = Words(
    "autoconf autoreconf bats buildah clang-format clang-tidy conan configure curl docker-compose dpkg ffmpeg gdb git-lfs jar jupyter \
    lldb minikube mkdocs nginx node-gyp nvm openssl pkg-config prisma protoc pyenv qmake rbenv rpm rsync rustfmt rustup \
    scp skaffold snap sphinx-build ssh svn systemctl tar trivy unzip vagrant valgrind vcpkg virtualenv wasm-pack wget \
    xcodebuild xcrun zip",
);

/// Returns the name of a well-known program, else [`OTHER`].
pub(in super::super) fn public_name(program: &str) -> &'static str {
    let spelling = SPELLINGS.iter().find(|(name, _)| *name == program);
    let program = spelling.map_or(program, |(_, plain)| plain);
    let known = KINDS.iter().map(|kind| kind.programs);
    let name = known
        .chain([INTERPRETERS, MORE])
        .find_map(|words| words.find(program));
    name.filter(|name| is_plain(name)).unwrap_or(OTHER)
}

fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.chars().all(is_plain)
}
