import { createOneAtATime } from '../../process/one-at-a-time.ts'
import { fairShare, type SlowHash } from '../../security/slow-hash.ts'
import type { Wallet } from '../wallet.ts'
import { authorise } from './authorise.ts'
import type { MovingDeps } from './finish.ts'
import { refund } from './refund.ts'
import { status } from './status.ts'

/** The wallets that test intents are paid by: in MongoDB, with PINs and balances, and no money. */
export function createSandboxWallet(deps: MovingDeps & { slowHash: SlowHash }): Wallet {
  // Not what keeps the books right, that is in the writes: a hundred customers of one wallet would only be in each other's way, and
  // each who finds it busy costs two trips to MongoDB.
  const oneAtATime = { pinOneAtATime: createOneAtATime(), moveOneAtATime: createOneAtATime() }
  const ordering = { ...deps, ...oneAtATime, checkPin: deps.slowHash.createCheck(fairShare) }
  return {
    name: 'sandbox',
    authorise: (order) => authorise(ordering, order),
    refund: (order) => refund(ordering, order),
    status: (question) => status(deps, question),
  }
}
