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
    // `secret-tool store --label=… service recall-kit account ORIGIN`, and `lookup` and `clear` without the label.
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n\
                  [ \"$1\" = store ] && exec cat >secret\n[ \"$5\" = https://memory.example.org ] || exit 1\n\
                  case \"$1\" in clear) rm secret ;; *) [ -f secret ] && cat secret ;; esac\n";
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
    // The keyring is locked: there is no key, and nothing fails. It cannot be removed, and so it stays listed.
    let away = dir.path().join("away");
    fs::rename(&program, &away).unwrap();
    assert_eq!(keys.find(&team).await.unwrap(), None);
    assert_eq!(keys.remove(&team).await.unwrap(), RemovedKey::KeptByKeyring);
    assert_eq!(keys.list().unwrap(), listed);
    fs::rename(&away, &program).unwrap();
    assert_eq!(
        keys.remove(&team).await.unwrap(),
        RemovedKey::From(KeyKind::Keyring)
    );
    assert!(!dir.path().join("secret").exists());
    assert_eq!(keys.list().unwrap(), []);
    assert_eq!(keys.remove(&team).await.unwrap(), RemovedKey::Nothing);
}

#[tokio::test]
async fn a_removed_key_is_not_in_the_file_and_others_are() {
    let dir = TempDir::new().unwrap();
    let keys = keys(&dir, "no such program");
    let (team, other) = (
        url("https://memory.example.org/mcp"),
        url("https://other.example.org/mcp"),
    );
    assert_eq!(keys.remove(&team).await.unwrap(), RemovedKey::Nothing);
    assert!(!keys.path.exists());
    keys.store(&team, &ApiKey::new("rk_first")).await.unwrap();
    keys.store(&other, &ApiKey::new("rk_second")).await.unwrap();
    // Another port is another server.
    let port = url("https://memory.example.org:8443/mcp");
    assert_eq!(keys.remove(&port).await.unwrap(), RemovedKey::Nothing);
    assert_eq!(
        keys.remove(&ServerUrl::Local).await.unwrap(),
        RemovedKey::Nothing
    );
    // The path makes no difference.
    let same = url("https://memory.example.org/");
    assert_eq!(
        keys.remove(&same).await.unwrap(),
        RemovedKey::From(KeyKind::File)
    );
    let file = fs::read_to_string(&keys.path).unwrap();
    assert!(
        !file.contains("rk_first") && file.contains("rk_second"),
        "{file}"
    );
    assert_eq!(keys.find(&team).await.unwrap(), None);
    fs::write(&keys.path, "{").unwrap();
    let refused = keys.remove(&other).await.unwrap_err().to_string();
    assert!(refused.ends_with("it is damaged"), "{refused}");
    assert_eq!(fs::read_to_string(&keys.path).unwrap(), "{");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_key_in_the_file_is_removed_from_the_keyring_too() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = TempDir::new().unwrap();
    let program = dir.path().join("keyring");
    // The program runs the commands in the file `behaviour` first.
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && . ./behaviour\n\
                  case \"$1\" in store) exec cat >secret ;; clear) rm secret ;; *) [ -f secret ] && cat secret ;; esac\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let behave = |commands: &str| fs::write(dir.path().join("behaviour"), commands).unwrap();
    let keys = keys(&dir, "keyring");
    let team = url("https://memory.example.org/mcp");
    let key = ApiKey::new("rk_secret");
    // It takes the key and does not return it.
    behave("[ \"$1\" = lookup ] && exit 2");
    let place = keys.store(&team, &key).await.unwrap();
    assert_eq!(place.kind(), KeyKind::File);
    assert!(dir.path().join("secret").exists());
    // It keeps the key: the server stays listed, and the file no longer has it.
    behave("[ \"$1\" = clear ] && exit 2");
    assert_eq!(keys.remove(&team).await.unwrap(), RemovedKey::KeptByKeyring);
    let listed = [("https://memory.example.org".to_owned(), KeyKind::Keyring)];
    assert_eq!(keys.list().unwrap(), listed);
    assert!(
        !fs::read_to_string(&keys.path)
            .unwrap()
            .contains("rk_secret")
    );
    behave("[ \"$1\" = lookup ] && exit 2");
    keys.store(&team, &key).await.unwrap();
    behave("");
    assert_eq!(
        keys.remove(&team).await.unwrap(),
        RemovedKey::From(KeyKind::File)
    );
    assert!(!dir.path().join("secret").exists());
    assert_eq!(keys.list().unwrap(), []);
}
