import { deadlineMs } from './machine.ts'

export async function waitFor<T>(what: string, look: () => T | Promise<T>, withinMs = 10_000, everyMs = 20) {
  const began = performance.now()
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen as NonNullable<Exclude<T, false>>
    if (performance.now() - began > deadlineMs(withinMs))
      throw new Error(`timed out after ${deadlineMs(withinMs)} ms: ${what}`)
    await new Promise((resolve) => void setTimeout(resolve, everyMs))
  }
}

export const waitRarely: typeof waitFor = (what, look, withinMs) => waitFor(what, look, withinMs, 100)
