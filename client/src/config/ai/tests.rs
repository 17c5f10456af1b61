//! The endpoints that result from settings and environment.

#![allow(clippy::unwrap_used)]

use super::*;

/// A provider, a base URL, a key and the environment, and the expected result: the address and whether a key
/// is sent, no endpoint, or a part of the error.
type Case = (
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    &'static [(&'static str, &'static str)],
    Result<Option<(&'static str, bool)>, &'static str>,
);

const KEY: (&str, &str) = ("OPENAI_API_KEY", "k");
const LAN: &str = "http://10.0.0.7:8000/v1";

#[test]
fn the_endpoint_comes_from_settings_and_environment() {
    let openai = Ok(Some((OPENAI, true)));
    let cases: [Case; 18] = [
        ("openai", None, None, &[], Ok(None)),
        ("openai", None, Some(PLACEHOLDER), &[], Ok(None)),
        ("openai", None, Some("k"), &[], openai),
        ("openai", None, None, &[KEY], openai),
        ("openai", None, Some(PLACEHOLDER), &[KEY], openai),
        // An empty key means that there is none.
        ("openai", None, Some(""), &[KEY], Ok(None)),
        ("off", None, Some("k"), &[KEY], Ok(None)),
        (
            "ollama",
            None,
            None,
            &[KEY, ("OPENAI_BASE_URL", "https://x/v1")],
            Ok(Some((OLLAMA, false))),
        ),
        (
            "openai",
            None,
            None,
            &[("OPENAI_BASE_URL", "https://x/v1/")],
            Ok(Some(("https://x/v1", false))),
        ),
        (
            "azure",
            Some("https://x.openai.azure.com/openai/v1/"),
            Some("k"),
            &[],
            Ok(Some(("https://x.openai.azure.com/openai/v1", true))),
        ),
        ("anyone", None, Some("k"), &[], Err("ai.baseUrl")),
        (
            "openai",
            Some("http://localhost:8080/v1"),
            Some("k"),
            &[],
            Ok(Some(("http://localhost:8080/v1", true))),
        ),
        ("openai", Some(LAN), None, &[], Ok(Some((LAN, false)))),
        ("openai", Some(LAN), Some("k"), &[], Err("unencrypted")),
        ("openai", Some("ftp://x/v1"), None, &[], Err("neither")),
        (
            "openai",
            Some("https://a:b@x/v1"),
            None,
            &[],
            Err("credentials"),
        ),
        (
            "openai",
            Some("https://x/v1?a=b"),
            None,
            &[],
            Err("a query or a fragment"),
        ),
        ("openai", None, Some("two\nlines"), &[], Err("characters")),
    ];
    for (at, (provider, base_url, key, environment, expected)) in cases.into_iter().enumerate() {
        let config = AiConfig {
            provider: provider.to_owned(),
            base_url: base_url.map(str::to_owned),
            api_key: key.map(ApiKey::new),
            ..AiConfig::default()
        };
        let variable = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        match (config.endpoint(variable), expected) {
            (Ok(found), Ok(expected)) => {
                let found = found.as_ref().map(|it| (it.url.as_str(), it.key.is_some()));
                assert_eq!(found, expected, "case {at}");
            }
            (Err(error), Err(words)) => {
                let message = error.to_string();
                assert!(message.contains(words), "case {at}: {message}");
                assert!(!message.contains("two"), "case {at}: {message}");
            }
            (found, expected) => panic!("case {at}: {found:?}, not {expected:?}"),
        }
    }
}
