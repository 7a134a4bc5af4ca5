import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const everyMs = 1000
const workMs = 10
/** How many beats count as now. */
const recent = 6

/**
 * Measures how much slower than idle this machine is, with a process that computes for 10 ms each second: how long it
 * takes for that, compared with the processor time that it uses.
 */
export function watchSlowness(report: (now: { times: number }) => void) {
  const all: number[] = []
  const times = (): number => Math.max(1, ...all.slice(-recent))
  const beat = join(import.meta.dirname, '../../test/support/beat.mjs')
  const child = spawn(process.execPath, [beat, String(everyMs)], { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    all.push((workMs + JSON.parse(line).lateMs) / workMs)
    report({ times: times() })
  })
  return {
    times,
    median: (): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 1,
    most: (): number => Math.max(1, ...all),
    end: (): void => void child.kill('SIGKILL'),
  }
}
