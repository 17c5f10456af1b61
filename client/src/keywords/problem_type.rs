//! The kind of problem that a request is about, derived from its words in English, Chinese and French.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::summarize::Language;

/// A kind of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemType {
    /// Compiling, linking, bundling.
    Build,
    /// Packages and their versions.
    Dependency,
    /// How a program stores and displays its state.
    StateManagement,
    /// Connections, host names, certificates, requests between machines and origins.
    Network,
    /// Authorization and authentication.
    Permission,
    /// Threads, locks, races, parallel work.
    Concurrency,
    /// Too slow, too much memory.
    Performance,
    /// Settings, environment variables, paths.
    Configuration,
    /// Types, borrowing, syntax: a compiler's errors about the code itself.
    SyntaxAndTypes,
    /// Tests and their tools.
    Testing,
    /// Containers, clusters, pipelines, servers.
    Deployment,
    /// Databases, files, formats, encodings.
    Data,
}

impl ProblemType {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::StateManagement,
        Self::Dependency,
        Self::SyntaxAndTypes,
        Self::Concurrency,
        Self::Permission,
        Self::Network,
        Self::Testing,
        Self::Performance,
        Self::Data,
        Self::Deployment,
        Self::Build,
        Self::Configuration,
    ];

    /// Returns the name for programs, such as `state_management`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Dependency => "dependency",
            Self::StateManagement => "state_management",
            Self::Network => "network",
            Self::Permission => "permission",
            Self::Concurrency => "concurrency",
            Self::Performance => "performance",
            Self::Configuration => "configuration",
            Self::SyntaxAndTypes => "syntax_and_types",
            Self::Testing => "testing",
            Self::Deployment => "deployment",
            Self::Data => "data",
        }
    }

    /// Returns the name for people in the language `en`, `zh` or `fr`; in English for others.
    pub fn label(self, language: &str) -> &'static str {
        let [english, chinese, french] = match self {
            Self::Build => ["build", "构建问题", "compilation"],
            Self::Dependency => ["dependencies", "依赖问题", "dépendances"],
            Self::StateManagement => ["state management", "状态管理问题", "gestion de l'état"],
            Self::Network => ["network", "网络问题", "réseau"],
            Self::Permission => ["permissions", "权限问题", "droits d'accès"],
            Self::Concurrency => ["concurrency", "并发问题", "concurrence"],
            Self::Performance => ["performance", "性能问题", "performances"],
            Self::Configuration => ["configuration", "配置问题", "configuration"],
            Self::SyntaxAndTypes => ["syntax and types", "语法与类型问题", "syntaxe et types"],
            Self::Testing => ["tests", "测试问题", "tests"],
            Self::Deployment => ["deployment", "部署问题", "déploiement"],
            Self::Data => ["data", "数据问题", "données"],
        };
        match language {
            _ if language.starts_with("zh") => chinese,
            _ if language.starts_with("fr") => french,
            _ => english,
        }
    }

    /// Returns the name for people in the language of a text.
    pub fn label_like(self, text: &str) -> &'static str {
        self.label(Language::of(text).code())
    }

    /// Returns the kind that the words of a text indicate most strongly, if any.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.to_lowercase().replace('’', "'");
        let weighed = SIGNS.into_iter().map(|(kind, signs)| {
            let signs = signs.split(',').map(str::trim);
            let weight: usize = signs.filter(|sign| is_in(sign, &text)).map(weight).sum();
            (weight, kind)
        });
        let indicated = weighed.filter(|(weight, _)| *weight > 0);
        // `max_by_key` returns the last maximum, so the order is reversed to get the first one.
        indicated
            .rev()
            .max_by_key(|(weight, _)| *weight)
            .map(|(_, kind)| kind)
    }
}

/// Beginnings of words that indicate a kind, in lower case; a `!` marks the strong ones. Of two kinds with
/// the same weight the first one is used, because it is more specific.
const SIGNS: [(ProblemType, &str); 12] = [
    (
        ProblemType::StateManagement,
        "!usestate, !setstate, !usereducer, !redux, !vuex, !pinia, !zustand, !mobx, !stale closure, \
         !stale state, !not updating, !re-render, !rerender, useeffect, state, store, props, reactiv, hook, \
         !不更新, !未更新, !没有更新, 状态, 重新渲染, 响应式, état, !ne se met pas à jour, !se met à jour",
    ),
    (
        ProblemType::Dependency,
        "!eresolve, !peer dep, !module not found, !cannot find module, !modulenotfounderror, !no module named, \
         !version conflict, !no matching distribution, !unmet, dependenc, package, npm install, pip install, \
         node_modules, lockfile, cargo.lock, package.json, requirements.txt, upgrade, incompatible version, \
         could not resolve, 依赖, 找不到模块, 版本冲突, 包管理, 安装包, 升级, dépendance, paquet, \
         conflit de version, mise à niveau",
    ),
    (
        ProblemType::SyntaxAndTypes,
        "!syntaxerror, !syntax error, !typeerror, !type error, !mismatched types, !is not assignable, \
         !cannot borrow, !borrow checker, !does not live long enough, !lifetime, !e0502, !e0499, !e0308, \
         !e0382, !is not a function, !undefined is not, !cannot read propert, !nonetype, !nameerror, \
         !referenceerror, !unexpected token, !ts2, type, generic, trait, cast, !语法错误, !类型错误, \
         类型, 语法, !借用, !erreur de syntaxe, !erreur de type, syntaxe, emprunt",
    ),
    (
        ProblemType::Concurrency,
        "!deadlock, !race condition, !data race, !mutex, !thread, !concurren, !goroutine, !not send, \
         !send between threads, !cannot be sent, async, await, parallel, lock, atomic, semaphore, \
         !死锁, !竞态, !并发, 线程, 协程, 异步, 锁, !interblocage, !concurrence, verrou, parallèle",
    ),
    (
        ProblemType::Permission,
        "!permission denied, !eacces, !eperm, !access denied, !forbidden, !unauthorized, !403, !401, \
         !operation not permitted, permission, sudo, chmod, chown, privilege, auth, token expired, login, \
         !权限, !拒绝访问, 授权, 认证, 登录, !accès refusé, !permission refusée, droits, autoris, authentif",
    ),
    (
        ProblemType::Network,
        "!econnrefused, !econnreset, !etimedout, !enotfound, !connection refused, !connection reset, \
         !connection timed out, !cors, !dns, !ssl, !tls, !certificate, !handshake, !proxy, !502, !503, !504, \
         network, socket, http, request, fetch, timeout, websocket, gateway, !address already in use, \
         !eaddrinuse, port, !跨域, !连接被拒绝, !证书, 网络, 连接, 请求, 超时, 代理, 端口, réseau, \
         connexion, certificat, requête, délai",
    ),
    (
        ProblemType::Testing,
        "!jest, !vitest, !pytest, !junit, !assertion, !flaky, !snapshot test, !test fail, !mock, !cypress, \
         !playwright, !selenium, test, coverage, fixture, !单元测试, !测试失败, 测试, 断言, \
         !test échou, !tests échou, couverture",
    ),
    (
        ProblemType::Performance,
        "!memory leak, !out of memory, !oom, !slow, !heap out of memory, !high cpu, performance, latency, \
         bottleneck, optimi, throughput, memory usage, takes too long, n+1, !内存泄漏, !内存溢出, !很慢, \
         !太慢, !卡顿, 性能, 优化, 内存, !fuite de mémoire, !fuite mémoire, !lent, performances, latence",
    ),
    (
        ProblemType::Data,
        "!sql, !sqlite, !postgres, !mysql, !mongodb, !redis, !migration, !foreign key, !unique constraint, \
         !duplicate key, !unicodedecodeerror, !utf-8, !encoding, !json parse, !jsondecodeerror, database, \
         query, table, schema, index, csv, json, column, pandas, dataframe, !数据库, !编码, !乱码, !数据, \
         查询, 表, !base de données, encodage, requête sql, données",
    ),
    (
        ProblemType::Deployment,
        "!kubernetes, !kubectl, !k8s, !helm, !crashloopbackoff, !imagepullbackoff, !docker, !dockerfile, \
         !nginx, !ci/cd, !github actions, !gitlab ci, !terraform, !systemd, deploy, container, pod, \
         pipeline, production, release, vercel, heroku, !部署, !容器, 镜像, 上线, 发布, !déploi, \
         conteneur, mise en production",
    ),
    (
        ProblemType::Build,
        "!could not compile, !compilation fail, !linker, !undefined reference, !undefined symbol, build, \
         compil, webpack, vite, rollup, esbuild, bundl, cmake, makefile, gradle, maven, msbuild, \
         !unresolved external, transpil, 构建, 编译, 打包, 链接失败, construction, lieur",
    ),
    (
        ProblemType::Configuration,
        "!environment variable, !env var, !command not found, !not recognized as, config, setting, .env, \
         tsconfig, yaml, path, option, flag, environment, !环境变量, !配置, 设置, 路径, \
         !variable d'environnement, configuration, paramètre, réglage",
    ),
];

impl fmt::Display for ProblemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn weight(sign: &str) -> usize {
    match sign.starts_with('!') {
        true => 3,
        false => 1,
    }
}

/// Returns whether a word of a text begins with a sign. A Chinese sign may be anywhere, because Chinese has
/// no spaces between words.
fn is_in(sign: &str, text: &str) -> bool {
    let sign = sign.trim_start_matches('!');
    let begins = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !sign.starts_with(|c: char| c.is_ascii_alphanumeric())
            || before.is_none_or(|c| !c.is_ascii_alphanumeric())
    };
    text.match_indices(sign).any(|(at, _)| begins(at))
}
