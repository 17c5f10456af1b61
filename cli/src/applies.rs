//! Where an experience is said to apply: what a person or an agent writes, and what is proposed to a person.

use std::{env, path::Path, time::Duration};

use recall_kit_client::{
    Claims, EnvironmentMode, Installed, InvalidLine, RecallKitClient, SanitizedDraft,
};
use recall_kit_environment::{Disclosure, Finder, Held};
use tokio::task::spawn_blocking;

/// How long a proposal may take. It waits for a person anyway, but hostile lock files must not keep one from sharing.
const MAX_WAIT: Duration = Duration::from_secs(3);
/// Says that an experience depends on no version.
const NONE: &str = "none";

/// Reads lines such as `npm react <19; node 20`; `none` is an empty list, a blank text says nothing.
pub(crate) fn read(text: &str) -> Result<Option<Claims>, InvalidLine> {
    let text = text.trim();
    match text.eq_ignore_ascii_case(NONE) {
        true => Ok(Some(Claims::default())),
        false => text
            .parse()
            .map(|claims| Some(claims).filter(|_| !text.is_empty())),
    }
}

/// Reads what a person left of lines; the empty list if there were some and none is left.
pub(crate) fn read_edited(
    text: &str,
    before: Option<&Claims>,
) -> Result<Option<Claims>, InvalidLine> {
    let edited = read(text)?;
    Ok(edited.or_else(|| before.map(|_| Claims::default())))
}

/// Proposes where a draft applies, unless that is stated: as its texts say, and with the versions of public packages
/// that they name and that are installed in the working directory's project. Packages that are private there are not
/// proposed.
pub(crate) async fn proposed(client: &RecallKitClient, draft: SanitizedDraft) -> SanitizedDraft {
    let request = draft.request();
    let mut texts = vec![
        request.title.clone(),
        request.problem_description.clone(),
        request.solution.clone(),
    ];
    texts.extend(request.root_cause.clone());
    texts.extend(request.context.clone());
    texts.extend(request.keywords.clone().map(|words| words.join("\n")));
    let is_relevant = client.config().environment == EnvironmentMode::Relevant;
    let finding = spawn_blocking(move || {
        let Ok(folder) = env::current_dir() else {
            return Installed::default();
        };
        installed(&folder, &texts, is_relevant)
    });
    match tokio::time::timeout(MAX_WAIT, finding).await {
        Ok(Ok(installed)) => draft.propose(installed),
        // It is not known what is private.
        _ => draft,
    }
}

fn installed(folder: &Path, texts: &[String], is_relevant: bool) -> Installed {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let project = Finder::of_user().find_for(folder, &texts);
    let Disclosure {
        environment,
        private,
        ..
    } = project.disclosed(&texts);
    let private = private.iter().filter_map(|(package, held)| {
        let name = package.package_name()?;
        // Everybody knows the name, and nothing says that it is a private one.
        let is_public = matches!(held, Held::Settings | Held::Unknown) && name.is_popular();
        (!is_public).then(|| name.to_string())
    });
    Installed {
        private: private.collect(),
        environment: match is_relevant {
            true => environment,
            false => Default::default(),
        },
    }
}
