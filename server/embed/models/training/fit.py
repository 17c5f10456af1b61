"""Fits the language map and the language classifier to the vectors of parallel texts."""

import struct
import zlib

import numpy

from texts import LANGUAGES

MAGIC = b"RKMAP001"
# The number of main directions in which languages differ that are removed from the map before it is trained.
DIRECTIONS = 28
STEPS, WARM_UP, BATCH, RATE = 300, 50, 512, 1e-3
TEMPERATURE, PULL = 0.05, 0.01
# How often a question is in another language than the record, and how strongly a batch prefers some languages.
OTHER_LANGUAGE, TILT = 0.87, 1.5


class Samples:
    """The vectors of groups: for each group and language, one vector of a question and one of a record."""

    def __init__(self, groups, vectors):
        self.kinds = [group.kind for group in groups]
        pairs = [(i, code) for i, group in enumerate(groups) for code in group.records]
        self.group = numpy.array([i for i, _ in pairs])
        self.language = numpy.array([LANGUAGES.index(code) for _, code in pairs])
        self.records = vectors.of("record", [groups[i].records[code] for i, code in pairs])
        self.queries = vectors.of("query", [groups[i].queries[code] for i, code in pairs])
        self.row = numpy.full((len(groups), len(LANGUAGES)), -1)
        self.row[self.group, self.language] = numpy.arange(len(pairs))


def normalised(vectors):
    """Scales each row to length 1."""
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def starting_map(samples):
    """Returns the identity without the main directions in which languages differ.

    A vector is modelled as the sum of a part for its group and a part for its language; the two parts are
    estimated alternately, for questions and for records.
    """
    offsets = []
    for vectors in (samples.queries, samples.records):
        language = numpy.zeros((len(LANGUAGES), vectors.shape[1]), numpy.float32)
        for _ in range(10):
            group = means(vectors - language[samples.language], samples.group, len(samples.kinds))
            language = means(vectors - group[samples.group], samples.language, len(LANGUAGES))
        offsets.append(language - language.mean(axis=0))
    _, _, directions = numpy.linalg.svd(numpy.concatenate(offsets).astype(float), full_matrices=False)
    main = directions[:DIRECTIONS]
    return (numpy.eye(main.shape[1]) - main.T @ main).astype(numpy.float32)


def means(vectors, label, count):
    """Returns the mean vector of each label."""
    sums = numpy.zeros((count, vectors.shape[1]), numpy.float32)
    numpy.add.at(sums, label, vectors)
    return sums / numpy.maximum(1, numpy.bincount(label, minlength=count))[:, None].astype(numpy.float32)


def fit_map(samples, seed=1):
    """Trains the map: a question should be nearest to the record of its group, whatever the languages."""
    random = numpy.random.default_rng(seed)
    start = starting_map(samples)
    weights = start.copy()
    adam = Adam(weights)
    for step in range(STEPS):
        query, record = draw(samples, random)
        gradient = contrast(weights, samples.queries[query], samples.records[record])
        gradient += 2 * PULL * (weights - start)
        warm_up = min(1, (step + 1) / WARM_UP)
        adam.step(gradient, RATE * warm_up * 0.5 * (1 + numpy.cos(numpy.pi * step / STEPS)))
    return weights


def draw(samples, random):
    """Draws a batch of groups, and from each a question and a record, mostly in different languages."""
    groups = random.choice(len(samples.kinds), BATCH, replace=False)
    rows = samples.row[groups]
    record = choose(rows >= 0, random)
    possible = rows >= 0
    other = random.random(BATCH) < OTHER_LANGUAGE
    possible[other, record[other]] = False
    possible[~other] = False
    possible[~other, record[~other]] = True
    query = choose(possible, random)
    batch = numpy.arange(BATCH)
    return rows[batch, query], rows[batch, record]


def choose(possible, random):
    """Chooses a language in each row, with a random preference for some languages."""
    lean = TILT * random.standard_normal(possible.shape[1])
    noise = random.gumbel(size=possible.shape)
    return numpy.where(possible, lean + noise, -numpy.inf).argmax(axis=1)


def contrast(weights, queries, records):
    """Returns the gradient of the InfoNCE loss: each question against all records of the batch."""
    mapped_queries, mapped_records = queries @ weights.T, records @ weights.T
    query_length = numpy.linalg.norm(mapped_queries, axis=1, keepdims=True)
    record_length = numpy.linalg.norm(mapped_records, axis=1, keepdims=True)
    q, r = mapped_queries / query_length, mapped_records / record_length
    share = softmax(q @ r.T / TEMPERATURE)
    share[numpy.diag_indices(len(share))] -= 1
    share /= TEMPERATURE * len(share)
    to_q, to_r = share @ r, share.T @ q
    to_q = (to_q - (to_q * q).sum(axis=1, keepdims=True) * q) / query_length
    to_r = (to_r - (to_r * r).sum(axis=1, keepdims=True) * r) / record_length
    return to_q.T @ queries + to_r.T @ records


def softmax(scores):
    """Applies softmax to the scores of each row."""
    shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


class Adam:
    """The Adam optimiser (Kingma and Ba, 2015) for one array, which it changes in place."""

    def __init__(self, values):
        self.values = values
        self.mean, self.square, self.steps = numpy.zeros_like(values), numpy.zeros_like(values), 0

    def step(self, gradient, rate):
        """Takes a step against the gradient."""
        self.steps += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient**2 - self.square)
        mean = self.mean / (1 - 0.9**self.steps)
        square = self.square / (1 - 0.999**self.steps)
        self.values -= (rate * mean / (numpy.sqrt(square) + 1e-8)).astype(self.values.dtype)


def fit_classifier(samples, steps=300):
    """Trains a logistic regression that recognizes the language of an unmapped vector; returns weights and biases."""
    vectors = numpy.concatenate([samples.queries, samples.records])
    language = numpy.concatenate([samples.language] * 2)
    count = numpy.bincount(language, minlength=len(LANGUAGES))
    # The texts of a rare language have a higher weight, but together they count less than those of a frequent one.
    weight = (1 / numpy.sqrt(count[language] * count.mean()) / len(LANGUAGES)).astype(numpy.float32)[:, None]
    inputs = numpy.hstack([vectors, numpy.ones((len(vectors), 1), numpy.float32)])
    values = numpy.zeros((len(LANGUAGES), inputs.shape[1]), numpy.float32)
    adam = Adam(values)
    for step in range(steps):
        share = softmax(inputs @ values.T)
        share[numpy.arange(len(share)), language] -= 1
        gradient = (weight * share).T @ inputs
        gradient[:, :-1] += 1e-5 * values[:, :-1]
        adam.step(gradient, 0.3 * 0.5 * (1 + numpy.cos(numpy.pi * step / steps)))
    return values[:, :-1], values[:, -1]


def to_bytes(weights, classifier):
    """Returns the contents of the artefact; README.md describes them."""
    scores, biases = classifier
    content = MAGIC + struct.pack("<2I", len(weights), len(LANGUAGES)) + "".join(LANGUAGES).encode()
    content += weights.astype("<f2").tobytes() + scores.astype("<f4").tobytes() + biases.astype("<f4").tobytes()
    return content + struct.pack("<I", zlib.crc32(content))


def from_bytes(content):
    """Reads an artefact; returns the map, and the weights and biases of the classifier."""
    dimensions, languages = struct.unpack_from("<2I", content, 8)
    found = content[16:16 + 2 * languages].decode()
    if content[:8] != MAGIC or zlib.crc32(content[:-4]) != struct.unpack("<I", content[-4:])[0]:
        raise ValueError("this is not a language map, or it is damaged")
    if found != "".join(LANGUAGES):
        raise ValueError(f"the languages are {found}")
    at = 16 + 2 * languages
    weights = numpy.frombuffer(content, "<f2", dimensions**2, at).reshape(dimensions, dimensions)
    at += 2 * dimensions**2
    scores = numpy.frombuffer(content, "<f4", languages * dimensions, at).reshape(languages, dimensions)
    biases = numpy.frombuffer(content, "<f4", languages, at + 4 * languages * dimensions)
    return weights.astype(numpy.float32), (scores, biases)
