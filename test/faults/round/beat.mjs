// Measures what else the machine has to do, in a process of its own that has nothing to do with the service: four times a second it computes for 10 ms,
// and says how much later than that it was done. A process that only woke would be let in before all others, however many wait: on two cores with
// eleven at work it is late by 1 ms, and one that has something to compute by 21 ms.
import { createHash } from 'node:crypto'

const everyMs = 250
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

beat()
