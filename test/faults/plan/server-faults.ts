import type { Chance } from '../traffic/chance.ts'
import type { Burst } from './bursts.ts'
import type { Deck } from './deck.ts'
import type { Kind, PlannedFault, Servers } from './fault.ts'

/** A server's faults: how long each lasts in milliseconds, from and to. */
type Lasting = { readonly [kind in Kind]?: readonly [from: number, to: number] }

export const redisFaults = {
  'redis.stop': [1000, 9000],
  'redis.flush': [0, 0],
  'redis.empty': [0, 3000],
  'redis.full': [2000, 8000],
} as const satisfies Lasting

/** The driver gives up on a frozen one after 5 s. */
const mongoFaults = { 'mongo.kill': [0, 3000], 'mongo.stop': [1000, 9000] } as const satisfies Lasting

/** The others elect another after 2 s; a shorter silence than that is none. */
const primaryFaults = {
  'primary.kill': [0, 6000],
  'primary.end': [0, 6000],
  'primary.stop': [1000, 9000],
  'primary.step-down': [0, 0],
} as const satisfies Lasting

export const faultsOfMongo = (servers: Servers): Lasting =>
  servers === 'standalone' ? mongoFaults : primaryFaults

/** What starts it again takes, and what elects a primary. */
const AFTER_MS = 3000

/** One fault of a server in a burst, or none. */
export function serverFault(
  chance: Chance,
  burst: Burst,
  lasting: Lasting,
  deck: Deck<Kind>,
): PlannedFault[] {
  // Not in each: where MongoDB never fails, what a killed process leaves is seen clearer.
  if (chance.is(0.2)) return []
  const kind = deck()
  const [from, to] = lasting[kind] ?? [0, 0]
  const room = burst.toMs - burst.fromMs - AFTER_MS
  const forMs = chance.whole(from, Math.min(to, room))
  const atMs = burst.fromMs + chance.whole(0, room - forMs)
  const target = kind.split('.')[0]?.replace('mongo', 'mongodb')
  return [{ what: kind, target, atMs, forMs } as PlannedFault]
}
