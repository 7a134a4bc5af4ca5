import { readFileSync } from 'node:fs'

const TICK_MS = 10

/**
 * The processor time of a process in ms, NaN if it has ended or this is no Linux. `withChildren` adds the time of all
 * processes that it has started and seen end.
 */
export function processorMs(pid: number, withChildren = false): number {
  try {
    // The name of the program, which may contain spaces, ends at the last parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields.slice(11, withChildren ? 15 : 13).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  } catch {
    return Number.NaN
  }
}
