//! Archives made here, sound, hostile and damaged.

#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write as _};

use flate2::{Compression, write::GzEncoder};
use tar::{EntryType, Header};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    Limits, Source, SourceKind, SourceOptions,
    tests::{lines, walked, words, write},
};

/// An entry, its name written as it is.
fn append(tar: &mut Vec<u8>, name: &str, kind: EntryType, content: &[u8]) {
    let mut header = Header::new_ustar();
    let field = header.as_old_mut().name.get_mut(..name.len()).unwrap();
    field.copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    if kind == EntryType::Symlink {
        header.set_link_name("../../etc/passwd").unwrap();
    }
    header.set_cksum();
    tar.extend_from_slice(header.as_bytes());
    tar.extend_from_slice(content);
    tar.resize(tar.len().next_multiple_of(512), 0);
}

fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, content) in files {
        append(&mut tar, name, EntryType::Regular, content);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Replaces every occurrence of some bytes by as many others.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    for at in memchr::memmem::find_iter(&bytes.clone(), from) {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// A walk over an archive, in lines, or the words of its error.
fn read(archive: &[u8], limits: Limits) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    write(&path, archive);
    let options = SourceOptions {
        limits,
        ..SourceOptions::default()
    };
    let source = match Source::open(path.to_str().unwrap(), &options) {
        Ok(source) => source,
        error => return vec![words(error)],
    };
    assert_eq!(source.described(None).unwrap().kind, SourceKind::Archive);
    let found = lines(&source, None).unwrap_or_else(|error| vec![words::<()>(Err(error))]);
    // Nothing is unpacked beside it.
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    found
}

#[test]
fn files_of_archives_are_read_and_others_skipped() {
    let files: &[(&str, &[u8])] = &[
        ("./b/guide.md", b"guide"),
        ("a.md", b"a"),
        ("b\\win.md", b"windows"),
        ("b/binary.md", b"a\0"),
        ("node_modules/x/a.md", b"x"),
        ("node_modules/y/b.md", b"y"),
        ("LICENSE", b"free"),
        ("long.md", &[b'x'; 101]),
    ];
    let limits = || Limits {
        file_bytes: 100,
        ..Limits::default()
    };
    let mut skipped = vec![
        "node_modules/: it holds code of others",
        "LICENSE: it is a licence",
        "long.md: it is longer than 100 bytes",
        "b/binary.md: it is binary",
    ];
    let zip = [["a.md", "b/guide.md", "b/win.md"].as_slice(), &skipped].concat();
    assert_eq!(read(&zip_of(files), limits()), zip);
    skipped.rotate_right(1);
    let tar = [["b/guide.md", "a.md", "b/win.md"].as_slice(), &skipped].concat();
    assert_eq!(read(&tar_of(files), limits()), tar);
    assert_eq!(read(&gz(&tar_of(files)), limits()), tar);
}

#[test]
fn links_devices_twins_and_encrypted_entries_are_skipped() {
    let mut tar = Vec::new();
    append(&mut tar, "docs/", EntryType::Directory, b"");
    append(&mut tar, "docs/a.md", EntryType::Regular, b"first");
    append(&mut tar, "docs/a.md", EntryType::Regular, b"second");
    append(&mut tar, "docs/l.md", EntryType::Symlink, b"");
    append(&mut tar, "docs/h.md", EntryType::Link, b"");
    append(&mut tar, "docs/d.md", EntryType::Char, b"");
    append(&mut tar, "docs/c\u{1b}.md", EntryType::Regular, b"odd");
    tar.resize(tar.len() + 1024, 0);
    assert_eq!(
        read(&tar, Limits::default()),
        [
            "docs/a.md",
            "docs/a.md: an earlier entry has the same name",
            "docs/l.md: it is a link, and links are not followed",
            "docs/h.md: it is a link, and links are not followed",
            "docs/d.md: it is not an ordinary file",
            "docs/c\\u{1b}.md: its name has control characters",
        ]
    );
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("l.md", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    zip.start_file("a.md", SimpleFileOptions::default())
        .unwrap();
    zip.write_all(b"a").unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let link = "l.md: it is a link, and links are not followed";
    assert_eq!(read(&zip, Limits::default()), ["a.md", link]);
    // The first bit of the flags, in the local header and in the directory.
    let zip = zip_of(&[("a.md", b"a")]);
    let mut encrypted = zip.clone();
    for (mark, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        encrypted[memchr::memmem::find(&zip, mark).unwrap() + flags] |= 1;
    }
    assert_eq!(
        read(&encrypted, Limits::default()),
        ["a.md: it is encrypted"]
    );
}

#[test]
fn names_that_lead_out_refuse_the_archive() {
    let check = |name: &str, reason: &str| {
        let said = format!("the archive is refused: the name of its entry `{name}` {reason}");
        let tar = tar_of(&[("a.md", b"a"), (name, b"evil")]);
        assert_eq!(read(&tar, Limits::default()), [said.as_str()], "tar {name}");
        // Writers of zip archives refuse such names or mend them: one as long is replaced.
        let harmless = "x".repeat(name.len());
        let zip = patched(
            zip_of(&[("a.md", b"a"), (&harmless, b"evil")]),
            harmless.as_bytes(),
            name.as_bytes(),
        );
        assert_eq!(read(&zip, Limits::default()), [said.as_str()], "zip {name}");
    };
    let out = "leads out of the archive (`..`)";
    check("../../etc/cron.d/x.md", out);
    check("docs/../../x.md", out);
    check("docs\\..\\x.md", out);
    check("/etc/passwd.md", "begins at the root of the file system");
    check("\\\\host\\x.md", "begins at the root of the file system");
    check("C:\\x.md", "begins with the letter of a drive");
    check("c:x.md", "begins with the letter of a drive");
    let zip = patched(zip_of(&[("xxx.md", b"")]), b"xxx.md", b"x\0x.md");
    assert_eq!(
        read(&zip, Limits::default()),
        ["the archive is refused: the name of its entry `x\\u{0}x.md` has a zero byte in it"]
    );
}

#[test]
fn bombs_are_refused_while_they_are_read() {
    let zeros = vec![b'0'; 48 << 20];
    // What is skipped bursts as well: it has to be unpacked to get past it.
    let bomb = gz(&tar_of(&[("a.md", b"a"), ("b.bin", &zeros)]));
    let said = read(&bomb, Limits::default());
    assert!(
        said[0].starts_with("the archive is refused at `b.bin`: ") && said[0].ends_with("bomb"),
        "{said:?}"
    );
    let tight = || Limits {
        unpacked_bytes: 1000,
        ..Limits::default()
    };
    let too_much = "the source has more than 1000 bytes when it is unpacked; give a part of it";
    assert_eq!(
        read(&tar_of(&[("a.md", &zeros[..2000])]), tight()),
        [too_much]
    );
    assert_eq!(
        read(&zip_of(&[("a.md", &zeros[..2000])]), tight()),
        [too_much]
    );
    // A zip that lies about its size: the limit counts what really comes out.
    let lying = zip_of(&[("a.md", &zeros[..5000])]);
    let lying = patched(lying, &5000_u32.to_le_bytes(), &50_u32.to_le_bytes());
    let small = Limits {
        file_bytes: 100,
        ..Limits::default()
    };
    let said = read(&lying, small);
    assert!(!said.contains(&"a.md".to_owned()), "{said:?}");
    // A name of 48 MiB, which would be kept in memory.
    let mut tar = Vec::new();
    append(&mut tar, "././@LongLink", EntryType::GNULongName, &zeros);
    append(&mut tar, "a.md", EntryType::Regular, b"a");
    let mut gnu = tar;
    gnu[257..265].copy_from_slice(b"ustar  \0");
    let mut header = Header::from_byte_slice(&gnu[..512]).clone();
    header.set_cksum();
    gnu[..512].copy_from_slice(header.as_bytes());
    let long = "the archive cannot be read: the headers of an entry are longer than 1048576 bytes";
    assert_eq!(read(&gnu, Limits::default()), [long]);
    // Entries beyond the limit, of which a directory tells.
    let many = (0..50).map(|at| (format!("{at}.md"), b"x".as_slice()));
    let many = many.collect::<Vec<_>>();
    let many = many
        .iter()
        .map(|(name, x)| (name.as_str(), *x))
        .collect::<Vec<_>>();
    let few = || Limits {
        entries: 49,
        ..Limits::default()
    };
    let said = "the source has more than 49 files and folders; give a part of it";
    assert_eq!(read(&zip_of(&many), few()), [said]);
    assert_eq!(read(&tar_of(&many), few()), [said]);
}

#[test]
fn a_zip_whose_directory_declares_too_much_is_refused_before_a_file_is_read() {
    let text = vec![b'0'; 1 << 20];
    let names: Vec<String> = (0..40).map(|at| format!("{at}.md")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|it| (it.as_str(), &*text)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.zip");
    write(&path, zip_of(&files));
    let source = Source::open(path.to_str().unwrap(), &SourceOptions::default()).unwrap();
    let mut visited = 0;
    let walked = source.walk(None, &mut |_| {
        visited += 1;
        std::ops::ControlFlow::Continue(())
    });
    let said = words(walked);
    assert!(said.ends_with("it looks like an archive bomb"), "{said}");
    assert_eq!(visited, 0);
    // A directory that declares less than there is.
    let lying = zip_of(&[("a.md", &text[..5000])]);
    let lying = patched(lying, &5000_u32.to_le_bytes(), &50_u32.to_le_bytes());
    let said = read(&lying, Limits::default());
    let refused = "the archive cannot be read at `a.md`: ";
    assert!(said[0].starts_with(refused) && said.len() == 1, "{said:?}");
}

#[test]
fn an_archive_that_was_cut_off_is_an_error_wherever_it_was_cut() {
    let noise = (0..3000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 | 1);
    let noise = noise.collect::<Vec<_>>();
    let files: &[(&str, &[u8])] = &[("a.md", b"a"), ("b.md", &noise)];
    let archives = [gz(&tar_of(files)), zip_of(files)];
    for (archive, kind) in archives.iter().zip(["tar.gz", "zip"]) {
        assert_eq!(read(archive, Limits::default()), ["a.md", "b.md"], "{kind}");
        for end in (20..archive.len()).step_by(97).chain([archive.len() - 1]) {
            let said = read(&archive[..end], Limits::default());
            assert!(
                said[0].starts_with("the archive cannot be read"),
                "{kind} {end}: {said:?}"
            );
        }
        // A byte of the content that is another one.
        let mut damaged = archive.clone();
        damaged[archive.len() / 2] ^= 0xff;
        let said = read(&damaged, Limits::default());
        assert!(
            said[0].starts_with("the archive cannot be read"),
            "{kind}: {said:?}"
        );
    }
    // Without compression the end of a file or of a header is what tells.
    let tar = tar_of(files);
    for end in [512 + 1, 1024 + 100, 1024 + 512 + 1000] {
        let said = read(&tar[..end], Limits::default());
        assert!(
            said[0].starts_with("the archive cannot be read"),
            "tar {end}: {said:?}"
        );
    }
}

#[test]
fn an_archive_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.crate");
    let long = format!("{}/guide.md", "n".repeat(150));
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(5);
    tar.append_data(&mut header, &long, b"caf\xe9!".as_slice())
        .unwrap();
    write(&path, gz(&tar.into_inner().unwrap()));
    let source = Source::open(path.to_str().unwrap(), &SourceOptions::default()).unwrap();
    let (files, told) = walked(&source, None).unwrap();
    assert_eq!(files, [(long, b"caf\xe9!".to_vec())]);
    assert_eq!((told.files, told.bytes, told.stopped), (1, 5, false));
    assert!(
        words(source.walk(Some("v1"), &mut |_| unreachable!())).contains("no tags or branches")
    );
}
