//! The packages of each kind of manifest.

use std::fs;

use super::*;

#[test]
fn public_packages_are_named_and_others_are_not() {
    let check = |file: &str, text: &str, expected: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        fs::write(folder.path().join(file), text).expect("the folder is writable");
        assert_eq!(of(folder.path()), expected, "{file}");
    };
    check(
        "Cargo.toml",
        "[dependencies]\ntokio = \"1\"\nours = { path = \"../ours\" }\nshared.workspace = true\n\
         log = \"0.4\"\n[dev-dependencies]\ninsta = { version = \"1\" }\n",
        &["tokio", "insta"],
    );
    check(
        "package.json",
        r#"{"dependencies": {"react": "^19.0.0", "@acme/ui": "1.0.0", "ours": "file:../ours", "gh": "acme/gh"},
            "devDependencies": {"vitest": "3"}}"#,
        &["react", "vitest"],
    );
    check(
        "pyproject.toml",
        "[project]\ndependencies = [\"Django>=5\", \"ours @ file:///x\"]\n[tool.poetry.dependencies]\npandas = \"2\"\nlocal = {path = \"x\"}\n",
        &["django", "pandas"],
    );
    check(
        "requirements.txt",
        "flask==3.0 # web\n-r x.txt\n./ours\ngit+https://x/y\nnumpy\n",
        &["flask", "numpy"],
    );
    check(
        "go.mod",
        "module acme.internal/shop\nrequire github.com/spf13/cobra v1.10.0\nrequire (\n\tgithub.com/go-chi/chi/v5 v5.1.0\n\
         \tgithub.com/jackc/pgconn/v2 v2.0.0\n\tgithub.com/a/indirect v1.0.0 // indirect\n\tacme.internal/lib v1.0.0\n)\n",
        &["cobra", "pgconn"],
    );
    for damage in ["", "{", "[dependencies", "\u{0}"] {
        for file in ["Cargo.toml", "package.json", "pyproject.toml", "go.mod"] {
            check(file, damage, &[]);
        }
    }
}

#[test]
fn a_package_is_named_as_a_word() {
    let check = |text: &str, expected: bool| assert_eq!(names(text, "react"), expected, "{text}");
    check("React useState does not update", true);
    check("hooks (react)", true);
    check("react-router fails", false);
    check("reactive streams", false);
}
