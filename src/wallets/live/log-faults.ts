import { type Log, throttled } from '../../process/log.ts'
import type { OrderAsked } from './response.ts'

/** A provider that fails, fails every customer: a line now and then is enough. */
const everyMs = 5000

/** Tells the log what is wrong with the provider. Each `why` by itself, so that one that comes by the thousand does not hide another. */
export function createComplaint(log: Log): (asked: OrderAsked, why: string) => void {
  const writers = new Map<string, (fields: object) => void>()
  return ({ kind, key }, why) => {
    const write = writers.get(why) ?? throttled(everyMs, (fields) => log.warn(fields, 'wallet.failing'))
    writers.set(why, write)
    write({ kind, key, why })
  }
}
