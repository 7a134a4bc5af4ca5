/** The actions of one name that are running or waiting. */
interface Line {
  all: number
  running: number
  waiting: (() => void)[]
}

/**
 * Runs `act` as soon as fewer actions of its name are running than `maxRunning` returns at that moment. Throws what
 * `maxRunning` throws.
 */
export type RunInLine = <T>(name: string, maxRunning: () => number, act: () => Promise<T>) => Promise<T>

/** Creates a line for each name. An action that is woken in vain goes back to the end of its line. */
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
  // Another action may be allowed to run as well.
  wakeNext(line)
}

const wakeNext = (line: Line): void => line.waiting.shift()?.()
