import type { Deps } from '../deps.ts'
import { throttled } from '../log.ts'
import { networkOf, siteOf } from '../network.ts'
import { addEach, countEach, createTries, giveBackEach, type Tries, triesCollection } from '../tries.ts'

/** Guesses at short codes and payment codes that missed, and PINs that were refused (pin-limit.ts). */
export const guessTries = triesCollection('guesses')

/** What a guess came to. `closed`: there were too many, and nobody is told anything, not even who would have hit. */
export type Guess<Found> =
  | { outcome: 'hit'; found: Found }
  | { outcome: 'miss' }
  | { outcome: 'closed'; closedMs: number }

/** Looks for what somebody names who may be guessing. `find` answers null for a miss; only misses count. */
export interface Guesses {
  /** By a short code, from the address of a page. `ip` is null for who does not guess (link-proof.ts). */
  link<Found>(ip: string | null, find: () => Promise<Found | null>): Promise<Guess<Found>>
  /** By a payment code that somebody typed: a live one, or one of this business's sandbox. */
  code<Found>(ip: string, sandboxOf: string | null, find: () => Promise<Found | null>): Promise<Guess<Found>>
}

const seconds = 600
/** Behind one address there may be all customers of a carrier, of whom some mistype; whoever guesses gets 4 320 tries a day from it. */
const perNetwork = 30
/**
 * A page that is being looked up counts as one, and a miss as this many: customers who come at once, more of them while MongoDB is slow, must
 * not shut one another out. So of many guesses at once 300 may be told.
 */
const linksPerMiss = 10
/** Of IPv6, ten networks: a whole /48 is given to anybody who asks, and has 65 536 of them. */
const perSite = 300
/**
 * In all: of a million payment codes, 10 000 of them in use, this many guesses find 30, from a hundred addresses or more. There are a
 * thousand times as many short codes, and a count that is full shuts everybody out: so that of the links takes ten times as long to fill.
 */
const ofCodes = 3000
const ofLinks = 30_000

export function createGuesses(deps: Pick<Deps, 'mongo' | 'log'>): Guesses {
  const complain = throttled(60_000, (fields) => deps.log.warn(fields, 'guesses.closed'))
  const tries = (name: string, most: number) => createTries(deps.mongo, guessTries, { name, most, seconds })
  const counts = (kind: string, perMiss: number, mostInAll: number) => ({
    kind,
    own: tries(kind, perNetwork * perMiss),
    site: tries(`${kind}-site`, perSite * perMiss),
    all: tries(`${kind}-all`, mostInAll),
  })
  type Counts = ReturnType<typeof counts>
  const links = counts('link', linksPerMiss, ofLinks)
  const codes = counts('code', 1, ofCodes)
  const testCodes = counts('test-code', 1, ofCodes)

  /** What one guess counts for on its own side: its network, and the site that this is of. */
  const ownCounts = ({ own, site }: Counts, ip: string) => [
    { tries: own, key: networkOf(ip) },
    ...keyed(site, siteOf(ip)),
  ]
  /** Counts for all of a group; complains when that is full. */
  const countForAll = async ({ kind, all }: Counts, group: string) => {
    const counted = await countEach([{ tries: all, key: group }])
    if (!counted.isOpen) complain({ kind, group })
    return counted
  }

  return {
    // Counted while it is looked up and told only then, so that of many at once no more are told than may miss. The count of all, which
    // every page view would write to, is only looked at before a miss: what slips by is bounded by each network's own.
    async link(ip, find) {
      const own = ip === null ? [] : ownCounts(links, ip)
      const [mine, everybodys, found] = await Promise.all([
        countEach(own),
        ip === null ? open : links.all.look('all'),
        find(),
      ])
      if (mine.isOpen && (found !== null || !everybodys.isOpen)) await giveBackEach(own)
      if (!everybodys.isOpen) complain({ kind: 'link', group: 'all' })
      const closed = [mine, everybodys].find(({ isOpen }) => !isOpen)
      if (closed !== undefined) return { outcome: 'closed', closedMs: closed.closedMs }
      if (found !== null) return { outcome: 'hit', found }
      await addEach(own, linksPerMiss - 1)
      const { isOpen, closedMs } = ip === null ? open : await countForAll(links, 'all')
      return isOpen ? { outcome: 'miss' } : { outcome: 'closed', closedMs }
    },
    // Counted before it is looked up, so that of many at once no more are looked up than may miss.
    async code(ip, sandboxOf, find) {
      const [of, group] = sandboxOf === null ? ([codes, 'all'] as const) : ([testCodes, sandboxOf] as const)
      const own = ownCounts(of, ip)
      const mine = await countEach(own)
      if (!mine.isOpen) return { outcome: 'closed', closedMs: mine.closedMs }
      const everybodys = await countForAll(of, group)
      if (!everybodys.isOpen) await giveBackEach(own)
      if (!everybodys.isOpen) return { outcome: 'closed', closedMs: everybodys.closedMs }
      const found = await find()
      if (found === null) return { outcome: 'miss' }
      await giveBackEach([...own, { tries: of.all, key: group }])
      return { outcome: 'hit', found }
    },
  }
}

const open = { isOpen: true, closedMs: 0 } as const

const keyed = (tries: Tries, key: string | null) => (key === null ? [] : [{ tries, key }])
