// Preloaded into a process of a test. Moves its wall clock ahead by the milliseconds in the file that WALL_CLOCK names, for the service and
// every library in it. Timers and the monotonic clock stay correct, as when the clock of a machine is set.
import { readFileSync } from 'node:fs'

const file = process.env.WALL_CLOCK
const TrueDate = Date
/** The file is read again after this. */
const believedMs = 20
let aheadMs = 0
let readAt = Number.NEGATIVE_INFINITY

function now() {
  const at = performance.now()
  if (at - readAt > believedMs) {
    aheadMs = Number(readFileSync(file, 'utf8'))
    readAt = at
  }
  return TrueDate.now() + aheadMs
}

if (file !== undefined) {
  const ShiftedDate = new Proxy(TrueDate, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, made === ShiftedDate ? target : made),
    apply: () => new TrueDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : target[name]),
  })
  TrueDate.prototype.constructor = ShiftedDate
  globalThis.Date = ShiftedDate
}
