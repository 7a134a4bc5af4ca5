import { killedAt, type Mutant, plain, under } from '../mutant.ts'

const requeue = 'src/webhooks/deliveries/requeue.ts'

export const trustMutants: readonly Mutant[] = [
  {
    name: 'tenant-unfiltered',
    says: "Whoever knows a reference number reads another business's payment intent.",
    edits: [{ file: 'src/intents/find.ts', find: 'intent.businessId !== businessId || ', put: '' }],
    caughtBy: ['tenant.apart'],
    focus: { ...plain, often: ['intrude'] },
  },
  {
    name: 'environment-unfiltered',
    says: 'A list shows the payment intents of both environments.',
    edits: [
      {
        file: 'src/intents/list.ts',
        find: 'const whose = { businessId, sandbox }',
        put: 'const whose = { businessId, sandbox: { $in: [true, false] } }',
      },
      {
        file: 'src/intents/list.ts',
        find: 'where: { businessId, sandbox }',
        put: 'where: { businessId, sandbox: { $in: [true, false] } }',
      },
    ],
    caughtBy: ['tenant.apart'],
    focus: { ...plain, often: ['listIntents'] },
    isOneMore: true,
  },
  {
    name: 'secret-logged',
    says: "A new endpoint's secret is in the log.",
    edits: [
      {
        file: 'src/webhooks/endpoints/create.ts',
        find: 'const data = { ...presentEndpoint(endpoint), secret }',
        put: "const data = { ...presentEndpoint(endpoint), secret }\n  deps.log.info({ made: data.secret }, 'endpoint.made')",
      },
    ],
    caughtBy: ['secret.kept'],
    focus: plain,
    isOneMore: true,
  },
  {
    name: 'viewer-acts',
    says: 'A viewer of the pages for staff may do what support may.',
    edits: [
      {
        file: 'src/admin/pages/guards.ts',
        find: "if (staffOf(res).role === 'support') return next()",
        put: "if (['support', 'viewer'].includes(staffOf(res).role)) return next()",
      },
    ],
    caughtBy: ['right.kept'],
    focus: { ...plain, seconds: 20, often: ['listDeliveries', 'overreach'] },
    isOneMore: true,
  },
  {
    name: 'audit-after-the-act',
    says: 'What support staff did is written into the audit trail after the act, not in the same write.',
    edits: [
      {
        file: requeue,
        find: '    wanted.map((delivery) => requeueWrite(delivery, by, now)),\n',
        put: '    wanted.map((delivery) => {\n      const write = requeueWrite(delivery, by, now) as any\n      delete write.updateOne.update.$push.unaudited\n      return write\n    }),\n',
      },
      {
        file: requeue,
        find: 'wakeDue(deps, mine, now)',
        put: `wakeDue(deps, mine, now)
  for (const delivery of wanted.filter(({ effects }) => !effects.includes(by.actId)))
    await pastMongoose(deps.Delivery).updateOne(
      { _id: delivery._id, effects: by.actId },
      { $push: { unaudited: (requeueWrite(delivery, by, now) as any).updateOne.update.$push.unaudited } },
    )`,
      },
    ],
    caughtBy: ['audit.complete'],
    focus: {
      ...killedAt('requeue.due-again', 'requeue.before-enqueue'),
      seconds: 40,
      often: ['listDeliveries', 'retryDelivery', 'requeue'],
    },
  },
  {
    name: 'write-unsafe',
    says: 'A write is acknowledged before it is on disk: MongoDB may lose it.',
    edits: [
      {
        file: 'src/mongo/connect.ts',
        find: "writeConcern: { w: 'majority', journal: true }",
        put: 'writeConcern: { w: 1, journal: false }',
      },
    ],
    caughtBy: ['create.exists', 'key.once', 'read.forward', 'event.exact', 'move.legal'],
    focus: { ...under('mongo.kill'), seconds: 50, often: ['createIntent', 'simulatePayment'] },
  },
  {
    name: 'own-clock',
    says: 'Each process uses its own wall clock.',
    edits: [
      {
        file: 'src/mongo/database-time.ts',
        find: 'const atMs = timeAt(own.monotonicMs())',
        put: 'const atMs = own.wallMs()',
      },
    ],
    caughtBy: ['refusal.due', 'expiry.prompt', 'move.legal', 'read.forward'],
    focus: { ...under('process.skew'), often: ['createIntent', 'payByLink'] },
  },
  {
    name: 'cleaned-early',
    says: 'The clean-up takes away what is a day old.',
    edits: [
      {
        file: 'src/retention/clean-business.ts',
        find: 'new Date(at - sandboxRetentionMs)',
        put: 'new Date(at - Math.min(sandboxRetentionMs, 86_400_000))',
      },
    ],
    caughtBy: ['clean-up.bounded'],
    focus: { ...under('clock.jump'), seconds: 40 },
  },
  {
    name: 'delivery-read-otherwise',
    says: 'A delivery that is read says of when it arrived when it was made.',
    edits: [
      {
        file: 'src/webhooks/deliveries/present.ts',
        find: 'deliveredAt: delivery.deliveredAt,',
        put: 'deliveredAt: delivery.deliveredAt && delivery.createdAt,',
      },
    ],
    caughtBy: ['read.exact'],
    focus: plain,
    isOneMore: true,
  },
]
