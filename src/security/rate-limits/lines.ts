/** Those of one name who are at something, and those who wait until one of them is done. */
interface Line {
  there: number
  inside: number
  waiting: (() => void)[]
}

/** Does something once fewer of its name are at it than `room` allows at that moment; what `room` throws is thrown. */
export type InLine = <T>(name: string, room: () => number, act: () => Promise<T>) => Promise<T>

/** Lines by name. Who is woken and finds no room stands at the end again; nobody waits where nobody is inside. */
export function createLines(): InLine {
  const lines = new Map<string, Line>()
  return async (name, room, act) => {
    const line = lines.get(name) ?? { there: 0, inside: 0, waiting: [] }
    lines.set(name, line)
    line.there += 1
    try {
      await comeIn(line, room)
      return await act().finally(() => {
        line.inside -= 1
      })
    } finally {
      wakeNext(line)
      line.there -= 1
      if (line.there === 0) lines.delete(name)
    }
  }
}

async function comeIn(line: Line, room: () => number): Promise<void> {
  while (line.inside >= room()) await new Promise<void>((resolve) => line.waiting.push(resolve))
  line.inside += 1
  // There may be room for another.
  wakeNext(line)
}

const wakeNext = (line: Line): void => line.waiting.shift()?.()
