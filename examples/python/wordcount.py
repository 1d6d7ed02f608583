"""Counts words and finds the longest lines of texts."""

import re

WORD = re.compile(r"[a-z']+")


def count(text):
    """Returns how often each word occurs, as a dictionary."""
    counts = {}
    for word in WORD.findall(text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(text, number):
    """Returns the most common words and how often they occur, the most common one first."""
    counts = count(text)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:number]


def longest_line(text):
    """Returns the longest line, the first of several."""
    return max(text.splitlines(), key=len, default="")
