//! Loads a PDF and limits what its streams expand to, before anything interprets them.
//!
//! The filters are those that `lopdf` supports, in any order and repeated: Flate, LZW, ASCII 85. Object streams
//! and cross-reference streams are decompressed when a file is loaded, all others when a page uses them. Images
//! are dropped, because the interpreter would read them as text. `lopdf` decompresses the object streams of an
//! encrypted file without this check; for these only the sandbox's limits hold.

use std::{
    cell::Cell,
    io::{self, Write},
};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use pdf_extract::{Dictionary, Document as Pdf, LoadOptions, Object, ObjectId, Stream};
use weezl::{BitOrder, decode::Decoder};

const MIB: usize = 1024 * 1024;
/// The most bytes that one stream may expand to.
const MAX_STREAM_BYTES: usize = 64 * MIB;
/// The most bytes that all streams of a file may expand to.
const MAX_FILE_BYTES: usize = 256 * MIB;
/// The largest ratio by which a stream may expand beyond [`RATIO_FROM`].
const MAX_RATIO: usize = 200;
/// Up to this size, streams may expand by any ratio.
const RATIO_FROM: usize = 4 * MIB;
/// In how many bytes from `XRef` on the word `stream` is searched for.
const DICTIONARY_BYTES: usize = 1024;

thread_local! {
    /// The bytes that the remaining streams may expand to, for the file that this thread loads.
    static LEFT: Cell<Result<usize, TooMuch>> = const { Cell::new(Ok(0)) };
}

/// Streams expand to more than this many bytes.
#[derive(Clone, Copy, Debug)]
struct TooMuch(usize);

impl TooMuch {
    fn message(&self) -> String {
        format!("its streams unpack to more than {} MB", self.0 / MIB)
    }
}

/// Loads a file.
///
/// *Errors*: a sentence, if the file is malformed or expands to too much.
pub(super) fn load(bytes: &[u8]) -> Result<Pdf, String> {
    LEFT.set(Ok(MAX_FILE_BYTES));
    check_cross_references(bytes).map_err(|it| it.message())?;
    let options = LoadOptions::with_filter(without_bombs);
    let loaded = Pdf::load_mem_with_options(bytes, options);
    LEFT.get().map_err(|it| it.message())?;
    let mut pdf = loaded.map_err(|it| it.to_string())?;
    for object in pdf.objects.values_mut() {
        let Object::Stream(stream) = object else {
            continue;
        };
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name);
        if kind.is_ok_and(|kind| kind == b"Image") {
            stream.set_plain_content(Vec::new());
        } else {
            deduct(stream).map_err(|it| it.message())?;
        }
    }
    Ok(pdf)
}

/// Drops object streams that would expand to too much, before they are decompressed.
fn without_bombs(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let Object::Stream(stream) = object else {
        return Some((id, object.clone()));
    };
    if stream.dict.has_type(b"ObjStm") && deduct(stream).is_err() {
        return None;
    }
    // The loader only checks whether the filter returns anything for a stream.
    Some((id, Object::Null))
}

/// Subtracts what a stream expands to from what is left for the file.
fn deduct(stream: &Stream) -> Result<(), TooMuch> {
    let left = LEFT.get().and_then(|left| {
        let unpacked = unpacked(stream)?;
        left.checked_sub(unpacked).ok_or(TooMuch(MAX_FILE_BYTES))
    });
    LEFT.set(left);
    left.map(|_| ())
}

/// Returns how many bytes a stream expands to.
fn unpacked(stream: &Stream) -> Result<usize, TooMuch> {
    let most = bound(stream.content.len());
    let mut content = None;
    for filter in stream.filters().unwrap_or_default() {
        let packed: &[u8] = content.as_deref().unwrap_or(&stream.content);
        content = Some(match filter {
            b"FlateDecode" => inflated(packed, most)?,
            b"LZWDecode" => expanded(packed, &stream.dict, most)?,
            b"ASCII85Decode" => decoded(packed, most)?,
            // The loader stops here, too.
            _ => break,
        });
    }
    Ok(content.map_or(0, |it| it.len()))
}

fn bound(packed: usize) -> usize {
    let most = packed.saturating_mul(MAX_RATIO).max(RATIO_FROM);
    most.min(MAX_STREAM_BYTES)
}

/// Inflates like the loader: data before an error counts, and a broken header is skipped.
fn inflated(packed: &[u8], most: usize) -> Result<Vec<u8>, TooMuch> {
    let mut out = Bounded::new(most);
    let _ = io::copy(&mut ZlibDecoder::new(packed), &mut out);
    if out.bytes.is_empty() {
        let raw = packed.get(2..).unwrap_or_default();
        let _ = io::copy(&mut DeflateDecoder::new(raw), &mut out);
    }
    out.finish()
}

fn expanded(packed: &[u8], dictionary: &Dictionary, most: usize) -> Result<Vec<u8>, TooMuch> {
    let parameters = dictionary.get(b"DecodeParms").and_then(Object::as_dict);
    let early = parameters
        .and_then(|it| it.get(b"EarlyChange"))
        .and_then(Object::as_i64);
    let mut decoder = match early {
        Ok(0) => Decoder::new(BitOrder::Msb, 8),
        _ => Decoder::with_tiff_size_switch(BitOrder::Msb, 8),
    };
    let mut out = Bounded::new(most);
    let _ = decoder.into_stream(&mut out).decode_all(packed);
    out.finish()
}

/// Decodes ASCII 85, which expands at most four times.
fn decoded(packed: &[u8], most: usize) -> Result<Vec<u8>, TooMuch> {
    let mut dictionary = Dictionary::new();
    dictionary.set("Filter", Object::Name(b"ASCII85Decode".to_vec()));
    let content = packed.get(..most).unwrap_or(packed).to_vec();
    let decoded = Stream::new(dictionary, content).decompressed_content();
    let decoded = decoded.unwrap_or_default();
    match decoded.len() > most {
        true => Err(TooMuch(most)),
        false => Ok(decoded),
    }
}

/// Checks the cross-reference streams, which are decompressed before any object is known.
fn check_cross_references(bytes: &[u8]) -> Result<(), TooMuch> {
    let mut searched_to = 0;
    for at in memchr::memmem::find_iter(bytes, b"XRef") {
        if at < searched_to {
            continue;
        }
        let near = bytes.get(at..).unwrap_or_default();
        let near = near.get(..DICTIONARY_BYTES).unwrap_or(near);
        let Some(found) = memchr::memmem::find(near, b"stream") else {
            continue;
        };
        searched_to = at + found + "stream".len();
        let content = bytes.get(searched_to..).unwrap_or_default();
        let breaks = content.iter().take_while(|it| matches!(it, b'\r' | b'\n'));
        let content = content.get(breaks.count()..).unwrap_or_default();
        let mut decoder = ZlibDecoder::new(content);
        let mut out = Bounded::new(RATIO_FROM);
        let _ = io::copy(&mut decoder, &mut out);
        out.finish()?;
    }
    Ok(())
}

/// Stores what is written up to a limit, and one byte more to detect that the limit was exceeded.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl Bounded {
    fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            most,
        }
    }

    fn finish(self) -> Result<Vec<u8>, TooMuch> {
        match self.bytes.len() > self.most {
            true => Err(TooMuch(self.most)),
            false => Ok(self.bytes),
        }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let space = (self.most + 1).saturating_sub(self.bytes.len());
        if space == 0 {
            return Err(io::Error::other("too much"));
        }
        let stored = bytes.get(..space).unwrap_or(bytes);
        self.bytes.extend_from_slice(stored);
        Ok(stored.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
