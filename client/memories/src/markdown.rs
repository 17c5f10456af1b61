//! Markdown with front matter, divided into sections at its headings. Code fences stay whole: a `#` in one
//! is no heading.

/// Headings of deeper levels do not begin a section.
const DEEPEST: usize = 3;
/// The line before front matter and the one after it.
const FRONT_MATTER: &str = "---";

/// A document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// The fields of its front matter; a list has several values.
    pub(crate) front: Vec<(String, Vec<String>)>,
    /// Its text without front matter.
    pub(crate) text: String,
}

/// A heading with the text up to the next one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The headings above it and its own, the highest first; empty before the first heading.
    pub(crate) headings: Vec<String>,
    /// Its text, without blank lines at both ends; never blank.
    pub(crate) text: String,
}

impl Document {
    /// Reads a document. Front matter that never ends is text.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.replace("\r\n", "\n");
        match divided(&text) {
            Some((front, rest)) => Self {
                front: fields_of(front),
                text: rest.to_owned(),
            },
            None => Self {
                front: Vec::new(),
                text,
            },
        }
    }

    /// Returns the values of a field of the front matter.
    pub(crate) fn values(&self, key: &str) -> &[String] {
        let field = self.front.iter().find(|(name, _)| name == key);
        field.map_or(&[], |(_, values)| values)
    }

    /// Returns the value of a field of the front matter.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.values(key).first().map(String::as_str)
    }

    /// Divides the text. Headings without a text of their own are no sections.
    pub(crate) fn sections(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut headings: Vec<(usize, String)> = Vec::new();
        let mut lines: Vec<&str> = Vec::new();
        let mut fence = Fence::default();
        for line in self.text.lines() {
            let heading = heading_of(line).filter(|_| !fence.is_open());
            fence.read(line);
            let Some((level, heading)) = heading else {
                lines.push(line);
                continue;
            };
            end(&headings, &mut lines, &mut sections);
            headings.retain(|(above, _)| *above < level);
            headings.push((level, heading));
        }
        end(&headings, &mut lines, &mut sections);
        sections
    }
}

/// Adds the section that ends here, unless it is blank.
fn end(headings: &[(usize, String)], lines: &mut Vec<&str>, sections: &mut Vec<Section>) {
    let text = lines.join("\n");
    lines.clear();
    if text.trim().is_empty() {
        return;
    }
    sections.push(Section {
        headings: headings
            .iter()
            .map(|(_, heading)| heading.clone())
            .collect(),
        text: text.trim_matches('\n').trim_end().to_owned(),
    });
}

/// Returns the level and the text of a heading that begins a section.
fn heading_of(line: &str) -> Option<(usize, String)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=DEEPEST).contains(&level) && text.starts_with(' ');
    let text = text.trim().trim_end_matches('#').trim_end();
    (is_heading && !text.is_empty()).then(|| (level, text.to_owned()))
}

/// A code fence that may be open.
#[derive(Default)]
struct Fence {
    /// The mark and the number of marks that opened it.
    open: Option<(char, usize)>,
}

impl Fence {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read(&mut self, line: &str) {
        let line = line.trim_start();
        let Some(mark) = line.chars().next().filter(|c| ['`', '~'].contains(c)) else {
            return;
        };
        let rest = line.trim_start_matches(mark);
        let count = line.len() - rest.len();
        match self.open {
            None if count >= 3 => self.open = Some((mark, count)),
            Some((opened, least)) if mark == opened && count >= least && rest.trim().is_empty() => {
                self.open = None;
            }
            _ => {}
        }
    }
}

/// Returns the front matter, which ends at a line that is exactly `---`, and what follows it.
fn divided(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(FRONT_MATTER)?.strip_prefix('\n')?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let next = at + line.len();
        if line.trim_end() == FRONT_MATTER {
            return Some((rest.get(..at)?, rest.get(next..)?));
        }
        at = next;
    }
    None
}

/// Reads `key: value`, `key: [a, b]`, lists with a dash on each line, and texts of several lines. The fields
/// below another one are named like `metadata.type`.
fn fields_of(front: &str) -> Vec<(String, Vec<String>)> {
    let mut fields: Vec<(String, Vec<String>)> = Vec::new();
    // The fields without a value of their own that the next line may belong to, with their indentation.
    let mut above: Vec<(usize, String)> = Vec::new();
    // The indentation of the field whose text goes on in deeper lines.
    let mut text_of = None;
    for line in front.lines() {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if content.is_empty() {
            continue;
        }
        if let (Some(field), Some((_, values))) = (text_of, fields.last_mut())
            && indent > field
        {
            match values.first_mut() {
                Some(text) => text.push_str(&format!(" {content}")),
                None => values.push(content.to_owned()),
            }
            continue;
        }
        if let Some(item) = content.strip_prefix("- ") {
            if let Some((_, values)) = fields.last_mut() {
                values.push(unquoted(item));
            }
        } else if let Some((key, value)) = content.split_once(':')
            && !content.starts_with('#')
        {
            above.retain(|(outer, _)| *outer < indent);
            let outer = above.iter().map(|(_, key)| key.as_str());
            let path: Vec<&str> = outer.chain([key.trim()]).collect();
            let path = path.join(".");
            let value = value.trim();
            let list = value.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            let is_text = ["|", ">", "|-", ">-", "|+", ">+"].contains(&value);
            let values: Vec<String> = match list {
                Some(list) => list.split(',').map(unquoted).collect(),
                None if is_text => Vec::new(),
                None => vec![unquoted(value)],
            };
            let values: Vec<String> = values.into_iter().filter(|it| !it.is_empty()).collect();
            text_of = (is_text || list.is_none() && !value.is_empty()).then_some(indent);
            if value.is_empty() {
                above.push((indent, key.trim().to_owned()));
            }
            fields.push((path, values));
        }
    }
    fields
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).trim().to_owned()
}
