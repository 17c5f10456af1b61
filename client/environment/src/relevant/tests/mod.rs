//! What texts mention, and what they only seem to.

#![allow(clippy::unwrap_used)]

mod generated;

use super::*;
use crate::{locks::Strength, package::Origin, project::ReadFile};

/// A project with public packages of every ecosystem.
fn project(packages: &[(Ecosystem, &str, &str)]) -> Project {
    let packages = packages.iter().map(|(ecosystem, name, version)| Known {
        package: Package::new(*ecosystem, name, Some(version), Origin::Registry).unwrap(),
        held: None,
        file: 0,
    });
    Project {
        packages: packages.collect(),
        files: vec![ReadFile {
            path: "lock".into(),
            ecosystem: Ecosystem::Npm,
            strength: Strength::Lock,
            rank: 0,
            packages: 0,
        }],
        runtimes: [
            ("node", "20.1.0"),
            ("python", "3.11.4"),
            ("rustc", "1.80.0"),
            ("go", "1.22"),
        ]
        .map(|(name, version)| NamedVersion {
            name: name.to_owned(),
            version: Some(version.to_owned()),
        })
        .into(),
        ..Project::default()
    }
}

fn usual() -> Project {
    use Ecosystem::*;
    project(&[
        (Npm, "react", "19.0.0"),
        (Npm, "react-dom", "19.0.0"),
        (Npm, "react-router", "7.0.0"),
        (Npm, "next", "15.0.0"),
        (Npm, "open", "10.0.0"),
        (Npm, "path", "0.12.7"),
        (Npm, "@mui/material", "6.0.0"),
        (Npm, "socket.io", "4.7.0"),
        (Npm, "vue", "3.4.0"),
        (Pypi, "opencv-python", "4.9.0"),
        (Pypi, "Pillow", "10.0.0"),
        (Pypi, "PyYAML", "6.0"),
        (Pypi, "scikit-learn", "1.4.0"),
        (Pypi, "beautifulsoup4", "4.12"),
        (Pypi, "requests", "2.31.0"),
        (Pypi, "pytest", "8.0.0"),
        (Pypi, "typing_extensions", "4.9.0"),
        (Cargo, "serde_json", "1.0.1"),
        (Cargo, "rand", "0.8.5"),
        (Cargo, "log", "0.4.0"),
        (Cargo, "tokio", "1.36.0"),
        (Golang, "github.com/spf13/cobra", "v1.8.0"),
        (Golang, "github.com/go-chi/chi/v5", "v5.0.0"),
        (Golang, "golang.org/x/net", "v0.20.0"),
        (Maven, "org.springframework:spring-web", "6.1.0"),
        (Maven, "org.springframework:spring-core", "6.1.0"),
        (Maven, "org.springframework:spring-jdbc", "6.1.0"),
        (Maven, "org.springframework:spring-tx", "6.1.0"),
        (Maven, "com.google.guava:guava", "32.0"),
        (Maven, "org.apache.struts:struts2-core", "6.3.0"),
        (Gem, "rails", "7.1.0"),
        (Gem, "nokogiri", "1.16.0"),
        (Composer, "symfony/http-kernel", "v6.4.0"),
        (Composer, "monolog/monolog", "3.5.0"),
        (Nuget, "Newtonsoft.Json", "13.0.3"),
        (Nuget, "Serilog", "3.1.1"),
    ])
}

fn names(project: &Project, text: &str) -> Vec<String> {
    let environment = project.relevant(&[text]);
    let mut names: Vec<String> = environment
        .packages
        .iter()
        .map(|it| it.purl.trim_start_matches("pkg:").to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn packages_are_mentioned_by_names_imports_and_paths() {
    let project = usual();
    let check =
        |text: &str, expected: &[&str]| assert_eq!(names(&project, text), expected, "{text}");
    check("React useState does not update", &["npm/react"]);
    check("react-router v7 loses state", &["npm/react-router"]);
    check(
        "import { x } from '@mui/material/Button/styles'",
        &["npm/%40mui/material"],
    );
    check("import { z } from \"react-dom/client\"", &["npm/react-dom"]);
    check("Cannot find module 'next/router'", &["npm/next"]);
    check("at f (/app/node_modules/open/index.js:3:1)", &["npm/open"]);
    check(
        "node_modules/.pnpm/vue@3.4.0/node_modules/vue/dist/vue.js",
        &["npm/vue"],
    );
    check("npm install next@latest open", &["npm/next", "npm/open"]);
    check("Next.js and socket.io fail", &["npm/next", "npm/socket.io"]);
    check("import cv2\ncv2.error: x", &["pypi/opencv-python"]);
    check("from PIL import Image", &["pypi/pillow"]);
    check("yaml.safe_load fails", &["pypi/pyyaml"]);
    check(
        "ModuleNotFoundError: No module named 'sklearn.tree'",
        &["pypi/scikit-learn"],
    );
    check("from bs4 import BeautifulSoup", &["pypi/beautifulsoup4"]);
    check("requests.exceptions.ConnectionError", &["pypi/requests"]);
    check(
        "File \"/x/lib/python3.11/site-packages/requests/api.py\"",
        &["pypi/requests"],
    );
    check("typing-extensions is too old", &["pypi/typing-extensions"]);
    check("pip install requests==2.30", &["pypi/requests"]);
    check("use serde_json::Value;", &["cargo/serde_json"]);
    check("serde-json", &["cargo/serde_json"]);
    check("error: failed to select rand v0.8.5", &["cargo/rand"]);
    check("rand::thread_rng", &["cargo/rand"]);
    check(
        "/home/x/.cargo/registry/src/index.crates.io-1/rand-0.8.5/src/lib.rs",
        &["cargo/rand"],
    );
    check("cargo add rand", &["cargo/rand"]);
    check(
        "github.com/spf13/cobra/doc",
        &["golang/github.com/spf13/cobra"],
    );
    check(
        "/go/pkg/mod/golang.org/x/net@v0.20.0/http2/x.go:3",
        &["golang/golang.org/x/net"],
    );
    check(
        "github.com/go-chi/chi/v5/middleware",
        &["golang/github.com/go-chi/chi/v5"],
    );
    check(
        "org.springframework.web.client.RestTemplate",
        &["maven/org.springframework/spring-web"],
    );
    check(
        "org.springframework.beans.X",
        &["maven/org.springframework/spring-core"],
    );
    check(
        "com.google.common.collect.Lists",
        &["maven/com.google.guava/guava"],
    );
    check(
        "org.springframework:spring-jdbc:6.1.0",
        &["maven/org.springframework/spring-jdbc"],
    );
    check(
        "~/.m2/repository/org/springframework/spring-tx/6.1.0/spring-tx-6.1.0.jar",
        &["maven/org.springframework/spring-tx"],
    );
    check(
        "org.apache.struts2.dispatcher.ng does not exist",
        &["maven/org.apache.struts/struts2-core"],
    );
    check(
        "NoClassDefFoundError: org/apache/struts2/X",
        &["maven/org.apache.struts/struts2-core"],
    );
    check("Nokogiri::XML fails", &["gem/nokogiri"]);
    check(
        "Symfony\\Component\\HttpKernel\\Kernel",
        &["composer/symfony/http-kernel"],
    );
    check(
        "vendor/monolog/monolog/src/x.php",
        &["composer/monolog/monolog"],
    );
    check(
        "Newtonsoft.Json.JsonReaderException",
        &["nuget/newtonsoft.json"],
    );
}

#[test]
fn words_and_other_names_mention_nothing() {
    let project = usual();
    for text in [
        "",
        "open the next path and log two requests at random",
        "path.join and log.info and open()",
        "reactive streams, serde, cobras, a vueling, serdejson",
        "the file is open; next, read the path",
        "yaml is a format",
        "import path from 'node:path'",
    ] {
        let found = names(&project, text);
        let expected: &[&str] = if text.contains("import path") {
            &["npm/path"]
        } else {
            &[]
        };
        let expected: Vec<&str> = expected.to_vec();
        assert!(found.is_empty() || found == expected, "{text}: {found:?}");
    }
}

#[test]
fn runtimes_and_the_platform_belong_to_builds_and_runs() {
    let project = usual();
    let runtimes = |text: &str| {
        let environment = project.relevant(&[text]);
        assert_eq!(environment.os.is_some(), !environment.is_empty());
        let mut names: Vec<String> = environment
            .runtimes
            .iter()
            .map(|it| format!("{} {}", it.name, it.version.as_deref().unwrap()))
            .collect();
        names.sort();
        names
    };
    assert!(
        project
            .relevant(&["how do I write a good title"])
            .is_empty()
    );
    assert_eq!(runtimes("React fails"), ["node 20.1.0"]);
    assert_eq!(
        runtimes("Traceback (most recent call last):"),
        ["python 3.11.4"]
    );
    assert_eq!(runtimes("cargo build: error[E0308]"), ["rustc 1.80.0"]);
    // What was printed is what ran.
    assert_eq!(
        runtimes("Python 3.12.1\nTraceback (most recent call last):"),
        ["python 3.12.1"]
    );
    let environment = project.relevant(&["tokio"]);
    assert_eq!(environment.os.as_deref(), Some(consts::OS));
    assert_eq!(environment.arch.as_deref(), Some(consts::ARCH));
}

#[test]
fn versions_are_those_that_ran_then_direct_ones_and_none_if_unsure() {
    let mut project = project(&[
        (Ecosystem::Npm, "lodash", "4.0.0"),
        (Ecosystem::Npm, "lodash", "3.0.0"),
        (Ecosystem::Cargo, "tokio", "1.0.0"),
    ]);
    let version = |project: &Project, text: &str| {
        let environment = project.relevant(&[text]);
        environment.packages[0].version.clone()
    };
    assert_eq!(version(&project, "lodash"), None);
    project.packages[1].package.is_direct = Some(true);
    assert_eq!(version(&project, "lodash").as_deref(), Some("3.0.0"));
    assert_eq!(
        version(&project, "Compiling tokio v1.2.3").as_deref(),
        Some("1.2.3")
    );
    // Printed packages that the project does not have stay.
    assert_eq!(project.relevant(&["Compiling secret v1.2.3"]).packages, []);
}

#[test]
fn at_most_fifty_packages_leave_and_the_reasons_of_others_are_counted() {
    let many: Vec<String> = (0..80).map(|at| format!("package-{at}")).collect();
    let mut packages: Vec<(Ecosystem, &str, &str)> = Vec::new();
    packages.extend(
        many.iter()
            .map(|name| (Ecosystem::Npm, name.as_str(), "1.0.0")),
    );
    packages.push((Ecosystem::Npm, "unrelated", "1.0.0"));
    packages.push((Ecosystem::Npm, "secret-thing", "1.0.0"));
    let mut project = project(&packages);
    project.packages.last_mut().unwrap().held = Some(Held::OtherRegistry);
    let text = format!("{} secret-thing", many.join(" "));
    let disclosure = project.disclosed(&[&text]);
    assert_eq!(disclosure.environment.packages.len(), 50);
    let held: Vec<_> = disclosure.held.into_iter().collect();
    assert_eq!(
        held,
        [
            (Held::OtherRegistry, 1),
            (Held::NotMentioned, 1),
            (Held::TooMany, 30)
        ]
    );
    assert_eq!(disclosure.private.len(), 1);
}

#[test]
fn large_texts_are_read_in_part_and_every_pattern_is_valid() {
    let project = usual();
    let text = format!("tokio {} Serilog", "x y::z @a/b 1.2 ".repeat(200_000));
    assert_eq!(names(&project, &text), ["cargo/tokio", "nuget/serilog"]);
    assert!(mentions::patterns().all(|pattern| pattern.is_valid()));
}
