//! The syntax of each language.

use super::syntax::{BRACES, DOUBLE, Quote, SETTINGS, SINGLE, Syntax, Words};
use crate::tag::of_fence;

/// A language, or several with the same syntax.
pub(super) struct Language {
    /// The usual names of the languages, separated by spaces.
    names: &'static str,
    pub(super) syntax: Syntax,
}

const fn words(names: &'static str, words: Words) -> Language {
    Language {
        names,
        syntax: Syntax::Words(words),
    }
}

/// What many languages share, for code whose language is unknown.
pub(super) static COMMON: Syntax = Syntax::Words(Words {
    keywords: "abstract and as async await begin break case catch class const continue def defer del do \
        done elif else end enum except export extends false fi final finally fn for from func \
        function go if impl implements import in interface is lambda let loop match mod mut \
        namespace new nil not null or package pass private pub public raise return self static \
        struct super switch then this throw trait true try type undefined unsafe use using var \
        void where while with yield None True False SELECT FROM WHERE INSERT UPDATE DELETE \
        CREATE ALTER JOIN",
    types: false,
    calls: false,
    comments: &["//", "#!", "# ", "-- "],
    quotes: &[
        Quote::word("\"", false),
        Quote::word("'", true),
        Quote::word("`", true),
    ],
    ..BRACES
});

static LANGUAGES: [Language; 27] = [
    words(
        "rust",
        Words {
            keywords: "as async await break const continue crate dyn else enum extern false fn for \
                if impl in let loop match mod move mut pub ref return self Self static struct super \
                trait true type unsafe use where while bool char str f32 f64 i8 i16 i32 i64 i128 \
                isize u8 u16 u32 u64 u128 usize",
            quotes: &[
                Quote::block("r#\"", "\"#", false),
                Quote::block("\"", "\"", true),
                Quote::character("'"),
            ],
            ..BRACES
        },
    ),
    words(
        "python",
        Words {
            keywords: "and as assert async await break case class continue def del elif else except \
                finally for from global if import in is lambda match nonlocal not or pass raise \
                return self try while with yield None True False",
            comments: &["#"],
            block_comment: None,
            letters: "@",
            quotes: &[
                Quote::block("\"\"\"", "\"\"\"", true),
                Quote::block("'''", "'''", true),
                DOUBLE,
                SINGLE,
            ],
            ..BRACES
        },
    ),
    words(
        "javascript typescript",
        Words {
            keywords: "abstract any as async await boolean break case catch class const continue \
                debugger declare default delete do else enum export extends false finally for from \
                function get if implements import in instanceof interface is keyof let namespace \
                never new null number of private protected public readonly return satisfies set \
                static string super switch this throw true try type typeof undefined unknown var \
                void while with yield",
            letters: "$@",
            quotes: &[Quote::block("`", "`", true), DOUBLE, SINGLE],
            ..BRACES
        },
    ),
    words(
        "go",
        Words {
            keywords: "any bool break byte case chan const continue default defer else error \
                fallthrough false float32 float64 for func go goto if import int int32 int64 \
                interface iota map nil package range return rune select string struct switch true \
                type uint uint32 uint64 var",
            quotes: &[Quote::block("`", "`", false), DOUBLE, Quote::character("'")],
            ..BRACES
        },
    ),
    words(
        "java kotlin scala groovy dart",
        Words {
            keywords: "abstract as boolean break by byte case catch char class companion const \
                constructor continue data def default do double else enum extends false final \
                finally float for fun if implements import in init inline instanceof int interface \
                internal is lateinit lazy long match native new null object open operator override \
                package private protected public record required return sealed short static super \
                suspend switch synchronized this throw throws trait transient true try typealias \
                val var void volatile when while with yield",
            letters: "@",
            quotes: &[Quote::block("\"\"\"", "\"\"\"", false), DOUBLE, SINGLE],
            ..BRACES
        },
    ),
    words(
        "c cpp objectivec",
        Words {
            keywords: "alignas alignof auto bool break case catch char class co_await co_return \
                concept const consteval constexpr const_cast continue default delete do double \
                dynamic_cast else enum explicit export extern false final float for friend goto if \
                inline int long mutable namespace new noexcept NULL nullptr operator override \
                private protected public register reinterpret_cast requires restrict return short \
                signed sizeof static static_assert static_cast struct switch template this throw \
                true try typedef typename union unsigned using virtual void volatile while #define \
                #elif #else #endif #if #ifdef #ifndef #include #pragma #undef",
            letters: "#",
            quotes: &[DOUBLE, Quote::character("'")],
            ..BRACES
        },
    ),
    words(
        "csharp fsharp",
        Words {
            keywords: "abstract as async await base bool break byte case catch char class const \
                continue decimal default delegate do double else enum event explicit extern false \
                finally fixed float for foreach get goto if implicit in init int interface internal \
                is let lock long match member module mutable namespace new null object of operator \
                out override params partial private protected public readonly record ref required \
                return sbyte sealed set short sizeof static string struct switch this throw true \
                try type typeof uint ulong using var virtual void volatile when where while with \
                yield",
            quotes: &[
                Quote::block("\"\"\"", "\"\"\"", false),
                DOUBLE,
                Quote::character("'"),
            ],
            ..BRACES
        },
    ),
    words(
        "swift",
        Words {
            keywords: "actor as associatedtype async await break case catch class continue default \
                defer deinit do else enum extension fallthrough false fileprivate final for func \
                guard if import in indirect init inout internal is lazy let mutating nil open \
                operator override precedencegroup private protocol public repeat rethrows return \
                self Self some static struct subscript super switch throw throws true try typealias \
                var weak where while",
            letters: "@#",
            quotes: &[Quote::block("\"\"\"", "\"\"\"", true), DOUBLE],
            ..BRACES
        },
    ),
    words(
        "php",
        Words {
            keywords: "abstract and array as break callable case catch class clone const continue \
                declare default do echo else elseif enum extends false final finally fn for foreach \
                function global if implements include include_once instanceof interface isset match \
                namespace new null or print private protected public readonly require require_once \
                return static switch throw trait true try unset use var while yield",
            letters: "$",
            comments: &["//", "#"],
            ..BRACES
        },
    ),
    words(
        "ruby elixir",
        Words {
            keywords: "after alias and attr_accessor attr_reader begin break case catch class cond \
                def defmodule defp defstruct do else elsif end ensure extend false fn for if import \
                in include lambda module new next nil not or private proc protected public quote \
                raise redo require require_relative rescue retry return self super then true try \
                unless until use when while with yield",
            comments: &["#"],
            block_comment: None,
            letters: "@?",
            ..BRACES
        },
    ),
    words(
        "bash",
        Words {
            keywords: "alias apk apt apt-get brew bun bunx cargo case cat cd chmod chown command cp \
                curl deno do docker done echo elif else esac eval exec exit export fi for function \
                gem git go grep helm if in kill kubectl local ls make mkdir mv node npm npx pip pip3 \
                pnpm podman ps python python3 read readonly return rm rustup sed set shift source \
                ssh sudo systemctl tar test then touch trap unset until uv wget while yarn",
            types: false,
            calls: false,
            letters: "-$",
            comments: &["#"],
            block_comment: None,
            quotes: &[
                Quote::block("\"", "\"", true),
                Quote::block("'", "'", false),
            ],
            ..BRACES
        },
    ),
    words(
        "powershell",
        Words {
            keywords: "begin break catch class continue data do dynamicparam else elseif end exit \
                filter finally for foreach from function if in param process return switch throw \
                trap try until using while $true $false $null",
            any_case: true,
            letters: "-$",
            comments: &["#"],
            block_comment: Some(("<#", "#>")),
            ..BRACES
        },
    ),
    words(
        "sql",
        Words {
            keywords: "add all alter analyze and as asc between begin bigint boolean by cascade case \
                cast check column commit conflict constraint create cross database default delete \
                desc distinct do drop else end except exists explain extension false fetch for \
                foreign from full function grant group having if in index inner insert int integer \
                intersect into is join key left like limit lock materialized not nothing null \
                numeric offset on or order outer partition primary references rename replace \
                returning right rollback schema select sequence serial set table text then time \
                timestamp timestamptz to transaction trigger true truncate union unique update \
                using uuid vacuum values varchar view when where with",
            any_case: true,
            types: false,
            comments: &["--"],
            quotes: &[Quote::block("'", "'", false), DOUBLE],
            ..BRACES
        },
    ),
    words(
        "json",
        Words {
            keywords: "true false null",
            types: false,
            calls: false,
            names_end: Some(':'),
            quotes: &[DOUBLE],
            ..BRACES
        },
    ),
    words(
        "yaml",
        Words {
            names_end: Some(':'),
            letters: "-./",
            comments: &["#"],
            quotes: &[DOUBLE],
            ..SETTINGS
        },
    ),
    words(
        "toml ini",
        Words {
            quotes: &[
                Quote::block("\"\"\"", "\"\"\"", true),
                Quote::block("'''", "'''", false),
                DOUBLE,
                SINGLE,
            ],
            ..SETTINGS
        },
    ),
    words(
        "dockerfile",
        Words {
            keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN \
                SHELL STOPSIGNAL USER VOLUME WORKDIR",
            comments: &["#"],
            letters: "-$",
            ..SETTINGS
        },
    ),
    words(
        "makefile cmake",
        Words {
            keywords: "define else endef endif endforeach endfunction export foreach function if \
                ifdef ifeq ifndef ifneq include override set unexport",
            letters: "-.$",
            comments: &["#"],
            ..SETTINGS
        },
    ),
    words(
        "hcl nix nginx",
        Words {
            keywords: "assert data dynamic else false for if in inherit let locals location module \
                null output provider rec resource server terraform then true upstream variable with",
            comments: &["#", "//"],
            block_comment: Some(("/*", "*/")),
            letters: "-$",
            quotes: &[Quote::block("''", "''", false), DOUBLE],
            ..SETTINGS
        },
    ),
    words(
        "css scss",
        Words {
            keywords: "@charset @container @extend @font-face @forward @function @if @import \
                @include @keyframes @layer @media @mixin @property @return @supports @use !important",
            types: false,
            names_end: Some(':'),
            letters: "-@!$",
            ..BRACES
        },
    ),
    words(
        "graphql protobuf",
        Words {
            keywords: "enum extend extends fragment implements import input interface message \
                mutation on oneof option optional package query repeated required reserved returns \
                rpc scalar schema service subscription syntax type union bool bytes double float \
                int32 int64 string uint32 uint64 true false null",
            comments: &["#", "//"],
            letters: "$@",
            ..BRACES
        },
    ),
    words(
        "lua",
        Words {
            keywords: "and break do else elseif end false for function goto if in local nil not or \
                repeat return self then true until while",
            types: false,
            comments: &["--"],
            block_comment: Some(("--[[", "]]")),
            quotes: &[Quote::block("[[", "]]", false), DOUBLE, SINGLE],
            ..BRACES
        },
    ),
    words(
        "haskell",
        Words {
            keywords: "case class data deriving do else exposing family forall foreign hiding if \
                import in infix infixl infixr instance let module newtype of port qualified then \
                type where",
            calls: false,
            comments: &["--"],
            block_comment: Some(("{-", "-}")),
            letters: "'",
            quotes: &[DOUBLE, Quote::character("'")],
            ..BRACES
        },
    ),
    words(
        "zig",
        Words {
            keywords: "and anytype async await bool break catch comptime const continue defer else \
                enum errdefer error export extern false fn for if import inline mut null or orelse \
                packed pub return struct switch test true try type undefined union unreachable \
                usingnamespace var void while f32 f64 i32 i64 u8 u16 u32 u64 usize",
            letters: "@",
            quotes: &[DOUBLE, Quote::character("'")],
            ..BRACES
        },
    ),
    words(
        "r julia perl",
        Words {
            keywords: "abstract baremodule begin break catch const continue do else elseif elsif end \
                export false FALSE finally for foreach function if import in let library local \
                macro module mutable my NA next nothing NULL our package quote repeat return \
                struct sub then true TRUE try unless use using while",
            comments: &["#"],
            block_comment: None,
            letters: "$@%",
            ..BRACES
        },
    ),
    Language {
        names: "html xml vue svelte",
        syntax: Syntax::Markup,
    },
    Language {
        names: "diff",
        syntax: Syntax::Diff,
    },
];

impl Language {
    /// Finds the language by its name at a code fence.
    pub(super) fn named(fence: &str) -> Option<&'static Self> {
        let name = of_fence(fence)?;
        LANGUAGES
            .iter()
            .find(|language| language.names.split(' ').any(|known| known == name))
    }
}
