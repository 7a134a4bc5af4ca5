import { existsSync, readFileSync } from 'node:fs'

/** Linux counts processor time in these units for every program. */
const tickMs = 10

/** Milliseconds of processor time that all threads of a process have used. NaN on systems without /proc. */
export function processorMs(pid: number): number {
  // The second field is the program's name in parentheses; user and system time are the 14th and 15th.
  const [, fields = ''] = /.*\) (.*)/s.exec(read(pid, 'stat')) ?? []
  const [user, system] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * tickMs
}

/** The resident memory of a process in MiB. NaN on systems without /proc. */
export const memoryMiB = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1]) / 1024

/** The most resident memory that a process has had, in MiB. NaN on systems without /proc. */
export const peakMemoryMiB = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1]) / 1024

function read(pid: number, file: string): string {
  const path = `/proc/${pid}/${file}`
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
