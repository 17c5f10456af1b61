//! The package for Debian and Ubuntu: programs, manual pages, completions and copyright where their policies want
//! them.

use anyhow::Context as _;

use crate::{
    archive::Entry,
    elf::Needs,
    programs::SHELLS,
    release::{Package, REPOSITORY, Release},
};

/// Makes the package; `None` on platforms that Debian does not run on.
pub(crate) fn package(release: &Release, needs: Option<&Needs>) -> anyhow::Result<Option<Package>> {
    let Some(architecture) = release.platform.debian else {
        return Ok(None);
    };
    let needs = needs.context("what the programs need is unknown")?;
    let files = files(release)?;
    let size: usize = files.iter().map(|file| file.bytes.len()).sum();
    // dpkg makes the list of checksums itself where a package has none.
    let control = control(&release.version, architecture, size / 1024, needs);
    let control = [Entry::text("control", control)];
    let format = release.format;
    let members: [(&str, &[u8]); 3] = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", &format.tar_gz_with_folders(&control)?),
        ("data.tar.gz", &format.tar_gz_with_folders(&files)?),
    ];
    Ok(Some(Package {
        name: format!("recall-kit_{}_{architecture}.deb", release.version),
        about: "Debian and Ubuntu",
        bytes: format.ar(&members),
    }))
}

fn files<'a>(release: &'a Release) -> anyhow::Result<Vec<Entry<'a>>> {
    let mut files = release.program_files("usr/bin/");
    for program in &release.programs {
        for (page, bytes) in &program.pages {
            let path = format!("usr/share/man/man1/{page}.gz");
            files.push(Entry::file(path, release.format.gzip(bytes)?));
        }
        for ((shell, _), script) in SHELLS.iter().zip(&program.completions) {
            let name = program.name;
            let path = match *shell {
                "bash" => format!("usr/share/bash-completion/completions/{name}"),
                "fish" => format!("usr/share/fish/vendor_completions.d/{name}.fish"),
                "zsh" => format!("usr/share/zsh/vendor-completions/_{name}"),
                _ => continue,
            };
            files.push(Entry::file(path, script.as_slice()));
        }
    }
    let documents = "usr/share/doc/recall-kit/";
    files.push(Entry::text(
        format!("{documents}copyright"),
        copyright(release)?,
    ));
    for name in ["NOTICE.md", "README.md"] {
        files.push(Entry::file(
            format!("{documents}{name}"),
            release.read(name)?,
        ));
    }
    let changes = release.format.gzip(&release.read("CHANGELOG.md")?)?;
    files.push(Entry::file(format!("{documents}changelog.gz"), changes));
    Ok(files)
}

fn control(version: &str, architecture: &str, kibibytes: usize, needs: &Needs) -> String {
    let mut depends = Vec::new();
    if let Some((major, minor)) = needs.glibc {
        depends.push(format!("libc6 (>= {major}.{minor})"));
    }
    if needs.libraries.iter().any(|name| name == "libgcc_s.so.1") {
        depends.push("libgcc-s1".to_owned());
    }
    if needs.libraries.iter().any(|name| name == "libstdc++.so.6") {
        depends.push("libstdc++6".to_owned());
    }
    let depends = match depends.is_empty() {
        true => String::new(),
        false => format!("Depends: {}\n", depends.join(", ")),
    };
    format!(
        "Package: recall-kit\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: The RecallKit maintainers <recall-kit@users.noreply.github.com>\n\
         Installed-Size: {kibibytes}\n{depends}Recommends: ca-certificates\nSuggests: git\n\
         Section: devel\nPriority: optional\nHomepage: {REPOSITORY}\n\
         Description: shared memory for AI coding agents\n \
         An agent that hits an error asks what solved it before. When it solves\n \
         something new, it writes up the experience. Secrets and personal data are\n \
         removed on this machine, and nothing is shared before a person agrees.\n \
         .\n \
         The package holds the client, recall-kit-client, and the server,\n \
         recall-kit-server.\n"
    )
}

/// Returns the licences in Debian's machine-readable form. Debian itself has the text of Apache-2.0.
fn copyright(release: &Release) -> anyhow::Result<String> {
    let mit = String::from_utf8(release.read("LICENSE-MIT")?)?;
    let indented = |line: &str| match line.is_empty() {
        true => " .\n".to_owned(),
        false => format!(" {line}\n"),
    };
    let mit: String = mit.lines().map(indented).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: RecallKit\nSource: {REPOSITORY}\n\n\
         Files: *\nCopyright: 2026 The RecallKit maintainers\nLicense: MIT or Apache-2.0\n\
         Comment: What others made is named in NOTICE.md.\n\n\
         License: MIT\n{mit}\n\
         License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n"
    ))
}
