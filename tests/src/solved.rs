//! Solved problems, and questions that they answer: one record for every combination of a part and a trouble.
//!
//! Similar records differ in only one of the two, so a search must get both right. The questions use other
//! words than the records, some in other languages; a model that knows these tables knows what they have in
//! common.

use serde_json::{Value, json};

/// Parts of products: the words of a record, and those of a question.
const PARTS: [(&str, &str); 20] = [
    (
        "PostgreSQL replica",
        "our read-only copy of the SQL database",
    ),
    ("Redis cache", "the in-memory key store"),
    ("nginx reverse proxy", "the web server in front"),
    ("Docker registry", "the place we push container images to"),
    ("Kafka consumer", "the process that reads the event log"),
    ("React form", "the input page of our frontend"),
    ("iOS push notifications", "messages to iPhones"),
    ("GitHub Actions runner", "the CI machine"),
    ("Terraform state", "the record of our infrastructure"),
    ("SSH bastion", "the jump host"),
    ("Elasticsearch cluster", "the full text search nodes"),
    ("RabbitMQ queue", "the message broker"),
    ("TLS certificate store", "the list of trusted authorities"),
    ("cron job", "the nightly scheduled script"),
    ("Kubernetes ingress", "the entry point of the cluster"),
    ("Python virtual environment", "the isolated interpreter"),
    ("Git submodule", "the nested repository"),
    ("S3 bucket", "the object storage"),
    ("OAuth login", "signing in with a third party"),
    ("WebSocket gateway", "the two-way browser connection"),
];

/// Troubles: title, problem, solution, and the words of a question in English and in another language.
const TROUBLES: [[&str; 5]; 15] = [
    [
        "refuses connections after an upgrade",
        "Since the new version every client is turned away on connecting",
        "Bind it to the outer address again, the default changed",
        "nobody can connect since we updated",
        "plus personne ne peut se connecter depuis la mise à jour",
    ],
    [
        "eats all the memory",
        "Resident memory grows for days until the kernel kills it",
        "Set an upper limit and evict what was not used lately",
        "RAM usage keeps climbing until it is killed",
        "der Arbeitsspeicher läuft voll, bis der Prozess abgeschossen wird",
    ],
    [
        "loses characters with accents",
        "Umlauts and accents arrive as question marks",
        "Declare UTF-8 on both ends",
        "special letters are garbled",
        "los acentos salen como signos de interrogación",
    ],
    [
        "is an hour late in summer",
        "Times shift by sixty minutes when daylight saving begins",
        "Store UTC and convert when showing",
        "timestamps are off by one hour since March",
        "l'heure d'été décale tout d'une heure",
    ],
    [
        "fills the disk with logs",
        "The partition is full because files are never rotated",
        "Rotate daily and keep a week",
        "no space left because of log files",
        "die Platte ist voll mit Protokolldateien",
    ],
    [
        "answers with stale data",
        "Readers see yesterday's values long after a write",
        "Invalidate on write instead of waiting for expiry",
        "we get outdated values after changing something",
        "после изменения видны старые данные",
    ],
    [
        "hangs on shutdown",
        "Stopping takes minutes and ends with a kill",
        "Handle the termination signal and drain what is open",
        "it does not stop when told to",
        "beim Herunterfahren bleibt es hängen",
    ],
    [
        "denies permission to the deploy user",
        "The account for rollouts may not write there",
        "Grant the role write access to that path only",
        "access forbidden for our release account",
        "acceso denegado para el usuario de despliegue",
    ],
    [
        "is slow on the first request",
        "After idling the first call takes ten seconds",
        "Keep it warm and load lazily parts in the background",
        "cold start takes forever",
        "la première requête est très lente",
    ],
    [
        "duplicates entries on retry",
        "A repeated call after a timeout is stored twice",
        "Send an idempotency key with every attempt",
        "the same thing is saved two times",
        "重试之后数据重复",
    ],
    [
        "cannot resolve host names",
        "Lookups fail although the network works",
        "Point it to the internal name server",
        "DNS does not work inside it",
        "Namensauflösung schlägt fehl",
    ],
    [
        "breaks on large uploads",
        "Anything above one megabyte is cut off with an error",
        "Raise the body limit and stream to disk",
        "big files fail to transfer",
        "大文件上传失败",
    ],
    [
        "forgets its settings on restart",
        "Changes made at run time are gone after a reboot",
        "Write the configuration to a mounted volume",
        "configuration is lost after rebooting",
        "после перезапуска настройки пропадают",
    ],
    [
        "deadlocks under load",
        "With many workers two of them wait for each other forever",
        "Take the locks in one order everywhere",
        "threads block one another when traffic is high",
        "unter Last blockieren sich die Threads gegenseitig",
    ],
    [
        "shows a blank page behind the VPN",
        "From the company network nothing but white appears",
        "Lower the packet size of the tunnel",
        "empty screen when connected through the tunnel",
        "página en blanco detrás de la VPN",
    ],
];

/// Returns every record, as arguments of `submit_experience`.
pub fn records() -> Vec<Value> {
    let pairs = PARTS
        .iter()
        .flat_map(|(part, _)| TROUBLES.iter().map(move |t| (*part, t)));
    pairs
        .map(|(part, [title, problem, solution, ..])| {
            json!({
                "title": format!("{part} {title}"),
                "problem_description": format!("{problem}, which concerns the {part}"),
                "solution": format!("{solution} ({part})"),
            })
        })
        .collect()
}

/// Returns questions, each with the title of the record that answers it; a third is not in English.
pub fn questions() -> Vec<(String, String)> {
    let mut questions = Vec::new();
    for (at, (part, other)) in PARTS.iter().enumerate() {
        for (number, [title, _, _, english, elsewhere]) in TROUBLES.iter().enumerate() {
            let text = match (at + number) % 4 {
                0 => format!("{other}: {english}"),
                1 => format!("{part} {english}"),
                2 => format!("{part}: {elsewhere}"),
                _ => continue,
            };
            questions.push((text, format!("{part} {title}")));
        }
    }
    questions
}

/// The number of dimensions of an embedding.
const DIMENSIONS: usize = 64;
/// The weight of the wording of a text in its embedding; a part or a trouble has weight 1.
const WORDING: f32 = 0.9;

/// Returns the embedding of a text, from the part and the trouble it is about and from its wording.
pub fn meaning(text: &str) -> Vec<f32> {
    let mut embedding = vec![0.0; DIMENSIONS];
    let mut add = |name: &str, weight: f32| {
        for (sum, value) in embedding.iter_mut().zip(direction(name)) {
            *sum += weight * value;
        }
    };
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    for (part, other) in PARTS.iter().filter(|(part, other)| says(&[part, other])) {
        add(&format!("{part} {other}"), 1.0);
    }
    for [title, rest @ ..] in TROUBLES.iter().filter(|trouble| says(&trouble[..])) {
        add(&format!("{title} {}", rest.len()), 1.0);
    }
    add(text, WORDING);
    embedding
}

/// Returns a direction that depends only on the name.
fn direction(name: &str) -> impl Iterator<Item = f32> {
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    })
}
