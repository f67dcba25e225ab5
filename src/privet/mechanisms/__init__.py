"""The mechanisms, as a person's device needs them: one a file, standard library only.

A mechanism is an immutable value: its integers, a sampler, and the exact law of its reports. What
an analyst does with many reports is in `privet.analysis`; its names on a mechanism are forwards.

    Channel                        shares of d values can be estimated from what it lets through
    ├── LaplaceNoise               real noise, for simulation alone
    └── Mechanism                  reports of a fixed size, drawn and weighed exactly
        ├── Subsets                k of v points, likelier with the person's value   (Symmetric)
        │   ├── KSubset            all sets of k values                              (Packed)
        │   │   └── MultivariateRR     k = 1
        │   └── Design             the blocks of a 2-design                          (Placed)
        │       ├── DifferenceFamily   translates of a few base blocks
        │       │   ├── Cyclotomic
        │       │   └── Projective
        │       └── Hadamard
        ├── SetSubset              k of v points, likelier with a set  (Packed, Symmetric, Choices)
        ├── ListedSets             k of all sets of options            (Packed, Choices)
        ├── Unary                  a bit for every value                             (Symmetric)
        │   ├── BinaryRR
        │   ├── OptimizedUnary
        │   └── TwoLevelUnary      fresh copies of a permanent bitmap
        ├── Hashed                 a public function, and the value's bucket         (Numbered)
        │   ├── LocalHash                                                            (Symmetric)
        │   ├── OneBit                                                               (Symmetric)
        │   ├── OneOption          whether an option is the person's                 (Choices)
        │   └── HashedRR                                                             (Cohorts)
        ├── Rappor                 a cohort, and the bits of a Bloom filter          (Cohorts)
        ├── Interval               a window of neighbours, for ordered values        (Placed)
        ├── GeometricNoise         whole noise on every entry of the answer
        └── Paged                  one of several mechanisms, drawn by chance

In brackets, what else a kind is: `Symmetric` has two hit rates, a `Numbered` report is a number, a
`Placed` one is drawn by its place among numbers, a `Packed` one is a set, and `Cohorts` share
public hash functions. By `Choices`, a person holds several values or none. Folders follow the
tree: subsets, bits, hashes, scales, noise.
"""

from .base import Mechanism
from .registry import HOMES, by_name, for_one, for_several, load

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from ..plan.comparison import Comparison, compare
    from .base import Channel
    from .bits.binary_rr import BinaryRR
    from .bits.optimized_unary import OptimizedUnary
    from .bits.two_level_unary import TwoLevelUnary
    from .choosing import choose
    from .hashes.hashed_rr import HashedRR
    from .hashes.local_hash import LocalHash
    from .hashes.one_bit import OneBit
    from .hashes.one_option import OneOption
    from .hashes.rappor import Rappor
    from .noise.geometric import GeometricNoise
    from .noise.laplace import LaplaceNoise
    from .scales.interval import Interval
    from .subsets.cyclotomic import Cyclotomic
    from .subsets.hadamard import Hadamard
    from .subsets.k_subset import KSubset
    from .subsets.listed_sets import ListedSets
    from .subsets.multivariate_rr import MultivariateRR
    from .subsets.projective import Projective
    from .subsets.set_subset import SetSubset
    from .symmetric import Symmetric

__all__ = [
    "BinaryRR",
    "Channel",
    "Comparison",
    "Cyclotomic",
    "GeometricNoise",
    "Hadamard",
    "HashedRR",
    "Interval",
    "KSubset",
    "LaplaceNoise",
    "ListedSets",
    "LocalHash",
    "Mechanism",
    "MultivariateRR",
    "OneBit",
    "OneOption",
    "OptimizedUnary",
    "Projective",
    "Rappor",
    "SetSubset",
    "Symmetric",
    "TwoLevelUnary",
    "by_name",
    "choose",
    "compare",
    "for_one",
    "for_several",
]


def __getattr__(name: str) -> object:
    if name in HOMES:
        return load(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
