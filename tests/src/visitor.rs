//! A user of the web pages without a browser: sends the session's cookie and the tokens of forms.

use reqwest::Method;
use url::form_urlencoded;

use crate::{EventStream, Home, HttpAnswer, Server, Wire, run, server_command};

/// The `accept` header of a browser.
const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// Returns the password of a test user: built from the name, so that no text here looks like a real password.
pub fn password_of(name: &str) -> String {
    format!("{name} knows it by heart")
}

/// Creates a user on the command line, with the password of [`password_of`].
pub async fn make_user(home: &Home, name: &str, role: &str, projects: &[&str]) {
    let mut args = vec!["users", "create", name, "--role", role, "--password-stdin"];
    for project in projects {
        args.extend(["--project", project]);
    }
    let made = run(server_command(home, &args), password_of(name) + "\n").await;
    made.expect_code(0);
}

/// A visitor of a server's pages, like a browser without JavaScript.
pub struct Visitor {
    wire: Wire,
    /// The cookies, as a browser sends them.
    pub cookies: String,
}

impl Visitor {
    /// Returns a visitor without a session.
    pub fn anonymous(server: &Server) -> Self {
        Self {
            wire: Wire::new(server.wire.base()),
            cookies: String::new(),
        }
    }

    /// Returns a visitor who has signed in on the sign-in page.
    pub async fn signed_in(server: &Server, name: &str) -> Self {
        let mut visitor = Self::anonymous(server);
        let fields = [("name", name), ("password", &password_of(name))];
        let answer = visitor.fill_in("/sign-in", "/sign-in", &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        visitor
    }

    /// Opens a page.
    pub async fn page(&mut self, path: &str) -> HttpAnswer {
        self.send(Method::GET, path, &[], "").await
    }

    /// Opens a page, and posts fields to an address with the token of the page's form.
    pub async fn fill_in(&mut self, page: &str, to: &str, fields: &[(&str, &str)]) -> HttpAnswer {
        let opened = self.page(page).await;
        let token = token_of(&opened.text);
        let fields = [&[("form_token", token.as_str())], fields].concat();
        self.post(to, &fields).await
    }

    /// Posts exactly these fields to an address.
    pub async fn post(&mut self, to: &str, fields: &[(&str, &str)]) -> HttpAnswer {
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(fields);
        self.send_body(Method::POST, to, &[FORM], body.finish())
            .await
    }

    /// Opens a page, and posts fields and then a file to an address with the token of the page's form.
    pub async fn upload(
        &mut self,
        (page, to): (&str, &str),
        fields: &[(&str, &str)],
        file: (&str, &[u8]),
    ) -> HttpAnswer {
        let opened = self.page(page).await;
        let token = token_of(&opened.text);
        let fields = [&[("form_token", token.as_str())], fields].concat();
        self.post_file(to, &fields, file).await
    }

    /// Posts exactly these fields and then a file to an address.
    pub async fn post_file(
        &mut self,
        to: &str,
        fields: &[(&str, &str)],
        (name, content): (&str, &[u8]),
    ) -> HttpAnswer {
        const BOUNDARY: &str = "between-the-fields";
        let mut body = Vec::new();
        for (field, value) in fields {
            let part = format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{field}\"\r\n\r\n\
                 {value}\r\n"
            );
            body.extend_from_slice(part.as_bytes());
        }
        let part = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: application/octet-stream\r\n\r\n"
        );
        body.extend_from_slice(part.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let headers = [("content-type", kind.as_str())];
        self.send_body(Method::POST, to, &headers, body).await
    }

    /// Opens a stream of events.
    pub async fn events(&self, path: &str) -> EventStream {
        let headers = [("accept", "text/event-stream"), ("cookie", &self.cookies)];
        self.wire.open(Method::GET, path, &headers, "").await
    }

    /// Sends a request with the cookies, and stores the cookies that the answer sets.
    pub async fn send(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> HttpAnswer {
        self.send_body(method, path, headers, body.to_owned()).await
    }

    async fn send_body(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> HttpAnswer {
        let cookies = self.cookies.clone();
        let mut all = vec![HTML];
        if !cookies.is_empty() {
            all.push(("cookie", &cookies));
        }
        all.extend(headers);
        let answer = self.wire.send(method, path, &all, body).await;
        for cookie in answer.headers.get_all("set-cookie") {
            self.store_cookie(cookie.to_str().unwrap());
        }
        answer
    }

    /// Stores a cookie; it replaces one with the same name.
    fn store_cookie(&mut self, set: &str) {
        let pair = set.split(';').next().unwrap_or_default();
        let name = pair.split('=').next().unwrap_or_default();
        let other_cookies = self.cookies.split("; ");
        let other_cookies = other_cookies
            .filter(|known| !known.is_empty() && !known.starts_with(&format!("{name}=")));
        let other_cookies: Vec<&str> = other_cookies.chain([pair]).collect();
        self.cookies = other_cookies.join("; ");
    }
}

/// Returns the token of a page's form; empty if there is none.
pub fn token_of(page: &str) -> String {
    let field = page.split("name=\"form_token\" value=\"").nth(1);
    let token = field.and_then(|rest| rest.split('"').next());
    token.unwrap_or_default().to_owned()
}
