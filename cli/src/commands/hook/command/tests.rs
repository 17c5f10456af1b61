//! The family of a command line, and what only shows texts.

use super::*;

#[test]
fn a_family_is_the_program_and_its_command() {
    let check = |line: &str, expected: &str| assert_eq!(family(line), expected, "{line}");
    check("cargo test -p core --lib", "cargo test");
    check("cargo test 2>&1 | tail -20", "cargo test");
    check("cd /work && RUST_LOG=debug cargo test", "cargo test");
    check("cd a; cargo build", "cargo build");
    check("source venv/bin/activate && pytest specs/a.py -v", "pytest");
    check("python -m pytest tests/test_a.py", "pytest");
    check("python3 -c 'import x'", "python3 -c");
    check("python reproduce.py --fast", "python reproduce.py");
    check("/usr/bin/python3 manage.py migrate", "python3 manage.py");
    check("npm run build", "npm run");
    check("npx tsc --noEmit", "tsc");
    check("uv run pytest -q", "pytest");
    check("uv pip install x", "uv pip");
    check("sudo -E apt-get install -y jq", "apt-get install");
    check("timeout 60 go test ./...", "go test");
    check("./gradlew build", "gradlew build");
    check("docker compose up -d || true", "docker compose");
    check("gcc src/a.c -o a", "gcc");
    check("\n# comment\nmake all", "make all");
    check("", "");
    check("&& |", "");
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
    check("cd x", false);
    check("", false);
}

#[test]
fn a_line_consists_of_commands() {
    let check = |line: &str, expected: &[&str]| assert_eq!(pieces(line), expected, "{line}");
    check(
        "cd a &&  cargo   clean; cargo test | tail -5",
        &["cd a", "cargo clean", "cargo test", "tail -5"],
    );
    check(" ; && ", &[]);
}
