"""Trains the classifier that distinguishes everyday questions from those about work with computers.

The everyday texts are the questions of `everyday-questions.txt` and the topics of `everyday-topics.txt`. The others are
the questions of `technical-questions.txt` and of the parallel texts that the language map is trained on.
"""

import pathlib
import struct
import zlib

import numpy

from fit import normalised

MAGIC = b"RKEVD001"
FOLDER = pathlib.Path(__file__).resolve().parent
# The weight of each kind of text: everyday questions and topics, then technical questions and parallel texts.
SHARES = (1, 0.3, 1, 2)
# The regularization: the cost of large weights.
PULL = 3e-4
STEPS = 30
# One in this many questions, in order, is held out when the training is evaluated.
HELD_OUT = 5


class Questions:
    """The mapped vectors of each kind of text, in the order of `SHARES`."""

    def __init__(self, vectors, weights, samples):
        def mapped(kind, texts):
            return normalised(vectors.of(kind, texts) @ weights.T)

        self.kinds = [
            mapped("query", lines("everyday-questions.txt", with_language=True)),
            mapped("record", lines("everyday-topics.txt")),
            mapped("query", lines("technical-questions.txt", with_language=True)),
            normalised(samples.queries @ weights.T),
        ]

    def without_held_out(self):
        """Returns the remaining questions, then the everyday and the technical ones that are held out."""
        everyday, topics, technical, texts = self.kinds
        held = [numpy.arange(len(kind)) % HELD_OUT == 0 for kind in (everyday, technical)]
        rest = Questions.__new__(Questions)
        rest.kinds = [everyday[~held[0]], topics, technical[~held[1]], texts]
        return rest, everyday[held[0]], technical[held[1]]


def lines(name, with_language=False):
    """Reads the lines of a file in this folder, without the language in front of each."""
    with open(FOLDER / name, encoding="utf-8") as file:
        found = [line.strip() for line in file if line.strip()]
    return [line.split(" ", 1)[1] for line in found] if with_language else found


def fit_everyday(questions):
    """Fits a logistic regression by Newton's method; returns its weights and its bias."""
    inputs = numpy.concatenate(questions.kinds).astype(float)
    inputs = numpy.hstack([inputs, numpy.ones((len(inputs), 1))])
    is_everyday = numpy.concatenate([numpy.full(len(k), i < 2, float) for i, k in enumerate(questions.kinds)])
    share = numpy.concatenate([numpy.full(len(k), s / len(k)) for s, k in zip(SHARES, questions.kinds, strict=True)])
    share /= share.sum()
    pull = numpy.eye(inputs.shape[1]) * PULL
    pull[-1, -1] = 0
    values = numpy.zeros(inputs.shape[1])
    for _ in range(STEPS):
        probability = 1 / (1 + numpy.exp(-inputs @ values))
        gradient = inputs.T @ (share * (probability - is_everyday)) + pull @ values
        curvature = (inputs * (share * probability * (1 - probability))[:, None]).T @ inputs + pull
        values -= numpy.linalg.solve(curvature, gradient)
    return values[:-1].astype(numpy.float32), numpy.float32(values[-1])


def report(questions):
    """Prints how well a classifier that is trained on four fifths distinguishes the rest."""
    rest, everyday, technical = questions.without_held_out()
    weights, bias = fit_everyday(rest)
    everyday, technical = everyday @ weights + bias, technical @ weights + bias
    right = 100 * float((everyday[:, None] > technical).mean())
    print(f"everyday questions: {right:.1f} % of held-out pairs in order; "
          f"a tenth of the everyday ones is below {numpy.quantile(everyday, 0.1):.2f}, "
          f"a tenth of the technical ones above {numpy.quantile(technical, 0.9):.2f}")


def to_bytes(weights, bias):
    """Returns the contents of the artefact; `../README.md` describes them."""
    content = MAGIC + struct.pack("<I", len(weights)) + weights.astype("<f4").tobytes() + struct.pack("<f", bias)
    return content + struct.pack("<I", zlib.crc32(content))


def from_bytes(content):
    """Reads an artefact; returns weights and bias."""
    if content[:8] != MAGIC or zlib.crc32(content[:-4]) != struct.unpack("<I", content[-4:])[0]:
        raise ValueError("this is not an everyday classifier, or it is damaged")
    values = numpy.frombuffer(content, "<f4", struct.unpack_from("<I", content, 8)[0] + 1, 12)
    return values[:-1], values[-1]
