/* Counts the words of a text that it makes itself, and prints how many there are. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 16 << 20 };

/* Fills the text with words of 1 to 8 letters. The same text in each run. */
static void make_text(char *text, size_t size) {
    unsigned random = 1;
    size_t at = 0;
    while (at < size) {
        random = random * 1103515245 + 12345;
        unsigned letters = 1 + (random >> 16) % 8;
        while (letters-- > 0 && at < size)
            text[at++] = (char)('a' + (random >> 20) % 26);
        if (at < size)
            text[at++] = ' ';
    }
}

static long count_words(const char *text, size_t size) {
    long words = 0;
    int inside = 0;
    for (size_t at = 0; at < size; at++) {
        int letter = isalpha((unsigned char)text[at]) != 0;
        words += letter && !inside;
        inside = letter;
    }
    return words;
}

int main(void) {
    char *text = malloc(SIZE);
    if (text == NULL)
        return 1;
    make_text(text, SIZE);
    long words = count_words(text, SIZE);
    free(text);
    /* tiebreak reads the last line: how much was done in this run. */
    printf("operations %ld\n", words);
    return 0;
}
