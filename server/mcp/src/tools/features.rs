//! The cached lists of tools and resources.
//!
//! A list is created again when the catalogue was replaced, and when it has expired: tools after five
//! minutes, resources after one.

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
use recall_kit_settings::{IngestSources, ToolProfile};
use recall_kit_shared_types::{RpcError, SCHEMAS_META, ToolName};
use serde::Serialize;
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::{
    Annotations, CallError, Object, ToolDef, calculator, experiences, flag_in, ingest, knowledge,
    libraries, programs, recall, shown,
};

/// How long a list of tools may be cached.
pub(super) const TOOLS_MAX_AGE: Duration = Duration::from_secs(5 * 60);
/// How long a list of resources may be cached.
pub(super) const RESOURCES_MAX_AGE: Duration = Duration::from_secs(60);

/// The tools and resources that one server offers over all transports.
pub struct Features {
    libraries: Arc<Libraries>,
    tools: Cached<ToolList>,
    /// The tools without those for administrators.
    tools_of_others: Cached<ToolList>,
    resources: Cached<Vec<Listed>>,
}

impl Features {
    /// Creates the features of an application, its catalogue and its libraries.
    pub fn new(libraries: Arc<Libraries>) -> Arc<Self> {
        Arc::new(Self {
            libraries,
            tools: Cached::default(),
            tools_of_others: Cached::default(),
            resources: Cached::default(),
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

    /// Returns which of the server's own tools are listed.
    pub fn profile(&self) -> ToolProfile {
        self.app().catalogue.entries().profile
    }

    /// Returns every tool; a caller's scope decides which of them it may use.
    pub fn tools(&self) -> Arc<ToolList> {
        let entries = self.app().catalogue.entries();
        let make = || ToolList::of(&entries, true);
        self.tools.get(&entries, TOOLS_MAX_AGE, make)
    }

    /// Returns the tools that a caller may see: those for administrators only if it is one.
    pub fn tools_for(&self, caller: &Caller) -> Arc<ToolList> {
        let entries = self.app().catalogue.entries();
        if caller.scope == Scope::Admin || entries.ingest == IngestSources::Off {
            return self.tools();
        }
        let make = || ToolList::of(&entries, false);
        self.tools_of_others.get(&entries, TOOLS_MAX_AGE, make)
    }

    /// Returns every resource; folders were listed at most a minute ago.
    pub fn resources(&self) -> Arc<Vec<Listed>> {
        let entries = self.app().catalogue.entries();
        let cached = || {
            self.resources
                .get(&entries, RESOURCES_MAX_AGE, || self.list(&entries))
        };
        let list = cached();
        // The first entry of the knowledge base creates the resource of the graph, and removing the last
        // one removes it. The list then changes at once, not after a minute.
        let has_graph = list.iter().any(|one| one.uri == graph::ADDRESS);
        if has_graph == self.app().knowledge.labels.is_empty() {
            self.refresh_resources();
            self.app().catalogue.announce(Change::Resources);
            return cached();
        }
        list
    }

    /// Lists the resources again and caches the list; returns whether its addresses differ from those of
    /// the previous list.
    pub fn refresh_resources(&self) -> bool {
        let entries = self.app().catalogue.entries();
        let new = self.list(&entries);
        let uris = |list: &[Listed]| list.iter().map(|l| l.uri.clone()).collect::<Vec<_>>();
        let new_uris = uris(&new);
        let old = self.resources.put(&entries, new);
        old.is_some_and(|old| uris(&old) != new_uris)
    }

    /// Lists every resource once, even if folders overlap, and the graph if it is not empty.
    fn list(&self, entries: &Entries) -> Vec<Listed> {
        let mut seen = HashSet::new();
        let listed = entries.resources.iter().flat_map(|r| r.list());
        let graph = (!self.app().knowledge.labels.is_empty()).then(graph_listed);
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

/// The tools of one state of the catalogue.
pub struct ToolList {
    defs: Vec<ToolDef>,
    profile: ToolProfile,
    has_schemas: bool,
    json: Box<RawValue>,
    brief_json: Box<RawValue>,
}

/// A tool as it is listed without the schema of its answer and without icons.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Brief<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: &'a str,
    input_schema: &'a Value,
    annotations: Annotations,
}

impl<'a> From<&'a ToolDef> for Brief<'a> {
    fn from(tool: &'a ToolDef) -> Self {
        Self {
            name: &tool.name,
            title: tool.title.as_deref(),
            description: &tool.description,
            input_schema: &tool.input_schema,
            annotations: tool.annotations,
        }
    }
}

impl ToolList {
    fn of(entries: &Entries, for_admins: bool) -> Self {
        #[derive(Serialize)]
        struct Listing<T> {
            tools: Vec<T>,
        }
        let mut defs = vec![
            recall::tool(),
            experiences::query_tool(),
            experiences::submit_tool(),
            experiences::outcomes::tool(),
        ];
        defs.extend(knowledge::tools());
        defs.extend(libraries::tools());
        defs.push(experiences::episodes::tool());
        if for_admins && entries.ingest != IngestSources::Off {
            defs.push(ingest::tool(entries.ingest));
        }
        if entries.calculator {
            defs.push(calculator::tool());
        }
        defs.extend(entries.programs.iter().map(programs::tool));
        let profile = entries.profile;
        let listed = || defs.iter().filter(|tool| is_listed(profile, tool));
        let tools: Vec<&ToolDef> = listed().collect();
        let json = to_raw_value(&Listing { tools }).expect("definitions are plain data");
        let tools: Vec<Brief<'_>> = listed().map(Brief::from).collect();
        let brief_json = to_raw_value(&Listing { tools }).expect("definitions are plain data");
        Self {
            has_schemas: entries.output_schemas,
            defs,
            profile,
            json,
            brief_json,
        }
    }

    /// Returns all tools that can be called, in the order of `tools/list`.
    pub fn defs(&self) -> &[ToolDef] {
        &self.defs
    }

    /// Returns the tools of `tools/list`, in its order.
    pub fn listed(&self) -> impl Iterator<Item = &ToolDef> {
        let listed = |tool: &&ToolDef| is_listed(self.profile, tool);
        self.defs.iter().filter(listed)
    }

    /// Whether the answer to a call has the schemas of answers and the icons. `is_wanted` says that the call asks for
    /// them.
    pub fn has_schemas(&self, is_wanted: bool) -> bool {
        is_wanted || self.has_schemas
    }

    /// Returns the result of `tools/list`; `is_wanted` as in [`ToolList::has_schemas`].
    pub fn json(&self, is_wanted: bool) -> &RawValue {
        match self.has_schemas(is_wanted) {
            true => &self.json,
            false => &self.brief_json,
        }
    }

    /// Finds a tool by name.
    ///
    /// *Errors*: [`RpcError::ToolNotFound`]; its message names the known tools.
    pub fn find(&self, name: &str) -> Result<&ToolDef, CallError> {
        self.defs
            .iter()
            .find(|tool| tool.name == name)
            .ok_or_else(|| {
                let shown_to_all = self.defs.iter();
                let shown_to_all =
                    shown_to_all.filter(|tool| !tool.for_admins && !is_unlisted(tool));
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

/// Whether a call of `tools/list` asks for the schemas of answers and the icons; `meta` is that of the call.
///
/// *Errors*: [`RpcError::InvalidParams`] if it does with anything but a boolean.
pub fn asks_for_schemas(meta: &Object) -> Result<bool, CallError> {
    flag_in(meta, SCHEMAS_META)
}

/// Whether a profile lists a tool. What the operator added is always listed.
fn is_listed(profile: ToolProfile, tool: &ToolDef) -> bool {
    let is_among = |tools: &[ToolName]| tools.iter().any(|one| one.as_str() == tool.name);
    if is_unlisted(tool) {
        return false;
    }
    match profile {
        ToolProfile::Full => true,
        ToolProfile::Core => is_among(&ToolName::CORE) || !is_among(&ToolName::ALL),
    }
}

/// Whether no list shows a tool.
fn is_unlisted(tool: &ToolDef) -> bool {
    let mut unlisted = ToolName::UNLISTED.iter();
    unlisted.any(|one| one.as_str() == tool.name)
}

/// A list, the catalogue it was created from, and the time of its creation.
struct Snapshot<T> {
    source: Arc<Entries>,
    created: Instant,
    list: Arc<T>,
}

impl<T> Snapshot<T> {
    fn new(source: &Arc<Entries>, list: T) -> Self {
        Self {
            source: Arc::clone(source),
            created: Instant::now(),
            list: Arc::new(list),
        }
    }
}

/// A cache of the newest list.
struct Cached<T>(ArcSwapOption<Snapshot<T>>);

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(ArcSwapOption::empty())
    }
}

impl<T> Cached<T> {
    /// Returns the cached list if it is of this catalogue and not too old; else creates and caches a new
    /// one.
    fn get(&self, source: &Arc<Entries>, max_age: Duration, make: impl FnOnce() -> T) -> Arc<T> {
        let is_fresh = |cached: &Snapshot<T>| {
            Arc::ptr_eq(&cached.source, source) && cached.created.elapsed() < max_age
        };
        if let Some(cached) = self.0.load().as_ref().filter(|cached| is_fresh(cached)) {
            return Arc::clone(&cached.list);
        }
        let new = Snapshot::new(source, make());
        let list = Arc::clone(&new.list);
        self.0.store(Some(Arc::new(new)));
        list
    }

    /// Caches a list; returns the previous one if it was of the same catalogue.
    fn put(&self, source: &Arc<Entries>, list: T) -> Option<Arc<T>> {
        let old = self.0.swap(Some(Arc::new(Snapshot::new(source, list))));
        let old = old.filter(|old| Arc::ptr_eq(&old.source, source));
        old.map(|old| Arc::clone(&old.list))
    }
}
