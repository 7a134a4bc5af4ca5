// Compiled into test builds alone, where it is `src/inside.ts`: what lets a run of faults reach into a process of the service.
import { readFileSync } from 'node:fs'

/** What a process is to do at a named point: die there, or stop there (SIGSTOP) until somebody thaws it. */
type Deed = 'kill' | 'stop'

/**
 * FAULT_POINTS: `<point>:<time>:<deed>`, joined by commas. At the `time`th passing of the point (from 1) the process does the deed. It says so
 * first, on stdout, by one line `{"msg":"fault.point","point":…,"deed":…}`.
 */
const orders = (process.env['FAULT_POINTS'] ?? '')
  .split(',')
  .filter(Boolean)
  .map((order) => {
    const [point, time, deed] = order.split(':')
    return { point, time: Number(time), deed: deed as Deed }
  })

const passed = new Map<string, number>()

/** A named point between two steps of an operation. */
export function reach(point: string): void {
  const time = (passed.get(point) ?? 0) + 1
  passed.set(point, time)
  const order = orders.find((one) => one.point === point && one.time === time)
  if (order === undefined) return
  process.stdout.write(`${JSON.stringify({ msg: 'fault.point', point, deed: order.deed })}\n`)
  process.kill(process.pid, order.deed === 'kill' ? 'SIGKILL' : 'SIGSTOP')
}

/** FAULT_CLOCK names a file with the milliseconds by which this process's clock is ahead; it is read again and again. */
const clockFile = process.env['FAULT_CLOCK']
let offsetMs = 0
if (clockFile !== undefined) {
  const read = (): void => {
    offsetMs = Number(readFileSync(clockFile, 'utf8'))
  }
  read()
  setInterval(read, 50).unref()
}

/** The service's clock, in place of `new Date()`. */
export const now = (): Date => new Date(Date.now() + offsetMs)
