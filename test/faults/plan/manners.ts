import { hooks } from '../traffic/hooks.ts'
import { manners } from '../traffic/manners.ts'
import { providerManners } from '../traffic/provider.ts'
import type { Manners } from './receiver-faults.ts'

/** Everybody that the service writes to, the wallet provider too, and the manners that each can take to. */
export function mannersOfAll(): Manners {
  const all = new Map<string, readonly string[]>()
  for (const name of hooks().keys()) all.set(name, manners)
  return all.set(
    'provider',
    providerManners.filter((manner) => manner !== 'ok'),
  )
}
