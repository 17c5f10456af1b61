//! The platforms that packages are made for, and what each ecosystem calls them.

use std::env::consts;

use anyhow::bail;

/// A platform, by the names that compilers and package managers use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    /// The compiler's target triple.
    pub(crate) target: &'static str,
    /// The suffix of the npm package, `OS-CPU` as Node names them.
    pub(crate) npm: &'static str,
    /// The C library, as npm names it; only on Linux.
    pub(crate) libc: Option<&'static str>,
    /// The processor, as Debian names it; only where there are Debian packages.
    pub(crate) debian: Option<&'static str>,
    /// The platform tag of wheels; on glibc only its processor, since the rest depends on the programs.
    pub(crate) wheel: &'static str,
    /// The blocks of a Homebrew formula, for the system and the processor.
    pub(crate) homebrew: Option<[&'static str; 2]>,
    /// Whether the release workflow builds it. The npm package `@recall-kit/cli` names exactly these.
    pub(crate) is_released: bool,
}

/// Every known platform.
pub(crate) const PLATFORMS: [Platform; 7] = [
    Platform {
        target: "x86_64-unknown-linux-gnu",
        npm: "linux-x64",
        libc: Some("glibc"),
        debian: Some("amd64"),
        wheel: "x86_64",
        homebrew: Some(["on_linux", "on_intel"]),
        is_released: true,
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        npm: "linux-arm64",
        libc: Some("glibc"),
        debian: Some("arm64"),
        wheel: "aarch64",
        homebrew: Some(["on_linux", "on_arm"]),
        is_released: true,
    },
    Platform {
        target: "x86_64-unknown-linux-musl",
        npm: "linux-x64-musl",
        libc: Some("musl"),
        debian: None,
        wheel: "musllinux_1_2_x86_64",
        homebrew: None,
        is_released: false,
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        npm: "linux-arm64-musl",
        libc: Some("musl"),
        debian: None,
        wheel: "musllinux_1_2_aarch64",
        homebrew: None,
        is_released: false,
    },
    // The oldest macOS is the one that the release workflow sets with MACOSX_DEPLOYMENT_TARGET.
    Platform {
        target: "aarch64-apple-darwin",
        npm: "darwin-arm64",
        libc: None,
        debian: None,
        wheel: "macosx_11_0_arm64",
        homebrew: Some(["on_macos", "on_arm"]),
        is_released: true,
    },
    Platform {
        target: "x86_64-apple-darwin",
        npm: "darwin-x64",
        libc: None,
        debian: None,
        wheel: "macosx_11_0_x86_64",
        homebrew: Some(["on_macos", "on_intel"]),
        is_released: true,
    },
    Platform {
        target: "x86_64-pc-windows-msvc",
        npm: "win32-x64",
        libc: None,
        debian: None,
        wheel: "win_amd64",
        homebrew: None,
        is_released: true,
    },
];

impl Platform {
    /// Finds a platform by its triple.
    pub(crate) fn of_target(target: &str) -> anyhow::Result<&'static Self> {
        if let Some(found) = PLATFORMS.iter().find(|it| it.target == target) {
            return Ok(found);
        }
        let known: Vec<&str> = PLATFORMS.iter().map(|it| it.target).collect();
        bail!(
            "no packages are made for {target}; known are {}",
            known.join(", ")
        )
    }

    /// Returns the platform that this program was compiled for.
    pub(crate) fn of_this_program() -> anyhow::Result<&'static Self> {
        let system = match consts::OS {
            "linux" if cfg!(target_env = "musl") => "unknown-linux-musl",
            "linux" => "unknown-linux-gnu",
            "macos" => "apple-darwin",
            "windows" => "pc-windows-msvc",
            other => other,
        };
        Self::of_target(&format!("{}-{system}", consts::ARCH))
    }

    /// Returns a program's file name.
    pub(crate) fn file_name(&self, program: &str) -> String {
        match self.target.contains("windows") {
            true => format!("{program}.exe"),
            false => program.to_owned(),
        }
    }
}
