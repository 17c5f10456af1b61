//! Budgets: what fits, where a text is cut, and that no text is lost.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::libraries::DocsMode;

use super::*;

fn document(mode: DocsMode, title: &str, text: &str) -> LibraryDocument {
    let of = |wanted: DocsMode| (mode == wanted).then(|| text.to_owned());
    LibraryDocument {
        library_id: None,
        library_name: None,
        title: title.to_owned(),
        description: None,
        source: "guide/start.md#L1".to_owned(),
        version: "1.0".to_owned(),
        mode,
        language: of(DocsMode::Code).map(|_| "python".to_owned()),
        code: of(DocsMode::Code),
        content: of(DocsMode::Info),
        tokens: tokens::count(text),
        relevance: 0.5,
        truncated: false,
    }
}

fn info(title: &str, text: &str) -> LibraryDocument {
    document(DocsMode::Info, title, text)
}

fn text(document: &LibraryDocument) -> &str {
    let text = document.content.as_deref().or(document.code.as_deref());
    text.unwrap()
}

/// Returns all pages with a budget, and checks that each keeps to it.
fn pages(documents: &[LibraryDocument], budget: u32) -> Vec<Vec<LibraryDocument>> {
    let paging = Paging {
        size: 10,
        budget: Some(budget),
    };
    let mut pages = Vec::new();
    for number in 1..=MAX_PAGE {
        let page = page(documents.to_vec(), paging, number);
        let tokens = json_tokens(&page.documents);
        assert!(tokens <= budget, "page {number}: {tokens} of {budget}");
        for document in &page.documents {
            assert_eq!(document.tokens, tokens::count(text(document)));
        }
        pages.push(page.documents);
        if !page.has_more {
            break;
        }
    }
    pages
}

/// Joins texts that were cut, without the marks.
fn without_marks(pages: &[Vec<LibraryDocument>]) -> String {
    let texts = pages.iter().flatten().map(text);
    let lines = texts.flat_map(str::lines);
    let lines = lines.filter(|line| !line.starts_with("[… "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_document_that_does_not_fit_moves_to_the_next_page() {
    let text = "word ".repeat(200);
    let documents: Vec<_> = (0..5).map(|it| info(&it.to_string(), &text)).collect();
    let room = json_tokens(&documents[0]) + 1;
    let pages = pages(&documents, 2 * room + MIN_ROOM - 1);
    let titles = |page: &Vec<LibraryDocument>| page.iter().map(|it| it.title.clone()).collect();
    let titles: Vec<String> = pages
        .iter()
        .map(titles)
        .map(|it: Vec<_>| it.join(" "))
        .collect();
    assert_eq!(titles, ["0 1", "2 3", "4"]);
    assert!(pages.iter().flatten().all(|it| !it.truncated));
}

#[test]
fn a_text_is_cut_at_a_line_and_continues_without_loss() {
    let lines: Vec<String> = (0..40)
        .map(|number| format!("    step_{number}(\"étape\", '第{number}步')"))
        .collect();
    for mode in DocsMode::ALL {
        let long = document(mode, "Steps", &lines.join("\n"));
        for budget in [250, 600] {
            let pages = pages(&[info("First", "It begins."), long.clone()], budget);
            let [first, .., last] = &pages[..] else {
                panic!("{pages:?}")
            };
            assert_eq!(first[0].title, "First", "the best comes first");
            let head = text(&first[first.len() - 1]);
            if budget > 250 {
                assert!(
                    head.ends_with("[… cut here: continues on page 2]"),
                    "{head}"
                );
                assert!(first[1].truncated && !last[0].truncated);
            }
            assert!(text(&last[0]).starts_with("[… continued from page "));
            let all = without_marks(&pages);
            assert_eq!(all, format!("It begins.\n{}", lines.join("\n")));
        }
    }
}

#[test]
fn a_text_without_lines_is_cut_between_words_or_signs() {
    for (long, joint) in [
        ("lorem ipsum dolor sit amet ".repeat(60), " "),
        ("配置文件说明了如何设置服务器。".repeat(60), ""),
        ("การตั้งค่าเซิร์ฟเวอร์".repeat(60), ""),
        ("x".repeat(9_000), ""),
    ] {
        let pages = pages(&[info("One", &long)], 300);
        assert!(pages.len() > 1);
        let texts = without_marks(&pages);
        let parts: Vec<&str> = texts.lines().collect();
        let known = parts.iter().take(pages.len() - 1);
        assert!(known.clone().all(|part| !part.is_empty()), "{parts:?}");
        let joined = parts.join(joint);
        assert!(long.starts_with(joined.trim_end()), "{parts:?}");
    }
}

#[test]
fn a_cut_fence_is_closed_and_reopened() {
    let code: Vec<String> = (0..150).map(|line| format!("line_{line}()")).collect();
    let long = format!("Before.\n\n```rust\n{}\n```\n\nAfter.", code.join("\n"));
    let pages = pages(&[info("Fence", &long)], 250);
    assert!(pages.len() > 2);
    for page in &pages {
        let fences = text(&page[0])
            .lines()
            .filter(|line| line.starts_with("```"));
        assert_eq!(fences.count(), 2, "{page:?}");
    }
    assert!(text(&pages[1][0]).starts_with("[… continued from page 1]\n```rust\nline_"));
}

#[test]
fn every_page_has_at_least_one_document() {
    let title = "A title that is longer than the whole answer may be. ".repeat(20);
    let documents = [info(&title, &"word ".repeat(500))];
    let paging = Paging {
        size: 10,
        budget: Some(200),
    };
    let first = page(documents.to_vec(), paging, 1);
    assert_eq!(first.documents.len(), 1);
    assert!(text(&first.documents[0]).starts_with("word word"));
    assert!(first.has_more);
    let none = page(Vec::new(), paging, 1);
    assert_eq!((none.documents.len(), none.has_more), (0, false));
}

#[test]
fn without_a_budget_only_the_number_of_documents_limits_a_page() {
    let documents: Vec<_> = (0..25)
        .map(|it| info(&it.to_string(), &"word ".repeat(5_000)))
        .collect();
    let paging = Paging {
        size: 10,
        budget: None,
    };
    for (number, count, has_more) in [(1, 10, true), (3, 5, false), (4, 0, false)] {
        let page = page(documents.clone(), paging, number);
        assert_eq!((page.documents.len(), page.has_more), (count, has_more));
    }
}
