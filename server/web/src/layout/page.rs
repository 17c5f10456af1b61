//! The frame of every page: head, navigation, content, and the form for language and theme; and common
//! controls.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use maud::{DOCTYPE, Markup, html};
use recall_kit_core::access::Scope;
use recall_kit_i18n::Language;

use super::{assets, plain::visible};
use crate::{
    i18n::words::{ShellWords, filled},
    visitor::{Visitor, preferences::Theme},
};

/// The configuration of htmx: no inline style, which the content security policy forbids; reloading instead
/// of cached history; requests only to this server.
const HTMX: &str = "includeIndicatorCSS:false, history:reload, mode:same-origin";

/// The section of a page in the navigation.
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

/// A page before it is rendered.
pub(crate) struct Page {
    /// The title in the browser's tab.
    pub(crate) title: String,
    pub(crate) section: Section,
    /// An additional script of this page.
    pub(crate) script: Option<&'static str>,
    /// Whether the page shows live progress: without JavaScript it is reloaded every two seconds.
    pub(crate) is_live: bool,
    pub(crate) main: Markup,
}

impl Page {
    /// Creates a page without an additional script.
    pub(crate) fn new(title: impl Into<String>, section: Section, main: Markup) -> Self {
        Self {
            title: title.into(),
            section,
            script: None,
            is_live: false,
            main,
        }
    }

    /// Renders the page for its visitor.
    pub(crate) fn answer(&self, visitor: &Visitor, status: StatusCode) -> Response {
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        let headers = [
            (header::CONTENT_TYPE, html),
            (
                header::VARY,
                HeaderValue::from_static("accept-language, cookie"),
            ),
        ];
        (status, headers, self.html(visitor).into_string()).into_response()
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
                    footer { (preferences_form(visitor)) }
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

    /// Renders the links that depend on the visitor: administration, account, sign-in.
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

/// Renders the form for language and colour theme.
fn preferences_form(visitor: &Visitor) -> Markup {
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

/// Renders a text with a button that copies it; without JavaScript the text can be selected.
pub(crate) fn copyable(visitor: &Visitor, id: &str, text: &str) -> Markup {
    html! {
        div.copied {
            pre tabindex="0" { code #(id) { (text) } }
            button type="button" data-copy=(id) hidden { (visitor.words.shell.copy) }
        }
    }
}

/// Renders a selection list whose first option, `any`, is the empty value.
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

/// Renders a selection list without an empty value.
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

/// Renders the links to the previous and the next page; `address` returns that of a page, counted from 1.
pub(crate) fn paging(
    words: &ShellWords,
    (page, pages): (u64, u64),
    address: impl Fn(u64) -> String,
) -> Markup {
    html! {
        @if pages > 1 {
            nav.paging aria-label=(filled(words.page, &[&page, &pages])) {
                @if page > 1 {
                    a rel="prev" href=(address(page - 1)) { "← " (words.previous) }
                }
                span { (filled(words.page, &[&page, &pages])) }
                @if page < pages {
                    a rel="next" href=(address(page + 1)) { (words.next) " →" }
                }
            }
        }
    }
}
