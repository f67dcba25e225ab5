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
