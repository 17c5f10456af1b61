//! How to connect an agent to this server; the search page shows it while no query is entered.
//!
//! The hosts' settings were read in November 2026 from the documentation that `recall-kit-client init`
//! follows (`cli/src/agents/places.rs`).

use maud::{Markup, html};
use serde_json::{Value, json};

use super::visitor::Visitor;
use crate::{i18n::words::filled, layout::page::copyable};

/// The name of the server in the hosts' settings.
const NAME: &str = "recall-kit";

/// Where a host is configured.
enum Place {
    Terminal,
    File(&'static str),
}

/// A host, and the command or the settings that add the server to it.
struct Host {
    name: &'static str,
    place: Place,
    setup: String,
}

/// Returns the six hosts for a server at an address.
fn hosts(url: &str) -> [Host; 6] {
    let terminal = |name, setup| Host {
        name,
        place: Place::Terminal,
        setup,
    };
    let file = |name, path, settings: Value| Host {
        name,
        place: Place::File(path),
        setup: format!("{settings:#}"),
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

/// Renders how to connect an agent to this server's address.
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
            (copyable(visitor, "client", &with_client))
            h3 { (words.straight) }
            p { (words.straight_why) }
            p.hint { (words.key_needed) }
            @for (number, host) in hosts(&url).iter().enumerate() {
                details open[number == 0] {
                    summary { (host.name) }
                    p { @match host.place {
                        Place::Terminal => { (words.in_terminal) },
                        Place::File(path) => { (filled(words.in_file, &[&path])) },
                    } }
                    (copyable(visitor, &format!("host-{number}"), &host.setup))
                }
            }
        }
    }
}
