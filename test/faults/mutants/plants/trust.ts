import { after, before, replace } from '../../../support/edited-build/edit.ts'
import { type PlantedBugs, plain, under } from '../mutant.ts'

export const trustMutants: PlantedBugs = {
  'tenant-unfiltered': {
    bug: 'A reference number is enough to read the payment intent of another business.',
    edits: [replace('ownedBy', '$ !== businessId', 'false')],
    caughtBy: ['tenant.apart'],
    focus: { ...plain, often: ['intrude'] },
  },
  'environment-unfiltered': {
    bug: 'A list shows the payment intents of both environments.',
    edits: [
      replace(
        'listIntents',
        'const owner = { businessId, sandbox }',
        'const owner = { businessId, sandbox: { $in: [true, false] } }',
      ),
      replace('allOf', 'where: { businessId, sandbox }', 'where: { businessId, sandbox: { $in: [true, false] } }'),
    ],
    caughtBy: ['tenant.apart'],
    focus: { ...plain, often: ['listIntents'] },
  },
  'secret-logged': {
    bug: 'The secret of a new endpoint is in the log.',
    edits: [after('createEndpoint', 'const [_id, secret] = $', 'deps.log.info({ made: secret })')],
    caughtBy: ['secret.kept'],
  },
  'viewer-acts': {
    bug: 'A viewer of the staff pages may do what support may.',
    edits: [replace('requirePermission', 'mayStaff(staffOf(res), permission)', 'true')],
    caughtBy: ['right.kept'],
    focus: { ...plain, seconds: 20, often: ['listDeliveries', 'overreach'] },
  },
  'audit-after-the-act': {
    bug: 'What support staff did enters the audit trail after the act, not in the transaction of its plan.',
    edits: [
      replace('makePlan', 'add(...$lines)', 'Promise.resolve((plan.lines = $lines))'),
      before(
        'requeueAs',
        'wakeDue($$)',
        'for (const line of plan?.lines ?? []) await deps.AuditEvent.create({ ...by, ...line, _id: line.subject, at: plan.at })',
      ),
    ],
    caughtBy: ['workers/requeue.test.ts'],
  },
  'audit-line-apart': {
    bug: 'The audit line of an act is not written in its transaction.',
    edits: [replace('audited', '{ session }', '{}')],
    caughtBy: ['admin/audited-acts.test.ts'],
  },
  'key-read-apart': {
    bug: 'A rotation reads the secrets of a key before its transaction: one of two rotations loses a secret.',
    edits: [replace('rotateKey', '$keys.findOne($filter, { session })', '$keys.findOne($filter)')],
    caughtBy: ['admin/audited-acts.test.ts'],
  },
  'other-admin-unwritten': {
    bug: 'Who takes the rights of an admin reads that there is another one, and does not write to it.',
    edits: [
      replace(
        'keepOther',
        'await accounts.updateOne(other, $, $options)',
        '{ modifiedCount: await accounts.countDocuments(other, $options) }',
      ),
    ],
    caughtBy: ['admin/staff-acts.test.ts'],
  },
  'password-read-apart': {
    bug: 'A change of the own password does not notice that another one came after its check of the old password.',
    edits: [replace('changeOwnPassword', 'const guard = $', 'const guard = {}')],
    caughtBy: ['admin/set-password.test.ts'],
  },
  'notes-wait-for-locks': {
    bug: 'What requests note on their keys waits for one key that a dead process has locked.',
    edits: [replace('createNoteBatcher', 'await withTimeout($together, $$)', 'await $together')],
    caughtBy: ['api/last-used-day.test.ts'],
  },
  'write-unsafe': {
    bug: 'A write is acknowledged before it is on disk: MongoDB may lose it.',
    edits: [replace('options', 'writeConcern: $', 'writeConcern: { w: 1, journal: false }')],
    caughtBy: ['create.exists', 'key.once', 'read.forward', 'event.exact', 'transition.legal'],
    focus: { ...under('mongo.kill'), seconds: 50, often: ['createIntent', 'simulatePayment'] },
  },
  'own-clock': {
    bug: 'Each process uses its own wall clock.',
    edits: [replace('createDatabaseTime', 'const atMs = $', 'const atMs = own.wallMs()')],
    caughtBy: ['create.exists', 'expiry.prompt', 'transition.legal', 'read.forward'],
    focus: { ...under('process.skew'), often: ['createIntent', 'payByLink'] },
  },
  'cleaned-early': {
    bug: 'The clean-up removes data that is a day old.',
    edits: [replace('cutoffsOf', '$at - sandboxRetentionMs', '$at - Math.min(sandboxRetentionMs, 86_400_000)')],
    caughtBy: ['clean-up.bounded'],
    focus: { ...under('clock.jump'), seconds: 40 },
  },
  'delivery-read-otherwise': {
    bug: 'The deliveredAt of a delivery is the time of its creation.',
    edits: [replace('presentDelivery', 'deliveredAt: $at', 'deliveredAt: $at && delivery.createdAt')],
    caughtBy: ['api/webhook-deliveries.test.ts'],
  },
}
