//! Archives do not depend on the order of what goes in, and hold what package managers expect.

use std::io::Read as _;

use flate2::read::GzDecoder;

use super::*;

const FORMAT: Format = Format {
    time: 1_700_000_000,
    compression: 6,
};

fn entries() -> Vec<Entry<'static>> {
    vec![
        Entry::program("usr/bin/program", &b"\x7fELF"[..]),
        Entry::text("usr/share/a text", "text"),
    ]
}

/// Reads path, mode, time and content of each entry.
fn listed(archive: &[u8]) -> Vec<(String, u32, u64, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    let entries = archive.entries().unwrap();
    let read = |entry: io::Result<tar::Entry<_>>| {
        let mut entry = entry.unwrap();
        let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        let (mode, time) = (
            entry.header().mode().unwrap(),
            entry.header().mtime().unwrap(),
        );
        let mut content = String::new();
        entry.read_to_string(&mut content).unwrap();
        (path, mode, time, content)
    };
    entries.map(read).collect()
}

#[test]
fn the_order_of_files_does_not_matter() {
    let mut reversed = entries();
    reversed.reverse();
    let archive = FORMAT.tar_gz(&entries()).unwrap();
    assert_eq!(archive, FORMAT.tar_gz(&reversed).unwrap());
    let expected = [
        ("usr/bin/program", 0o755, "\x7fELF"),
        ("usr/share/a text", 0o644, "text"),
    ];
    let expected = expected.map(|(path, mode, text)| (path.into(), mode, FORMAT.time, text.into()));
    assert_eq!(listed(&archive), expected);
}

#[test]
fn an_archive_with_folders_lists_each_before_its_files() {
    let archive = FORMAT.tar_gz_with_folders(&entries()).unwrap();
    let paths: Vec<String> = listed(&archive)
        .into_iter()
        .map(|(path, ..)| path)
        .collect();
    let folders = ["./", "./usr/", "./usr/bin/", "./usr/share/"];
    let files = ["./usr/bin/program", "./usr/share/a text"];
    assert_eq!(paths, [&folders[..], &files].concat());
}

#[test]
fn members_of_an_ar_archive_start_at_even_offsets() {
    let archive = FORMAT.ar(&[("odd", b"123"), ("even", b"12")]);
    let header = |name, size| format!("{name:<16}1700000000  0     0     100644  {size:<10}`\n");
    let expected = format!("!<arch>\n{}123\n{}12", header("odd", 3), header("even", 2));
    assert_eq!(String::from_utf8(archive).unwrap(), expected);
}

#[test]
fn zip_archives_keep_modes_and_times() {
    let bytes = FORMAT.zip(&entries()).unwrap();
    assert_eq!(bytes, FORMAT.zip(&entries()).unwrap());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let file = archive.by_index(0).unwrap();
    assert_eq!(file.unix_mode().map(|mode| mode & 0o777), Some(0o755));
    let time = file.last_modified().unwrap();
    assert_eq!((time.year(), time.month(), time.day()), (2023, 11, 14));
    let too_early = Format { time: 0, ..FORMAT };
    assert!(too_early.zip(&entries()).is_err());
}
