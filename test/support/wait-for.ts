/** Polls `look` until it returns something other than null, undefined or false. Throws after `withinMs`. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 10_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen as NonNullable<Exclude<T, false>>
    if (performance.now() > deadline) throw new Error(`still not so after ${withinMs} ms: ${what}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}
