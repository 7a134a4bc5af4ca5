import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const ticksMs = 10

/**
 * The processor time of a process in ms, or null if it has ended. On Linux, `withChildren` adds the time of all
 * processes that it has started and seen end.
 */
export function processorMs(pid: number, withChildren = false): number | null {
  try {
    if (process.platform === 'linux') {
      // The name of the program, which may contain spaces, ends at the last parenthesis.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      const times = fields.slice(11, withChildren ? 15 : 13).map(Number)
      return times.reduce((sum, ticks) => sum + ticks, 0) * ticksMs
    }
    if (process.platform === 'win32') return null
    const time = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0) * 1000
  } catch {
    return null
  }
}
