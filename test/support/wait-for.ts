/** Looks again and again until `look` gives something other than null, undefined or false. Fails after `withinMs`. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 10_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen as NonNullable<Exclude<T, false>>
    if (performance.now() > giveUpAt) throw new Error(`still not so after ${withinMs} ms: ${what}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}
