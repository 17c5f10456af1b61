//! What lock files say of a package, and settings outside of the project's folder.

use super::*;

/// A package of the project itself has no scope, and its version may be a number.
#[test]
fn where_a_lock_exists_only_what_it_has_from_the_registry_is_named() {
    let manifest = r#"{"dependencies": {"react": "^19.0.0", "ours": "*", "billing": "1.0.0", "ledger": "1"},
        "devDependencies": {"vitest": "workspace:^3"}}"#;
    let check = |name: &str, lock: &str| {
        let found = packages(&[("package.json", manifest), (name, lock)], &[]);
        assert_eq!(found, ["react"], "{name}: {lock}");
    };
    let npm = "https://registry.npmjs.org";
    check(
        "package-lock.json",
        &format!(
            r#"{{"lockfileVersion": 3, "packages": {{"": {{"name": "shop"}}, "packages/ours": {{"version": "1.0.0"}},
                "node_modules/ours": {{"resolved": "packages/ours", "link": true}},
                "packages/b": {{"name": "billing"}}, "node_modules/ledger": {{"version": "1.0.0", "inBundle": true}},
                "node_modules/react": {{"version": "19.0.0", "resolved": "{npm}/react/-/react-19.0.0.tgz"}}}}}}"#
        ),
    );
    check(
        "package-lock.json",
        &format!(
            r#"{{"lockfileVersion": 1, "dependencies": {{"ours": {{"version": "file:packages/ours"}},
                "ledger": {{"version": "1.0.0"}},
                "react": {{"version": "19.0.0", "resolved": "{npm}/react/-/react-19.0.0.tgz"}}}}}}"#
        ),
    );
    // Yarn 1 leaves the packages of the project out.
    check(
        "yarn.lock",
        "# yarn lockfile v1\n\n\n\"ledger@file:../ledger\":\n  version \"1.0.0\"\n\nreact@^19.0.0:\n  version \"19.0.0\"\n  \
         resolved \"https://registry.yarnpkg.com/react/-/react-19.0.0.tgz#1a\"\n  integrity sha512-x\n",
    );
    check(
        "yarn.lock",
        "__metadata:\n  version: 8\n\n\"billing@npm:1.0.0\":\n  version: 1.0.0\n  \
         resolution: \"billing@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.acme.test%2Fb.tgz\"\n\n\
         \"ours@npm:*, ours@workspace:packages/ours\":\n  version: 0.0.0-use.local\n  \
         resolution: \"ours@workspace:packages/ours\"\n  linkType: soft\n\n\
         \"ledger@portal:../ledger::locator=shop%40workspace%3A.\":\n  resolution: \"ledger@portal:../ledger\"\n\n\
         \"react@npm:^19.0.0\":\n  version: 19.0.0\n  resolution: \"react@npm:19.0.0\"\n  checksum: 10/1a\n",
    );
    check(
        "pnpm-lock.yaml",
        "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      react:\n        specifier: ^19.0.0\n        \
         version: 19.0.0\n      ours:\n        specifier: workspace:*\n        version: link:packages/ours\n\npackages:\n\n  \
         billing@https://npm.acme.test/b.tgz:\n    resolution: {tarball: https://npm.acme.test/b.tgz}\n\n  \
         ledger@file:../ledger:\n    resolution: {directory: ../ledger, type: directory}\n\n  \
         react@19.0.0:\n    resolution: {integrity: sha512-x}\n    engines: {node: '>=18'}\n\n\
         snapshots:\n\n  ledger@1.0.0: {}\n\n  react@19.0.0: {}\n",
    );
    // A package of the registry with the same name as one of the project.
    check(
        "pnpm-lock.yaml",
        "lockfileVersion: 5.4\n\nspecifiers:\n  ours: workspace:*\n\ndependencies:\n  billing: link:../billing\n  ledger: 1.0.0\n  \
         react: 19.0.0\n\npackages:\n\n  /billing/1.0.0:\n    resolution: {integrity: sha512-x}\n\n  \
         npm.acme.test/ledger/1.0.0:\n    resolution: {integrity: sha512-x}\n\n  \
         /react/19.0.0:\n    resolution: {integrity: sha512-x}\n",
    );
    check(
        "bun.lock",
        "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n      \"name\": \"shop\",\n    },\n  },\n  \"packages\": {\n    \
         \"billing\": [\"billing@1.0.0\", \"https://npm.acme.test/billing/-/billing-1.0.0.tgz\", {}, \"sha512-x\"],\n\n    \
         \"ours\": [\"ours@workspace:packages/ours\"],\n\n    \"ledger\": [\"ledger@file:../ledger\", {}],\n\n    \
         \"react\": [\"react@19.0.0\", \"\", {}, \"sha512-x\"],\n  }\n}\n",
    );
    // One that is no text.
    let found = packages(&[("package.json", manifest), ("bun.lockb", "\u{0}")], &[]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn settings_of_the_system_and_of_other_folders_count() {
    let private = "https://npm.acme.test";
    let check = |manifest: (&str, &str), file: &str, text: &str, variables: &[(&str, &str)]| {
        let is_named = |text: &str| !packages(&[manifest, (file, text)], variables).is_empty();
        assert!(!is_named(text), "{file}: {text}");
        let text = text.replace(private, "https://registry.npmjs.org");
        let text = text.replace("https://py.acme.test", "https://pypi.org");
        assert!(is_named(&text), "{file}: {text}");
    };
    let npmrc = &format!("registry={private}");
    let yaml = &format!(
        "packages:\n  - 'a'\nregistries:\n  '@acme': {private}\n  default: {private} # ours\n"
    );
    check(NPM, "system/etc/npmrc", npmrc, &[]);
    check(NPM, "system/usr/local/etc/npmrc", npmrc, &[]);
    check(
        NPM,
        "home/node/etc/npmrc",
        npmrc,
        &[("PREFIX", "ROOT/home/node")],
    );
    check(
        NPM,
        "home/other/npmrc",
        npmrc,
        &[("NPM_CONFIG_USERCONFIG", "ROOT/home/other/npmrc")],
    );
    check(
        NPM,
        "home/other/npmrc",
        npmrc,
        &[("npm_config_globalconfig", "ROOT/home/other/npmrc")],
    );
    check(NPM, "pnpm-workspace.yaml", yaml, &[]);
    check(
        NPM,
        "../pnpm-workspace.yaml",
        &format!("registry: '{private}'"),
        &[],
    );
    check(
        NPM,
        "home/.config/pnpm/config.yaml",
        &format!("registry: {private}"),
        &[],
    );
    check(
        NPM,
        "home/x/pnpm/config.yaml",
        yaml,
        &[("XDG_CONFIG_HOME", "ROOT/home/x")],
    );
    check(NPM, "home/.config/pnpm/rc", npmrc, &[]);
    // Neither a catalogue nor the registry of a scope is that of the others.
    let scoped =
        format!("catalogs:\n  default:\n    react: ^19\nregistries:\n  '@acme': {private}\n");
    assert!(!packages(&[NPM, ("pnpm-workspace.yaml", &scoped)], &[]).is_empty());
    let named = [("NPM_CONFIG_USERCONFIG", "ROOT/home/none")];
    assert!(packages(&[NPM], &named).is_empty());

    let pip = "[global]\nextra-index-url = https://py.acme.test/simple\n";
    let uv = "[[index]]\nurl = \"https://py.acme.test/simple\"\n";
    check(REQUIREMENTS, "system/etc/pip.conf", pip, &[]);
    check(REQUIREMENTS, "system/etc/xdg/pip/pip.conf", pip, &[]);
    check(
        REQUIREMENTS,
        "system/b/pip/pip.conf",
        pip,
        &[("XDG_CONFIG_DIRS", "ROOT/system/b")],
    );
    check(
        REQUIREMENTS,
        "home/x/pip/pip.conf",
        pip,
        &[("XDG_CONFIG_HOME", "ROOT/home/x")],
    );
    check(
        REQUIREMENTS,
        "home/env/pip.conf",
        pip,
        &[("VIRTUAL_ENV", "ROOT/home/env")],
    );
    check(
        REQUIREMENTS,
        "home/env/pip.ini",
        pip,
        &[("VIRTUAL_ENV", "ROOT/home/env")],
    );
    check(REQUIREMENTS, ".venv/pip.conf", pip, &[]);
    check(
        REQUIREMENTS,
        "system/data/pip/pip.ini",
        pip,
        &[("ProgramData", "ROOT/system/data")],
    );
    check(REQUIREMENTS, "system/etc/uv/uv.toml", uv, &[]);
    check(
        REQUIREMENTS,
        "home/x/uv/uv.toml",
        uv,
        &[("XDG_CONFIG_HOME", "ROOT/home/x")],
    );
}
