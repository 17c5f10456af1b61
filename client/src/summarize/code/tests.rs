//! Contexts, and the code in them.

use super::*;

#[test]
fn code_is_separated_from_the_context() {
    let check = |context: &str, prose: Option<&str>, code: Option<&str>| {
        let (found_prose, found_code) = cut_code(context);
        assert_eq!(found_prose.as_deref(), prose, "prose of {context:?}");
        assert_eq!(found_code.as_deref(), code, "code of {context:?}");
    };
    check("", None, None);
    check(
        "Debian 12, Python 3.12",
        Some("Debian 12, Python 3.12"),
        None,
    );
    check(
        "React 18\n\nCode example:\n  let a = 1;\n\n  let b = 2;\n",
        Some("React 18"),
        Some("  let a = 1;\n\n  let b = 2;"),
    );
    check("代码示例：x()", None, Some("x()"));
    check("Code: x()\ny()", None, Some("x()\ny()"));
    check("exit code: 137", Some("exit code: 137"), None);
    check(
        "Before\n```rust\nfn a() {}\n```\nAfter",
        Some("Before\nAfter"),
        Some("fn a() {}"),
    );
    check(
        "```\na\n```\nand\n~~~\nb ``` c\n~~~",
        Some("and"),
        Some("a\n\nb ``` c"),
    );
    check("cut off:\n```js\nrun()", Some("cut off:"), Some("run()"));
    check("````\n```\ninner\n```\n````", None, Some("```\ninner\n```"));
}
