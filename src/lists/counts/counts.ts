import { lasting, type Mark, writtenBefore } from './checkpoint.ts'
import { countOn } from './count-on.ts'
import type { Countable } from './countable.ts'

/** What this process has counted of long lists. Nothing is in it that MongoDB could not be asked again. */
export interface ListCounts {
  /** How far apart marks are. Lists that are no longer have none. */
  stride: number
  /** The marks of a list that was counted before, oldest first; none of others. */
  checkpointsOf(countable: Countable, now: Date): Promise<readonly Mark[]>
  /** Counts on to what is written by now, the last hour anew, and answers the marks. */
  bringUp(countable: Countable, now: Date): Promise<readonly Mark[]>
}

interface Tally {
  marks: Mark[]
  countedAtMs: number
}

/** So long marks are used as they are: the last hour of the busiest list is counted in some tenths of a second. */
const freshMs = 60_000

/** `elapsedMs` is a clock that nobody sets. Beyond `maxCheckpoints` the lists go that were not asked for the longest. */
export function createListCounts(
  elapsedMs: () => number,
  { stride, maxCheckpoints }: { stride: number; maxCheckpoints: number },
): ListCounts {
  /** Who was asked for last is last. */
  const tallies = new Map<string, Tally>()
  const counting = new Map<string, Promise<Mark[]>>()

  function touch(key: string): Tally {
    const tally = tallies.get(key) ?? { marks: [], countedAtMs: Number.NEGATIVE_INFINITY }
    tallies.delete(key)
    tallies.set(key, tally)
    return tally
  }

  async function count(countable: Countable, now: Date): Promise<Mark[]> {
    const tally = touch(countable.key)
    const { keptFrom } = countable
    const beganAtMs = elapsedMs()
    tally.marks = lasting(tally.marks, keptFrom, now)
    // What may go already stays in front of the first mark, and is counted each time.
    if (tally.marks.length === 0) tally.marks.push({ at: keptFrom?.getTime() ?? 0, made: 0 })
    try {
      await countOn(tally.marks, countable, writtenBefore(now), stride)
    } finally {
      letGo()
    }
    tally.countedAtMs = beganAtMs
    return tally.marks
  }

  function letGo(): void {
    let marks = 0
    for (const tally of tallies.values()) marks += tally.marks.length
    for (const [key, tally] of tallies) {
      if (marks <= maxCheckpoints) return
      tallies.delete(key)
      marks -= tally.marks.length
    }
  }

  /** One count of a list at a time, whoever asks. */
  function bringUp(countable: Countable, now: Date): Promise<Mark[]> {
    const { key } = countable
    const mine = counting.get(key) ?? count(countable, now).finally(() => counting.delete(key))
    counting.set(key, mine)
    return mine
  }

  return {
    stride,
    async checkpointsOf(countable, now) {
      const { key, keptFrom } = countable
      if (!tallies.has(key)) return []
      const tally = touch(key)
      const isFresh = elapsedMs() - tally.countedAtMs <= freshMs
      const marks = isFresh ? tally.marks : await bringUp(countable, now)
      return keptFrom === null ? marks : marks.filter(({ at }) => at >= keptFrom.getTime())
    },
    bringUp,
  }
}
