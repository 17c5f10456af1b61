//! The RecallKit server: shared memory for AI coding agents.
//!
//! The program wires the crates together: it opens the application (`core`), serves its tools (`mcp`) and
//! pages (`web`), and runs the background tasks. A call passes from `mcp` to `core` to `search`, `embed`
//! and `store`; Cargo enforces this direction.

pub mod doctor;
pub mod error;
mod pages;
pub mod probe;
pub mod reload;

use std::sync::Arc;

use recall_kit_core::{app::App, background::BackgroundTasks};
use recall_kit_libraries::Libraries;
use recall_kit_mcp::{
    tools::{Features, catalogue::watch},
    transports,
};
use recall_kit_settings::Settings;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{error::StartError, pages::WebPages};

/// Serves every HTTP endpoint on a listener until `stop` is cancelled; then finishes running requests,
/// stores counts and closes the database.
///
/// *Errors*: [`StartError`], whose message is for the person who started the program.
pub async fn serve(
    settings: Settings,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), StartError> {
    let app = App::open(settings).await?;
    serve_app(app, listener, stop).await
}

/// Serves an opened application like [`serve`].
pub async fn serve_app(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), StartError> {
    let libraries = Libraries::new(app);
    let features = Features::new(Arc::clone(&libraries));
    let tasks = start_tasks(&features, &stop);
    let pages = Arc::new(WebPages::new(&libraries));
    let served = transports::serve_http(features, pages, listener, stop).await;
    tasks.close(libraries.app()).await;
    Ok(served?)
}

/// Serves one peer on standard input and output until its input ends or `stop` is cancelled.
///
/// *Errors*: as [`serve`].
pub async fn serve_stdio(app: Arc<App>, stop: CancellationToken) -> Result<(), StartError> {
    let libraries = Libraries::new(app);
    let features = Features::new(Arc::clone(&libraries));
    let tasks = start_tasks(&features, &stop);
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let served = transports::stdio::serve(features, input, output, stop).await;
    tasks.close(libraries.app()).await;
    Ok(served?)
}

/// Starts what runs besides the calls, until `stop` is cancelled: the tasks of the application and of the
/// libraries, and the watcher that tells sessions about resources that changed.
fn start_tasks(features: &Arc<Features>, stop: &CancellationToken) -> BackgroundTasks {
    let mut tasks = BackgroundTasks::spawn(features.app(), stop);
    tasks.add(features.libraries().spawn_housekeeping(stop));
    let (watching, stop) = (Arc::clone(features), stop.clone());
    tasks.add(tokio::spawn(async move {
        stop.run_until_cancelled(watch::resources(watching)).await;
    }));
    tasks
}
