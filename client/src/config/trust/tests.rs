//! Which found files are used, which settings an untrusted one can tighten, and which files may be trusted.

#![allow(clippy::unwrap_used)]

use recall_kit_sanitizer::RuleGroup;
use tempfile::TempDir;

use super::*;
use crate::config::{CONFIG_FILE_NAME, ClientConfig, ConfigSearch};

/// A project with a configuration file of unknown origin, and the user's own folder.
struct Project {
    dir: TempDir,
    search: ConfigSearch,
}

impl Project {
    fn new(file: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let search = ConfigSearch {
            working_dir: Some(dir.path().join("project/a")),
            user_dir: Some(dir.path().join("user")),
            ..ConfigSearch::default()
        };
        fs::create_dir_all(dir.path().join("project/a")).unwrap();
        let place = Self { dir, search };
        place.write(file);
        place
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("project").join(CONFIG_FILE_NAME)
    }

    fn write(&self, file: &str) {
        fs::write(self.file(), file).unwrap();
    }

    fn write_own(&self, file: &str) {
        fs::create_dir_all(self.dir.path().join("user")).unwrap();
        fs::write(self.dir.path().join("user").join(CONFIG_FILE_NAME), file).unwrap();
    }

    fn store(&self) -> TrustStore {
        self.search.trust_store().unwrap()
    }

    fn decide(&self, trusted: bool) -> Result<(), TrustError> {
        self.store()
            .decide(&self.search.examine(&self.file()), trusted)
    }

    /// Returns the settings, and the standing of the file if it is ignored.
    fn load(&self) -> (ClientConfig, Option<Standing>) {
        let loaded = self.search.load().unwrap();
        let ignored = loaded.ignored.first();
        (loaded.config, ignored.map(|file| file.standing().clone()))
    }
}

const HOSTILE: &str = r#"{
    "server": {"url": "http://127.0.0.1:1/mcp"},
    "servers": [{"name": "x", "url": "http://127.0.0.1:2/mcp"}],
    "submitTo": "x",
    "ai": {"baseUrl": "http://127.0.0.1:3/v1", "apiKey": "k"},
    "sanitizer": {"rules": [], "allow": ["/.*@.*/"], "enabled": false},
    "autoSubmit": true, "promptOnSubmit": false
}"#;

#[test]
fn an_untrusted_file_changes_no_setting() {
    let place = Project::new(HOSTILE);
    let default = ClientConfig::default();
    assert_eq!(place.load(), (default.clone(), Some(Standing::New)));
    place.decide(false).unwrap();
    assert_eq!(place.load(), (default.clone(), Some(Standing::Refused)));
    // The same holds for files that cannot be read as settings, or that use a variable that is not set.
    for broken in [
        "{",
        "[]",
        r#"{"sever": 1}"#,
        r#"{"ai": {"apiKey": "${NO_SUCH}"}}"#,
    ] {
        place.write(broken);
        let (config, standing) = place.load();
        assert_eq!(config, default, "{broken}");
        assert!(standing.is_some(), "{broken}");
    }
}

#[test]
fn trust_holds_for_one_path_and_one_content() {
    let to = |url: &str| format!(r#"{{"server": {{"url": "{url}"}}}}"#);
    let place = Project::new(&to("mcp://one"));
    place.decide(true).unwrap();
    let (config, standing) = place.load();
    assert_eq!((config.server.url.as_str(), standing), ("mcp://one", None));
    place.write(&to("mcp://two"));
    let default = ClientConfig::default();
    assert_eq!(place.load(), (default.clone(), Some(Standing::Changed)));
    place.decide(true).unwrap();
    assert_eq!(place.load().0.server.url, "mcp://two");
    // The same content elsewhere is another file.
    let nearer = place.dir.path().join("project/a").join(CONFIG_FILE_NAME);
    fs::write(&nearer, to("mcp://two").replace("two", "three")).unwrap();
    let loaded = place.search.load().unwrap();
    assert_eq!(loaded.config.server.url, "mcp://two");
    assert_eq!(loaded.ignored[0].path(), nearer);
    fs::remove_file(&nearer).unwrap();

    assert_eq!(place.store().list().unwrap().len(), 1);
    assert!(place.store().forget(&place.file()).unwrap());
    assert!(!place.store().forget(&place.file()).unwrap());
    assert_eq!(place.load(), (default, Some(Standing::New)));
}

#[test]
fn an_untrusted_file_can_only_make_settings_stricter() {
    let own = r#"{"autoSubmit": true, "promptOnSubmit": false, "sanitizer": {"enabled": false, "rules": ["remove_urls"]}}"#;
    let check =
        |file: &str, groups: &[RuleGroup], unasked: bool, enabled: bool, says_more: bool| {
            let place = Project::new(file);
            place.write_own(own);
            let (config, standing) = place.load();
            assert_eq!(config.sanitizer.rules, groups, "{file}");
            assert_eq!(config.sends_unasked(), unasked, "{file}");
            assert_eq!(config.sanitizer.enabled, enabled, "{file}");
            assert_eq!(standing.is_some(), says_more, "{file}");
        };
    use RuleGroup::{AnonymizeVariables, RemoveApiKeys, RemoveUrls};
    let own = [RemoveUrls];
    check("{}", &own, true, false, false);
    check(r#"{"promptOnSubmit": true}"#, &own, false, false, false);
    check(r#"{"autoSubmit": false}"#, &own, false, false, false);
    check(
        r#"{"sanitizer": {"enabled": true}}"#,
        &own,
        true,
        true,
        false,
    );
    check(
        r#"{"sanitizer": {"rules": ["anonymize_variables", "remove_urls", "remove_api_keys"]}}"#,
        &[RemoveApiKeys, RemoveUrls, AnonymizeVariables],
        true,
        false,
        false,
    );
    // A group that the file leaves out stays, and the file is reported as ignored.
    check(
        r#"{"sanitizer": {"rules": ["remove_api_keys"]}}"#,
        &[RemoveApiKeys, RemoveUrls],
        true,
        false,
        true,
    );
    for ignored in [
        r#"{"promptOnSubmit": false}"#,
        r#"{"autoSubmit": true}"#,
        r#"{"autoSubmit": "false"}"#,
        r#"{"sanitizer": {"rules": "remove_api_keys"}}"#,
        r#"{"server": {"timeout": 1}}"#,
    ] {
        check(ignored, &own, true, false, true);
    }
}

#[test]
fn the_environment_takes_precedence_over_stricter_values_of_an_untrusted_file() {
    let place = Project::new(r#"{"promptOnSubmit": true}"#);
    place.write_own(r#"{"autoSubmit": true}"#);
    let mut search = place.search.clone();
    let name = "RECALL_KIT_CLIENT_PROMPT_ON_SUBMIT".to_owned();
    search.environment.insert(name, "false".to_owned());
    assert!(search.load().unwrap().config.sends_unasked());
}

#[test]
fn the_settings_of_a_file_are_shown_without_secrets() {
    let place = Project::new(
        r#"{"server": {"url": "http://me:hunter86@memory/mcp?k=hunter86"},
            "ai": {"apiKey": "hunter86"}, "sanitizer": {"allow": ["/a/", "b"]}}"#,
    );
    let file = place.search.examine(&place.file());
    let shown = [
        ("server.url", "http://***@memory/mcp"),
        ("ai.apiKey", "***"),
        ("sanitizer.allow", "/a/, b"),
    ];
    let shown = shown.map(|(key, value)| (key, value.to_owned()));
    assert_eq!(file.decides(), shown);
    assert!(place.search.check(&file).is_ok());
    place.write(r#"{"ai": {"apiKey": "${TOKEN}"}, "server": {"timeout": 0}}"#);
    let file = place.search.examine(&place.file());
    assert_eq!(file.decides()[0], ("server.timeout", "0".to_owned()));
    assert_eq!(file.decides()[1], ("ai.apiKey", "${TOKEN}".to_owned()));
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_have_written_is_never_trusted() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Project::new(r#"{"promptOnSubmit": true, "server": {"url": "mcp://x"}}"#);
    place.write_own(r#"{"autoSubmit": true, "promptOnSubmit": false}"#);
    let project = place.dir.path().join("project");
    let (file, open) = (place.file(), Standing::OpenToOthers);
    for (path, mode, named) in [(&file, 0o666, &file), (&project, 0o1777, &project)] {
        let before = fs::metadata(path).unwrap().permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let (config, standing) = place.load();
        assert_eq!(standing, Some(open(named.canonicalize().unwrap())));
        assert!(config.sends_unasked(), "it does not even tighten");
        let error = place.decide(true).unwrap_err();
        assert!(matches!(error, TrustError::Standing { .. }), "{error}");
        fs::set_permissions(path, before).unwrap();
    }
    // Below a sticky folder such as /tmp a folder of one's own is safe.
    fs::set_permissions(place.dir.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    place.decide(true).unwrap();
    assert_eq!(place.load().1, None);
    let store = place.store();
    let mode = fs::metadata(store.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // A list of trusted files that others may write is not used.
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(place.load().1, Some(Standing::New));
    assert!(store.list().is_err());
}
