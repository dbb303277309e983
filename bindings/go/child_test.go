package mcpdiscover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// TestSignals runs probes and commands of os/exec side by side in a process of its own, with all the signals that the
// Go runtime and a program may have going; once more where the system refuses pidfds.
func TestSignals(t *testing.T) {
	for _, role := range []string{"signals", "signals without pidfd"} {
		t.Run(role, func(t *testing.T) {
			command := exec.Command(must(os.Executable()))
			command.Env = append(os.Environ(), inChild+"="+role)
			output, err := command.CombinedOutput()
			switch {
			case errors.As(err, new(*exec.ExitError)) && command.ProcessState.ExitCode() == seccompIsRefused:
				skip(t, fmt.Sprintf("this system lets no process filter its system calls: %s", output))
			case err != nil:
				t.Errorf("%v: %s", err, output)
			}
		})
	}
}

const seccompIsRefused = 77

// child plays a role in a process of its own, and gives its exit status.
func child(role string) int {
	if role == "signals without pidfd" {
		if err := refusePidfds(); err != nil {
			fmt.Println(err)
			return seccompIsRefused
		}
		if _, _, errno := syscall.RawSyscall(sysPidfdOpen, uintptr(os.Getpid()), 0, 0); errno != syscall.EPERM {
			fmt.Println("a pidfd was not refused:", errno)
			return 1
		}
	}
	if err := signals(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func signals() error {
	if err := pprof.StartCPUProfile(io.Discard); err != nil { // SIGPROF
		return err
	}
	defer pprof.StopCPUProfile()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGCHLD, syscall.SIGPIPE)
	if err := command(); err != nil {
		return fmt.Errorf("before: %w", err)
	}
	before, err := dispositions()
	if err != nil {
		return err
	}

	over := make(chan struct{})
	go func() { // SIGURG: collecting garbage preempts whatever runs
		for {
			select {
			case <-over:
				return
			default:
				runtime.GC()
			}
		}
	}()
	var workers sync.WaitGroup
	failures := make(chan error, 8)
	work := func(times int, task func() error) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for range times {
				if err := task(); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	for range 3 {
		work(20, func() error { return expect(modernShell(), EraModern) })
		work(40, command)
	}
	work(20, func() error { return expect(shell(`exec <&-`, `exec sleep 0.02`), EraUnknown) }) // EPIPE
	workers.Wait()
	close(over)
	close(failures)
	for err := range failures {
		return fmt.Errorf("during: %w", err)
	}

	if err := command(); err != nil {
		return fmt.Errorf("after: %w", err)
	}
	after, err := dispositions()
	if err != nil {
		return err
	}
	if before != after {
		return fmt.Errorf("the signals were handled as %s before, and as %s after", before, after)
	}
	select {
	case <-heard:
		return nil
	default:
		return errors.New("no SIGCHLD was heard")
	}
}

func expect(command *Command, era Era) error {
	verdict, err := Probe(context.Background(), command)
	if err == nil && verdict.Era != era {
		err = fmt.Errorf("%v is %v: %s", command.Args, verdict.Era, verdict.Summary)
	}
	return err
}

// command runs a command as any Go program does, and checks that its output and status are seen.
func command() error {
	output, err := exec.Command("/bin/sh", "-c", "echo out; exit 3").Output()
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != 3 || string(output) != "out\n" {
		return fmt.Errorf("the command gave %q, %v", output, err)
	}
	return nil
}

// dispositions are the signals that are caught, and those that are ignored.
func dispositions() (string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", err
	}
	var masks []string
	for line := range bytes.Lines(status) {
		if bytes.HasPrefix(line, []byte("SigIgn")) || bytes.HasPrefix(line, []byte("SigCgt")) {
			masks = append(masks, strings.TrimSpace(string(line)))
		}
	}
	return strings.Join(masks, ", "), nil
}

// sysPidfdOpen is the number of pidfd_open, and the same on every architecture.
const sysPidfdOpen = 434

// refusePidfds makes pidfd_open fail with EPERM from now on, in all threads, as some sandboxes do.
func refusePidfds() error {
	sysSeccomp, ok := map[string]uintptr{"amd64": 317, "arm64": 277, "riscv64": 277, "loong64": 277}[runtime.GOARCH]
	if !ok {
		return errors.New("the number of seccomp is not known for " + runtime.GOARCH)
	}
	const (
		load, jumpIfEqual, give = 0x20, 0x15, 0x06
		allow, refuse           = 0x7fff0000, 0x00050000 | uint32(syscall.EPERM)
		noNewPrivileges         = 38
		setFilter, allThreads   = 1, 1
	)
	filter := []syscall.SockFilter{
		{Code: load, K: 0}, // the number of the call
		{Code: jumpIfEqual, K: sysPidfdOpen, Jf: 1},
		{Code: give, K: refuse},
		{Code: give, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("prctl: %w", errno)
	}
	if _, _, errno := syscall.RawSyscall(sysSeccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	runtime.KeepAlive(filter)
	return nil
}
