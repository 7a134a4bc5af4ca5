import { killedAt, lasting, often, type PlantedBugs, under } from '../faults/mutants/mutant.ts'
import { after, before, replace } from '../support/edited-build/edit.ts'

export const bugs: PlantedBugs = {
  "A stock change doesn't check that enough is left → stock.balances": [
    often('changeStock'),
    replace('sumOf', 'requested > available', 'false'),
  ],
  'A stock change reads the product outside its transaction → stock.balances': [
    often('changeStock', 'placeOrder'),
    lasting(20),
    replace('changeStock', 'findProduct($deps, $by, $id, session)', 'findProduct($deps, $by, $id)'),
  ],
  "An order takes its units outside its transaction, so they're lost if it is never placed → stock.balances":
    [killedAt('order.units-taken'), often('placeOrder'), replace('takeUnits', '{ session, $$ }', '{ $$ }')],
  "An order line is sold at the price of its product's first variant → order.exact": [
    often('placeOrder'),
    replace('itemOf', 'unitPrice: variant.price', 'unitPrice: (product.variants[0] ?? variant).price'),
    replace('itemOf', 'variant.price * quantity', '(product.variants[0] ?? variant).price * quantity'),
  ],
  "An import leaves each changed product's first variant unchanged → import.whole": [
    often('importProducts'),
    replace(
      'compareProduct',
      'changedVariants($of, $patches, $)',
      'changedVariants($of, $patches.slice(1), added)',
    ),
  ],
  'An import inserts its new products outside its transaction → store/import-races.test.ts': [
    replace('write', '$.insertMany($new, $)', 'products.insertMany($new)'),
  ],
  "A reference number is enough to read another business's intent → tenant.apart": [
    often('intrude'),
    replace('ownIntent', '$ === caller.businessId', 'intent !== null'),
  ],
  'A list shows the intents of both environments → tenant.apart': [
    often('listIntents'),
    replace(
      'listIntents',
      'const owner = { businessId, sandbox }',
      'const owner = { businessId, sandbox: { $in: [true, false] } }',
    ),
    replace(
      'toCountableList',
      'where: { businessId, sandbox }',
      'where: { businessId, sandbox: { $in: [true, false] } }',
    ),
  ],
  "A new endpoint's secret is logged → secret.kept": [
    after('createEndpoint', 'const [_id, secret] = $', 'deps.log.info({ made: secret })'),
  ],
  'A viewer of the staff pages may do what support may → right.kept': [
    often('listDeliveries', 'overreach'),
    lasting(20),
    replace('requirePermission', 'hasPermission(currentStaff(res), permission)', 'true'),
  ],
  "What support staff did enters the audit trail afterwards, not in its plan's transaction → workers/requeue.test.ts":
    [
      replace('makePlan', 'add(...$lines)', 'Promise.resolve((plan.lines = $lines))'),
      before(
        'planAndRequeue',
        'wakeDue($$)',
        'for (const line of plan?.lines ?? []) await deps.AuditEvent.create({ ...by, ...line, _id: line.subject, at: plan.at })',
      ),
    ],
  "An action's audit line is written outside its transaction → admin/audited-acts.test.ts": [
    replace('runAudited', '{ session }', '{}'),
  ],
  "A rotation reads a key's secrets before its transaction, so one of two rotations loses a secret → admin/audited-acts.test.ts":
    replace('rotateApiKey', '$keys.findOne($filter, { session })', '$keys.findOne($filter)'),
  "Removing an admin's rights reads that there is another admin, but doesn't write to that one → admin/staff-acts.test.ts":
    replace(
      'keepOther',
      'await accounts.updateOne(other, $, $options)',
      '{ modifiedCount: await accounts.countDocuments(other, $options) }',
    ),
  'A password change overwrites one made after the old password was checked → admin/set-password.test.ts':
    replace('changeOwnPassword', 'const guard = $', 'const guard = {}'),
  'Updates that requests make to their keys wait for one key locked by a dead process → api/last-used-day.test.ts':
    replace('createKeyNoteBatcher', 'await withTimeout($together, $$)', 'await $together'),
  "A write is acknowledged before it's on disk, so MongoDB may lose it → create.exists key.once read.forward event.exact transition.legal":
    [
      under('mongo.kill'),
      often('createIntent', 'simulatePayment'),
      lasting(50),
      replace('options', 'writeConcern: $', 'writeConcern: { w: 1, journal: false }'),
    ],
  'Each process uses its own wall clock → create.exists expiry.prompt transition.legal read.forward': [
    under('process.skew'),
    often('createIntent', 'payByLink'),
    replace('createDatabaseTime', 'const atMs = $', 'const atMs = own.wallMs()'),
  ],
  'The clean-up removes day-old data → clean-up.bounded': [
    under('clock.jump'),
    lasting(40),
    replace('findCutoffs', '$at - sandboxRetentionMs', '$at - Math.min(sandboxRetentionMs, 86_400_000)'),
  ],
  "A delivery's deliveredAt is the time it was created → api/webhook-deliveries.test.ts": [
    replace('presentDelivery', 'deliveredAt: $at', 'deliveredAt: $at && delivery.createdAt'),
  ],
}
