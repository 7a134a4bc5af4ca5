// Kills the processes that its owner tells it of as soon as the owner is gone, however that happened: the kernel closes the pipe between them
// also after a kill -9. One that stands still could not look after that itself. A line is `+<pid>` of one that began, `-<pid>` of one that ended.
import { createInterface } from 'node:readline'

const living = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}) // only the owner's end counts
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const pid = Number(line.slice(1))
  if (line.startsWith('+')) living.add(pid)
  else living.delete(pid)
})
lines.on('close', () => {
  for (const pid of living) end(pid)
  process.exit()
})

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended in this moment.
  }
}
