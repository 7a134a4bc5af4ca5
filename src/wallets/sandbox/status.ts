import { pastMongoose } from '../../mongo/collection.ts'
import type { KnownOutcome, Question } from '../wallet.ts'
import { finishMovement, type MovingDeps } from './finish.ts'
import { decide } from './movement.ts'

/**
 * What became of an order. One that nobody has decided is decided now: it can never be carried out, and a write of it that lands
 * later is undone by whoever meets it.
 */
export async function status(deps: MovingDeps, { kind, key }: Question): Promise<KnownOutcome> {
  const moving = await pastMongoose(deps.WalletAccount).findOne({ 'current.key': key })
  if (moving?.current) await finishMovement(deps, moving._id, moving.current)
  const unseen = { nonce: null, accountId: null, amount: null }
  const row = await decide(deps, { _id: key, kind, ...unseen, result: { outcome: 'not-executed' } })
  return row.result
}
