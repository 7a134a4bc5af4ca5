// Compiled into test builds only, as `src/inside.ts`, so that a test can control a process of the service.
import { readFileSync } from 'node:fs'

type Deed = keyof typeof signals
const signals = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const

/**
 * FAULT_ORDERS names a file with orders `<point>:<time>:<deed>`, joined by commas, which is polled. The process does
 * the deed when it passes the point for the `time`th time (from 1) since the file changed. First it prints one line
 * with the machine's time: `{"msg":"fault.point","point":…,"deed":…,"began":…}`. The first deed cancels all other
 * orders, so a stopped process continues after SIGCONT.
 */
const passed = new Map<string, number>()
let text = ''
let orders: { point: string | undefined; time: number; deed: Deed }[] = []

function take(list: string): void {
  if (list === text) return
  text = list
  passed.clear()
  orders = list.split(',').flatMap((order) => {
    const [point, time, deed] = order.split(':')
    return point === '' ? [] : [{ point, time: Number(time), deed: deed as Deed }]
  })
}

/** The process's wall clock may be shifted (support/wall-clock.mjs). */
const machineTime = (): number => Math.round(performance.timeOrigin + performance.now())

export function reach(point: string): void {
  const time = (passed.get(point) ?? 0) + 1
  passed.set(point, time)
  const order = orders.find((one) => one.point === point && one.time === time)
  if (order === undefined) return
  const report = { msg: 'fault.point', point, deed: order.deed, began: machineTime() }
  process.stdout.write(`${JSON.stringify(report)}\n`)
  orders = []
  process.kill(process.pid, signals[order.deed])
}

const ordersFile = process.env['FAULT_ORDERS']
if (ordersFile !== undefined) {
  const read = (): void => take(readFileSync(ordersFile, 'utf8'))
  read()
  setInterval(read, 50).unref()
}

/** Read whenever the time is read, so that a process never continues with an old offset after SIGSTOP. */
const offsetFile = process.env['FAULT_OFFSET']
const cacheMs = 20
let offset = 0
let readAt = Number.NEGATIVE_INFINITY

export function offsetMs(): number {
  const at = performance.now()
  if (offsetFile !== undefined && at - readAt > cacheMs) {
    offset = Number(readFileSync(offsetFile, 'utf8'))
    readAt = at
  }
  return offset
}
