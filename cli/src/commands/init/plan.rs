//! The plan of `init`: the changes to each file of each agent and of the service, prepared before anything is written.

use std::path::{Path, PathBuf};

use crate::{
    agents::{
        Agent, EditError, Scope,
        call::Call,
        change::{Change, ChangeError},
        hooks::HookFormat,
        piece::Piece,
        places::Places,
        service::Manager,
    },
    diagnostics::Complaint,
    words::Words,
};

/// The options of the setup.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) places: Places,
    pub(super) scope: Scope,
    pub(super) call: Call,
    /// The service that runs this server program, if it is to be set up or removed.
    pub(super) service: Option<(Manager, PathBuf)>,
    pub(super) rules: bool,
    pub(super) hooks: bool,
    pub(super) remove: bool,
    pub(super) force: bool,
}

/// The prepared changes, and why others are not possible.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    pub(super) refused: Vec<Complaint>,
    /// What the user has to do by hand.
    pub(super) notes: Vec<String>,
}

/// The name of the program whose service it is.
pub(super) const SERVICE: &str = "recall-kit-server";

/// The pieces that go into one file.
struct Target {
    owner: &'static str,
    path: PathBuf,
    pieces: Vec<Piece>,
}

impl Setup {
    /// Prepares the changes to every file of every agent.
    pub(super) fn plan(&self, agents: &[Agent]) -> Plan {
        let mut plan = Plan::default();
        let mut targets = Vec::new();
        if let Some((manager, program)) = &self.service {
            let text = manager.text(program);
            let path = manager.file(&self.places);
            add(&mut targets, SERVICE, path, Piece::Service { text });
        }
        for agent in agents.iter().copied() {
            self.plan_server(agent, &mut targets, &mut plan);
            if self.rules || self.remove {
                self.plan_rules(agent, &mut targets, &mut plan);
            }
            if self.hooks || self.remove {
                self.plan_hooks(agent, &mut targets, &mut plan);
            }
        }
        for target in targets {
            let mut pieces = target.pieces;
            let piece = match pieces.len() {
                1 => pieces.remove(0),
                _ => Piece::Several(pieces),
            };
            plan.add(self.change(target.owner, &target.path, &piece));
        }
        plan
    }

    fn plan_server(&self, agent: Agent, targets: &mut Vec<Target>, plan: &mut Plan) {
        let piece = Piece::server(agent, self.call.clone());
        match self.places.servers(agent, self.scope) {
            Some(path) => add(targets, agent.name(), path, piece),
            None => plan.refused.push(Complaint::Failed {
                message: format!("{} has no settings for a project", agent.name()),
                hint: "leave --project out for this agent",
            }),
        }
    }

    fn plan_rules(&self, agent: Agent, targets: &mut Vec<Target>, plan: &mut Plan) {
        match self.places.rules(agent, self.scope) {
            Some(file) => {
                let front_matter = file.front_matter;
                add(
                    targets,
                    agent.name(),
                    file.path,
                    Piece::Rules { front_matter },
                );
            }
            None if self.remove => {}
            None => {
                let rules = Piece::Rules { front_matter: None }.by_hand();
                let words = Words::from_locale().agents;
                let note = format!("{} {}\n{rules}", agent.name(), words.no_rules);
                plan.notes.push(note);
            }
        }
    }

    fn plan_hooks(&self, agent: Agent, targets: &mut Vec<Target>, plan: &mut Plan) {
        let path = self.places.hooks(agent, self.scope);
        let piece = Piece::Hooks {
            format: HookFormat::of(agent),
            program: self.call.in_shell(),
        };
        add(targets, agent.name(), path, piece);
        if agent == Agent::Codex && !self.remove {
            plan.notes
                .push(Words::from_locale().setup.trust_hooks.to_owned());
        }
    }

    fn change(
        &self,
        owner: &'static str,
        path: &Path,
        piece: &Piece,
    ) -> Result<Change, ChangeError> {
        match self.remove {
            true => Change::removing(owner, path, piece),
            false => Change::adding(owner, path, piece, self.force),
        }
    }
}

/// Adds a piece to those of its file. Two agents that read the same file share it.
fn add(targets: &mut Vec<Target>, owner: &'static str, path: PathBuf, piece: Piece) {
    match targets.iter_mut().find(|target| target.path == path) {
        Some(target) if target.pieces.contains(&piece) => {}
        Some(target) => target.pieces.push(piece),
        None => targets.push(Target {
            owner,
            path,
            pieces: vec![piece],
        }),
    }
}

impl Plan {
    fn add(&mut self, change: Result<Change, ChangeError>) {
        match change {
            // A file that does not exist and will not be written is not reported.
            Ok(change) if change.before.is_none() && change.after.is_none() => {}
            Ok(change) => self.changes.push(change),
            Err(error) => self.refused.push(complaint(error)),
        }
    }
}

/// Returns the complaint, with a hint, about a file that cannot be changed.
pub(super) fn complaint(error: ChangeError) -> Complaint {
    let words = Words::from_locale().agents;
    let message = match &error {
        ChangeError::Content {
            cause: EditError::NotOurs,
            ..
        } => error.to_string(),
        ChangeError::Content { by_hand, .. } => format!("{error}\n{}\n{by_hand}", words.by_hand),
        _ => error.to_string(),
    };
    let hint = match error {
        ChangeError::Content {
            cause: EditError::Foreign(_),
            ..
        } => "--force replaces that server; a backup is kept",
        ChangeError::Content {
            cause: EditError::NotOurs,
            ..
        } => "--force replaces the file; a backup is kept",
        ChangeError::Content { .. } => "correct the file, or add the lines above by hand",
        ChangeError::File { .. } => "check the file's permissions",
        ChangeError::Overtaken(_) => "run the command again",
    };
    Complaint::Failed { message, hint }
}
