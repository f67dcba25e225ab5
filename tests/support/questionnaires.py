"""Questionnaires for tests: joint shares, pages of them, and matrices where the code has none."""

from math import prod

import numpy as np

from privet import simulate
from privet.analysis.sums.covariance import covariance
from privet.mechanisms import KSubset
from privet.tables import PageCounts


def correlated(sizes, strength=0.3, seed=0):
    """Joint shares of all questions, in which answers go together."""
    rng = np.random.default_rng(seed)
    flat = np.full(sizes, 1 / prod(sizes))
    mixed = rng.dirichlet(np.full(prod(sizes), 0.5)).reshape(sizes)
    return (1 - strength) * flat + strength * mixed


def margin(joint, questions):
    """The shares of some questions, in their order."""
    kept = sorted(questions)
    away = tuple(q for q in range(joint.ndim) if q not in kept)
    return joint.sum(axis=away).transpose([kept.index(q) for q in questions])


def page_of(joint, questions, mechanism, n, rng=None):
    """A page's counts, drawn from the joint shares, or as many as are expected."""
    theta = margin(joint, questions)
    if rng is None:
        counts = n * (mechanism.h + (mechanism.g - mechanism.h) * theta.ravel())
    else:
        counts = simulate.counts(mechanism, rng.multinomial(n, theta.ravel()), rng)
    return PageCounts(questions, theta.shape, mechanism, n, counts)


def pages_of(joint, pages, people, epsilon, rng=None, kind=KSubset):
    """All pages, by one kind of mechanism."""
    cells = [margin(joint, questions).size for questions in pages]
    mechanisms = [kind(d, epsilon) for d in cells]
    return [page_of(joint, *given, rng) for given in zip(pages, mechanisms, people, strict=True)]


def sums_over(sizes, questions):
    """The matrix from the joint shares to those of some questions."""
    cells = np.eye(prod(sizes)).reshape(*sizes, -1)
    kept = sorted(questions)
    away = tuple(q for q in range(len(sizes)) if q not in kept)
    order = [kept.index(q) for q in questions]
    summed = cells.sum(axis=away).transpose([*order, len(kept)])
    return summed.reshape(-1, prod(sizes))


def matrix_of(page, theta):
    """The covariance matrix of one report's contribution."""
    apply = covariance(page.mechanism, theta.ravel())
    return np.array([apply(row) for row in np.eye(theta.size)])
