//! Signing in to the web pages and what requires a role, as browsers and attackers see it.

use recall_kit_tests::{
    Home, HttpAnswer, Launch, Server, Visitor, experience, make_key, make_user, password_of,
    revoke_key, run, run_browser_flow, server_command, token_of,
};
use reqwest::Method;
use serde_json::json;

/// Starts a server with one user of each role, named like the role.
async fn with_people(home: &Home, args: &[&str]) -> Server {
    for role in ["reader", "writer", "admin"] {
        make_user(home, role, role, &[]).await;
    }
    Launch::new(home).args(args).start().await
}

fn location(answer: &HttpAnswer) -> &str {
    let location = answer.headers.get("location");
    location.map_or("", |location| location.to_str().unwrap())
}

fn session_of(visitor: &Visitor) -> &str {
    let mut cookies = visitor.cookies.split("; ");
    cookies
        .find_map(|cookie| cookie.strip_prefix("rk_session="))
        .unwrap_or_default()
}

#[tokio::test]
async fn the_set_up_link_creates_the_administrator_once() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let line = server.logged("set up the web pages: ").await;
    let path = line
        .split(server.wire.base())
        .nth(1)
        .unwrap()
        .trim()
        .to_owned();
    let mut first = Visitor::anonymous(&server);
    let short = [("name", "ada"), ("password", "too short")];
    let refused = first.fill_in(&path, &path, &short).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("12 to 200"), "{}", refused.text);
    assert!(refused.text.contains("value=\"ada\""), "{}", refused.text);
    let fields = [("name", "ada"), ("password", &password_of("ada"))];
    let made = first.fill_in(&path, &path, &fields).await;
    assert_eq!((made.status, location(&made)), (303, "/"));
    assert_eq!(first.page("/keys").await.status, 200);
    let mut second = Visitor::anonymous(&server);
    assert_eq!(second.page(&path).await.status, 404);
    let late = second.fill_in("/sign-in", &path, &fields).await;
    assert_eq!(late.status, 404, "{}", late.text);
    let token = path.rsplit('/').next().unwrap();
    assert!(!second.page(&path).await.text.contains("value=\"ada\""));
    assert!(
        server.log().matches(token).count() <= 1,
        "only the link itself"
    );
}

#[tokio::test]
async fn every_sign_in_starts_a_new_session_and_signing_out_ends_it() {
    let home = Home::new();
    make_key(&home, "robot", "write").await;
    let server = with_people(&home, &["--log-level", "trace"]).await;
    let mut writer = Visitor::anonymous(&server);
    // A session cookie planted by an attacker is not used (session fixation).
    writer.cookies = format!("rk_session={}", "A".repeat(43));
    let fields = [("name", "WRITER"), ("password", &password_of("writer"))];
    let answer = writer
        .fill_in("/sign-in?back=/knowledge", "/sign-in", &fields)
        .await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let set = answer.headers.get_all("set-cookie").iter();
    let set: Vec<&str> = set.map(|cookie| cookie.to_str().unwrap()).collect();
    let set = set
        .iter()
        .find(|set| set.starts_with("rk_session="))
        .unwrap();
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
        assert!(set.contains(part), "{set}");
    }
    let first = session_of(&writer).to_owned();
    assert_ne!(first, "A".repeat(43));
    assert!(writer.page("/account").await.text.contains("writer"));
    // Signing in again ends the previous session.
    let mut again = Visitor::anonymous(&server);
    let opened = again.page("/sign-in").await;
    again.cookies = format!("{}; {}", again.cookies, writer.cookies);
    let token = token_of(&opened.text);
    let sent = [&[("form_token", token.as_str())][..], &fields].concat();
    assert_eq!(again.post("/sign-in", &sent).await.status, 303);
    assert_ne!(session_of(&again), first);
    let over = writer.page("/account").await;
    assert_eq!(
        (over.status, location(&over)),
        (303, "/sign-in?back=%2Faccount")
    );
    // Signing out also ends the session for a copied cookie.
    let copied = again.cookies.clone();
    let out = again.fill_in("/account", "/sign-out", &[]).await;
    assert_eq!(out.status, 303, "{}", out.text);
    let mut thief = Visitor::anonymous(&server);
    thief.cookies = copied;
    assert_eq!(thief.page("/account").await.status, 303);
    // The log contains a call, so it would contain the secrets if they were logged.
    server.wire.query("anything").await;
    let log = server.stop().await;
    assert!(log.contains("Tool called: "), "no calls in {log}");
    for secret in [first.as_str(), &password_of("writer")] {
        assert!(!log.contains(secret));
    }
}

#[tokio::test]
async fn an_api_key_can_sign_in_until_it_is_revoked() {
    let home = Home::new();
    let key = make_key(&home, "robot", "admin").await;
    let server = Server::start(&home).await;
    let mut robot = Visitor::anonymous(&server);
    let wrong = format!("{}{}", &key[..key.len() - 4], "AAAA");
    let refused = robot
        .fill_in("/sign-in", "/sign-in", &[("api_key", &wrong)])
        .await;
    assert_eq!(refused.status, 401, "{}", refused.text);
    assert!(!refused.text.contains(&wrong));
    let begun = robot
        .fill_in("/sign-in", "/sign-in", &[("api_key", &key)])
        .await;
    assert_eq!(begun.status, 303, "{}", begun.text);
    let args = ["keys", "create", "--name", "known", "--trusted"];
    run(server_command(&home, &args), "").await.expect_code(0);
    for (language, trusted) in [
        ("en", " · trusted"),
        ("zh", " · 受信任"),
        ("fr", " · de confiance"),
    ] {
        let cookies = robot.cookies.clone();
        robot.cookies.push_str(&format!("; rk_language={language}"));
        let keys = robot.page("/keys").await;
        assert_eq!(keys.status, 200);
        let mut rows = keys.text.split("<tr>");
        let known = rows.clone().find(|row| row.contains("known")).unwrap();
        assert!(known.contains(trusted), "{known}");
        assert!(
            !rows.any(|row| row.contains("robot") && row.contains(trusted)),
            "{}",
            keys.text
        );
        robot.cookies = cookies;
    }
    revoke_key(&home, "robot").await;
    assert_eq!(robot.page("/keys").await.status, 303);
}

#[tokio::test]
async fn password_guesses_are_delayed_and_reveal_nothing() {
    let home = Home::new();
    let server = with_people(&home, &[]).await;
    let mut guesser = Visitor::anonymous(&server);
    let mut words = Vec::new();
    for name in ["writer", "nobody", "writer", "writer"] {
        let fields = [("name", name), ("password", "wrong every time")];
        let refused = guesser.fill_in("/sign-in", "/sign-in", &fields).await;
        assert_eq!(refused.status, 401, "{}", refused.text);
        words.push(refused.text.contains("The name or the password is wrong"));
        assert!(!refused.text.contains("wrong every time"));
    }
    assert_eq!(words, [true; 4]);
    let right = [("name", "writer"), ("password", &password_of("writer"))];
    let waits = guesser.fill_in("/sign-in", "/sign-in", &right).await;
    assert_eq!(waits.status, 429, "{}", waits.text);
    assert!(waits.text.contains("try again in"), "{}", waits.text);

    let cleared = server_command(&home, &["users", "clear-waits"]);
    run(cleared, "").await.expect_code(0);
    let lets_in = guesser.fill_in("/sign-in", "/sign-in", &right).await;
    assert_eq!(lets_in.status, 303, "{}", lets_in.text);
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let home = Home::new();
    let server = with_people(&home, &[]).await;
    let mut admin = Visitor::signed_in(&server, "admin").await;
    let token = token_of(&admin.page("/keys").await.text);
    let fields = "name=mine&scope=admin&form_token=";
    let form = ("content-type", "application/x-www-form-urlencoded");
    let own = format!("{fields}{token}");
    let foreign = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "http://elsewhere.example"),
        ("origin", "null"),
    ];
    for header in foreign {
        let headers = [form, header];
        let answer = admin.send(Method::POST, "/keys", &headers, &own).await;
        assert_eq!(answer.status, 403, "{header:?}: {}", answer.text);
    }
    let other = token_of(&Visitor::anonymous(&server).page("/sign-in").await.text);
    let theirs = token_of(
        &Visitor::signed_in(&server, "writer")
            .await
            .page("/account")
            .await
            .text,
    );
    for guess in ["", "x", &other, &theirs] {
        let body = format!("{fields}{guess}");
        let answer = admin.send(Method::POST, "/keys", &[form], &body).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
    }
    assert!(!admin.page("/keys").await.text.contains("mine"));
    // A form of another site cannot sign a user in to another account.
    let fields = [("name", "writer"), ("password", &password_of("writer"))];
    let mut victim = Visitor::anonymous(&server);
    let answer = victim.post("/sign-in", &fields).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    assert_eq!(session_of(&victim), "");
    // The same form works when it is sent by one of the server's own pages.
    let answer = admin
        .send(
            Method::POST,
            "/keys",
            &[form, ("sec-fetch-site", "same-origin")],
            &own,
        )
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.text.contains("rk_"), "{}", answer.text);
}

#[tokio::test]
async fn roles_limit_what_users_may_do_and_changes_are_audited() {
    let home = Home::new();
    let server = with_people(&home, &[]).await;
    let mut anonymous = Visitor::anonymous(&server);
    for path in ["/keys", "/users", "/audit"] {
        let answer = anonymous.page(path).await;
        assert_eq!(answer.status, 303, "{path}");
        assert!(location(&answer).starts_with("/sign-in?back=%2F"), "{path}");
    }
    for role in ["reader", "writer"] {
        let mut visitor = Visitor::signed_in(&server, role).await;
        for path in ["/keys", "/users", "/audit"] {
            assert_eq!(visitor.page(path).await.status, 403, "{role} {path}");
        }
        let fields = [("name", "mine"), ("scope", "read")];
        let made = visitor.fill_in("/account", "/keys", &fields).await;
        assert_eq!(made.status, 403, "{role}: {}", made.text);
    }
    let mut admin = Visitor::signed_in(&server, "admin").await;
    let bad = [("name", "laptop"), ("scope", "write"), ("expires", "soon")];
    let refused = admin.fill_in("/keys", "/keys", &bad).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("Allowed: 12h, 90d"));
    assert!(
        refused.text.contains("value=\"laptop\""),
        "{}",
        refused.text
    );
    let fields = [
        ("name", "laptop"),
        ("scope", "write"),
        ("expires", "90d"),
        ("projects", "shop"),
    ];
    let made = admin.fill_in("/keys", "/keys", &fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let key = made.text.split("id=\"made-key\">").nth(1).unwrap();
    let key = key.split('<').next().unwrap().to_owned();
    assert!(!admin.page("/keys").await.text.contains(&key), "shown once");
    let new = [
        ("name", "Zoë"),
        ("role", "writer"),
        ("projects", "shop"),
        ("password", &password_of("Zoë")),
    ];
    let made = admin.fill_in("/users", "/users", &new).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let taken = admin.fill_in("/users", "/users", &new).await;
    assert_eq!(taken.status, 400, "{}", taken.text);
    assert!(taken.text.contains("a user called “Zoë” already"));
    let users = admin.page("/users").await.text;
    let zoe = users.split("Zoë").nth(1).unwrap();
    let action = zoe
        .split("action=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    Visitor::signed_in(&server, "Zoë").await;
    let disabled = admin
        .fill_in("/users", action, &[("change", "disable")])
        .await;
    assert_eq!(disabled.status, 303, "{}", disabled.text);
    let last = admin.page("/users").await.text;
    let own = last.split("<h2 dir=\"auto\">admin").nth(1).unwrap();
    let own = own
        .split("action=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    admin.cookies.push_str("; rk_language=fr");
    let refused = admin.fill_in("/users", own, &[("change", "disable")]).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let words = "« admin » est le seul administrateur";
    assert!(refused.text.contains(words), "{}", refused.text);
    let audit = admin.page("/audit").await.text;
    for audited_action in [
        "key.created",
        "user.created",
        "user.disabled",
        "session.begun",
    ] {
        assert!(audit.contains(audited_action), "{audited_action}");
    }
    assert!(!audit.contains(&key) && !audit.contains("knows it by heart"));
}

#[tokio::test]
async fn form_input_survives_the_end_of_a_session() {
    let home = Home::new();
    let server = with_people(&home, &[]).await;
    let mut admin = Visitor::signed_in(&server, "admin").await;
    let token = token_of(&admin.page("/keys").await.text);
    assert_eq!(
        admin.fill_in("/account", "/sign-out", &[]).await.status,
        303
    );
    let typed = "a name typed \"<for>\" minutes";
    let sent = [
        ("form_token", token.as_str()),
        ("name", typed),
        ("scope", "read"),
        ("password", "never kept at all"),
    ];
    let sign_in = admin.post("/keys", &sent).await;
    assert_eq!(sign_in.status, 401, "{}", sign_in.text);
    assert!(!sign_in.text.contains("never kept"), "{}", sign_in.text);
    let stored_form = sign_in.text.split("name=\"kept\" value=\"").nth(1).unwrap();
    let stored_form = stored_form.split('"').next().unwrap().replace("&amp;", "&");
    let form = token_of(&sign_in.text);
    let fields = [
        ("form_token", form.as_str()),
        ("kept", stored_form.as_str()),
        ("to", "/keys"),
        ("name", "admin"),
        ("password", &password_of("admin")),
    ];
    let welcome = admin.post("/sign-in", &fields).await;
    assert_eq!(welcome.status, 200, "{}", welcome.text);
    assert!(
        welcome.text.contains("action=\"/keys\""),
        "{}",
        welcome.text
    );
    assert!(
        welcome.text.contains("a name typed &quot;&lt;for&gt;"),
        "{}",
        welcome.text
    );
    let token = token_of(&welcome.text);
    let sent = [
        ("form_token", token.as_str()),
        ("name", "typed"),
        ("scope", "read"),
    ];
    assert_eq!(admin.post("/keys", &sent).await.status, 200);
    // After signing in, the redirect leads only to the server's own pages.
    for back in [
        "https://elsewhere.example",
        "//elsewhere.example",
        "/\\elsewhere.example",
    ] {
        let mut visitor = Visitor::anonymous(&server);
        let token = token_of(&visitor.page("/sign-in").await.text);
        let fields = [
            ("form_token", token.as_str()),
            ("back", back),
            ("name", "reader"),
            ("password", &password_of("reader")),
        ];
        let answer = visitor.post("/sign-in", &fields).await;
        assert_eq!((answer.status, location(&answer)), (303, "/"), "{back}");
    }
}

#[tokio::test]
async fn a_server_that_requires_access_shows_pages_after_signing_in() {
    let home = Home::new();
    make_key(&home, "team", "read").await;
    let server = with_people(&home, &["--access", "required"]).await;
    let mut anonymous = Visitor::anonymous(&server);
    for path in ["/", "/knowledge", "/knowledge/graph.json", "/libraries"] {
        let answer = anonymous.page(path).await;
        assert_eq!(answer.status, 303, "{path}");
        assert!(location(&answer).starts_with("/sign-in"), "{path}");
    }
    let mut reader = Visitor::signed_in(&server, "reader").await;
    assert_eq!(reader.page("/knowledge").await.status, 200);
}

#[tokio::test]
async fn people_sign_in_and_manage_keys_in_a_browser() {
    let home = Home::new();
    let server = with_people(&home, &[]).await;
    server
        .wire
        .submit(experience("docker volumes vanish"))
        .await;
    let ids = json!({"password": password_of("admin")});
    run_browser_flow(
        &home,
        "browser_account.mjs",
        "account",
        server.wire.base(),
        &ids,
    )
    .await;
}
