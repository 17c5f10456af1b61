//! The program that runs these tests is read; damaged copies of it are refused.

#[cfg(target_os = "linux")]
use std::env;

use super::*;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_program_names_its_libraries_and_its_glibc() {
    let file = std::fs::read(env::current_exe().unwrap()).unwrap();
    let needs = Needs::read(&file).unwrap();
    assert!(
        needs.libraries.contains(&"libc.so.6".to_owned()),
        "{needs:?}"
    );
    assert!(needs.glibc > Some((2, 2)), "{needs:?}");
    // Its headers are at its end.
    let cut = file.get(..file.len() / 2).unwrap();
    assert!(Needs::read(cut).is_err());
}

#[test]
fn versions_are_compared_as_numbers() {
    assert_eq!(glibc_version("GLIBC_2.34"), Some((2, 34)));
    assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
    assert!(glibc_version("GLIBC_2.4") < glibc_version("GLIBC_2.28"));
    for other in ["GCC_3.0", "GLIBC_PRIVATE", "GLIBCXX_3.4"] {
        assert_eq!(glibc_version(other), None, "{other}");
    }
}

#[test]
fn other_files_are_refused() {
    for file in [&b""[..], b"#!/bin/sh\n", b"\x7fELF\x02\x01"] {
        assert!(Needs::read(file).is_err(), "{file:?}");
    }
}
