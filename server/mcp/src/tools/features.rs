//! The lists that clients ask for, made once and kept until something changes.
//!
//! A list is made anew when the catalogue was replaced, at the latest after its time: five minutes for
//! tools, one for resources. Source: seeds server document, "Caching".

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use recall_kit_catalogue::{Change, Entries, resources::Listed};
use recall_kit_core::{
    access::{Caller, api_keys::Scope},
    app::App,
    knowledge::graph,
};
use recall_kit_libraries::Libraries;
use recall_kit_settings::IngestSources;
use recall_kit_shared_types::RpcError;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{
    CallError, ToolDef, calculator, experiences, ingest, knowledge, libraries, programs, shown,
};

/// How long a list of tools may be kept.
pub(super) const TOOLS_MAX_AGE: Duration = Duration::from_secs(5 * 60);
/// How long a list of resources may be kept.
pub(super) const RESOURCES_MAX_AGE: Duration = Duration::from_secs(60);

/// What one server offers to every face.
pub struct Features {
    libraries: Arc<Libraries>,
    tools: Kept<ToolList>,
    /// The same without those for administrators, where there are such.
    tools_of_others: Kept<ToolList>,
    resources: Kept<Vec<Listed>>,
}

impl Features {
    /// Offers what an application, its catalogue and its libraries have.
    pub fn new(libraries: Arc<Libraries>) -> Arc<Self> {
        Arc::new(Self {
            libraries,
            tools: Kept::default(),
            tools_of_others: Kept::default(),
            resources: Kept::default(),
        })
    }

    /// Returns the application.
    pub fn app(&self) -> &Arc<App> {
        self.libraries.app()
    }

    /// Returns the documentation libraries.
    pub fn libraries(&self) -> &Arc<Libraries> {
        &self.libraries
    }

    /// Returns every tool; which of them a caller may use says its scope.
    pub fn tools(&self) -> Arc<ToolList> {
        let entries = self.app().catalogue.entries();
        let make = || ToolList::of(&entries, true);
        self.tools.get(&entries, TOOLS_MAX_AGE, make)
    }

    /// Returns the tools that a caller is shown: those for administrators only to these.
    pub fn tools_for(&self, caller: &Caller) -> Arc<ToolList> {
        let entries = self.app().catalogue.entries();
        if caller.scope == Scope::Admin || entries.ingest == IngestSources::Off {
            return self.tools();
        }
        let make = || ToolList::of(&entries, false);
        self.tools_of_others.get(&entries, TOOLS_MAX_AGE, make)
    }

    /// Returns every resource; files of folders were looked up at most a minute ago.
    pub fn resources(&self) -> Arc<Vec<Listed>> {
        let entries = self.app().catalogue.entries();
        let kept = || {
            self.resources
                .get(&entries, RESOURCES_MAX_AGE, || self.list(&entries))
        };
        let list = kept();
        // The first entry of all brings a resource that nobody need wait a minute for.
        let has_graph = list.iter().any(|one| one.uri == graph::ADDRESS);
        if has_graph == self.app().labels.is_empty() {
            self.refresh_resources();
            self.app().catalogue.announce(Change::Resources);
            return kept();
        }
        list
    }

    /// Looks up the resources anew; returns whether others are there than in the list that was last
    /// given out.
    pub fn refresh_resources(&self) -> bool {
        let entries = self.app().catalogue.entries();
        let new = self.list(&entries);
        let uris = |list: &[Listed]| list.iter().map(|l| l.uri.clone()).collect::<Vec<_>>();
        let new_uris = uris(&new);
        let old = self.resources.put(&entries, new);
        old.is_some_and(|old| uris(&old) != new_uris)
    }

    /// Every resource once, also where folders overlap; the graph, when there is one.
    fn list(&self, entries: &Entries) -> Vec<Listed> {
        let mut seen = HashSet::new();
        let listed = entries.resources.iter().flat_map(|r| r.list());
        let graph = (!self.app().labels.is_empty()).then(graph_listed);
        let listed = listed.chain(graph);
        listed.filter(|one| seen.insert(one.uri.clone())).collect()
    }
}

fn graph_listed() -> Listed {
    Listed {
        uri: graph::ADDRESS.to_owned(),
        name: "Knowledge graph".to_owned(),
        description: Some("Entries and their links, as JSON and as a Mermaid drawing.".to_owned()),
        mime_type: "application/json".to_owned(),
        size: None,
    }
}

/// The tools at one moment.
pub struct ToolList {
    defs: Vec<ToolDef>,
    json: Box<RawValue>,
}

impl ToolList {
    fn of(entries: &Entries, for_admins: bool) -> Self {
        #[derive(Serialize)]
        struct Listing<'a> {
            tools: &'a [ToolDef],
        }
        let mut defs = vec![experiences::query_tool(), experiences::submit_tool()];
        defs.extend(knowledge::tools());
        defs.extend(libraries::tools());
        if for_admins && entries.ingest != IngestSources::Off {
            defs.push(ingest::tool(entries.ingest));
        }
        if entries.calculator {
            defs.push(calculator::tool());
        }
        defs.extend(entries.programs.iter().map(programs::tool));
        let json = to_raw_value(&Listing { tools: &defs }).expect("definitions are plain data");
        Self { defs, json }
    }

    /// Returns the tools in the order of lists.
    pub fn defs(&self) -> &[ToolDef] {
        &self.defs
    }

    /// Returns the result of `tools/list`.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    /// Finds a tool by name.
    ///
    /// *Errors*: [`RpcError::ToolNotFound`], naming the tools there are.
    pub fn find(&self, name: &str) -> Result<&ToolDef, CallError> {
        self.defs
            .iter()
            .find(|tool| tool.name == name)
            .ok_or_else(|| {
                let shown_to_all = self.defs.iter().filter(|tool| !tool.for_admins);
                let known: Vec<&str> = shown_to_all.map(|tool| tool.name.as_str()).collect();
                CallError {
                    cause: RpcError::ToolNotFound,
                    details: format!(
                        "unknown tool `{}`; the tools are {}",
                        shown(name),
                        known.join(", ")
                    ),
                }
            })
    }
}

/// A list, the catalogue it was made from, and when.
struct Made<T> {
    from: Arc<Entries>,
    at: Instant,
    list: Arc<T>,
}

impl<T> Made<T> {
    fn now(from: &Arc<Entries>, list: T) -> Self {
        Self {
            from: Arc::clone(from),
            at: Instant::now(),
            list: Arc::new(list),
        }
    }
}

/// Keeps the newest list.
struct Kept<T>(ArcSwapOption<Made<T>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(ArcSwapOption::empty())
    }
}

impl<T> Kept<T> {
    fn get(&self, from: &Arc<Entries>, max_age: Duration, make: impl FnOnce() -> T) -> Arc<T> {
        let fresh = |made: &Made<T>| Arc::ptr_eq(&made.from, from) && made.at.elapsed() < max_age;
        if let Some(made) = self.0.load().as_ref().filter(|made| fresh(made)) {
            return Arc::clone(&made.list);
        }
        let made = Made::now(from, make());
        let list = Arc::clone(&made.list);
        self.0.store(Some(Arc::new(made)));
        list
    }

    /// Keeps a list that was made elsewhere; returns the one before it, if of the same catalogue.
    fn put(&self, from: &Arc<Entries>, list: T) -> Option<Arc<T>> {
        let old = self.0.swap(Some(Arc::new(Made::now(from, list))));
        let old = old.filter(|made| Arc::ptr_eq(&made.from, from));
        old.map(|made| Arc::clone(&made.list))
    }
}
