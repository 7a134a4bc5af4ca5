import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import type { Log } from '../../src/platform/log.ts'
import { cleanUpWork, runCleanUp } from '../../src/retention/clean-up.ts'
import { isCleanUpOwed, lastNightDue, takeCleanUpLease } from '../../src/retention/record.ts'
import { checkAuditTrail, nightlyAuditCheck } from '../../src/verification/nightly-check.ts'
import { takeLongLease } from '../../src/work/lease.ts'
import { startPollLoops } from '../../src/work/loop.ts'
import { keepNightlyJob, restoreJobs } from '../../workers/maintenance.ts'
import { openAdmin } from '../admin/admin.ts'
import { signedIn } from '../admin/staff.ts'
import { relay } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { deleteAllKeys } from '../support/redis-keys.ts'
import type { Pair } from '../support/sample-data.ts'
import { ageData, countTestData, createSampleData, openPair, saveTestData } from '../support/sample-data.ts'
import { tester, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const dayMs = 86_400_000
const nothing = { intents: 0, deliveries: 0, orders: 0, products: 0 }
const everything = { intents: 2, deliveries: 6, orders: 1, products: 2 }
const unwatched = { count: () => undefined, done: () => undefined }

describe('A data clean-up', () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  let pair: Pair
  let redis: Redis
  let queue: Queue
  before(async () => {
    const { redisUrl, queuePrefix: prefix } = service.deps.config
    redis = new Redis(redisUrl, { maxRetriesPerRequest: null })
    queue = new Queue('retention', { connection: redis, prefix })
    await waitFor('Redis', () => service.deps.queues.ping().then(Boolean, () => false))
    pair = await openPair(service, endpointServer)
    references = await createSampleData(service, pair.test, true)
    await ageData(service, pair.test, 90 * dayMs)
    oldThings = await saveTestData(service, pair.test)
  })
  after(async () => {
    await queue.close()
    redis.disconnect()
  })
  const never = () => new AbortController().signal
  const clean = (deps = service.deps, ending = never()) => runCleanUp(deps, ending, unwatched)
  /** Data of test keys. Old by any clock, because the command line uses the system's. */
  let references: string[]
  let oldThings: () => Promise<void>
  type Write = (...args: unknown[]) => Promise<unknown>
  function wrap({ collection }: { collection: object }, write: string, around: (original: Write) => Write) {
    const writes = collection as Record<string, Write>
    const original = writes[write] ?? expect.fail()
    writes[write] = around((...args) => original.apply(collection, args))
    return () => void (writes[write] = original)
  }

  /** Runs a clean-up that stops for good after its first write of this kind, as if its process had been killed. */
  async function killAfter(model: { collection: object }, write: string): Promise<void> {
    const death = createGate()
    const unwrap = wrap(model, write, (original) => async (...args) => {
      await original(...args).then(() => death.open())
      return new Promise(() => undefined)
    })
    expect(await Promise.race([death.passed, clean()]), write).to.equal(undefined)
    unwrap()
  }

  async function cleanWith(
    model: { collection: object },
    write: string,
    act: () => Promise<unknown>,
    nth = 1,
  ) {
    let writes = 0
    const unwrap = wrap(model, write, (original) => async (...args) => {
      if (++writes === nth) await act()
      return original(...args)
    })
    expect(await clean()).to.equal('cleaned')
    unwrap()
  }

  it('can be resumed after its process is killed', async () => {
    const staff = await signedIn(service, 'viewer')
    const [paid = '', , order = ''] = references
    const { Delivery, Intent, WalletMovement, Order, RetentionProgress } = service.deps
    await oldThings()
    const kills: [model: { collection: object }, write: string, left: object, isMarked: boolean][] = [
      [Delivery, 'deleteMany', { deliveries: 0, intents: 2 }, false],
      [Intent, 'updateMany', { deliveries: 0, intents: 2, orders: 1 }, true],
      [WalletMovement, 'deleteMany', { deliveries: 0, intents: 2, orders: 1 }, true],
      [Intent, 'deleteMany', { intents: 0, orders: 1 }, true],
      [Order, 'deleteMany', { orders: 0, products: 2 }, true],
      [RetentionProgress, 'updateOne', nothing, true],
    ]
    for (const [step, [model, write, left, isMarked]] of kills.entries()) {
      await killAfter(model, write)
      expect(await countTestData(service, pair.test), `step ${step}`).to.include(left)
      for (const path of [`orders/${order}`, `payments/${paid}`]) {
        const { text, status } = await staff.get(`/admin/${path}`)
        expect(status, `step ${step}`).to.be.oneOf([200, 404])
        expect(text).to.not.include('No active endpoint was subscribed')
        if (status === 200) expect(text).to.include('The nightly clean-up deletes it')
      }
      // The payment's movements are being deleted, so a refund could be paid twice or not find the payment.
      const intent = `/api/v1/dev/intents/${paid}`
      const read = await service.http.get(intent).set(pair.test.read())
      expect(read.status, `step ${step}`).to.equal(isMarked ? 404 : 200)
      const stored = await service.deps.Intent.findOne({ referenceNumber: paid }).lean()
      if (stored !== null) expect('referenceKey' in stored, `step ${step}`).to.equal(!isMarked)
      if (isMarked) {
        const refunded = await service.http.post(`${intent}/refund`).set(pair.test.write()).send({})
        expect([refunded.status, refunded.body.error.code]).to.deep.equal([404, 'INTENT_NOT_FOUND'])
      }
      const { body } = await service.http.get('/api/v1/dev/intents').set(pair.test.read())
      expect(body.success).to.equal(true)
      expect(await clean(), `step ${step}`).to.equal('already-running')
      service.clock.advance(60_000)
    }
    expect(await clean()).to.equal('cleaned')
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
    expect(await service.deps.WalletMovement.countDocuments({ 'result.outcome': 'done' })).to.equal(0)
  })

  it('keeps an intent that is refunded just before being marked for removal', async () => {
    const [paid = ''] = references
    await oldThings()
    const refund = () =>
      service.http.post(`/api/v1/dev/intents/${paid}/refund`).set(pair.test.write()).send({ amount: 1_000 })
    // The clean-up has read the intent as removable. The refund comes before the clean-up marks it.
    const statuses: number[] = []
    await cleanWith(
      service.deps.Intent,
      'updateMany',
      async () => void statuses.push((await refund()).status),
    )
    expect(statuses).to.deep.equal([200])
    expect(await countTestData(service, pair.test)).to.include({ intents: 1 })
    expect((await refund()).status).to.equal(200)
    await relay(service, pair.test)
    await service.deps.Delivery.updateMany({ referenceNumber: paid }, { $set: { nextAttemptAt: null } })
    // The refunds may still be repeated.
    expect(await clean()).to.equal('cleaned')
    expect(await countTestData(service, pair.test)).to.include({ intents: 1 })
    await service.deps.Intent.updateOne({ referenceNumber: paid }, { $set: { marks: [] } })
    expect(await clean()).to.equal('cleaned')
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
  })

  it('keeps a marked intent while one of its deliveries has just been re-queued', async () => {
    const [paid = ''] = references
    await oldThings()
    const change = (fields: object) =>
      service.deps.Delivery.updateMany({ referenceNumber: paid }, { $set: fields })
    await change({ createdAt: service.clock.now() })
    await cleanWith(
      service.deps.Delivery,
      'deleteMany',
      () => change({ nextAttemptAt: service.clock.now() }),
      2,
    )
    expect(await countTestData(service, pair.test)).to.include({ intents: 1 })
    await change({ nextAttemptAt: null })
    expect(await clean()).to.equal('cleaned')
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
  })

  it('handles all other businesses first if one fails', async () => {
    const { RetentionProgress, RetentionRecord, Business } = service.deps
    await oldThings()
    const torn = '0'.repeat(24)
    await Business.collection.insertOne({ _id: torn } as never)
    await clean()
    await oldThings()
    service.clock.advance(dayMs)
    // MongoDB can't set a field inside a string.
    await RetentionProgress.collection.updateOne({ _id: torn } as never, { $set: { walked: 'torn' } })
    const run = async () => {
      const lines: Record<string, unknown>[] = []
      const note = (line: object, msg?: string) =>
        void (msg === 'retention.cleaned' && lines.push({ ...line }))
      const log = { ...service.deps.log, warn: note, info: note } as unknown as Log
      const work = cleanUpWork.run({ ...service.deps, log, metrics: createMetrics() }, never())
      const failure = await work.catch((error: Error) => error.message)
      expect(lines.length).to.be.at.most(1)
      return [failure, lines[0]?.outcome, lines[0]?.businesses, lines[0]?.intents]
    }
    const [failure, ...counts] = await run()
    expect(failure).to.match(
      new RegExp(
        `^business ${torn} failed: {"name":"MongoServerError","code":28(,"codeName":"PathNotViable")?}$`,
      ),
    )
    expect(counts).to.deep.equal(['failed', 1, 2])
    expect((await run())[1], 'the lease has not ended').to.equal(undefined)
    service.clock.advance(60_000)
    expect((await run()).slice(1), 'the other business is done').to.deep.equal(['failed', 0, 0])
    await oldThings()
    service.clock.advance(dayMs)
    expect((await run()).slice(1)).to.deep.equal(['failed', 1, 2])
    const night = lastNightDue(service.clock.now())
    expect((await RetentionRecord.findById('nightly').lean())?.completedFor).to.not.deep.equal(night)
    await RetentionProgress.deleteOne({ _id: torn })
    service.clock.advance(60_000)
    expect(await run()).to.deep.equal([0, 'cleaned', 1, 0])
    expect((await RetentionRecord.findById('nightly').lean())?.completedFor).to.deep.equal(night)
    await Business.deleteOne({ _id: torn })
  })

  it('runs only once even if several processes start it at once', async () => {
    await oldThings()
    const outcomes = await Promise.all([clean(), clean(), clean()])
    expect(outcomes.toSorted()).to.deep.equal(['already-running', 'already-running', 'cleaned'])
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
  })

  it('stops between two batches on shutdown, and still counts for the same night if it continues the next day', async () => {
    const { RetentionRecord } = service.deps
    await oldThings()
    const ending = new AbortController()
    const stopped = runCleanUp(service.deps, ending.signal, { ...unwatched, count: () => ending.abort() })
    expect(await stopped).to.equal('stopped')
    expect(await countTestData(service, pair.test)).to.include({ deliveries: 0, intents: 2 })
    const { pass } = await RetentionRecord.findById('nightly').orFail().lean()
    service.clock.advance(dayMs)
    expect(await clean()).to.equal('cleaned')
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
    const record = await RetentionRecord.findById('nightly').orFail().lean()
    expect(record.completedFor).to.deep.equal(lastNightDue(pass?.beganAt ?? expect.fail()))
    expect(isCleanUpOwed(record, service.clock.now()), 'the night since').to.equal(true)
    expect(await clean()).to.equal('cleaned')
  })

  it('can handle more than a thousand businesses', async () => {
    const { Business, RetentionProgress, RetentionRecord } = service.deps
    await oldThings()
    // Their ids come before ours, and this pass has processed them.
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index + 1).padStart(24, '0'))
    await Business.collection.insertMany(ids.map((_id) => ({ _id })) as never[])
    await RetentionProgress.collection.insertMany(ids.map((_id) => ({ _id, pass: 'p' })) as never[])
    const pass = { id: 'p', beganAt: service.clock.now(), hasFaults: false }
    await RetentionRecord.updateOne({ _id: 'nightly' }, { $set: { pass } })
    expect(await clean()).to.equal('cleaned')
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
    for (const model of [Business, RetentionProgress])
      await model.collection.deleteMany({ _id: { $in: ids } } as never)
  })

  it('writes nothing more once another process has taken over', async () => {
    const first = await takeCleanUpLease(service.deps)
    service.clock.advance(60_001)
    const second = await takeCleanUpLease(service.deps)
    const lost = await first?.renew({}).catch((error: unknown) => error)
    expect(lost).to.be.instanceOf(Error).and.have.property('message', 'another clean-up has taken over')
    await first?.end({ completedFor: new Date(0) })
    await second?.renew({})
    await second?.end({})
    expect((await service.deps.RetentionRecord.findById('nightly').lean())?.completedFor).to.not.deep.equal(
      new Date(0),
    )
  })

  it('runs after a missed night even if Redis has lost its data', async () => {
    const config = { ...service.deps.config, workerQueues: ['retention' as const] }
    const night = async () => {
      const loops = startPollLoops({ ...service.deps, config }, [cleanUpWork, nightlyAuditCheck])
      await loops.wake('retention')
      await loops.stop()
    }
    await checkAuditTrail(service.deps, never())
    await deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
    await oldThings()
    service.clock.advance(dayMs)
    const line = { ...tester, act: 'api.disabled', businessId: null, before: null, after: null } as const
    await service.deps.AuditEvent.create({ ...line, _id: 'later', at: service.clock.now(), subject: 'api' })
    service.clock.advance(dayMs)
    await night()
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
    expect(await service.deps.metrics.registry.metrics()).to.match(
      /retention_removed_total\{kind="intents"\} 2\n/,
    )
    const { at } = await service.deps.AuditCheck.findById('latest').orFail().lean()
    expect(at).to.be.greaterThan(lastNightDue(service.clock.now()))
    expect((await service.deps.AuditSeal.find().lean()).flatMap(({ ids }) => ids)).to.include('later')
    await oldThings()
    await night()
    expect(await countTestData(service, pair.test), 'nothing is due').to.not.deep.equal(nothing)
    expect((await service.deps.AuditCheck.findById('latest').orFail().lean()).at).to.deep.equal(at)
  })

  it('is followed by a check of the audit trail unless another worker is checking it', async () => {
    await checkAuditTrail(service.deps, never())
    service.clock.advance(dayMs)
    const leases = rawCollection(service.deps.CheckLease)
    const id = { _id: 'check', work: 'check' }
    const lease = await takeLongLease(leases, id, service.deps.now, { upsert: true })
    const checkedAt = async () => {
      await nightlyAuditCheck.run(service.deps, never())
      return (await service.deps.AuditCheck.findById('latest').orFail().lean()).at
    }
    const before = await checkedAt()
    expect(before).to.be.lessThan(lastNightDue(service.clock.now()))
    await lease?.end({})
    expect(await checkedAt()).to.be.greaterThan(before)
    expect((await service.deps.AuditCheck.find().lean()).map(({ _id }) => _id)).to.deep.equal(['latest'])
  })

  it('starts even if its stored lease end or last completed night is in the year 2999', async () => {
    for (const field of ['completedFor', 'leaseEndsAt']) {
      await oldThings()
      service.clock.advance(dayMs)
      const forged = { [field]: new Date('2999-01-01') }
      await service.deps.RetentionRecord.updateOne({ _id: 'nightly' }, { $set: forged })
      await cleanUpWork.run(service.deps, never())
      expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
    }
  })

  it('is due at 02:30 UTC every day', () => {
    const at = (time: string) => lastNightDue(new Date(`2026-03-01T${time}Z`)).toISOString()
    expect(at('02:30:00.000')).to.equal('2026-03-01T02:30:00.000Z')
    expect(at('02:29:59.999')).to.equal('2026-02-28T02:30:00.000Z')
  })

  it('is scheduled once, even if it is overdue when the service is deployed', async () => {
    await deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
    await restoreJobs(service.deps)
    const [next, ...others] = await queue.getDelayed()
    expect(others).to.deep.equal([])
    expect(new Date((next?.timestamp ?? 0) + (next?.delay ?? 0)).toISOString()).to.match(/T02:30:00\.\d{3}Z$/)
    // The job is due, and no worker runs.
    await next?.promote()
    for (let deploy = 0; deploy < 2; deploy += 1) await keepNightlyJob(service.deps)
    expect((await queue.getWaiting()).map(({ id }) => id)).to.deep.equal([next?.id])
    const schedulers = await queue.getJobSchedulers()
    expect(schedulers.map(({ key, pattern, tz }) => ({ key, pattern, tz }))).to.deep.equal([
      { key: 'nightly', pattern: '0 30 2 * * *', tz: 'UTC' },
    ])
    await queue.upsertJobScheduler('nightly', { pattern: '0 0 4 * * *', tz: 'UTC' })
    await keepNightlyJob(service.deps)
    expect((await queue.getJobScheduler('nightly'))?.pattern).to.equal('0 30 2 * * *')
  })

  it('changes nothing in a dry run', async () => {
    const cli = openAdmin(service)
    await oldThings()
    const before = await countTestData(service, pair.test)
    const counted = await cli.done('retention', 'run', '--dry-run')
    expect(counted).to.include({ ...everything, movements: 2, businesses: 1 })
    expect(await countTestData(service, pair.test)).to.deep.equal(before)
    const acts = () => service.deps.AuditEvent.find({ act: 'retention.run' }).lean()
    // The command uses the real clock, which this test's clock is ahead of.
    const lease = await takeCleanUpLease({ ...service.deps, now: () => new Date() })
    const { exitCode, stderr } = await cli.here('retention', 'run')
    expect([exitCode, stderr]).to.deep.equal([
      1,
      'A clean-up is running, or was killed or failed within the last minute. Try again in a minute.\n',
    ])
    await lease?.end({})
    expect(await acts()).to.deep.equal([])
    expect(await cli.done('retention', 'run', '--reason', 'ticket 4711')).to.deep.equal(counted)
    const [line, ...more] = await acts()
    expect(more).to.deep.equal([])
    expect(line).to.deep.include({ subject: 'retention', reason: 'ticket 4711', businessId: null })
    expect(line?.actor.kind).to.equal('operator')
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
  })
})
