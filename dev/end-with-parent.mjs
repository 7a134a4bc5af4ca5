const LOOK_EVERY_MS = 500

/** Ends this process, as SIGTERM does, soon after its parent is gone: a kill -9 of the parent tells its children nothing. */
export function endWithParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, LOOK_EVERY_MS).unref()
}
