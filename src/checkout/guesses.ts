import type { Deps } from '../deps.ts'
import { throttled } from '../log.ts'
import { createTries, networkOf, triesCollection } from '../tries.ts'

/** Guesses at short codes and payment codes that missed. */
export const guessTries = triesCollection('guesses')

/** What a guess came to. `closed`: there were too many, and nobody is told anything, not even who would have hit. */
export type Guess<Found> =
  | { outcome: 'hit'; found: Found }
  | { outcome: 'miss' }
  | { outcome: 'closed'; closedMs: number }

/** Looks for what somebody names who may be guessing. `find` answers null for a miss; only misses count. */
export interface Guesses {
  /** By a short code, from the address of a page. */
  link<Found>(ip: string, find: () => Promise<Found | null>): Promise<Guess<Found>>
  /** By a payment code that somebody typed: a live one, or one of this business's sandbox. */
  code<Found>(ip: string, sandboxOf: string | null, find: () => Promise<Found | null>): Promise<Guess<Found>>
}

const seconds = 600
/** Behind one address there may be all customers of a carrier, of whom some mistype; whoever guesses gets 4 320 tries a day from it. */
const perAddress = 30
/**
 * In all: of a million payment codes, 10 000 of them in use, this many guesses find 30, from a hundred addresses or more. There are a
 * thousand times as many short codes, and a count that is full shuts everybody out: so that of the links takes ten times as long to fill.
 */
const ofCodes = 3000
const ofLinks = 30_000

export function createGuesses(deps: Pick<Deps, 'mongo' | 'log'>): Guesses {
  const complain = throttled(60_000, (fields) => deps.log.warn(fields, 'guesses.closed'))
  const counts = (kind: string, mostInAll: number) => ({
    kind,
    own: createTries(deps.mongo, guessTries, { name: kind, most: perAddress, seconds }),
    all: createTries(deps.mongo, guessTries, { name: `${kind}-all`, most: mostInAll, seconds }),
  })
  type Counts = ReturnType<typeof counts>
  const links = counts('link', ofLinks)
  const codes = counts('code', ofCodes)
  const testCodes = counts('test-code', ofCodes)

  /** One guess as it counts: for its address, and for all of its `group`. */
  const guessOf = ({ kind, own, all }: Counts, ip: string, group: string) => {
    const network = networkOf(ip)
    const guess = {
      async look() {
        const [mine, everybodys] = await Promise.all([own.look(network), all.look(group)])
        return mine.isOpen ? everybodys : mine
      },
      async count() {
        const mine = await own.count(network)
        // Who is shut out must not use up what all have, nor stay shut out for asking again.
        if (!mine.isOpen) await own.giveBack(network)
        if (!mine.isOpen) return mine
        const everybodys = await all.count(group)
        if (!everybodys.isOpen) await guess.giveBack()
        if (!everybodys.isOpen) complain({ kind, group })
        return everybodys
      },
      async giveBack() {
        await Promise.all([own.giveBack(network), all.giveBack(group)])
      },
    }
    return guess
  }

  return {
    async link(ip, find) {
      const guess = guessOf(links, ip, 'all')
      const [before, found] = await Promise.all([guess.look(), find()])
      if (!before.isOpen) return { outcome: 'closed', closedMs: before.closedMs }
      if (found !== null) return { outcome: 'hit', found }
      const { isOpen, closedMs } = await guess.count()
      return isOpen ? { outcome: 'miss' } : { outcome: 'closed', closedMs }
    },
    // Counted before it is looked up, so that of many at once no more are looked up than may miss.
    async code(ip, sandboxOf, find) {
      const guess = sandboxOf === null ? guessOf(codes, ip, 'all') : guessOf(testCodes, ip, sandboxOf)
      const { isOpen, closedMs } = await guess.count()
      if (!isOpen) return { outcome: 'closed', closedMs }
      const found = await find()
      if (found === null) return { outcome: 'miss' }
      await guess.giveBack()
      return { outcome: 'hit', found }
    },
  }
}
