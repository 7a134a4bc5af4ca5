import { countOn } from './count-on.ts'
import { type Countable, type Mark, newTally, type Tally } from './tally.ts'

/** What this process has counted of long lists. Nothing is in it that MongoDB could not be asked again. */
export interface Tallies {
  /** The marks of what is settled, oldest first; none where nobody counted. */
  marksOf(countable: Countable): readonly Mark[]
  /** Counts on to what is settled by now. */
  bringUp(countable: Countable): Promise<void>
}

/**
 * A tally is counted again from its beginning after ten minutes: a write that came later than anything settled should be, because a
 * process or MongoDB had stood still, is missing for no longer.
 */
const renewAfterMs = 600_000
/** Only lists with more than a stride have one. Beyond these the one that was begun first goes. */
const mostTallies = 10_000

/** `elapsedMs` is a clock that nobody sets. */
export function createTallies(elapsedMs: () => number): Tallies {
  const tallies = new Map<string, Tally>()
  const underWay = new Map<string, Promise<void>>()

  /** One count of a list at a time, whoever asks. */
  function once(name: string, act: () => Promise<void>): Promise<void> {
    const running = underWay.get(name) ?? act().finally(() => underWay.delete(name))
    underWay.set(name, running)
    return running
  }

  function keep(key: string, tally: Tally): void {
    tallies.set(key, tally)
    const [oldest] = tallies.keys()
    if (tallies.size > mostTallies && oldest !== undefined) tallies.delete(oldest)
  }

  async function renew(countable: Countable): Promise<void> {
    const fresh = newTally(countable, elapsedMs())
    await countOn(fresh, countable)
    keep(countable.key, fresh)
  }

  return {
    marksOf(countable) {
      const tally = tallies.get(countable.key)
      if (tally === undefined) return []
      // Beside the request, which has the old one; if it fails, the next request tries again.
      if (elapsedMs() - tally.begunAtMs > renewAfterMs)
        once(`renew ${countable.key}`, () => renew(countable)).catch(() => undefined)
      const { keptFrom } = countable
      return keptFrom === null ? tally.marks : tally.marks.filter(({ at }) => at >= keptFrom.getTime())
    },
    bringUp: (countable) =>
      once(countable.key, () => {
        const tally = tallies.get(countable.key) ?? newTally(countable, elapsedMs())
        keep(countable.key, tally)
        return countOn(tally, countable)
      }),
  }
}
