"""The mechanisms, as a person's device needs them: one a file, standard library only.

A mechanism is an immutable value: its integers, a sampler, and the exact law of its reports. What
an analyst does with many reports is in `privet.analysis`; its names on a mechanism are forwards.

    Channel                           a way from one of d values to something random
    ├── LaplaceNoise                  real noise, for simulation alone          (Exclusive)
    └── Randomizer                    reports of a fixed size, drawn and weighed exactly
        ├── Paged                     one of several mechanisms, drawn by chance
        └── Mechanism                 whose counts tell the shares of the values
            ├── Subsets               k of v points, likelier with the value    (Shrinkable)
            │   ├── KSubset           all sets of k values                      (Packed)
            │   │   └── MultivariateRR    k = 1
            │   └── Design            the blocks of a 2-design                  (Placed)
            │       ├── DifferenceFamily  translates of a few base blocks
            │       │   ├── Cyclotomic
            │       │   └── Projective
            │       └── Hadamard
            ├── SetSubset             k of v, likelier with a set       (Packed, Symmetric, Choices)
            ├── ListedSets            k of all sets of options                  (Packed, Choices)
            ├── Unary                 a bit for every value                     (Shrinkable)
            │   ├── BinaryRR
            │   ├── OptimizedUnary
            │   └── TwoLevelUnary     fresh copies of a permanent bitmap
            ├── Hashed                a public function, and the value's bucket (Numbered)
            │   ├── LocalHash                                                   (Shrinkable)
            │   ├── OneBit                                                      (Shrinkable)
            │   ├── OneOption         whether an option is the person's         (Choices)
            │   └── HashedRR                                                    (Cohorts)
            ├── Rappor                a cohort, and the bits of a Bloom filter  (Cohorts)
            ├── Interval              a window of neighbours                    (Placed, Exclusive)
            └── GeometricNoise        whole noise on every entry of the answer  (Exclusive)

In brackets, what else a kind is: `Symmetric` has two hit rates, a `Numbered` report is a number, a
`Placed` one is drawn by its place among numbers, a `Packed` one is a set, and `Cohorts` share
public hash functions. By `Choices`, a person holds several values or none, by `Exclusive` kinds
just one. What is `Symmetric` and `Exclusive` is `Shrinkable`. Folders follow the tree: subsets,
bits, hashes, scales, noise.
"""
