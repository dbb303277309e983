// Cache tells how to speak to a server, and asks it only if that is not known yet:
//
//	cache FOLDER COMMAND [ARGUMENT]...
//
// The key is the command and the working directory; see docs/caching.md for what else belongs into one.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: cache FOLDER COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	if err := tell(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "cache:", err)
		os.Exit(1)
	}
}

func tell(folder string, command []string) error {
	place, err := placeOf(folder, command)
	if err != nil {
		return err
	}
	known := "yes"
	verdict, err := load(place)
	if err != nil {
		// Whatever is there, the server can be asked.
		if known = "no"; !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(os.Stderr, "cache:", err)
		}
		if verdict, err = mcpdiscover.Probe(context.Background(), &mcpdiscover.Command{Args: command}); err != nil {
			return err
		}
		if err = store(place, verdict); err != nil {
			return err
		}
	}
	fmt.Println("known:", known)
	fmt.Println("next: ", verdict.Next, verdict.Version)
	if verdict.FreshAt(time.Now()) {
		fmt.Println("fresh: yes")
	} else {
		fmt.Println("fresh: no; ask it for its capabilities when they are needed")
	}
	return nil
}

func placeOf(folder string, command []string) (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	key, err := json.Marshal([]any{command, directory})
	return filepath.Join(folder, fmt.Sprintf("%x.json", sha256.Sum256(key))), err
}

// load gives what is stored, if it is there and can be used.
func load(place string) (*mcpdiscover.Verdict, error) {
	text, err := os.ReadFile(place)
	if err != nil {
		return nil, err
	}
	verdict := new(mcpdiscover.Verdict)
	if err := json.Unmarshal(text, verdict); err != nil {
		return nil, err
	}
	if !verdict.Storable {
		return nil, errors.New("what is stored is for another version of this program")
	}
	return verdict, nil
}

// store puts the whole file in place at once, by renaming, so that nobody reads half of it.
func store(place string, verdict *mcpdiscover.Verdict) error {
	if !verdict.Storable {
		return nil
	}
	text, err := json.Marshal(verdict)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(place), "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), place)
}
