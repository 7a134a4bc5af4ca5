/** A queue of running and waiting actions with the same name. */
interface Line {
  all: number
  running: number
  waiting: (() => void)[]
}

/**
 * Runs `act` as soon as fewer than `maxRunning()` actions with this name are running. `maxRunning` is called again
 * before each start, and may throw to stop waiting.
 */
export type RunInLine = <T>(name: string, maxRunning: () => number, act: () => Promise<T>) => Promise<T>

/**
 * Creates a queue for each name. If a waiting action is woken but may not run yet, it goes back to the end of its
 * queue.
 */
export function createLines(): RunInLine {
  const lines = new Map<string, Line>()
  return async (name, maxRunning, act) => {
    const line = lines.get(name) ?? { all: 0, running: 0, waiting: [] }
    lines.set(name, line)
    line.all += 1
    try {
      await waitToRun(line, maxRunning)
      return await act().finally(() => {
        line.running -= 1
      })
    } finally {
      wakeNext(line)
      line.all -= 1
      if (line.all === 0) lines.delete(name)
    }
  }
}

async function waitToRun(line: Line, maxRunning: () => number): Promise<void> {
  while (line.running >= maxRunning()) await new Promise<void>((resolve) => line.waiting.push(resolve))
  line.running += 1
  // The limit may allow another action to run as well.
  wakeNext(line)
}

const wakeNext = (line: Line): void => line.waiting.shift()?.()
