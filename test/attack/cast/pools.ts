import type { KeyMode } from '../../../src/businesses/api-key.ts'

/** Ids that the service gave out, by whose they are, of which environment and of what: for later requests of their owner and of others. */
export interface Pools {
  add(owner: number, mode: KeyMode, noun: Noun, id: string): void
  /** Any number chooses one; null where there is none. */
  pick(owner: number, mode: KeyMode, noun: Noun, number: number): string | null
  /** Who was given an id first; null where nobody was, or where the same may be given to several. */
  holderOf(id: string): Holder | null
}

export interface Holder {
  owner: number
  /** Null where it is for both environments. */
  mode: KeyMode | null
}

export const nouns = [
  'business',
  'intent',
  'short',
  'code',
  'endpoint',
  'delivery',
  'product',
  'variant',
  'order',
  'orderNumber',
] as const
export type Noun = (typeof nouns)[number]
/** Whose ids are of one business for good; codes and numbers come again, and variants are named by who sends them. */
const held: ReadonlySet<Noun> = new Set(['intent', 'endpoint', 'delivery', 'product', 'order'])

/** The first ones stay, so that the same number means the same thing as long as possible. */
const kept = 12
/** Of the later ones the newest: each is made use of while it is young. */
const young = 24

export function createPools(): Pools {
  const pools = new Map<string, string[]>()
  const holders = new Map<string, Holder>()
  const poolOf = (owner: number, mode: KeyMode, noun: Noun): string[] => {
    const name = `${owner} ${mode} ${noun}`
    const pool = pools.get(name) ?? []
    pools.set(name, pool)
    return pool
  }
  return {
    add(owner, mode, noun, id) {
      if (held.has(noun) && !holders.has(id))
        holders.set(id, { owner, mode: noun === 'endpoint' ? null : mode })
      const pool = poolOf(owner, mode, noun)
      if (pool.includes(id)) return
      pool.push(id)
      if (pool.length > kept + young) pool.splice(kept, 1)
    },
    pick(owner, mode, noun, number) {
      const pool = poolOf(owner, mode, noun)
      return pool[number % pool.length] ?? null
    },
    holderOf: (id) => holders.get(id) ?? null,
  }
}
