//! The MCP conformance suites: every scenario and check, for the server's transports and for the client's. Two
//! example programs provide the features that the suites need.
//!
//! Scenarios can count as passed without having checked anything, for example if the server is unreachable, so
//! every run must report exactly the expected numbers.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use recall_kit_tests::{Home, Output, Server, example, node_package};
use serde_json::Value;

/// One run of a suite and the expected results.
struct Run {
    /// The package's path below `node_modules`.
    package: &'static str,
    /// The package's list of scenarios to run.
    suite: &'static str,
    /// The protocol version; without one, each scenario runs at its own version.
    version: Option<&'static str>,
    scenarios: usize,
    checks: usize,
}

const SERVER_RUNS: [Run; 4] = [
    Run {
        package: "conformance-0.1",
        suite: "all",
        version: Some("2025-11-25"),
        scenarios: 32,
        checks: 46,
    },
    Run {
        package: "conformance-0.2",
        suite: "all",
        version: Some("2025-11-25"),
        scenarios: 33,
        checks: 83,
    },
    Run {
        package: "conformance-0.2",
        suite: "all",
        version: Some("2026-07-28"),
        scenarios: 40,
        checks: 152,
    },
    // The extensions (tasks and skills) belong to no version; only this list contains them.
    Run {
        package: "conformance-0.2",
        suite: "pending",
        version: None,
        scenarios: 17,
        checks: 123,
    },
];

const CLIENT_RUNS: [Run; 3] = [
    Run {
        package: "conformance-0.1",
        suite: "all",
        version: Some("2025-11-25"),
        scenarios: 4,
        checks: 10,
    },
    Run {
        package: "conformance-0.2",
        suite: "all",
        version: Some("2025-11-25"),
        scenarios: 5,
        checks: 20,
    },
    Run {
        package: "conformance-0.2",
        suite: "all",
        version: Some("2026-07-28"),
        scenarios: 8,
        checks: 62,
    },
];

/// Client scenarios for features that the client does not have: OAuth, and the skills extension.
const NOT_APPLICABLE: [&str; 2] = ["auth/", "sep-2640-client-"];

#[tokio::test]
async fn the_server_passes_every_scenario() {
    let home = Home::new();
    let server = Server::start_example(&home, "conformance").await;
    for run in SERVER_RUNS {
        let health = server.wire.get("/mcp/health").await;
        assert_eq!(health.status, 200, "{}", health.text);
        let url = format!("{}/mcp", server.wire.base());
        let results = run.results(&home);
        let args = ["server", "--url", &url, "--suite", run.suite];
        let output = run.start(&home, &args, &results).await;
        run.judge(&results, &[output]);
    }
}

#[tokio::test]
async fn the_client_passes_every_scenario_that_applies() {
    let home = Home::new();
    let client = format!("'{}'", example("conformance_client").display());
    for run in CLIENT_RUNS {
        let results = run.results(&home);
        let mut outputs = Vec::new();
        for scenario in run.client_scenarios(&home).await {
            let args = ["client", "--command", &client, "--scenario", &scenario];
            outputs.push(run.start(&home, &args, &results).await);
        }
        run.judge(&results, &outputs);
    }
}

impl Run {
    /// Runs the suite's program, which writes a folder for each scenario into `results`.
    async fn start(&self, home: &Home, args: &[&str], results: &Path) -> Output {
        let results = results.to_string_lossy();
        let mut args = [args, &["--output-dir", &results]].concat();
        if let Some(version) = self.version {
            args.extend(["--spec-version", version]);
        }
        self.command(home, &args).await
    }

    fn results(&self, home: &Home) -> PathBuf {
        home.path().join(self.to_string())
    }

    /// Returns the suite's client scenarios of the version, without those that do not apply.
    async fn client_scenarios(&self, home: &Home) -> Vec<String> {
        let output = self.command(home, &["list", "--client"]).await;
        // A line has the form: `  - name [version,version]`.
        let lines = output.expect_code(0).lines();
        lines
            .filter_map(|line| line.trim().strip_prefix("- ")?.split_once(" ["))
            .filter(|(_, versions)| self.version.is_none_or(|one| versions.contains(one)))
            .map(|(name, _)| name)
            .filter(|name| !NOT_APPLICABLE.iter().any(|other| name.starts_with(other)))
            .map(str::to_owned)
            .collect()
    }

    async fn command(&self, home: &Home, args: &[&str]) -> Output {
        let program = format!("{}/dist/index.js", self.package);
        node_package(home, &program, args).await
    }

    /// Compares the suite's results with the expected ones.
    fn judge(&self, results: &Path, outputs: &[Output]) {
        let (mut scenarios, mut passed, mut failed) = (0, 0, Vec::new());
        for scenario in fs::read_dir(results).unwrap() {
            let scenario = scenario.unwrap();
            let name = scenario.file_name().to_string_lossy().into_owned();
            let checks = fs::read(scenario.path().join("checks.json")).unwrap();
            scenarios += 1;
            for check in serde_json::from_slice::<Vec<Value>>(&checks).unwrap() {
                match check["status"].as_str() {
                    Some("SUCCESS") => passed += 1,
                    // Information for the reader, and checks that do not apply.
                    Some("INFO" | "SKIPPED") => {}
                    _ => failed.push(format!("{name}: {check:#}")),
                }
            }
        }
        assert!(failed.is_empty(), "{self}:\n{}", failed.join("\n"));
        for output in outputs {
            output.expect_code(0);
        }
        assert_eq!(
            (scenarios, passed),
            (self.scenarios, self.checks),
            "scenarios and checks of {self}"
        );
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.unwrap_or("every-version");
        write!(f, "{}-{}-{version}", self.package, self.suite)
    }
}
