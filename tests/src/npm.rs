//! The client's npm package as users get it: packed by npm, installed below `node_modules` of a home.

use std::{os::unix::fs::symlink, path::Path, process::Stdio};

use tokio::process::Command;

use crate::{
    Home, Output,
    node::{interpreter, tests_dir},
    process,
};

/// The package's place below a home.
const INSTALLED: &str = "node_modules/@recall-kit/mcp-client";

/// An installed package.
pub struct NpmClient<'a> {
    home: &'a Home,
}

impl<'a> NpmClient<'a> {
    /// Packs the package and installs the archive; its dependencies are linked.
    pub async fn install(home: &'a Home) -> Self {
        let source = tests_dir().join("../client/npm");
        let mut pack = Command::new("npm");
        process::isolate(&mut pack, home);
        pack.args(["pack", "--silent", "--offline", "--pack-destination"])
            .arg(home.path())
            .current_dir(source);
        let packed = finish(pack).await;
        let archive = packed.expect_code(0).trim();
        let place = home.path().join(INSTALLED);
        std::fs::create_dir_all(&place).unwrap();
        let mut unpack = Command::new("tar");
        unpack.args(["-xzf", archive, "--strip-components=1", "-C", INSTALLED]);
        unpack.current_dir(home.path());
        finish(unpack).await.expect_code(0);
        let needed = "node_modules/@modelcontextprotocol";
        symlink(tests_dir().join(needed), home.path().join(needed)).unwrap();
        Self { home }
    }

    /// Runs a script of `tests/data` that imports the package.
    pub async fn run(&self, script: &str, args: &[&str]) -> Output {
        let copy = self.home.path().join(script);
        std::fs::copy(tests_dir().join("data").join(script), &copy).unwrap();
        let mut command = self.node(&copy, args);
        command.env("RECALL_KIT_CLIENT", process::built("recall-kit-client"));
        finish(command).await
    }

    /// Runs the package's own program, with nothing on `PATH` but `folders`.
    pub async fn launch(&self, folders: &[&Path], args: &[&str]) -> Output {
        let launcher = self
            .home
            .path()
            .join(INSTALLED)
            .join("bin/recall-kit-client.js");
        let mut command = self.node(&launcher, args);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        finish(command).await
    }

    /// Compiles a file of `tests/data` against the package's types.
    pub async fn check_types(&self, file: &str) -> Output {
        std::fs::copy(
            tests_dir().join("data").join(file),
            self.home.path().join(file),
        )
        .unwrap();
        let compiler = tests_dir().join("node_modules/typescript/bin/tsc");
        let options = [
            "--noEmit", "--strict", "--target", "esnext", "--module", "nodenext",
        ];
        finish(self.node(&compiler, &[&options[..], &[file]].concat())).await
    }

    fn node(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(interpreter());
        process::isolate(&mut command, self.home);
        command
            .current_dir(self.home.path())
            .arg(program)
            .args(args);
        command
    }
}

async fn finish(mut command: Command) -> Output {
    command.kill_on_drop(true).stdin(Stdio::null());
    process::run(command, "").await
}
