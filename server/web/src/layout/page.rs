//! The frame of every page: head, navigation, content, the switches at the end.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use maud::{DOCTYPE, Markup, html};
use recall_kit_core::access::Scope;

use super::{assets, plain::visible};
use crate::{
    i18n::{
        language::Language,
        words::{ShellWords, filled},
    },
    visitor::{Visitor, preferences::Theme},
};

/// What htmx may do: nothing that a strict policy forbids, nothing in other places than named.
const HTMX: &str = "includeIndicatorCSS:false, history:reload, mode:same-origin";

/// Where a page belongs in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Search,
    Experiences,
    Knowledge,
    Graph,
    Libraries,
    Insights,
    Administration,
    Account,
    /// None of them.
    Elsewhere,
}

/// A page before it is written.
pub(crate) struct Page {
    /// What the browser's tab says.
    pub(crate) title: String,
    pub(crate) section: Section,
    /// A script of its own besides what every page loads.
    pub(crate) script: Option<&'static str>,
    /// Whether it shows what goes on: without script it is loaded anew every other second.
    pub(crate) is_live: bool,
    pub(crate) main: Markup,
}

impl Page {
    /// Makes a page without a script of its own.
    pub(crate) fn new(title: impl Into<String>, section: Section, main: Markup) -> Self {
        Self {
            title: title.into(),
            section,
            script: None,
            is_live: false,
            main,
        }
    }

    /// Writes the page for its visitor.
    pub(crate) fn answer(&self, visitor: &Visitor, status: StatusCode) -> Response {
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        let described = [
            (header::CONTENT_TYPE, html),
            (
                header::VARY,
                HeaderValue::from_static("accept-language, cookie"),
            ),
        ];
        (status, described, self.html(visitor).into_string()).into_response()
    }

    fn html(&self, visitor: &Visitor) -> Markup {
        let words = &visitor.words.shell;
        let theme = visitor.theme.map(Theme::as_str);
        html! {
            (DOCTYPE)
            html lang=(visitor.language.code()) data-theme=[theme] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content=(theme.unwrap_or("light dark"));
                    meta name="htmx-config" content=(HTMX);
                    title { (self.title) " · RecallKit" }
                    link rel="icon" href=(assets::address("icon.svg"));
                    link rel="stylesheet" href=(assets::address("style.css"));
                    script defer src=(assets::address("htmx.js")) {}
                    script defer src=(assets::address("pages.js")) {}
                    @if let Some(script) = self.script {
                        script defer src=(assets::address(script)) {}
                    }
                    @if self.is_live {
                        noscript { meta http-equiv="refresh" content="2"; }
                    }
                }
                body data-copied=(words.copied) {
                    a.skip href="#main" { (words.skip) }
                    header { (self.navigation(visitor)) }
                    main #main tabindex="-1" { (self.main) }
                    footer { (switches(visitor)) }
                }
            }
        }
    }

    fn navigation(&self, visitor: &Visitor) -> Markup {
        let words = &visitor.words.shell;
        let pages = [
            (Section::Search, "/", words.search),
            (Section::Experiences, "/experiences", words.experiences),
            (Section::Knowledge, "/knowledge", words.knowledge),
            (Section::Graph, "/knowledge/graph", words.graph),
            (Section::Libraries, "/libraries", words.libraries),
            (Section::Insights, "/insights", words.insights),
        ];
        html! {
            nav aria-label=(words.pages) {
                a.brand href="/" { "RecallKit" }
                ul {
                    @for (section, address, name) in pages {
                        @let current = (section == self.section).then_some("page");
                        li { a href=(address) aria-current=[current] { (name) } }
                    }
                }
                ul.own { (self.own_pages(visitor)) }
            }
        }
    }

    /// The pages that hang on who one is.
    fn own_pages(&self, visitor: &Visitor) -> Markup {
        let words = visitor.words;
        let current = |section| (section == self.section).then_some("page");
        html! {
            @if visitor.may(Scope::Admin) {
                li { a href="/keys" aria-current=[current(Section::Administration)] {
                    (words.admin.administration) } }
            }
            li {
                @match &visitor.session {
                    Some(session) => {
                        a href="/account" dir="auto" aria-current=[current(Section::Account)] {
                            (visible(&session.name)) }
                    }
                    None => { a href=(visitor.sign_in_address()) { (words.account.sign_in) } }
                }
            }
        }
    }
}

/// The switches for language and light.
fn switches(visitor: &Visitor) -> Markup {
    let words = &visitor.words.shell;
    html! {
        form.switches method="post" action="/preferences" {
            input type="hidden" name="back" value=(visitor.path);
            label { (words.language) " "
                select name="language" {
                    @for language in Language::ALL {
                        option value=(language.code()) lang=(language.code())
                            selected[language == visitor.language] { (language.name()) }
                    }
                }
            }
            label { (words.appearance) " "
                select name="theme" {
                    option value="system" selected[visitor.theme.is_none()] { (words.system) }
                    @for (theme, name) in Theme::ALL.into_iter().zip([words.light, words.dark]) {
                        option value=(theme.as_str()) selected[visitor.theme == Some(theme)] { (name) }
                    }
                }
            }
            button type="submit" { (words.apply) }
        }
    }
}

/// Text to be copied, with a button that does so; without script it can be selected.
pub(crate) fn copied(visitor: &Visitor, id: &str, text: &str) -> Markup {
    html! {
        div.copied {
            pre tabindex="0" { code #(id) { (text) } }
            button type="button" data-copy=(id) hidden { (visitor.words.shell.copy) }
        }
    }
}

/// A choice of a form: a list with what is chosen.
pub(crate) fn select<'a>(
    label: &str,
    name: &str,
    any: &str,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
    chosen: &str,
) -> Markup {
    html! {
        label.choice { span { (label) }
            select name=(name) {
                option value="" { (any) }
                @for (value, shown) in options {
                    option value=(value) selected[value == chosen] { (shown) }
                }
            }
        }
    }
}

/// A choice of a form of which one is always made.
pub(crate) fn choice<'a>(
    label: &str,
    name: &str,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
    chosen: &str,
) -> Markup {
    html! {
        label.choice { span { (label) }
            select name=(name) {
                @for (value, shown) in options {
                    option value=(value) selected[value == chosen] { (shown) }
                }
            }
        }
    }
}

/// The way to the pages before and after; `address` makes that of a page, which counts from 1.
pub(crate) fn paging(
    words: &ShellWords,
    (page, pages): (u64, u64),
    address: impl Fn(u64) -> String,
) -> Markup {
    html! {
        @if pages > 1 {
            nav.paging aria-label=(filled(words.page, &[&page.to_string(), &pages.to_string()])) {
                @if page > 1 {
                    a rel="prev" href=(address(page - 1)) { "← " (words.previous) }
                }
                span { (filled(words.page, &[&page.to_string(), &pages.to_string()])) }
                @if page < pages {
                    a rel="next" href=(address(page + 1)) { (words.next) " →" }
                }
            }
        }
    }
}
