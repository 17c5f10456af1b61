//! Errors of a sandbox without a process. The processes themselves are tested through the built program.

#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use super::*;

async fn error_of(program: Option<&str>) -> String {
    let sandbox = Sandbox::new(program.map(PathBuf::from), SandboxLimits::default());
    let read = sandbox.read("a.pdf", b"%PDF-1.4").await;
    read.unwrap_err().to_string()
}

#[tokio::test]
async fn without_a_process_a_file_is_rejected_with_the_reason() {
    let error = error_of(None).await;
    assert!(error.starts_with("the file cannot be read: files of this kind are read by a process"));
    let error = error_of(Some("/no/such/program")).await;
    let start = "the file cannot be read: the process that would read it cannot be started: ";
    assert!(error.starts_with(start), "{error}");
    // A program that does not know the command.
    let tests = std::env::current_exe().unwrap();
    let error = error_of(tests.to_str()).await;
    assert_eq!(error, "the file cannot be read: its reader crashed on it");
}

#[test]
fn messages_have_their_lengths() {
    let mut bytes = Vec::new();
    for message in [b"one".as_slice(), b"", b"three"] {
        frame::write(&mut bytes, message).unwrap();
    }
    let mut stream = Cursor::new(bytes.clone());
    for message in ["one", "", "three"] {
        let read = frame::read(&mut stream, 5).unwrap();
        assert_eq!(read.as_deref(), Some(message.as_bytes()));
    }
    assert!(frame::read(&mut stream, 5).unwrap().is_none());
    let long = frame::read(&mut Cursor::new(&bytes), 2).unwrap_err();
    assert_eq!(long.to_string(), "the message is too long");
    assert!(
        frame::read(&mut Cursor::new(&bytes[..6]), 5).is_err(),
        "truncated"
    );
}
