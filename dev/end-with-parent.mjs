import { readFileSync } from 'node:fs'

const POLL_MS = 500

/** Ends this process soon after its parent, even after kill -9. If dash is in between, npm counts as a parent too. */
export function endWithParent() {
  const { ppid } = process
  const npm = isShellOfNpm(ppid) ? parentOf(ppid) : undefined
  setInterval(() => {
    if (process.ppid !== ppid || (npm && parentOf(ppid) !== npm)) process.kill(process.pid, 'SIGTERM')
  }, POLL_MS).unref()
}

const isShellOfNpm = (pid) => readProc(pid, 'cmdline').includes(`\0-c\0${process.env.npm_lifecycle_script}`)
const parentOf = (pid) => /^PPid:\t(\d+)/m.exec(readProc(pid, 'status'))?.[1]

/** Only Linux has these files. On macOS, the shell doesn't stay in between. */
function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
