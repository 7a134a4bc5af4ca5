// Measures how busy the machine is. Again and again, this separate process computes for 10 ms and reports how late it
// was done. Just waking up would say nothing, because such a process is scheduled first: on two cores with eleven busy
// processes it's 1 ms late, while one that computes is 21 ms late.
import { createHash } from 'node:crypto'

const everyMs = Number(process.argv[2] ?? 250)
const workMs = 10
const piece = Buffer.alloc(64 * 1024)

function work() {
  const begun = process.cpuUsage()
  const hash = createHash('sha256')
  for (;;) {
    hash.update(piece)
    const { user, system } = process.cpuUsage(begun)
    const usedMs = (user + system) / 1000
    if (usedMs >= workMs) return usedMs
  }
}

function beat() {
  const due = performance.now() + everyMs
  setTimeout(() => {
    const usedMs = work()
    const lateMs = performance.now() - due - usedMs
    const ended = Date.now()
    process.stdout.write(`${JSON.stringify({ began: ended - lateMs - usedMs, ended, lateMs })}\n`)
    beat()
  }, everyMs)
}

process.stdout.on('error', () => process.exit())
beat()
