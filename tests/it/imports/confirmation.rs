//! The one list and the one yes.

use recall_kit_tests::{Home, Keystroke, Server, client, on_terminal};

use super::{count, import};

const QUESTION: &str = "Records to import: 2";

#[tokio::test]
async fn without_a_terminal_and_without_yes_nothing_is_imported() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let file = home.write("shop/AGENTS.md", "## A\na\n## B\nb\n");
    let output = import(&home, &server, &["agents-md", &file.to_string_lossy()]).await;
    output.expect_code(2);
    assert!(output.stderr.contains("--yes"), "{output:?}");
    assert_eq!(count(&home, "entries").await, 0);
}

#[tokio::test]
async fn a_person_sees_the_list_and_cancels_takes_all_or_chooses() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let text = "## Build\nRun make.\n\n## Style\nTabs.\n";
    let file = home
        .write("shop/AGENTS.md", text)
        .to_string_lossy()
        .into_owned();
    let url = server.wire.base().to_owned();
    let command = || {
        client(
            &home,
            &["--server", &url, "import-from", "agents-md", &file],
        )
    };
    for (steps, stored) in [
        // The cursor starts on the choice to cancel.
        (vec![(QUESTION, "\r")], 0),
        (vec![(QUESTION, "\u{1b}")], 0),
        // Chooses which, and takes the first one off the list.
        (
            vec![(QUESTION, "\u{1b}[B\u{1b}[B\r"), ("Which ones?", " \r")],
            1,
        ),
        (vec![("Records to import: 1", "\u{1b}[B\r")], 2),
    ] {
        let steps: Vec<Keystroke> = steps
            .into_iter()
            .map(|(after, keys)| Keystroke { after, keys })
            .collect();
        let output = on_terminal(&home, &command(), &steps).await;
        if stored == 0 {
            assert!(output.stdout.contains("[pattern] Build"), "{output:?}");
        }
        assert_eq!(count(&home, "entries").await, stored, "{output:?}");
    }
}
