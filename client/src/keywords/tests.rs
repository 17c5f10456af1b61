//! Requests in several languages, their keywords and kinds.

use super::{MAX_MESSAGES, Need, ProblemType, extract_keywords};

/// A request, and its keywords.
const REQUESTS: &[(&str, &str)] = &[
    // The protocol's example.
    (
        "用户遇到了React useState不更新的问题",
        "React useState 不更新",
    ),
    ("React useState not updating", "React useState not updating"),
    // Identifiers, codes, versions, options and operators stay as they are.
    (
        "How do I fix error[E0502]: cannot borrow `*self` as mutable?",
        "fix error[E0502] cannot borrow *self mutable",
    ),
    (
        "why is std::sync::Arc<T> not Send",
        "std::sync::Arc<T> not Send",
    ),
    ("Is there a C++ (or C#) way?", "C++ C# way"),
    ("what does git push --no-verify do", "git push --no-verify"),
    (
        "node.js v20.11.1 and .NET 8.0.",
        "node.js v20.11.1 .NET 8.0",
    ),
    ("useEffect() is called twice", "useEffect() called twice"),
    ("JOIN ON two columns AS one", "JOIN ON two columns AS one"),
    (
        "why is this undefined in a callback",
        "this undefined callback",
    ),
    (
        "what is the \"no space left on device\" error",
        "no space left on device error",
    ),
    // Negations change the meaning, so they stay.
    ("it doesn't work without sudo", "doesn't work without sudo"),
    ("为什么useState没有更新？", "useState 没有更新"),
    // Other languages.
    ("请问如何在Docker中使用GPU？", "Docker 中使用 GPU"),
    ("Python3报错：找不到模块怎么办", "Python3 报错 找不到模块"),
    ("数据库连接数过多的原因", "数据库连接数过多"),
    (
        "Reactの状態が更新されないのですが",
        "React 状態が更新されない",
    ),
    (
        "Pourquoi l'erreur n’est-elle pas affichée dans le terminal ?",
        "erreur est-elle pas affichée terminal",
    ),
    (
        "Wie kann ich den Prozess beenden, wenn er hängt?",
        "Prozess beenden hängt",
    ),
    (
        "¿Cómo puedo instalar el paquete con pip?",
        "puedo instalar paquete pip",
    ),
    // Words of one language that are stop words of another stay.
    (
        "child process die signal war file",
        "child process die signal war file",
    ),
];

#[test]
fn keywords_are_extracted_from_requests() {
    for (text, expected) in REQUESTS {
        assert_eq!(extract_keywords(text), *expected);
    }
}

#[test]
fn a_text_of_only_stop_words_is_not_changed() {
    for text in ["how is it", "怎么办", "???", "to be or not"] {
        assert!(!extract_keywords(text).is_empty(), "{text}");
    }
    assert_eq!(extract_keywords("  how is it  "), "how is it");
    assert_eq!(extract_keywords(" \n "), "");
}

#[test]
fn error_messages_stay_as_they_are() {
    let message = "error[E0502]: cannot borrow `*self` as mutable, as it is \"used\" in the call";
    let after_words = format!("How do I get rid of this?\n{message}\n  --> src/main.rs:3:9\n");
    for (text, expected) in [
        (message, message.to_owned()),
        (
            &after_words,
            format!("rid this\n{message}\n--> src/main.rs:3:9"),
        ),
        (
            "is it\r\n  Error: no such \"table\" in the base \r\n",
            "Error: no such \"table\" in the base".to_owned(),
        ),
        (
            "错误: 找不到 模块 'x' 了\nfatal: the end",
            "错误: 找不到 模块 'x' 了\nfatal: the end".to_owned(),
        ),
        // Questions about errors, and texts that are too short for a message.
        ("why is it an error in a loop", "error loop".to_owned()),
        ("the error", "error".to_owned()),
    ] {
        assert_eq!(extract_keywords(text), expected);
    }
}

#[test]
fn the_number_and_length_of_messages_are_limited() {
    let long = format!("error: the {}\n", "word ".repeat(80)).repeat(100);
    assert!(!extract_keywords(&long).contains('\n'));
    let many = "error: it is the end\n".repeat(100);
    assert_eq!(extract_keywords(&many).lines().count(), MAX_MESSAGES + 1);
}

#[test]
fn requests_have_a_problem_type() {
    use ProblemType as P;
    for (text, expected) in [
        // The protocol's example.
        ("用户遇到了React useState不更新的问题", P::StateManagement),
        (
            "React useState not updating after setState",
            P::StateManagement,
        ),
        ("l'état ne se met pas à jour dans Vue", P::StateManagement),
        (
            "npm ERR! ERESOLVE unable to resolve dependency tree",
            P::Dependency,
        ),
        (
            "ModuleNotFoundError: No module named 'requests'",
            P::Dependency,
        ),
        ("Python3报错：找不到模块 numpy", P::Dependency),
        (
            "why is std::sync::Rc<T> not Send between threads",
            P::Concurrency,
        ),
        ("事务之间出现死锁怎么办", P::Concurrency),
        (
            "error[E0502]: cannot borrow `v` as mutable",
            P::SyntaxAndTypes,
        ),
        ("TypeError: x.map is not a function", P::SyntaxAndTypes),
        (
            "curl: (7) Failed to connect: Connection refused",
            P::Network,
        ),
        ("前端请求接口跨域怎么解决", P::Network),
        (
            "le certificat TLS n'est pas accepté par le proxy",
            P::Network,
        ),
        (
            "EACCES: permission denied, mkdir '/usr/lib/x'",
            P::Permission,
        ),
        ("没有权限写入目录", P::Permission),
        ("my jest test fails only on CI", P::Testing),
        (
            "node heap out of memory, memory leak in the worker",
            P::Performance,
        ),
        ("页面滚动很慢，如何优化性能", P::Performance),
        ("pod in CrashLoopBackOff after kubectl apply", P::Deployment),
        ("le conteneur Docker s'arrête au déploiement", P::Deployment),
        ("duplicate key value violates unique constraint", P::Data),
        ("CSV 文件打开后中文乱码", P::Data),
        ("undefined reference to `main` from the linker", P::Build),
        ("vite build: chunk size", P::Build),
        (
            "where do I set the environment variable for dotenv",
            P::Configuration,
        ),
        (
            "comment régler la variable d'environnement PATH",
            P::Configuration,
        ),
    ] {
        assert_eq!(Need::of(text).problem_type, Some(expected), "{text}");
    }
    for text in ["hello there", "你好", "comment ça va", ""] {
        assert_eq!(Need::of(text).problem_type, None, "{text}");
    }
}
