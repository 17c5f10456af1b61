//! The `recall-kit-server` program.

mod args;
mod commands;
mod database_args;

use std::{process::ExitCode, sync::Arc};

use anyhow::Context as _;
use recall_kit_core::{access::people, app::App, error::OpenError, vectors};
use recall_kit_documents::sandbox;
use recall_kit_mcp::{error::ServeError, transports};
use recall_kit_server::{doctor, error::StartError, probe, reload, serve_stdio};
use recall_kit_settings::{Transport, private_files};
use recall_kit_telemetry::{self as telemetry, chain};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::args::{Cli, Command, ReadDocumentsArgs, ServeArgs, manual};

/// Chosen since a request makes many small allocations, which are freed on other threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::from_command_line();
    private_files::create_privately();
    // The memory limit of this command is too small for a runtime with its threads.
    if let Some(Command::ReadDocuments(flags)) = &cli.command {
        return read_documents(flags);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            return report(&anyhow::Error::new(error).context("cannot start the runtime"));
        }
    };
    let finished = runtime.block_on(run(cli));
    // A blocking read of standard input cannot be cancelled, so the shutdown must not wait for it.
    runtime.shutdown_background();
    match finished {
        Ok(code) => code,
        Err(error) => report(&error),
    }
}

fn read_documents(flags: &ReadDocumentsArgs) -> ExitCode {
    match sandbox::serve(flags.limits()) {
        Ok(()) => ExitCode::SUCCESS,
        // The server reads the reason from standard error.
        Err(error) => report(&error.into()),
    }
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    // Sets the process-wide provider for TLS; it fails only if one is set already.
    drop(rustls::crypto::ring::default_provider().install_default());
    if cli.list {
        commands::print(args::help::flat_list().trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    match cli.command.unwrap_or(Command::Serve(cli.serve)) {
        Command::Serve(flags) => start(&flags).await,
        Command::McpServer(flags) => start(&flags.or_stdio()).await,
        Command::Reembed(flags) => reembed(&flags).await,
        Command::Doctor(flags) => Ok(doctor::run(flags.serve.load(), flags.repair).await),
        Command::Export(flags) => commands::export::run(&flags, &stop_on_signal()?).await,
        Command::Import(flags) => commands::import::run(&flags, &stop_on_signal()?).await,
        Command::Backup(flags) => commands::backup::backup(&flags, &stop_on_signal()?).await,
        Command::Restore(flags) => {
            // The first signal is ignored, since it would leave the database half restored; the second ends
            // the program.
            let _ignored = stop_on_signal()?;
            commands::backup::restore(&flags).await
        }
        Command::Index(command) => commands::index::run(&command).await,
        Command::Migrate(args) => commands::migrate::run(&args).await,
        Command::MigrateStore(flags) => {
            commands::migrate_store::run(&flags, &stop_on_signal()?).await
        }
        Command::Ingest(flags) => commands::ingest::run(&flags, &stop_on_signal()?).await,
        Command::Libraries(command) => commands::libraries::run(&command, &stop_on_signal()?).await,
        Command::Keys(command) => commands::keys::run(&command).await,
        Command::Users(command) => commands::users::run(&command).await,
        Command::Entries(command) => commands::entries::run(&command).await,
        Command::Records(command) => commands::records::run(&command).await,
        Command::Generalize(flags) => commands::entries::generalize(&flags).await,
        Command::Health(flags) => health(&flags).await,
        Command::Man(args) => manual::man(&args).map(|()| ExitCode::SUCCESS),
        Command::Completions(args) => manual::completions(&args).map(|()| ExitCode::SUCCESS),
        Command::ReadDocuments(flags) => Ok(read_documents(&flags)),
    }
}

async fn start(flags: &ServeArgs) -> anyhow::Result<ExitCode> {
    let settings = flags.load()?;
    let telemetry = telemetry::start(&settings)?;
    let stop = stop_on_signal()?;
    let (transport, address) = (settings.transport, settings.address());
    transports::check_tls(&settings.tls).map_err(ServeError::Tls)?;
    let scheme = settings.tls.scheme();
    let Some(app) = stop.run_until_cancelled(App::open(settings)).await else {
        return Ok(ExitCode::SUCCESS);
    };
    let app = app?;
    if let Some(source) = flags.source() {
        tokio::spawn(reload::watch(Arc::clone(&app), source, telemetry.level()));
    }
    if transport == Transport::Stdio {
        serve_stdio(app, stop).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let listener = TcpListener::bind(address)
        .await
        .map_err(|source| StartError::Listen { address, source })?;
    let bound = listener.local_addr().context("cannot find out the port")?;
    let invitation = people::invite(&app.access).await?;
    #[expect(
        clippy::print_stderr,
        reason = "the link for a person, and the line that programs wait for"
    )]
    {
        if let Some(token) = invitation {
            let token = token.expose();
            eprintln!("set up the web pages: {scheme}://{bound}/set-up/{token}");
        }
        eprintln!("listening on {scheme}://{bound}");
    }
    recall_kit_server::serve_app(app, listener, stop).await?;
    Ok(ExitCode::SUCCESS)
}

async fn reembed(flags: &ServeArgs) -> anyhow::Result<ExitCode> {
    let settings = flags.load()?;
    let _telemetry = telemetry::start(&settings)?;
    let embedder = vectors::embedder(&settings.embeddings)
        .context("there is no model, since embeddings are off")?;
    let store = recall_kit_store::open(&settings.store_options()?).await?;
    let embedding = vectors::reembed(store.as_ref(), embedder.as_ref(), |done| {
        tracing::info!(records = done, "embedded");
    });
    let count = embedding
        .await
        .context("not every vector could be replaced")?;
    store.close().await;
    #[expect(clippy::print_stdout, reason = "the command's answer")]
    {
        println!("{count} records now have vectors of {}", embedder.model());
    }
    Ok(ExitCode::SUCCESS)
}

async fn health(flags: &ServeArgs) -> anyhow::Result<ExitCode> {
    let settings = flags.load()?;
    let address = probe::check_ready(&settings).await?;
    let scheme = settings.tls.scheme();
    #[expect(clippy::print_stdout, reason = "the command's answer")]
    {
        println!("ready: {scheme}://{address}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a token that the first SIGTERM or Ctrl-C cancels; the second ends the program at once.
fn stop_on_signal() -> anyhow::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let (cancelled, mut signals) = (
        stop.clone(),
        Signals::new().context("cannot listen for signals")?,
    );
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping; send the signal again to stop at once");
        cancelled.cancel();
        signals.next().await;
        std::process::exit(130);
    });
    Ok(stop)
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        tokio::signal::ctrl_c().await.ok();
    }
}

/// Prints an error with its causes.
fn report(error: &anyhow::Error) -> ExitCode {
    #[expect(
        clippy::print_stderr,
        reason = "the error is for the person who started the program"
    )]
    {
        eprintln!("error: {}", chain(error.as_ref()));
        if let Some(hint) = hint(error) {
            eprintln!("hint: {hint}");
        }
    }
    ExitCode::FAILURE
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    if let Some(StartError::Listen { .. }) = error.downcast_ref() {
        return Some("another program may use the port; use --port, or --port 0 for a free one");
    }
    match error.downcast_ref::<OpenError>()? {
        OpenError::Open { .. } | OpenError::Store(_) | OpenError::Index(_) | OpenError::Fill(_) => {
            Some(
                "`recall-kit-server doctor` checks settings, database and index, and says what to do",
            )
        }
        _ => None,
    }
}
