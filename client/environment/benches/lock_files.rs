//! Times to find a project with 200 lock files, and what of it matters to a failure: `cargo bench -p
//! recall-kit-environment`.

#![allow(missing_docs, clippy::unwrap_used)]

use std::{fs, path::Path};

use criterion::{Criterion, criterion_group, criterion_main};
use recall_kit_environment::Finder;

const LOCK_FILES: usize = 200;
const PACKAGES: usize = 100;

/// Writes a repository with 200 lock files of 100 packages each, of four kinds, and private packages beside them.
fn write(root: &Path) {
    fs::create_dir(root.join(".git")).unwrap();
    for at in 0..LOCK_FILES {
        let folder = root.join(format!("packages/p{at}/src"));
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.parent().unwrap();
        let names = (0..PACKAGES).map(|package| format!("package-{at}-{package}"));
        let each = |entry: &dyn Fn(String) -> String, between: &str| {
            names.clone().map(entry).collect::<Vec<_>>().join(between)
        };
        let (name, text) = match at % 4 {
            0 => (
                "package-lock.json",
                format!(
                    "{{\"packages\": {{\"packages/own\": {{\"name\": \"@shop/own-{at}\", \"version\": \"1.0.0\"}}, {}}}}}",
                    each(
                        &|name| format!(
                            "\"node_modules/{name}\": {{\"version\": \"1.0.0\", \"resolved\": \"https://registry.npmjs.org/{name}/-/{name}-1.0.0.tgz\"}}"
                        ),
                        ","
                    )
                ),
            ),
            1 => (
                "Cargo.lock",
                each(
                    &|name| {
                        format!(
                            "[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
                        )
                    },
                    "\n",
                ),
            ),
            2 => (
                "requirements.txt",
                each(&|name| format!("{name}==1.0.0"), "\n"),
            ),
            _ => (
                "pnpm-lock.yaml",
                format!(
                    "lockfileVersion: '9.0'\npackages:\n{}",
                    each(
                        &|name| format!(
                            "  {name}@1.0.0:\n    resolution: {{integrity: sha512-x}}\n"
                        ),
                        ""
                    )
                ),
            ),
        };
        fs::write(folder.join(name), text).unwrap();
        if name == "package-lock.json" {
            let manifest = format!("{{\"name\": \"@shop/p{at}\", \"dependencies\": {{}}}}");
            fs::write(folder.join("package.json"), manifest).unwrap();
        }
    }
}

fn lock_files(criterion: &mut Criterion) {
    let root = tempfile::tempdir().unwrap();
    write(root.path());
    let cache = tempfile::tempdir().unwrap();
    let home = cache.path().to_owned();
    let finder = |file: &str| {
        let finder = Finder::new(Some(home.clone()), "/".into(), |_| None);
        finder.with_cache(cache.path().join(file))
    };
    let texts = ["npm ERR! package-0-7@1.0.0 fails in packages/p0/src/main.ts"];
    let mut group = criterion.benchmark_group("200 lock files");
    group.sample_size(20);
    group.bench_function("cold", |bencher| {
        let finder = finder("never/written");
        bencher.iter(|| {
            let _ = fs::remove_dir_all(cache.path().join("never"));
            finder.find_for(root.path(), &texts)
        });
    });
    let finder = finder("cache");
    group.bench_function("warm", |bencher| {
        bencher.iter(|| finder.find_for(root.path(), &texts));
    });
    group.bench_function("warm, of a question", |bencher| {
        bencher.iter(|| finder.relevant(root.path(), &texts));
    });
    group.bench_function("warm, all of it with what matters", |bencher| {
        bencher.iter(|| finder.find_for(root.path(), &texts).relevant(&texts));
    });
    let project = finder.find_for(root.path(), &texts);
    let count = project.packages.len();
    group.bench_function(format!("what matters of {count} packages"), |bencher| {
        bencher.iter(|| project.relevant(&texts));
    });
    let inner = root.path().join("packages/p1/src");
    group.bench_function("warm, in the folder of one", |bencher| {
        bencher.iter(|| finder.relevant(&inner, &texts));
    });
    group.finish();
}

criterion_group!(benches, lock_files);
criterion_main!(benches);
