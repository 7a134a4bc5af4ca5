export function createTime() {
  let now = 0
  let timers: { at: number; act: () => unknown }[] = []
  return {
    elapsedMs: () => now,
    after(ms: number, act: () => unknown) {
      const timer = { at: now + ms, act }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    timers: () => timers.length,
    async advance(ms: number) {
      const end = now + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((other) => other !== next)
        now = next.at
        await next.act()
      }
      now = end
      await new Promise(setImmediate)
    },
  }
}
