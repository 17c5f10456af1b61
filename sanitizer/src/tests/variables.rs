//! Names that a snippet declares, by language.

use super::holds_promises;
use crate::RuleGroup::AnonymizeVariables;
use crate::{RuleGroup, sanitize};

fn renamed(code: &str, expected: &str) {
    assert_eq!(
        sanitize(code, &[AnonymizeVariables]).text,
        expected,
        "from {code}"
    );
    holds_promises(code, &[AnonymizeVariables]);
    holds_promises(code, &RuleGroup::ALL);
}

#[test]
fn declared_names_become_neutral_ones() {
    for (code, expected) in [
        (
            "import axios from \"axios\";\nconst { data: rows } = await axios.get(\"/x\");\nfor (const row of rows) { total += row.amount; }\nconst msg = `rows ${rows} rows`; // rows",
            "import axios from \"axios\";\nconst { data: var_001 } = await axios.get(\"/x\");\nfor (const var_002 of var_001) { total += var_002.amount; }\nconst var_003 = `rows ${var_001} rows`; // rows",
        ),
        (
            "export async function load(tenantId: string, limit = 10): Promise<Row[]> {\n  const out = { tenantId, total: limit };\n  return f((x: Row) => x.amount / limit, out);\n}",
            "export async function var_001(var_002: string, var_003 = 10): Promise<Row[]> {\n  const var_004 = { var_002, total: var_003 };\n  return f((var_005: Row) => var_005.amount / var_003, var_004);\n}",
        ),
        (
            "import json\ndef pay(rate, hours=1):\n    gross = rate * hours\n    print(f\"{gross}: gross\", sep=\"\")\n    return round(gross, 2)\npay(rate=20)",
            "import json\ndef var_001(var_002, var_003=1):\n    var_004 = var_002 * var_003\n    print(f\"{var_004}: gross\", sep=\"\")\n    return round(var_004, 2)\nvar_001(var_002=20)",
        ),
        (
            "fn pay(rows: &[Row], bonus: u64) -> Option<u64> {\n    let mut sum = 0;\n    for row in rows { if let Some(extra) = row.extra { sum += extra * bonus; } }\n    println!(\"{sum} bonus\");\n    Some(sum)\n}",
            "fn var_001(var_002: &[Row], var_003: u64) -> Option<u64> {\n    let mut var_004 = 0;\n    for var_005 in var_002 { if let Some(var_006) = var_005.extra { var_004 += var_006 * var_003; } }\n    println!(\"{var_004} bonus\");\n    Some(var_004)\n}",
        ),
        (
            "package main\n\nfunc sum(lines []Line, rate float64) (total float64, err error) {\n\tfor _, line := range lines {\n\t\ttotal += line.Amount * rate\n\t}\n\treturn\n}",
            "package main\n\nfunc var_001(var_002 []Line, var_003 float64) (var_004 float64, var_005 error) {\n\tfor _, var_006 := range var_002 {\n\t\tvar_004 += var_006.Amount * var_003\n\t}\n\treturn\n}",
        ),
        (
            "public class Billing {\n    public int total(List<Integer> amounts, int rate) {\n        int sum = 0;\n        for (Integer amount : amounts) { sum += amount - rate; }\n        return sum;\n    }\n}",
            "public class var_001 {\n    public int var_002(List<Integer> var_003, int var_004) {\n        int var_005 = 0;\n        for (Integer var_006 : var_003) { var_005 += var_006 - var_004; }\n        return var_005;\n    }\n}",
        ),
        (
            "using System;\nvar gross = Rate() * 2;\nforeach (var bonus in Bonuses()) { gross += bonus; }\nConsole.WriteLine($\"gross {gross}\");",
            "using System;\nvar var_001 = Rate() * 2;\nforeach (var var_002 in Bonuses()) { var_001 += var_002; }\nConsole.WriteLine($\"gross {var_001}\");",
        ),
        (
            "#include <stdio.h>\nint add(const char *owner, int amount) {\n    int *slot = find(owner);\n    printf(\"owner %s\\n\", owner);\n    return slot->amount + amount;\n}",
            "#include <stdio.h>\nint var_001(const char *var_002, int amount) {\n    int *var_003 = find(var_002);\n    printf(\"owner %s\\n\", var_002);\n    return var_003->amount + amount;\n}",
        ),
        (
            "def pay(rate, hours)\n  gross = rate * hours\n  rows.each do |row|\n    gross += row[:gross]\n  end\n  puts \"gross #{gross}\"\nend",
            "def var_001(var_002, var_003)\n  var_004 = var_002 * var_003\n  rows.each do |var_005|\n    var_004 += var_005[:gross]\n  end\n  puts \"gross #{var_004}\"\nend",
        ),
        (
            "<?php\nfunction pay($rate) {\n  $gross = $rate * $this->rate;\n  echo \"gross $gross\";\n}",
            "<?php\nfunction var_001($var_002) {\n  $var_003 = $var_002 * $this->rate;\n  echo \"gross $var_003\";\n}",
        ),
        (
            "#!/bin/bash\ndir=\"/srv\"\nrotate() {\n  local age=$1\n  for file in \"$dir\"/*; do echo \"dir ${file} $age\"; done\n}\nrotate 7",
            "#!/bin/bash\nvar_001=\"/srv\"\nvar_002() {\n  local var_003=$1\n  for var_004 in \"$var_001\"/*; do echo \"dir ${var_004} $var_003\"; done\n}\nvar_002 7",
        ),
        (
            "WITH monthly AS (SELECT id FROM orders)\nSELECT m.id FROM monthly m WHERE m.kind = 'monthly';",
            "WITH var_001 AS (SELECT id FROM orders)\nSELECT var_002.id FROM var_001 var_002 WHERE var_002.kind = 'monthly';",
        ),
    ] {
        renamed(code, expected);
    }
}

#[test]
fn bindings_of_every_kind_are_declarations() {
    for (code, expected) in [
        (
            "function ship(orderNo, { carrier = \"dhl\", weight } = {}) {\n  return orderNo + weight;\n}",
            "function var_001(var_002, { carrier = \"dhl\", weight } = {}) {\n  return var_002 + weight;\n}",
        ),
        (
            "export class Repo<T> {\n  find(wanted: (x: T) => boolean): T | undefined {\n    const hit = this.items.find(wanted);\n    return hit;\n  }\n}",
            "export class var_001<T> {\n  find(var_002: (var_003: T) => boolean): T | undefined {\n    const var_004 = this.items.find(var_002);\n    return var_004;\n  }\n}",
        ),
        (
            "first, (second, *rest) = source()\none = two = first\nassert one, \"one\"\ndel two",
            "var_001, (var_002, *var_003) = source()\nvar_004 = var_005 = var_001\nassert var_004, \"one\"\ndel var_005",
        ),
        (
            "match command:\n    case {\"kind\": kind_in}:\n        handle(kind_in)\n    case [head, *others]:\n        handle(head, others)",
            "match command:\n    case {\"kind\": var_001}:\n        handle(var_001)\n    case [var_002, *var_003]:\n        handle(var_002, var_003)",
        ),
        (
            "match shape {\n    Shape::Rect(width, height) if width > 0 => width * height,\n    Shape::Line { from: start } => start,\n    other => fallback(other),\n}\nlet Point { x, y: down } = point;",
            "match shape {\n    Shape::Rect(var_001, var_002) if var_001 > 0 => var_001 * var_002,\n    Shape::Line { from: var_003 } => var_003,\n    var_004 => fallback(var_004),\n}\nlet Point { x, y: var_005 } = point;",
        ),
        (
            "let add = move |left: u8, (right, _): (u8, u8)| -> u8 { left + right };",
            "let var_001 = move |var_002: u8, (var_003, _): (u8, u8)| -> u8 { var_002 + var_003 };",
        ),
        (
            "func Map[T, U any](inputs []T, change func(T) U) []U {\n\treturn change(inputs)\n}",
            "func var_001[T, U any](var_002 []T, var_003 func(T) U) []U {\n\treturn var_003(var_002)\n}",
        ),
        (
            "List<String> upper = names.stream().filter(one -> one.length() > 2).toList();",
            "List<String> var_001 = names.stream().filter(var_002 -> var_002.length() > 2).toList();",
        ),
        (
            "foreach (var (key, amount) in rows) { Console.WriteLine($\"{key}: {amount} key\"); }",
            "foreach (var (var_001, var_002) in rows) { Console.WriteLine($\"{var_001}: {var_002} key\"); }",
        ),
        (
            "#include <vector>\nint sum(const std::vector<int>& items) {\n    for (int i = 0, n = 3; i < n; ++i) use(items[i]);\n    auto [left, right] = pair();\n    return left + right;\n}",
            "#include <vector>\nint var_001(const std::vector<int>& var_002) {\n    for (int var_003 = 0, var_004 = 3; var_003 < var_004; ++var_003) use(var_002[var_003]);\n    auto [var_005, var_006] = pair();\n    return var_005 + var_006;\n}",
        ),
        (
            "#!/bin/bash\ndeclare -a files=(a b)\nfor ((at = 0; at < ${#files[@]}; at++)); do echo \"${files[$at]}\"; done\nwhile read -r name port; do echo \"$name:$port\"; done",
            "#!/bin/bash\ndeclare -a var_001=(a b)\nfor ((var_002 = 0; var_002 < ${#var_001[@]}; var_002++)); do echo \"${var_001[$var_002]}\"; done\nwhile read -r var_003 var_004; do echo \"$var_003:$var_004\"; done",
        ),
        (
            "CREATE FUNCTION add_tax(net numeric) RETURNS numeric AS $$\nDECLARE\n  gross numeric;\nBEGIN\n  gross := net * 2;\n  RETURN gross;\nEND;\n$$ LANGUAGE plpgsql;",
            "CREATE FUNCTION var_001(var_002 numeric) RETURNS numeric AS $$\nDECLARE\n  var_003 numeric;\nBEGIN\n  var_003 := var_002 * 2;\n  RETURN var_003;\nEND;\n$$ LANGUAGE plpgsql;",
        ),
    ] {
        renamed(code, expected);
    }
}

#[test]
fn prose_stays_and_only_fences_are_code() {
    for text in [
        "Let me explain: for users in the team, use the function below. The class is fine.",
        "The fix: const was missing.",
    ] {
        renamed(text, text);
    }
    renamed(
        "The user apiKey was stale.\n```js\nconst apiKey = load();\nuse(apiKey);\n```\nand apiKey again",
        "The user apiKey was stale.\n```js\nconst var_001 = load();\nuse(var_001);\n```\nand apiKey again",
    );
}

#[test]
fn numbers_go_on_after_those_that_stand_there() {
    renamed(
        "const var_007 = 1;\nconst fresh = var_007;",
        "const var_007 = 1;\nconst var_008 = var_007;",
    );
}

#[test]
fn names_declared_behind_others_are_found() {
    for (code, expected) in [
        (
            "class Worker:\n    def __init__(self, queue):\n        self.run(lambda job, retries=2: job.start(retries), retries=3)\n",
            "class var_001:\n    def __init__(self, var_002):\n        self.run(lambda var_003, var_004=2: var_003.start(var_004), retries=3)\n",
        ),
        (
            "import java.util.Arrays;\n\npublic int sum(int max) {\n    int[] counts = {1, 2}, sizes = new int[max], rest = make(max);\n    return counts[0] + sizes[0] + rest[0];\n}\n",
            "import java.util.Arrays;\n\npublic int var_001(int var_002) {\n    int[] var_003 = {1, 2}, var_004 = new int[var_002], var_005 = make(var_002);\n    return var_003[0] + var_004[0] + var_005[0];\n}\n",
        ),
        (
            "def load(path)\n  File.read(path)\nrescue Errno::ENOENT, IOError => error\n  warn error.message\nend\n",
            "def var_001(var_002)\n  File.read(var_002)\nrescue Errno::ENOENT, IOError => var_003\n  warn var_003.message\nend\n",
        ),
        (
            "#!/bin/bash\nbackup() {\n  local source_dir=\"$1\" target\n  target=\"${2:-/tmp}/out\"\n  cp \"$source_dir\" \"$target\"\n}\n",
            "#!/bin/bash\nvar_001() {\n  local var_002=\"$1\" var_003\n  var_003=\"${2:-/tmp}/out\"\n  cp \"$var_002\" \"$var_003\"\n}\n",
        ),
        (
            "async def read(config, *args):\n    async with open_conn(config.host, port=config.port) as (reader, writer):\n        data = await reader.read()\n    writer.close(port=1)\n",
            "async def var_001(var_002, *args):\n    async with open_conn(var_002.host, port=var_002.port) as (var_003, var_004):\n        var_005 = await var_003.read()\n    var_004.close(port=1)\n",
        ),
        (
            "macro_rules! square { ($n:expr) => { $n * $n }; }\nfn area(side: u32) -> u32 { square!(side) }\n",
            "macro_rules! var_001 { ($var_002:expr) => { $var_002 * $var_002 }; }\nfn var_003(var_004: u32) -> u32 { var_001!(var_004) }\n",
        ),
        (
            "#include <mutex>\nvoid Pool::add(int n) {\n  std::unique_lock<std::mutex> guard(mutex_);\n  total_ += n;\n}\n",
            "#include <mutex>\nvoid Pool::add(int var_001) {\n  std::unique_lock<std::mutex> var_002(mutex_);\n  total_ += var_001;\n}\n",
        ),
        (
            "#!/bin/sh\nfor i in 1 2; do\n  sum=$(( ${sum:-0} + i ))\ndone\ncase \"$1\" in\n  a*) kind=first ;;\nesac\necho \"$kind $sum i\"\n",
            "#!/bin/sh\nfor var_001 in 1 2; do\n  var_002=$(( ${var_002:-0} + var_001 ))\ndone\ncase \"$1\" in\n  a*) var_003=first ;;\nesac\necho \"$var_003 $var_002 i\"\n",
        ),
    ] {
        renamed(code, expected);
    }
}

#[test]
fn names_before_their_types_are_declarations() {
    for (code, expected) in [
        (
            "fun total(basket: List<Item>, rate: Double = 0.0): Double {\n    var sum = 0.0\n    for ((sku, qty) in basket) { sum += qty.price * rate }\n    println(\"sum $sum of ${basket.size} sum\")\n    return sum\n}",
            "fun var_001(var_002: List<Item>, var_003: Double = 0.0): Double {\n    var var_004 = 0.0\n    for ((var_005, var_006) in var_002) { var_004 += var_006.price * var_003 }\n    println(\"sum $var_004 of ${var_002.size} sum\")\n    return var_004\n}",
        ),
        (
            "val active = users.filter { member -> member.isActive }\nval (oldest, newest) = pick(active, limit = 2)\nwhen (oldest) {\n    is Admin -> open(newest)\n    else -> null\n}",
            "val var_001 = users.filter { var_002 -> var_002.isActive }\nval (var_003, var_004) = pick(var_001, limit = 2)\nwhen (var_003) {\n    is Admin -> open(var_004)\n    else -> null\n}",
        ),
        (
            "func weigh(of parcels: [Parcel], limit most: Double) -> Double {\n    var sum = 0.0\n    for parcel in parcels { sum += parcel.weight }\n    print(\"sum \\(names[\"sum\"]) \\(sum)\")\n    return min(sum, most)\n}\nlet heavy = weigh(of: all, limit: 3)",
            "func var_001(of var_002: [Parcel], limit var_003: Double) -> Double {\n    var var_004 = 0.0\n    for var_005 in var_002 { var_004 += var_005.weight }\n    print(\"sum \\(names[\"sum\"]) \\(var_004)\")\n    return min(var_004, var_003)\n}\nlet var_006 = var_001(of: all, limit: 3)",
        ),
        (
            "let ordered = names.sorted { first, second in first.count < second.count }\nswitch result {\ncase .success(let record): show(record)\ncase .failure(let problem): print(problem)\n}\nguard let id = find(key: \"id\") else { return }\nshow(id)",
            "let var_001 = names.sorted { var_002, var_003 in var_002.count < var_003.count }\nswitch result {\ncase .success(let var_004): show(var_004)\ncase .failure(let var_005): print(var_005)\n}\nguard let var_006 = find(key: \"id\") else { return }\nshow(var_006)",
        ),
        (
            "func dump(to target: Sink, size: Int) {}\ndump(to: out, size: 3)\nother(size: 4)",
            "func var_001(to var_002: Sink, var_003: Int) {}\nvar_001(to: out, var_003: 3)\nother(size: 4)",
        ),
    ] {
        renamed(code, expected);
    }
}

#[test]
fn text_and_attributes_of_elements_stay() {
    for (code, expected) in [
        (
            "function Card({ user }) {\n  const label = user.first;\n  return <p className=\"label\">The label isn't label: {label} <Icon label={label} /></p>;\n}",
            "function var_001({ user }) {\n  const var_002 = user.first;\n  return <p className=\"label\">The label isn't label: {var_002} <Icon label={var_002} /></p>;\n}",
        ),
        (
            "const Page = ({ rows }) => (\n  <>\n    {rows.map((row) => (<li key={row.id}>row {row.text}</li>))}\n    Page (it's last)\n  </>\n);\nconst shown = <Page rows={[]}>shown</Page>;",
            "const var_001 = ({ rows }) => (\n  <>\n    {rows.map((var_002) => (<li key={var_002.id}>row {var_002.text}</li>))}\n    Page (it's last)\n  </>\n);\nconst var_003 = <var_001 rows={[]}>shown</var_001>;",
        ),
        (
            "const few = load<number>(3);\nconst less = few < limit && few > 0;\nconst pick = <T,>(one: T) => one;",
            "const var_001 = load<number>(3);\nconst var_002 = var_001 < limit && var_001 > 0;\nconst var_003 = <T,>(var_004: T) => var_004;",
        ),
    ] {
        renamed(code, expected);
    }
}

#[test]
fn patterns_queries_and_pointers_are_declarations() {
    for (code, expected) in [
        (
            "var late = from row in rows\n           where row.Due < today\n           select new { row.Id };\nif (shape is Circle round && round.Radius > 2) Draw(round);",
            "var var_001 = from var_002 in rows\n           where var_002.Due < today\n           select new { var_002.Id };\nif (shape is Circle var_003 && var_003.Radius > 2) Draw(var_003);",
        ),
        (
            "static String join(String... parts) {\n    switch (find(parts)) {\n        case Integer count -> System.out.println(count);\n        default -> System.out.println(\"count\");\n    }\n}",
            "static String var_001(String... var_002) {\n    switch (find(var_002)) {\n        case Integer var_003 -> System.out.println(var_003);\n        default -> System.out.println(\"count\");\n    }\n}",
        ),
        (
            "typedef int (*handler)(int code);\nvoid run(handler chosen, int (*compare)(const void *, const void *)) {\n    sort(chosen(1), compare);\n    (*compare)(0, 0);\n}",
            "typedef int (*var_001)(int var_002);\nvoid var_003(var_001 var_004, int (*var_005)(const void *, const void *)) {\n    sort(var_004(1), var_005);\n    (*var_005)(0, 0);\n}",
        ),
    ] {
        renamed(code, expected);
    }
}

#[test]
fn elements_without_end_are_read_in_linear_time() {
    for code in [
        "const a = <b>".repeat(4000),
        format!("const a = {}x{};", "<b>".repeat(3000), "</b>".repeat(3000)),
        format!("val a = \"{}\"", "${".repeat(4000)),
        format!("let a = \"{}\"", "\\(".repeat(4000)),
    ] {
        holds_promises(&code, &[AnonymizeVariables]);
    }
}
