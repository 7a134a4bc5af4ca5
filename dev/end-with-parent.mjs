const POLL_MS = 500

/**
 * Ends this process with SIGTERM soon after its parent is gone. A kill -9 of the parent sends no signal to its
 * children.
 */
export function endWithParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, POLL_MS).unref()
}
