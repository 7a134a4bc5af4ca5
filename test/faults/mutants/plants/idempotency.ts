import { killedAt, type Mutant, plain, under } from '../mutant.ts'

const claim = 'src/idempotency/claim.ts'
const recall = 'src/intents/recall.ts'

export const idempotencyMutants: readonly Mutant[] = [
  {
    name: 'replay-runs-again',
    says: 'A key whose answer is stored runs once more.',
    edits: [
      {
        file: claim,
        find: 'if (isOver(found, request, now))',
        put: 'if (isOver(found, request, now) || found.answer !== undefined)',
      },
    ],
    caughtBy: ['key.replayed'],
    focus: plain,
  },
  {
    name: 'replay-as-it-is-now',
    says: 'A retry of a create gets the response computed from the intent as it is now.',
    edits: [
      { file: recall, find: 'code: 1,', put: 'code: 1,\n  ...({ status: 1 } as object),' },
      {
        file: recall,
        find: '1: (intent) => presentCreated(intent, intent.payBase)',
        put: '1: (intent) => ({ ...presentCreated(intent, intent.payBase), status: (intent as { status?: string }).status })',
      },
    ],
    caughtBy: ['key.replayed'],
    focus: { ...plain, often: ['repeatCreate'] },
  },
  {
    name: 'effect-renewed',
    says: 'Whoever takes over the claim of a process that died gets a fresh effect id, and does the work again.',
    edits: [
      {
        file: claim,
        find: '{ token, leaseUntil, paramsHash })',
        put: '{ token, leaseUntil, paramsHash, effectId: token })',
      },
    ],
    caughtBy: ['key.once', 'stock.balances', 'refund.bounded'],
    focus: killedAt('stock.changed', 'write.before-answer-kept', 'refund.settled', 'order.placed'),
    isOneMore: true,
  },
  {
    name: 'effect-restarted',
    says: 'A request that lost its claim starts over under a fresh effect id.',
    edits: [
      {
        file: claim,
        find: 'return found?.effectId === effectId ? inherit(deps, request, found, deps.now()) : null',
        put: 'return found?.effectId === effectId ? takeOver(deps, found, freshClaim(deps.now(), request)) : null',
      },
      // A lease that ends at once: of two attempts at the same time, the second takes over while the first runs. Alone this breaks no promise.
      {
        file: claim,
        find: 'leaseUntil: new Date(now.getTime() + request.leaseMs)',
        put: 'leaseUntil: new Date(0)',
      },
    ],
    caughtBy: ['key.once', 'stock.balances', 'key.replayed'],
    focus: { ...plain, seconds: 25, often: ['changeStock', 'cancelIntent'] },
    isOneMore: true,
  },
  {
    name: 'claim-deleted',
    says: 'A request that fails deletes its claim, and with it the effect id of a write that is still on its way.',
    edits: [
      {
        file: claim,
        find: 'await deps.Claim.updateOne({ _id: held.id, token: held.token }, { $set: { leaseUntil: deps.now() } })',
        put: 'await deps.Claim.deleteOne({ _id: held.id, token: held.token })',
      },
    ],
    caughtBy: ['key.once', 'stock.balances'],
    focus: { ...under('mongo.stop', 'mongo.kill'), often: ['changeStock'] },
    isOneMore: true,
  },
  {
    name: 'stock-unrecorded',
    says: 'A change of stock leaves its effect id out of the guard, so a retry changes the stock once more.',
    edits: [{ file: 'src/store/stock/plan.ts', find: '      ...unlessForgotten(effect.id),\n', put: '' }],
    caughtBy: ['key.once', 'stock.balances'],
    focus: { ...killedAt('stock.changed', 'write.before-answer-kept'), often: ['changeStock'] },
    isOneMore: true,
  },
]
