//! Where experiences apply: stated, read from texts, or observed; and what that makes of a question's results.

use recall_kit_tests::{
    Home, Launch, Server, Visitor, Wire, experience, make_user, run, server_command,
};
use recall_kit_tests_postgres::{Binaries, Cluster};
use serde_json::{Value, json};

const ENVIRONMENT: &str = "io.recallkit/environment";
const APPLIES: &str = "io.recallkit/applies";
const APPLICABILITY: &str = "io.recallkit/applicability";
const QUESTION: &str = "the list is not drawn again after an update";

/// Returns a record about [`QUESTION`] that was written for some versions.
fn record(title: &str, context: &str) -> Value {
    let mut record = experience(title);
    record["problem_description"] = json!(QUESTION);
    record["solution"] = json!(format!("do as {title} says"));
    record["context"] = json!(context);
    record
}

fn react(version: &str) -> Value {
    json!({"packages": [{"purl": "pkg:npm/react", "version": version}]})
}

/// Asks from an environment, and returns the ids of the results and how they fit.
async fn asked(wire: &Wire, question: &str, environment: Value) -> (Vec<String>, Value) {
    let params = json!({
        "name": "query_experiences",
        "arguments": {"keywords": question},
        "_meta": {ENVIRONMENT: environment},
    });
    let result = wire.rpc("tools/call", params).await["result"].clone();
    let found = &result["structuredContent"]["data"]["experiences"];
    let ids = found.as_array().unwrap_or_else(|| panic!("{result}"));
    let ids = ids.iter().map(|one| one["id"].as_str().unwrap().to_owned());
    (ids.collect(), result["_meta"][APPLICABILITY].clone())
}

async fn submitted_with(wire: &Wire, record: Value, applies: Value) -> Value {
    let params =
        json!({"name": "submit_experience", "arguments": record, "_meta": {APPLIES: applies}});
    let result = wire.rpc("tools/call", params).await["result"].clone();
    result["structuredContent"].clone()
}

async fn report(server: &Server, id: &str, outcome: &str, version: &str, key: &str) {
    let wire = Wire::with_headers(server.wire.base(), &[("x-api-key", key)]);
    let params = json!({
        "name": "report_outcome",
        "arguments": {"experience_id": id, "outcome": outcome},
        "_meta": {ENVIRONMENT: react(version)},
    });
    let result = wire.rpc("tools/call", params).await;
    assert_eq!(
        result["result"]["structuredContent"]["success"], true,
        "{result}"
    );
}

async fn the_own_version_comes_first(home: Home) {
    let server = Launch::new(&home).start().await;
    let wire = &server.wire;
    let old = wire.submit(record("First", "react 16.8.0, Node 12")).await;
    let new = wire.submit(record("Second", "react 18.2.0, Node 20")).await;
    for (version, first, other) in [("16.8.0", &old, &new), ("18.2.0", &new, &old)] {
        let (ids, fits) = asked(wire, QUESTION, react(version)).await;
        assert_eq!(ids, [first.clone(), other.clone()], "{version}: {fits}");
        let own = format!("stated for react {version}; you have {version}");
        assert_eq!(fits[first], json!({"verdict": "applies", "why": own}));
        assert_eq!(fits[other]["verdict"], "other_version", "{fits}");
        // A question that names its version needs no environment.
        let named = format!("{QUESTION} with react {version}");
        let (ids, _) = asked(wire, &named, json!({})).await;
        assert_eq!(ids[0], *first, "{version}");
    }
    // What the author states goes before what the texts say; an environment that shares nothing changes nothing.
    let stated = json!([{"purl": "pkg:npm/react", "range": "vers:npm/<17"}]);
    let answer = submitted_with(wire, record("Third", "react 18.2.0"), stated).await;
    let third = answer["data"]["id"].as_str().unwrap();
    let (_, fits) = asked(wire, QUESTION, react("16.8.0")).await;
    assert_eq!(
        fits[third],
        json!({"verdict": "applies", "why": "stated for react <17; you have 16.8.0"})
    );
    let vue = json!({"packages": [{"purl": "pkg:npm/vue", "version": "3.4.0"}]});
    let (_, fits) = asked(wire, QUESTION, vue).await;
    assert_eq!(fits[third]["verdict"], "unknown", "{fits}");
}

#[tokio::test]
async fn the_record_for_the_own_version_comes_first() {
    the_own_version_comes_first(Home::new()).await;
}

#[tokio::test]
async fn the_record_for_the_own_version_comes_first_in_postgresql() {
    let cluster = Cluster::start();
    let database = cluster.url(&cluster.database());
    the_own_version_comes_first(Home::with_database(&database)).await;
}

/// The own record says less about the question than the other one, which a factor alone does not make up for.
async fn a_worse_description_of_the_own_version_comes_first(home: Home, engine: &[&str]) {
    let launch = Launch::new(&home).embeddings("builtin").args(engine);
    let server = launch.start().await;
    let wire = &server.wire;
    let mut other = record("A component keeps its old list", "react 18.2.0");
    other["solution"] = json!("Give each item a key of its own.");
    let mut own = record("A list stays as it was", "react 16.8.0");
    own["problem_description"] = json!(
        "The list is not drawn again. After setState the component shows what it had before the update."
    );
    own["solution"] = json!(
        "Copy the array before it is changed, since the same reference counts as no change. "
            .repeat(3)
    );
    let other = wire.submit_embedded(other).await;
    let own = wire.submit_embedded(own).await;
    let (ids, fits) = asked(wire, QUESTION, react("18.2.0")).await;
    assert_eq!(ids, [other.clone(), own.clone()], "{fits}");
    let (ids, fits) = asked(wire, QUESTION, react("16.8.0")).await;
    assert_eq!(ids, [own, other], "{fits}");
}

#[tokio::test]
async fn of_two_records_about_one_problem_that_for_the_own_version_comes_first() {
    a_worse_description_of_the_own_version_comes_first(Home::new(), &[]).await;
}

#[tokio::test]
async fn of_two_records_about_one_problem_that_for_the_own_version_comes_first_in_postgresql() {
    let cluster = Cluster::of(Binaries::with_vector(), &[]);
    let database = cluster.url(&cluster.database());
    let home = Home::with_database(&database);
    let engine = ["--search-engine", "postgres"];
    a_worse_description_of_the_own_version_comes_first(home, &engine).await;
}

#[tokio::test]
async fn outcomes_with_versions_say_where_it_worked_and_where_not() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    let id = server.wire.submit(record("First", "some app")).await;
    let mut keys = Vec::new();
    for name in ["a", "b", "c"] {
        let args = ["keys", "create", "--name", name, "--trusted"];
        let made = run(server_command(&home, &args), "").await;
        keys.push(made.expect_code(0).trim().to_owned());
    }
    report(&server, &id, "worked", "18.2.0", &keys[0]).await;
    report(&server, &id, "did_not_work", "19.0.0", &keys[1]).await;
    report(&server, &id, "did_not_work", "19.1.0", &keys[2]).await;
    let wire = Wire::with_headers(server.wire.base(), &[("x-api-key", &keys[0])]);
    let (_, fits) = asked(&wire, QUESTION, react("18.2.0")).await;
    assert_eq!(fits[&id]["verdict"], "applies", "{fits}");
    let (_, fits) = asked(&wire, QUESTION, react("19.2.0")).await;
    assert_eq!(fits[&id]["verdict"], "contradicted", "{fits}");
    assert_eq!(
        fits[&id]["why"],
        "reports suggest react <19.0.0; you have 19.2.0"
    );
    let shown = run(server_command(&home, &["records", "show", &id]), "").await;
    let shown: Value = serde_json::from_str(shown.expect_code(0)).unwrap();
    assert_eq!(shown["applies"][0]["source"], "inferred", "{shown}");
    // An export carries what was stated and observed, and an import has it again.
    let exported = run(server_command(&home, &["export", "-"]), "").await;
    let other = Home::new();
    let imported = run(
        server_command(&other, &["import", "-"]),
        exported.expect_code(0),
    )
    .await;
    imported.expect_code(0);
    let again = run(server_command(&other, &["records", "show", &id]), "").await;
    let again: Value = serde_json::from_str(again.expect_code(0)).unwrap();
    assert_eq!(again["applies"], shown["applies"]);
}

/// Carries a record to another database whose author says that no version matters, although its texts name one.
async fn what_is_withdrawn_stays_so_in_another_database(home: Home, other: Home) {
    let id = {
        let server = Launch::new(&home).start().await;
        server.wire.submit(record("First", "react 16.8.0")).await
    };
    let edit = ["records", "edit", &id, "--applies", "none"];
    run(server_command(&home, &edit), "").await.expect_code(0);
    let exported = run(server_command(&home, &["export", "-"]), "").await;
    let import = server_command(&other, &["import", "-"]);
    run(import, exported.expect_code(0)).await.expect_code(0);
    let server = Launch::new(&other).start().await;
    let (ids, fits) = asked(&server.wire, QUESTION, react("16.8.0")).await;
    assert_eq!(ids, std::slice::from_ref(&id));
    assert_eq!(fits[&id], Value::Null, "{fits}");
    // Withdrawn altogether, its texts say it again.
    let edit = ["records", "edit", &id, "--applies", ""];
    run(server_command(&other, &edit), "").await.expect_code(0);
    let (_, fits) = asked(&server.wire, QUESTION, react("16.8.0")).await;
    assert_eq!(fits[&id]["verdict"], "applies", "{fits}");
}

#[tokio::test]
async fn versions_that_do_not_matter_stay_so_after_an_import() {
    what_is_withdrawn_stays_so_in_another_database(Home::new(), Home::new()).await;
}

#[tokio::test]
async fn versions_that_do_not_matter_stay_so_after_an_import_in_postgresql() {
    let cluster = Cluster::start();
    let home = || Home::with_database(&cluster.url(&cluster.database()));
    what_is_withdrawn_stays_so_in_another_database(home(), home()).await;
}

#[tokio::test]
async fn wrong_environments_and_ranges_are_refused_with_their_place() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    for (environment, named) in [
        (json!({"packages": [{"purl": "react"}]}), "packages[0].purl"),
        (json!({"package": []}), "package"),
        (json!("linux"), "io.recallkit/environment"),
    ] {
        let params = json!({
            "name": "query_experiences",
            "arguments": {"keywords": QUESTION},
            "_meta": {ENVIRONMENT: environment},
        });
        let answer = server.wire.rpc("tools/call", params).await;
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "VALIDATION_ERROR", "{answer}");
        assert!(error.to_string().contains(named), "{error}");
    }
    for (applies, named) in [
        (json!([{"range": "vers:npm/<17"}]), "applies[0]"),
        (
            json!([{"purl": "pkg:npm/react", "range": "vers:npm/>2|<1"}]),
            "range",
        ),
        (
            json!([{"purl": "pkg:npm/react", "range": "below 17"}]),
            "range",
        ),
    ] {
        let answer = submitted_with(&server.wire, record("First", "x"), applies).await;
        assert_eq!(answer["error"]["code"], "VALIDATION_ERROR", "{answer}");
        assert!(answer.to_string().contains(named), "{answer}");
    }
    let found = server
        .wire
        .call("query_experiences", json!({"keywords": QUESTION}))
        .await;
    assert_eq!(found["data"]["total"], 0, "nothing was stored: {found}");
}

#[tokio::test]
async fn what_is_stated_is_corrected_and_withdrawn_by_writers() {
    let home = Home::new();
    make_user(&home, "writer", "writer", &[]).await;
    let server = Launch::new(&home).start().await;
    let wire = &server.wire;
    let id = wire.submit(record("First", "react 16.8.0")).await;
    let verdict = async |version: &str| {
        let (_, fits) = asked(wire, QUESTION, react(version)).await;
        (fits[&id]["verdict"].clone(), fits[&id]["why"].clone())
    };
    assert_eq!(verdict("16.8.0").await.0, "applies");

    // On the page: the text's own versions are there to be corrected.
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let (page, edit) = (
        format!("/experiences/{id}"),
        format!("/experiences/{id}/edit"),
    );
    let form = writer.page(&edit).await.text;
    assert!(form.contains("npm react 16.8.0"), "{form}");
    let texts = [
        ("title", "First"),
        ("problem_description", QUESTION),
        ("solution", "do as First says"),
        ("context", "react 16.8.0"),
    ];
    let fields = |version, from, applies| {
        let more = [
            ("version", version),
            ("applies_from", from),
            ("applies", applies),
        ];
        [&texts[..], &more[..]].concat()
    };
    let stated = fields("1", "stated", "npm react >=17 <19\r\nlinux\r\n");
    assert_eq!(writer.fill_in(&edit, &edit, &stated).await.status, 303);
    assert_eq!(verdict("18.2.0").await.0, "applies");
    let (word, why) = verdict("16.8.0").await;
    assert_eq!(word, "other_version", "{why}");
    let shown = writer.page(&page).await.text;
    assert!(
        shown.contains("react ≥17 and &lt;19") && shown.contains("linux"),
        "{shown}"
    );
    let markdown = writer.page(&format!("{page}/markdown")).await.text;
    assert!(
        markdown.contains("\nApplies to: react ≥17 and <19; linux\n"),
        "{markdown}"
    );
    // A form without the field changes nothing of it.
    let version = [("version", "2")];
    let kept = [&texts[..], &version[..]].concat();
    assert_eq!(writer.fill_in(&edit, &edit, &kept).await.status, 303);
    assert_eq!(verdict("16.8.0").await.0, "other_version");
    let outdated = [&texts[..], &[("version", "1")]].concat();
    let conflict = writer.fill_in(&edit, &edit, &outdated).await;
    assert_eq!(conflict.status, 409, "{}", conflict.text);
    let kept = "npm react &gt;=17 &lt;19\nlinux</textarea>";
    assert!(conflict.text.contains(kept), "{}", conflict.text);
    let many: Vec<String> = (0..51).map(|at| format!("npm a{at}")).collect();
    let many = many.join("\n");
    for (wrong, language, words) in [
        (
            "foo react <19",
            "en",
            "“Stated versions”: “foo react &lt;19” cannot be read: `foo` is not a known ecosystem",
        ),
        (
            "npm react >2 <1",
            "fr",
            "« npm react &gt;2 &lt;1 » est illisible : aucune version n'est dans l'intervalle",
        ),
        (
            "pkg:npm/react vers:npm/>2|<1",
            "zh",
            "无法识别“pkg:npm/react vers:npm/&gt;2|&lt;1”：没有任何版本属于此范围",
        ),
        (
            &many,
            "fr",
            "« npm a50 » est illisible : il y a plus de 50 lignes",
        ),
    ] {
        let cookies = writer.cookies.clone();
        writer
            .cookies
            .push_str(&format!("; rk_language={language}"));
        let refused = writer
            .fill_in(&edit, &edit, &fields("3", "stated", wrong))
            .await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(words), "{words}: {}", refused.text);
        writer.cookies = cookies;
    }
    let withdrawn = fields("3", "texts", "");
    assert_eq!(writer.fill_in(&edit, &edit, &withdrawn).await.status, 303);
    assert_eq!(verdict("16.8.0").await.0, "applies");

    // On the command line.
    let edited = async |args: &[&str]| {
        let args = [&["records", "edit", &id], args].concat();
        run(server_command(&home, &args), "").await
    };
    edited(&["--applies", "npm react <16", "--applies", "node 20"])
        .await
        .expect_code(0);
    assert_eq!(verdict("15.0.0").await.0, "applies");
    assert_eq!(verdict("16.8.0").await.0, "other_version");
    edited(&["--title", "Changed"]).await.expect_code(0);
    assert_eq!(
        verdict("15.0.0").await.0,
        "applies",
        "another edit keeps it"
    );
    let wrong = edited(&["--applies", "foo react <16"]).await;
    wrong.expect_code(1);
    assert!(
        wrong.stderr.contains("applies[0]") && wrong.stderr.contains("`foo`"),
        "{wrong:?}"
    );
    edited(&["--applies", "none"]).await.expect_code(0);
    assert_eq!(verdict("16.8.0").await.0, Value::Null);
    edited(&["--applies", ""]).await.expect_code(0);
    assert_eq!(verdict("16.8.0").await.0, "applies");
}
