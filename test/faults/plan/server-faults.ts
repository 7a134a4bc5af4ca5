import type { Chance } from '../../support/chance.ts'
import { behaviours } from '../traffic/behaviours.ts'
import { hooks } from '../traffic/hooks.ts'
import { providerBehaviours } from '../traffic/provider.ts'
import type { Burst, Deck } from './bursts.ts'
import type { Kind, PlannedFault, Servers } from './fault.ts'

/** How long each fault of a server lasts, in milliseconds. */
type Lasting = { readonly [kind in Kind]?: readonly [from: number, to: number] }

export const redisFaults: Lasting = {
  'redis.stop': [1000, 9000],
  'redis.flush': [0, 0],
  'redis.empty': [0, 3000],
  'redis.full': [2000, 8000],
}

/** The driver times out on a frozen server after 5 s. The other members of three elect a primary after 2 s. */
export const mongoFaults: { readonly [servers in Servers]: Lasting } = {
  'one-member': { 'mongo.kill': [0, 3000], 'mongo.stop': [1000, 9000] },
  'three-members': {
    'primary.kill': [0, 6000],
    'primary.end': [0, 6000],
    'primary.stop': [1000, 9000],
    'primary.step-down': [0, 0],
  },
}

/** The time to restart or to elect a primary. */
const recoveryMs = 3000

/** One fault of a server in a burst. Some bursts have none, which shows better what a killed process leaves behind. */
export function serverFault(chance: Chance, burst: Burst, lasting: Lasting, deck: Deck<Kind>) {
  if (chance.is(0.2)) return []
  const what = deck()
  const [from, to] = lasting[what] ?? [0, 0]
  const availableMs = burst.toMs - burst.fromMs - recoveryMs
  const forMs = chance.whole(from, Math.min(to, availableMs))
  const atMs = burst.fromMs + chance.whole(0, availableMs - forMs)
  const target = what.split('.')[0]?.replace('mongo', 'mongodb')
  return [{ what, target, atMs, forMs } as PlannedFault]
}

/** The behaviours of every endpoint and of the wallet provider. */
export const behavioursByTarget: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...hooks().keys()].map((name) => [name, behaviours] as const),
  ['provider', providerBehaviours.filter((behaviour) => behaviour !== 'ok')],
])

/** Other behaviours of up to three endpoints for a while. */
export const endpointFaults = (chance: Chance, burst: Burst, names: Deck<string>): PlannedFault[] =>
  [...new Set([names(), names(), names()])].map((target) => {
    const atMs = chance.whole(burst.fromMs, burst.toMs - 3000)
    const forMs = chance.whole(2000, Math.min(10_000, burst.toMs - atMs))
    const behaviour = chance.pick(behavioursByTarget.get(target) ?? [])
    return { what: 'endpoint.behaviour', target, behaviour, atMs, forMs }
  })
