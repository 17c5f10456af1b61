//! Front matter of a Markdown file: `---` YAML or `+++` TOML.

/// The contents of front matter.
#[derive(Default)]
pub(super) struct Front {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// The offset at which the text begins.
    pub(super) end: usize,
    /// The number of lines before it.
    pub(super) lines: u32,
}

/// If it is longer, it is not front matter: the opening line was a horizontal rule.
const MAX_LINES: u32 = 200;

/// Reads a file's front matter; without any, everything is empty.
pub(super) fn read(text: &str) -> Front {
    let mut lines = text.split_inclusive('\n');
    let Some(opening) = lines.next() else {
        return Front::default();
    };
    let fence = opening.trim_end();
    if fence != "---" && fence != "+++" {
        return Front::default();
    }
    let mut front = Front {
        end: opening.len(),
        lines: 1,
        ..Front::default()
    };
    for line in lines {
        front.end += line.len();
        front.lines += 1;
        if line.trim_end() == fence {
            return front;
        }
        if let Some((key, value)) = line.split_once([':', '=']) {
            front.set(key.trim_end(), value);
        }
        if front.lines > MAX_LINES {
            break;
        }
    }
    Front::default()
}

impl Front {
    fn set(&mut self, key: &str, value: &str) {
        let place = match key {
            "title" => &mut self.title,
            "description" => &mut self.description,
            _ => return,
        };
        let value = value.trim();
        let value = value
            .strip_prefix('"')
            .and_then(|it| it.strip_suffix('"'))
            .or_else(|| {
                value
                    .strip_prefix('\'')
                    .and_then(|it| it.strip_suffix('\''))
            })
            .unwrap_or(value);
        // A single quotation mark begins a text of several lines.
        if value.len() > 2 {
            *place = Some(value.replace("\\\"", "\""));
        }
    }
}
