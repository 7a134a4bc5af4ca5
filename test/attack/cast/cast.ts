import { createShop } from '../../../src/store/shops/shops.ts'
import { tester } from '../../support/service.ts'
import type { Stage } from '../stage/stage.ts'
import { type Actor, makeActors } from './actors.ts'
import { createPools, type Pools } from './pools.ts'
import type { Known } from './references.ts'
import { createMadeSecrets, type MadeSecrets } from './secrets.ts'
import { createStaff, type Staff } from './staff.ts'
import { makePayers } from './wallets.ts'

export interface Cast {
  /** Actors with full rights appear several times, so that most requests are allowed. */
  actors: readonly Actor[]
  businessIds: readonly string[]
  hunterKey: string
  staff: readonly Staff[]
  secrets: MadeSecrets
  pools: Pools
  known: Known
}

const weights: Record<string, number> = { 'test secret': 12, 'live secret': 4 }

export async function assembleCast({ deps, origin, provider, endpointServers }: Stage): Promise<Cast> {
  const [secrets, pools] = [createMadeSecrets(), createPools()]
  const { actors, businessIds, hunterKey } = await makeActors(deps, secrets)
  const staff = await createStaff(deps, origin, secrets)
  const payers = await makePayers(deps, provider, secrets)
  for (const [owner, businessId] of businessIds.entries()) {
    for (const mode of ['test', 'live'] as const) pools.add(owner, mode, 'business', businessId)
    await createShop(deps, { businessId, name: `Mk${owner}e` }, tester)
  }
  const { trapPort, allowedPort } = endpointServers
  return {
    actors: actors.flatMap((actor) => Array<Actor>(weights[actor.kind] ?? 1).fill(actor)),
    businessIds,
    hunterKey,
    staff,
    secrets,
    pools,
    known: { pools, payers, owners: businessIds.length, trapPort, allowedPort },
  }
}
