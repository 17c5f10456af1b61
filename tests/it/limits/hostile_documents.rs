//! Files made to crash their reader: each is refused with the reason, and the server keeps running.
//!
//! `data/pdf/form_draws_itself.pdf` has a form that draws itself, which recurses until the stack overflows;
//! `data/pdf/flate_of_flate.pdf` has 3,445 bytes of content that unpack, twice, to 480 MiB.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    io::{Cursor, Write as _},
    path::PathBuf,
};

use recall_kit_tests::{
    Dice, Home, HttpAnswer, Launch, Output, Server, Visitor, make_user, run, server_command,
    within_deadline,
};
use zip::{ZipWriter, write::SimpleFileOptions};

const FORM: &str = "/libraries/ingest";
const RECURSION: &[u8] = include_bytes!("../../data/pdf/form_draws_itself.pdf");
const BOMB: &[u8] = include_bytes!("../../data/pdf/flate_of_flate.pdf");
const GOOD: &str = "# Widgets\n\nA widget turns slowly to the left when it is asked to.\n";
/// The memory limit of a reading process in these tests, in megabytes.
const MEMORY_MB: u64 = 256;

const TOO_DEEP: &str = "the file cannot be read: it is nested too deeply";
const UNPACKS: &str = "the PDF cannot be read: its streams unpack to more than 4 MB";

/// Returns a PDF with these objects; the first one is the catalogue.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", out.len()).unwrap();
        writeln!(out, "{} 0 obj\n{object}\nendobj", at + 1).unwrap();
    }
    let start = out.len();
    let size = objects.len() + 1;
    write!(
        out,
        "{table}trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    .unwrap();
    out.into_bytes()
}

/// Returns a PDF with one page of this content, and further objects from the fourth on.
fn page(resources: &str, content: &str, others: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
             /Resources << {resources} >> >>"
        ),
        stream("", content),
    ];
    objects.extend(others);
    pdf(&objects)
}

fn stream(dictionary: &str, content: &str) -> String {
    let length = content.len();
    format!("<< {dictionary} /Length {length} >> stream\n{content}\nendstream")
}

/// Returns a PDF with a page of text.
fn readable() -> Vec<u8> {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    let text = "BT /F1 12 Tf 72 720 Td (A gadget hums while it is warm.) Tj ET";
    page("/Font << /F1 5 0 R >>", text, [font.to_owned()])
}

/// Returns a PDF with forms that each draw the next one twice: drawing forty of them never ends.
fn doubling() -> Vec<u8> {
    let form = |at: u32| {
        let next = if at < 45 { "/F Do /F Do" } else { "" };
        let resources = format!("/Resources << /XObject << /F {} 0 R >> >>", at + 1);
        stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 1 1] {resources}"),
            next,
        )
    };
    page("/XObject << /F 5 0 R >>", "/F Do", (5..=45).map(form))
}

/// Returns an API description with one large example that occurs in the answer of each of many operations.
fn multiplied() -> Vec<u8> {
    let paths: Vec<String> = (0..2_000)
        .map(|at| {
            format!(
                "\"/{at}\":{{\"get\":{{\"responses\":{{\"200\":{{\"content\":{{\"text/plain\":\
                 {{\"schema\":{{\"$ref\":\"#/components/schemas/S\"}}}}}}}}}}}}}}"
            )
        })
        .collect();
    let example = "word ".repeat(200_000);
    format!(
        "{{\"openapi\":\"3.0.0\",\"paths\":{{{}}},\
         \"components\":{{\"schemas\":{{\"S\":{{\"example\":\"{example}\"}}}}}}}}",
        paths.join(",")
    )
    .into_bytes()
}

fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a file, and 200 variants that differ from it in up to four places.
fn mutations(name: &str, file: &[u8], seed: u64) -> Vec<(String, Vec<u8>)> {
    let mut dice = Dice::new(seed);
    let mutation = |at: u32| {
        let mut mutated = file.to_vec();
        for _ in 0..dice.below(4) + 1 {
            let place = dice.below(mutated.len());
            match dice.below(4) {
                0 => drop(mutated.remove(place)),
                1 => mutated.insert(place, u8::try_from(dice.below(256)).unwrap()),
                2 => mutated[place] ^= 1 << dice.below(8),
                _ => mutated[place] = b"0123456789/[]<>() \n"[dice.below(19)],
            }
        }
        (format!("{name}/{at}.pdf"), mutated)
    };
    let original = (format!("{name}.pdf"), file.to_vec());
    std::iter::once(original)
        .chain((0..200).map(mutation))
        .collect()
}

async fn server(home: &Home) -> Server {
    make_user(home, "writer", "writer", &[]).await;
    let settings = format!(
        "[libraries]\nreader_memory_mb = {MEMORY_MB}\nreader_cpu_seconds = 15\n\
         reader_timeout_ms = 100000\n"
    );
    Launch::new(home).settings(&settings).start().await
}

fn location(answer: &HttpAnswer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.headers["location"].to_str().unwrap().to_owned()
}

/// Returns the value of a line of `/proc/ID/status`, in kibibytes.
fn kib(id: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix(field))?;
    line.strip_prefix(':')?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// Returns the reading processes of a server, in no particular order.
fn readers(of: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids = processes.filter_map(|it| it.file_name().to_str()?.parse().ok());
    ids.filter(|id| {
        let parent = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        parent.contains(&format!("PPid:\t{of}\n")) && command.contains("read-documents")
    })
    .collect()
}

/// Returns the reasons why files of a job were skipped, and the number of skipped files.
fn skipped_files(report: &str) -> (BTreeSet<&str>, u64) {
    let rows = report.split("<tr><th scope=\"row\">").skip(1);
    let rows = rows.filter_map(|row| {
        let (reason, rest) = row.split_once("</th><td class=\"number\">")?;
        let (count, rest) = rest.split_once("</td>")?;
        let is_reason = rest.starts_with("<td dir=\"auto\">");
        is_reason.then(|| (reason, count.parse::<u64>().unwrap()))
    });
    rows.fold(
        (BTreeSet::new(), 0),
        |(mut reasons, sum), (reason, count)| {
            reasons.insert(reason);
            (reasons, sum + count)
        },
    )
}

/// Returns the page of a documentation search, without its highlighting.
async fn found(visitor: &mut Visitor, query: &str) -> String {
    let address = format!("/?q={query}&in=documentation");
    let page = visitor.page(&address).await.text;
    page.replace("<mark>", "").replace("</mark>", "")
}

/// Ingests files through the pages, while other clients send requests; returns the report.
async fn ingest_while_others_query(home: &Home, files: &[(String, Vec<u8>)]) -> String {
    let mut server = server(home).await;
    let before = server.memory_kib();
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let archive = zip(files);
    let fields = [("library", "Widgets"), ("version", "v1")];
    let sent = writer
        .upload((FORM, FORM), &fields, ("docs.zip", &archive))
        .await;
    let job = location(&sent);
    let mut events = writer.events(&format!("{job}/events")).await;
    let (mut largest, mut requests) = (0, 0);
    loop {
        let event = events.next().await.expect("the end is told");
        for id in readers(server.id()) {
            // This includes the program's own memory, which the limit does not count.
            largest = largest.max(kib(id, "VmRSS").unwrap_or(0));
        }
        let healthy = server.wire.get("/healthz").await;
        assert_eq!(healthy.status, 200, "others are answered");
        requests += 1;
        if event.name == "done" {
            break;
        }
    }
    assert!(requests > 1, "other requests were sent meanwhile");
    assert!(server.runs(), "{}", server.log());
    let grown = kib(server.id(), "VmHWM").unwrap().saturating_sub(before);
    assert!(grown < 300 * 1024, "the server grew by {grown} KiB");
    let most = (MEMORY_MB + 300) * 1024;
    assert!(largest < most, "a reading process took {largest} KiB");
    let found = found(&mut writer, "widget+turns").await;
    assert!(found.contains("turns slowly"), "{found}");
    assert_eq!(readers(server.id()), [0; 0], "nothing is left behind");
    writer.page(&job).await.text
}

#[tokio::test]
async fn a_recursive_pdf_and_its_mutations_only_lose_their_own_files() {
    let home = Home::new();
    let mut files = mutations("form", RECURSION, 11);
    files.push(("good.md".to_owned(), GOOD.into()));
    let report = ingest_while_others_query(&home, &files).await;
    let (reasons, count) = skipped_files(&report);
    assert_eq!(count, 201, "{report}");
    assert!(reasons.contains(TOO_DEEP), "{reasons:?}");
    assert!(report.contains("form.pdf"), "{report}");
}

#[tokio::test]
async fn a_pdf_bomb_and_its_mutations_only_lose_their_own_files() {
    let home = Home::new();
    let mut files = mutations("flate", BOMB, 13);
    files.push(("good.md".to_owned(), GOOD.into()));
    let report = ingest_while_others_query(&home, &files).await;
    let (reasons, count) = skipped_files(&report);
    assert_eq!(count, 201, "{report}");
    assert!(reasons.contains(UNPACKS), "{reasons:?}");
}

/// Ingests files with these settings; the output names the skipped files.
async fn ingested(home: &Home, settings: &str, files: &[(&str, &[u8])]) -> Output {
    for (name, content) in files {
        home.write(&format!("docs/{name}"), content);
    }
    let config = home.write("server.toml", settings);
    let docs = home.path().join("docs");
    let (config, docs) = (config.to_str().unwrap(), docs.to_str().unwrap());
    run(
        server_command(home, &["ingest", "widgets", docs, "--config", config]),
        "",
    )
    .await
}

#[tokio::test]
async fn every_limit_skips_a_file_with_its_reason() {
    for (setting, file, content, reason) in [
        (
            "reader_memory_mb = 128",
            "api.json",
            multiplied(),
            "the file cannot be read: it needs more than 128 MB of memory",
        ),
        (
            "reader_cpu_seconds = 1",
            "doubling.pdf",
            doubling(),
            "the file cannot be read: it takes more than 1 s of processor time",
        ),
        (
            "reader_timeout_ms = 500",
            "doubling.pdf",
            doubling(),
            "the file cannot be read: it takes longer than 0.5 s",
        ),
        ("", "form.pdf", RECURSION.to_vec(), TOO_DEEP),
        ("", "flate.pdf", BOMB.to_vec(), UNPACKS),
    ] {
        let home = Home::new();
        let settings = format!("[libraries]\n{setting}\n");
        let files = [(file, content.as_slice()), ("good.md", GOOD.as_bytes())];
        let read = ingested(&home, &settings, &files).await;
        let report = read.expect_code(0);
        assert!(
            report.contains(": 1 files, 0 of them unchanged"),
            "{report}"
        );
        assert!(
            report.contains(&format!("skipped 1: {reason}, such as {file}")),
            "{report}"
        );
        // Without other files there is nothing to ingest.
        let alone = home.path().join("docs").join(file);
        let config = home.path().join("server.toml");
        let args = ["ingest", "other", alone.to_str().unwrap(), "--config"];
        let args = [&args[..], &[config.to_str().unwrap()]].concat();
        let read = run(server_command(&home, &args), "").await;
        assert_eq!(read.code, Some(1), "{}", read.stderr);
        assert!(read.stderr.contains(reason), "{}", read.stderr);
    }
}

#[tokio::test]
async fn an_invalid_limit_is_refused() {
    let home = Home::new();
    let read = ingested(&home, "[libraries]\nreader_memory_mb = 1\n", &[]).await;
    assert_eq!(read.code, Some(1));
    let expected = "`libraries.reader_memory_mb` must be at least 128";
    assert!(read.stderr.contains(expected), "{}", read.stderr);
}

#[tokio::test]
async fn sound_files_are_read_in_a_separate_process() {
    let home = Home::new();
    let notebook = "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"# Sprockets\\n\",\"\\n\",\
                    \"A sprocket has teeth.\"]}],\"metadata\":{},\"nbformat\":4}";
    let api = "openapi: 3.0.0\ninfo:\n  title: Cogs\npaths:\n  /cogs:\n    get:\n      \
               summary: Lists the cogs of a machine.\n";
    let large = format!(
        "# Bolts\n\n{}",
        "A bolt holds two parts together.\n\n".repeat(70_000)
    );
    let pdf = readable();
    let files: &[(&str, &[u8])] = &[
        ("gadget.pdf", &pdf),
        ("sprocket.ipynb", notebook.as_bytes()),
        ("cogs.yaml", api.as_bytes()),
        ("bolts.md", large.as_bytes()),
    ];
    let read = ingested(&home, "", files).await;
    let report = read.expect_code(0);
    assert!(
        report.contains(": 4 files, 0 of them unchanged"),
        "{report}"
    );
    let server = Server::start(&home).await;
    let mut visitor = Visitor::anonymous(&server);
    for (query, expected) in [
        ("gadget+hums", "hums while it is warm"),
        ("sprocket", "has teeth"),
        ("cogs", "Lists the cogs"),
        ("bolt", "holds two parts"),
    ] {
        let found = found(&mut visitor, query).await;
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

/// Checks that a process has three pipes as its only open files, its limits, and no environment but one
/// variable.
fn check_isolated(id: u32) {
    let open: BTreeSet<PathBuf> = fs::read_dir(format!("/proc/{id}/fd"))
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert_eq!(open.len(), 3, "{open:?}");
    for file in open {
        let target = fs::read_link(&file).unwrap();
        assert!(target.to_string_lossy().starts_with("pipe:"), "{target:?}");
    }
    let environment = fs::read_to_string(format!("/proc/{id}/environ")).unwrap();
    assert_eq!(environment, "MIMALLOC_DISALLOW_ARENA_ALLOC=1\0");
    let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    for (limit, most) in [
        ("Max core file size", 0..=0),
        ("Max file size", 0..=0),
        ("Max open files", 3..=8),
        ("Max cpu time", 1..=30),
        ("Max address space", 1..=4 << 30),
    ] {
        let line = limits
            .lines()
            .find_map(|it| it.strip_prefix(limit))
            .unwrap();
        let soft: u64 = line.split_whitespace().next().unwrap().parse().expect(line);
        assert!(most.contains(&soft), "{limit}: {soft}");
    }
}

#[tokio::test]
async fn a_reading_process_is_isolated() {
    let home = Home::new();
    let server = server(&home).await;
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let fields = [("library", "Widgets")];
    let sent = writer
        .upload((FORM, FORM), &fields, ("a.pdf", &doubling()))
        .await;
    let job = location(&sent);
    // The process has set its limits and is reading once its limit on processor time is set.
    let busy = async {
        loop {
            let reading = readers(server.id()).into_iter().find(|id| {
                let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap_or_default();
                let cpu = limits
                    .lines()
                    .find_map(|it| it.strip_prefix("Max cpu time"));
                cpu.is_some_and(|it| !it.trim_start().starts_with("unlimited"))
            });
            if let Some(id) = reading {
                return id;
            }
            tokio::task::yield_now().await;
        }
    };
    check_isolated(within_deadline("a process that reads", busy).await);
    // Cancelling the job ends the process as well.
    let ended = writer
        .fill_in("/account", &format!("{job}/cancel"), &[])
        .await;
    assert_eq!(location(&ended), job);
    let ended_process = async {
        while !readers(server.id()).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    within_deadline("the end of the process", ended_process).await;
}
