package mcpdiscover

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestScan(t *testing.T) {
	commands := []*Command{modernShell(), NewCommand("no-such-mcp-server"), NewCommand("true"), nil, modernShell()}
	scan := Scan(context.Background(), commands, 2)
	for range 2 { // each range is a scan of its own
		seen := map[int]Result{}
		for i, result := range scan {
			if _, ok := seen[i]; ok {
				t.Errorf("%d came twice", i)
			}
			seen[i] = result
		}
		if len(seen) != len(commands) {
			t.Fatalf("%d of %d came", len(seen), len(commands))
		}
		for _, i := range []int{0, 4} {
			if v := seen[i].Verdict; seen[i].Err != nil || v == nil || v.Era != EraModern || v.Version != "2026-07-28" {
				t.Errorf("got %+v", seen[i])
			}
		}
		if v := seen[2].Verdict; v == nil || v.Era != EraUnknown {
			t.Errorf("got %+v", seen[2])
		}
		for i, is := range map[int]error{1: ErrCommandNotFound, 3: ErrInvalidArgument} {
			if !errors.Is(seen[i].Err, is) || seen[i].Verdict != nil {
				t.Errorf("got %+v, expected %v", seen[i], is)
			}
		}
	}
	for i, result := range Scan(context.Background(), nil, 0) {
		t.Errorf("got %d, %+v of nothing", i, result)
	}
}

func TestScanRefuses(t *testing.T) {
	for _, most := range []int{-1, 1025, 1 << 40} {
		count := 0
		for i, result := range Scan(context.Background(), []*Command{modernShell()}, most) {
			var failure *Error
			if i != -1 || !errors.As(result.Err, &failure) || failure.Argument != "max_running" {
				t.Errorf("%d: got %d, %+v", most, i, result)
			}
			count++
		}
		if count != 1 {
			t.Errorf("%d: %d results", most, count)
		}
	}
	for i, result := range Scan(context.Background(), []*Command{modernShell()}, 0, WithTimeout(-1)) {
		if i != 0 || !errors.Is(result.Err, ErrInvalidArgument) {
			t.Errorf("got %d, %+v", i, result)
		}
	}
}

func TestScanIsLeftEarly(t *testing.T) {
	silent, pid := telling(t, `exec sleep 100`)
	stubborn, otherPID := telling(t, `trap '' TERM`, `sleep 100`, `sleep 100`)
	var servers []int
	for i, result := range Scan(context.Background(), []*Command{silent, stubborn, modernShell()}, 0) {
		if i != 2 || result.Err != nil {
			t.Errorf("got %d, %+v", i, result)
		}
		servers = []int{pid(), otherPID()}
		break
	}
	for _, server := range servers {
		if isAlive(server) {
			t.Errorf("process %d was left behind", server)
		}
	}

	// The same by hand, from more than one thread.
	silent, pid = telling(t, `exec sleep 100`)
	next, stop := iter.Pull2(Scan(context.Background(), []*Command{silent, modernShell()}, 0))
	done := make(chan int)
	go func() {
		i, _, _ := next()
		done <- i
	}()
	if i := <-done; i != 1 {
		t.Errorf("got %d", i)
	}
	server := pid()
	stop()
	if isAlive(server) {
		t.Errorf("process %d was left behind", server)
	}
}

func TestScanIsCancelled(t *testing.T) {
	cause := errors.New("the user left")
	silent, pid := telling(t, `exec sleep 100`)
	mark := filepath.Join(t.TempDir(), "started")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	server := make(chan int, 1)
	go func() {
		server <- pid()
		cancel(cause)
	}()
	count := 0
	for i, result := range Scan(ctx, []*Command{silent, NewCommand("touch", mark), NewCommand("touch", mark)}, 1) {
		if count == 0 && isAlive(<-server) {
			t.Error("the server was left behind")
		}
		if result.Verdict != nil || !errors.Is(result.Err, cause) || !errors.Is(result.Err, ErrCancelled) || !errors.Is(result.Err, context.Canceled) {
			t.Errorf("%d: got %+v", i, result)
		}
		count++
	}
	// A context that was done before.
	for i, result := range Scan(ctx, []*Command{NewCommand("touch", mark)}, 1) {
		if i != 0 || !errors.Is(result.Err, cause) {
			t.Errorf("%d: got %+v", i, result)
		}
		count++
	}
	if count != 4 {
		t.Errorf("%d results", count)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a command was started")
	}
}

func TestScanLeavesNothing(t *testing.T) {
	commands := []*Command{modernShell(), NewCommand("false"), NewCommand("sleep", "100"), modernShell()}
	round := func(leave bool) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for i, result := range Scan(ctx, commands, 3) {
			if errors.Is(result.Err, context.DeadlineExceeded) {
				t.Errorf("%d: %v", i, result.Err)
			}
			if leave {
				break
			}
			if i == 3 {
				cancel()
			}
		}
	}
	round(true)
	goroutines, descriptors := runtime.NumGoroutine(), entries(t, "/proc/self/fd")
	for i := range 20 {
		round(i%2 == 0)
	}
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		t.Errorf("%d goroutines, %d before", now, goroutines)
	}
	if now := entries(t, "/proc/self/fd"); now > descriptors {
		t.Errorf("%d descriptors, %d before", now, descriptors)
	}
	if children := childrenOfThis(t); len(children) > 0 {
		t.Errorf("left behind: %v", children)
	}
}
