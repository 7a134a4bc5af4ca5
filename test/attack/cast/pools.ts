/** Ids that the service gave out, by whose they are and of what: for later requests of their owner and of others. */
export interface Pools {
  add(owner: number, noun: Noun, id: string): void
  /** Any number chooses one; null where there is none. */
  pick(owner: number, noun: Noun, number: number): string | null
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

/** The first ones stay, so that the same number means the same thing as long as possible. */
const kept = 12
/** Of the later ones the newest: each is made use of while it is young. */
const young = 24

export function createPools(): Pools {
  const pools = new Map<string, string[]>()
  const poolOf = (owner: number, noun: Noun): string[] => {
    const name = `${owner} ${noun}`
    const pool = pools.get(name) ?? []
    pools.set(name, pool)
    return pool
  }
  return {
    add(owner, noun, id) {
      const pool = poolOf(owner, noun)
      if (pool.includes(id)) return
      pool.push(id)
      if (pool.length > kept + young) pool.splice(kept, 1)
    },
    pick(owner, noun, number) {
      const pool = poolOf(owner, noun)
      return pool[number % pool.length] ?? null
    },
  }
}
