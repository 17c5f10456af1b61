//! What settings, manifests and other packages say about what is private.

use super::*;

#[test]
fn settings_of_the_project_make_packages_private() {
    let check = |file: (&str, &str), lock: (&str, &str)| {
        let disk = Disk::new(&[lock]);
        assert!(!public(&disk.find("work/shop")).is_empty(), "{lock:?}");
        disk.write(file.0, file.1);
        let project = disk.find("work/shop");
        assert!(
            public(&project).is_empty(),
            "{file:?} {:?}",
            public(&project)
        );
    };
    let npm = npm_lock(&[("react", "19.0.0")]);
    let npm = ("work/shop/package-lock.json", npm.as_str());
    check(("work/shop/.npmrc", "registry=https://npm.acme.test/"), npm);
    check(("home/.npmrc", "registry=https://npm.acme.test/"), npm);
    let cargo = cargo_lock("serde", "1.0.0");
    check(
        (
            "home/.cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"acme\"\n",
        ),
        ("work/shop/Cargo.lock", &cargo),
    );
    let python = ("work/shop/requirements.txt", "flask==3.0.0\n");
    check(
        (
            "home/.config/pip/pip.conf",
            "[global]\nextra-index-url = https://py.acme.test\n",
        ),
        python,
    );
    check(
        (
            "home/.config/pdm/config.toml",
            "[pypi]\nurl = \"https://py.acme.test/simple\"\n",
        ),
        python,
    );
    check(
        (
            "work/shop/pyproject.toml",
            "[tool.uv.sources]\nflask = { workspace = true }\n",
        ),
        python,
    );
    check(("work/shop/pyproject.toml", "["), python);
    let go = (
        "work/shop/go.mod",
        "module x.test/shop\nrequire github.com/spf13/cobra v1.8.0\n",
    );
    check(("home/.config/go/env", "GOPRIVATE=github.com/spf13\n"), go);
    let maven = (
        "work/shop/pom.xml",
        "<project><groupId>com.acme</groupId><artifactId>a</artifactId><dependencies><dependency><groupId>org.slf4j</groupId>\
         <artifactId>slf4j-api</artifactId><version>2.0.9</version></dependency></dependencies></project>",
    );
    let mirror = "<settings><mirrors><mirror><url>https://maven.acme.test/</url></mirror></mirrors></settings>";
    check(("home/.m2/settings.xml", mirror), maven);
    check(("work/shop/.mvn/maven.config", "-s .mvn/s.xml"), maven);
    check(
        (
            "work/pom.xml",
            "<project><repositories><repository><url>${nexus}</url></repository></repositories></project>",
        ),
        maven,
    );
    let gradle = (
        "work/shop/gradle.lockfile",
        "org.slf4j:slf4j-api:2.0.9=compileClasspath\n",
    );
    check(
        (
            "work/shop/build.gradle",
            "repositories { maven { url = uri(nexusUrl) } }",
        ),
        gradle,
    );
    check(
        (
            "work/shop/settings.gradle.kts",
            "maven(\"https://maven.acme.test\")",
        ),
        gradle,
    );
    check(
        (
            "home/.gradle/init.d/acme.gradle",
            "allprojects { maven { url 'https://maven.acme.test' } }",
        ),
        gradle,
    );
    let nuget = (
        "work/shop/packages.lock.json",
        r#"{"dependencies": {"net8.0": {"Serilog": {"type": "Direct", "resolved": "3.1.1"}}}}"#,
    );
    let source = "<configuration><packageSources><add key=\"a\" value=\"https://nuget.acme.test/v3/index.json\"/></packageSources></configuration>";
    check(("work/shop/nuget.config", source), nuget);
    check(("home/.nuget/NuGet/NuGet.Config", source), nuget);
    check(
        (
            "work/shop/Directory.Build.props",
            "<Project><PropertyGroup><RestoreSources>x</RestoreSources></PropertyGroup></Project>",
        ),
        nuget,
    );
    let gems = (
        "work/shop/Gemfile.lock",
        "GEM\n  remote: https://rubygems.org/\n  specs:\n    rails (7.1.0)\n",
    );
    check(
        (
            "work/shop/.bundle/config",
            "BUNDLE_MIRROR__ALL: \"https://gems.acme.test\"\n",
        ),
        gems,
    );
    let composer = (
        "work/shop/composer.lock",
        r#"{"packages": [{"name": "monolog/monolog", "version": "3.5.0", "notification-url": "https://packagist.org/downloads/"}]}"#,
    );
    check(
        (
            "home/.config/composer/config.json",
            r#"{"repositories": [{"url": "https://php.acme.test"}]}"#,
        ),
        composer,
    );
    check(
        ("work/shop/composer.json", r#"{"name": "monolog/fork"}"#),
        composer,
    );
}

#[test]
fn owners_of_private_packages_own_private_packages() {
    let lock = r#"{"packages": {"packages/ui": {"name": "@nestjs/ours"},
        "node_modules/@nestjs/core": {"version": "10.0.0", "resolved": "https://registry.npmjs.org/@nestjs/core/-/core-10.0.0.tgz"},
        "node_modules/@acme/ui": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/@acme/ui/-/ui-1.0.0.tgz"},
        "node_modules/@types/node": {"version": "20.0.0", "resolved": "https://registry.npmjs.org/@types/node/-/node-20.0.0.tgz"}}}"#;
    let disk = Disk::new(&[("work/shop/package-lock.json", lock)]);
    assert_eq!(public(&disk.find("work/shop")), ["@types/node 20.0.0"]);
    for (file, text) in [
        (
            "work/shop/.npmrc",
            "@types:registry=https://npm.acme.test/\n",
        ),
        (
            "work/shop/pnpm-workspace.yaml",
            "registries:\n  '@types': https://npm.acme.test/\n",
        ),
    ] {
        let disk = Disk::new(&[("work/shop/package-lock.json", lock), (file, text)]);
        assert!(public(&disk.find("work/shop")).is_empty(), "{file}");
    }
    // A group that is not known is public if Maven has noted that it came from the central repository.
    let lock = "com.unknown:lib:1.0=compileClasspath\ncom.unknown:own:1.0=compileClasspath\n";
    let disk = Disk::new(&[
        ("work/shop/gradle.lockfile", lock),
        (
            "home/.m2/repository/com/unknown/lib/1.0/_remote.repositories",
            "#x\nlib-1.0.jar>central=\n",
        ),
        (
            "home/.m2/repository/com/unknown/own/1.0/_remote.repositories",
            "#x\nown-1.0.jar>=\n",
        ),
    ]);
    assert_eq!(public(&disk.find("work/shop")), ["com.unknown:lib 1.0"]);
}

#[test]
fn settings_beside_a_lock_file_count_in_the_folders_below() {
    let poetry = "[[package]]\nname = \"flask\"\nversion = \"3.0.0\"\n";
    let source = "[[tool.poetry.source]]\nname = \"a\"\nurl = \"https://py.acme.test\"\n";
    let disk = Disk::new(&[
        ("work/shop/poetry.lock", poetry),
        ("work/shop/src/a.py", ""),
    ]);
    assert_eq!(public(&disk.find("work/shop/src/a.py")), ["flask 3.0.0"]);
    disk.write("work/shop/pyproject.toml", source);
    assert!(public(&disk.find("work/shop/src/a.py")).is_empty());
}
