import type { Wallet } from './wallet.ts'

/** Stands behind payments that were simulated: there is no money, so it always moves. */
export const simulation: Wallet = {
  name: 'simulation',
  authorise: async () => ({ outcome: 'done' }),
  refund: async () => ({ outcome: 'done' }),
  status: async () => ({ outcome: 'done' }),
}
