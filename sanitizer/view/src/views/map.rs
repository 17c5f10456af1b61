//! A part of a text as it is read, and where each of its characters is written.

use std::ops::Range;

/// A piece of a text that is read differently from how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Where it is written, in bytes.
    pub span: Range<usize>,
    /// What is read there; nothing where it is only passed over.
    pub read: Option<char>,
}

impl Edit {
    /// Passes over what is written at `span`.
    pub fn remove(span: Range<usize>) -> Self {
        Self { span, read: None }
    }

    /// Reads a character where something else is written.
    pub fn read(span: Range<usize>, read: char) -> Self {
        let read = Some(read);
        Self { span, read }
    }
}

/// A part of a text as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// What is read.
    pub text: String,
    /// Where it is written, in the order in which it is read.
    pieces: Vec<Piece>,
    /// The part of the original.
    region: Range<usize>,
}

/// A piece of a view and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    read: Range<usize>,
    written: Range<usize>,
    /// It is read byte by byte as it is written.
    same: bool,
}

impl View {
    /// Returns a part of a text as it is written.
    pub fn of(text: &str, region: Range<usize>) -> Self {
        let mut view = Self::empty(region.clone());
        view.copy(text, region);
        view
    }

    /// Returns the view of a region in which nothing is read yet.
    pub fn empty(region: Range<usize>) -> Self {
        Self {
            text: String::new(),
            pieces: Vec::new(),
            region,
        }
    }

    /// Adds a part of the original as it is written.
    pub fn copy(&mut self, text: &str, written: Range<usize>) {
        if let Some(part) = text.get(written.clone()) {
            self.push(part, written, true);
        }
    }

    fn push(&mut self, read: &str, written: Range<usize>, same: bool) {
        if read.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(read);
        let end = self.text.len();
        match self.pieces.last_mut() {
            Some(last) if same && last.same && last.written.end == written.start => {
                (last.read.end, last.written.end) = (end, written.end);
            }
            _ => self.pieces.push(Piece {
                read: start..end,
                written,
                same,
            }),
        }
    }

    /// Reads the view anew with edits, which are in order and apart.
    pub fn rewrite(&mut self, edits: &[Edit]) {
        let mut view = Self::empty(self.region.clone());
        view.text.reserve(self.text.len());
        let mut at = 0;
        for edit in edits {
            if edit.span.start < at {
                continue;
            }
            self.copy_read(at..edit.span.start, &mut view);
            if let (Some(read), Some(written)) = (edit.read, self.hull(&edit.span)) {
                view.push(read.encode_utf8(&mut [0; 4]), written, false);
            }
            at = edit.span.end;
        }
        self.copy_read(at..self.text.len(), &mut view);
        *self = view;
    }

    /// Copies what is read at `span` with where it is written.
    fn copy_read(&self, span: Range<usize>, into: &mut Self) {
        for (read, piece) in self.overlapping(&span) {
            let written = piece.written_at(&read);
            into.push(self.text.get(read).unwrap_or_default(), written, piece.same);
        }
    }

    /// The pieces that are read at `span`, and what of them.
    fn overlapping(&self, span: &Range<usize>) -> impl Iterator<Item = (Range<usize>, &Piece)> {
        let first = self.first_behind(span.start);
        let pieces = self.pieces.get(first..).unwrap_or_default().iter();
        let (start, end) = (span.start, span.end);
        pieces
            .take_while(move |piece| piece.read.start < end)
            .map(move |piece| {
                let read = piece.read.start.max(start)..piece.read.end.min(end);
                (read, piece)
            })
    }

    /// The first piece that ends behind `at`.
    fn first_behind(&self, at: usize) -> usize {
        self.pieces.partition_point(|piece| piece.read.end <= at)
    }

    /// All of the original between the first and the last of what is read at `span`.
    fn hull(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let mut spans = self
            .overlapping(span)
            .map(|(read, piece)| piece.written_at(&read));
        let first = spans.next()?;
        Some(spans.fold(first, |hull, span| {
            hull.start.min(span.start)..hull.end.max(span.end)
        }))
    }

    /// Whether anything is read differently from how it is written.
    pub fn is_rewritten(&self) -> bool {
        self.is_rewritten_at(&(0..self.text.len()))
    }

    /// Whether anything at `span` is, or right beside it.
    pub fn is_rewritten_at(&self, span: &Range<usize>) -> bool {
        let mut pieces = self.overlapping(span);
        let Some((_, first)) = pieces.next() else {
            return false;
        };
        if !first.same || pieces.next().is_some() {
            return true;
        }
        let begins = span.start <= first.read.start && first.written.start > self.region.start;
        let ends = span.end >= first.read.end && first.written.end < self.region.end;
        begins || ends
    }

    /// Returns where the text at `span` is written, with what hides inside: the parts between line
    /// breaks that are not read. Nothing where it is not written in that order.
    pub fn written(&self, original: &str, span: &Range<usize>) -> Option<Vec<Range<usize>>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut is_marked = false;
        for (read, piece) in self.overlapping(span) {
            let written = piece.written_at(&read);
            match parts.last_mut() {
                None => parts.push(written),
                Some(last) if written == *last => {}
                Some(last) => {
                    let gap = original.get(last.end..written.start)?;
                    is_marked |= is_mark(gap);
                    match gap.contains('\n') {
                        true => parts.push(written),
                        false => last.end = written.end,
                    }
                }
            }
        }
        if is_marked {
            self.take_outer_marks(original, span, &mut parts);
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// Takes the marks right before and behind what is read at `span` too: they belong to those inside.
    fn take_outer_marks(&self, original: &str, span: &Range<usize>, parts: &mut [Range<usize>]) {
        let index = self.first_behind(span.start);
        let before = index.checked_sub(1).and_then(|last| self.pieces.get(last));
        let from = before.map_or(self.region.start, |piece| piece.written.end);
        if let (Some(piece), Some(first)) = (self.pieces.get(index), parts.first_mut())
            && piece.read.start == span.start
            && original.get(from..first.start).is_some_and(is_mark)
        {
            first.start = from;
        }
        let after = self.pieces.get(self.first_behind(span.end));
        let to = after.map_or(self.region.end, |piece| piece.written.start);
        let is_cut = after.is_some_and(|piece| piece.read.start < span.end);
        if let Some(last) = parts.last_mut()
            && !is_cut
            && original.get(last.end..to).is_some_and(is_mark)
        {
            last.end = to;
        }
    }
}

impl Piece {
    /// Where the part of the piece that is read at `read` is written.
    fn written_at(&self, read: &Range<usize>) -> Range<usize> {
        match self.same {
            true => {
                let start = self.written.start + (read.start - self.read.start);
                start..start + read.len()
            }
            false => self.written.clone(),
        }
    }
}

/// Whether what is passed over is a mark of emphasis or colour, of which there are two.
fn is_mark(gap: &str) -> bool {
    !gap.is_empty() && !gap.contains(['"', '\'', '\n']) && !gap.ends_with('\\')
}

#[cfg(test)]
mod tests;
