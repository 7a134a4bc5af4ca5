// Compiled into test builds only, as `src/inside.ts`. Lets a test control a process of the service.
import { readFileSync } from 'node:fs'

/** What a process does at a named point: die, or stop until SIGCONT. */
type Deed = keyof typeof signals
const signals = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const

/**
 * FAULT_POINTS: `<point>:<time>:<deed>`, joined by commas. At the `time`th passing of the point (from 1) the process does the deed. It reports
 * it first, on stdout, by one line `{"msg":"fault.point","point":…,"deed":…,"began":…}`, with the machine's time. FAULT_ORDERS names a file with the same
 * text, which is polled. Passings count from its last change. A stopped process has no further orders, so it continues after SIGCONT.
 */
const given = process.env['FAULT_POINTS'] ?? ''
const passed = new Map<string, number>()
let text = ''
let orders = parse(given)

function parse(list: string): { point: string | undefined; time: number; deed: Deed }[] {
  return list
    .split(',')
    .filter(Boolean)
    .map((order) => {
      const [point, time, deed] = order.split(':')
      return { point, time: Number(time), deed: deed as Deed }
    })
}

function take(list: string): void {
  if (list === text) return
  text = list
  passed.clear()
  orders = [...parse(given), ...parse(list)]
}

/** The wall clock of the process may be shifted (support/wall-clock.mjs). */
const machineTime = (): number => Math.round(performance.timeOrigin + performance.now())

/** A named point between two steps of an operation. */
export function reach(point: string): void {
  const time = (passed.get(point) ?? 0) + 1
  passed.set(point, time)
  const order = orders.find((one) => one.point === point && one.time === time)
  if (order === undefined) return
  const said = { msg: 'fault.point', point, deed: order.deed, began: machineTime() }
  process.stdout.write(`${JSON.stringify(said)}\n`)
  orders = []
  process.kill(process.pid, signals[order.deed])
}

const ordersFile = process.env['FAULT_ORDERS']
if (ordersFile !== undefined) {
  const read = (): void => take(readFileSync(ordersFile, 'utf8'))
  read()
  setInterval(read, 50).unref()
}

/**
 * FAULT_OFFSET names a file with the milliseconds that are added to database time. It is read whenever the time is read: a process that was
 * frozen for long (SIGSTOP) must not continue with an old offset, not even for a moment.
 */
const offsetFile = process.env['FAULT_OFFSET']
const believedMs = 20
let offset = 0
let readAt = Number.NEGATIVE_INFINITY

/** The offset that is added to database time. */
export function offsetMs(): number {
  const at = performance.now()
  if (offsetFile !== undefined && at - readAt > believedMs) {
    offset = Number(readFileSync(offsetFile, 'utf8'))
    readAt = at
  }
  return offset
}
