//! Help for the tests of the process layer.

use std::env;
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Runs a future as a probe does: on a current-thread runtime of its own. Panics when it takes too long.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(60), future)
            .await
            .expect("the test hangs")
    })
}

/// Gives a test that changes or counts what belongs to the whole process a process of its own.
///
/// False: the test has run there, and passed. True: this is that process.
pub(crate) fn alone(test: &str) -> bool {
    const MARK: &str = "MCPD_TEST_ALONE";
    if env::var_os(MARK).is_some() {
        return true;
    }
    let output = process::Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--test-threads=1"])
        .env(MARK, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{:?}\n{text}\n{errors}",
        output.status
    );
    false
}

/// A directory that goes away with the value.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Directory {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("mcpd-test-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Directory(path.canonicalize().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, with the permissions `mode`, and gives its path.
    pub(crate) fn file(&self, name: &str, mode: u32, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The descriptors of this process, without the one that reads them.
pub(crate) fn descriptors() -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let mut links: Vec<_> = entries
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        .filter(|link| !link.starts_with("/proc"))
        .collect();
    links.sort_unstable();
    links
}

/// Whether the process group has a member that is not a zombie.
pub(crate) fn group_lives(group: u32) -> bool {
    let processes = fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("stat")).ok())
        .any(|stat| {
            // After the name, in parentheses: state, parent, group.
            let rest = stat.rsplit(") ").next().unwrap();
            let mut fields = rest.split(' ');
            let state = fields.next();
            state != Some("Z") && fields.nth(1) == Some(&group.to_string())
        })
}
