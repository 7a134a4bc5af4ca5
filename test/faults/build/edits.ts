import { after, before, type Edit, replace } from '../../support/edited-build/edit.ts'

export type Point = { name: string; process: 'web' | 'worker'; edits: Edit[] }
type PointSpec = readonly [name: string, within: string, find: string]
const pointsOf = (process: Point['process'], insert: typeof before, specs: readonly PointSpec[]): Point[] =>
  specs.map(([name, within, find]) => ({ name, process, edits: [insert(within, find, `reach('${name}')`)] }))

export const points: readonly Point[] = [
  ...pointsOf('web', before, [
    ['write.key-looked-up', 'write', 'readIdempotencyKey($$)'],
    ['write.before-run', 'runWriteOnce', 'run().catch($$)'],
    ['create.before-insert', 'insertIntent', '$.insertIntent($$)'],
    ['create.inserted', 'insertIntent', 'countTransition($$)'],
    ['write.before-response-kept', 'runWriteOnce', 'isKnown ? null : await store($)'],
    ['cancel.before-transition', 'cancelIntent', 'applyTransition($$)'],
    ['cancel.done', 'cancelIntent', 'wakeRelay($$)'],
    ['pay.before-begin', 'payIntent', 'beginPayment($$)'],
    ['pay.pending', 'payIntent', 'isSuspended($$)'],
    ['pay.wallet-responded', 'payIntent', "$.outcome === 'unknown'"],
    ['pay.settled', 'settlePayment', 'wakeRelay($$)'],
    ['wallet.money-held', 'decideOrder', '$.insertOne($$)'],
    ['wallet.decided', 'decideOrder', 'return result'],
    ['simulate.before-transition', 'simulatePayment', 'recordPayment($$)'],
    ['simulate.settled', 'simulatePayment', 'wakeRelay($$)'],
    ['refund.before-set-aside', 'refundIntent', 'beginRefund($$)'],
    ['refund.set-aside', 'carryOutRefund', 'callWallet($$)'],
    ['refund.wallet-responded', 'carryOutRefund', "$.outcome === 'unknown'"],
    ['refund.settled', 'settleRefund', 'wakeRelay($$)'],
    ['requeue.judged', 'makePlan', '$.insertOne($$)'],
    ['requeue.planned', 'planAndRequeue', 'carryOutPlan($$)'],
    ['requeue.before-enqueue', 'planAndRequeue', 'wakeDue($$)'],
    ['transaction.before-commit', 'tryOnce', 'commit($$)'],
    ['order.products-read', 'placeOrder', 'takeUnits($$)'],
    ['order.units-taken', 'placeOrder', '$.insertOne($$)'],
    ['order.placed', 'placeOrder', 'wakeRelay($$)'],
    ['stock.before-change', 'changeStock', '$.updateOne($$)'],
    ['import.locked', 'importRows', 'compareImport($$)'],
    ['import.compared', 'importRows', 'write($$)'],
    ['import.written', 'importRows', 'return $.counts'],
  ]),
  ...pointsOf('web', after, [
    ['write.response-kept', 'runWriteOnce', 'isKnown ? null : await store($)'],
    ['create.enqueued', 'insertIntent', 'wakeRelay($$)'],
    ['requeue.due-again', 'carryOutPlan', 'writeDue($$)'],
    ['requeue.job-added', 'planAndRequeue', 'wakeDue($$)'],
    ['transaction.committed', 'tryOnce', 'commit($$)'],
    ['stock.changed', 'changeStock', '$.updateOne($$)'],
  ]),
  ...pointsOf('worker', before, [
    ['outcome.before-query', 'queryOrderOutcome', 'callWallet($$)'],
    ['outcome.received', 'queryOrderOutcome', "$.outcome !== 'unknown'"],
    ['relay.events-read', 'relayDocument', '$.findActiveEndpoints($$)'],
    ['relay.before-insert', 'relayDeliveries', '$.allSettled($$)'],
    ['relay.inserted', 'relayTo', 'beginAttempt($$)'],
    ['relay.deliveries-inserted', 'relayDeliveries', '$.enqueue($$)'],
    ['relay.enqueued', 'relayDeliveries', '$.deliveries += $'],
    ['chain.before-insert', 'appendToChain', 'insert($$)'],
    ['relay.logged', 'relayDocument', 'empty($$)'],
    ['relay.events-pulled', 'relayDocument', '$.events += $'],
    ['replay.before-page', 'applyPage', 'insertDeliveries($$)'],
    ['replay.page-written', 'runPage', 'saveReplayProgress($$)'],
    ['replay.progress-recorded', 'runPage', 'beginAttempts($$)'],
    ['deliver.leased', 'beginAttempt', '$.hold($$)'],
    ['deliver.before-send', 'send', '$.sender.send($$)'],
    ['deliver.responded', 'send', '$.free($$)'],
    ['deliver.before-record', 'send', '$.recordResult($$)'],
    ['deliver.before-job', 'send', '$.enqueue($$)'],
    ['wake.handed-over', 'webhookDeliveryWorker', 'removeStaleJobs($$)'],
    ['expire.taken', 'expireIntent', 'applyTransition($$)'],
    ['expire.done', 'expireIntent', 'wakeRelay($$)'],
    ['poll.begun', 'lookOnce', 'run($$)'],
    ['clean-up.before-mark', 'removeIntents', 'hide($$)'],
    ['clean-up.marked', 'removeIntents', 'removeMovements($$)'],
    ['clean-up.movements-gone', 'removeIntents', 'removeDeliveriesOf($$)'],
    ['clean-up.before-end', 'runCleanUp', '$.end({ completedFor: $, pass: null })'],
  ]),
  ...pointsOf('worker', after, [
    ['chain.inserted', 'appendToChain', 'insert($$)'],
    ['relay.expiries-scheduled', 'relayDocument', '$.enqueue($$)'],
    ['deliver.recorded', 'send', '$.recordResult($$)'],
    ['deliver.job-added', 'send', '$.enqueue($$)'],
    ['expire.enqueued', 'expireIntent', 'wakeRelay($$)'],
    ['poll.done', 'lookOnce', 'run($$)'],
    ['job.done', 'runJob', 'next = result'],
    ['clean-up.taken', 'runCleanUp', 'createPacer($$)'],
    ['clean-up.deliveries-gone', 'removeIntents', 'removeDeliveriesOf($$)'],
    ['clean-up.before-orders-go', 'removeOrders', 'removeDeliveriesOf($$)'],
  ]),
]

const shifted = replace('noClockShift', '($ms) => $ms', '($ms) => $ms + offsetMs()')

/** Lists have a count checkpoint every 5 items, because no list of a round has 2 000. */
const closeCheckpoints = replace('itemsPerCheckpoint', '2_000', '5')
export const harnessEdits: Edit[] = [shifted, closeCheckpoints, ...points.flatMap(({ edits }) => edits)]

/** Only 500 payment codes, so that some are drawn twice. A longer round would run out of codes. */
export const fewCodes: Edit = replace('newPaymentCode', 'randomInt($)', 'randomInt(500)')
