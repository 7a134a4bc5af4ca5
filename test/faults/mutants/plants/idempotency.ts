import { drop, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, plain, under } from '../mutant.ts'

export const idempotencyMutants: PlantedBugs = {
  'replay-runs-again': {
    bug: 'A key with a stored response runs the operation again.',
    edits: [replace('compete', 'isExpired($claim, $$)', 'isExpired($claim, $$) || $claim.sealedResponse')],
    caughtBy: ['key.replayed'],
  },
  'replay-as-it-is-now': {
    bug: 'A retry of a create gets the response computed from the current intent.',
    edits: [
      replace('createdFields', 'code: 1', 'code: 1, status: 1'),
      replace(
        'createdResponse',
        'presentCreated($intent, $$)',
        '({ ...presentCreated($intent, $$), status: $intent.status })',
      ),
    ],
    caughtBy: ['key.replayed'],
    focus: { ...plain, often: ['repeatCreate'] },
  },
  'effect-renewed': {
    bug: 'Taking over the claim of a dead process makes a new effect id, so the work is done twice.',
    edits: [replace('inherit', '{ token, $$ }', '{ token, $$, effectId: token }')],
    caughtBy: ['key.once', 'stock.balances', 'refund.bounded'],
    focus: killedAt('stock.changed', 'write.before-response-kept', 'refund.settled', 'order.placed'),
  },
  'effect-restarted': {
    bug: 'A request that lost its claim starts over with a new effect id.',
    edits: [
      replace('reclaim', 'inherit($deps, $of, $old, $now)', 'takeOver($deps, $old, freshClaim($now, $of))'),
      // The lease ends at once, so of two concurrent requests the second takes over while the first runs. Alone this
      // breaks no promise.
      replace('freshClaim', 'leaseEndsAt: $', 'leaseEndsAt: new Date(0)'),
    ],
    caughtBy: ['key.once', 'stock.balances', 'key.replayed'],
    focus: { ...plain, seconds: 25, often: ['changeStock', 'cancelIntent'] },
  },
  'claim-deleted': {
    bug: 'A request that fails deletes its claim, and with it the effect id of a write that may still land.',
    edits: [replace('giveUp', '$claims.updateOne($filter, $)', '$claims.deleteOne($filter)')],
    caughtBy: ['key.once', 'stock.balances'],
    focus: { ...under('mongo.stop', 'mongo.kill'), often: ['changeStock'] },
  },
  'stock-unrecorded': {
    bug: 'The filter of a stock change does not exclude its effect id, so a retry changes the stock again.',
    edits: [drop('planStock', '...unlessForgotten($$)')],
    caughtBy: ['key.once', 'stock.balances'],
    focus: { ...killedAt('stock.changed', 'write.before-response-kept'), often: ['changeStock'] },
  },
}
