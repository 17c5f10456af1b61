//! Loads a PDF while bounding what its streams unpack to, before anything interprets them.
//!
//! The filters are those that `lopdf` knows, in any order and repeated: Flate, LZW, ASCII 85. Streams of
//! objects and of cross-references are unpacked while a file loads, all others when a page uses them.
//! Pictures are dropped: the interpreter would take them for text. `lopdf` unpacks the object
//! streams of an encrypted file unchecked; there only the sandbox's limits hold.

use std::{
    cell::Cell,
    io::{self, Write},
};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use pdf_extract::{Dictionary, Document as Pdf, LoadOptions, Object, ObjectId, Stream};
use weezl::{BitOrder, decode::Decoder};

const MIB: usize = 1024 * 1024;
/// The most that one stream may unpack to.
const MAX_STREAM_BYTES: usize = 64 * MIB;
/// The most that all streams of a file may unpack to.
const MAX_FILE_BYTES: usize = 256 * MIB;
/// How many times its size a stream may unpack to, beyond [`RATIO_FROM`].
const MAX_RATIO: usize = 200;
/// Smaller streams may repeat themselves as they like.
const RATIO_FROM: usize = 4 * MIB;
/// How many bytes from `XRef` on the word `stream` is sought.
const DICTIONARY_BYTES: usize = 1024;

thread_local! {
    /// What is left for the streams of the file that this thread loads.
    static LEFT: Cell<Result<usize, TooMuch>> = const { Cell::new(Ok(0)) };
}

/// Streams unpack to more than this many bytes.
#[derive(Clone, Copy, Debug)]
struct TooMuch(usize);

impl TooMuch {
    fn words(&self) -> String {
        format!("its streams unpack to more than {} MB", self.0 / MIB)
    }
}

/// Loads a file.
///
/// *Errors*: in words; it is broken, or it unpacks to too much.
pub(super) fn load(bytes: &[u8]) -> Result<Pdf, String> {
    LEFT.set(Ok(MAX_FILE_BYTES));
    check_cross_references(bytes).map_err(|it| it.words())?;
    let options = LoadOptions::with_filter(without_bombs);
    let loaded = Pdf::load_mem_with_options(bytes, options);
    LEFT.get().map_err(|it| it.words())?;
    let mut pdf = loaded.map_err(|it| it.to_string())?;
    for object in pdf.objects.values_mut() {
        let Object::Stream(stream) = object else {
            continue;
        };
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name);
        if kind.is_ok_and(|kind| kind == b"Image") {
            stream.set_plain_content(Vec::new());
        } else {
            take(stream).map_err(|it| it.words())?;
        }
    }
    Ok(pdf)
}

/// Leaves out streams of objects that unpack to too much, before they are unpacked.
fn without_bombs(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let Object::Stream(stream) = object else {
        return Some((id, object.clone()));
    };
    if stream.dict.has_type(b"ObjStm") && take(stream).is_err() {
        return None;
    }
    // The loader only asks whether something comes back of a stream.
    Some((id, Object::Null))
}

/// Takes what a stream unpacks to from what is left for the file.
fn take(stream: &Stream) -> Result<(), TooMuch> {
    let left = LEFT.get().and_then(|left| {
        let unpacked = unpacked(stream)?;
        left.checked_sub(unpacked).ok_or(TooMuch(MAX_FILE_BYTES))
    });
    LEFT.set(left);
    left.map(|_| ())
}

/// How much a stream unpacks to.
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

/// Inflates as the loader does: what comes before damage counts, and a broken header is passed over.
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

/// Decodes ASCII 85, which makes four bytes of one at most.
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

/// Checks the streams of cross-references, which are unpacked before any object is known.
fn check_cross_references(bytes: &[u8]) -> Result<(), TooMuch> {
    let mut sought = 0;
    for at in memchr::memmem::find_iter(bytes, b"XRef") {
        if at < sought {
            continue;
        }
        let near = bytes.get(at..).unwrap_or_default();
        let near = near.get(..DICTIONARY_BYTES).unwrap_or(near);
        let Some(found) = memchr::memmem::find(near, b"stream") else {
            continue;
        };
        sought = at + found + "stream".len();
        let content = bytes.get(sought..).unwrap_or_default();
        let breaks = content.iter().take_while(|it| matches!(it, b'\r' | b'\n'));
        let content = content.get(breaks.count()..).unwrap_or_default();
        let mut decoder = ZlibDecoder::new(content);
        let mut out = Bounded::new(RATIO_FROM);
        let _ = io::copy(&mut decoder, &mut out);
        out.finish()?;
    }
    Ok(())
}

/// Keeps what is written up to a bound, and one byte more as a sign that there was more.
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
        let room = (self.most + 1).saturating_sub(self.bytes.len());
        if room == 0 {
            return Err(io::Error::other("too much"));
        }
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.bytes.extend_from_slice(kept);
        Ok(kept.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
