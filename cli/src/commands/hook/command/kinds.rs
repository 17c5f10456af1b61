//! What is known of the command lines of programs: how many words name the command, and which ones name what it is
//! applied to.

/// Words with blanks between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words(pub(super) &'static str);

impl Words {
    pub(super) fn contains(self, word: &str) -> bool {
        self.find(word).is_some()
    }

    /// Returns the word of the list that is the same.
    pub(super) fn find(self, word: &str) -> Option<&'static str> {
        self.0
            .split(' ')
            .find(|known| *known == word && !known.is_empty())
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// What the words after the command say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// What it is applied to; without any it is applied to everything.
    All,
    /// What it is applied to; without any it is applied to something else: a default.
    Exact,
    /// Packages, perhaps with versions.
    Packages,
}

/// The command lines of programs of one kind.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) programs: Words,
    /// The number of words that name the command, besides those in [`DEEPER`].
    pub(super) depth: usize,
    pub(super) scope: Scope,
    /// Options whose value says what the command is applied to.
    pub(super) selecting: Words,
    /// Other options with a value.
    pub(super) valued: Words,
}

const fn kind(
    programs: Words,
    depth: usize,
    scope: Scope,
    selecting: Words,
    valued: Words,
) -> Kind {
    Kind {
        programs,
        depth,
        scope,
        selecting,
        valued,
    }
}

/// The kinds; a program that is in none of them is of the last one.
pub(super) const KINDS: [Kind; 25] = [
    kind(
        Words("cargo"),
        1,
        Scope::All,
        Words("-p --package --manifest-path --test --bin --example --bench --exclude"),
        Words("--features -F --target --profile -j --jobs --message-format --color -Z"),
    ),
    kind(
        Words("go"),
        1,
        Scope::Exact,
        Words("-run -C"),
        Words("-o -tags -timeout -count -ldflags -gcflags"),
    ),
    kind(
        Words("pytest py.test"),
        0,
        Scope::All,
        Words("-k -m --deselect --ignore"),
        Words("-n -c -p -o -W --tb --maxfail --rootdir --cov --cov-report --durations"),
    ),
    kind(
        Words("jest vitest mocha ava rspec phpunit pest playwright cypress ctest"),
        0,
        Scope::All,
        Words("-t --testNamePattern -g --grep --filter --project -R --spec --test-dir"),
        Words("-c --config --reporter -w --workers --maxWorkers -j"),
    ),
    kind(
        Words(
            "eslint prettier stylelint biome black isort flake8 pylint mypy pyright rubocop \
            shellcheck phpstan ktlint swiftlint oxlint",
        ),
        0,
        Scope::All,
        Words("--project -p"),
        Words("-c --config --ext --format -f --parser --max-warnings --config-file --ignore-path"),
    ),
    kind(
        Words("ruff golangci-lint pre-commit"),
        1,
        Scope::All,
        Words("--files"),
        Words("--config --select --ignore -c"),
    ),
    kind(
        Words("tsc vue-tsc"),
        0,
        Scope::All,
        Words("-p --project -b --build"),
        Words("--outDir --target --module --moduleResolution --jsx --lib"),
    ),
    kind(
        Words("pip pipx"),
        1,
        Scope::Packages,
        Words("-r --requirement -e --editable"),
        Words(
            "-i --index-url --extra-index-url -c -t --target --timeout -f --find-links \
            --no-binary --only-binary --python",
        ),
    ),
    kind(
        Words("apt-get apt brew dnf yum apk gem conda mamba choco winget cpan pacman"),
        1,
        Scope::Packages,
        Words(""),
        Words("-t -o -v --version -n -c -i"),
    ),
    kind(
        Words("npm pnpm yarn bun"),
        1,
        Scope::Packages,
        Words("-w --workspace --filter -F --prefix --cwd -C --dir"),
        Words("--registry --loglevel --cache --omit --reporter"),
    ),
    kind(
        Words("uv poetry pdm composer bundle pipenv rye hatch mix flutter dart nuget"),
        1,
        Scope::Packages,
        Words("-r --directory --working-dir -d --project --package"),
        Words("--python -p --index-url --extra-index-url --group --extra --with --without"),
    ),
    kind(
        Words("make just rake ninja invoke grunt gulp task mage ant scons"),
        0,
        Scope::Exact,
        Words("-C -f --directory --file"),
        Words("-j -l -o"),
    ),
    kind(
        Words("gradle mvn sbt lein bazel buck2 stack cabal zig meson"),
        0,
        Scope::Exact,
        Words("-p -pl --project-dir -f --file -x --exclude-task --tests"),
        Words("-P -T -s -c --config -j"),
    ),
    kind(
        Words("tox nox"),
        0,
        Scope::Exact,
        Words("-e -s --session -c -k"),
        Words("-p"),
    ),
    kind(
        Words("cmake"),
        0,
        Scope::Exact,
        Words("--build --install --target -S -B -P -E --preset"),
        Words("-G -j --config -T -A"),
    ),
    kind(
        Words("docker podman"),
        1,
        Scope::Exact,
        Words("-f --file --target"),
        Words(
            "-t --tag --build-arg --platform -p --publish -v --volume -e --env --name --network \
            -w --workdir -u --user --entrypoint --env-file --mount -H --progress -m --cpus \
            --profile --project-name --cache-from --cache-to --secret --label --gpus --shm-size",
        ),
    ),
    kind(
        Words("terraform tofu terragrunt pulumi"),
        1,
        Scope::Exact,
        Words("-target -chdir --cwd -s"),
        Words("-var -var-file -backend-config -out -state -lock-timeout"),
    ),
    kind(
        Words("kubectl oc"),
        2,
        Scope::Exact,
        Words("-f -n --namespace -k --context -l"),
        Words("-o --timeout"),
    ),
    kind(
        Words("helm ansible-playbook ansible aws gcloud az gh glab fly vercel netlify heroku"),
        2,
        Scope::Exact,
        Words("-f -n --namespace --region --profile -R --repo"),
        Words("-i --set -o --output"),
    ),
    kind(
        Words("dotnet"),
        1,
        Scope::Exact,
        Words("--project --filter --framework -f"),
        Words("-c --configuration -o --output -v --verbosity -r --runtime --version -s --source"),
    ),
    kind(
        Words("git"),
        1,
        Scope::Exact,
        Words("-C"),
        Words("-m --message -F --author --date -c -u --depth -b -X -s"),
    ),
    kind(
        Words("gcc g++ cc c++ clang clang++ rustc javac kotlinc ghc swiftc ld nvcc"),
        0,
        Scope::Exact,
        Words("-c"),
        Words("-o -I -L -l -D -std -isystem -Xlinker -cp -classpath -d --edition --crate-type"),
    ),
    kind(
        Words(
            "nx turbo lerna ng vite next expo rails artisan webpack rollup react-scripts nuxt \
            astro cdk serverless electron-builder hardhat forge",
        ),
        1,
        Scope::Exact,
        Words("-p --filter --scope --project --projects"),
        Words("-c --config --mode --port -e"),
    ),
    kind(
        Words("psql mysql sqlite3 mongosh redis-cli duckdb"),
        0,
        Scope::Exact,
        Words("-c -e -f -d --command --execute --file --eval"),
        Words("-h -U -p -P -u"),
    ),
    kind(Words(""), 1, Scope::Exact, Words("-c -e -f -C"), Words("")),
];

/// Options with which programs do more, or the same with something else: those with a value, and those without. A
/// success without them says nothing about a failure with them.
pub(super) const REQUIRED: [(Words, Words, Words); 11] = [
    (
        Words("cargo"),
        Words("--features -F --target --profile --manifest-path"),
        Words(
            "--workspace --all --all-targets --all-features --no-default-features --release -r --tests \
            --benches --examples --ignored --include-ignored --run-ignored",
        ),
    ),
    (Words("go"), Words("-tags"), Words("-race")),
    (
        Words("pytest py.test"),
        Words(""),
        Words("--doctest-modules"),
    ),
    (Words("ctest"), Words("--test-dir"), Words("")),
    (
        Words("tsc vue-tsc"),
        Words("-p --project -b --build"),
        Words("--strict"),
    ),
    (
        Words("npm pnpm yarn bun"),
        Words(""),
        Words("-r --recursive --workspaces -ws"),
    ),
    (
        Words("uv poetry pdm"),
        Words("--extra --extras -E --group --with"),
        Words("--all-extras --all-groups --all-packages --dev"),
    ),
    (Words("mvn"), Words("-P"), Words("")),
    (
        Words("terraform tofu terragrunt"),
        Words("-var-file --var-file"),
        Words(""),
    ),
    (
        Words("ansible-playbook ansible"),
        Words("-i --inventory"),
        Words(""),
    ),
    (
        Words("vite ng serverless cdk webpack"),
        Words("--mode --stage --configuration"),
        Words(""),
    ),
];
/// Options that only change what a program prints, how fast it runs, or whether it asks.
pub(super) const WITHOUT_EFFECT: Words = Words(
    "-v -vv -vvv --verbose -q --quiet -s --silent --debug --trace --stacktrace --color --colour --no-color --no-colour \
    --progress --no-progress --log-level --loglevel --json --plain --pretty -y --yes --no-input --non-interactive -j --jobs \
    --parallel --workers",
);
/// Those of them that may have a number.
pub(super) const JOBS: Words = Words("-j --jobs --parallel --workers");
/// Options of cargo with which only a part is built or tested.
pub(super) const PARTS: Words = Words("--lib --doc --bins --tests --benches --examples");
/// Commands that are applied to a default if nothing is named, while the program's other commands are applied to
/// everything.
pub(super) const WITH_DEFAULT: [&str; 6] = [
    "cargo run",
    "cargo make",
    "cargo install",
    "cargo add",
    "cargo remove",
    "cargo update",
];

/// Commands of which the next word belongs to the command, too.
pub(super) const DEEPER: [&str; 39] = [
    "cargo nextest",
    "cargo llvm-cov",
    "cargo make",
    "cargo tree",
    "go mod",
    "go tool",
    "go work",
    "go generate",
    "docker compose",
    "docker buildx",
    "docker image",
    "docker container",
    "docker network",
    "docker volume",
    "docker builder",
    "terraform workspace",
    "terraform state",
    "terraform providers",
    "dotnet ef",
    "dotnet tool",
    "dotnet nuget",
    "dotnet add",
    "dotnet workload",
    "dotnet new",
    "uv pip",
    "uv tool",
    "uv python",
    "poetry env",
    "poetry config",
    "conda env",
    "npm config",
    "npm cache",
    "npm exec",
    "pnpm store",
    "yarn cache",
    "git remote",
    "git submodule",
    "git config",
    "bun pm",
];
/// Interpreters: their first argument is what runs.
pub(super) const INTERPRETERS: Words = Words(
    "python node deno bash sh zsh ruby perl php java tsx ts-node lua rscript julia elixir \
    pwsh bun swift",
);
/// The options of interpreters with code on the line.
pub(super) const CODE: Words = Words("-c -e -r -p --eval -pe -ne -command");
/// The options of interpreters with another value.
pub(super) const INTERPRETER_VALUES: Words =
    Words("-W -X -I --require --import --loader -cp -classpath --module-path --env-file");
/// Scripts that have commands of their own.
pub(super) const SCRIPTS: Words =
    Words("manage.py setup.py artisan x.py waf noxfile.py console fabfile.py");
/// The commands of package managers that are no scripts of a package: after them come packages or options.
pub(super) const MANAGER_COMMANDS: Words = Words(
    "install i add remove rm uninstall un update up upgrade ci init create link unlink \
    publish pack audit outdated ls list why explain view info config cache dedupe prune \
    rebuild version login set workspaces patch import fetch store deploy dlx x exec pm \
    root",
);
/// Options with which a command does something else, or less.
pub(super) const OTHER_USE: Words = Words(
    "--help -h --version -V --dry-run --no-run --collect-only --co --list --list-tests \
    --passWithNoTests -DskipTests -Dmaven.test.skip=true --just-print --noop \
    --check-only --plan --collectonly --fixtures --showConfig --print-config \
    -fsyntax-only --init --if-present",
);
/// Programs that start the program after them, with the options of theirs that have a value.
pub(super) const WRAPPERS: [(&str, Words); 15] = [
    ("sudo", Words("-u -g -C -h")),
    ("doas", Words("-u")),
    ("time", Words("-f -o")),
    ("env", Words("-u -C -S")),
    ("nice", Words("-n")),
    ("ionice", Words("-c -n")),
    ("nohup", Words("")),
    ("command", Words("")),
    ("exec", Words("-a")),
    ("npx", Words("-p --package")),
    ("bunx", Words("-p --package")),
    ("uvx", Words("--from --with -p --python")),
    ("xvfb-run", Words("-n -s")),
    ("stdbuf", Words("-i -o -e")),
    ("xargs", Words("-n -I -P -L -d -a")),
];
/// The same for programs that do so with some of their commands.
pub(super) const RUNNERS: [(&str, Words, Words); 10] = [
    (
        "uv",
        Words("run"),
        Words("--with --python -p --extra --group --package --directory --env-file"),
    ),
    ("poetry", Words("run"), Words("")),
    ("pdm", Words("run"), Words("")),
    ("rye", Words("run"), Words("")),
    ("pipenv", Words("run"), Words("")),
    ("bundle", Words("exec"), Words("")),
    ("pnpm", Words("exec dlx"), Words("--package")),
    ("yarn", Words("exec dlx"), Words("-p")),
    ("bun", Words("x"), Words("")),
    ("npm", Words("exec x"), Words("-p --package")),
];
/// The options of `timeout` with a value.
pub(super) const TIMEOUT_VALUES: Words = Words("-k -s --signal --kill-after");
/// Selecting options that leave a part out, so that a success says nothing about it.
pub(super) const NARROWING: Words = Words(
    "-k -m --deselect --ignore -x --exclude-task --tests -run -t --testNamePattern -g --grep --filter \
    -target --exclude",
);
