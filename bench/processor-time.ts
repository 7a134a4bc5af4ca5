import { existsSync, readFileSync } from 'node:fs'

/** Linux counts processor time in these units for every program. */
const tickMs = 10

/** Milliseconds of processor time that all threads of a process have used. NaN on systems without /proc. */
export function processorMs(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  // The second field is the program's name in parentheses; user and system time are the 14th and 15th.
  const [, fields = ''] = /.*\) (.*)/s.exec(readFileSync(file, 'utf8')) ?? []
  const [user, system] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * tickMs
}
