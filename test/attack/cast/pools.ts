import type { KeyMode } from '../../../src/businesses/api-key.ts'

export type Pools = ReturnType<typeof createPools>
type Holder = { owner: number; mode: KeyMode | null }
const ofPayments = ['business', 'intent', 'short', 'code', 'endpoint', 'delivery', 'event', 'replay'] as const
const ofShops = ['product', 'variant', 'order', 'orderNumber'] as const
export const nouns = [...ofPayments, ...ofShops]
export type Noun = (typeof nouns)[number]
/** Kinds whose ids belong to one business for good. Codes and numbers repeat, and merchants name variants. */
const held = new Set<Noun>(['intent', 'endpoint', 'delivery', 'event', 'replay', 'product', 'order'])

/** Each pool keeps its first ids, so that a number selects the same id for as long as possible. */
const keptIds = 12
const recentIds = 24

export function createPools() {
  const pools = new Map<string, string[]>()
  const holders = new Map<string, Holder>()
  const poolOf = (owner: number, mode: KeyMode, noun: Noun): string[] => {
    const name = `${owner} ${mode} ${noun}`
    const pool = pools.get(name) ?? []
    pools.set(name, pool)
    return pool
  }
  return {
    add(owner: number, mode: KeyMode, noun: Noun, id: string): void {
      const holder = { owner, mode: noun === 'endpoint' ? null : mode }
      if (held.has(noun) && !holders.has(id)) holders.set(id, holder)
      const pool = poolOf(owner, mode, noun)
      if (pool.includes(id)) return
      pool.push(id)
      if (pool.length > keptIds + recentIds) pool.splice(keptIds, 1)
    },
    pick(owner: number, mode: KeyMode, noun: Noun, number: number): string | null {
      const pool = poolOf(owner, mode, noun)
      return pool[number % pool.length] ?? null
    },
    holderOf: (id: string) => holders.get(id) ?? null,
  }
}
