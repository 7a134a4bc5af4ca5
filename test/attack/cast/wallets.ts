import { randomInt } from 'node:crypto'
import type { Deps } from '../../../src/platform/deps.ts'
import { createWallet } from '../../../src/wallets/sandbox/operate.ts'
import type { Provider } from '../../support/provider.ts'
import { tester } from '../../support/service.ts'
import type { MadeSecrets } from './secrets.ts'

export interface Payer {
  phone: string
  pin: string
}

const plenty = 1_000_000_000_000_000

/** In both environments. PINs are random, so that no other number in a log equals one. */
export async function makePayers(deps: Deps, { wallets }: Provider, secrets: MadeSecrets): Promise<Payer[]> {
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
