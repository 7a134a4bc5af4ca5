import { randomInt } from 'node:crypto'
import type { Deps } from '../../../src/platform/deps.ts'
import { createShop } from '../../../src/store/shops/shops.ts'
import { createWallet } from '../../../src/wallets/sandbox/operate.ts'
import type { Provider } from '../../support/provider.ts'
import { tester } from '../../support/service.ts'
import type { Stage } from '../stage/stage.ts'
import { type Actor, makeActors } from './actors.ts'
import { createPools } from './pools.ts'
import { createMadeSecrets, type MadeSecrets } from './secrets.ts'
import { createStaff } from './staff.ts'

export type Cast = Awaited<ReturnType<typeof assembleCast>>

/** Actors with full rights appear several times, so that most requests are allowed. */
const weights: Record<string, number> = { 'test secret': 12, 'live secret': 4 }

export async function assembleCast({ deps, origin, provider, endpointServers }: Stage) {
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

export type Payer = Awaited<ReturnType<typeof makePayers>>[number]

const plenty = 1_000_000_000_000_000

/** In both environments. PINs are random, so that no other number in a log equals one. */
async function makePayers(deps: Deps, { wallets }: Provider, secrets: MadeSecrets) {
  const payers = Array.from({ length: 4 }, () => ({
    phone: `36${randomInt(100_000, 999_999)}`,
    pin: String(randomInt(100_000, 999_999)),
  }))
  for (const { phone, pin } of payers) {
    await createWallet(deps, { phone, pin, balance: plenty }, tester)
    wallets.set(phone, { pin, balance: plenty })
    secrets.add('phone', phone)
    secrets.add('PIN', pin)
  }
  return payers
}
