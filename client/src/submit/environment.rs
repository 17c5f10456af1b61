//! The environment of a query or a report, as it leaves this machine: only if the settings want it, and not at all if
//! anything in it looks like a secret.

use recall_kit_sanitizer::RuleGroup;
use recall_kit_shared_types::applicability::{ENVIRONMENT_META, Environment, applicability_limits};
use rmcp::model::RequestMetaObject;

use crate::{EnvironmentMode, RecallKitClient};

impl RecallKitClient {
    /// Adds an environment to the `_meta` of a call, unless it must not leave.
    pub(crate) fn add_environment(
        &self,
        environment: Option<&Environment>,
        meta: &mut RequestMetaObject,
    ) {
        let environment = environment.filter(|it| self.may_leave(it));
        let value = environment.and_then(|it| serde_json::to_value(it).ok());
        if let Some(value) = value {
            meta.0.insert(ENVIRONMENT_META.to_owned(), value);
        }
    }

    /// Returns whether an environment may leave this machine: the settings want it, it says something within the limits
    /// of the contract, and the sanitizer finds no secret in it.
    pub fn may_leave(&self, environment: &Environment) -> bool {
        let wants = self.config.environment == EnvironmentMode::Relevant;
        wants && !environment.is_empty() && is_within_limits(environment) && {
            let texts = texts(environment);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let groups = [RuleGroup::RemoveApiKeys];
            self.sanitizer.sanitize_outgoing(&groups, &texts) == texts
        }
    }
}

/// Returns each statement as a line.
fn texts(environment: &Environment) -> Vec<String> {
    let line = |name: &str, version: &Option<String>| match version {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    };
    let packages = environment.packages.iter();
    let packages = packages.map(|it| line(&it.purl, &it.version));
    let named = environment.runtimes.iter().chain(&environment.tools);
    let named = named.map(|it| line(&it.name, &it.version));
    let platform = environment.os.iter().chain(&environment.arch).cloned();
    packages.chain(named).chain(platform).collect()
}

fn is_within_limits(environment: &Environment) -> bool {
    use applicability_limits::{MAX_ENVIRONMENT_ITEMS, MAX_PURL_CHARS, MAX_WORD_CHARS};
    let is_word = |word: &String| word.chars().count() <= MAX_WORD_CHARS;
    let named = environment.runtimes.iter().chain(&environment.tools);
    let mut named = named.map(|it| is_word(&it.name) && it.version.iter().all(is_word));
    let mut packages = environment
        .packages
        .iter()
        .map(|it| it.purl.chars().count() <= MAX_PURL_CHARS && it.version.iter().all(is_word));
    let lists = [
        environment.packages.len(),
        environment.runtimes.len(),
        environment.tools.len(),
    ];
    lists.iter().all(|count| *count <= MAX_ENVIRONMENT_ITEMS)
        && environment.os.iter().chain(&environment.arch).all(is_word)
        && named.all(|fits| fits)
        && packages.all(|fits| fits)
}

#[cfg(test)]
mod tests {
    //! What may leave, and what keeps an environment here.

    use recall_kit_shared_types::applicability::{NamedVersion, PackageVersion};

    use super::*;
    use crate::ClientConfig;

    fn client(mode: EnvironmentMode) -> RecallKitClient {
        let config = ClientConfig {
            environment: mode,
            ..ClientConfig::default()
        };
        RecallKitClient::new(config).expect("the settings are valid")
    }

    fn environment(versions: &[(&str, &str)]) -> Environment {
        let packages = versions.iter().map(|(purl, version)| PackageVersion {
            purl: (*purl).to_owned(),
            version: Some((*version).to_owned()),
        });
        Environment {
            packages: packages.collect(),
            runtimes: vec![NamedVersion {
                name: "node".to_owned(),
                version: Some("20.1.0".to_owned()),
            }],
            os: Some("linux".to_owned()),
            ..Environment::default()
        }
    }

    #[test]
    fn usual_environments_leave_if_the_settings_want_it() {
        let usual = environment(&[
            ("pkg:npm/%40types/node", "20.1.0"),
            (
                "pkg:golang/golang.org/x/net",
                "v0.0.0-20210921155107-089bfa567519",
            ),
            ("pkg:golang/github.com/spf13/cobra", "v1.8.0"),
            ("pkg:nuget/Serilog", "3.1.1.0"),
            ("pkg:maven/org.springframework/spring-web", "6.1.0.RELEASE"),
            ("pkg:pypi/torch", "2.1.0+cu121"),
            ("pkg:npm/react", "19.0.0-rc-02c0e824-20241028"),
            ("pkg:cargo/aws-lc-sys", "0.21.1"),
            ("pkg:npm/jsonwebtoken", "9.0.2"),
            ("pkg:npm/dotenv", "16.0.0"),
        ]);
        assert!(client(EnvironmentMode::Relevant).may_leave(&usual));
        assert!(!client(EnvironmentMode::Off).may_leave(&usual));
        assert!(!client(EnvironmentMode::Relevant).may_leave(&Environment::default()));
    }

    #[test]
    fn secrets_and_what_the_contract_does_not_take_stay() {
        let client = client(EnvironmentMode::Relevant);
        // Put together here, so that scanners do not take it for one.
        let token = ["ghp", "_", "x7Kq2LmN9pRs4TuV6wXy8ZaB1cDe3FgH5jKl"].concat();
        for version in [token.as_str(), &format!("1.0.0-{token}"), &"1".repeat(101)] {
            let one = environment(&[("pkg:npm/react", "19.0.0"), ("pkg:npm/x", version)]);
            assert!(!client.may_leave(&one), "{version}");
        }
        let many: Vec<(&str, &str)> = vec![("pkg:npm/react", "19.0.0"); 501];
        assert!(!client.may_leave(&environment(&many)));
    }
}
