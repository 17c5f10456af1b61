//! Programs with versions, and operating systems of several words.

/// Programs by their usual name.
const TOOLS: &str = "\
    ansible apache bazel bundler buildx chrome chromedriver clang cmake composer conda containerd cuda \
    cudnn curl docker docker-compose elasticsearch emacs ffmpeg firefox gcc gdb ghc git glibc gpg gradle \
    grafana haproxy helm hhvm istio jenkins kafka kubectl kubernetes k8s libreoffice llvm mamba mariadb \
    maven minikube mongodb msbuild msvc mvn mysql neovim nginx ninja npm nvcc nvm openssl openssh pdm pip \
    pip3 pipenv pnpm podman poetry postgres postgresql powershell prometheus protoc rabbitmq rustup safari \
    sbt sdkman sqlite systemd terraform tmux tomcat vim vscode wget xcode yarn gradlew buildah bash zsh \
    fish cargo uv hadoop zookeeper cassandra consul vault nomad keycloak wildfly";

/// Names of several words.
pub(super) const PHRASES: &[(&str, &str)] = &[
    ("android studio", "android-studio"),
    ("apache maven", "maven"),
    ("apache tomcat", "tomcat"),
    ("apache kafka", "kafka"),
    ("apache http server", "apache"),
    ("docker compose", "docker-compose"),
    ("docker desktop", "docker-desktop"),
    ("docker engine", "docker"),
    ("gnu make", "make"),
    ("intellij idea", "intellij-idea"),
    ("internet explorer", "internet-explorer"),
    ("sql server", "sql-server"),
    ("visual studio", "visual-studio"),
    ("visual studio code", "vscode"),
    ("vs code", "vscode"),
    ("google chrome", "chrome"),
];

/// Operating systems of several words.
pub(super) const SYSTEMS: &[(&str, &str)] = &[
    ("alpine linux", "alpine"),
    ("amazon linux", "amazonlinux"),
    ("arch linux", "arch"),
    ("mac os", "macos"),
    ("mac os x", "macos"),
    ("os x", "macos"),
    ("oracle linux", "oracle"),
    ("red hat enterprise linux", "rhel"),
    ("rocky linux", "rocky"),
    ("windows server", "windows-server"),
];

/// Returns whether a word in lower case names a program.
pub(crate) fn is_tool(word: &str) -> bool {
    use std::{collections::HashSet, sync::LazyLock};
    static NAMES: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| TOOLS.split_whitespace().collect());
    NAMES.contains(word)
}
