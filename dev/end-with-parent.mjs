import { readFileSync } from 'node:fs'

const POLL_MS = 500

/**
 * Ends this process with SIGTERM soon after its parent is gone, because a kill -9 of the parent sends its children no
 * signal. If npm runs this process in a shell that stays in between, as dash does, npm counts as a parent too.
 */
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
