import type { Deps } from '../../deps.ts'
import type { Collection } from '../../mongo/collection.ts'
import { type Bound, createPoints, type Standing } from './points.ts'

/** A limit of points for each key. `name` distinguishes limits that share a collection. */
interface Limit extends Omit<Bound, 'key'> {
  name: string
}

/** Counts points per key under one limit. */
export function createLimiter(deps: Pick<Deps, 'mongo' | 'now'>, collection: Collection, { name, ...limit }: Limit) {
  const points = createPoints(deps, collection)
  const of = (key: string): Bound => ({ key: `${name}:${key}`, ...limit })
  return {
    /** Adds one point to the key, unless it is closed. */
    count: async (key: string): Promise<Standing> => (await points.take([of(key)]))[0] as Standing,
    giveBack: (key: string): Promise<void> => points.giveBack([of(key)]),
    forget: (key: string): Promise<void> => points.forget(of(key)),
  }
}
