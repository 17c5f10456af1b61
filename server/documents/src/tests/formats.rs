//! One small document for every format; its chunks are compared as a whole.

use std::fmt::Write;

use super::{super::chunks::Chunk, chunks_of, cut};

fn shown(chunks: &[Chunk]) -> String {
    let mut out = String::new();
    for it in chunks {
        let language = it.language.as_deref().unwrap_or("-");
        let _ = writeln!(
            out,
            "=== {:?} | {} | line {} | {} tokens | {language}",
            it.kind, it.title, it.line, it.tokens
        );
        if let Some(description) = &it.description {
            let _ = writeln!(out, "--- {description}");
        }
        let _ = writeln!(out, "{}", it.text);
    }
    out
}

fn check(name: &str, path: &str, text: &str) {
    insta::assert_snapshot!(name, shown(&cut(path, text)));
}

#[test]
fn markdown() {
    check(
        "markdown",
        "docs/cache.md",
        include_str!("fixtures/cache.md"),
    );
    check(
        "mdx",
        "docs/routing.mdx",
        include_str!("fixtures/routing.mdx"),
    );
    check("llms", "llms.txt", include_str!("fixtures/llms.txt"));
}

#[test]
fn html() {
    check("mdbook", "ch04.html", include_str!("fixtures/mdbook.html"));
    check(
        "rustdoc_html",
        "stack/struct.Stack.html",
        include_str!("fixtures/rustdoc.html"),
    );
    check(
        "sphinx",
        "library/jar.html",
        include_str!("fixtures/sphinx.html"),
    );
}

#[test]
fn other_markup() {
    check("rst", "usage.rst", include_str!("fixtures/usage.rst"));
    check(
        "asciidoc",
        "guide.adoc",
        include_str!("fixtures/guide.adoc"),
    );
    check("plain", "INSTALL.txt", include_str!("fixtures/install.txt"));
}

#[test]
fn data() {
    check(
        "notebook",
        "intro.ipynb",
        include_str!("fixtures/intro.ipynb"),
    );
    check(
        "rustdoc_json",
        "stack.json",
        include_str!("fixtures/stack.json"),
    );
    check("openapi", "api.yaml", include_str!("fixtures/api.yaml"));
    check("swagger", "api.json", include_str!("fixtures/api.json"));
}

/// Returns a PDF file with a valid cross-reference table.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|it| format!("{} 0 R", 4 + it * 2))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            pages.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (at, page) in pages.iter().enumerate() {
        let contents = 5 + at * 2;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {contents} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{page}\nendstream",
            page.len()
        ));
    }
    objects.push("<< /Title (The Jar Manual) >>".to_owned());
    let mut out = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        let _ = write!(out, "{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let start = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for offset in offsets {
        let _ = writeln!(out, "{offset:010} 00000 n ");
    }
    let info = objects.len();
    let _ = write!(
        out,
        "trailer\n<< /Size {} /Root 1 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n",
        info + 1
    );
    out.into_bytes()
}

#[test]
fn pages_of_a_pdf_keep_their_numbers() {
    let bytes = pdf(&[
        "BT /F1 12 Tf 72 720 Td (Opening a jar) Tj 0 -40 Td (Turn the lid to the left. It is deli-) Tj 0 -14 Td (cate, so be gentle.) Tj ET",
        "BT /F1 12 Tf 72 720 Td (Closing works the other way round.) Tj ET",
    ]);
    let chunks = chunks_of("jar.pdf", &bytes)
        .expect("no error")
        .expect("read");
    insta::assert_snapshot!("pdf", shown(&chunks));
}
