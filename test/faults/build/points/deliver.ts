import { after, before } from './point.ts'

const deliver = before('worker', 'src/webhooks/attempts/deliver.ts')

export const deliverPoints = [
  deliver('deliver.claimed', 'deps.leases.hold(delivery)'),
  deliver('deliver.before-send', 'const sent = await place.attempt('),
  deliver('deliver.answered', 'const attempts = delivery.attempts'),
  deliver('deliver.before-record', 'const isRecorded = await '),
  deliver('deliver.recorded', 'countAttempt(deps, delivery, isRecorded'),
  before('worker', 'workers/run/run-delivery.ts')(
    'deliver.before-tidied',
    'const nextStep = nextStepAfter(delivered, data)',
  ),
  after('worker', 'workers/run/run-job.ts')('job.done', 'outcome = nextStep.next'),
]
