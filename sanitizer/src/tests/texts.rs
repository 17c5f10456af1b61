//! What goes and what stays, by notation.

use super::{kept, removed};

#[test]
fn secrets_go_by_the_key_beside_them() {
    for (text, expected) in [
        ("DB_PASSWORD=hunter-¦86-x", "DB_PASSWORD=YOUR_PASSWORD"),
        ("password: \"hunter-¦86-x\"", "password: \"YOUR_PASSWORD\""),
        (
            "db.password: \"hunter 86¦ x7\"",
            "db.password: \"YOUR_PASSWORD\"",
        ),
        (
            "{\"password\": \"correct horse¦ 42 staple!\"}",
            "{\"password\": \"YOUR_PASSWORD\"}",
        ),
        (
            "数据库密码：hunter¦4128_\n端口：3306",
            "数据库密码：YOUR_PASSWORD\n端口：3306",
        ),
        ("パスワード：hunter¦4128_", "パスワード：YOUR_PASSWORD"),
        (
            "<password>hunter¦4128!</password>",
            "<password>YOUR_PASSWORD</password>",
        ),
        (
            "ALTER USER app WITH PASSWORD 'hunter¦-86-x';",
            "ALTER USER app WITH PASSWORD 'YOUR_PASSWORD';",
        ),
        (
            "{\\\"api_token\\\":\\\"9f86d081¦884c7d65\\\",\\\"ttl\\\":60}",
            "{\\\"api_token\\\":\\\"YOUR_TOKEN\\\",\\\"ttl\\\":60}",
        ),
        (
            "- name: ACME_API_KEY\n  value: 9f86d081¦884c7d65",
            "- name: ACME_API_KEY\n  value: YOUR_API_KEY",
        ),
        (
            "<add key=\"AcmeApiKey\" value=\"9f86d081¦884c7d65\" />",
            "<add key=\"AcmeApiKey\" value=\"YOUR_API_KEY\" />",
        ),
        (
            "run([\"x\", \"--api-key\", \"9f86d081¦884c7d65\"])",
            "run([\"x\", \"--api-key\", \"YOUR_API_KEY\"])",
        ),
        (
            "x login --token=9f86d081¦884c7d65 && y",
            "x login --token=YOUR_TOKEN && y",
        ),
        (
            "key = os.environ.get(\"ACME_TOKEN\", \"9f86d081¦884c7d65\")",
            "key = os.environ.get(\"ACME_TOKEN\", \"YOUR_TOKEN\")",
        ),
        (
            "apiKey: config.key || \"q83kDl2Nf9¦ZpLw0vTr5\"",
            "apiKey: config.key || \"YOUR_API_KEY\"",
        ),
        (
            "const T: &'static str = \"x\"; const API_TOKEN: &str = \"9f86d081¦884c7d65\";",
            "const T: &'static str = \"x\"; const API_TOKEN: &str = \"YOUR_TOKEN\";",
        ),
        (
            "VALUES ('acme_api_token', '9f86d081¦884c7d65');",
            "VALUES ('acme_api_token', 'YOUR_TOKEN');",
        ),
        (
            "| API key | q83kDl2Nf9¦ZpLw0vTr5 |",
            "| API key | YOUR_API_KEY |",
        ),
        (
            "\"Authorization\": \"Token q83kDl2Nf9¦ZpLw0vTr5\"",
            "\"Authorization\": \"Token YOUR_TOKEN\"",
        ),
        (
            "Cookie: sessionid=9f86d081¦884c7d659a2f; theme=dark",
            "Cookie: sessionid=YOUR_TOKEN; theme=dark",
        ),
    ] {
        removed(text, expected);
    }
}

#[test]
fn urls_keep_all_but_host_and_credentials() {
    for (text, expected) in [
        (
            "postgres://nkurosawa:lX02Rn¦.EVh@db.corp.oakmere.local:5432/orders?pool=5",
            "postgres://USER:YOUR_PASSWORD@host.example.com:5432/orders?pool=5",
        ),
        (
            "url = https://x-access-token:ghp_¦9kHr9olfcnR8GxDi4KyByFlj8aaCB8PzulVZ@github.com/rust-lang/rust.git",
            "url = https://x-access-token:YOUR_TOKEN@github.com/rust-lang/rust.git",
        ),
        (
            "https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/q83kDl2¦Nf9ZpLw0vTr5",
            "https://hooks.slack.com/services/YOUR/WEBHOOK/PATH",
        ),
        (
            "Server=tcp:sql01.oakmere.io,1433;User Id=sa;Password=hunter¦-86-x;",
            "Server=tcp:host.example.com,1433;User Id=sa;Password=YOUR_PASSWORD;",
        ),
        (
            "redis:\n  host: 10.104.87.198\n",
            "redis:\n  host: 192.0.2.1\n",
        ),
        (
            "inet6 2a02:8071:b5c0:1d00:9d2e:4c1f:77aa:1b2c/64",
            "inet6 2001:db8::1/64",
        ),
        (
            "https://foo.prod.oakmere.net/ https://domain-controller.oakmere.net/ http://bar.oakmere.net",
            "https://host.example.com/ https://host.example.com/ http://host.example.com",
        ),
        (
            "https://internal.corp.acme-widgets.com/x",
            "https://host.example.com/x",
        ),
        ("ping db01.prod.oakmere.internal", "ping host.example.com"),
    ] {
        removed(text, expected);
    }
}

#[test]
fn people_go() {
    for (text, expected) in [
        (
            "--> /home/nkurosawa/projects/x.rs:1:2",
            "--> /home/USER/projects/x.rs:1:2",
        ),
        (
            "C:\\Users\\Nadia Kurosawa\\AppData\\x",
            "C:\\Users\\USER\\AppData\\x",
        ),
        (
            "nkurosawa@oakmere-mbp:~/x$ cargo test\nby nkurosawa",
            "USER@host:~/x$ cargo test\nby USER",
        ),
        (
            "Author: Nadia Kurosawa <nadia.k@oakmere.net>",
            "Author: YOUR_NAME <user@example.com>",
        ),
        (
            "rsync -a d/ nkurosawa@auth.oakmere.net:/srv/",
            "rsync -a d/ USER@host.example.com:/srv/",
        ),
        (
            "{\"card\":\"4667531¦023754146\"}",
            "{\"card\":\"4111111111111111\"}",
        ),
        ("手机：1391¦2345678，联系我", "手机：+1-555-0100，联系我"),
        ("ether 3c:22:fb:9a:1e:7d", "ether 00:00:5E:00:53:01"),
        (
            "user=nkurosawa password=hunter¦4128_ dbname=x",
            "user=USER password=YOUR_PASSWORD dbname=x",
        ),
    ] {
        removed(text, expected);
    }
}

#[test]
fn keys_keep_their_frame() {
    let body = "MIIiVldYA7tT92w1¦NNlVY7Ae8re9HTe4";
    for (text, expected) in [
        (
            format!(
                "-----BEGIN RSA PRIVATE¦ KEY-----\n{body}\n{body}\n-----END RSA PRIVATE KEY-----\nnext"
            ),
            "-----BEGIN RSA PRIVATE¦ KEY-----\nYOUR_PRIVATE_KEY\nYOUR_PRIVATE_KEY\n-----END RSA PRIVATE KEY-----\nnext",
        ),
        (
            format!("k: |\n  -----BEGIN PRIVATE¦ KEY-----\n  {body}\n"),
            "k: |\n  -----BEGIN PRIVATE¦ KEY-----\n  YOUR_PRIVATE_KEY\n",
        ),
        (
            format!(
                "\"-----BEGIN EC PRIVATE¦ KEY-----\\n{body}\\n-----END EC PRIVATE KEY-----\\n\""
            ),
            "\"-----BEGIN EC PRIVATE¦ KEY-----\\nYOUR_PRIVATE_KEY\\n-----END EC PRIVATE KEY-----\\n\"",
        ),
    ] {
        removed(&text, expected);
    }
    kept(&format!(
        "-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----"
    ));
}

#[test]
fn what_was_found_once_goes_everywhere() {
    removed(
        "TOKEN=q83kDl2Nf9¦ZpLw0vTr5\necho q83kDl2Nf9¦ZpLw0vTr5 | x\ncd /home/nkurosawa/x # nkurosawa did",
        "TOKEN=YOUR_TOKEN\necho YOUR_TOKEN | x\ncd /home/USER/x # USER did",
    );
}

#[test]
fn harmless_texts_stay() {
    for text in [
        "password = os.environ[\"DB_PASSWORD\"]",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "let token = std::env::var(\"API_TOKEN\")?;",
        "api_key: <your-api-key>\napi_key = \"your_api_key_here\"\nOPENAI_API_KEY=sk-...",
        "def login(username: str, password: str) -> Token:",
        "hydra -l admin \"url:username=^USER^&password=^PASS^\"\npassword: @@DB_PASSWORD@@\nPWD=##SECRET##",
        "Change the current user's SMB password: smbpasswd",
        "{\"password\": \"At least 8 characters!\", \"pwd\": \"Forgot it?\", \"pass\": \"a = b + c1\"}",
        "https://api.foo.com/x https://db.your-company.co.uk/x https://your-app.herokuapp.com https://acme.com",
        "if (password.length < 8) throw new Error(\"password too short\");",
        "private String accessTokenValiditySeconds = \"3600\";\npassword_policy: minimum_length_12",
        "max_tokens: 4096\nsort_key: created_at_descending\nsecretName: billing-tls-certificate",
        "key: Ed25519PrivateKey | Ed448PrivateKey, Ed25519PrivateKey,",
        "密码错误时返回 401，令牌过期时返回 403。\n비밀번호는 8자 이상이어야 합니다.",
        "commit dfc475fa9933abf7e27ced6c35537e81789600b9\nid: 550e8400-e29b-41d4-a716-446655440000",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015\"",
        "uses: actions/setup-node@v4\nnpm i @angular/core@17.0.1\ngit clone git@github.com:rust-lang/rust.git",
        "http://localhost:3000/x 127.0.0.1 0.0.0.0 ::1 host.docker.internal 255.255.255.0",
        "https://opensource.org/licenses/MIT https://docs.rs/regex https://github.com/rust-lang/rust",
        "/home/runner/work /Users/Shared/x C:\\Users\\Public\\x ~/.ssh/config $HOME/.cargo src/home/page.tsx",
        "crate::dead::beef::cafe() core::cell::add::ace:12:5 abc::def::fed::cab 10:11:12",
        "\"version\": \"10.0.19041.1\" Chrome/120.0.6099.109",
        "import.meta.env.local this.props.internal.value()",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGGhbDDJEbFaR",
        "const MAX: i64 = +2147483647; const FLAG: u64 = 17179869184;",
    ] {
        kept(text);
    }
}
