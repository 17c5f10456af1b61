//! Reads the domains of hosted services. The build scripts of this crate and of the sanitizer share this file.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosted {
    service: Vec<Service>,
}

/// Domains of one kind of hosted services.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    /// For readers of the file, as are the next two.
    #[serde(rename = "kind")]
    _kind: String,
    domains: Vec<String>,
    source: String,
    checked: Option<String>,
}

/// Reads the domains of hosted services, each once.
pub(crate) fn domains(file: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let hosted: Hosted = parsed(file)?;
    let mut domains = Vec::new();
    for service in hosted.service {
        let first = service.domains.first().map_or("", String::as_str);
        source(first, &service.source, service.checked.as_deref())?;
        domains.extend(service.domains);
    }
    domains.sort_unstable();
    domains.dedup();
    Ok(domains)
}

/// Reads a file of TOML; an error names the file.
pub(crate) fn parsed<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, Box<dyn Error>> {
    let content = fs::read_to_string(file)?;
    toml::from_str(&content).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Returns the page that documents an entry and the month in which the entry was compared with it:
/// both or neither.
pub(crate) fn source(
    id: &str,
    page: &str,
    checked: Option<&str>,
) -> Result<Option<(String, String)>, Box<dyn Error>> {
    match (page, checked) {
        ("none", None) => Ok(None),
        (page, Some(month)) if page.starts_with("https://") && is_month(month) => {
            Ok(Some((page.to_owned(), month.to_owned())))
        }
        _ => Err(format!(
            "{id}: give `source = \"https://…\"` with `checked = \"YYYY-MM\"`, or `source = \"none\"`"
        )
        .into()),
    }
}

/// `2026-11`.
fn is_month(text: &str) -> bool {
    let shape = text
        .bytes()
        .map(|b| if b.is_ascii_digit() { b'0' } else { b });
    shape.eq(*b"0000-00")
}
