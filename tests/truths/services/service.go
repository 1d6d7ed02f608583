// Answers a page after it has written so many rows as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
)

type item struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func main() {
	rows, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/", func(writer http.ResponseWriter, request *http.Request) {
		list := make([]item, 0, rows)
		for id := range rows {
			list = append(list, item{id, fmt.Sprintf("item %d", id)})
		}
		if text, err := json.Marshal(list); err == nil && len(text) > 0 {
			writer.Write([]byte("done\n"))
		}
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
