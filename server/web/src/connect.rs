//! How an agent is connected to this server: what a memory without a question shows.
//!
//! Sources of the hosts' settings, read in November 2026: the documentation that
//! `recall-kit-client init` follows (`cli/src/agents/places.rs`).

use maud::{Markup, html};
use serde_json::{Value, json};

use super::visitor::Visitor;
use crate::{i18n::words::filled, layout::page::copied};

/// The name under which hosts know the server.
const NAME: &str = "recall-kit";

/// Where a host wants to be told of the server.
enum Place {
    Terminal,
    File(&'static str),
}

/// A host and what tells it of the server.
struct Host {
    name: &'static str,
    place: Place,
    told: String,
}

/// Returns the six hosts for a server at an address.
fn hosts(url: &str) -> [Host; 6] {
    let terminal = |name, told| Host {
        name,
        place: Place::Terminal,
        told,
    };
    let file = |name, path, told: Value| Host {
        name,
        place: Place::File(path),
        told: format!("{told:#}"),
    };
    [
        terminal(
            "Claude Code",
            format!("claude mcp add --transport http {NAME} {url}"),
        ),
        file(
            "Cursor",
            "~/.cursor/mcp.json",
            json!({ "mcpServers": { NAME: { "url": url } } }),
        ),
        file(
            "VS Code",
            ".vscode/mcp.json",
            json!({ "servers": { NAME: { "type": "http", "url": url } } }),
        ),
        file(
            "Windsurf",
            "~/.codeium/windsurf/mcp_config.json",
            json!({ "mcpServers": { NAME: { "serverUrl": url } } }),
        ),
        terminal("Codex", format!("codex mcp add {NAME} --url {url}")),
        terminal(
            "Gemini CLI",
            format!("gemini mcp add --transport http {NAME} {url}"),
        ),
    ]
}

/// Teaches how to connect an agent, with this server's own address.
pub(super) fn connect(visitor: &Visitor) -> Markup {
    let words = &visitor.words.connect;
    let url = format!("{}/mcp", visitor.origin);
    let with_client = format!("recall-kit-client --server {url} init");
    html! {
        section.connect {
            h2 { (words.title) }
            p { (words.intro) }
            h3 { (words.beside) }
            p { (words.beside_why) }
            (copied(visitor, "client", &with_client))
            h3 { (words.straight) }
            p { (words.straight_why) }
            p.hint { (words.key_needed) }
            @for (number, host) in hosts(&url).iter().enumerate() {
                details open[number == 0] {
                    summary { (host.name) }
                    p { @match host.place {
                        Place::Terminal => { (words.in_terminal) },
                        Place::File(path) => { (filled(words.in_file, &[path])) },
                    } }
                    (copied(visitor, &format!("host-{number}"), &host.told))
                }
            }
        }
    }
}
