//! Standard input and output: plain JSON-RPC lines until one negotiates MCP, then rmcp's stream.
//!
//! Plain JSON-RPC answers lines that are not JSON in either mode, since rmcp would drop them silently.
//! Nothing else is written to standard output; logs go to standard error.

use std::{io, sync::Arc};

use axum::{body::Bytes, http::Extensions};
use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::access::Caller;
use rmcp::{ServiceExt as _, service::ServerInitializeError};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
    DuplexStream,
};
use tokio_util::sync::CancellationToken;

use super::{json_rpc::JsonRpc, streamable_http::opens_mcp};
use crate::{
    error::ServeError,
    tools::{Features, handler},
};

/// The size of the buffers between the streams and rmcp, in bytes; a writer waits when one is full.
const PIPE_BYTES: usize = 64 * 1024;

/// Serves one peer until its input ends or `stop` is cancelled; a running call is finished first.
///
/// *Errors*: [`ServeError::Serve`] when the streams break, [`ServeError::Protocol`] when MCP fails
/// to start.
pub async fn serve<R, W>(
    features: Arc<Features>,
    input: R,
    mut output: W,
    stop: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let mut lines = Lines {
        features: Arc::clone(&features),
        input: BufReader::new(input),
    };
    let plain = JsonRpc::new(Arc::clone(&features));
    loop {
        let Some(line) = stop.run_until_cancelled(lines.next()).await else {
            return Ok(());
        };
        let Some(line) = line.map_err(ServeError::Serve)? else {
            return Ok(());
        };
        if opens_mcp(&line) {
            return serve_mcp(
                Peer {
                    features,
                    plain,
                    lines,
                    output,
                },
                line,
                stop,
            )
            .await;
        }
        if let Some(answer) = plain.call_line(Bytes::from(line), local()).await {
            write_line(&mut output, &answer)
                .await
                .map_err(ServeError::Serve)?;
        }
    }
}

/// The state of a peer that negotiated MCP.
struct Peer<R, W> {
    features: Arc<Features>,
    plain: JsonRpc,
    lines: Lines<R>,
    output: W,
}

/// Passes the input to rmcp, line by line, starting with the line that opened MCP.
async fn serve_mcp<R, W>(
    peer: Peer<R, W>,
    first: Vec<u8>,
    stop: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let Peer {
        features,
        plain,
        lines,
        output,
    } = peer;
    let (to_mcp, mcp_input) = tokio::io::duplex(PIPE_BYTES);
    let (mcp_output, from_mcp) = tokio::io::duplex(PIPE_BYTES);
    let (answers, refusals) = tokio::sync::mpsc::channel(16);
    let writing = tokio::spawn(write_answers(from_mcp, refusals, output));
    let reading = tokio::spawn(async move {
        let mut feed = Feed {
            lines,
            to_mcp,
            plain,
            answers,
        };
        feed.run(first).await
    });
    let served = serve_handler(features, mcp_input, mcp_output, stop).await;
    // The peer may keep its end open, so reading is aborted; pending answers are still written.
    reading.abort();
    if let Ok(written) = writing.await {
        written.map_err(ServeError::Serve)?;
    }
    served.map_err(ServeError::Protocol)
}

/// Serves MCP over pipes until they are closed or `stop` is cancelled. Boxed, so that rmcp is compiled in this
/// crate instead of in every program.
///
/// *Errors*: rmcp's message.
fn serve_handler(
    features: Arc<Features>,
    input: DuplexStream,
    output: DuplexStream,
    stop: CancellationToken,
) -> BoxFuture<'static, Result<(), String>> {
    async move {
        let handler = handler::factory(features, Caller::local())();
        match handler.serve_with_ct((input, output), stop).await {
            Ok(running) => running
                .waiting()
                .await
                .map(drop)
                .map_err(|error| error.to_string()),
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        }
    }
    .boxed()
}

/// Returns the extensions of a local caller: whoever writes to the program's standard input started it.
fn local() -> Extensions {
    let mut extensions = Extensions::new();
    extensions.insert(Caller::local());
    extensions
}

/// Lines on their way to rmcp.
struct Feed<R> {
    lines: Lines<R>,
    to_mcp: DuplexStream,
    plain: JsonRpc,
    answers: tokio::sync::mpsc::Sender<Bytes>,
}

impl<R: AsyncRead + Unpin> Feed<R> {
    /// Passes JSON lines to rmcp and lets plain JSON-RPC answer the others, until the input ends.
    async fn run(&mut self, first: Vec<u8>) -> io::Result<()> {
        let mut next = Some(first);
        while let Some(line) = next {
            if serde_json::from_slice::<serde_json::Value>(&line).is_ok() {
                write_line(&mut self.to_mcp, line.trim_ascii_end()).await?;
            } else if let Some(answer) = self.plain.call_line(Bytes::from(line), local()).await {
                self.answers.send(answer).await.ok();
            }
            next = self.lines.next().await?;
        }
        Ok(())
    }
}

/// Writes rmcp's lines and the refusals, one whole line at a time, until rmcp has ended and no more
/// refusals can come.
async fn write_answers<W: AsyncWrite + Unpin>(
    from_mcp: impl AsyncRead + Unpin,
    mut refusals: tokio::sync::mpsc::Receiver<Bytes>,
    mut output: W,
) -> io::Result<()> {
    let mut from_mcp = BufReader::new(from_mcp).split(b'\n');
    loop {
        tokio::select! {
            line = from_mcp.next_segment() => match line? {
                Some(line) => write_line(&mut output, &line).await?,
                None => break,
            },
            Some(refusal) = refusals.recv() => write_line(&mut output, &refusal).await?,
        }
    }
    while let Some(refusal) = refusals.recv().await {
        write_line(&mut output, &refusal).await?;
    }
    Ok(())
}

async fn write_line<W: AsyncWrite + Unpin>(output: &mut W, line: &[u8]) -> io::Result<()> {
    output.write_all(line).await?;
    output.write_all(b"\n").await?;
    output.flush().await
}

/// Lines of bounded length.
struct Lines<R> {
    input: BufReader<R>,
    features: Arc<Features>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads the next line that is not blank; `None` at the end. A line longer than the limit is cut,
    /// which makes it invalid JSON, and the rest of it is skipped.
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let mut line = Vec::new();
            let limit = u64::from(self.features.app().admission.limits().body_bytes);
            let mut bounded = (&mut self.input).take(limit);
            if bounded.read_until(b'\n', &mut line).await? == 0 {
                return Ok(None);
            }
            if line.len() as u64 == limit && line.last() != Some(&b'\n') {
                self.skip().await?;
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(line));
            }
        }
    }

    /// Skips the rest of a line.
    async fn skip(&mut self) -> io::Result<()> {
        loop {
            let read = self.input.fill_buf().await?;
            let (length, done) = match read.iter().position(|byte| *byte == b'\n') {
                Some(index) => (index + 1, true),
                None => (read.len(), read.is_empty()),
            };
            self.input.consume(length);
            if done {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
