//! Real-shaped outputs of each tool and what must remain of them; texts that are no build output; texts of any kind.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use super::{BuildFailure, MAX_ESSENCE, Phase, Tool, essence};

/// Checks what remains of an output.
fn check(output: &str, tool: Tool, phase: Phase, expected: &[&str]) -> BuildFailure {
    let failure = BuildFailure::of(output).unwrap();
    assert_eq!(
        (failure.tool, failure.phase),
        (tool, Some(phase)),
        "{output}"
    );
    assert_eq!(failure.messages, expected, "{output}");
    failure
}

const MAVEN_COMPILER: &str = "\
[INFO] --- maven-compiler-plugin:3.10.1:compile (default-compile) @ shop-core ---
[ERROR] COMPILATION ERROR :
[ERROR] /shop/core/src/main/java/com/example/shop/cart/CartService.java:[12,24] package javax.servlet.http does not exist
[ERROR] /shop/core/src/main/java/com/example/shop/cart/CartView.java:[31,9] cannot find symbol
[ERROR]   symbol:   class HttpServletRequest
[ERROR]   location: class com.example.shop.cart.CartView
[ERROR] /shop/core/src/main/java/com/example/shop/mail/Mailer.java:[7,31] package javax.mail.internet does not exist
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile (default-compile) on project shop-core: Compilation failure: Compilation failure:
[ERROR] Re-run Maven using the -X switch to enable full debug logging.";

#[test]
fn of_maven_remain_foreign_names_and_the_reasons() {
    let failure = check(
        MAVEN_COMPILER,
        Tool::Maven,
        Phase::Compile,
        &[
            "package javax.servlet.http does not exist javax.mail.internet",
            "cannot find symbol class HttpServletRequest",
        ],
    );
    let symbols = [
        "javax.servlet.http",
        "HttpServletRequest",
        "javax.mail.internet",
    ];
    assert_eq!(failure.symbols, symbols);
    check(
        "[ERROR] Tests run: 2, Failures: 0, Errors: 2, Skipped: 0, Time elapsed: 0.4 s <<< FAILURE! - in com.example.FooTest\n\
         [ERROR] com.example.FooTest.loads  Time elapsed: 0.711 s  <<< ERROR!\n\
         [ERROR]   FooTest.loads:34 » NoClassDefFound Could not initialize class org.slf4j.LoggerFactory\n\
         [ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.0:test (default-test) on \
         project foo: There are test failures.",
        Tool::Maven,
        Phase::Test,
        &[
            "NoClassDefFound Could not initialize class org.slf4j.LoggerFactory",
            "tests end with errors",
        ],
    );
    let failure = check(
        "[ERROR] Failed to execute goal on project foo: Could not resolve dependencies for project \
         com.example:foo:jar:1.0-SNAPSHOT: Could not find artifact org.dep:thing:jar:2.1 in central -> [Help 1]\n\
         [ERROR] For more information about the errors and possible solutions, please read the following articles:",
        Tool::Maven,
        Phase::Resolve,
        &[
            "Could not resolve dependencies for project Could not find artifact org.dep:thing:jar:2.1 in central",
        ],
    );
    assert_eq!(failure.dependencies, ["org.dep:thing:jar:2.1"]);
}

#[test]
fn of_gradle_remain_imports_and_unresolved_dependencies() {
    let output = "> Task :app:compileJava FAILED\n\
        /home/ann/app/src/main/java/org/acme/Main.java:3: error: package javax.annotation does not exist\n\
        import javax.annotation.PostConstruct;\n                       ^\n1 error\n\
        FAILURE: Build failed with an exception.\n* What went wrong:\n\
        Execution failed for task ':app:compileJava'.\n\
        > Compilation failed; see the compiler error output for details.\n* Try:\n> Run with --stacktrace option\n\
        BUILD FAILED in 3s\n2 actionable tasks: 1 executed";
    let expected = ["package javax.annotation does not exist javax.annotation.PostConstruct"];
    check(output, Tool::Gradle, Phase::Compile, &expected);
    let output = "FAILURE: Build failed with an exception.\n* What went wrong:\n\
        Execution failed for task ':app:mergeDebugResources'.\n\
        > Could not resolve all files for configuration ':app:debugRuntimeClasspath'.\n\
        \u{20}  > Could not find com.github.acme:charts:3.1.0.\n     Searched in the following locations:\n\
        \u{20}      - https://repo.example.org/charts-3.1.0.pom\n     Required by:\n         project :app";
    let expected = [
        "mergeDebugResources",
        "Could not resolve all files for configuration",
        "Could not find com.github.acme:charts:3.1.0",
    ];
    let failure = check(output, Tool::Gradle, Phase::Resolve, &expected);
    assert_eq!(failure.dependencies, ["com.github.acme:charts:3.1.0"]);
}

#[test]
fn of_npm_remain_packages_and_codes() {
    let output = "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE could not resolve\nnpm ERR!\n\
        npm ERR! While resolving: my-shop@0.1.0\nnpm ERR! Found: react@18.2.0\nnpm ERR! node_modules/react\n\
        npm ERR!   react@\"^18.2.0\" from the root project\nnpm ERR!\n\
        npm ERR! peer react@\"^17.0.0\" from old-widgets@4.12.4\n\
        npm ERR! Fix the upstream dependency conflict, or retry\n\
        npm ERR! A complete log of this run can be found in: /root/.npm/_logs/2024-debug-0.log";
    let failure = BuildFailure::of(output).unwrap();
    assert_eq!(
        (failure.tool, failure.phase),
        (Tool::Node, Some(Phase::Resolve))
    );
    assert_eq!(failure.codes, ["ERESOLVE"]);
    let dependencies = [
        "react@18.2.0",
        "react@^18.2.0",
        "react@^17.0.0",
        "old-widgets@4.12.4",
    ];
    assert_eq!(failure.dependencies, dependencies);
    assert!(!failure.essence().contains("my-shop"));
    check(
        "ERROR in ./src/cart/index.js 3:0-25\n\
         Module not found: Error: Can't resolve 'crypto' in '/home/ann/my-shop/src/cart'\n\
         webpack 5.88.0 compiled with 1 error in 900 ms\nNode.js v18.17.1",
        Tool::Node,
        Phase::Compile,
        &["Error Can't resolve crypto"],
    );
}

#[test]
fn of_typescript_remain_codes_and_types() {
    let output = "src/cart/view.ts(12,5): error TS2305: Module '\"react-router-dom\"' has no exported member 'Switch'.\n\
        src/cart/list.ts:9:1 - error TS2322: Type 'Timeout' is not assignable to type 'number'.\n\n\
        9   const handle = start();\n    ~~~~~~\n\nFound 2 errors in 2 files.";
    let expected = [
        "TS2305 Module react-router-dom has no exported member Switch",
        "TS2322 Type Timeout is not assignable to type number",
    ];
    let failure = check(output, Tool::TypeScript, Phase::Compile, &expected);
    assert_eq!(failure.codes, ["TS2305", "TS2322"]);
}

#[test]
fn of_pip_and_python_remain_requirements_and_exceptions() {
    let failure = check(
        "Collecting flask\n  Using cached flask-2.3.3-py3-none-any.whl (96 kB)\n\
         ERROR: Could not find a version that satisfies the requirement oldlib==1.15 (from versions: 2.8.0, 2.9.0)\n\
         ERROR: No matching distribution found for oldlib==1.15",
        Tool::Pip,
        Phase::Resolve,
        &[
            "Could not find a version that satisfies the requirement oldlib==1.15",
            "No matching distribution found for oldlib==1.15",
        ],
    );
    assert_eq!(failure.dependencies, ["oldlib==1.15"]);
    check(
        "platform linux -- Python 3.11.4, pytest-7.4.0\nrootdir: /home/ann/shop\n\
         tests/test_cart.py:3: in <module>\n    from shop.cart import Cart\n\
         /home/ann/shop/.venv/lib/python3.11/site-packages/webthing/core.py:9: in <module>\n\
         E   ImportError: cannot import name 'url_quote' from 'werkzeug.urls' (/usr/lib/python3.11/site-packages/werkzeug/urls.py)\n\
         ERROR tests/test_cart.py - ImportError: cannot import name 'url_quo...\n=== 1 error in 0.31s ===",
        Tool::Python,
        Phase::Test,
        &[
            "ImportError cannot import name url_quote from werkzeug.urls werkzeug",
            "ImportError cannot import name url_quo",
            "in webthing",
            "tests end with errors",
        ],
    );
}

#[test]
fn of_cargo_remain_codes_labels_and_notes() {
    check(
        "   Compiling shop v0.1.0 (/home/ann/shop)\n\
         error[E0432]: unresolved import `hyper::Server`\n --> src/net/mod.rs:3:5\n  |\n3 | use hyper::Server;\n  \
         |     ^^^^^^^^^^^^^ no `Server` in the root\n\n\
         error[E0277]: the trait bound `shop::Cart: serde::Serialize` is not satisfied\n  --> src/cart.rs:9:1\n   |\n   \
         = note: required for `Vec<Cart>` to implement `serde::Serialize`\n\n\
         error: could not compile `shop` (lib) due to 2 previous errors; 3 warnings emitted",
        Tool::Cargo,
        Phase::Compile,
        &[
            "E0432 unresolved import hyper::Server no Server in the root",
            "E0277 the trait bound serde::Serialize is not satisfied required for Vec Cart to implement serde::Serialize",
        ],
    );
}

#[test]
fn of_go_remain_modules_and_signatures() {
    check(
        "# github.com/acme/shop/internal/cart\n\
         internal/cart/store.go:12:9: undefined: jwt.StandardClaims\n\
         internal/cart/store.go:40:22: not enough arguments in call to client.Get\n\thave (string)\n\twant (context.Context, string)\n\
         main.go:4:2: no required module provides package github.com/other/lib; to add it:\n\tgo get github.com/other/lib",
        Tool::Go,
        Phase::Compile,
        &[
            "undefined jwt.StandardClaims",
            "not enough arguments in call to client.Get have string want context.Context string",
            "no required module provides package github.com/other/lib to add it",
        ],
    );
}

#[test]
fn of_dotnet_and_make_remain_codes_and_names() {
    check(
        "  Determining projects to restore...\n\
         /src/Shop/Cart.cs(10,17): error CS0246: The type or namespace name 'JObject' could not be found (are you missing \
         a using directive or an assembly reference?) [/src/Shop/Shop.csproj]\n\
         Build FAILED.\n    0 Warning(s)\n    1 Error(s)\nTime Elapsed 00:00:03.12",
        Tool::Dotnet,
        Phase::Compile,
        &["CS0246 The type or namespace name JObject could not be found"],
    );
    check(
        "In file included from src/net.c:4:\nsrc/net.c:12:10: fatal error: openssl/ssl.h: No such file or directory\n\
         \u{20}  12 | #include <openssl/ssl.h>\n      |          ^~~~~~~~~~~~~~~\ncompilation terminated.\n\
         make[1]: *** [Makefile:21: net.o] Error 1",
        Tool::Native,
        Phase::Compile,
        &["openssl/ssl.h No such file or directory"],
    );
}

#[test]
fn words_around_an_output_stay() {
    let question = format!(
        "After moving to Jakarta the build breaks, what replaces these?\n\n{MAVEN_COMPILER}"
    );
    let essence = essence(&question).unwrap();
    assert!(
        essence.starts_with("After moving to Jakarta the build breaks what replaces these\n"),
        "{essence}"
    );
}

#[test]
fn other_texts_are_not_build_output() {
    let texts = [
        "",
        "how do I make Maven skip the tests",
        "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable",
        "TS2345: Argument of type 'string' is not assignable to parameter of type 'number'",
        "java.lang.NullPointerException in production",
        "[ERROR] connection refused by 10.0.0.1\n[ERROR] retrying in 5 s\n[INFO] connected",
        "npm ERR! missing script: start",
        "Print a summary: `gradle build > Run with care`\nSee https://docs.gradle.org",
        "ValueError: invalid literal for int() with base 10: 'x'",
        "Warning: this removes all files.\nIt cannot be undone: src/main.c, 12: the rest",
    ];
    for text in texts {
        assert_eq!(essence(text), None, "{text}");
    }
}

/// A deterministic sequence of pseudorandom numbers.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}

#[test]
fn any_text_is_read_without_a_panic_and_within_bounds() {
    let parts = [
        "[ERROR] ",
        "src/main/java/",
        "A.java",
        ":[1,",
        "]",
        ":12:5: ",
        "error ",
        "TS2345",
        ": ",
        "npm ERR! ",
        "  |  ",
        "^^^",
        "Traceback (most recent call last)",
        "\n",
        "\n",
        " ",
        "é",
        "日本",
        "\u{1b}[31m",
        "\u{1b}",
        "`",
        "'",
        "\"",
        "(",
        ")",
        "@",
        "^1.0",
        "node_modules/",
        "site-packages/",
        "/pkg/mod/",
        ".m2/repository/",
        "registry/src/",
        "== ",
        "E   ",
        "➤ YN0001: │ ",
        "× ",
        "# a/b",
        "  Time elapsed: ",
        "Tests run: 1",
        " in ",
        "Failed to execute goal ",
        "on project x",
        " -> [Help 1]",
        "> Task :",
        " FAILED",
        "error[E0001]: ",
        "thread 'a' panicked at '",
        "', b",
        "\t",
        "\0",
        "\u{202e}",
        "x",
        "::",
        ".",
        "Caused by: ",
        "symbol: ",
    ];
    let mut sequence = Sequence(28);
    for _ in 0..5_000 {
        let count = sequence.below(40);
        let text: String = (0..count)
            .map(|_| parts[sequence.below(parts.len())])
            .collect();
        if let Some(essence) = essence(&text) {
            assert!(essence.len() <= MAX_ESSENCE + 100, "{text:?}");
        }
    }
}

#[test]
fn a_long_output_takes_time_linear_in_its_length() {
    let start = Instant::now();
    let rounds = 3;
    for round in 0..rounds {
        let line =
            "[ERROR] /shop/src/main/java/com/example/A.java:[12,24] package org.lib".to_owned();
        let output: String = (0..10_000)
            .map(|at| format!("{line}.n{} does not exist\n", at + round))
            .collect();
        assert!(essence(&output).unwrap().len() <= MAX_ESSENCE + 100);
    }
    // A release build reads 64 KiB in 2 ms; a quadratic algorithm would take seconds.
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    let one_line = "(".repeat(200_000) + &"a/".repeat(200_000) + &"^ \u{1b}[".repeat(100_000);
    essence(&one_line);
    assert!(start.elapsed() < Duration::from_secs(25));
}
