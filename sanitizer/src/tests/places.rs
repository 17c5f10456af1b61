//! Secrets and people in places where no `key = value` stands, and what looks like them and stays.

use super::{kept, removed};

#[test]
fn tokens_of_unknown_providers_go_anywhere() {
    for (text, expected) in [
        (
            "got zqv_¦live_9fK2mX7pQ4sT1vB8nR3c back",
            "got YOUR_TOKEN back",
        ),
        (
            "foo(\"QWX-¦9fK2mX7pQ4sT1vB8nR3cL6\")",
            "foo(\"YOUR_TOKEN\")",
        ),
        (
            "- kdv_pat_¦1cd77a36-9138-426d-8e8f-c9a391ce22e9",
            "- YOUR_TOKEN",
        ),
        (
            "x MTk4NjIyNDgz¦NDcxOTI1MjQ4.Cl2FMQ.¦ZnCjm1XVW7vRze4b7Cq4se7kKWs y",
            "x YOUR_TOKEN y",
        ),
    ] {
        removed(text, expected);
    }
    for text in [
        "cus_NffrFeUfNV2Hib9fK2mX7p chatcmpl-9fK2mX7pQ4sT1vB8nR3cL6",
        "main-9fK2mX7pQ4sT1vB8nR3c.js sha256-9fK2mX7pQ4sT1vB8nR3cL6vB8nR3cL6",
        "/assets/app_9fK2mX7pQ4sT1vB8nR3cL6 _ZN4core3fmt9Formatter9write_fmt17h0123456789abcdefE",
        "test_serialize_u64_as_i128_max_value billing-api-7d9f8b6c5d-x2x4z",
        "urn_uuid-550e8400-e29b-41d4-a716-446655440000 LETTER_SMALL_A_WITH_DOT_ABOVE_2",
    ] {
        kept(text);
    }
}

#[test]
fn columns_calls_and_commands_give_secrets_away() {
    for (text, expected) in [
        (
            "INSERT INTO c (id, name, api_token) VALUES (7, 'x', '9f86d081¦884c7d65'), (8, 'y', NULL);",
            "INSERT INTO c (id, name, api_token) VALUES (7, 'x', 'YOUR_TOKEN'), (8, 'y', NULL);",
        ),
        (
            "user,password,role\napp,hunter¦-86-x,ops\n",
            "user,password,role\napp,YOUR_PASSWORD,ops\n",
        ),
        (
            "| name | token |\n|---|---|\n| x | `9f86d081¦884c7d65` |\n",
            "| name | token |\n|---|---|\n| x | `YOUR_TOKEN` |\n",
        ),
        (
            "RUN DB_PASSWORD=hunter¦-86-x make && docker run -e APP_TOKEN=9f86d081¦884c7d65 img",
            "RUN DB_PASSWORD=YOUR_PASSWORD make && docker run -e APP_TOKEN=YOUR_TOKEN img",
        ),
        (
            "C::builder().api_key(\"9f86d081¦884c7d65\").build()",
            "C::builder().api_key(\"YOUR_API_KEY\").build()",
        ),
        (
            "env::var(\"ACME_KEY\").unwrap_or_else(|_| \"9f86d081¦884c7d659a2f\".into())",
            "env::var(\"ACME_KEY\").unwrap_or_else(|_| \"YOUR_API_KEY\".into())",
        ),
        (
            "variable \"acme_token\" {\n  default = \"9f86d081¦884c7d65\"\n}",
            "variable \"acme_token\" {\n  default = \"YOUR_TOKEN\"\n}",
        ),
        (
            "token: >-\n  9f86d081¦884c7d65\nn: 1",
            "token: >-\n  YOUR_TOKEN\nn: 1",
        ),
        (
            "<name>db.password</name>\n<value>hunter¦-86-x</value>",
            "<name>db.password</name>\n<value>YOUR_PASSWORD</value>",
        ),
        (
            "password: XP6BeqtwPyez¦s4basjQrNN==",
            "password: YOUR_PASSWORD",
        ),
        (
            "echo 'deploy:hunter¦-86-x' | chpasswd",
            "echo 'deploy:YOUR_PASSWORD' | chpasswd",
        ),
        (
            "Mot de passe : hunter¦-86-x\nPort : 3306",
            "Mot de passe : YOUR_PASSWORD\nPort : 3306",
        ),
        (
            "The API key for billing is q83kDl2Nf9¦ZpLw0vTr5, ok",
            "The API key for billing is YOUR_TOKEN, ok",
        ),
        (
            "{\"token\": 84467440737¦09551615, \"n\": 1}",
            "{\"token\": 0, \"n\": 1}",
        ),
    ] {
        removed(text, expected);
    }
    for text in [
        "user,password,role\n\nreturn user, password",
        "INSERT INTO c (id, token) VALUES (7, :token)",
        "env::var(\"ACME_KEY\").expect(\"ACME_KEY must be set\")",
        "auth = env('ACME_SECRET', os.environ['ACME_SECRET'])",
        "page.get_by_label('password').click()",
    ] {
        kept(text);
    }
}

#[test]
fn people_go_where_tools_print_them() {
    for (text, expected) in [
        (
            "^edbf4f1f (Nadia Kurosawa 2025-03-04 10:11:12 +0100 12) x",
            "^edbf4f1f (YOUR_NAME 2025-03-04 10:11:12 +0100 12) x",
        ),
        (
            "{\"first_name\": \"Nadia\", \"age\": 3}",
            "{\"first_name\": \"YOUR_NAME\", \"age\": 3}",
        ),
        ("姓名：王晓明，年龄：30", "姓名：YOUR_NAME，年龄：30"),
        ("personnummer: 640823¦-3234", "personnummer: YOUR_ID_NUMBER"),
        ("dob: 1987-04-¦23", "dob: 2000-01-01"),
        (
            "nkurosawa is not in the sudoers file",
            "USER is not in the sudoers file",
        ),
        ("cd /export/home/nkurosawa/x", "cd /export/home/USER/x"),
        (
            "?to=nadia.k%40oakmere.net&x=1",
            "?to=user%40example.com&x=1",
        ),
    ] {
        removed(text, expected);
    }
    for text in [
        "{\"firstName\": \"First name\", \"displayName\": \"string\"}",
        "Accepted the change. sin = 0.5; pan: 2024-01-02; tax_id: null",
        "import \"~bootstrap/scss/bootstrap\"; cd ~/x",
        "Intel: 2020-01-20, section 6.2.1.1",
    ] {
        kept(text);
    }
}

#[test]
fn links_for_readers_stay_and_services_go() {
    for text in [
        "See the [guide](https://oakmere.net/guide) and <https://kurosawa.blog/post>.",
        "// from https://kurosawa.blog/hashing",
        "repository = \"https://oakmere.net/src\"",
        "\"author\": \"Nadia (https://kurosawa.blog)\"",
    ] {
        kept(&text.replace("\"Nadia (", "\"somebody else (")); // a name is another matter
    }
    for (text, expected) in [
        (
            "fetch(\"https://oakmere.net/checkout\")",
            "fetch(\"https://host.example.com/checkout\")",
        ),
        (
            "see [the board](https://grafana.oakmere.net/d/1)",
            "see [the board](https://host.example.com/d/1)",
        ),
        (
            "getaddrinfo ENOTFOUND gitlab.oakmere.net",
            "getaddrinfo ENOTFOUND host.example.com",
        ),
        (
            "image: harbor.oakmere.net/team/app:1.2",
            "image: host.example.com/team/app:1.2",
        ),
    ] {
        removed(text, expected);
    }
}

#[test]
fn a_known_shape_names_what_stands_in_a_frame() {
    let github = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let unknown = ["9fK2mX7pQ4sT", "1vB8nR3cL6vB8n"].concat();
    for (text, expected, kind) in [
        (
            format!("the token {github} is refused"),
            "the token YOUR_TOKEN is refused",
            "GitHub token",
        ),
        (
            format!("Authorization: Bearer {github}"),
            "Authorization: Bearer YOUR_TOKEN",
            "GitHub token",
        ),
        (
            format!("https://x:{github}@github.com/a/b.git"),
            "https://x:YOUR_TOKEN@github.com/a/b.git",
            "GitHub token",
        ),
        (
            format!("Bearer {unknown}"),
            "Bearer YOUR_TOKEN",
            "authorization header",
        ),
        (
            format!("postgres://app:{unknown}@db.example.com"),
            "postgres://app:YOUR_PASSWORD@db.example.com",
            "password in a URL",
        ),
    ] {
        let clean = crate::sanitize(&text, &crate::RuleGroup::REMOVAL);
        assert_eq!(clean.text, expected);
        let kinds: Vec<&str> = clean.findings.iter().map(|it| it.kind.as_str()).collect();
        assert_eq!(kinds, [kind], "{text}");
    }
}

#[test]
fn machines_and_customers_of_hosted_services_go() {
    for (text, expected) in [
        ("http://db-prod-01:8080/x", "http://host.example.com:8080/x"),
        (
            "jdbc:oracle:thin:@prod-db:1521:ORCL",
            "jdbc:oracle:thin:@host.example.com:1521:ORCL",
        ),
        (
            "Connection to broker/185.199.44.21:9092 failed",
            "Connection to broker/192.0.2.1:9092 failed",
        ),
        (
            "Connection to kafka-21/10.20.30.40:9092 failed",
            "Connection to host.example.com/192.0.2.1:9092 failed",
        ),
        (
            "dial tcp: lookup billing-db on 127.0.0.11:53",
            "dial tcp: lookup host.example.com on 127.0.0.11:53",
        ),
        (
            "see https://acme.atlassian.net/browse/OPS-1",
            "see https://host.example.com/browse/OPS-1",
        ),
        (
            "the tenant is oakmere.bamboohr.com",
            "the tenant is host.example.com",
        ),
        ("range 10.23.45.67-10.23.45.99", "range 192.0.2.1-192.0.2.1"),
    ] {
        removed(text, expected);
    }
    for text in [
        "http://web:8000/ redis:6379 kafka1:9092 http://my-service:8080 http://web-server/",
        "Server: cloudflare-nginx; z-index:1000; Thread-12:3450; image: app:2024",
        "https://developer.okta.com/docs https://status.slack.com https://support.zendesk.com/hc",
        "foo 8.0.0.1 -> 9.0.0.0, bar (3.2.1.0) to (3.3.0.1), dotnet 8.0.1.2 version",
        "nameserver 208.67.222.222, 192.0.2.44, 198.51.100.7, 203.0.113.250, 3fff:1::5, 2620:fe::fe",
        "host: smtp.gmail.com; ssh user@host; ssh ubuntu@ec2-instance; region: us-east-1",
        "https://github.com/acme/secret-repo",
    ] {
        kept(text);
    }
    removed(
        "forward 10.1.2.3 -> 10.4.5.6 from src 1.2.3.9 -> 4.5.6.7",
        "forward 192.0.2.1 -> 192.0.2.1 from src 192.0.2.1 -> 192.0.2.1",
    );
}

#[test]
fn sources_of_rules_are_pages_with_a_month() {
    let rules: Vec<_> = crate::built_in_rules().collect();
    let sources: Vec<_> = rules.iter().filter_map(|rule| rule.source).collect();
    assert!(sources.len() >= 15 && sources.len() < rules.len());
    for source in sources {
        assert!(source.page.starts_with("https://"), "{source:?}");
        assert_eq!(source.checked.len(), "2026-11".len(), "{source:?}");
    }
}
