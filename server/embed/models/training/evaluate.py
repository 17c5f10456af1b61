"""Evaluates a map by searching: the share of questions that find their record, by cosine alone."""

import json

import numpy

from fit import normalised
from texts import LANGUAGES, rank


def held_out_searches(samples, groups):
    """Returns searches in stores of one kind of text, with each record in one of its languages.

    "other" has questions in other languages than the record's, "same" those in the same language. In its own
    language the question about a message is the message itself, so there is no "same" search for messages.
    """
    searches = {}
    for kind in sorted(set(samples.kinds)):
        stored, queries = [], {"other": [], "same": []}
        for index, group in enumerate(groups):
            if group.kind != kind:
                continue
            codes = sorted(group.records, key=lambda code: rank(f"{group.name} in {code}"))
            stored.append(samples.row[index, LANGUAGES.index(codes[0])])
            for code in codes[:4]:
                which = "same" if code == codes[0] else "other"
                queries[which].append((samples.row[index, LANGUAGES.index(code)], len(stored) - 1))
        for which, questions in queries.items():
            if which == "other" or kind != "messages":
                rows = [row for row, _ in questions]
                answers = [[answer] for _, answer in questions]
                searches[f"{kind}, {which}"] = (samples.queries[rows], samples.records[stored], answers)
    return searches


def search_of_files(folder, vectors):
    """Reads docs.jsonl and queries.jsonl of a folder; returns a search."""
    with open(folder / "docs.jsonl", encoding="utf-8") as file:
        docs = [json.loads(line) for line in file]
    with open(folder / "queries.jsonl", encoding="utf-8") as file:
        questions = [json.loads(line) for line in file]
    place = {doc["id"]: i for i, doc in enumerate(docs)}
    records = vectors.of("record", [f"{doc['title']}\n{doc['text']}" for doc in docs])
    queries = vectors.of("query", [query["text"] for query in questions])
    return queries, records, [[place[name] for name in query["relevant"]] for query in questions]


def figures(search, weights=None):
    """Returns recall@1, recall@10 and nDCG@10 of a search in percent."""
    queries, records, answers = search
    if weights is not None:
        queries, records = normalised(queries @ weights.T), normalised(records @ weights.T)
    first = numpy.argsort(-(queries @ records.T), axis=1, kind="stable")[:, :10]
    recall_1, recall_10, ndcg = [], [], []
    for found, relevant in zip(first, answers, strict=True):
        hits = numpy.isin(found, relevant)
        gain = hits / numpy.log2(numpy.arange(2, 12))
        ideal = (1 / numpy.log2(numpy.arange(2, 2 + min(10, len(relevant))))).sum()
        recall_1.append(hits[:1].sum() / len(relevant))
        recall_10.append(hits.sum() / len(relevant))
        ndcg.append(gain.sum() / ideal)
    return [100 * float(numpy.mean(values)) for values in (recall_1, recall_10, ndcg)]


def languages_right(samples, classifier):
    """Returns in percent how often the classifier recognizes the language of a record and of a question."""
    scores, biases = classifier
    right = []
    for vectors in (samples.records, samples.queries):
        recognized = (vectors @ scores.T + biases).argmax(axis=1)
        right.append(100 * float((recognized == samples.language).mean()))
    return right
