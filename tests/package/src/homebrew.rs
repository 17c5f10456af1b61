//! The Homebrew formula, with the address and checksum of each platform's archive.

use std::collections::BTreeMap;

use crate::{
    platform::{PLATFORMS, Platform},
    release::{REPOSITORY, SUMMARY},
};

/// How a formula installs and checks what an archive holds.
const INSTALL: &str = r##"
  def install
    bin.install "recall-kit-client", "recall-kit-server"
    man1.install Dir["man/*.1"]
    %w[recall-kit-client recall-kit-server].each do |program|
      bash_completion.install "completions/#{program}.bash" => program
      fish_completion.install "completions/#{program}.fish"
      zsh_completion.install "completions/_#{program}"
    end
  end

  test do
    assert_equal "recall-kit-server #{version}", shell_output("#{bin}/recall-kit-server --version").strip
    system bin/"recall-kit-client", "demo"
  end
end
"##;

/// Writes the formula; `checksums` has the archive's SHA-256 for each platform that has one. Returns `None` if
/// Homebrew runs on none of them.
pub(crate) fn formula(version: &str, checksums: &[(&Platform, String)]) -> Option<String> {
    let mut blocks: BTreeMap<&str, String> = BTreeMap::new();
    for platform in &PLATFORMS {
        let checksum = checksums.iter().find(|(of, _)| *of == platform);
        let (Some([system, processor]), Some((_, checksum))) = (platform.homebrew, checksum) else {
            continue;
        };
        let target = platform.target;
        blocks.entry(system).or_default().push_str(&format!(
            "    {processor} do\n      \
             url \"{REPOSITORY}/releases/download/v{version}/recall-kit-{version}-{target}.tar.gz\"\n      \
             sha256 \"{checksum}\"\n    end\n"
        ));
    }
    if blocks.is_empty() {
        return None;
    }
    let blocks: String = blocks
        .iter()
        .map(|(system, block)| format!("\n  {system} do\n{block}  end\n"))
        .collect();
    Some(format!(
        "class RecallKit < Formula\n  desc \"{SUMMARY}\"\n  homepage \"{REPOSITORY}\"\n  \
         version \"{version}\"\n  license any_of: [\"MIT\", \"Apache-2.0\"]\n{blocks}{INSTALL}"
    ))
}
