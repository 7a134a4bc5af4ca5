import { Queue } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { askForNight, keepNightly } from '../../src/retention/ask-for-night.ts'
import { takeLease } from '../../src/retention/lease.ts'
import { lastDue } from '../../src/retention/night.ts'
import { runCleanUp } from '../../src/retention/run.ts'
import { sweep } from '../../src/sweep.ts'
import { retention } from '../../workers/retention.ts'
import { openAdmin } from '../admin/admin.ts'
import { signedIn } from '../admin/staff.ts'
import { deliveriesOf } from '../support/acts.ts'
import { makeEverything, makeOlder, openPair, type Pair, testsLeft } from '../support/everything.ts'
import { buryMeanwhile } from '../support/graves.ts'
import { type House, openHouse } from '../support/house.ts'
import { openVictim } from '../support/kill-points.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { loseAllJobs } from '../support/redis-keys.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000
const nothing = { intents: 0, deliveries: 0, orders: 0, products: 0 }
const everything = { intents: 2, deliveries: 6, orders: 1, products: 2 }
const unwatched = { count: () => undefined, done: () => undefined }
const named = { jobId: 'night-2026-11-21', name: 'retention' }

describe('a clean-up that is killed, missed, or asked for twice', () => {
  let house: House
  let receiver: Receiver
  let pair: Pair
  let redis: Redis
  let queue: Queue
  const graves: Promise<unknown>[] = []
  before(async () => {
    ;[house, receiver] = await Promise.all([openHouse(), startReceiver()])
    const { redisUrl, queuePrefix: prefix } = house.deps.config
    redis = new Redis(redisUrl, { maxRetriesPerRequest: null })
    queue = new Queue('retention', { connection: redis, prefix })
    await until('Redis', () => house.deps.queues.ping().then(Boolean, () => false))
    pair = await openPair(house, receiver)
  })
  after(async () => {
    await queue.close()
    redis.disconnect()
    await Promise.all([house.close(), receiver.close()])
    buryMeanwhile(graves)
  })

  const never = () => new AbortController().signal
  const clean = (deps = house.deps, ending = never()) => runCleanUp(deps, ending, unwatched)
  async function oldThings(): Promise<string[]> {
    const references = await makeEverything(house, pair.test, true)
    // By any clock: the command line has its own.
    await makeOlder(house, pair.test, 90 * dayMs)
    return references
  }

  it('goes on where it was killed, and meanwhile no page and no answer is broken', async () => {
    const staff = await signedIn(house, 'viewer')
    // The first one of all takes a step more.
    await clean()
    await oldThings()
    const whole = await openVictim(house, { step: 0, fate: 'lost', lateMs: 0 })
    await clean(whole.deps)
    graves.push(whole.close())
    const { steps } = whole
    expect(steps).to.include.members([
      'mongodb find',
      'mongodb delete',
      'mongodb update',
      'mongodb findAndModify',
    ])
    const deletions = steps.flatMap((name, index) => (name === 'mongodb delete' ? [index + 1] : []))
    expect(deletions.length).to.be.greaterThan(6)
    let untold = 0
    for (const step of deletions.filter((_, index) => index % 3 === 0)) {
      const references = await oldThings()
      const victim = await openVictim(house, { step, fate: 'unanswered', lateMs: 0 })
      const running = clean(victim.deps).catch(() => undefined)
      await Promise.race([victim.died, running])
      for (const { referenceNumber, sandbox } of await deliveriesOf(house, pair.test))
        if (sandbox)
          expect((await staff.get(`/admin?q=${referenceNumber}`)).status, `step ${step}`).to.equal(303)
      for (const reference of references) {
        const { text, status } = await staff.get(
          `/admin/${reference.startsWith('OR') ? 'orders' : 'payments'}/${reference}`,
        )
        expect(status).to.be.oneOf([200, 404])
        expect(text).to.not.include('No active endpoint was subscribed')
        untold += text.includes('the clean-up takes it away') ? 1 : 0
      }
      const { body } = await house.http.get('/api/v1/dev/intents').set(pair.test.read())
      expect(body.success).to.equal(true)
      expect(await clean(), `step ${step}`).to.equal('under-way')
      house.clock.advance(60_000)
      expect(await clean(), `step ${step}`).to.equal('cleaned')
      expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
      graves.push(victim.close(), running)
    }
    expect(untold).to.be.greaterThan(0)
    expect(await house.deps.WalletMovement.countDocuments({ 'result.outcome': 'done' })).to.equal(0)
  })

  it('is done by one of many at once, and counts as the run of the night', async () => {
    await oldThings()
    const outcomes = await Promise.all([clean(), clean(), clean()])
    expect(outcomes.toSorted()).to.deep.equal(['cleaned', 'under-way', 'under-way'])
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
  })

  it('ends between two batches when its process is to end, and another goes on at once', async () => {
    await oldThings()
    const ending = new AbortController()
    const stopped = runCleanUp(house.deps, ending.signal, { ...unwatched, count: () => ending.abort() })
    expect(await stopped).to.equal('stopped')
    expect(await testsLeft(house, pair.test)).to.include({ deliveries: 0, intents: 2 })
    expect(await clean()).to.equal('cleaned')
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
  })

  it('which another has taken over writes nothing down any more', async () => {
    const first = await takeLease(house.deps)
    house.clock.advance(60_001)
    const second = await takeLease(house.deps)
    const lost = await first?.renew().catch((error: unknown) => error)
    expect(lost).to.be.instanceOf(Error).and.have.property('message', 'another clean-up has taken over')
    await first?.end({ completedFor: new Date(0) })
    await second?.renew()
    await second?.end({})
    expect((await house.deps.RetentionRecord.findById('nightly').lean())?.completedFor).to.not.deep.equal(
      new Date(0),
    )
  })

  it('that a night missed is made up for by the sweep, whatever Redis has lost', async () => {
    const jobs = async () =>
      (await queue.getJobs(['waiting', 'delayed', 'active'])).filter(({ id = '' }) => id.startsWith('night-'))
    await loseAllJobs(house.deps.config.redisUrl, house.deps.config.queuePrefix)
    await askForNight(house.deps)
    expect(await jobs()).to.have.length(0)

    await oldThings()
    house.clock.advance(dayMs)
    for (let time = 0; time < 2; time += 1) {
      await sweep(house.deps, false)
      await until('the job of the night', async () => (await jobs()).length === 1)
      await loseAllJobs(house.deps.config.redisUrl, house.deps.config.queuePrefix)
    }
    const run = () => retention(never()).run(house.deps, {}, named)
    const done = await run()
    expect(done.log).to.include({ outcome: 'cleaned', ...everything })
    expect(await house.deps.metrics.registry.metrics()).to.match(
      /retention_removed_total\{kind="intents"\} 2\n/,
    )
    expect((await run()).log).to.deep.equal({ outcome: 'nothing-to-do' })
    await sweep(house.deps, false)
    expect(await jobs()).to.have.length(0)
  })

  it('is due at 02:30 UTC', () => {
    const at = (time: string) => lastDue(new Date(`2026-03-01T${time}Z`)).toISOString()
    expect(at('02:30:00.000')).to.equal('2026-03-01T02:30:00.000Z')
    expect(at('02:29:59.999')).to.equal('2026-02-28T02:30:00.000Z')
  })

  it('is scheduled once, and a run that is overdue outlives every deploy', async () => {
    await loseAllJobs(house.deps.config.redisUrl, house.deps.config.queuePrefix)
    await sweep(house.deps, true)
    const [next, ...others] = await queue.getDelayed()
    expect(others).to.deep.equal([])
    expect(new Date((next?.timestamp ?? 0) + (next?.delay ?? 0)).toISOString()).to.match(/T02:30:00\.\d{3}Z$/)
    // Due, and nobody there to do it.
    await next?.promote()
    for (let deploy = 0; deploy < 2; deploy += 1) await keepNightly(house.deps)
    expect((await queue.getWaiting()).map(({ id }) => id)).to.deep.equal([next?.id])
    const schedulers = await queue.getJobSchedulers()
    expect(schedulers.map(({ key, pattern, tz }) => ({ key, pattern, tz }))).to.deep.equal([
      { key: 'nightly', pattern: '0 30 2 * * *', tz: 'UTC' },
    ])
    await queue.upsertJobScheduler('nightly', { pattern: '0 0 4 * * *', tz: 'UTC' })
    await keepNightly(house.deps)
    expect((await queue.getJobScheduler('nightly'))?.pattern).to.equal('0 30 2 * * *')
  })

  it('is done by a worker that finds its job, and stands in nobody’s way when that is stopped', async () => {
    await oldThings()
    house.clock.advance(dayMs)
    const workers = house.startWorkers()
    await until('it is cleaned', async () => (await testsLeft(house, pair.test)).products === 0)
    await workers.close()
  })

  it('by the command line: a dry run counts all that goes and changes nothing', async () => {
    const cli = openAdmin(house)
    await makeEverything(house, pair.live, false)
    await oldThings()
    const before = await testsLeft(house, pair.test)
    const counted = await cli.done('retention', 'run', '--dry-run')
    expect(counted).to.include({ ...everything, movements: 2, businesses: 1 })
    expect(await testsLeft(house, pair.test)).to.deep.equal(before)
    const lease = await takeLease(house.deps)
    const { exitCode, stderr } = await cli.admin(['retention', 'run'])
    expect([exitCode, stderr]).to.deep.equal([
      1,
      'A clean-up is under way, or was killed within the last minute.\n',
    ])
    await lease?.end({})
    expect(await cli.done('retention', 'run')).to.deep.equal(counted)
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
  })
})
