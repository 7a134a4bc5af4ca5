import { after, before, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, lasting, often, type PlantedBugs, under } from '../mutant.ts'

export const bugs: PlantedBugs = {
  'stock.balances': {
    // A stock change does not check that enough is left.
    'stock-below-zero': [often('changeStock'), replace('sumOf', 'requested > available', 'false')],
    // A stock change reads the product outside its transaction.
    'stock-read-outside': [
      often('changeStock', 'placeOrder'),
      lasting(20),
      replace('changeStock', 'findProduct($deps, $by, $id, session)', 'findProduct($deps, $by, $id)'),
    ],
    // An order takes its units outside its transaction, so they are gone if the order is never placed.
    'stock-taken-for-good': [
      killedAt('order.units-taken'),
      often('placeOrder'),
      replace('takeUnits', '{ session, $$ }', '{ $$ }'),
    ],
  },
  'order.exact': {
    // An order line is sold at the price of the first variant of its product.
    'order-at-another-price': [
      often('placeOrder'),
      replace('itemOf', 'unitPrice: variant.price', 'unitPrice: (product.variants[0] ?? variant).price'),
      replace('itemOf', 'variant.price * quantity', '(product.variants[0] ?? variant).price * quantity'),
    ],
  },
  'import.whole': {
    // An import leaves the first variant of each changed product unchanged.
    'import-half-applied': [
      often('importProducts'),
      replace('compareProduct', 'changedVariants($of, $patches, $)', 'changedVariants($of, $patches.slice(1), added)'),
    ],
  },
  'store/import-races.test.ts': {
    // An import inserts its new products outside its transaction.
    'import-in-parts': replace('write', '$.insertMany($new, $)', 'products.insertMany($new)'),
  },
  'tenant.apart': {
    // A reference number is enough to read the payment intent of another business.
    'tenant-unfiltered': [often('intrude'), replace('ownedBy', '$ !== businessId', 'false')],
    // A list shows the payment intents of both environments.
    'environment-unfiltered': [
      often('listIntents'),
      replace(
        'listIntents',
        'const owner = { businessId, sandbox }',
        'const owner = { businessId, sandbox: { $in: [true, false] } }',
      ),
      replace('allOf', 'where: { businessId, sandbox }', 'where: { businessId, sandbox: { $in: [true, false] } }'),
    ],
  },
  'secret.kept': {
    // The secret of a new endpoint is in the log.
    'secret-logged': after('createEndpoint', 'const [_id, secret] = $', 'deps.log.info({ made: secret })'),
  },
  'right.kept': {
    // A viewer of the staff pages may do what support may.
    'viewer-acts': [
      often('listDeliveries', 'overreach'),
      lasting(20),
      replace('requirePermission', 'mayStaff(staffOf(res), permission)', 'true'),
    ],
  },
  'workers/requeue.test.ts': {
    // What support staff did enters the audit trail after the act, not in the transaction of its plan.
    'audit-after-the-act': [
      replace('makePlan', 'add(...$lines)', 'Promise.resolve((plan.lines = $lines))'),
      before(
        'requeueAs',
        'wakeDue($$)',
        'for (const line of plan?.lines ?? []) await deps.AuditEvent.create({ ...by, ...line, _id: line.subject, at: plan.at })',
      ),
    ],
  },
  'admin/audited-acts.test.ts': {
    // The audit line of an act is not written in its transaction.
    'audit-line-apart': replace('audited', '{ session }', '{}'),
    // A rotation reads the secrets of a key before its transaction: one of two rotations loses a secret.
    'key-read-apart': replace('rotateKey', '$keys.findOne($filter, { session })', '$keys.findOne($filter)'),
  },
  'admin/staff-acts.test.ts': {
    // Who takes the rights of an admin reads that there is another one, and does not write to it.
    'other-admin-unwritten': replace(
      'keepOther',
      'await accounts.updateOne(other, $, $options)',
      '{ modifiedCount: await accounts.countDocuments(other, $options) }',
    ),
  },
  'admin/set-password.test.ts': {
    // A change of the own password does not notice that another one came after its check of the old password.
    'password-read-apart': replace('changeOwnPassword', 'const guard = $', 'const guard = {}'),
  },
  'api/last-used-day.test.ts': {
    // What requests note on their keys waits for one key that a dead process has locked.
    'notes-wait-for-locks': replace('createNoteBatcher', 'await withTimeout($together, $$)', 'await $together'),
  },
  'create.exists key.once read.forward event.exact transition.legal': {
    // A write is acknowledged before it is on disk: MongoDB may lose it.
    'write-unsafe': [
      under('mongo.kill'),
      often('createIntent', 'simulatePayment'),
      lasting(50),
      replace('options', 'writeConcern: $', 'writeConcern: { w: 1, journal: false }'),
    ],
  },
  'create.exists expiry.prompt transition.legal read.forward': {
    // Each process uses its own wall clock.
    'own-clock': [
      under('process.skew'),
      often('createIntent', 'payByLink'),
      replace('createDatabaseTime', 'const atMs = $', 'const atMs = own.wallMs()'),
    ],
  },
  'clean-up.bounded': {
    // The clean-up removes data that is a day old.
    'cleaned-early': [
      under('clock.jump'),
      lasting(40),
      replace('cutoffsOf', '$at - sandboxRetentionMs', '$at - Math.min(sandboxRetentionMs, 86_400_000)'),
    ],
  },
  'api/webhook-deliveries.test.ts': {
    // The deliveredAt of a delivery is the time of its creation.
    'delivery-read-otherwise': replace('presentDelivery', 'deliveredAt: $at', 'deliveredAt: $at && delivery.createdAt'),
  },
}
