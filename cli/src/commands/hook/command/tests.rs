//! The family of a command line, whose exit code it is, and what only shows texts.

use super::{
    super::{
        hash::Hasher,
        session::{Part, Place, Session},
    },
    *,
};

fn names(line: &str) -> Vec<String> {
    mains(line)
        .into_iter()
        .map(|main| main.family.name)
        .collect()
}

#[test]
fn a_family_is_the_program_and_its_command() {
    let check = |line: &str, expected: &str| {
        assert_eq!(names(line).join(" + "), expected, "{line}");
    };
    check("cargo test -p core --lib", "cargo test");
    check("cargo test 2>&1 | tail -20", "cargo test");
    check("cd /work && RUST_LOG=debug cargo test", "cargo test");
    check("cd a; cargo build", "cargo build");
    check("source venv/bin/activate && pytest specs/a.py -v", "pytest");
    check("python -m pytest tests/test_a.py", "pytest");
    check("python reproduce.py --fast", "python reproduce.py");
    check(
        "/usr/bin/python3 manage.py migrate",
        "python manage.py migrate",
    );
    check("npm test", "npm run test");
    check("npx tsc --noEmit", "tsc");
    check("uv run --with x pytest -q", "pytest");
    check("uv pip install x", "uv pip install");
    check("sudo -u root -E apt-get install -y jq", "apt-get install");
    check("timeout -k 5 60 go test ./...", "go test");
    check("./gradlew build", "gradle");
    check("docker compose up -d || true", "docker compose up");
    check("docker-compose up -d", "docker-compose up");
    check("gcc src/a.c -o a", "gcc");
    check("bash -lc 'cd x && cargo check'", "cargo check");
    check("bundle exec rspec", "rspec");
    check("\n# comment\nmake all", "make");
    check("cargo build && cargo test; ls", "cargo build + cargo test");
    check("echo 1 | python3 a.py", "python a.py");
    check("(cd web && npm run build) > log 2>&1", "npm run build");
    check(
        "python - <<'EOF'\nimport x; y()\nEOF\necho done",
        "python -",
    );
    check("cat > a.py <<EOF\ncargo test\nEOF", "cat");
    check("cargo --version", "cargo --version");
    check("", "");
    check("&& |", "");
}

#[test]
fn a_number_of_jobs_is_nothing_that_a_command_is_applied_to() {
    for (with_jobs, without) in [
        ("mytool -j 4 build", "mytool build"),
        ("make -j 4 all", "make all"),
        ("python3 build.py --jobs 8 all", "python3 build.py all"),
        ("cargo -j 2 test core", "cargo test core"),
    ] {
        assert_eq!(mains(with_jobs), mains(without), "{with_jobs}");
    }
    assert_ne!(mains("mytool -j all"), mains("mytool -j"), "no number");
}

/// Pairs of a line that failed and one that succeeded in the same folder: whether the second says that the first works
/// now.
#[test]
fn a_success_ends_only_the_failures_of_the_same_thing() {
    let hasher = Hasher::random();
    let part = |main: Main| Part::of(&main.family, &hasher);
    let ends = |failed: &str, passed: &str| {
        let mut session = Session::default();
        let parts = mains(failed).into_iter().map(part).collect();
        session.fail(&Place::new(parts, 1), 1, 0);
        let known = mains(passed).into_iter().filter(|main| main.is_known);
        let place = Place::new(known.map(part).collect(), 1);
        !session.succeed(&place, &Default::default()).is_empty()
    };
    let pairs = include_str!("pairs.txt");
    let mut count = [0, 0];
    let mut wrong = Vec::new();
    for line in pairs.lines().filter(|line| !line.starts_with('#')) {
        let (sign, rest) = line.split_at_checked(2).expect("a pair begins with a sign");
        let (failed, passed) = rest.split_once(" => ").expect("a pair has two lines");
        let unescape = |line: &str| line.trim().replace("\\n", "\n");
        let [failed, passed] = [failed, passed].map(unescape);
        let expected = sign == "+ ";
        if ends(&failed, &passed) != expected {
            wrong.push(line);
        }
        count[usize::from(expected)] += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count[0] >= 60 && count[1] >= 40, "{count:?}");
}

#[test]
fn the_exit_code_of_a_line_is_not_that_of_each_command() {
    let known =
        |line: &str| -> Vec<bool> { mains(line).into_iter().map(|main| main.is_known).collect() };
    let check = |line: &str, expected: &[bool]| assert_eq!(known(line), expected, "{line}");
    check("cargo test", &[true]);
    check("cd a && cargo test --all", &[true]);
    check("cargo build && cargo test", &[true, true]);
    check("cargo test | grep x", &[false]);
    check("cargo test |& tail -3", &[false]);
    check("set -o pipefail; cargo test | tail -3", &[true]);
    check(
        "set -euo pipefail\ncargo test | tail -3\necho done",
        &[true],
    );
    check("bash -c 'set -o pipefail; cargo test | tail'", &[true]);
    check("cargo test || true", &[false]);
    check("cargo test && echo ok || echo failed", &[false]);
    check("cargo test; echo done", &[false]);
    check("set -e; cargo test; echo done", &[true]);
    check("cargo test\necho $?", &[false]);
    check("npm start &", &[false]);
    check("npm start & sleep 3", &[false]);
    check("nohup npm start > log 2>&1 & echo $!", &[false]);
    check("! cargo test", &[false]);
    check("if cargo test; then echo ok; fi", &[false, false, false]);
    check("for x in a b; do cargo test; done", &[false, false, false]);
    check("cargo test > log 2>&1", &[true]);
    check("cargo test &> log", &[true]);
    check("cargo test > log 2>&1; tail log", &[false]);
    check("(cargo test)", &[true]);
    check("cargo build; cargo test", &[false, true]);
    check("yes | pip install x", &[false, true]);
    check("grep -E 'a|b; c && d' x; cargo test", &[true]);
    check("cargo test # | tail", &[true]);
    check(r#"git commit -m "a; b | c""#, &[true]);
}

#[test]
fn viewers_show_what_others_said() {
    let check = |line: &str, expected: bool| assert_eq!(is_viewer(line), expected, "{line}");
    check("cat build.log", true);
    check("cd x && grep -rn error src | head", true);
    check("git log --oneline -5", true);
    check("git -C x diff", false);
    check("git commit -m x", false);
    check("cat a && cargo test", false);
    check("cargo test | grep error", false);
    check("echo 1 | python3 a.py", false);
    check("find . -name a | xargs wc -l", true);
    check(r#"grep -E "a|b; c" x 'y | z'"#, true);
    check("sed -n 1,5p a", true);
    check("sed -i s/a/b/ a", false);
    check("cd x", false);
    check("", false);
}

#[test]
fn the_folder_is_where_the_commands_run() {
    let check = |line: &str, expected: &str| {
        assert_eq!(
            folder(line, Path::new("/srv/shop")),
            Path::new(expected),
            "{line}"
        );
    };
    check("cargo test", "/srv/shop");
    check("cd web && npm test", "/srv/shop/web");
    check("cd ./web/../api; npm test", "/srv/shop/api");
    check("cd /srv && make", "/srv");
    check("(cd web && npm test) && cd api", "/srv/shop/web");
    check("make && cd web", "/srv/shop");
}

#[test]
fn a_line_consists_of_commands() {
    let check = |line: &str, expected: &[&str]| assert_eq!(pieces(line), expected, "{line}");
    check(
        "cd a &&  cargo   clean; cargo test 2>&1 | tail -5",
        &["cd a", "cargo clean", "cargo test", "tail -5"],
    );
    check("sudo apt-get update >/dev/null 2>&1", &["apt-get update"]);
    check(" ; && ", &[]);
    assert_eq!(pieces(&"a;".repeat(1 << 20)).len(), 400);
}

#[test]
fn nothing_in_a_line_is_an_error() {
    let odd = [
        "'",
        "\"",
        "\\",
        "$(",
        "$((",
        "<<",
        "<<EOF",
        "<<EOF\n",
        ">",
        "2>",
        "&",
        "|",
        "||",
        "(((",
        "}}",
        "a(",
        "`",
        "bash -c",
        "timeout",
        "sudo",
        "npx",
        "python -m",
        "python -c",
        "cd",
        "env A=1",
        "npm run",
        "uv run",
        "🙂 '🙂",
    ];
    for line in odd {
        mains(line);
        is_viewer(line);
        program(line);
        folder(line, Path::new("/"));
    }
    let long = "bash -c 'a' && ".repeat(20_000);
    assert!(mains(&long).len() <= 64);
    assert!(mains(&"(".repeat(1 << 20)).is_empty());
}

/// What a server accepts as the name of a program.
#[test]
fn public_names_are_short_words() {
    let names = kinds::KINDS
        .iter()
        .flat_map(|kind| kind.programs.0.split(' '));
    for name in names.chain(kinds::INTERPRETERS.0.split(' ')) {
        let public = public_name(name);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(public.chars().all(is_plain) && public.len() <= 32, "{name}");
        assert_eq!(public == OTHER, name.is_empty(), "{name}: {public}");
    }
    for private in ["acmectl", "", "-", "deploy.sh", "Cargo", "cargo test"] {
        assert_eq!(public_name(private), OTHER, "{private}");
    }
}
