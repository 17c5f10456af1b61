//! `init --service`: starts and stops the user's service through the system's service manager.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use recall_kit_client::{ClientConfig, LOCAL_SERVER_URL, RecallKitClient};
use tokio::process::Command;

use crate::{
    agents::{
        call::{lasting_path, runner_of},
        places::Places,
        search_path::{programs_outside, working_project},
        service::{Manager, UNIT_NAME},
    },
    diagnostics::Complaint,
    terminal::printer::{GREEN, Printer, YELLOW, styled},
    words::{Words, filled},
};

/// How long a command of the service manager may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often and how far apart the started server is asked whether it is ready.
const ATTEMPTS: (u32, Duration) = (20, Duration::from_millis(250));
/// The address on which a server without settings listens.
const ADDRESS: &str = "http://127.0.0.1:8090/";
const PROGRAM: &str = "recall-kit-server";

/// Returns the service of this platform and the server program that it runs.
pub(super) fn of_platform(remove: bool) -> anyhow::Result<(Manager, PathBuf)> {
    let manager = Manager::of_platform().ok_or_else(|| Complaint::Usage {
        message: "--service needs systemd (Linux) or launchd (macOS)".to_owned(),
        hint: "start `recall-kit-server` with the tools of this system",
    })?;
    if remove {
        // What is removed need not be there.
        return Ok((manager, PathBuf::from(PROGRAM)));
    }
    let program = client_of(LOCAL_SERVER_URL)?.server_program()?;
    let search_path = env::var_os("PATH").unwrap_or_default();
    let project = working_project();
    let program = lasting_path(program, PROGRAM);
    let program = outside_caches(program, &search_path, project.as_deref())?;
    Ok((manager, std::path::absolute(program)?))
}

/// Returns the program, or another one on the `PATH` if a package runner has it in its cache, which may be emptied at any time.
/// A program of `project`, the working directory, does not replace it.
///
/// *Errors*: [`Complaint::Failed`] if there is no other one.
fn outside_caches(
    program: PathBuf,
    search_path: &OsStr,
    project: Option<&Path>,
) -> Result<PathBuf, Complaint> {
    let cached = |path: &Path| {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        runner_of(path).or_else(|| runner_of(&real))
    };
    let Some(runner) = cached(&program) else {
        return Ok(program);
    };
    let file_name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let others = programs_outside(search_path, project, &[file_name]);
    let other = others.into_iter().find(|path| cached(path).is_none());
    let name = runner.first().copied().unwrap_or_default();
    other.ok_or_else(|| Complaint::Failed {
        message: format!(
            "{PROGRAM} lies in the cache of {name}, which may be emptied at any time: a service would stop working"
        ),
        hint: match name {
            "uvx" => "install it with `uv tool install recall-kit`, then run `recall-kit-client init --service`",
            _ => "install it with `npm install --global @recall-kit/cli`, then run `recall-kit-client init --service`",
        },
    })
}

/// Starts the service, or says how to start it.
pub(super) async fn start(
    manager: Manager,
    places: &Places,
    printer: &Printer,
) -> anyhow::Result<()> {
    let words = Words::from_locale().setup;
    let commands = manager.starting(&manager.file(places));
    if let Err(reason) = run_all(&commands).await {
        let by_hand: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
        let message = filled(words.no_manager, &[&reason, &by_hand.join(" && ")]);
        printer.urgent(&format!("{} {message}", styled(YELLOW, "!")));
        return Ok(());
    }
    let client = client_of(ADDRESS)?;
    for _ in 0..ATTEMPTS.0 {
        if let Ok(Some(health)) = client.health("/readyz").await
            && health.status == 200
        {
            let message = filled(words.service_runs, &[&UNIT_NAME, &ADDRESS]);
            printer.info(&format!("{} {message}", styled(GREEN, "✓")));
            return Ok(());
        }
        tokio::time::sleep(ATTEMPTS.1).await;
    }
    let message = filled(words.service_silent, &[&UNIT_NAME, &manager.log()]);
    printer.urgent(&format!("{} {message}", styled(YELLOW, "!")));
    Ok(())
}

/// Stops the service before its file is removed. Without a service manager nothing was started.
pub(super) async fn stop(manager: Manager, places: &Places, printer: &Printer) {
    let file = manager.file(places);
    if file.exists() && run_all(&manager.stopping(&file)).await.is_ok() {
        let message = filled(Words::from_locale().setup.service_stopped, &[&UNIT_NAME]);
        printer.info(&format!("{} {message}", styled(GREEN, "✓")));
    }
}

fn client_of(url: &str) -> anyhow::Result<RecallKitClient> {
    let mut config = ClientConfig::default();
    config.server.url = url.to_owned();
    Ok(RecallKitClient::new(config)?)
}

/// Runs commands until one fails, and returns why it failed.
async fn run_all(commands: &[Vec<String>]) -> Result<(), String> {
    for words in commands {
        run(words).await?;
    }
    Ok(())
}

async fn run(words: &[String]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(());
    };
    let running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = match tokio::time::timeout(TIMEOUT, running).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(format!("{program}: {error}")),
        Err(_) => return Err(format!("{program} does not answer")),
    };
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let line = message.lines().next().unwrap_or_default().trim();
    Err(match line.is_empty() {
        true => format!("{program}: {}", output.status),
        false => line.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    //! A service runs a program that stays.

    use super::*;

    #[test]
    fn a_service_does_not_run_a_program_in_a_cache() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let file = |folder: &str| {
            let folder = home.path().join(folder);
            fs::create_dir_all(&folder).expect("the folder is writable");
            let file = folder.join(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
            fs::write(&file, "").expect("the folder is writable");
            #[cfg(unix)]
            {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                fs::set_permissions(&file, mode).expect("it is ours");
            }
            file
        };
        let cached = file(".npm/_npx/1a2b/node_modules/@recall-kit/cli-linux-x64/bin");
        let of_uv = file(".cache/uv/archive-v0/x1/bin");
        let stays = file("bin");
        let path_of = |programs: &[&Path]| {
            let folders = programs.iter().filter_map(|program| program.parent());
            env::join_paths(folders).expect("no folder has a colon in its name")
        };
        let only_cached = path_of(&[&cached, &of_uv]);
        let project = home.path().join("shop");
        let of_project = file("shop/tools");
        let of_package = file("shop/node_modules/.bin");
        let foreign = path_of(&[&of_package, &of_project]);
        let all = path_of(&[&cached, &of_package, &of_project, &stays]);
        let check = |program: &Path, search_path: &OsStr| {
            let found = outside_caches(program.to_owned(), search_path, Some(&project));
            found.map_err(|error| error.to_string())
        };
        assert_eq!(check(&stays, &only_cached), Ok(stays.clone()));
        assert_eq!(check(&cached, &all), Ok(stays.clone()));
        let refused = check(&cached, &only_cached).expect_err("no program stays");
        assert!(refused.contains("in the cache of npx"), "{refused}");
        check(&cached, &foreign).expect_err("a program of the project does not count");
        let refused = check(&of_uv, &only_cached).expect_err("no program stays");
        assert!(refused.contains("in the cache of uvx"), "{refused}");
    }
}
