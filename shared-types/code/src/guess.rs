//! The language of code without a tag, if it is certain.

/// Commands by which a line is recognized as a shell command even without a prompt.
const COMMANDS: &[&str] = &[
    "cargo ",
    "npm ",
    "npx ",
    "pnpm ",
    "yarn ",
    "pip ",
    "pip3 ",
    "git ",
    "docker ",
    "curl ",
    "sudo ",
    "apt ",
    "apt-get ",
    "brew ",
    "rustup ",
    "kubectl ",
    "wget ",
    "python -m ",
    "go get ",
    "go install ",
    "uv ",
    "make ",
];

/// Returns the language of a text if it can be recognized with certainty.
pub fn guess(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let line = text.lines().next()?.trim_end();
    let has = |it: &str| text.contains(it);
    let lines_start = |it: &[&str]| {
        text.lines()
            .any(|line| it.iter().any(|it| line.starts_with(it)))
    };
    let found = if let Some(found) = guess_by_line(line, text) {
        found
    } else if text.starts_with(['{', '[']) && is_json(text) {
        "json"
    } else if lines_start(&["#include <", "#include \""]) {
        if has("std::") || has("class ") {
            "cpp"
        } else {
            "c"
        }
    } else if lines_start(&["package "]) && has("func ") {
        "go"
    } else if is_rust(text) {
        "rust"
    } else if (lines_start(&["def ", "class ", "async def "]) && has("):"))
        || has("__main__")
        || (lines_start(&["from "]) && has(" import ") && !has(";"))
    {
        "python"
    } else if has("public static void ") || (has("public class ") && has("{")) {
        "java"
    } else if has("console.log(") || (has(" = require(") && has("const ")) {
        "javascript"
    } else if lines_start(&["SELECT ", "INSERT INTO ", "CREATE TABLE ", "UPDATE "]) {
        "sql"
    } else if lines_start(&["[dependencies", "[package]", "[profile."]) {
        "toml"
    } else if COMMANDS.iter().any(|it| line.starts_with(it)) && !line.ends_with(['.', ':']) {
        "bash"
    } else {
        return None;
    };
    Some(found)
}

fn guess_by_line(line: &str, text: &str) -> Option<&'static str> {
    let found = if line.starts_with(">>> ") || line.starts_with("In [") {
        "python"
    } else if line.starts_with("$ ")
        || line.starts_with("#!/bin/")
        || line.starts_with("#!/usr/bin/env bash")
    {
        "bash"
    } else if line.starts_with("<?php") {
        "php"
    } else if line.starts_with("<?xml") {
        "xml"
    } else if line.to_ascii_lowercase().starts_with("<!doctype html") || line.starts_with("<html") {
        "html"
    } else if line.starts_with("diff --git ")
        || (line.starts_with("--- ") && text.contains("\n+++ "))
    {
        "diff"
    } else {
        return None;
    };
    Some(found)
}

fn is_rust(text: &str) -> bool {
    let strong = [
        "fn main()",
        "let mut ",
        "#[derive(",
        "impl ",
        "pub fn ",
        "#![",
        "use std::",
    ];
    let signs = strong.iter().filter(|it| text.contains(**it)).count();
    signs >= 2
        || (text.contains("fn main()") && text.contains('{'))
        || (signs == 1 && text.contains("::") && text.contains(';'))
}

fn is_json(text: &str) -> bool {
    const MAX: usize = 256 * 1024;
    text.len() <= MAX && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
