//! Archives made by the tests: valid, malicious and damaged.

#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write as _};

use flate2::{Compression, write::GzEncoder};
use tar::{EntryType, Header};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    Limits, Source, SourceKind, SourceOptions,
    tests::{error_text, lines, walked, write},
};

/// Appends an entry; its name is written verbatim.
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

/// Replaces every occurrence of some bytes by others of the same length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    for at in memchr::memmem::find_iter(&bytes.clone(), from) {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// Returns the lines of a walk over an archive, or the text of its error.
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
        error => return vec![error_text(error)],
    };
    assert_eq!(source.described(None).unwrap().kind, SourceKind::Archive);
    let found = lines(&source, None).unwrap_or_else(|error| vec![error_text::<()>(Err(error))]);
    // Nothing is unpacked beside the archive.
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
        "node_modules/: it contains third-party code",
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
fn links_devices_duplicates_and_encrypted_entries_are_skipped() {
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
fn an_archive_with_names_that_lead_out_of_it_is_rejected() {
    let check = |name: &str, reason: &str| {
        let message = format!("the archive is rejected: the name of its entry `{name}` {reason}");
        let tar = tar_of(&[("a.md", b"a"), (name, b"evil")]);
        assert_eq!(
            read(&tar, Limits::default()),
            [message.as_str()],
            "tar {name}"
        );
        // Zip writers reject or correct such names: so a harmless one of the same length is replaced.
        let harmless = "x".repeat(name.len());
        let zip = patched(
            zip_of(&[("a.md", b"a"), (&harmless, b"evil")]),
            harmless.as_bytes(),
            name.as_bytes(),
        );
        assert_eq!(
            read(&zip, Limits::default()),
            [message.as_str()],
            "zip {name}"
        );
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
        ["the archive is rejected: the name of its entry `x\\u{0}x.md` has a zero byte in it"]
    );
}

#[test]
fn bombs_are_rejected_while_they_are_read() {
    let zeros = vec![b'0'; 48 << 20];
    // Skipped entries count, too: they have to be decompressed to reach the next one.
    let bomb = gz(&tar_of(&[("a.md", b"a"), ("b.bin", &zeros)]));
    let message = read(&bomb, Limits::default());
    assert!(
        message[0].starts_with("the archive is rejected at `b.bin`: ")
            && message[0].ends_with("bomb"),
        "{message:?}"
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
    // A zip with a false size: the limit counts what is really decompressed.
    let lying = zip_of(&[("a.md", &zeros[..5000])]);
    let lying = patched(lying, &5000_u32.to_le_bytes(), &50_u32.to_le_bytes());
    let small = Limits {
        file_bytes: 100,
        ..Limits::default()
    };
    let message = read(&lying, small);
    assert!(!message.contains(&"a.md".to_owned()), "{message:?}");
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
    // More entries than the limit.
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
    let message = "the source has more than 49 files and folders; give a part of it";
    assert_eq!(read(&zip_of(&many), few()), [message]);
    assert_eq!(read(&tar_of(&many), few()), [message]);
}

#[test]
fn a_zip_whose_directory_declares_too_much_is_rejected_before_a_file_is_read() {
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
    let message = error_text(walked);
    assert!(
        message.ends_with("it looks like an archive bomb"),
        "{message}"
    );
    assert_eq!(visited, 0);
    // The directory declares less than there is.
    let lying = zip_of(&[("a.md", &text[..5000])]);
    let lying = patched(lying, &5000_u32.to_le_bytes(), &50_u32.to_le_bytes());
    let message = read(&lying, Limits::default());
    let refused = "the archive cannot be read at `a.md`: ";
    assert!(
        message[0].starts_with(refused) && message.len() == 1,
        "{message:?}"
    );
}

#[test]
fn a_truncated_archive_is_an_error_wherever_it_ends() {
    let noise = (0..3000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 | 1);
    let noise = noise.collect::<Vec<_>>();
    let files: &[(&str, &[u8])] = &[("a.md", b"a"), ("b.md", &noise)];
    let archives = [gz(&tar_of(files)), zip_of(files)];
    for (archive, kind) in archives.iter().zip(["tar.gz", "zip"]) {
        assert_eq!(read(archive, Limits::default()), ["a.md", "b.md"], "{kind}");
        for end in (20..archive.len()).step_by(97).chain([archive.len() - 1]) {
            let message = read(&archive[..end], Limits::default());
            assert!(
                message[0].starts_with("the archive cannot be read"),
                "{kind} {end}: {message:?}"
            );
        }
        // One byte of the contents is changed.
        let mut damaged = archive.clone();
        damaged[archive.len() / 2] ^= 0xff;
        let message = read(&damaged, Limits::default());
        assert!(
            message[0].starts_with("the archive cannot be read"),
            "{kind}: {message:?}"
        );
    }
    // Without compression, an incomplete file or header is detected.
    let tar = tar_of(files);
    for end in [512 + 1, 1024 + 100, 1024 + 512 + 1000] {
        let message = read(&tar[..end], Limits::default());
        assert!(
            message[0].starts_with("the archive cannot be read"),
            "tar {end}: {message:?}"
        );
    }
}

#[test]
fn contents_of_an_archive_are_read_unchanged() {
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
    let (files, summary) = walked(&source, None).unwrap();
    assert_eq!(files, [(long, b"caf\xe9!".to_vec())]);
    assert_eq!(
        (summary.files, summary.bytes, summary.stopped),
        (1, 5, false)
    );
    assert!(
        error_text(source.walk(Some("v1"), &mut |_| unreachable!()))
            .contains("no tags or branches")
    );
}
