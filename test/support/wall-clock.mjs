// Preloaded into a process. WALL_CLOCK names a file with milliseconds to add to the wall clock of the service and all
// libraries. Timers and the monotonic clock stay correct, as when a machine's clock is set.
import { readFileSync } from 'node:fs'

const file = process.env.WALL_CLOCK
const TrueDate = Date
const cacheMs = 20
let aheadMs = 0
let readAt = Number.NEGATIVE_INFINITY

function now() {
  const at = performance.now()
  if (at - readAt > cacheMs) {
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
