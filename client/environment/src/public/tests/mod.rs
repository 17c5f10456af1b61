//! The packages of each kind of manifest, and what keeps a name from being sent.

mod registries;

use std::fs;

use super::*;

/// Returns the packages of a project with these files; those below `home/` are the user's, and those below `system/`
/// are the system's. A variable may name them as `ROOT/home/…`.
fn packages(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Vec<String> {
    let root = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        let path = match name.starts_with("home/") || name.starts_with("system/") {
            true => root.path().join(name),
            false => root.path().join("work/shop").join(name),
        };
        let folder = path.parent().expect("it is in the folder");
        fs::create_dir_all(folder).expect("the folder is writable");
        fs::write(path, text).expect("the folder is writable");
    }
    let variable = |wanted: &str| {
        let mut found = variables.iter().filter(|(name, _)| *name == wanted);
        let at_root = |value: &str| value.replace("ROOT", &root.path().to_string_lossy());
        found.next().map(|(_, value)| at_root(value))
    };
    ProjectFolder {
        folder: &root.path().join("work/shop"),
        home: Some(&root.path().join("home")),
        system: &root.path().join("system"),
        variable: &variable,
        memo: &Memo::default(),
    }
    .names()
}

const NPM: (&str, &str) = (
    "package.json",
    r#"{"dependencies": {"react": "^19.0.0", "@acme/ui": "1.0.0", "ours": "file:../ours", "gh": "acme/gh"},
        "devDependencies": {"vitest": "3"}}"#,
);
const CARGO: (&str, &str) = (
    "Cargo.toml",
    "[dependencies]\ntokio = \"1\"\nours = { path = \"../ours\" }\nshared.workspace = true\nlog = \"0.4\"\n\
     billing = { version = \"1\", registry = \"acme\" }\nledger = { git = \"https://git.acme.test/ledger\" }\n\
     stock = { version = \"1\", registry-index = \"https://acme.test\" }\n\
     web = { package = \"axum\", version = \"0.8\" }\n[dev-dependencies]\ninsta = { version = \"1\" }\n",
);
const PYPROJECT: (&str, &str) = (
    "pyproject.toml",
    "[project]\ndependencies = [\"Django>=5\", \"ours @ file:///x\", \"more@https://acme.test/x\"]\n\
     [tool.poetry.dependencies]\npandas = \"2\"\nlocal = {path = \"x\"}\nledger = {version = \"1\", source = \"acme\"}\n",
);
const REQUIREMENTS: (&str, &str) = (
    "requirements.txt",
    "flask==3.0 # web\n-r x.txt\n./ours\nours/lib\nours-1.0.whl\ngit+https://x/y\nnumpy\n",
);

#[test]
fn public_packages_are_named_and_others_are_not() {
    let check = |file: (&str, &str), expected: &[&str]| {
        assert_eq!(packages(&[file], &[]), expected, "{file:?}");
    };
    check(CARGO, &["tokio", "axum", "insta"]);
    check(NPM, &["react", "vitest"]);
    check(PYPROJECT, &["django", "pandas"]);
    check(REQUIREMENTS, &["flask", "numpy"]);
    for damage in ["", "{", "[dependencies", "\u{0}"] {
        for file in ["Cargo.toml", "package.json", "pyproject.toml", "go.mod"] {
            check((file, damage), &[]);
        }
    }
}

#[test]
fn a_package_of_another_registry_of_npm_is_not_named() {
    let check = |file: (&str, &str), expected: &[&str]| {
        assert_eq!(packages(&[NPM, file], &[]), expected, "{file:?}");
    };
    let both = &["react", "vitest"];
    check(
        (
            ".npmrc",
            "registry=https://registry.npmjs.org/\nsave-exact=true",
        ),
        both,
    );
    check((".npmrc", "@acme:registry=https://npm.acme.test/"), both);
    check((".npmrc", "registry = https://npm.acme.test/"), &[]);
    check((".npmrc", "registry=${REGISTRY}"), &[]);
    check(
        ("../.npmrc", "registry=https://registry.npmjs.org.acme.test"),
        &[],
    );
    check(("home/.npmrc", "registry=https://me:x@npm.acme.test"), &[]);
    check(
        (
            ".yarnrc.yml",
            "npmRegistryServer: \"https://npm.acme.test\"",
        ),
        &[],
    );
    check(
        (".yarnrc", "registry \"https://registry.yarnpkg.com\""),
        both,
    );
    check(
        (
            "bunfig.toml",
            "[install]\nregistry = \"https://npm.acme.test\"",
        ),
        &[],
    );
    let lock = |resolved: &str| {
        format!(
            r#"{{"packages": {{"": {{}}, "node_modules/react": {{"resolved": "{resolved}"}},
                "node_modules/vitest": {{"resolved": "https://registry.npmjs.org/vitest/-/vitest-3.tgz"}}}}}}"#
        )
    };
    check(
        (
            "package-lock.json",
            &lock("https://registry.npmjs.org/react/-/react-19.tgz"),
        ),
        both,
    );
    check(
        (
            "package-lock.json",
            &lock("https://npm.acme.test/react-19.tgz"),
        ),
        &["vitest"],
    );
    check(
        (
            "../package-lock.json",
            &lock("git+ssh://git@github.com/acme/react.git"),
        ),
        &["vitest"],
    );
    check(("package-lock.json", "{"), &[]);
    let link =
        r#"{"packages": {"node_modules/react": {"resolved": "packages/react", "link": true}}}"#;
    check(("npm-shrinkwrap.json", link), &[]);
    let yarn = "react@^19.0.0:\n  version \"19\"\n  resolved \"https://npm.acme.test/react-19.tgz#1\"\n\n\
                \"vitest@3\":\n  resolved \"https://registry.yarnpkg.com/vitest/-/vitest-3.tgz#1\"\n";
    check(("yarn.lock", yarn), &["vitest"]);
    let pnpm = "packages:\n\n  react@19.0.0:\n    resolution: {integrity: x, tarball: https://npm.acme.test/r.tgz}\n\
                \n  vitest@3.0.0:\n    resolution: {integrity: y}\n";
    check(("pnpm-lock.yaml", pnpm), &["vitest"]);
    let bun = "{ \"packages\": {\n  \"react\": [\"react@19.0.0\", \"https://npm.acme.test/r.tgz\", {}, \"\"],\n\
               \"vitest\": [\"vitest@3.0.0\", \"\", {}, \"\"],\n}}";
    check(("bun.lock", bun), &["vitest"]);
    for variable in ["npm_config_registry", "NPM_CONFIG_REGISTRY"] {
        assert!(
            packages(&[NPM], &[(variable, "https://npm.acme.test")]).is_empty(),
            "{variable}"
        );
    }
}

#[test]
fn a_package_of_another_index_of_python_is_not_named() {
    let check = |files: &[(&str, &str)], variables: &[(&str, &str)], is_named: bool| {
        let found = packages(files, variables);
        assert_eq!(
            !found.is_empty(),
            is_named,
            "{files:?} {variables:?} {found:?}"
        );
    };
    for (option, is_named) in [
        ("--index-url https://pypi.org/simple", true),
        ("--extra-index-url https://py.acme.test/simple", false),
        ("--extra-index-url=https://py.acme.test/simple", false),
        ("--index-url ${INDEX}", false),
        ("-i https://py.acme.test", false),
        ("-ihttps://py.acme.test", false),
        ("-f ../wheels", false),
        ("--no-binary :all:", true),
        ("-r ../outside.txt", false),
    ] {
        check(
            &[("requirements.txt", &format!("{option}\nflask\n"))],
            &[],
            is_named,
        );
        // In another file, it counts for this one, too.
        let other = ("base.txt", option);
        check(
            &[("requirements.txt", "-r base.txt\nflask\n"), other],
            &[],
            is_named,
        );
    }
    for (table, is_named) in [
        (
            "[[tool.poetry.source]]\nname = \"a\"\nurl = \"https://py.acme.test\"",
            false,
        ),
        ("[[tool.uv.index]]\nurl = \"https://py.acme.test\"", false),
        ("[[tool.uv.index]]\nurl = \"https://pypi.org/simple\"", true),
        (
            "[tool.uv]\nextra-index-url = [\"https://py.acme.test\"]",
            false,
        ),
        ("[tool.uv.pip]\nindex-url = \"https://py.acme.test\"", false),
        ("[[tool.pdm.source]]\nurl = \"https://py.acme.test\"", false),
        ("[tool.uv.sources]\ndjango = { workspace = true }", false),
    ] {
        let text = format!("[project]\ndependencies = [\"django\"]\n{table}\n");
        check(&[("pyproject.toml", &text)], &[], is_named);
    }
    for file in [
        "home/.config/pip/pip.conf",
        "home/.pip/pip.conf",
        "uv.toml",
        "../uv.toml",
    ] {
        check(
            &[REQUIREMENTS, (file, "index-url = https://py.acme.test")],
            &[],
            false,
        );
        check(
            &[REQUIREMENTS, (file, "index-url = https://pypi.org/simple")],
            &[],
            true,
        );
    }
    for name in VARIABLES_OF_PYTHON {
        check(
            &[REQUIREMENTS],
            &[(name, "acme=https://py.acme.test")],
            false,
        );
    }
    check(
        &[REQUIREMENTS],
        &[("PIP_CONFIG_FILE", "/no/such/file")],
        false,
    );
    let uv = "[[package]]\nname = \"flask\"\nsource = { registry = \"https://py.acme.test\" }\n\
              [[package]]\nname = \"numpy\"\nsource = { registry = \"https://pypi.org/simple\" }\n";
    assert_eq!(packages(&[REQUIREMENTS, ("uv.lock", uv)], &[]), ["numpy"]);
    let poetry = "[[package]]\nname = \"Flask\"\n[package.source]\ntype = \"legacy\"\nurl = \"https://py.acme.test\"\n";
    assert_eq!(
        packages(&[REQUIREMENTS, ("poetry.lock", poetry)], &[]),
        ["numpy"]
    );
    check(&[REQUIREMENTS, ("uv.lock", "[[")], &[], false);
}

const VARIABLES_OF_PYTHON: [&str; 5] = [
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
];

#[test]
fn a_crate_of_another_registry_is_not_named() {
    let replaced = "[source.crates-io]\nreplace-with = \"acme\"\n";
    for file in [
        ".cargo/config.toml",
        "../.cargo/config",
        "home/.cargo/config.toml",
    ] {
        assert!(
            packages(&[CARGO, (file, replaced)], &[]).is_empty(),
            "{file}"
        );
        let others = [
            CARGO,
            (
                file,
                "[build]\njobs = 2\n[registries.acme]\nindex = \"https://x\"",
            ),
        ];
        assert_eq!(packages(&others, &[]), ["tokio", "axum", "insta"], "{file}");
    }
    // What a lock file does not know is not certainly public.
    let lock = "[[package]]\nname = \"tokio\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n\
                [[package]]\nname = \"axum\"\nsource = \"sparse+https://crates.acme.test/\"\n";
    assert_eq!(packages(&[CARGO, ("../Cargo.lock", lock)], &[]), ["tokio"]);
    let patched = format!(
        "{}[patch.crates-io]\ntokio = {{ git = \"https://acme.test\" }}\n",
        CARGO.1
    );
    assert_eq!(
        packages(&[("Cargo.toml", &patched)], &[]),
        ["axum", "insta"]
    );
}

#[test]
fn a_go_module_is_named_if_everybody_can_fetch_it() {
    let manifest = "module github.com/jackc/shop\nrequire github.com/spf13/cobra v1.10.0\nrequire (\n\
                    \tgithub.com/go-chi/chi/v5 v5.1.0\n\tgithub.com/jackc/pgconn/v2 v2.0.0\n\
                    \tgithub.com/gorilla/indirect v1.0.0 // indirect\n\tacme.internal/lib v1.0.0\n\
                    \tgithub.com/acme/billing v1.0.0\n\tgolang.org/x/crypto v0.1.0\n\tk8s.io.acme.test/ledger v1.0.0\n)\n";
    let check = |files: &[(&str, &str)], variables: &[(&str, &str)], expected: &[&str]| {
        let files = [&[("go.mod", manifest)], files].concat();
        assert_eq!(packages(&files, variables), expected, "{variables:?}");
    };
    // Its own owner's are left out: another repository of theirs may be private.
    check(&[], &[], &["cobra", "crypto"]);
    for (pattern, expected) in [
        ("*", &[][..]),
        ("*.internal,github.com/spf13", &["crypto"]),
        ("github.com/*/cobra", &["crypto"]),
        ("golang.org", &["cobra"]),
        ("github.com/s?f13/*/", &["crypto"]),
        // A set of characters is taken to match any part.
        ("[x]/spf13", &["crypto"]),
        ("github.com/spf", &["cobra", "crypto"]),
    ] {
        for name in ["GOPRIVATE", "GONOPROXY"] {
            check(&[], &[(name, pattern)], expected);
        }
        let settings = format!("GOPROXY=direct\nGOPRIVATE={pattern}\n");
        check(&[("home/.config/go/env", &settings)], &[], expected);
    }
}

#[test]
fn what_cannot_be_read_is_taken_for_private() {
    let large = " ".repeat(MAX_BYTES as usize + 1);
    assert!(packages(&[NPM, (".npmrc", &large)], &[]).is_empty());
    assert!(packages(&[NPM, ("package.json", &large)], &[]).is_empty());
    assert!(packages(&[REQUIREMENTS, ("uv.toml", &large)], &[]).is_empty());
    assert!(packages(&[CARGO, (".cargo/config", "[")], &[]).is_empty());
}

#[test]
fn a_package_is_named_as_a_word() {
    let check =
        |text: &str, expected: bool| assert_eq!(is_named(text, "react"), expected, "{text}");
    check("React useState does not update", true);
    check("hooks (react)", true);
    check("react-router fails", false);
    check("reactive streams", false);
}
