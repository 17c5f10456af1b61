//! The settings that docs/guides/agents.md gives for six programs: each is read as its program reads it, and
//! the program's first requests are sent with its headers.

use recall_kit_tests::{Home, Launch, Wire, envelope, json_rpc, make_key};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ingest, write_docs};

/// The guide with the settings.
const GUIDE: &str = include_str!("../../../docs/guides/agents.md");
/// The server's address in the guide.
const PRINTED: &str = "http://localhost:8090";

/// Returns the code block for a program.
fn snippet(program: &str) -> String {
    let section = GUIDE.split("## Over HTTP, with a key").nth(1).unwrap();
    let after = section.split(&format!("**{program}**")).nth(1);
    let after = after.unwrap_or_else(|| panic!("the guide has nothing on {program}"));
    let block = after.split("```").nth(1).unwrap();
    block.split_once('\n').unwrap().1.to_owned()
}

/// Returns the address and the headers that a program takes from its settings.
fn read(program: &str) -> (String, Vec<(String, String)>) {
    let text = snippet(program);
    let json = || serde_json::from_str::<Value>(&text).unwrap();
    let (entry, url, headers) = match program {
        "Cursor" => (json()["mcpServers"]["recall-kit"].clone(), "url", "headers"),
        "Windsurf" => (
            json()["mcpServers"]["recall-kit"].clone(),
            "serverUrl",
            "headers",
        ),
        "Gemini CLI" => (
            json()["mcpServers"]["recall-kit"].clone(),
            "httpUrl",
            "headers",
        ),
        "VS Code" => (
            json()["mcp"]["servers"]["recall-kit"].clone(),
            "url",
            "headers",
        ),
        "Codex" => {
            let codex: Value = toml::from_str(&text).unwrap();
            (
                codex["mcp_servers"]["recall-kit"].clone(),
                "url",
                "http_headers",
            )
        }
        "Claude Code" => {
            let words: Vec<&str> = text.split(['"', '\n', '\\']).map(str::trim).collect();
            let command = words[0].trim_start_matches("$ ");
            let url = command
                .strip_prefix("claude mcp add --transport http recall-kit ")
                .unwrap();
            let header = words
                .iter()
                .find(|word| word.starts_with("MCP_API_KEY"))
                .unwrap();
            let (name, value) = header.split_once(": ").unwrap();
            (
                json!({"url": url, "headers": {name: value}}),
                "url",
                "headers",
            )
        }
        other => panic!("{other}"),
    };
    let headers = entry[headers].as_object().unwrap().iter();
    let headers = headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
    (entry[url].as_str().unwrap().to_owned(), headers.collect())
}

#[tokio::test]
async fn each_programs_documented_settings_work() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Gin", "latest").await;
    let key = make_key(&home, "ide", "read").await;
    let server = Launch::new(&home)
        .args(&["--access", "required"])
        .start()
        .await;
    for program in [
        "Cursor",
        "Claude Code",
        "VS Code",
        "Windsurf",
        "Codex",
        "Gemini CLI",
    ] {
        let (url, headers) = read(program);
        let path = url
            .strip_prefix(PRINTED)
            .unwrap_or_else(|| panic!("{program}: {url}"));
        let mut headers: Vec<(String, String)> = headers
            .into_iter()
            .map(|(name, value)| (name, value.replace("YOUR_API_KEY", &key)))
            .collect();
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let ask = async |method: &str, params: Value| {
            let request = json_rpc(method, params);
            let wire: &Wire = &server.wire;
            let answer = wire
                .send(Method::POST, path, &headers, request.to_string())
                .await;
            assert_eq!(answer.status, 200, "{program}: {}", answer.text);
            answer.message(&request["id"])
        };
        let call = json!({"name": "search-libraries", "arguments": {"libraryName": "gin"}});
        let found = envelope(&ask("tools/call", call).await);
        assert_eq!(found["libraries"][0]["libraryId"], 1, "{program}: {found}");
        let arguments = json!({"libraryId": 1, "version": "latest", "topic": "middleware", "mode": "code", "page": 1});
        let call = json!({"name": "get-library-docs", "arguments": arguments});
        let found = envelope(&ask("tools/call", call).await);
        assert_eq!(found["documents"][0]["mode"], "code", "{program}: {found}");
        let without_key = server.wire.send(Method::POST, path, &[], "{}").await;
        assert_eq!(without_key.status, 401, "{program}");
    }
}
