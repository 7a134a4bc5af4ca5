import { after, before } from './point.ts'

const requeue = before('web', 'src/webhooks/deliveries/requeue.ts')

/** Of sending once more, by whomever; `audit.…` of every line of the audit trail. */
export const requeuePoints = [
  requeue('requeue.judged', 'await pastMongoose(deps.Delivery).bulkWrite('),
  requeue('requeue.due-again', 'const after = await read('),
  requeue('requeue.before-enqueue', 'wakeDue(deps, mine, now)'),
  after('web', 'src/webhooks/deliveries/requeue.ts')('requeue.job-added', 'wakeDue(deps, mine, now)'),
  before('web', 'src/audit/publish.ts')(
    'audit.line-inserted',
    'await pastMongoose(source as unknown as Model<Audited>).bulkWrite(',
  ),
  after('web', 'src/webhooks/deliveries/requeue.ts')(
    'requeue.line-moved',
    'await publishAudit(deps, deps.Delivery, mine)',
  ),
]
