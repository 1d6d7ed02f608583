package slug

import (
	"strings"
	"testing"
)

const title = "Which of these servers is faster, by how much, and can the answer be trusted?"

func TestSlug(t *testing.T) {
	if slug := Slug("  Hello, World 2! "); slug != "hello-world-2" {
		t.Errorf("the slug is %q", slug)
	}
	if vowels := Vowels("Hello"); vowels != 2 {
		t.Errorf("%d vowels", vowels)
	}
}

func BenchmarkSlug(b *testing.B) {
	for name, title := range map[string]string{"short": title, "long": strings.Repeat(title, 20)} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				Slug(title)
			}
		})
	}
}

func BenchmarkVowels(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Vowels(title)
	}
}
