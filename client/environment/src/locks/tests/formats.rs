//! What each format says.

use super::{check, read_with, shown};

#[test]
fn cargo() {
    let lock = r#"version = 4
[[package]]
name = "shop"
version = "0.1.0"
dependencies = ["serde", "rand 0.8.5", "ours"]
[[package]]
name = "serde"
version = "1.0.200"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "rand"
version = "0.8.5"
source = "sparse+https://index.crates.io/"
[[package]]
name = "rand"
version = "0.7.3"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "ours"
version = "2.0.0"
source = "git+https://git.acme.test/ours?rev=1#abc"
[[package]]
name = "ledger"
version = "2.0.0"
source = "registry+https://crates.acme.test/index"
"#;
    let expected = [
        "shop 0.1.0 local transitive",
        "serde 1.0.200 registry direct",
        "rand 0.8.5 registry direct",
        "rand 0.7.3 registry transitive",
        "ours 2.0.0 git direct",
        "ledger 2.0.0 otherregistry transitive",
    ];
    check("Cargo.lock", lock, &expected);
    // The first version has the project apart.
    let first = "[root]\nname = \"shop\"\nversion = \"0.1.0\"\ndependencies = [\n \
        \"log 0.4.1 (registry+https://github.com/rust-lang/crates.io-index)\",\n]\n[[package]]\nname = \"log\"\nversion = \"0.4.1\"\n\
        source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
    check(
        "Cargo.lock",
        first,
        &["shop 0.1.0 local transitive", "log 0.4.1 registry direct"],
    );
}

#[test]
fn npm() {
    let third = r#"{"name": "shop", "lockfileVersion": 3, "packages": {
        "": {"name": "shop", "dependencies": {"react": "^19.0.0", "alias": "npm:real@1"}, "devDependencies": {"@types/node": "20"}},
        "packages/ours": {"name": "@acme/ours", "version": "1.0.0"},
        "node_modules/@acme/ours": {"resolved": "packages/ours", "link": true},
        "node_modules/react": {"version": "19.0.0", "resolved": "https://registry.npmjs.org/react/-/react-19.0.0.tgz"},
        "node_modules/alias": {"name": "real", "version": "1.0.0", "resolved": "https://registry.npmjs.org/real/-/real-1.0.0.tgz"},
        "node_modules/@types/node": {"version": "20.1.0", "resolved": "https://registry.npmjs.org/@types/node/-/node-20.1.0.tgz"},
        "node_modules/a/node_modules/react": {"version": "18.2.0", "resolved": "https://registry.npmjs.org/react/-/react-18.2.0.tgz"},
        "node_modules/secret": {"version": "1.0.0", "resolved": "https://npm.acme.test/secret/-/secret-1.0.0.tgz"},
        "node_modules/disguised": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/other/-/other-1.0.0.tgz"},
        "node_modules/fork": {"version": "1.0.0", "resolved": "git+ssh://git@github.com/acme/fork.git#abc"},
        "node_modules/unaddressed": {"version": "1.0.0", "integrity": "sha512-x"},
        "node_modules/bundled": {"version": "1.0.0", "inBundle": true}}}"#;
    let expected = [
        "shop - local",
        "@acme/ours 1.0.0 local",
        "@acme/ours - local transitive",
        "react 19.0.0 registry direct",
        "real 1.0.0 registry direct",
        "@types/node 20.1.0 registry direct",
        "react 18.2.0 registry transitive",
        "secret 1.0.0 otherregistry transitive",
        "disguised 1.0.0 unknown transitive",
        "fork 1.0.0 git transitive",
        "unaddressed 1.0.0 registry transitive",
        "bundled 1.0.0 unknown transitive",
    ];
    check("package-lock.json", third, &expected);
    let first = r#"{"name": "shop", "lockfileVersion": 1, "dependencies": {
        "react": {"version": "16.0.0", "resolved": "https://registry.npmjs.org/react/-/react-16.0.0.tgz",
            "dependencies": {"fbjs": {"version": "0.8.0", "resolved": "https://registry.npmjs.org/fbjs/-/fbjs-0.8.0.tgz"}}},
        "ours": {"version": "file:ours"}, "gh": {"version": "github:acme/gh#1"},
        "alias": {"version": "npm:real@1.0.0", "resolved": "https://registry.npmjs.org/real/-/real-1.0.0.tgz"}}}"#;
    let expected = [
        "shop - local",
        "react 16.0.0 registry",
        "fbjs 0.8.0 registry transitive",
        "ours - local",
        "gh - git",
        "real 1.0.0 registry",
    ];
    check("npm-shrinkwrap.json", first, &expected);
}

#[test]
fn pnpm() {
    let ninth = "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      react:\n        specifier: ^19.0.0\n        \
        version: 19.0.0\n      '@mui/material':\n        specifier: ^6\n        version: 6.1.0(react@19.0.0)\n      ours:\n        \
        specifier: workspace:*\n        version: link:packages/ours\npackages:\n  react@19.0.0:\n    resolution: {integrity: sha512-x}\n  \
        '@mui/material@6.1.0':\n    resolution: {integrity: sha512-y}\n  ledger@file:../ledger:\n    \
        resolution: {directory: ../ledger, type: directory}\n  \
        billing@https://npm.acme.test/b.tgz:\n    resolution: {tarball: https://npm.acme.test/b.tgz}\n    version: 1.0.0\n  \
        fork@git+https://git.acme.test/f:\n    resolution: {commit: abc, repo: https://git.acme.test/f, type: git}\n    version: 2.0.0\n";
    let expected = [
        "ours - local",
        "react 19.0.0 registry direct",
        "@mui/material 6.1.0 registry direct",
        "ledger - local transitive",
        "billing 1.0.0 otherregistry transitive",
        "fork 2.0.0 git transitive",
    ];
    check("pnpm-lock.yaml", ninth, &expected);
    let sixth = "lockfileVersion: '6.0'\ndependencies:\n  react:\n    specifier: ^18\n    version: 18.2.0\npackages:\n  \
        /react@18.2.0:\n    resolution: {integrity: sha512-x}\n  /@babel/core@7.20.0(x@1.0.0):\n    resolution: {integrity: sha512-y}\n";
    let expected = [
        "react 18.2.0 registry direct",
        "@babel/core 7.20.0 registry transitive",
    ];
    check("pnpm-lock.yaml", sixth, &expected);
    let fifth = "lockfileVersion: 5.4\nspecifiers:\n  react: ^17\n  ours: workspace:*\ndependencies:\n  react: 17.0.2\n  \
        ours: link:../ours\npackages:\n  /react/17.0.2:\n    resolution: {integrity: sha512-x}\n  \
        /react-dom/17.0.2_react@17.0.2:\n    resolution: {integrity: sha512-y}\n  npm.acme.test/secret/1.0.0:\n    \
        resolution: {integrity: sha512-z}\n";
    let expected = [
        "ours - local",
        "react 17.0.2 registry direct",
        "react-dom 17.0.2 registry transitive",
        "secret 1.0.0 otherregistry transitive",
    ];
    check("pnpm-lock.yaml", fifth, &expected);
}

#[test]
fn yarn_and_bun() {
    let first = "# yarn lockfile v1\n\n\n\"@babel/core@^7.0.0\", \"@babel/core@^7.1.0\":\n  version \"7.20.0\"\n  \
        resolved \"https://registry.yarnpkg.com/@babel/core/-/core-7.20.0.tgz#1a\"\n\nsecret@^1.0.0:\n  version \"1.0.0\"\n  \
        resolved \"https://npm.acme.test/secret/-/secret-1.0.0.tgz\"\n\n\"alias@npm:real@^1\":\n  version \"1.0.0\"\n  \
        resolved \"https://registry.yarnpkg.com/real/-/real-1.0.0.tgz#2\"\n\n\"ours@file:../ours\":\n  version \"1.0.0\"\n";
    let expected = [
        "@babel/core 7.20.0 registry",
        "secret 1.0.0 otherregistry",
        "real 1.0.0 registry",
        "ours 1.0.0 local",
    ];
    check("yarn.lock", first, &expected);
    let berry = "__metadata:\n  version: 8\n\n\"react@npm:^19.0.0\":\n  version: 19.0.0\n  resolution: \"react@npm:19.0.0\"\n\n\
        \"alias@npm:real@^1\":\n  version: 1.0.0\n  resolution: \"real@npm:1.0.0\"\n\n\
        \"secret@npm:1.0.0\":\n  version: 1.0.0\n  resolution: \"secret@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.acme.test%2Fb.tgz\"\n\n\
        \"fork@git@github.com:acme/fork.git\":\n  version: 1.0.0\n  resolution: \"fork@https://github.com/acme/fork.git#commit=1\"\n\n\
        \"react@patch:react@npm%3A19.0.0#x.patch\":\n  version: 19.0.0\n  resolution: \"react@patch:react@npm%3A19.0.0#x.patch\"\n\n\
        \"shop@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"shop@workspace:.\"\n  dependencies:\n    react: \"npm:^19.0.0\"\n";
    let expected = [
        "react 19.0.0 registry direct",
        "real 1.0.0 registry transitive",
        "secret 1.0.0 otherregistry transitive",
        "fork 1.0.0 git transitive",
        "shop - local",
        "shop 0.0.0-use.local local transitive",
    ];
    check("yarn.lock", berry, &expected);
    let bun = "{\n  // Written by Bun.\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n      \"name\": \"shop\",\n      \
        \"dependencies\": {\n        \"react\": \"^19.0.0\",\n      },\n    },\n  },\n  \"packages\": {\n    \
        \"react\": [\"react@19.0.0\", \"\", {}, \"sha512-x\"],\n    \"secret\": [\"secret@1.0.0\", \"https://npm.acme.test/s.tgz\", {}, \"\"],\n    \
        \"ours\": [\"ours@workspace:packages/ours\"],\n    \"gh\": [\"gh@github:acme/gh#1a\", {}, \"1a\"],\n    \
        \"x/react\": [\"react@18.0.0\", \"\", {}, \"sha512-y\"],\n  }\n}\n";
    let expected = [
        "shop - local",
        "react 19.0.0 registry direct",
        "secret 1.0.0 otherregistry transitive",
        "ours - local transitive",
        "gh - git transitive",
        "react 18.0.0 registry transitive",
    ];
    check("bun.lock", bun, &expected);
}

#[test]
fn python() {
    let poetry = "[[package]]\nname = \"Flask\"\nversion = \"3.0.0\"\n[[package]]\nname = \"ledger\"\nversion = \"1.0\"\n[package.source]\n\
        type = \"legacy\"\nurl = \"https://py.acme.test/simple\"\nreference = \"acme\"\n[[package]]\nname = \"fork\"\nversion = \"1.0\"\n\
        [package.source]\ntype = \"git\"\nurl = \"https://github.com/acme/fork.git\"\n[[package]]\nname = \"ours\"\nversion = \"1.0\"\n\
        [package.source]\ntype = \"directory\"\nurl = \"../ours\"\n";
    let expected = [
        "Flask 3.0.0 registry",
        "ledger 1.0 otherregistry",
        "fork 1.0 git",
        "ours 1.0 local",
    ];
    check("poetry.lock", poetry, &expected);
    let pdm = "[[package]]\nname = \"flask\"\nversion = \"3.0.0\"\n[[package]]\nname = \"fork\"\nversion = \"1\"\ngit = \"https://x\"\n\
        [[package]]\nname = \"ours\"\nversion = \"1\"\npath = \"./ours\"\n";
    check(
        "pdm.lock",
        pdm,
        &["flask 3.0.0 registry", "fork 1 git", "ours 1 local"],
    );
    let uv = "version = 1\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\nsource = { virtual = \".\" }\ndependencies = [{ name = \"flask\" }]\n\
        [[package]]\nname = \"flask\"\nversion = \"3.0.0\"\nsource = { registry = \"https://pypi.org/simple\" }\n\
        [[package]]\nname = \"ledger\"\nversion = \"1.0\"\nsource = { registry = \"https://py.acme.test/simple\" }\n\
        [[package]]\nname = \"fork\"\nversion = \"1.0\"\nsource = { git = \"https://github.com/acme/fork?rev=1\" }\n\
        [[package]]\nname = \"ours\"\nversion = \"1.0\"\nsource = { editable = \"../ours\" }\n";
    let expected = [
        "shop 0.1.0 local transitive",
        "flask 3.0.0 registry direct",
        "ledger 1.0 otherregistry transitive",
        "fork 1.0 git transitive",
        "ours 1.0 local transitive",
    ];
    check("uv.lock", uv, &expected);
    let pipfile = |url: &str| {
        format!(
            r#"{{"_meta": {{"sources": [{{"name": "pypi", "url": "https://pypi.org/simple"}}, {{"name": "other", "url": "{url}"}}]}},
            "default": {{"flask": {{"version": "==3.0.0", "index": "pypi"}}, "ours": {{"path": "."}}, "fork": {{"git": "x"}}}},
            "develop": {{"pytest": {{"version": "==8.0"}}}}}}"#
        )
    };
    check(
        "Pipfile.lock",
        &pipfile("https://pypi.org/simple"),
        &[
            "flask 3.0.0 registry",
            "ours - local",
            "fork - git",
            "pytest 8.0 registry",
        ],
    );
    let private = "otherregistry";
    check(
        "Pipfile.lock",
        &pipfile("https://py.acme.test"),
        &[
            &format!("flask 3.0.0 {private}"),
            "ours - local",
            "fork - git",
            &format!("pytest 8.0 {private}"),
        ],
    );
}

#[test]
fn requirements() {
    let text = "flask==3.0.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nDjango[argon2]==5.0 ; python_version > '3.8'\nnumpy>=1.2\n\
        pandas==2.* # any\nfork @ git+https://github.com/acme/fork\narchive @ https://acme.test/a.whl\n-e ../ours\n\
        -r base.txt\n-c constraints.txt\n";
    let files = [
        ("requirements-dev.txt", text),
        (
            "base.txt",
            "-r requirements-dev.txt\n-r base.txt\nrequests===2.31.0\n",
        ),
        ("constraints.txt", "urllib3==2.0.0\n"),
    ];
    let expected = [
        "flask 3.0.0 registry",
        "Django 5.0 registry",
        "fork - git",
        "archive - otherregistry",
        "ours - local",
        "requests 2.31.0 registry",
    ];
    // The file itself is named once more: its packages are the same.
    let found = shown(read_with("requirements-dev.txt", &files));
    let mut distinct: Vec<&String> = Vec::new();
    found.iter().for_each(|it| {
        if !distinct.contains(&it) {
            distinct.push(it);
        }
    });
    assert_eq!(distinct, expected.iter().collect::<Vec<_>>());
    // Another index anywhere makes all of them unsure.
    for option in [
        "--extra-index-url https://py.acme.test",
        "-ihttps://py.acme.test",
        "-r missing.txt",
        "-f wheels",
    ] {
        let base = format!("requests==2.31.0\n{option}\n");
        let files = [
            ("requirements.txt", "flask==3.0.0\n-r base.txt\n"),
            ("base.txt", &base),
        ];
        let expected = ["flask 3.0.0 otherregistry", "requests 2.31.0 otherregistry"];
        assert_eq!(
            shown(read_with("requirements.txt", &files)),
            expected,
            "{option}"
        );
    }
}

#[test]
fn go_ruby_and_php() {
    let module = "module github.com/acme/shop // ours\n\ngo 1.22\n\nrequire github.com/spf13/cobra v1.8.0\nrequire (\n\
        \tgolang.org/x/net v0.20.0 // indirect\n\tgithub.com/old/lib v1.0.0\n\tgithub.com/acme/ledger v1.0.0\n)\n\
        replace github.com/old/lib => github.com/new/lib v1.1.0\nreplace (\n\tgithub.com/acme/ledger v1.0.0 => ../ledger\n)\n";
    let expected = [
        "github.com/acme/shop - local",
        "github.com/spf13/cobra v1.8.0 registry direct",
        "golang.org/x/net v0.20.0 registry transitive",
        "github.com/new/lib v1.1.0 registry direct",
        "github.com/acme/ledger v1.0.0 local direct",
    ];
    check("go.mod", module, &expected);
    let gems = "GIT\n  remote: https://github.com/acme/fork.git\n  revision: abc\n  specs:\n    fork (1.0)\n\nPATH\n  remote: engines/ours\n  \
        specs:\n    ours (0.1.0)\n      rails\n\nGEM\n  remote: https://gems.acme.test/\n  specs:\n    ledger (1.0)\n\n\
        GEM\n  remote: https://rubygems.org/\n  specs:\n    nokogiri (1.16.0-x86_64-linux)\n      racc (~> 1.4)\n    rails (7.1.0)\n\n\
        PLATFORMS\n  x86_64-linux\n\nDEPENDENCIES\n  rails (~> 7.1)\n  ours!\n";
    let expected = [
        "fork 1.0 git transitive",
        "ours 0.1.0 local direct",
        "ledger 1.0 otherregistry transitive",
        "nokogiri 1.16.0 registry transitive",
        "rails 7.1.0 registry direct",
    ];
    check("Gemfile.lock", gems, &expected);
    // With two remotes in one block it is not known which one has a gem.
    let both = "GEM\n  remote: https://rubygems.org/\n  remote: https://gems.acme.test/\n  specs:\n    rails (7.1.0)\n";
    check(
        "Gemfile.lock",
        both,
        &["rails 7.1.0 otherregistry transitive"],
    );
    let composer = r#"{"packages": [
        {"name": "monolog/monolog", "version": "3.5.0", "notification-url": "https://packagist.org/downloads/",
         "dist": {"type": "zip", "url": "https://api.github.com/repos/Seldaek/monolog/zipball/1"}},
        {"name": "acme/ledger", "version": "1.0.0", "notification-url": "https://repo.packagist.com/acme/downloads/"},
        {"name": "acme/fork", "version": "dev-main", "source": {"type": "git", "url": "https://github.com/acme/fork.git"}},
        {"name": "acme/ours", "version": "1.0.0", "dist": {"type": "path", "url": "../ours"}}],
        "packages-dev": [{"name": "phpunit/phpunit", "version": "10.5.0", "notification-url": "https://packagist.org/downloads/",
         "dist": {"type": "zip", "url": "https://mirror.acme.test/phpunit.zip"}}]}"#;
    let expected = [
        "monolog/monolog 3.5.0 registry",
        "acme/ledger 1.0.0 otherregistry",
        "acme/fork - git",
        "acme/ours 1.0.0 local",
        "phpunit/phpunit 10.5.0 otherregistry",
    ];
    check("composer.lock", composer, &expected);
}

#[test]
fn gradle() {
    let lock = "# Written by Gradle.\norg.slf4j:slf4j-api:2.0.9=compileClasspath,runtimeClasspath\nempty=annotationProcessor\n";
    check(
        "gradle.lockfile",
        lock,
        &["org.slf4j:slf4j-api 2.0.9 registry"],
    );
    let catalog = "[versions]\nkotlin = \"1.9.0\"\nrich = { strictly = \"2.0.0\" }\nrange = { prefer = \"1\" }\n[libraries]\n\
        stdlib = { module = \"org.jetbrains.kotlin:kotlin-stdlib\", version.ref = \"kotlin\" }\n\
        guava = \"com.google.guava:guava:32.0-jre\"\na = { group = \"io.ktor\", name = \"ktor-core\", version.ref = \"rich\" }\n\
        b = { module = \"io.netty:netty-all\", version.ref = \"range\" }\n";
    let found = read_with(
        "gradle/libs.versions.toml",
        &[("gradle/libs.versions.toml", catalog)],
    );
    let mut found = shown(found);
    found.sort();
    let expected = [
        "com.google.guava:guava 32.0-jre registry direct",
        "io.ktor:ktor-core 2.0.0 registry direct",
        "io.netty:netty-all - registry direct",
        "org.jetbrains.kotlin:kotlin-stdlib 1.9.0 registry direct",
    ];
    assert_eq!(found, expected);
    let script = "plugins {\n  id 'org.springframework.boot' version '3.2.0'\n}\ndef jackson = '2.15.0'\ndependencies {\n  \
        implementation \"com.fasterxml.jackson.core:jackson-databind:$jackson\"\n  testImplementation('junit:junit:4.13')\n  \
        // implementation 'old:gone:1'\n  api platform(\"io.netty:netty-bom:4.1.0\")\n  runtimeOnly(\"x.y:z:${unknown}\")\n}\n";
    let expected = [
        "com.fasterxml.jackson.core:jackson-databind 2.15.0 registry direct",
        "junit:junit 4.13 registry direct",
        "io.netty:netty-bom 4.1.0 registry direct",
        "x.y:z - registry direct",
        "org.springframework.boot:org.springframework.boot.gradle.plugin 3.2.0 registry direct",
    ];
    check("build.gradle", script, &expected);
}

#[test]
fn maven() {
    let parent = "<project><groupId>com.acme</groupId><artifactId>root</artifactId><version>1</version><properties>\
        <jackson.version>2.15.0</jackson.version><a>${b}</a><b>${a}</b></properties><dependencyManagement><dependencies><dependency>\
        <groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.9</version></dependency></dependencies>\
        </dependencyManagement></project>";
    let child = "<?xml version=\"1.0\"?><project xmlns=\"http://maven.apache.org/POM/4.0.0\"><parent><groupId>com.acme</groupId>\
        <artifactId>root</artifactId><version>1</version></parent><artifactId>api</artifactId><dependencies>\
        <dependency><groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>${jackson.version}</version></dependency>\
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId></dependency>\
        <dependency><groupId>${project.groupId}</groupId><artifactId>ledger</artifactId><version>${project.version}</version></dependency>\
        <dependency><groupId>io.netty</groupId><artifactId>netty-all</artifactId><version>${a}</version></dependency>\
        <dependency><groupId>org.old</groupId><artifactId>jar</artifactId><version>1</version><scope>system</scope></dependency>\
        </dependencies></project>";
    let files = [("pom.xml", parent), ("api/pom.xml", child)];
    let expected = [
        "com.fasterxml.jackson.core:jackson-databind 2.15.0 registry direct",
        "org.slf4j:slf4j-api 2.0.9 registry direct",
        "com.acme:ledger 1 local direct",
        "io.netty:netty-all - registry direct",
        "org.old:jar 1 local direct",
        "com.acme:api - local direct",
        "com.acme:root - local direct",
    ];
    assert_eq!(shown(read_with("api/pom.xml", &files)), expected);
    // A parent that is not in the repository is a package.
    let boot = "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId>\
        <version>3.2.0</version><relativePath/></parent><groupId>com.acme</groupId><artifactId>api</artifactId></project>";
    let expected = [
        "org.springframework.boot:spring-boot-starter-parent 3.2.0 registry direct",
        "com.acme:api - local direct",
    ];
    check("pom.xml", boot, &expected);
}

#[test]
fn dotnet() {
    let lock = r#"{"version": 1, "dependencies": {"net8.0": {
        "Serilog": {"type": "Direct", "requested": "[3.1.1, )", "resolved": "3.1.1"},
        "System.Memory": {"type": "Transitive", "resolved": "4.5.5"}, "acme.ledger": {"type": "Project"}}}}"#;
    let expected = [
        "Serilog 3.1.1 registry direct",
        "System.Memory 4.5.5 registry transitive",
        "acme.ledger - local transitive",
    ];
    check("packages.lock.json", lock, &expected);
    let project = "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><EfVersion>8.0.1</EfVersion></PropertyGroup><ItemGroup>\
        <PackageReference Include=\"Serilog\" /><PackageReference Include=\"Dapper\" Version=\"[2.1.0]\" />\
        <PackageReference Include=\"Npgsql\"><Version>8.0.0</Version></PackageReference>\
        <PackageReference Include=\"EF\" Version=\"$(EfVersion)\" /><PackageReference Include=\"Range\" Version=\"[1.0,2.0)\" />\
        <ProjectReference Include=\"..\\Acme.Ledger\\Acme.Ledger.csproj\" /></ItemGroup></Project>";
    let central = "<Project><ItemGroup><PackageVersion Include=\"Serilog\" Version=\"3.1.1\" /></ItemGroup></Project>";
    let files = [
        ("src/Shop/Shop.csproj", project),
        ("Directory.Packages.props", central),
    ];
    let expected = [
        "Serilog 3.1.1 registry direct",
        "Dapper 2.1.0 registry direct",
        "Npgsql 8.0.0 registry direct",
        "EF 8.0.1 registry direct",
        "Range - registry direct",
        "Acme.Ledger - local direct",
    ];
    assert_eq!(shown(read_with("src/Shop/Shop.csproj", &files)), expected);
}
