//! Keys are found for their server alone, in the keyring or in a private file.

#![allow(clippy::unwrap_used)]

use tempfile::TempDir;

use super::*;

fn url(text: &str) -> ServerUrl {
    text.parse().unwrap()
}

fn keys(dir: &TempDir, keyring: &str) -> ServerKeys {
    ServerKeys {
        path: dir.path().join("config").join(FILE_NAME),
        keyring: dir.path().join(keyring),
    }
}

#[tokio::test]
async fn without_a_keyring_only_the_user_may_read_the_file() {
    let dir = TempDir::new().unwrap();
    let keys = keys(&dir, "no such program");
    let team = url("https://memory.example.org/mcp");
    assert_eq!(keys.find(&team).await.unwrap(), None);
    let place = keys.store(&team, &ApiKey::new("first")).await.unwrap();
    assert_eq!(place, KeyPlace::File(keys.path.clone()));
    keys.store(&url("mcp://memory:1"), &ApiKey::new("other"))
        .await
        .unwrap();
    keys.store(&team, &ApiKey::new("second")).await.unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&keys.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let second = Some(ApiKey::new("second"));
    for (server, expected) in [
        ("https://memory.example.org/", &second),
        ("https://memory.example.org:443/other?x=1", &second),
        ("http://memory.example.org/mcp", &None),
        ("https://memory.example.org:8443/mcp", &None),
        ("https://memory.example.org.evil.example/mcp", &None),
        ("mcp://recall-kit-server", &None),
    ] {
        assert_eq!(
            keys.find(&url(server)).await.unwrap(),
            *expected,
            "{server}"
        );
    }
}

#[tokio::test]
async fn what_is_no_key_is_not_stored() {
    let dir = TempDir::new().unwrap();
    let keys = keys(&dir, "no such program");
    let team = url("https://memory.example.org/mcp");
    for text in ["", "a b", "a\nb", "clé", "a\"b", &"a".repeat(513)] {
        let stored = keys.store(&team, &ApiKey::new(text)).await;
        assert_eq!(stored.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
    let stored = keys.store(&ServerUrl::Local, &ApiKey::new("key")).await;
    assert!(stored.is_err());
    assert!(!keys.path.exists());
    // A damaged file is neither used nor overwritten.
    fs::create_dir_all(keys.path.parent().unwrap()).unwrap();
    fs::write(&keys.path, "{").unwrap();
    for error in [
        keys.find(&team).await.unwrap_err(),
        keys.list().unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.ends_with("server-keys.json: it is damaged"),
            "{error}"
        );
    }
    // No key is needed for the program on this machine.
    assert_eq!(keys.find(&ServerUrl::Local).await.unwrap(), None);
    assert!(keys.store(&team, &ApiKey::new("key")).await.is_err());
    assert_eq!(fs::read_to_string(&keys.path).unwrap(), "{");
}

#[tokio::test]
async fn keys_that_are_stored_at_the_same_time_are_all_kept() {
    let dir = TempDir::new().unwrap();
    let keys = keys(&dir, "no such program");
    let servers: Vec<ServerUrl> = (1..=12)
        .map(|port| url(&format!("https://memory.example.org:{port}/mcp")))
        .collect();
    std::thread::scope(|scope| {
        for server in &servers {
            let keys = &keys;
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build();
                let key = ApiKey::new("rk_secret");
                let stored = runtime.unwrap().block_on(keys.store(server, &key));
                stored.unwrap();
            });
        }
    });
    for server in &servers {
        assert!(keys.find(server).await.unwrap().is_some(), "{server}");
    }
    let shown = format!("{:?}", keys.read().unwrap());
    assert!(shown.contains("memory.example.org:12"), "{shown}");
    assert!(!shown.contains("rk_secret"), "{shown}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn with_a_keyring_the_file_holds_no_key() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = TempDir::new().unwrap();
    let program = dir.path().join("keyring");
    // `secret-tool store --label=… service recall-kit account ORIGIN`, and `lookup` without the label.
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n\
                  case \"$1\" in store) cat >secret ;; *) [ \"$5\" = https://memory.example.org ] && cat secret ;; esac\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let keys = keys(&dir, "keyring");
    let team = url("https://memory.example.org/mcp");
    let key = ApiKey::new("rk_secret");
    assert_eq!(keys.store(&team, &key).await.unwrap(), KeyPlace::Keyring);
    let file = fs::read_to_string(&keys.path).unwrap();
    assert!(!file.contains("rk_secret"), "{file}");
    assert_eq!(keys.find(&team).await.unwrap(), Some(key));
    let listed = [("https://memory.example.org".to_owned(), KeyKind::Keyring)];
    assert_eq!(keys.list().unwrap(), listed);
    // The keyring is locked: there is no key, and nothing fails.
    fs::remove_file(&program).unwrap();
    assert_eq!(keys.find(&team).await.unwrap(), None);
}
