//! Projects made of public and private packages: no private name leaves.

use std::fs;

use crate::Finder;

/// The beginning of every private name.
const PRIVATE: &str = "zq";
const PROJECTS: u64 = 200;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A project as it is written: files, the public names, and the private ones.
#[derive(Default)]
struct Made {
    files: Vec<(String, String)>,
    public: Vec<String>,
    private: Vec<String>,
    /// Whether settings make even its public packages private.
    is_closed: bool,
}

impl Made {
    fn file(&mut self, name: &str, text: String) {
        self.files.push((name.to_owned(), text));
    }

    fn private(&mut self, random: &mut Random, kind: &str) -> String {
        let word = random.pick(&["ledger", "billing", "auth", "ui", "core", "search", "react"]);
        let name = format!("{PRIVATE}{word}{}{kind}", random.below(1000));
        self.private.push(name.clone());
        name
    }

    fn public(&mut self, random: &mut Random, all: &[&str]) -> Vec<String> {
        let count = 1 + random.below(4);
        let mut names: Vec<String> = (0..count).map(|_| random.pick(all).to_owned()).collect();
        names.sort();
        names.dedup();
        self.public.extend(names.iter().cloned());
        names
    }
}

const NPM: [&str; 6] = [
    "react",
    "lodash",
    "express",
    "@types/node",
    "typescript",
    "vite",
];
const PYTHON: [&str; 5] = ["flask", "numpy", "pandas", "django", "sqlalchemy"];
const CRATES: [&str; 5] = ["tokio", "serde", "axum", "anyhow", "reqwest"];
const MODULES: [&str; 4] = [
    "github.com/spf13/cobra",
    "golang.org/x/crypto",
    "github.com/gin-gonic/gin",
    "go.uber.org/zap",
];
const GROUPS: [&str; 4] = [
    "org.springframework:spring-web",
    "com.google.guava:guava",
    "org.slf4j:slf4j-api",
    "io.netty:netty-all",
];
const GEMS: [&str; 4] = ["rails", "nokogiri", "puma", "sidekiq"];
const PHP: [&str; 3] = ["monolog/monolog", "symfony/console", "guzzlehttp/guzzle"];
const NUGET: [&str; 4] = ["Serilog", "Dapper", "Newtonsoft.Json", "Npgsql"];

fn npm(made: &mut Made, random: &mut Random) {
    let public = made.public(random, &NPM);
    let at = |name: &str| format!("https://registry.npmjs.org/{name}/-/x-1.0.0.tgz");
    let mut private = |kind: &str| made.private(random, kind);
    let (other, scoped, linked, git, folder) = (
        private("o"),
        private("s"),
        private("l"),
        private("g"),
        private("f"),
    );
    let scoped = format!("@{scoped}/{scoped}");
    match random.below(5) {
        0 => {
            let mut lines: Vec<String> = public
                .iter()
                .map(|name| {
                    format!(
                        "\"node_modules/{name}\": {{\"version\": \"1.0.0\", \"resolved\": \"{}\"}}",
                        at(name)
                    )
                })
                .collect();
            lines.push(format!(
                "\"node_modules/{scoped}\": {{\"version\": \"1.0.0\", \"resolved\": \"{}\"}}",
                at(&scoped)
            ));
            lines.push(format!("\"node_modules/{other}\": {{\"version\": \"1.0.0\", \"resolved\": \"https://npm.acme.test/{other}/-/x.tgz\"}}"));
            lines.push(format!("\"node_modules/{linked}\": {{\"resolved\": \"packages/x\", \"link\": true}}, \"packages/x\": {{\"name\": \"{linked}\", \"version\": \"1.0.0\"}}"));
            lines.push(format!("\"node_modules/{git}\": {{\"version\": \"1.0.0\", \"resolved\": \"git+ssh://git@github.com/acme/x.git#1\"}}"));
            lines.push(format!(
                "\"node_modules/{folder}\": {{\"version\": \"file:../x\"}}"
            ));
            made.file(
                "package-lock.json",
                format!(
                    "{{\"name\": \"{PRIVATE}shop\", \"packages\": {{{}}}}}",
                    lines.join(",\n")
                ),
            );
        }
        1 => {
            let entry = |name: &str, rest: &str| {
                format!("\"{name}@^1.0.0\":\n  version \"1.0.0\"\n{rest}\n")
            };
            let mut text: String = public
                .iter()
                .map(|name| entry(name, &format!("  resolved \"{}\"\n", at(name))))
                .collect();
            text.push_str(&entry(
                &scoped,
                &format!("  resolved \"{}\"\n", at(&scoped)),
            ));
            text.push_str(&entry(
                &other,
                "  resolved \"https://npm.acme.test/x.tgz\"\n",
            ));
            text.push_str(&entry(&linked, ""));
            text.push_str(&entry(
                &git,
                "  resolved \"https://github.com/acme/x.git#1\"\n",
            ));
            text.push_str(&format!("\"{folder}@file:../x\":\n  version \"1.0.0\"\n"));
            made.file("yarn.lock", text);
        }
        2 => {
            let entry = |name: &str, place: &str| {
                format!(
                    "\"{name}@npm:^1\":\n  version: 1.0.0\n  resolution: \"{name}@{place}\"\n\n"
                )
            };
            let mut text = "__metadata:\n  version: 8\n\n".to_owned();
            text.extend(public.iter().map(|name| entry(name, "npm:1.0.0")));
            text.push_str(&entry(&scoped, "npm:1.0.0"));
            text.push_str(&entry(
                &other,
                "npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.acme.test%2Fx.tgz",
            ));
            text.push_str(&entry(&linked, "workspace:packages/x"));
            text.push_str(&entry(&git, "https://github.com/acme/x.git#commit=1"));
            text.push_str(&entry(&folder, "portal:../x"));
            made.file("yarn.lock", text);
        }
        3 => {
            let mut text = format!(
                "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      '{linked}':\n        specifier: workspace:*\n        version: link:../x\npackages:\n"
            );
            text.extend(public.iter().map(|name| {
                format!("  '{name}@1.0.0':\n    resolution: {{integrity: sha512-x}}\n")
            }));
            text.push_str(&format!(
                "  '{scoped}@1.0.0':\n    resolution: {{integrity: sha512-x}}\n"
            ));
            text.push_str(&format!("  '{other}@1.0.0':\n    resolution: {{integrity: x, tarball: 'https://npm.acme.test/x.tgz'}}\n"));
            text.push_str(&format!("  '{git}@https://codeload.github.com/acme/x/tar.gz/1':\n    resolution: {{tarball: 'https://codeload.github.com/acme/x/tar.gz/1'}}\n    version: 1.0.0\n"));
            text.push_str(&format!(
                "  '{folder}@file:../x':\n    resolution: {{directory: ../x, type: directory}}\n"
            ));
            made.file("pnpm-lock.yaml", text);
        }
        _ => {
            let mut lines: Vec<String> = public
                .iter()
                .map(|name| format!("\"{name}\": [\"{name}@1.0.0\", \"\", {{}}, \"\"]"))
                .collect();
            lines.push(format!(
                "\"{scoped}\": [\"{scoped}@1.0.0\", \"\", {{}}, \"\"]"
            ));
            lines.push(format!(
                "\"{other}\": [\"{other}@1.0.0\", \"https://npm.acme.test/x.tgz\", {{}}, \"\"]"
            ));
            lines.push(format!("\"{linked}\": [\"{linked}@workspace:packages/x\"]"));
            lines.push(format!(
                "\"{git}\": [\"{git}@github:acme/x#1\", {{}}, \"1\"]"
            ));
            lines.push(format!("\"{folder}\": [\"{folder}@file:../x\", {{}}]"));
            made.file(
                "bun.lock",
                format!(
                    "{{\"lockfileVersion\": 1, \"packages\": {{{},}}}}",
                    lines.join(",\n")
                ),
            );
        }
    }
    if random.below(8) == 0 {
        made.file(".npmrc", "registry=https://npm.acme.test/\n".to_owned());
        made.is_closed = true;
    }
}

fn python(made: &mut Made, random: &mut Random) {
    let public = made.public(random, &PYTHON);
    let (other, git, folder) = (
        made.private(random, "o"),
        made.private(random, "g"),
        made.private(random, "f"),
    );
    let package = |name: &str, rest: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\n{rest}\n")
    };
    match random.below(4) {
        0 => {
            let source = |kind: &str, url: &str| {
                format!("[package.source]\ntype = \"{kind}\"\nurl = \"{url}\"\n")
            };
            let mut text: String = public.iter().map(|name| package(name, "")).collect();
            text.push_str(&package(
                &other,
                &source("legacy", "https://py.acme.test/simple"),
            ));
            text.push_str(&package(
                &git,
                &source("git", "https://github.com/acme/x.git"),
            ));
            text.push_str(&package(&folder, &source("directory", "../x")));
            made.file("poetry.lock", text);
        }
        1 => {
            let mut text: String = public
                .iter()
                .map(|name| package(name, "source = { registry = \"https://pypi.org/simple\" }"))
                .collect();
            text.push_str(&package(
                &other,
                "source = { registry = \"https://py.acme.test/simple\" }",
            ));
            text.push_str(&package(
                &git,
                "source = { git = \"https://github.com/acme/x\" }",
            ));
            text.push_str(&package(&folder, "source = { editable = \"../x\" }"));
            made.file("uv.lock", text);
        }
        2 => {
            let mut entries: Vec<String> = public
                .iter()
                .map(|name| format!("\"{name}\": {{\"version\": \"==1.0.0\"}}"))
                .collect();
            entries.push(format!(
                "\"{git}\": {{\"git\": \"https://x\"}}, \"{folder}\": {{\"path\": \".\"}}"
            ));
            made.private.retain(|name| *name != other);
            made.file("Pipfile.lock", format!("{{\"_meta\": {{\"sources\": [{{\"url\": \"https://pypi.org/simple\"}}]}}, \"default\": {{{}}}}}", entries.join(",")));
        }
        _ => {
            // Any of them may be from the other index.
            let lines: String = public
                .iter()
                .chain([&other])
                .map(|name| format!("{name}==1.0.0\n"))
                .collect();
            made.file("requirements.txt", format!("--extra-index-url https://py.acme.test/simple\n{lines}{git} @ git+https://x/y\n-e ../{folder}\n"));
            made.is_closed = true;
        }
    }
}

fn others(made: &mut Made, random: &mut Random, kind: usize) {
    let mut private = |kind: &str| made.private(random, kind);
    let (other, git, folder) = (private("o"), private("g"), private("f"));
    match kind {
        0 => {
            let public = made.public(random, &CRATES);
            let package = |name: &str, source: &str| {
                format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\n{source}\n")
            };
            let mut text: String = public
                .iter()
                .map(|name| {
                    package(
                        name,
                        "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
                    )
                })
                .collect();
            text.push_str(&package(
                &other,
                "source = \"sparse+https://crates.acme.test/\"",
            ));
            text.push_str(&package(
                &git,
                "source = \"git+https://github.com/acme/x?rev=1#1\"",
            ));
            text.push_str(&package(&folder, ""));
            made.file("Cargo.lock", text);
        }
        1 => {
            let public = made.public(random, &MODULES);
            let lines: String = public
                .iter()
                .map(|name| format!("\t{name} v1.0.0\n"))
                .collect();
            made.file("go.mod", format!("module github.com/{PRIVATE}acme/shop\nrequire (\n{lines}\tgit.acme.test/{other} v1.0.0\n\tgithub.com/{PRIVATE}acme/{git} v1.0.0\n\tgithub.com/google/{folder} v1.0.0\n)\nreplace github.com/google/{folder} => ../{folder}\n"));
        }
        2 => {
            let public = made.public(random, &GROUPS);
            let dependency = |group: &str, artifact: &str| {
                format!(
                    "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>1.0.0</version></dependency>"
                )
            };
            let mut lines: String = public
                .iter()
                .map(|name| name.split_once(':').unwrap())
                .map(|(group, artifact)| dependency(group, artifact))
                .collect();
            lines.push_str(&dependency("com.acme.shop", &other));
            lines.push_str(&dependency("net.partner", &git));
            let is_closed = random.below(3) == 0;
            let repository = if is_closed {
                "<repositories><repository><url>https://maven.acme.test/</url></repository></repositories>"
            } else {
                ""
            };
            made.is_closed |= is_closed;
            made.private.retain(|name| *name != folder);
            made.file("pom.xml", format!("<project><groupId>com.acme.shop</groupId><artifactId>{PRIVATE}shop</artifactId>{repository}<dependencies>{lines}</dependencies></project>"));
        }
        3 => {
            let public = made.public(random, &GEMS);
            let specs: String = public
                .iter()
                .map(|name| format!("    {name} (1.0.0)\n"))
                .collect();
            made.file("Gemfile.lock", format!("GIT\n  remote: https://github.com/acme/x.git\n  specs:\n    {git} (1.0.0)\n\nPATH\n  remote: x\n  specs:\n    {folder} (1.0.0)\n\nGEM\n  remote: https://gems.acme.test/\n  specs:\n    {other} (1.0.0)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n{specs}"));
        }
        4 => {
            let public = made.public(random, &PHP);
            let mut lines: Vec<String> = public.iter().map(|name| format!("{{\"name\": \"{name}\", \"version\": \"1.0.0\", \"notification-url\": \"https://packagist.org/downloads/\"}}")).collect();
            lines.push(format!("{{\"name\": \"acme/{other}\", \"version\": \"1.0.0\", \"notification-url\": \"https://repo.packagist.com/acme/downloads/\"}}"));
            lines.push(format!("{{\"name\": \"acme/{git}\", \"version\": \"1.0.0\", \"source\": {{\"type\": \"git\", \"url\": \"https://github.com/acme/x\"}}}}"));
            lines.push(format!("{{\"name\": \"acme/{folder}\", \"version\": \"1.0.0\", \"dist\": {{\"type\": \"path\", \"url\": \"../x\"}}}}"));
            made.file(
                "composer.lock",
                format!("{{\"packages\": [{}]}}", lines.join(",")),
            );
        }
        _ => {
            let public = made.public(random, &NUGET);
            let mut lines: Vec<String> = public
                .iter()
                .map(|name| {
                    format!("\"{name}\": {{\"type\": \"Direct\", \"resolved\": \"1.0.0\"}}")
                })
                .collect();
            lines.push(format!("\"{folder}\": {{\"type\": \"Project\"}}"));
            if random.below(2) == 0 {
                lines.push(format!("\"{other}\": {{\"type\": \"Direct\", \"resolved\": \"1.0.0\"}}, \"{git}\": {{\"type\": \"Transitive\", \"resolved\": \"1.0.0\"}}"));
                made.file("nuget.config", "<configuration><packageSources><add key=\"acme\" value=\"https://nuget.acme.test/v3/index.json\"/></packageSources></configuration>".to_owned());
                made.is_closed = true;
            }
            made.file(
                "packages.lock.json",
                format!(
                    "{{\"dependencies\": {{\"net8.0\": {{{}}}}}}}",
                    lines.join(",")
                ),
            );
        }
    }
}

#[test]
fn no_private_name_leaves() {
    let (mut private, mut sent) = (0, 0);
    for seed in 0..PROJECTS {
        let mut random = Random(seed * 7919 + 1);
        let mut made = Made::default();
        let kind = random.below(8);
        match kind {
            6 => npm(&mut made, &mut random),
            7 => python(&mut made, &mut random),
            kind => others(&mut made, &mut random, kind),
        }
        // Often a second ecosystem beside it.
        if !made.is_closed && random.below(2) == 0 && kind < 6 {
            if random.below(2) == 0 {
                npm(&mut made, &mut random);
            } else {
                python(&mut made, &mut random);
            }
        }
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(".git")).unwrap();
        for (name, text) in &made.files {
            fs::write(root.path().join(name), text).unwrap();
        }
        let finder = Finder::new(None, "/nowhere".into(), |_| None);
        let project = finder.find(root.path());
        // Every name, alone and in each syntax.
        let mentions = |name: &String| {
            format!(
                "{name} `{name}` import {name} from '{name}' npm install {name}@1.0.0 {name}==1.0.0 {name} v1.0.0 node_modules/{name}/x com.acme.shop:{name}:1.0 acme/{name}/x {name}::x"
            )
        };
        let names = made.public.iter().chain(&made.private);
        let text: String = names.map(|name| mentions(name) + "\n").collect();
        let disclosure = project.disclosed(&[&text]);
        let environment = serde_json::to_string(&disclosure.environment).unwrap();
        assert!(
            !environment.contains(PRIVATE),
            "{seed}: {environment} {:?}",
            made.files
        );
        assert!(
            !environment.contains("acme") && !environment.contains("partner"),
            "{seed}: {environment}"
        );
        // What is read from the cache is the same, and is all that a question needs.
        let cache = tempfile::tempdir().unwrap();
        let finder = finder.with_cache(cache.path().join("cache"));
        let of_texts = finder.find_for(root.path(), &[&text]).relevant(&[&text]);
        assert_eq!(finder.relevant(root.path(), &[&text]), of_texts, "{seed}");
        let few = "React and Spring fail: org.springframework.web.client.X, import yaml";
        let all = finder.find_for(root.path(), &[few]).relevant(&[few]);
        assert_eq!(finder.relevant(root.path(), &[few]), all, "{seed}");
        let held = serde_json::to_string(&disclosure.held.values().collect::<Vec<_>>()).unwrap();
        assert!(!held.contains(PRIVATE));
        // What is public does leave.
        let count = disclosure.environment.packages.len();
        match made.is_closed {
            true => {}
            false => assert_eq!(
                count,
                made.public.len(),
                "{seed}: {environment} {:?} {:?}",
                made.public,
                project.notes
            ),
        }
        private += made.private.len();
        sent += count;
    }
    assert!(
        private > 600 && sent > 300,
        "{private} private, {sent} sent"
    );
    eprintln!(
        "{PROJECTS} projects: {private} private packages stayed, {sent} public ones were sent"
    );
}
