use super::*;
use crate::probe::exit::{Status, look};
use crate::probe::shutdown::Haste;
use crate::probe::testing;
use std::thread;
use std::time::Instant;

const POLITE: Haste = Haste::Polite {
    grace: Duration::from_millis(300),
};
/// Far above what anything here should take, far below the sleeps of the children.
const SOON: Duration = Duration::from_secs(5);

fn shell(script: &str) -> Command {
    Command::new(["/bin/sh", "-c", script])
}

/// Runs a test twice: with a pidfd, where there is one, and without.
fn both_ways<F: Future>(test: impl Fn(Means) -> F) {
    for means in [Means::Best, Means::Polling] {
        testing::run(test(means));
    }
}

async fn begin(script: &str, means: Means) -> Process {
    start_watched(&shell(script), 1000, &Clock::default(), means)
        .await
        .unwrap()
}

/// Everything up to an event other than output.
async fn read(process: &mut Process) -> (Vec<u8>, Event) {
    let mut bytes = Vec::new();
    loop {
        match process.event().await {
            Event::Output => bytes.extend_from_slice(process.output()),
            event => return (bytes, event),
        }
    }
}

async fn is_quiet(process: &mut Process) -> bool {
    let event = tokio::time::timeout(Duration::from_millis(300), process.event());
    event.await.is_err()
}

async fn end(process: &mut Process, haste: Haste) -> (Shutdown, Vec<u8>) {
    let mut bytes = Vec::new();
    let shutdown = process
        .end(haste, |late| bytes.extend_from_slice(late))
        .await;
    assert_eq!(
        look(process.pid() as libc::pid_t),
        Status::Gone,
        "it is reaped"
    );
    (shutdown, bytes)
}

/// Waits until no process of the group lives. Zombies do not count: orphans are init's to reap.
fn assert_group_ends(pid: u32) {
    let start = Instant::now();
    while testing::group_lives(pid) {
        assert!(start.elapsed() < SOON, "somebody of the group lives");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_conversation() {
    both_ways(|means| async move {
        let mut process = begin("while read line; do echo \"<$line>\"; done; exit 4", means).await;
        for word in ["one", "two"] {
            process.send(format!("{word}\n").as_bytes());
            assert_eq!(process.event().await, Event::Output);
            assert_eq!(process.output(), format!("<{word}>\n").as_bytes());
        }
        assert_eq!((process.exit(), process.bytes_received()), (None, 12));
        process.close_stdin();
        assert_eq!(read(&mut process).await, (vec![], Event::Exited));
        assert_eq!(process.exit(), Some(Exit::Code(4)));
        assert!(is_quiet(&mut process).await);
        assert_eq!(end(&mut process, POLITE).await.0, Shutdown::StdinClosed);
        assert!(is_quiet(&mut process).await);
    });
}

#[test]
fn the_reply_comes_before_the_exit() {
    both_ways(|means| async move {
        let mut process = begin("echo reply; echo why >&2; kill -KILL $$", means).await;
        thread::sleep(Duration::from_millis(200));
        assert_eq!(
            read(&mut process).await,
            (b"reply\n".to_vec(), Event::Exited)
        );
        assert_eq!(process.exit(), Some(Exit::Signal(libc::SIGKILL)));
        assert_eq!(process.stderr_tail(), b"why\n");
        assert_eq!(end(&mut process, POLITE).await.0, Shutdown::Exited);
    });
}

#[test]
fn the_end_of_the_output_is_told_only_of_the_living() {
    both_ways(|means| async move {
        let mut process = begin("exec >&-; read line; exit 5", means).await;
        assert_eq!(read(&mut process).await, (vec![], Event::OutputClosed));
        assert!(is_quiet(&mut process).await);
        process.send(b"\n");
        assert_eq!(process.event().await, Event::Exited);
        assert_eq!(process.exit(), Some(Exit::Code(5)));
        end(&mut process, POLITE).await;

        let mut process = begin("exec >&- 2>&-; sleep 0.03; exit 6", means).await;
        assert_eq!(process.event().await, Event::Exited);
        assert_eq!(process.exit(), Some(Exit::Code(6)));
        end(&mut process, POLITE).await;
    });
}

#[test]
fn writing_to_a_process_that_does_not_read() {
    if !testing::alone("probe::process::tests::writing_to_a_process_that_does_not_read") {
        return;
    }
    // SAFETY: SIG_DFL is a valid disposition, and this process runs nothing else.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    both_ways(|means| async move {
        let mut process = begin("exec <&-; echo ready; sleep 60", means).await;
        assert_eq!(process.event().await, Event::Output);
        assert!(process.stdin_is_open());
        process.send(b"anybody?");
        assert!(!process.stdin_is_open());
        process.send(b"no");
        end(&mut process, Haste::Hurried).await;

        // The pipe is full when its reader goes.
        let mut process = begin("sleep 0.2; exit 1", means).await;
        process.send(&vec![b'x'; 1_000_000]);
        assert!(process.stdin_is_open());
        assert_eq!(process.event().await, Event::Exited);
        assert!(!process.stdin_is_open());
        end(&mut process, POLITE).await;
    });
}

#[test]
fn much_is_sent_while_much_comes_back() {
    both_ways(|means| async move {
        let mut process = begin("cat", means).await;
        let sent: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
        process.send(&sent);
        let mut bytes = Vec::new();
        while bytes.len() < sent.len() {
            assert_eq!(process.event().await, Event::Output);
            bytes.extend_from_slice(process.output());
        }
        assert!(bytes == sent);
        assert_eq!(end(&mut process, POLITE).await.0, Shutdown::StdinClosed);
    });
}

#[test]
fn dropped_waits_lose_nothing() {
    both_ways(|means| async move {
        let script =
            "for i in 1 2 3 4 5 6 7 8 9; do echo $i; echo $i >&2; sleep 0.01; done; exit 3";
        let mut process = begin(script, means).await;
        let mut bytes = Vec::new();
        loop {
            match tokio::time::timeout(Duration::from_millis(1), process.event()).await {
                Ok(Event::Output) => bytes.extend_from_slice(process.output()),
                Ok(event) => break assert_eq!(event, Event::Exited),
                Err(_) => {}
            }
        }
        assert_eq!(bytes, b"1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        assert_eq!(process.stderr_tail(), bytes);
        end(&mut process, POLITE).await;
    });
}

#[test]
fn any_amount_of_stderr_is_drained() {
    both_ways(|means| async move {
        let mut process = begin(
            "head -c 5000000 /dev/zero >&2; printf end >&2; echo reply",
            means,
        )
        .await;
        assert_eq!(
            read(&mut process).await,
            (b"reply\n".to_vec(), Event::Exited)
        );
        assert!(process.stderr_tail().ends_with(b"\0end"));
        assert_eq!(
            (process.stderr_tail().len(), process.stderr_dropped()),
            (1000, 4_999_003)
        );
        end(&mut process, POLITE).await;
    });
}

#[test]
fn late_stderr_is_in_the_tail() {
    both_ways(|means| async move {
        for told in [true, false] {
            let mut process = begin("exec >&-; sleep 0.05; echo why >&2; exit 1", means).await;
            if told {
                assert_eq!(process.event().await, Event::Exited);
            }
            end(&mut process, POLITE).await;
            assert_eq!(process.stderr_tail(), b"why\n");
        }
        // Written by a child after the leader has ended, on being asked to end.
        let script =
            "(trap 'echo bye >&2; exit' TERM; echo up; while :; do sleep 0.01; done) & read line";
        let mut process = begin(script, means).await;
        assert_eq!(process.event().await, Event::Output);
        assert_eq!(end(&mut process, POLITE).await.0, Shutdown::StdinClosed);
        assert!(process.stderr_tail().ends_with(b"bye\n"));
    });
}

#[test]
fn a_grandchild_with_the_streams_delays_nothing() {
    both_ways(|means| async move {
        for script in [
            "sleep 60 & echo reply; exit 2",
            "setsid sleep 3 & echo reply; exit 2",
            "(trap '' TERM; sleep 60) & echo reply; exit 2",
        ] {
            let start = Instant::now();
            let mut process = begin(script, means).await;
            assert_eq!(
                read(&mut process).await,
                (b"reply\n".to_vec(), Event::Exited)
            );
            assert_eq!(process.exit(), Some(Exit::Code(2)));
            assert_eq!(end(&mut process, POLITE).await.0, Shutdown::Exited);
            assert!(start.elapsed() < Duration::from_secs(2), "{script}");
            assert_group_ends(process.pid());
        }
    });
}

#[test]
fn a_grandchild_that_writes_without_end_delays_nothing() {
    both_ways(|means| async move {
        for script in ["yes & exit 2", "yes >&2 & exit 2"] {
            let start = Instant::now();
            let mut process = begin(script, means).await;
            assert_eq!(read(&mut process).await.1, Event::Exited);
            assert_eq!(end(&mut process, POLITE).await.0, Shutdown::Exited);
            assert!(start.elapsed() < SOON);
            assert_group_ends(process.pid());
        }
    });
}

#[test]
fn the_whole_group_ends() {
    both_ways(|means| async move {
        for haste in [POLITE, Haste::Hurried] {
            let mut process =
                begin("sleep 60 & sleep 61 >/dev/null 2>&1 & echo up; wait", means).await;
            assert_eq!(process.event().await, Event::Output);
            assert_eq!(end(&mut process, haste).await.0, Shutdown::Terminated);
            assert_eq!(process.exit(), Some(Exit::Signal(libc::SIGTERM)));
            assert_group_ends(process.pid());
        }
    });
}

#[test]
fn each_step_of_the_way_down() {
    both_ways(|means| async move {
        let polite = "read line; echo late; exit 1";
        let asked = "trap 'echo late; exit 1' TERM; echo up; while :; do sleep 0.01; done";
        let stubborn = "trap '' TERM; echo up; while :; do sleep 0.01; done";
        for (script, haste, shutdown, exit) in [
            (polite, POLITE, Shutdown::StdinClosed, Exit::Code(1)),
            (asked, POLITE, Shutdown::Terminated, Exit::Code(1)),
            (asked, Haste::Hurried, Shutdown::Terminated, Exit::Code(1)),
            (
                stubborn,
                POLITE,
                Shutdown::Killed,
                Exit::Signal(libc::SIGKILL),
            ),
            (
                stubborn,
                Haste::Hurried,
                Shutdown::Killed,
                Exit::Signal(libc::SIGKILL),
            ),
        ] {
            let mut process = begin(script, means).await;
            if script != polite {
                assert_eq!(process.event().await, Event::Output);
            }
            let (how, late) = end(&mut process, haste).await;
            assert_eq!((how, process.exit()), (shutdown, Some(exit)));
            assert_eq!(late == b"late\n", script != stubborn);
            assert_group_ends(process.pid());
            assert_eq!(
                process.end(POLITE, |_| {}).await,
                shutdown,
                "it repeats itself"
            );
        }
    });
}

#[test]
fn what_is_written_on_the_way_out_is_taken_however_much_it_is() {
    both_ways(|means| async move {
        let script = "read line; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 5";
        let mut process = begin(script, means).await;
        let (how, late) = end(&mut process, POLITE).await;
        assert_eq!((how, late.len()), (Shutdown::StdinClosed, 300_000));
        assert_eq!(process.exit(), Some(Exit::Code(5)));
        assert_eq!(process.stderr_dropped(), 300_000 - 1000);
    });
}

#[test]
fn the_end_alone_can_be_waited_for_where_the_system_tells_it() {
    both_ways(|means| async move {
        let script = "for i in 1 2 3 4 5 6 7 8 9 10; do echo x; echo y >&2; sleep 0.02; done";
        let mut process = begin(script, means).await;
        assert_eq!(process.event().await, Event::Output);
        let is_told = process.watch.is_told();
        assert_eq!(process.listens_for_the_end_alone(), is_told);
        let mut polls = 0;
        poll_fn(|cx| {
            polls += 1;
            process.poll_end(cx)
        })
        .await;
        assert!(polls <= 3 || !is_told, "{polls}");
        assert_eq!(end(&mut process, POLITE).await.0, Shutdown::Exited);
        assert_eq!(process.bytes_received(), 20);
        assert_eq!(process.stderr_tail().len(), 20);
    });
}

#[test]
fn a_polite_end_may_be_hurried() {
    both_ways(|means| async move {
        let mut process = begin("trap '' TERM; echo up; while :; do sleep 0.01; done", means).await;
        assert_eq!(process.event().await, Event::Output);
        let slow = Haste::Polite {
            grace: Duration::from_secs(60),
        };
        let patience = Duration::from_millis(50);
        assert!(
            tokio::time::timeout(patience, process.end(slow, |_| {}))
                .await
                .is_err()
        );
        assert_eq!(end(&mut process, Haste::Hurried).await.0, Shutdown::Killed);
    });
}

#[test]
fn a_dropped_process_leaves_nothing() {
    both_ways(|means| async move {
        let mut process = begin("trap '' TERM; sleep 60 & echo up; wait", means).await;
        assert_eq!(process.event().await, Event::Output);
        let pid = process.pid();
        drop(process);
        assert_eq!(look(pid as libc::pid_t), Status::Gone);
        assert_group_ends(pid);
    });
}

#[test]
fn a_host_that_ignores_sigchld() {
    if !testing::alone("probe::process::tests::a_host_that_ignores_sigchld") {
        return;
    }
    // SAFETY: SIG_IGN is a valid disposition, and this process runs nothing else.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    both_ways(|means| async move {
        for script in ["echo reply; exit 3", "sleep 2 & echo reply; exit 3"] {
            let mut process = begin(script, means).await;
            assert_eq!(
                read(&mut process).await,
                (b"reply\n".to_vec(), Event::Exited)
            );
            assert_eq!(process.exit(), None);
            assert_eq!(end(&mut process, POLITE).await.0, Shutdown::Exited);
        }
        let mut process = begin("trap '' TERM; echo up; while :; do sleep 0.01; done", means).await;
        assert_eq!(process.event().await, Event::Output);
        assert_eq!(end(&mut process, POLITE).await.0, Shutdown::Killed);
        assert_eq!(process.exit(), None);
    });
}

#[test]
fn a_host_that_reaps_every_child() {
    if !testing::alone("probe::process::tests::a_host_that_reaps_every_child") {
        return;
    }
    thread::spawn(|| {
        loop {
            // SAFETY: a null status is allowed.
            if unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } < 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
    });
    both_ways(|means| async move {
        for _ in 0..20 {
            let mut process = begin("echo reply; exit 3", means).await;
            assert_eq!(
                read(&mut process).await,
                (b"reply\n".to_vec(), Event::Exited)
            );
            end(&mut process, POLITE).await;
        }
    });
}

#[test]
fn nothing_is_left_behind() {
    if !testing::alone("probe::process::tests::nothing_is_left_behind") {
        return;
    }
    let before = testing::descriptors();
    both_ways(|means| async move {
        for script in [
            "exit 1",
            "echo hello; read line",
            "sleep 60 & wait",
            "exec >&- 2>&-; exec sleep 60",
        ] {
            for haste in [POLITE, Haste::Hurried] {
                let mut process = begin(script, means).await;
                process.send(b"{}\n");
                let _ = tokio::time::timeout(Duration::from_millis(20), process.event()).await;
                end(&mut process, haste).await;
                drop(begin(script, means).await);
            }
        }
        for command in ["no-such-command", "/", "/dev/null"] {
            assert!(
                start(&Command::new([command]), 10, &Clock::default())
                    .await
                    .is_err()
            );
        }
    });
    assert_eq!(testing::descriptors(), before);
    // SAFETY: a null status is allowed.
    let child = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    assert_eq!(child, -1, "no child is left");
    assert_eq!(
        std::fs::read_dir("/proc/self/task").unwrap().count(),
        2,
        "the harness and its test"
    );
}

#[test]
fn waiting_costs_nothing() {
    if !testing::alone("probe::process::tests::waiting_costs_nothing") {
        return;
    }
    testing::run(async {
        for script in [
            "sleep 60",
            "exec 2>&-; sleep 60",
            "exec >&- 2>&-; sleep 60",
            "exec <&- >&- 2>&-; sleep 60",
        ] {
            let mut process = begin(script, Means::Best).await;
            let _ = tokio::time::timeout(Duration::from_millis(200), process.event()).await;
            let mut polls = 0;
            let event = poll_fn(|cx| {
                polls += 1;
                process.poll_event(cx)
            });
            assert!(
                tokio::time::timeout(Duration::from_millis(500), event)
                    .await
                    .is_err()
            );
            assert!(polls < 20, "{script}: {polls}");
            end(&mut process, Haste::Hurried).await;
        }
    });
}
