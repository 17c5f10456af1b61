//! The pages of documentation libraries: read, searched, ingested from files, removed.

use std::io::{Cursor, Write as _};

use recall_kit_tests::{
    Home, HttpAnswer, Launch, Server, Visitor, experience, make_user, password_of, run,
    run_browser_flow, server_command, within_deadline,
};
use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

const FORM: &str = "/libraries/ingest";
/// Documentation with code on one page and none on another.
const DOCS: [(&str, &str); 4] = [
    (
        "README.md",
        "# Gin\n\nA web framework.\n\n## Middleware\n\nMiddleware wraps handlers and runs around \
         them.\n\n\
         Register a logger as middleware:\n\n\
         ```go\nfunc main() {\n\tr := gin.Default()\n\tr.Use(gin.Logger())\n\tr.Run()\n}\n```\n",
    ),
    (
        "guide/routing.md",
        "# Routing\n\nA route leads from a path to a handler <script>window.owned=1</script>.\n",
    ),
    ("LICENSE", "All rights"),
    ("logo.png", "no picture"),
];

fn zip<'a>(files: impl IntoIterator<Item = (String, &'a str)>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docs() -> Vec<u8> {
    zip(DOCS.map(|(name, text)| (name.to_owned(), text)))
}

/// Returns so much documentation that ingesting it takes a while.
fn many(pages: u32) -> Vec<u8> {
    let page = |number: u32| {
        let text = format!("# Page {number}\n\nWhat page {number} says about gadget {number}.\n");
        (format!("{number}.md"), text)
    };
    let pages: Vec<_> = (0..pages).map(page).collect();
    let pages = pages
        .iter()
        .map(|(name, text)| (name.clone(), text.as_str()));
    zip(pages)
}

async fn with_people(home: &Home, settings: &str) -> Server {
    for role in ["reader", "writer", "admin"] {
        make_user(home, role, role, &[]).await;
    }
    Launch::new(home).settings(settings).start().await
}

fn location(answer: &HttpAnswer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.headers["location"].to_str().unwrap().to_owned()
}

/// Uploads a file as documentation of `Gin`, and follows the job to its end; returns the job's address.
async fn ingest_upload(visitor: &mut Visitor, version: &str, file: (&str, &[u8])) -> String {
    let fields = [("library", "Gin"), ("version", version)];
    let sent = visitor.upload((FORM, FORM), &fields, file).await;
    let job = location(&sent);
    followed(visitor, &job).await;
    job
}

/// Follows a job to its end; returns the last progress event.
async fn followed(visitor: &Visitor, job: &str) -> Option<Value> {
    let mut events = visitor.events(&format!("{job}/events")).await;
    let mut last = None;
    loop {
        let event = events.next().await.expect("the end is told");
        match event.name.as_str() {
            "progress" => last = Some(serde_json::from_str(&event.data).unwrap()),
            "done" => break,
            other => panic!("{other}"),
        }
    }
    assert_eq!(events.next().await, None, "nothing comes after the end");
    last
}

/// The same topic as code in two languages, and as prose.
const LOGGERS: &str = "# Loggers\n\nWhoever must register a logger does so first.\n\n\
    Register a logger in Go:\n\n\
    ```go\nr := gin.Default()\nr.Use(gin.Logger())\n```\n\nRegister a logger in Python:\n\n\
    ```python\nimport logging\napp.use(logging.getLogger())\n```\n";

#[tokio::test]
async fn a_search_can_be_limited_to_examples_in_one_language() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    ingest_upload(&mut writer, "v1", ("loggers.md", LOGGERS.as_bytes())).await;
    let search = "/?q=register+logger&in=documentation&language=";
    for (language, there, not_there) in [
        (
            "",
            &["gin.Logger", "getLogger", "does so first"][..],
            &[][..],
        ),
        ("go", &["gin.Logger"], &["getLogger", "does so first"]),
        ("python", &["getLogger"], &["gin.Logger", "does so first"]),
        ("rust", &["Nothing relevant"], &["gin.Logger", "getLogger"]),
    ] {
        let found = writer.page(&format!("{search}{language}")).await.text;
        // Code is split into coloured elements.
        let found = without_marks(&found);
        for part in there {
            assert!(found.contains(part), "{language}: {part}: {found}");
        }
        for part in not_there {
            assert!(!found.contains(part), "{language}: {part}: {found}");
        }
    }
    // In a search over everything, results without a language are left out.
    server
        .wire
        .submit(experience("register a logger twice"))
        .await;
    let everywhere = search.replace("&in=documentation", "");
    for (language, is_there) in [("", true), ("go", false)] {
        let found = writer.page(&format!("{everywhere}{language}")).await.text;
        assert_eq!(found.contains("a logger twice"), is_there, "{found}");
        assert!(without_marks(&found).contains("gin.Logger"), "{found}");
    }
    let refused = writer.page(&format!("{search}klingon")).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("language must be one of"));
}

#[tokio::test]
async fn a_page_has_the_chosen_number_of_documents() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    ingest_upload(&mut writer, "v1", ("gadgets.zip", &many(25))).await;
    for (size, expected) in [(20, 20), (50, 25)] {
        let search = format!("/?q=gadget&in=documentation&n={size}");
        let found = without_marks(&writer.page(&search).await.text);
        assert_eq!(found.matches("says about gadget").count(), expected);
    }
}

/// Removes the elements of a page, so that only its text is left.
fn without_marks(page: &str) -> String {
    let pieces = page.split('<').skip(1);
    pieces
        .filter_map(|piece| Some(piece.split_once('>')?.1))
        .collect()
}

#[tokio::test]
async fn an_uploaded_file_is_ingested_reported_and_shown() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let job = ingest_upload(&mut writer, "release/1.0 β", ("C:\\me\\gin.zip", &docs())).await;
    let report = writer.page(&job).await.text;
    for expected_text in [
        "upload:gin.zip",
        "it is a licence",
        "LICENSE",
        "logo.png",
        "Ingested",
    ] {
        assert!(report.contains(expected_text), "{expected_text}: {report}");
    }
    assert!(!report.contains("http-equiv"), "it is over");
    let reader = report.split("href=\"/libraries/1/").nth(1).unwrap();
    let reader = format!("/libraries/1/{}", reader.split('"').next().unwrap());
    assert_eq!(reader, "/libraries/1/release%2F1.0%20%CE%B2");
    assert!(writer.page("/libraries").await.text.contains(&reader));

    let mut anybody = Visitor::anonymous(&server);
    let all = anybody.page(&reader).await;
    assert_eq!(all.status, 200, "{}", all.text);
    let text = without_marks(&all.text);
    for expected_text in [
        "Gin &gt; Middleware",
        "gin.Logger()",
        "leads from a path",
        "README.md#L",
    ] {
        assert!(text.contains(expected_text), "{expected_text}: {text}");
    }
    assert!(!all.text.contains("<script>window"), "{}", all.text);
    let order = ["gin.Logger()", "leads from a path"].map(|part| text.find(part));
    assert!(order[0] < order[1], "in the order of the files");
    let code = anybody.page(&format!("{reader}?mode=code")).await.text;
    let code = without_marks(&code);
    assert!(code.contains("gin.Logger()") && !code.contains("leads from a path"));
    let found = anybody
        .page(&format!("{reader}?q=route+handler&mode=info"))
        .await
        .text;
    assert!(found.contains("leads from a path") && found.contains("value=\"route handler\""));
    assert!(found.contains("q=route%20handler&amp;mode=code"), "{found}");
    assert!(!all.text.contains("/remove"), "only writers remove");
}

#[tokio::test]
async fn wrong_addresses_are_refused() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    ingest_upload(&mut writer, "v1", ("gin.zip", &docs())).await;
    for (path, status) in [
        ("/libraries/1/v2", 404),
        ("/libraries/2/v1", 404),
        ("/libraries/x/v1", 404),
        ("/libraries/1/v1?page=2", 404),
        ("/libraries/1/v1?page=0", 400),
        ("/libraries/1/v1?q=route&page=11", 400),
        ("/libraries/1/v1?mode=pictures", 400),
        ("/libraries/jobs/x", 404),
        ("/libraries/jobs/00000000-0000-4000-8000-000000000000", 404),
        (
            "/libraries/jobs/00000000-0000-4000-8000-000000000000/events",
            404,
        ),
    ] {
        let answer = writer.page(path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
    }
    let long = format!("/libraries/1/v1?q={}", "x".repeat(10_001));
    assert_eq!(writer.page(&long).await.status, 400);
}

#[tokio::test]
async fn a_cancelled_ingest_leaves_nothing() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let mut admin = Visitor::signed_in(&server, "admin").await;
    let large = many(6_000);
    let fields = [("library", "Gin"), ("version", "v1")];
    let sent = writer
        .upload((FORM, FORM), &fields, ("gin.zip", &large))
        .await;
    let job = location(&sent);
    let page = writer.page(&job).await.text;
    assert!(
        page.contains("<noscript><meta http-equiv=\"refresh\""),
        "{page}"
    );
    assert!(page.contains("<progress"), "{page}");
    // Other users neither see nor cancel the job, but administrators do.
    let cancel = format!("{job}/cancel");
    assert_eq!(reader.page(&job).await.status, 404);
    assert_eq!(reader.fill_in("/account", &cancel, &[]).await.status, 404);
    assert_eq!(admin.page(&job).await.status, 200);
    // A library cannot be ingested twice at the same time.
    let second = writer
        .upload((FORM, FORM), &fields, ("gin.zip", &docs()))
        .await;
    assert_eq!(second.status, 400, "{}", second.text);
    assert!(second.text.contains("is being ingested"), "{}", second.text);
    let ended = admin.fill_in("/account", &cancel, &[]).await;
    assert_eq!(location(&ended), job);
    followed(&writer, &job).await;
    let page = writer.page(&job).await.text;
    assert!(page.contains("Cancelled"), "{page}");
    assert!(!writer.page("/libraries").await.text.contains("Gin"));
    // Nothing was stored: all files are new in the next run.
    let job = ingest_upload(&mut writer, "v1", ("gin.zip", &large)).await;
    let report = writer.page(&job).await.text;
    let unchanged = report.split("Of which unchanged").nth(1).unwrap();
    assert!(
        unchanged.starts_with("</th><td class=\"number\">0<"),
        "{report}"
    );
}

#[tokio::test]
async fn a_stopping_server_ends_a_running_ingest() {
    let home = Home::new();
    let mut server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let fields = [("library", "Gin")];
    let sent = writer
        .upload((FORM, FORM), &fields, ("gin.zip", &many(6_000)))
        .await;
    let mut events = writer.events(&format!("{}/events", location(&sent))).await;
    assert_eq!(events.next().await.unwrap().name, "progress");
    server.signal("TERM").await;
    let stream_end = async { while events.next().await.is_some() {} };
    within_deadline("the end of the stream", stream_end).await;
    let status = server.ended().await;
    assert!(status.success(), "{status}");
    let list = run(server_command(&home, &["libraries", "list", "--json"]), "").await;
    assert!(!list.expect_code(0).contains("Gin"));
}

#[tokio::test]
async fn uploads_are_protected_like_all_forms() {
    let home = Home::new();
    let server = with_people(&home, "[limits]\nupload_bytes = 20000").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let (docs, library) = (docs(), ("library", "Gin"));
    let file = ("gin.zip", docs.as_slice());
    // The form token must be the first field.
    let token = recall_kit_tests::token_of(&writer.page(FORM).await.text);
    let late = [library, ("form_token", token.as_str())];
    for fields in [&[library][..], &late, &[]] {
        let answer = writer.post_file(FORM, fields, file).await;
        assert_eq!(answer.status, 403, "{fields:?}: {}", answer.text);
    }
    let wrong = [("form_token", "x"), library];
    let sign_in = writer.post_file(FORM, &wrong, file).await;
    assert_eq!(sign_in.status, 401, "{}", sign_in.text);
    assert!(
        sign_in.text.contains("library=Gin"),
        "what was typed is kept"
    );
    let mut anonymous = Visitor::anonymous(&server);
    assert_eq!(anonymous.post_file(FORM, &wrong, file).await.status, 401);
    assert_eq!(anonymous.page(FORM).await.status, 303);
    let mut reader = Visitor::signed_in(&server, "reader").await;
    assert_eq!(reader.page(FORM).await.status, 403);
    let refused = reader.upload(("/account", FORM), &[library], file).await;
    assert_eq!(refused.status, 403, "{}", refused.text);

    let large = vec![b'x'; 20_001];
    let fields = [library, ("version", "v9")];
    let too_large = writer
        .upload((FORM, FORM), &fields, ("gin.zip", &large))
        .await;
    assert_eq!(too_large.status, 413, "{}", too_large.text);
    assert!(
        too_large.text.contains("larger than 19 KiB"),
        "{}",
        too_large.text
    );
    assert!(
        too_large.text.contains("value=\"v9\""),
        "{}",
        too_large.text
    );
    let damaged = [&docs[..docs.len() / 2], b"cut off"].concat();
    let job = ingest_upload(&mut writer, "v1", ("gin.zip", &damaged)).await;
    let failed = writer.page(&job).await.text;
    assert!(failed.contains("archive cannot be read"), "{failed}");
    assert!(!writer.page("/libraries").await.text.contains("Gin"));
}

#[tokio::test]
async fn addresses_are_ingested_only_if_the_settings_allow_it() {
    let home = Home::new();
    let secret = home.write("docs/README.md", "# Secret\n\nNobody reads this.\n");
    let server = with_people(&home, "[libraries]\ningest = \"all\"").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let path = secret.to_string_lossy().into_owned();
    let local = [
        path.clone(),
        format!("file://{path}"),
        "git@localhost:x".to_owned(),
    ];
    for address in &local {
        let fields = [("library", "Gin"), ("address", address)];
        let answer = writer.fill_in(FORM, FORM, &fields).await;
        assert_eq!(answer.status, 400, "{address}: {}", answer.text);
        assert!(answer.text.contains("on the web"), "{}", answer.text);
        assert!(
            answer.text.contains(&format!("value=\"{address}\"")),
            "{}",
            answer.text
        );
    }
    // Addresses that are not on the public internet are refused.
    for address in [
        "http://127.0.0.1:9/docs.zip",
        "https://localhost/project.git",
    ] {
        let fields = [("library", "Gin"), ("address", address)];
        let sent = writer.fill_in(FORM, FORM, &fields).await;
        let job = location(&sent);
        followed(&writer, &job).await;
        let failed = writer.page(&job).await.text;
        assert!(
            failed.contains("not a public address"),
            "{address}: {failed}"
        );
    }
    let both = [("library", "Gin"), ("address", "https://example.com/a.zip")];
    let answer = writer
        .upload((FORM, FORM), &both, ("gin.zip", &docs()))
        .await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("not both"), "{}", answer.text);
}

#[tokio::test]
async fn addresses_are_not_ingested_by_default() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    assert!(!writer.page(FORM).await.text.contains("name=\"address\""));
    let fields = [
        ("library", "Gin"),
        ("address", "https://example.com/docs.zip"),
    ];
    let answer = writer.fill_in(FORM, FORM, &fields).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("libraries.ingest"), "{}", answer.text);
}

#[tokio::test]
async fn only_writers_can_remove_versions() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    for version in ["v1", "a/b"] {
        ingest_upload(&mut writer, version, ("gin.zip", &docs())).await;
    }
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let remove = "/libraries/1/a%2Fb/remove";
    assert_eq!(reader.fill_in("/account", remove, &[]).await.status, 403);
    let removed = writer.fill_in("/libraries/1/a%2Fb", remove, &[]).await;
    assert_eq!(location(&removed), "/libraries");
    assert_eq!(writer.page("/libraries/1/a%2Fb").await.status, 404);
    assert_eq!(writer.page("/libraries/1/v1").await.status, 200);
    let again = writer.fill_in("/account", remove, &[]).await;
    assert_eq!(again.status, 404, "{}", again.text);
    let audit = Visitor::signed_in(&server, "admin")
        .await
        .page("/audit")
        .await
        .text;
    for deed in ["library.ingested", "library.version_removed"] {
        assert!(audit.contains(deed), "{deed}");
    }
}

#[tokio::test]
async fn documentation_is_ingested_and_read_in_a_browser() {
    let home = Home::new();
    let server = with_people(&home, "").await;
    let file = |name: &str, content: Vec<u8>| {
        let path = home.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let ids = json!({
        "password": password_of("writer"),
        "docs": file("gin.zip", docs()),
        "many": file("many.zip", many(6_000)),
        "very_many": file("very_many.zip", many(20_000)),
    });
    for flow in ["libraries", "plain"] {
        let url = server.wire.base();
        run_browser_flow(&home, "browser_libraries.mjs", flow, url, &ids).await;
    }
}
