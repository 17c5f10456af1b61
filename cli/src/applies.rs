//! Where an experience is said to apply: what a person or an agent writes, and what is proposed to a person.

use std::{collections::HashSet, env, path::Path, time::Duration};

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
            .map(|claims: Claims| Some(claims).filter(|claims| !claims.is_empty())),
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
/// that they name and that are installed in the working directory's project. A package that only the texts name is
/// proposed if it is popular or the project has it and it is public there.
pub(crate) async fn proposed(client: &RecallKitClient, draft: SanitizedDraft) -> SanitizedDraft {
    match draft.is_stated() {
        true => draft,
        false => {
            let installed = installed(client, &draft).await;
            draft.propose(installed)
        }
    }
}

/// Returns what is installed in the working directory's project, for the texts of a draft. If that is not known, nothing
/// counts as public.
pub(crate) async fn installed(client: &RecallKitClient, draft: &SanitizedDraft) -> Installed {
    let texts: Vec<String> = draft.texts().into_iter().map(str::to_owned).collect();
    let is_relevant = client.config().environment == EnvironmentMode::Relevant;
    let finding = spawn_blocking(move || {
        let folder = env::current_dir().ok()?;
        Some(installed_in(
            &Finder::of_user(),
            &folder,
            &texts,
            is_relevant,
        ))
    });
    let found = tokio::time::timeout(MAX_WAIT, finding).await;
    found
        .ok()
        .and_then(Result::ok)
        .flatten()
        .unwrap_or_default()
}

fn installed_in(finder: &Finder, folder: &Path, texts: &[String], is_relevant: bool) -> Installed {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let project = finder.find_for(folder, &texts);
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
    let public = project.packages.iter().filter(|known| known.held.is_none());
    let public: HashSet<String> = public.filter_map(|it| it.package.purl()).collect();
    Installed {
        private: private.collect(),
        public: public.into_iter().collect(),
        environment: match is_relevant {
            true => environment,
            false => Default::default(),
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn none_is_an_empty_list_and_a_blank_text_says_nothing() {
        let lines = |text: &str| read(text).map(|claims| claims.as_ref().map(Claims::to_lines));
        for text in ["none", " None\n", "NONE"] {
            assert_eq!(lines(text), Ok(Some(Vec::new())), "{text}");
        }
        for text in ["", " \n", "; ;"] {
            assert_eq!(lines(text), Ok(None), "{text}");
        }
        let two = ["npm react <19", "node 20"].map(str::to_owned).to_vec();
        assert_eq!(lines("npm react <19; node 20"), Ok(Some(two)));
        // Beside other lines it is a name like any other.
        assert_eq!(read("npm react <19; none").unwrap_err().line, "none");
    }

    #[test]
    fn only_lines_that_were_there_can_be_removed() {
        let before: Claims = "npm react <19".parse().unwrap();
        assert_eq!(read_edited("", Some(&before)), Ok(Some(Claims::default())));
        assert_eq!(read_edited("", None), Ok(None));
        assert_eq!(read_edited("none", None), Ok(Some(Claims::default())));
        assert_eq!(read_edited("npm react <19", None), Ok(Some(before)));
        assert!(read_edited("npm react >2 <1", None).is_err());
    }

    /// Returns what is installed in a project with public and private packages.
    fn installed_with(npmrc: &str, is_relevant: bool) -> Installed {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let of_registry = |name: &str| {
            let address = format!("https://registry.npmjs.org/{name}/-/{name}-1.2.3.tgz");
            json!({"version": "1.2.3", "resolved": address})
        };
        let lock = json!({"lockfileVersion": 3, "packages": {
            "node_modules/react": of_registry("react"),
            "node_modules/quasar-public": of_registry("quasar-public"),
            "node_modules/quasar-ledger": {"version": "2.0.0", "resolved": "https://npm.acme.test/l.tgz"},
        }});
        write("package-lock.json", &lock.to_string());
        write(".npmrc", npmrc);
        let finder = Finder::new(None, folder.path().join("system"), |_| None);
        let text = "react, quasar-public@1 and quasar-ledger@2 fail";
        installed_in(&finder, folder.path(), &[text.to_owned()], is_relevant)
    }

    #[test]
    fn private_packages_are_named_as_private_and_others_with_their_versions() {
        for is_relevant in [true, false] {
            let installed = installed_with("", is_relevant);
            assert_eq!(installed.private, ["pkg:npm/quasar-ledger"]);
            let mut public = installed.public;
            public.sort();
            assert_eq!(public, ["pkg:npm/quasar-public", "pkg:npm/react"]);
            let packages = installed.environment.packages.len();
            assert_eq!(packages, if is_relevant { 2 } else { 0 });
        }
        // With another registry nothing is certainly public; only of a popular name nobody learns anything.
        let mut installed = installed_with("registry=https://npm.acme.test/\n", true);
        installed.private.sort();
        let private = ["pkg:npm/quasar-ledger", "pkg:npm/quasar-public"];
        assert_eq!(installed.private, private);
        assert!(installed.public.is_empty(), "{:?}", installed.public);
        assert!(installed.environment.packages.is_empty());
    }
}
