import { Queue } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createIntent, deliveriesOf, stored, subscribe, waitingEvents } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'
import { isSignedWith, type Receiver, startReceiver } from '../support/receiver.ts'
import { everythingIn } from '../support/redis-keys.ts'
import { until } from '../support/until.ts'

/** From the API to the receiver, with the real workers and the real queues. */
describe('the job of a delivery', () => {
  let quick: House
  let standard: House
  let redis: Redis
  const queues: Queue[] = []
  before(async () => {
    ;[quick, standard] = await Promise.all([
      openHouse({ WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2,0.2,0.2,0.2,0.2' }),
      openHouse(),
    ])
    redis = new Redis(quick.deps.config.redisUrl, { maxRetriesPerRequest: null })
    for (const house of [quick, standard]) house.startWorkers()
  })
  after(async () => {
    await Promise.all(queues.map((queue) => queue.close()))
    redis.disconnect()
    await Promise.all([quick.close(), standard.close()])
  })

  const queueOf = ({ deps }: House) => {
    const queue = new Queue('webhook-delivery', { connection: redis, prefix: deps.config.queuePrefix })
    queues.push(queue)
    return queue
  }

  /** One intent of a merchant whose receiver answers so; the rest happens by itself. */
  async function told(house: House, respond: (count: number) => number) {
    const [merchant, receiver] = await Promise.all([house.merchant(), startReceiver()])
    receiver.respondWith((res, count) => void res.writeHead(respond(count)).end('an answer'))
    const { secret } = await subscribe(house, merchant, receiver.url, ['payment.created'])
    const intent = await createIntent(house, merchant, {
      amount: 4321,
      label: 'a-label-nobody-else-has',
      metadata: { order: 'a-value-nobody-else-has' },
    })
    const [first] = await receiver.atLeast(1)
    const [delivery] = await deliveriesOf(house, merchant)
    return { merchant, receiver, secret, intent, id: delivery?._id ?? '', first }
  }

  const waitFor = (house: House, id: string, status: string) =>
    until(status, async () => {
      const now = await stored(house, { _id: id })
      return now.status === status && now
    })

  const gapsOf = ({ received }: Receiver) =>
    received.slice(1).map(({ at }, index) => at - (received[index]?.at ?? 0))

  it('comes at once, without waiting for a sweep, also after events that nobody subscribed to', async () => {
    const house = await openHouse()
    house.startWorkers()
    const unsubscribed = await house.merchant()
    await createIntent(house, unsubscribed)
    await until('relayed', async () => (await waitingEvents(house, unsubscribed)).length === 0)
    const [merchant, receiver] = [await house.merchant(), await startReceiver()]
    await subscribe(house, merchant, receiver.url)
    await createIntent(house, merchant)
    await receiver.atLeast(1, 5_000)
    await receiver.close()
    await house.close()
  })

  it('tries again after each wait until the receiver takes it, and is gone then', async () => {
    const { receiver, id, secret } = await told(quick, (count) => (count < 8 ? 500 : 200))
    const { attempts, attemptLog } = await waitFor(quick, id, 'DELIVERED')
    expect([attempts, attemptLog.length, receiver.received.length]).to.deep.equal([8, 8, 8])
    expect(Math.min(...gapsOf(receiver))).to.be.at.least(200)
    expect(receiver.received.every((one) => isSignedWith(secret, one) && one.json.id === id)).to.equal(true)
    const queue = queueOf(quick)
    await until('the job is gone', async () => (await queue.getJob(`${id}-r0`)) === undefined)
    await receiver.close()
  })

  it('stands in failed after the 8th failure, where support staff find it', async () => {
    const { receiver, id } = await told(quick, () => 500)
    await waitFor(quick, id, 'DEAD')
    const queue = queueOf(quick)
    await until('the job failed', async () => (await queue.getJobState(`${id}-r0`)) === 'failed')
    expect((await queue.getJob(`${id}-r0`))?.failedReason).to.equal('attempt 8: status 500')
    expect(receiver.received).to.have.length(8)
    expect((await stored(quick, { _id: id })).attempts).to.equal(8)
    await receiver.close()
  })

  it('stands in delayed while it waits for its next attempt, for as long as the table says', async () => {
    const { receiver, id, intent } = await told(standard, () => 500)
    const queue = queueOf(standard)
    await until('the job is delayed', async () => (await queue.getJobState(`${id}-r0`)) === 'delayed')
    const { nextAttemptAt } = await stored(standard, { _id: id })
    const job = await queue.getJob(`${id}-r0`)
    expect(job?.name).to.equal('payment.created')
    expect(job?.data).to.deep.equal({ ref: intent.referenceNumber, host: receiver.host })
    // BullMQ keeps the instant in the score: milliseconds times 4096 and a counter.
    const score = Number(await redis.zscore(queue.toKey('delayed'), `${id}-r0`))
    expect(Math.floor(score / 4096) - (nextAttemptAt?.getTime() ?? 0)).to.be.within(-1, 1000)
    await receiver.close()
  })

  it('and all else in Redis holds ids and harmless words: no body, secret, key, code or answer', async () => {
    const { receiver, id, merchant, secret, intent, first } = await told(standard, () => 500)
    const queue = queueOf(standard)
    await until('the job is delayed', async () => (await queue.getJobState(`${id}-r0`)) === 'delayed')
    const { redisUrl, queuePrefix } = standard.deps.config
    // A job's data is JSON within JSON, its quotes escaped.
    const text = (await everythingIn(redisUrl, queuePrefix)).replaceAll('\\', '')
    expect(text).to.include(`"ref":"${intent.referenceNumber}"`)
    expect(text).to.include(`${id}-r0`)
    const forbidden = [
      secret,
      merchant.key,
      'a-label-nobody-else-has',
      'a-value-nobody-else-has',
      'an answer',
      'sha256=',
      'commission',
      String(first?.headers['x-service-signature']),
      intent.shortCode,
      `"${intent.code}"`,
    ]
    expect(forbidden.filter((words) => text.includes(words))).to.deep.equal([])
    await receiver.close()
  })
})
