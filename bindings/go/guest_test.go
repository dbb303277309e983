package mcpdiscover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// TestNothingIsLeftBehind probes 500 times, a few at a time, in every way that a probe can go.
func TestNothingIsLeftBehind(t *testing.T) {
	const probes, atOnce = 500, 8
	ways := []func() error{
		func() error { return expect(modernShell(), EraModern) },
		func() error { return expect(NewCommand("false"), EraUnknown) },
		func() error { return expect(shell(`exec <&-`, `echo noise`), EraUnknown) },
		func() error {
			if _, err := Probe(context.Background(), NewCommand("no-such-mcp-server")); !errors.Is(err, ErrCommandNotFound) {
				return fmt.Errorf("got %v", err)
			}
			return nil
		},
		func() error {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			if _, err := Probe(ctx, NewCommand("sleep", "100")); !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("got %v", err)
			}
			return nil
		},
		func() error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel() // a context that is never done costs a handle
			_, err := Probe(ctx, modernShell())
			return err
		},
	}
	run := func(n int) {
		var group sync.WaitGroup
		next := make(chan int)
		for range atOnce {
			group.Add(1)
			go func() {
				defer group.Done()
				for i := range next {
					if err := ways[i%len(ways)](); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		for i := range n {
			next <- i
		}
		close(next)
		group.Wait()
	}
	run(2 * atOnce) // so that the runtime has what it needs
	goroutines, descriptors, threads := runtime.NumGoroutine(), entries(t, "/proc/self/fd"), entries(t, "/proc/self/task")
	run(probes)
	// A goroutine that has said its last word takes a moment to go.
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		t.Errorf("%d goroutines, %d before", now, goroutines)
	}
	if now := entries(t, "/proc/self/fd"); now > descriptors {
		t.Errorf("%d descriptors, %d before", now, descriptors)
	}
	now := entries(t, "/proc/self/task")
	t.Logf("%d threads before, %d after %d probes", threads, now, probes)
	// The runtime keeps the threads that calls have blocked, and may have started some more beside them.
	if most := max(threads, 2*atOnce+runtime.GOMAXPROCS(0)+8); now > most {
		t.Errorf("%d threads, %d before", now, threads)
	}
	if children := childrenOfThis(t); len(children) > 0 {
		t.Errorf("left behind: %v", children)
	}
}

// TestManyAtOnce has one goroutine's context end its own probe, and no other.
func TestManyAtOnce(t *testing.T) {
	silent, pid := telling(t, `exec sleep 100`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error)
	go func() {
		_, err := Probe(ctx, silent)
		ended <- err
	}()
	pid()
	if err := expect(modernShell(), EraModern); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		t.Fatalf("ended by itself: %v", err)
	default:
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func entries(t *testing.T, folder string) int {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// childrenOfThis are the children of this process that live, or wait to be reaped.
func childrenOfThis(t *testing.T) []string {
	var children []string
	for _, entry := range must(os.ReadDir("/proc")) {
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		var pid, parent int
		var name, state string
		if _, err := fmt.Sscanf(string(stat), "%d %s %s %d", &pid, &name, &state, &parent); err == nil && parent == os.Getpid() {
			children = append(children, name)
		}
	}
	return children
}
