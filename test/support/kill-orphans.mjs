// Kills its owner's children when the owner has ended, which it notices by the pipe between them: the kernel closes it
// even after a kill -9. The children can't do this themselves, because they may be frozen. A line on stdin is `+<pid>`
// for a new child and `-<pid>` for one that has ended.
import { createInterface } from 'node:readline'

const alive = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}) // Only the owner's end counts.
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const pid = Number(line.slice(1))
  if (line.startsWith('+')) alive.add(pid)
  else alive.delete(pid)
})
lines.on('close', () => {
  for (const pid of alive) kill(pid)
  process.exit()
})

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}
