import { after, before } from './point.ts'

const attempt = before('worker', 'src/webhooks/attempts/attempt.ts')

/** Of an attempt; `wake.…` of the job that wakes a worker for one. */
export const deliverPoints = [
  attempt('deliver.claimed', 'deps.leases.hold(delivery'),
  attempt('deliver.before-send', 'const sent = await deps.sender.send('),
  attempt('deliver.answered', "slot.free(sent.outcome === 'delivered')"),
  attempt('deliver.before-record', 'const isRecorded = '),
  attempt('deliver.recorded', "const recorded = isRecorded ? outcome : 'lease-lost'"),
  attempt('deliver.before-job', 'const waiting = { ...delivery, attempts, nextAttemptAt'),
  after('worker', 'src/webhooks/attempts/attempt.ts')(
    'deliver.job-added',
    "deps.enqueue('webhook-delivery', [deliveryJob(waiting, deps.now())])",
  ),
  before('worker', 'workers/webhook-delivery.ts')('wake.handed-over', 'await removeSuperseded('),
  after('worker', 'workers/run/run-job.ts')('job.done', 'outcome = nextStep.next'),
]
