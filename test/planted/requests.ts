import { killedAt, often, type PlantedBugs } from '../faults/mutants/mutant.ts'
import { drop, replace } from '../support/edited-build/edit.ts'

export const bugs: PlantedBugs = {
  // A key with a stored response runs the operation again.
  'replay-runs-again → api/idempotency.test.ts': replace('runOnce', 'if ($row === null) return null', 'return null'),
  // A retry of a create gets the response computed from the current intent.
  'replay-as-it-is-now → key.replayed': [
    often('repeatCreate'),
    replace('createdFields', 'code: 1', 'code: 1, status: 1'),
    replace(
      'createdResponse',
      'presentCreated($intent, $$)',
      '({ ...presentCreated($intent, $$), status: $intent.status })',
    ),
  ],
  // The write of a refund does not exclude the mark of its own key: two twins that have read both refund.
  'twin-unguarded → api/idempotency-effects.test.ts': drop('beginRefund', '...unmarkedFilter($)'),
  // A mark counts even if it is older than 24 hours.
  'key-never-free → api/idempotency-effects.test.ts': replace('isFresh', '$at > $', 'true'),
  // A stored refusal is repeated without a look for the effect of a twin.
  'refusal-repeated → api/idempotency-effects.test.ts': replace('runOnce', '$row.refusal ? $ : null', 'null'),
  // A request that a quota refuses, or whose body is unreadable, does not look for what its lost twin has done.
  'refusal-unlooked → api/idempotency-effects.test.ts': replace(
    'runOnce',
    'const done = await effect()',
    'const done = null',
  ),
  // The response of a change is sent before it is stored.
  'acknowledged-early → api/idempotency-effects.test.ts': replace(
    'runOnce',
    'isKnown ? null : await store($row)',
    '(isKnown || store($row).catch(() => null), null)',
  ),
  // The refusal of a late twin replaces the response of the effect.
  'refusal-over-effect → api/idempotency-effects.test.ts': [
    replace('storeRow', '$row.refusal ? $ : $', '{}'),
    replace('runOnce', 'const done = await effect()', 'const done = null'),
  ],
  // A retry that finds the effect of a dead process returns its response without storing it.
  'found-unstored → api/idempotency-effects.test.ts': replace(
    'runOnce',
    'isKnown ? null : await store($row)',
    'isKnown || isRepeat ? null : await store($row)',
  ),
  // A plan re-queues its deliveries whatever has happened since.
  'plan-unguarded → api/idempotency-effects.test.ts': replace(
    'writeDue',
    'filter: $state',
    'filter: { _id: ($state)._id }',
  ),
  // A retry that found nothing to re-queue has no plan, so a twin re-queues what has become DEAD meanwhile.
  'plan-of-nothing-missing → api/idempotency-effects.test.ts': replace('makePlan', '!isRetry', 'true'),
  // A request that is refused because of what its twin did does not look for the response of the twin.
  'twin-unseen → api/idempotency-effects.test.ts': drop('storeWithin', 'if (error instanceof Refusal) $'),
  // An act re-queues what the open plan of another one names.
  'plan-overlapping → workers/requeue.test.ts': replace('judgeAll', 'planned.has($)', 'false'),
  // No poll carries out the plans of dead processes.
  'plan-abandoned → workers/poll.test.ts': replace('works', 'run: finishPlans', 'run: async () => 0'),
  // The response to a write of several documents is stored outside its transaction, before the commit.
  'response-before-effect → key.once stock.balances order.exact': [
    killedAt('transaction.before-commit'),
    often('changeStock', 'placeOrder'),
    replace('storeWithin', '{ upsert: true, session }', '{ upsert: true }'),
  ],
  // A commit whose response is lost counts as done.
  'unknown-for-done → unit/transaction.test.ts': replace(
    'commit',
    'if (!$isUnknown) throw $error',
    'if ($isUnknown) return; throw $error',
  ),
  // After a commit whose response is lost, the transaction is repeated.
  'unknown-for-undone → unit/transaction.test.ts': [
    replace('commit', 'if (!$isUnknown) throw $error', 'throw $error'),
    replace('tryOnce', "$error.hasErrorLabel('TransientTransactionError')", '$error.errorLabels.length > 0'),
  ],
  // A transaction that another process makes fail is not repeated.
  'conflict-forgotten → unit/transaction.test.ts': replace(
    'tryOnce',
    "$error.hasErrorLabel('TransientTransactionError')",
    'false',
  ),
  // An endpoint test that is sent again has another delivery id.
  'test-without-key → api/test-endpoint.test.ts': replace(
    'sendSample',
    'eventIdOfTest(key, now)',
    'hash("sha256", String(Math.random()), "hex").slice(0, 24)',
  ),
  // The last block of a quota is reserved even if only a part of it is left.
  'quota-exceeded → unit/counter.test.ts': replace(
    'openCounters',
    '{ used: { $lte: max - amount } }',
    '{ used: { $lt: max } }',
  ),
  // A process holds as much of a quota as it has ever needed at once, without a bound.
  'block-too-large → unit/counter.test.ts': replace('openCounters', 'Math.min($size * 2, $most)', '$size * 2'),
  // A process that stops keeps what it has reserved of a quota.
  'block-kept → unit/counter.test.ts': replace(
    'openCounters',
    'Promise.all([...blocks.values()].map($settle))',
    'Promise.resolve()',
  ),
  // A counter of failures does not begin anew when its period has ended.
  'points-for-ever → unit/counter.test.ts': replace(
    'openCounters',
    "const isOver = { $lte: ['$expireAt', at] }",
    "const isOver = { $lt: ['$expireAt', 0] }",
  ),
  // What a quiet business owes slows the endpoints of all others.
  'debts-kept → webhooks/send-tls.test.ts': drop('createMeters', 'payOff($now)'),
  // What becomes free goes to the owner that has waited longest, not to the one that holds least.
  'share-in-turn → unit/share.test.ts': replace('createShare', 'partOf(...$one) - partOf(...$other)', '0'),
  // A call that needs more than is free of one resource takes it nevertheless.
  'share-in-parts → unit/share.test.ts': replace(
    'createShare',
    'return block === null',
    'return block?.name !== names[0]',
  ),
  // The memory of a response counts until it is built, not until the client has read it.
  'response-forgotten → unit/capacity.test.ts': replace(
    'createRequestMemory',
    "response.once('close', end)",
    'setImmediate(end)',
  ),
}
