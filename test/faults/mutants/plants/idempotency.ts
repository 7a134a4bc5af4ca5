import { drop, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, plain } from '../mutant.ts'

const effects = ['api/idempotency-effects.test.ts']
const transactions = ['unit/transaction.test.ts']

export const idempotencyMutants: PlantedBugs = {
  'replay-runs-again': {
    bug: 'A key with a stored response runs the operation again.',
    edits: [replace('runOnce', 'if ($row === null) return null', 'return null')],
    caughtBy: ['api/idempotency.test.ts'],
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
  'twin-unguarded': {
    bug: 'The write of a refund does not exclude the mark of its own key: two twins that have read both refund.',
    edits: [drop('beginRefund', '...unlessMarked($)')],
    caughtBy: effects,
  },
  'key-never-free': {
    bug: 'A mark counts even if it is older than 24 hours.',
    edits: [replace('isFresh', '$at > $', 'true')],
    caughtBy: effects,
  },
  'refusal-repeated': {
    bug: 'A stored refusal is repeated without a look for the effect of a twin.',
    edits: [replace('runOnce', '$row.refusal ? $ : null', 'null')],
    caughtBy: effects,
  },
  'refusal-unlooked': {
    bug: 'A request that a quota refuses, or whose body is unreadable, does not look for what its lost twin has done.',
    edits: [replace('runOnce', 'const done = await effect()', 'const done = null')],
    caughtBy: effects,
  },
  'acknowledged-early': {
    bug: 'The response of a change is sent before it is stored.',
    edits: [
      replace('runOnce', 'isKnown ? null : await store($row)', '(isKnown || store($row).catch(() => null), null)'),
    ],
    caughtBy: effects,
  },
  'refusal-over-effect': {
    bug: 'The refusal of a late twin replaces the response of the effect.',
    edits: [
      replace('storeRow', '$row.refusal ? $ : $', '{}'),
      replace('runOnce', 'const done = await effect()', 'const done = null'),
    ],
    caughtBy: effects,
  },
  'found-unstored': {
    bug: 'A retry that finds the effect of a dead process returns its response without storing it.',
    edits: [replace('runOnce', 'isKnown ? null : await store($row)', 'isKnown || isRepeat ? null : await store($row)')],
    caughtBy: effects,
  },
  'plan-unguarded': {
    bug: 'A plan re-queues its deliveries whatever has happened since.',
    edits: [replace('writeDue', 'filter: $state', 'filter: { _id: ($state)._id }')],
    caughtBy: effects,
  },
  'plan-overlapping': {
    bug: 'An act re-queues what the open plan of another one names.',
    edits: [replace('judgeAll', 'planned.has($)', 'false')],
    caughtBy: ['workers/requeue.test.ts'],
  },
  'plan-abandoned': {
    bug: 'No poll carries out the plans of dead processes.',
    edits: [replace('works', 'run: finishPlans', 'run: async () => 0')],
    caughtBy: ['workers/poll.test.ts'],
  },
  'plan-of-nothing-missing': {
    bug: 'A retry that found nothing to re-queue has no plan, so a twin re-queues what has become DEAD meanwhile.',
    edits: [replace('makePlan', '!isRetry', 'true')],
    caughtBy: effects,
  },
  'response-before-effect': {
    bug: 'The response to a write of several documents is stored outside its transaction, before the commit.',
    edits: [replace('storeWithin', '{ upsert: true, session }', '{ upsert: true }')],
    caughtBy: ['key.once', 'stock.balances', 'order.exact'],
    focus: { ...killedAt('transaction.before-commit'), often: ['changeStock', 'placeOrder'] },
  },
  'unknown-for-done': {
    bug: 'A commit whose response is lost counts as done.',
    edits: [replace('commit', 'if (!$isUnknown) throw $error', 'if ($isUnknown) return; throw $error')],
    caughtBy: transactions,
  },
  'unknown-for-undone': {
    bug: 'After a commit whose response is lost, the transaction is repeated.',
    edits: [
      replace('commit', 'if (!$isUnknown) throw $error', 'throw $error'),
      replace('tryOnce', "$error.hasErrorLabel('TransientTransactionError')", '$error.errorLabels.length > 0'),
    ],
    caughtBy: transactions,
  },
  'conflict-forgotten': {
    bug: 'A transaction that another process makes fail is not repeated.',
    edits: [replace('tryOnce', "$error.hasErrorLabel('TransientTransactionError')", 'false')],
    caughtBy: transactions,
  },
  'twin-unseen': {
    bug: 'A request that is refused because of what its twin did does not look for the response of the twin.',
    edits: [drop('storeWithin', 'if (error instanceof Refusal) $')],
    caughtBy: effects,
  },
  'test-without-key': {
    bug: 'An endpoint test that is sent again has another delivery id.',
    edits: [
      replace('sendSample', 'eventIdOfTest(key, now)', 'hash("sha256", String(Math.random()), "hex").slice(0, 24)'),
    ],
    caughtBy: ['api/test-endpoint.test.ts'],
  },
}
