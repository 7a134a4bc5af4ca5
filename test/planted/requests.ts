import { killedAt, often, type PlantedBugs } from '../faults/mutants/mutant.ts'
import { drop, replace } from '../support/edited-build/edit.ts'

export const bugs: PlantedBugs = {
  'A key with a stored response runs the operation again → api/idempotency.test.ts': [
    replace('runWriteOnce', 'if ($row === null) return null', 'return null'),
  ],
  "A create's retry gets a response computed from the current intent → key.replayed": [
    often('repeatCreate'),
    replace('createdFields', 'code: 1', 'code: 1, status: 1'),
    replace(
      'buildCreateResponse',
      'presentNewIntent($intent, $$)',
      '({ ...presentNewIntent($intent, $$), status: $intent.status })',
    ),
  ],
  "A refund's write doesn't check for its own key, so a request and its duplicate both refund → api/idempotency-effects.test.ts":
    drop('beginRefund', '...unmarkedFilter($)'),
  'A mark counts even if it is older than 24 hours → api/idempotency-effects.test.ts': [
    replace('isFreshMark', '$at > $', 'true'),
  ],
  "A stored refusal is repeated without looking for a duplicate's effect → api/idempotency-effects.test.ts":
    replace('runWriteOnce', '$row.refusal ? $ : null', 'null'),
  "A request refused by a quota doesn't look for what its lost duplicate has done → api/idempotency-effects.test.ts":
    replace('runWriteOnce', 'const done = await deadline.run(findEffect)', 'const done = null'),
  "A change's response is sent before it is stored → api/idempotency-effects.test.ts": replace(
    'runWriteOnce',
    'isKnown ? null : await store($row)',
    '(isKnown || store($row).catch(() => null), null)',
  ),
  "A late duplicate's refusal replaces the effect's response → api/idempotency-effects.test.ts": [
    replace('storeResponse', '$row.refusal ? $ : $', '{}'),
    replace('runWriteOnce', 'const done = await deadline.run(findEffect)', 'const done = null'),
  ],
  "A retry that finds a dead process's effect returns its response without storing it → api/idempotency-effects.test.ts":
    replace(
      'runWriteOnce',
      'isKnown ? null : await store($row)',
      'isKnown || isRepeat ? null : await store($row)',
    ),
  'A plan re-queues its deliveries whatever has happened since → api/idempotency-effects.test.ts': [
    replace('writeDue', 'filter: $state', 'filter: { _id: ($state)._id }'),
  ],
  'A retry with nothing to re-queue stores no plan, so a duplicate re-queues what dies later → api/idempotency-effects.test.ts':
    replace('makePlan', '!isRetry', 'true'),
  "A request refused because of what its duplicate did doesn't look for the duplicate's response → api/idempotency-effects.test.ts":
    drop('storeInTransaction', 'if (error instanceof Refusal) $'),
  'An act re-queues what the open plan of another one names → workers/requeue.test.ts': [
    replace('judgeAll', 'planned.has($)', 'false'),
  ],
  'No poll carries out the plans of dead processes → workers/poll.test.ts': [
    replace('polledWorks', 'run: finishRequeues', 'run: async () => 0'),
  ],
  'A form at the till has a new key each time it is sent → till.once': [
    often('takePayment'),
    replace('formKey', 'JSON.stringify($)', 'String(Math.random())'),
  ],
  'A response is stored outside its transaction, before the commit → key.once stock.balances order.exact': [
    killedAt('transaction.before-commit'),
    often('changeStock', 'placeOrder'),
    replace('storeInTransaction', '{ upsert: true, session }', '{ upsert: true }'),
  ],
  'A commit whose response is lost counts as done → unit/transaction.test.ts': [
    replace('commit', 'if (!$isUnknown) throw $error', 'if ($isUnknown) return; throw $error'),
  ],
  'After a commit whose response is lost, the transaction is repeated → unit/transaction.test.ts': [
    replace('commit', 'if (!$isUnknown) throw $error', 'throw $error'),
    replace('tryOnce', "$error.hasErrorLabel('TransientTransactionError')", '$error.errorLabels.length > 0'),
  ],
  "A transaction that fails because of another process isn't repeated → unit/transaction.test.ts": [
    replace('tryOnce', "$error.hasErrorLabel('TransientTransactionError')", 'false'),
  ],
  'An endpoint test that is repeated has another delivery id → api/test-endpoint.test.ts': replace(
    'sendSample',
    'eventIdOfTest(key, now)',
    'hash("sha256", String(Math.random()), "hex").slice(0, 24)',
  ),
  "A quota's last block is reserved even if only a part of it is left → unit/counter.test.ts": [
    replace('createCounters', '{ used: { $lte: max - amount } }', '{ used: { $lt: max } }'),
  ],
  'A process reserves as much of a quota as it ever needed at once, without a bound → unit/counter.test.ts':
    replace('createCounters', 'Math.min($size * 2, $most)', '$size * 2'),
  'A stopping process keeps its reserved part of a quota → unit/counter.test.ts': [
    replace('createCounters', 'Promise.all([...blocks.values()].map($settle))', 'Promise.resolve()'),
  ],
  "A failure counter doesn't restart when its period has ended → unit/counter.test.ts": replace(
    'createCounters',
    "const isOver = { $lte: ['$expireAt', at] }",
    "const isOver = { $lt: ['$expireAt', 0] }",
  ),
  "A quiet business's debt slows all other businesses' endpoints → webhooks/send-tls.test.ts": [
    drop('createTimeMeters', 'payOff($now)'),
  ],
  'A freed slot goes to the owner that has waited longest, not to the one that holds least → unit/share.test.ts':
    replace('createShare', 'partOf(...$one) - partOf(...$other)', '0'),
  'A call that needs more of a resource than is free takes it anyway → unit/share.test.ts': [
    replace('createShare', 'return block === null', 'return block?.name !== names[0]'),
  ],
  "A response's memory counts until it is built, not until the client has read it → unit/capacity.test.ts":
    replace('createRequestMemory', "response.once('close', end)", 'setImmediate(end)'),
}
