import { withTimeout } from '../../src/platform/timeout.ts'
import { deadlineMs } from './machine.ts'

const limitMs = 60_000
const open = new Map<Promise<unknown>, string>()
const failures: unknown[] = []

/** Closes killed processes while other tests run, because the driver waits long for a lost connection. Never throws. */
export function closeInBackground(...closings: Promise<unknown>[]): void {
  const caller = new Error('closed here').stack?.split('\n').slice(2).join('\n') ?? ''
  for (const closing of closings) {
    open.set(closing, caller)
    closing.catch((error) => failures.push(error)).finally(() => open.delete(closing))
  }
}

export async function allClosed(): Promise<void> {
  await withTimeout(Promise.allSettled(open.keys()), deadlineMs(limitMs), () => undefined)
  if (failures.length > 0) throw failures[0]
  if (open.size > 0) throw new Error(`Not closed in time, from\n${[...new Set(open.values())].join('\n')}`)
}
