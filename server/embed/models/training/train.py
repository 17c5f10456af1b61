"""Trains the language map of the built-in embedding model, models/multilingual-e5-small-map.bin, and the
classifier that recognizes everyday questions, models/multilingual-e5-small-everyday.bin.

README.md in this folder describes both and the origin of the texts.
"""

import os

# One thread, so that sums are always computed in the same order. This must be set before numpy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import pathlib
import sys

import numpy

import evaluate
import everyday
import fetch
import fit
import texts
from vectors import Vectors

ROOT = pathlib.Path(__file__).resolve().parents[4]
MODELS = ROOT / "server" / "embed" / "models"
ARTEFACT = MODELS / "multilingual-e5-small-map.bin"
EVERYDAY = MODELS / "multilingual-e5-small-everyday.bin"
# The lowest accepted cosine between vectors mapped by the map in the repository and by a newly trained one.
ALIKE = 0.9999
# The lowest accepted share of texts for which two classifiers recognize the same language.
AGREEMENT = 0.999


def main():
    """Runs the command; returns its exit code."""
    options = arguments()
    cache = options.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    groups = texts.read_groups(fetch.fetch_all(cache))
    vectors = Vectors(cache, options.embedder.resolve(), MODELS)
    training = fit.Samples([g for g in groups if not g.held_out], vectors)
    held_out_groups = [g for g in groups if g.held_out]
    held_out = fit.Samples(held_out_groups, vectors)
    print(f"{len(training.group)} texts of {len(training.kinds)} groups to train on, "
          f"{len(held_out.group)} of {len(held_out.kinds)} held out")
    content = fit.to_bytes(fit.fit_map(training), fit.fit_classifier(training))
    searches = evaluate.held_out_searches(held_out, held_out_groups)
    for folder in options.search:
        searches[folder.name] = evaluate.search_of_files(folder, vectors)
    weights, classifier = fit.from_bytes(content)
    report(searches, held_out, weights, classifier)
    questions = everyday.Questions(vectors, weights, training)
    everyday.report(questions)
    everyday_content = everyday.to_bytes(*everyday.fit_everyday(questions))
    if options.check:
        return check(content, held_out) or check_everyday(everyday_content)
    for artefact, made in ((ARTEFACT, content), (EVERYDAY, everyday_content)):
        artefact.write_bytes(made)
        print(f"wrote {artefact}")
    return 0


def arguments():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="train, and compare with the file in the repository")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "target" / "training",
                        help="folder for downloads and vectors, all of which may be deleted (%(default)s)")
    parser.add_argument("--embedder", type=pathlib.Path, default=ROOT / "target/release/examples/embed_texts",
                        help="the program of tests/tools/examples/embed_texts.rs (%(default)s)")
    parser.add_argument("--search", type=pathlib.Path, nargs="*", default=[], metavar="FOLDER",
                        help="also search in sets of docs.jsonl and queries.jsonl; they are not trained on")
    return parser.parse_args()


def report(searches, held_out, weights, classifier):
    """Prints the figures of searches without the map and with it."""
    print(f"{'recall@1 / recall@10 / nDCG@10':42} {'without the map':>22} {'with it':>22}")
    for name, search in searches.items():
        before, after = (" / ".join(f"{x:.1f}" for x in evaluate.figures(search, w)) for w in (None, weights))
        print(f"{f'{name} ({len(search[0])} in {len(search[1])})':42} {before:>22} {after:>22}")
    records, queries = evaluate.languages_right(held_out, classifier)
    print(f"languages recognized: {records:.1f} % of records, {queries:.1f} % of questions")


def check(content, held_out):
    """Compares a newly trained artefact with the one in the repository; returns the exit code."""
    weights, (scores, biases) = fit.from_bytes(content)
    old_weights, (old_scores, old_biases) = fit.from_bytes(ARTEFACT.read_bytes())
    vectors = numpy.concatenate([held_out.queries, held_out.records])
    cosines = (fit.normalised(vectors @ weights.T) * fit.normalised(vectors @ old_weights.T)).sum(axis=1)
    recognized = (vectors @ scores.T + biases).argmax(axis=1)
    same = float((recognized == (vectors @ old_scores.T + old_biases).argmax(axis=1)).mean())
    print(f"lowest cosine to the map in the repository: {cosines.min():.6f}; same language: {100 * same:.2f} %")
    if cosines.min() < ALIKE or same < AGREEMENT:
        print(f"{ARTEFACT.name} is not what this command trains", file=sys.stderr)
        return 1
    print(f"{ARTEFACT.name} is what this command trains")
    return 0


def check_everyday(content):
    """Compares newly trained weights of the everyday classifier with those in the repository."""
    (weights, bias), (old_weights, old_bias) = (everyday.from_bytes(c) for c in (content, EVERYDAY.read_bytes()))
    cosine = float(weights @ old_weights / numpy.linalg.norm(weights) / numpy.linalg.norm(old_weights))
    print(f"everyday classifier: cosine {cosine:.6f} to that in the repository, bias {bias:.3f} and {old_bias:.3f}")
    if cosine < ALIKE or abs(bias - old_bias) > 0.05:
        print(f"{EVERYDAY.name} is not what this command trains", file=sys.stderr)
        return 1
    print(f"{EVERYDAY.name} is what this command trains")
    return 0


if __name__ == "__main__":
    sys.exit(main())
