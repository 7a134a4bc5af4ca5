import { readFileSync } from 'node:fs'

const TICK_MS = 10

/** In ms. NaN after the process has ended, or not on Linux. `withChildren` adds the children that have ended. */
export function processorMs(pid: number, withChildren = false): number {
  try {
    // The program's name may contain spaces. It ends at the last parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields.slice(11, withChildren ? 15 : 13).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  } catch {
    return Number.NaN
  }
}
