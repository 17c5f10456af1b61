//! Navigation is removed and content stays, in several formats and languages.

#![allow(clippy::unwrap_used)]

use crate::{
    document::BlockKind,
    readers::{Reading, Skip, read},
};

/// Returns the text of the blocks that are read from a file, separated by line breaks.
fn text(path: &str, source: &str) -> Result<String, Skip> {
    match read(path, source.as_bytes()).unwrap() {
        Reading::Skipped(skip) => Err(skip),
        Reading::Document(document) => {
            let blocks = document.blocks.into_iter().map(|block| match block.kind {
                BlockKind::Heading { text, level, .. } => {
                    format!("{} {text}", "#".repeat(usize::from(level)))
                }
                BlockKind::Text(text) | BlockKind::Table(text) | BlockKind::Code { text, .. } => {
                    text
                }
            });
            Ok(blocks.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn check(path: &str, source: &str, expected: &str) {
    assert_eq!(
        text(path, source).as_deref(),
        Ok(expected),
        "{path}: {source}"
    );
}

#[test]
fn tables_of_contents_and_links_to_other_pages_are_removed() {
    check(
        "guide.md",
        "[Home](/) » [Docs](/docs) » Pools\n\n# Pools\n\n## Contents\n\n- [Size](#size)\n- [Wait](#wait)\n  \
         1. [How long](#long)\n\n## Size\n\nA pool has [ten](c.md) places.\n\n\
         [← Previous: Start](a.md) | [Next: Queues →](b.md)\n",
        "# Pools\n## Size\nA pool has ten places.",
    );
    check(
        "anleitung.html",
        "<body><div><a href='/'>Start</a> / <a href='/a'>Anleitung</a> / Vorrat</div>\
         <div class='x'><ul><li><a href='1'>Größe</a></li><li><a href='2'>Warten</a></li></ul></div>\
         <h1>Vorrat</h1><p>Ein Vorrat hat <a href='3'>zehn</a> Plätze.</p>\
         <p>Weiter: <a href='4'>Schlangen</a></p></body>",
        "# Vorrat\nEin Vorrat hat zehn Plätze.",
    );
    check(
        "guide.rst",
        "Réserve\n=======\n\n* :doc:`taille`\n* :ref:`attente <wait>`\n* `Archives <https://a.example>`_\n\n\
         Une réserve a :doc:`dix <dix>` places.\n",
        "# Réserve\nUne réserve a dix places.",
    );
    check(
        "guide.adoc",
        "= 连接池\n\n* xref:size.adoc[大小]\n* xref:wait.adoc[等待]\n\n连接池有 xref:ten.adoc[十个] 位置。\n\n\
         上一页： xref:a.adoc[开始] 下一页： xref:b.adoc[队列]\n",
        "# 连接池\n连接池有 十个 位置。",
    );
}

#[test]
fn described_links_stay() {
    for (path, source, expected) in [
        (
            "settings.md",
            "# Settings\n\n- [size](size.md): how many places a pool has\n- [wait](wait.md): how long it waits\n",
            "# Settings\n- size: how many places a pool has\n- wait: how long it waits",
        ),
        (
            "more.md",
            "# Pools\n\nA pool keeps connections open. See [the reference](r.md).\n\n[Every setting](all.md) has a default, so that none \
             is needed.\n",
            "# Pools\nA pool keeps connections open. See the reference.\nEvery setting has a default, so that none is needed.",
        ),
        (
            "steps.md",
            "# Steps\n\n1. Open the pool\n2. Take a connection\n3. [Close](c.md) it\n",
            "# Steps\n1. Open the pool\n2. Take a connection\n3. Close it",
        ),
        (
            "moves.md",
            "# Moves\n\nA value that [was moved to](m.md) another name cannot be used any more, since it has \
             one owner at a time; borrow it where both shall use it, or clone it where that is cheap enough \
             for what the program does.\n",
            "# Moves\nA value that was moved to another name cannot be used any more, since it has \
             one owner at a time; borrow it where both shall use it, or clone it where that is cheap enough \
             for what the program does.",
        ),
        (
            "table.html",
            "<main><h1>Codes</h1><table><tr><th>Code</th><th>Means</th></tr><tr><td><a href='1'>E1</a></td>\
             <td>no room</td></tr></table></main>",
            "# Codes\n| Code | Means |\n| --- | --- |\n| E1 | no room |",
        ),
        (
            "refresh.md",
            "# Redirects\n\nA page sends its reader on like this:\n\n```html\n<meta http-equiv=\"refresh\" \
             content=\"0; url=next.html\">\n```\n",
            "# Redirects\nA page sends its reader on like this:\n\
             <meta http-equiv=\"refresh\" content=\"0; url=next.html\">",
        ),
    ] {
        check(path, source, expected);
    }
}

#[test]
fn links_of_an_llms_txt_are_content() {
    check(
        "llms.txt",
        "# Pools\n\n- [Size](size.md)\n- [Wait](wait.md)\n",
        "# Pools\n- Size (size.md)\n- Wait (wait.md)",
    );
}

#[test]
fn pages_of_links_alone_are_skipped() {
    for (path, source) in [
        (
            "SUMMARY.md",
            "# Summary\n\n[Introduction](a.md)\n\n- [Pools](b.md)\n  - [Size](c.md)\n- [Queues](d.md)\n",
        ),
        (
            "index.html",
            "<h1>Documentation</h1><p>Welcome.</p><ul><li>Guides<ul><li><a href='1'>Pools and how to size them\
             </a></li><li><a href='2'>Queues</a></li></ul></li><li><a href='3'>Reference of all settings</a>\
             </li></ul>",
        ),
        (
            "index.rst",
            "目次\n====\n\n* :doc:`入門ガイド`\n* :doc:`設定リファレンス`\n* :ref:`genindex`\n",
        ),
        (
            "names.html",
            "<table><tr><th>Name</th></tr><tr><td><a href='a'>alpha of the pool</a></td></tr><tr><td><a href='b'>beta</a>\
             </td></tr><tr><td><a href='c'>gamma</a></td></tr></table>",
        ),
    ] {
        assert_eq!(text(path, source), Err(Skip::Index), "{path}");
    }
}

#[test]
fn pages_that_moved_are_skipped() {
    for (path, source) in [
        (
            "a.html",
            "<meta http-equiv='Refresh' content='0; URL=b.html'><h1>A</h1><p>Text.</p>",
        ),
        (
            "b.html",
            "<script>window.location.href = 'c.html';</script><p>One moment, please.</p>",
        ),
        (
            "c.md",
            "---\ntitle: Pools\nredirect_to: /guide/pools\n---\n\nPools keep connections.\n",
        ),
        (
            "d.md",
            "# Pools\n\nThis page has moved to [the guide](guide/pools.md).\n",
        ),
        (
            "e.md",
            "# Vorrat\n\nDiese Seite wurde nach https://docs.example/vorrat verschoben.\n",
        ),
        (
            "f.rst",
            "Réserve\n=======\n\nCette page a été déplacée : `réserve <r.html>`_.\n",
        ),
        (
            "g.rst",
            ".. meta::\n   :http-equiv=refresh: 0; url=pools.html\n\nPools\n=====\n\nOne moment.\n",
        ),
        (
            "h.adoc",
            "= 连接池\n\n本页已移动到 xref:guide.adoc[指南]。\n",
        ),
        (
            "i.mdx",
            "import {Redirect} from 'router';\n\n# Pools\n\n<Redirect to=\"/guide\" />\n",
        ),
        ("j.html", "<p><a href='new.html'>new.html</a></p>"),
    ] {
        let read = text(path, source);
        let is_left_out = matches!(read, Err(Skip::Redirect | Skip::Empty));
        assert!(is_left_out, "{path}: {read:?}");
    }
    // A page that only reloads itself is read like others.
    check(
        "k.html",
        "<meta http-equiv='refresh' content='300'><p>The state of the pools.</p>",
        "The state of the pools.",
    );
}
