//! Messages between the server and a reading process: four bytes with the length, then the contents.

use std::io::{self, Read, Write};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Reads a message; `None` if the stream ends before a complete length.
///
/// *Errors*: the stream ends inside the contents, or the message has more than `most` bytes.
pub(super) fn read(from: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut bytes = vec![0; checked(length, most)?];
    from.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Writes a message.
pub(super) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&length_of(bytes)?)?;
    to.write_all(bytes)?;
    to.flush()
}

/// Like [`read`], but the end of the stream is an error.
pub(super) async fn receive(
    from: &mut (impl AsyncRead + Unpin),
    most: usize,
) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).await?;
    let mut bytes = vec![0; checked(length, most)?];
    from.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Like [`write`].
pub(super) async fn send(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    to.write_all(&length_of(bytes)?).await?;
    to.write_all(bytes).await?;
    to.flush().await
}

fn checked(length: [u8; 4], most: usize) -> io::Result<usize> {
    usize::try_from(u32::from_be_bytes(length))
        .ok()
        .filter(|length| *length <= most)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the message is too long"))
}

fn length_of(bytes: &[u8]) -> io::Result<[u8; 4]> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    Ok(length.to_be_bytes())
}
