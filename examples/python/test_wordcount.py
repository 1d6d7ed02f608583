"""`pytest` checks the functions and measures them with pytest-benchmark."""

from wordcount import count, longest_line, most_common

LINE = "Which of these servers is faster, by how much, and can the answer be trusted?\n"
TEXT = "".join(LINE[n % 10 :] for n in range(200))


def test_count(benchmark):
    assert benchmark(count, TEXT)["servers"] == 200


def test_most_common(benchmark):
    assert len(benchmark(most_common, TEXT, 5)) == 5


def test_longest_line(benchmark):
    assert benchmark(longest_line, TEXT) == LINE.rstrip("\n")
