import { deadlineMs } from './machine.ts'

/** Polls `look` until it returns a value other than false. Throws after `withinMs`, or later on a busy machine. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 10_000,
  everyMs = 20,
): Promise<NonNullable<Exclude<T, false>>> {
  const began = performance.now()
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen as NonNullable<Exclude<T, false>>
    if (performance.now() - began > deadlineMs(withinMs))
      throw new Error(`timed out after ${deadlineMs(withinMs)} ms: ${what}`)
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs)
    })
  }
}

/** Like `waitFor`, for an expensive `look`. */
export const waitRarely: typeof waitFor = (what, look, withinMs) => waitFor(what, look, withinMs, 100)
