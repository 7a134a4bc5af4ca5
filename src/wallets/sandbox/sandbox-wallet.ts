import { createSlowCheck } from '../../slow-hash.ts'
import type { Wallet } from '../wallet.ts'
import { authorise } from './authorise.ts'
import type { MovingDeps } from './finish.ts'
import { refund } from './refund.ts'
import { status } from './status.ts'
import { createTurns } from './turns.ts'

/** The wallets that test intents are paid by: in MongoDB, with PINs and balances, and no money. */
export function createSandboxWallet(deps: MovingDeps): Wallet {
  const inTurn = { pinInTurn: createTurns(), moveInTurn: createTurns() }
  const ordering = { ...deps, ...inTurn, checkPin: createSlowCheck() }
  return {
    name: 'sandbox',
    authorise: (order) => authorise(ordering, order),
    refund: (order) => refund(ordering, order),
    status: (question) => status(deps, question),
  }
}
