//! API keys, created and ended as an administrator does on the command line.

use crate::{Home, Output, python, run, server_command};

/// Creates a key with a scope (`read`, `write` or `admin`) and returns it.
pub async fn make_key(home: &Home, name: &str, scope: &str) -> String {
    let made = keys(home, &["create", "--name", name, "--scope", scope]).await;
    made.expect_code(0).trim().to_owned()
}

/// Revokes the key of this name.
pub async fn revoke_key(home: &Home, name: &str) {
    keys(home, &["revoke", name]).await.expect_code(0);
}

/// Makes the key of this name expire.
pub async fn expire_key(home: &Home, name: &str) {
    let database = home.database();
    let args = [&*database.to_string_lossy(), name];
    python(home, "expire_key.py", &args).await.expect_code(0);
}

async fn keys(home: &Home, args: &[&str]) -> Output {
    run(server_command(home, &[&["keys"], args].concat()), "").await
}
