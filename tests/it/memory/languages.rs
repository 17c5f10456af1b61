//! Texts that the model cannot read, or that have no language, among records that it can read.

use recall_kit_tests::{Home, Launch};
use serde_json::json;

/// A title, a solution, and words of the title to query. For the first scripts the model's vocabulary has at
/// most single characters.
const RECORDS: [[&str; 3]; 16] = [
    [
        "الخادم لا يقبل الاتصالات بعد التحديث",
        "جدار الحماية يمنع المنفذ الجديد",
        "الخادم يقبل الاتصالات",
    ],
    [
        "النسخ الاحتياطي لقاعدة البيانات يفشل كل ليلة",
        "القرص ممتلئ",
        "النسخ الاحتياطي لقاعدة البيانات",
    ],
    [
        "השרת אינו מקבל חיבורים לאחר העדכון",
        "חומת האש חוסמת את היציאה החדשה",
        "השרת אינו מקבל חיבורים",
    ],
    [
        "גיבוי מסד הנתונים נכשל בכל לילה",
        "הדיסק מלא",
        "גיבוי מסד הנתונים",
    ],
    [
        "เซิร์ฟเวอร์ไม่รับการเชื่อมต่อหลังการอัปเดต",
        "ไฟร์วอลล์ปิดกั้นพอร์ตใหม่",
        "เซิร์ฟเวอร์ไม่รับการเชื่อมต่อ",
    ],
    ["การสำรองฐานข้อมูลล้มเหลวทุกคืน", "ดิสก์เต็ม", "การสำรองฐานข้อมูล"],
    [
        "अद्यतन के बाद सर्वर कनेक्शन स्वीकार नहीं करता",
        "फ़ायरवॉल नए पोर्ट को रोकता है",
        "सर्वर कनेक्शन स्वीकार नहीं करता",
    ],
    [
        "डेटाबेस का बैकअप हर रात विफल होता है",
        "डिस्क भरी है",
        "डेटाबेस का बैकअप विफल होता है",
    ],
    ["አገልጋዩ ከዝመናው በኋላ ግንኙነቶችን አይቀበልም", "ፋየርዎል", "አገልጋዩ ግንኙነቶችን"],
    [
        "სერვერი განახლების შემდეგ კავშირებს არ იღებს",
        "ბრანდმაუერი",
        "სერვერი კავშირებს არ იღებს",
    ],
    [
        "2026-01-03T04:05:06Z WARN pool-3 conn=7781 retry=4 backoff=1600",
        "raise the pool size to 40",
        "conn=7781 retry=4",
    ],
    ["4711 0815 1337 65535 65536", "Use 64 bits", "65535 65536"],
    ["🚀🔥💥 after 🛠", "↩️ roll back", "🔥💥"],
    [
        "let x: &mut Vec<u8> = &mut buf[..n]; x.push(1);",
        "reborrow",
        "let x: &mut Vec<u8> = &mut buf",
    ],
    [
        "The Docker build hängt: Der Container wartet auf das Netzwerk and never stops",
        "Netzwerk neu starten, then build again",
        "Container wartet auf das Netzwerk",
    ],
    [
        "The server refuses connections after the update",
        "Open the new port in the firewall",
        "server refuses connections",
    ],
];

#[tokio::test]
async fn every_record_is_found_by_its_words_in_any_script() {
    let home = Home::new();
    // Emoji alone are found only by meaning, so a long wait keeps a busy machine from answering by words alone.
    let server = Launch::new(&home)
        .embeddings("builtin")
        .env("RECALL_KIT_EMBEDDINGS__QUERY_WAIT_MS", 60_000)
        .start()
        .await;
    for [title, solution, _] in RECORDS {
        let record = json!({"title": title, "problem_description": title, "solution": solution});
        server.wire.submit(record).await;
    }
    server.wire.vectors_made().await;
    for [title, _, words] in RECORDS {
        let found = server.wire.titles(words).await;
        let first = found.first().map(String::as_str);
        assert_eq!(first, Some(title), "{words}: {found:?}");
    }
}
