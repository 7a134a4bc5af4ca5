/** How much each business has been sending, as far as this process has seen. */
export interface RecentSenders {
  /** Counts `count` new deliveries of a business; answers how many it had in the last seconds, these among them. */
  add(businessId: string, count: number): number
}

/** Long enough to tell a burst from a rate, short enough to be forgotten soon. */
const spanMs = 10_000

/** Two spans are kept, the running one and the one before, which fades; nothing older, whoever comes. */
export function createRecentSenders(elapsedMs: () => number): RecentSenders {
  let running = new Map<string, number>()
  let before = new Map<string, number>()
  let beganAt = elapsedMs()

  function turn(now: number): void {
    if (now - beganAt < spanMs) return
    before = now - beganAt < 2 * spanMs ? running : new Map()
    running = new Map()
    beganAt = now
  }

  return {
    add(businessId, count) {
      const now = elapsedMs()
      turn(now)
      const counted = (running.get(businessId) ?? 0) + count
      running.set(businessId, counted)
      const fading = 1 - (now - beganAt) / spanMs
      return counted + Math.floor((before.get(businessId) ?? 0) * fading)
    },
  }
}
