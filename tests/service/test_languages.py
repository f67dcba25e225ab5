"""Every language says all that the others say."""

import re

from privet.service.languages import languages, privacy


def test_every_language_has_the_same_texts_with_the_same_gaps():
    gaps = {
        code: {name: sorted(re.findall(r"{\w+}", text)) for name, text in words.items()}
        for code, words in languages().items()
    }
    assert [*gaps] == ["en", "de", "fr"]
    assert gaps["de"] == gaps["en"]
    assert gaps["fr"] == gaps["en"]


def test_privacy_in_words_is_that_of_epsilon_and_never_certain():
    said = {0.1: "52", 0.5: "62", 1.0: "73", 2.0: "88", 4.0: "98", 5.0: "99.33", 20.0: "99.99"}
    for epsilon, sure in said.items():
        assert f"{sure} %" in privacy(epsilon)
    strengths = [re.search("is (.+?) \\(", privacy(one))[1] for one in (0.5, 1.0, 2.0, 4.0, 4.1)]
    assert strengths == ["very strong", "strong", "fair", "weak", "thin"]
