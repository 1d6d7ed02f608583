// Package slug makes names for addresses of pages.
package slug

import "strings"

// Slug returns the words of a title in lower case, joined by hyphens. Everything but letters of ASCII and digits
// separates words.
func Slug(title string) string {
	var slug strings.Builder
	for _, word := range Words(title) {
		if slug.Len() > 0 {
			slug.WriteByte('-')
		}
		slug.WriteString(strings.ToLower(word))
	}
	return slug.String()
}

// Words returns the words of a title.
func Words(title string) []string {
	return strings.FieldsFunc(title, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

// Vowels counts the vowels of a title.
func Vowels(title string) int {
	vowels := 0
	for _, letter := range title {
		if strings.ContainsRune("aeiouAEIOU", letter) {
			vowels++
		}
	}
	return vowels
}
